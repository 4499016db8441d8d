/*
 * Reads rows as points, and makes kinds from the most frequent extensions.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/key_space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/basic/sizes.h"
#include "base/data/array.h"
#include "base/data/slots.h"
#include "store/rows/row_reader.h"
#include "store/rows/totals.h"

#define EXTENSIONS_MAX 4096 /* all further extensions count as others */
#define NO_EXTENSION "(none)"
#define OTHERS "(others)"

struct extension_count {
	char name[24];
	size_t files;
	uint16_t kind;
};

struct space_reading {
	struct key_space *space;
	const struct simhash_tag_set *tags;
	size_t step, capacity;
	struct extension_count *extensions;
	uint16_t extension_count;
	struct slots slots; /* extensions by their hash */
};

uint16_t key_space_log(int64_t value)
{
	return (uint16_t)(log2((double)value + 1) * 1024);
}

struct extension_key {
	const struct space_reading *reading;
	const char *text;
};

static bool is_extension(const void *key, uint32_t number)
{
	const struct extension_key *wanted = key;

	return strcmp(wanted->reading->extensions[number - 1].name, wanted->text) == 0;
}

static uint64_t hash_text(const char *text)
{
	uint64_t hash = 0;

	for (const char *c = text; *c != '\0'; c++)
		hash = hash_seeded(hash, (unsigned char)*c);
	return hash;
}

/* The number of a file's extension; EXTENSIONS_MAX if there are too many, or if it is too long. */
static uint16_t extension_of(struct space_reading *reading, struct bytes name)
{
	const char *extension;
	size_t size = simhash_extension(name.data, name.size, &extension);
	char text[sizeof reading->extensions->name];
	struct slot *slot;
	uint64_t hash;

	if (size >= sizeof text)
		return EXTENSIONS_MAX;
	ascii_lower_copy(text, extension, size);
	text[size] = '\0';
	if (size == 0)
		strcpy(text, NO_EXTENSION);
	hash = hash_text(text);
	slot = slots_find(&reading->slots, hash, is_extension,
			  &(struct extension_key){reading, text});
	if (slot->number == NO_ITEM) {
		if (reading->extension_count == EXTENSIONS_MAX)
			return EXTENSIONS_MAX;
		strcpy(reading->extensions[reading->extension_count].name, text);
		reading->extensions[reading->extension_count].files = 0;
		slots_add(&reading->slots, slot, hash, ++reading->extension_count);
	}
	reading->extensions[slot->number - 1].files++;
	return (uint16_t)(slot->number - 1);
}

static int take_row(struct space_reading *reading, const struct file_row *row,
		    struct simhash_error *error)
{
	struct key_space *space = reading->space;
	struct bytes name = inner_name(row->name);
	struct simhash_keys keys;
	bool is_taken = (size_t)space->rows % reading->step == 0;

	space->rows++;
	add_size(&space->bytes, row->size_bytes);
	if (!is_taken)
		return 0;
	if (array_reserve(&space->points, &reading->capacity, space->count + 1,
			  sizeof *space->points, error) != 0)
		return -1;
	simhash_keys_compute(reading->tags, &row->table, name.data, name.size, &keys);
	space->points[space->count++] = (struct key_point){
		.size = key_space_log(row->size_bytes),
		.key = key_space_log(keys.key[SIMHASH_SKEW]),
		.shifted_key = (uint16_t)(keys.key[SIMHASH_SKEW_EXT] >> 47),
		.kind = extension_of(reading, name),
	};
	return 0;
}

static int compare_counts(const void *a, const void *b)
{
	const struct extension_count *const *x = a, *const *y = b;

	if ((*x)->files != (*y)->files)
		return (*x)->files > (*y)->files ? -1 : 1;
	return strcmp((*x)->name, (*y)->name);
}

/* The most frequent extensions become separate kinds, in this order. */
static int choose_kinds(struct space_reading *reading, struct simhash_error *error)
{
	struct key_space *space = reading->space;
	uint16_t count = reading->extension_count;
	struct extension_count **order = malloc((count + 1u) * sizeof *order);
	unsigned own = count <= KEY_SPACE_KINDS ? count : KEY_SPACE_KINDS - 1;
	bool has_others = false;

	if (order == NULL)
		return error_set_memory(error);
	for (uint16_t i = 0; i < count; i++)
		order[i] = &reading->extensions[i];
	qsort(order, count, sizeof(struct extension_count *), compare_counts);
	for (uint16_t i = 0; i < count; i++)
		order[i]->kind = (uint16_t)(i < own ? i : KEY_SPACE_KINDS - 1);
	for (unsigned i = 0; i < own; i++)
		strcpy(space->kinds[i], order[i]->name);
	free(order);
	for (size_t i = 0; i < space->count; i++) {
		uint16_t extension = space->points[i].kind;
		uint16_t kind = extension == EXTENSIONS_MAX ? KEY_SPACE_KINDS - 1
							    : reading->extensions[extension].kind;
		space->points[i].kind = kind;
		has_others = has_others || kind >= own;
	}
	space->kind_count = own;
	if (has_others) {
		/* The numbers of kinds have no gaps. */
		for (size_t i = 0; i < space->count; i++)
			if (space->points[i].kind >= own)
				space->points[i].kind =
					(uint16_t)(own < KEY_SPACE_KINDS ? own : own - 1);
		strcpy(space->kinds[own < KEY_SPACE_KINDS ? own : own - 1], OTHERS);
		space->kind_count = own < KEY_SPACE_KINDS ? own + 1 : own;
	}
	return 0;
}

static int read_rows(struct space_reading *reading, struct store *store, int64_t tag_set,
		     struct simhash_error *error)
{
	const struct row_filter filter = {.columns = ROW_DIRECTORY | ROW_NAME | ROW_SIZE |
						     ROW_TABLE | ROW_CHECKED,
					  .tag_set = tag_set,
					  .with_empty = true};
	struct file_row row = {.host = 0};
	struct row_cursor cursor;
	int status;

	if (store_rows_lying(&cursor, store, &filter, NULL, error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1)
		if (take_row(reading, &row, error) != 0) {
			status = -1;
			break;
		}
	store_rows_end(&cursor);
	return status;
}

int key_space_read(struct store *store, const struct simhash_tag_set *tags, int64_t tag_set,
		   struct key_space *space, struct simhash_error *error)
{
	struct space_reading reading = {.space = space, .tags = tags};
	int64_t rows = 0;
	int status = -1;

	*space = (struct key_space){.points = NULL};
	reading.extensions = malloc(EXTENSIONS_MAX * sizeof *reading.extensions);
	if (reading.extensions == NULL)
		error_set_memory(error);
	else if (slots_reserve_all(&reading.slots, EXTENSIONS_MAX, error) != 0)
		status = -1;
	else if (tag_set == 0 || store_count_rows(store, tag_set, &rows, error) == 0)
		status = 0;
	reading.step = (size_t)((rows + KEY_SPACE_POINTS_MAX - 1) / KEY_SPACE_POINTS_MAX);
	if (reading.step == 0)
		reading.step = 1;
	if (status == 0 && tag_set != 0)
		status = read_rows(&reading, store, tag_set, error);
	if (status == 0)
		status = choose_kinds(&reading, error);
	free(reading.extensions);
	slots_release(&reading.slots);
	if (status != 0)
		key_space_release(space);
	return status;
}

void key_space_release(struct key_space *space)
{
	free(space->points);
	space->points = NULL;
}
