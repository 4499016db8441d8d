/*
 * Finds the lines that differ between two texts, and records the path of the search in a trace. A
 * point (x, y) comes after x lines of a and y lines of b, and is on diagonal x - y. Row d of the
 * trace has the furthest x on the diagonals -d, -d + 2, .. d that can be reached with d
 * differences.
 * SPDX-License-Identifier: MIT
 */
#include "measure/line_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "measure/lines.h"

struct trace {
	uint32_t **rows; /* row d has d + 1 numbers */
	unsigned count;
};

/*
 * Does the path reach diagonal k of row d by a line of b (from the diagonal above), or by a line of
 * a?
 */
static bool comes_from_b(const uint32_t *before, int64_t k, int64_t d)
{
	/* the index of k + 1 in the previous row; k - 1 is before it */
	int64_t index = (k + d) / 2;

	return k == -d || (k != d && before[index - 1] < before[index]);
}

static uint32_t first_of(const uint32_t *before, int64_t k, int64_t d)
{
	int64_t index = (k + d) / 2;

	if (d == 0)
		return 0;
	return comes_from_b(before, k, d) ? before[index] : before[index - 1] + 1;
}

/* Append a row to the trace. Returns 1 if it reaches the end of both texts, on diagonal a - b. */
static int add_row(struct trace *trace, const struct symbols *a, const struct symbols *b)
{
	int64_t d = trace->count, n = (int64_t)a->count, m = (int64_t)b->count;
	const uint32_t *before = d == 0 ? NULL : trace->rows[d - 1];
	uint32_t *row = calloc((size_t)d + 1, sizeof *row);

	if (row == NULL)
		return -1;
	trace->rows[trace->count++] = row;
	for (int64_t k = -d; k <= d; k += 2) {
		int64_t x = first_of(before, k, d), y = x - k;
		while (x < n && y < m && a->symbol[x] == b->symbol[y]) {
			x++;
			y++;
		}
		row[(k + d) / 2] = (uint32_t)x;
		if (x >= n && y >= m)
			return 1;
	}
	return 0;
}

/* Walk back from the end: each row adds one line that only one text has. */
static void mark_changed(const struct trace *trace, const struct symbols *a,
			 const struct symbols *b, uint8_t *changed_a, uint8_t *changed_b)
{
	int64_t k = (int64_t)a->count - (int64_t)b->count;

	for (int64_t d = (int64_t)trace->count - 1; d > 0; d--) {
		const uint32_t *before = trace->rows[d - 1];
		int64_t x = first_of(before, k, d);
		if (comes_from_b(before, k, d)) {
			changed_b[x - k - 1] = 1;
			k++;
		} else {
			changed_a[x - 1] = 1;
			k--;
		}
	}
}

/* Remove the common beginning and end. Returns the size of the beginning. */
static size_t trim(struct symbols *a, struct symbols *b)
{
	size_t start = 0;

	while (start < a->count && start < b->count && a->symbol[start] == b->symbol[start])
		start++;
	a->symbol += start;
	b->symbol += start;
	a->count -= start;
	b->count -= start;
	while (a->count > 0 && b->count > 0 && a->symbol[a->count - 1] == b->symbol[b->count - 1]) {
		a->count--;
		b->count--;
	}
	return start;
}

static int find_changes(struct symbols a, struct symbols b, unsigned most, struct line_diff *diff,
			struct simhash_error *error)
{
	size_t start = trim(&a, &b);
	struct trace trace = {.rows = calloc((size_t)most + 1, sizeof(uint32_t *))};
	int end = trace.rows == NULL ? -1 : 0;

	while (end == 0 && trace.count <= most)
		end = add_row(&trace, &a, &b);
	if (end == 1)
		mark_changed(&trace, &a, &b, diff->is_changed_a + start,
			     diff->is_changed_b + start);
	while (trace.count > 0)
		free(trace.rows[--trace.count]);
	free(trace.rows);
	return end < 0 ? error_set_memory(error) : end == 0;
}

int line_diff(const void *a, size_t a_bytes, const void *b, size_t b_bytes, unsigned most,
	      struct line_diff *diff, struct simhash_error *error)
{
	struct numbered_lines lines;
	int status = lines_number(a, a_bytes, b, b_bytes, &lines, error);

	*diff = (struct line_diff){.lines_a = lines.a.count, .lines_b = lines.b.count};
	if (status == 0) {
		diff->is_changed_a = calloc(lines.a.count + 1, 1);
		diff->is_changed_b = calloc(lines.b.count + 1, 1);
		status = diff->is_changed_a == NULL || diff->is_changed_b == NULL
				 ? error_set_memory(error)
				 : find_changes(lines.a, lines.b, most, diff, error);
	}
	lines_release(&lines);
	if (status != 0)
		line_diff_release(diff);
	return status;
}

void line_diff_release(struct line_diff *diff)
{
	free(diff->is_changed_a);
	free(diff->is_changed_b);
}
