/*
 * Numbers lines with a hash table of all lines so far.
 * SPDX-License-Identifier: MIT
 */
#define XXH_INLINE_ALL
#include "measure/lines.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/basic/error.h"
#include "base/data/slots.h"

struct line {
	const char *text;
	size_t size;
};

/* Equal lines have the same number, from 1. */
struct line_table {
	struct line *lines; /* indexed by number */
	size_t count;
	struct slots slots;
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

/* The key of a search. */
struct line_wanted {
	const struct line_table *table;
	struct line line;
};

static bool is_line(const void *key, uint32_t number)
{
	const struct line_wanted *wanted = key;
	const struct line *other = &wanted->table->lines[number];

	return other->size == wanted->line.size &&
	       memcmp(other->text, wanted->line.text, other->size) == 0;
}

static uint32_t number_of(struct line_table *table, struct line line)
{
	uint64_t hash = XXH3_64bits(line.text, line.size);
	struct slot *slot =
		slots_find(&table->slots, hash, is_line, &(struct line_wanted){table, line});

	if (slot->number == NO_ITEM) {
		slots_add(&table->slots, slot, hash, (uint32_t)++table->count);
		table->lines[table->count] = line;
	}
	return slot->number;
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
	struct line_table table = {.count = 0};
	int status = -1;

	*lines = (struct numbered_lines){.different = 0};
	if (count_a + count_b >= UINT32_MAX / 2)
		return error_set(error, SIMHASH_E_RANGE, "more than two thousand million lines");
	if (slots_reserve_all(&table.slots, count_a + count_b + 1, error) != 0)
		return -1;
	table.lines = malloc((count_a + count_b + 1) * sizeof *table.lines);
	lines->a.symbol = malloc((count_a + 1) * sizeof *lines->a.symbol);
	lines->b.symbol = malloc((count_b + 1) * sizeof *lines->b.symbol);
	if (lines->a.symbol == NULL || lines->b.symbol == NULL || table.lines == NULL) {
		error_set_memory(error);
	} else {
		number_lines(&table, a, a_bytes, &lines->a);
		number_lines(&table, b, b_bytes, &lines->b);
		lines->different = (uint32_t)table.count;
		status = 0;
	}
	free(table.lines);
	slots_release(&table.slots);
	return status;
}

void lines_release(struct numbered_lines *lines)
{
	free(lines->a.symbol);
	free(lines->b.symbol);
}
