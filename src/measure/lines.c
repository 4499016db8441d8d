/*
 * Numbering lines by a table of those seen.
 * SPDX-License-Identifier: MIT
 */
#define XXH_INLINE_ALL
#include "measure/lines.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/basic/error.h"

struct line {
	const char *text;
	size_t size;
};

/* Lines that are the same have the same number, from 1. */
struct line_table {
	struct line *lines; /* by number */
	uint32_t *slots;
	size_t slot_count, count;
};

static size_t count_lines(const char *text, size_t size)
{
	size_t count = 0;

	for (const char *end; size > 0; count++) {
		end = memchr(text, '\n', size);
		if (end == NULL)
			return count + 1;
		size -= (size_t)(end + 1 - text);
		text = end + 1;
	}
	return count;
}

static uint32_t number_of(struct line_table *table, struct line line)
{
	size_t slot = XXH3_64bits(line.text, line.size) & (table->slot_count - 1);

	for (; table->slots[slot] != 0; slot = (slot + 1) & (table->slot_count - 1)) {
		const struct line *other = &table->lines[table->slots[slot]];
		if (other->size == line.size && memcmp(other->text, line.text, line.size) == 0)
			return table->slots[slot];
	}
	table->slots[slot] = (uint32_t)++table->count;
	table->lines[table->count] = line;
	return table->slots[slot];
}

static void number_lines(struct line_table *table, const char *text, size_t size,
			 struct symbols *symbols)
{
	symbols->count = 0;
	while (size > 0) {
		const char *end = memchr(text, '\n', size);
		struct line line = {text, end == NULL ? size : (size_t)(end + 1 - text)};
		symbols->symbol[symbols->count++] = number_of(table, line);
		text += line.size;
		size -= line.size;
	}
}

int lines_number(const void *a, size_t a_bytes, const void *b, size_t b_bytes,
		 struct numbered_lines *lines, struct simhash_error *error)
{
	size_t count_a = count_lines(a, a_bytes), count_b = count_lines(b, b_bytes);
	struct line_table table = {.slot_count = 64};
	int status = -1;

	*lines = (struct numbered_lines){.different = 0};
	if (count_a + count_b >= UINT32_MAX / 2)
		return error_set(error, SIMHASH_E_RANGE, "more than two thousand million lines");
	while (table.slot_count < 2 * (count_a + count_b))
		table.slot_count *= 2;
	table.slots = calloc(table.slot_count, sizeof *table.slots);
	table.lines = malloc((count_a + count_b + 1) * sizeof *table.lines);
	lines->a.symbol = malloc((count_a + 1) * sizeof *lines->a.symbol);
	lines->b.symbol = malloc((count_b + 1) * sizeof *lines->b.symbol);
	if (lines->a.symbol == NULL || lines->b.symbol == NULL || table.slots == NULL ||
	    table.lines == NULL) {
		error_set_memory(error);
	} else {
		number_lines(&table, a, a_bytes, &lines->a);
		number_lines(&table, b, b_bytes, &lines->b);
		lines->different = (uint32_t)table.count;
		status = 0;
	}
	free(table.lines);
	free(table.slots);
	return status;
}

void lines_release(struct numbered_lines *lines)
{
	free(lines->a.symbol);
	free(lines->b.symbol);
}
