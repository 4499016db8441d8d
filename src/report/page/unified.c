/*
 * Writes the lines that differ between two texts as hunks.
 * SPDX-License-Identifier: MIT
 */
#include "report/page/unified.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/text/escape.h"
#include "report/page/html_text.h"

#define CONTEXT 3
#define LINE_BYTES 400 /* the maximum number of bytes that are shown of a line */

struct diff_side {
	struct bytes text;
	size_t *starts; /* the start of each line, and the end of the text */
	size_t lines, at;
	size_t changes; /* the number of changed lines from `at` on */
	const uint8_t *is_changed;
};

static int find_starts(struct diff_side *side, struct simhash_error *error)
{
	const char *at = side->text.data, *end = at + side->text.size;

	side->starts = malloc((side->lines + 1) * sizeof *side->starts);
	if (side->starts == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < side->lines; i++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		side->starts[i] = (size_t)(at - side->text.data);
		at = newline == NULL ? end : newline + 1;
	}
	side->starts[side->lines] = side->text.size;
	return 0;
}

static size_t write_line(FILE *out, char mark, const struct diff_side *side, size_t line)
{
	const char *start = side->text.data + side->starts[line];
	size_t size = side->starts[line + 1] - side->starts[line];
	bool is_ended = start[size - 1] == '\n';
	size_t shown = size - is_ended;

	if (shown > LINE_BYTES) {
		/* Do not cut a character. */
		for (shown = LINE_BYTES;
		     ((unsigned char)start[shown] & 0xc0) == 0x80 && shown > LINE_BYTES - 4;)
			shown--;
	}
	fputc(mark, out);
	html_write_visible(out, (struct bytes){start, shown});
	if (shown < size - is_ended)
		fprintf(out, " [%zu more bytes]", size - is_ended - shown);
	fputc('\n', out);
	if (!is_ended)
		fputs("\\ No newline at the end of the file\n", out);
	return shown + 1;
}

static bool is_change(const struct diff_side *side, size_t line)
{
	return line < side->lines && side->is_changed[line];
}

/* Return the number of equal lines from here on. */
static size_t common_lines(const struct diff_side *a, const struct diff_side *b, size_t from_a,
			   size_t from_b)
{
	size_t count = 0;

	while (from_a + count < a->lines && from_b + count < b->lines &&
	       !is_change(a, from_a + count) && !is_change(b, from_b + count))
		count++;
	return count;
}

/* Move the ends of both sides to the end of the hunk that begins here. */
static void find_end(const struct diff_side *a, const struct diff_side *b, size_t *end_a,
		     size_t *end_b)
{
	size_t same = 0;
	bool is_last = false;

	while (!is_last && same <= 2 * CONTEXT) {
		*end_a += same;
		*end_b += same;
		while (is_change(a, *end_a))
			++*end_a;
		while (is_change(b, *end_b))
			++*end_b;
		same = common_lines(a, b, *end_a, *end_b);
		is_last = !is_change(a, *end_a + same) && !is_change(b, *end_b + same);
	}
	*end_a += same < CONTEXT ? same : CONTEXT;
	*end_b += same < CONTEXT ? same : CONTEXT;
}

/*
 * Write a hunk up to the ends of both sides, or as much as `room` allows. Returns its approximate
 * size in bytes.
 */
static size_t write_hunk(FILE *out, struct diff_side *a, struct diff_side *b, size_t end_a,
			 size_t end_b, size_t room)
{
	size_t written = 0;

	fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", a->at + (end_a > a->at), end_a - a->at,
		b->at + (end_b > b->at), end_b - b->at);
	while ((a->at < end_a || b->at < end_b) && written < room) {
		struct diff_side *changed = is_change(a, a->at)	  ? a
					    : is_change(b, b->at) ? b
								  : NULL;
		if (changed != NULL) {
			written +=
				write_line(out, changed == a ? '-' : '+', changed, changed->at++);
			changed->changes--;
		} else {
			written += write_line(out, ' ', a, a->at++);
			b->at++;
		}
	}
	return written;
}

static size_t count_changes(const struct diff_side *side)
{
	size_t count = 0;

	for (size_t i = 0; i < side->lines; i++)
		count += side->is_changed[i];
	return count;
}

int unified_write(FILE *out, struct bytes a_text, struct bytes b_text, const struct line_diff *diff,
		  size_t max_bytes, struct simhash_error *error)
{
	struct diff_side a = {a_text, NULL, diff->lines_a, 0, 0, diff->is_changed_a};
	struct diff_side b = {b_text, NULL, diff->lines_b, 0, 0, diff->is_changed_b};
	size_t written = 0, left;
	int status = -1;

	if (find_starts(&a, error) != 0 || find_starts(&b, error) != 0)
		goto out;
	a.changes = count_changes(&a);
	b.changes = count_changes(&b);
	while (written < max_bytes && a.changes + b.changes > 0) {
		size_t same = common_lines(&a, &b, a.at, b.at), end_a, end_b;
		size_t skipped = same > CONTEXT ? same - CONTEXT : 0;
		a.at += skipped;
		b.at += skipped;
		end_a = a.at + same - skipped;
		end_b = b.at + same - skipped;
		find_end(&a, &b, &end_a, &end_b);
		written += write_hunk(out, &a, &b, end_a, end_b, max_bytes - written);
	}
	left = a.changes + b.changes;
	if (left > 0)
		fprintf(out, "~%zu more changed line%s not shown\n", left,
			left == 1 ? " is" : "s are");
	status = 0;
out:
	free(a.starts);
	free(b.starts);
	return status;
}
