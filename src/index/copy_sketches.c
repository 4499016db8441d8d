/*
 * Copying sketches: what is wanted of the source is read into memory, what the target has is
 * struck off as it is read, and the rest is written.
 * SPDX-License-Identifier: MIT
 */
#include "index/copy_sketches.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* ---- Measures ---- */

int measure_map_make(struct store *from, struct store *to, struct measure_map *map,
		     struct simhash_error *error)
{
	struct name_list measures;
	int status = 0;

	*map = (struct measure_map){NULL, 0};
	if (store_read_measures(from, &measures, error) != 0)
		return -1;
	map->numbers = calloc(measures.count + 1, sizeof *map->numbers);
	if (map->numbers == NULL)
		status = error_set_memory(error);
	for (; status == 0 && map->count < measures.count; map->count++) {
		const struct name *measure = &measures.names[map->count];
		struct measure_number *number = &map->numbers[map->count];
		number->from = measure->id;
		status = store_measure_id(to, measure->text.data, true, &number->to, error);
	}
	name_list_release(&measures);
	if (status != 0) {
		free(map->numbers);
		*map = (struct measure_map){NULL, 0};
	}
	return status;
}

static int64_t map_number(const struct measure_map *map, int64_t from)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->numbers[i].from == from)
			return map->numbers[i].to;
	return 0;
}

/* ---- Sketches ---- */

struct list {
	const struct measure_map *map;
	const struct sketch_range *range;
	struct stored_sketch *sketches; /* their values are owned; numbers are the target's */
	bool *is_there;			/* in the target, the same */
	size_t count, room, next;
};

static int keep_sketch(struct list *list, const struct stored_sketch *sketch,
		       struct simhash_error *error)
{
	int64_t number = map_number(list->map, sketch->measure);
	struct stored_sketch *kept;
	char *value;

	/* A sketch by a measure that is not listed says nothing. */
	if (number == 0 || !list->range->is_wanted(list->range->context, sketch))
		return 0;
	if (list->count == list->room) {
		size_t room = list->room == 0 ? 256 : 2 * list->room;
		struct stored_sketch *grown = realloc(list->sketches, room * sizeof *grown);
		bool *is_there;
		if (grown == NULL)
			return error_set_memory(error);
		list->sketches = grown;
		is_there = realloc(list->is_there, room * sizeof *is_there);
		if (is_there == NULL)
			return error_set_memory(error);
		list->is_there = is_there;
		list->room = room;
	}
	value = malloc(sketch->value.size + 1);
	if (value == NULL)
		return error_set_memory(error);
	memcpy(value, sketch->value.data, sketch->value.size);
	kept = &list->sketches[list->count];
	*kept = *sketch;
	kept->measure = number;
	kept->value.data = value;
	list->is_there[list->count++] = false;
	return 0;
}

static bool same_sketch(const struct stored_sketch *x, const struct stored_sketch *y)
{
	return memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE) == 0 &&
	       x->features == y->features && x->cluster == y->cluster &&
	       x->value.size == y->value.size &&
	       memcmp(x->value.data, y->value.data, x->value.size) == 0;
}

/* Both come by path; of a path, measures may be in another order. */
static void strike_off(struct list *list, const struct stored_sketch *sketch)
{
	while (list->next < list->count &&
	       memcmp(list->sketches[list->next].path_hash, sketch->path_hash, PATH_HASH_SIZE) < 0)
		list->next++;
	for (size_t i = list->next;
	     i < list->count &&
	     memcmp(list->sketches[i].path_hash, sketch->path_hash, PATH_HASH_SIZE) == 0;
	     i++)
		if (list->sketches[i].measure == sketch->measure)
			list->is_there[i] = same_sketch(&list->sketches[i], sketch);
}

/* Write what is not struck off, moved to the front. */
static int write_rest(struct store *to, struct list *list, uint64_t *written,
		      struct simhash_error *error)
{
	size_t rest = 0;

	for (size_t i = 0; i < list->count; i++)
		if (!list->is_there[i]) {
			struct stored_sketch swapped = list->sketches[rest];
			list->sketches[rest++] = list->sketches[i];
			list->sketches[i] = swapped;
		}
	if (rest > 0 && store_write_sketches(to, list->range->to, list->sketches, rest, error) != 0)
		return -1;
	*written += rest;
	return 0;
}

static int read_wanted(struct list *list, struct store *from, struct simhash_error *error)
{
	const struct sketch_range *range = list->range;
	struct stored_sketches sketches;
	struct stored_sketch sketch;
	int status = stored_sketches_begin(&sketches, from, range->from, range->after, range->last,
					   error);

	while (status == 0 && (status = stored_sketches_next(&sketches, &sketch, error)) == 1)
		status = keep_sketch(list, &sketch, error);
	stored_sketches_end(&sketches);
	return status;
}

static int strike_off_present(struct list *list, struct store *to, struct simhash_error *error)
{
	const struct sketch_range *range = list->range;
	struct stored_sketches sketches;
	struct stored_sketch sketch;
	int status =
		stored_sketches_begin(&sketches, to, range->to, range->after, range->last, error);

	while (status == 0 && (status = stored_sketches_next(&sketches, &sketch, error)) == 1) {
		strike_off(list, &sketch);
		status = 0;
	}
	stored_sketches_end(&sketches);
	return status;
}

int copy_sketches(struct store *from, struct store *to, const struct measure_map *map,
		  const struct sketch_range *range, uint64_t *written, struct simhash_error *error)
{
	struct list list = {.map = map, .range = range};
	int status = 0;

	if (map->count == 0)
		return 0;
	status = read_wanted(&list, from, error);
	if (status == 0 && list.count > 0)
		status = strike_off_present(&list, to, error);
	if (status == 0)
		status = write_rest(to, &list, written, error);
	for (size_t i = 0; i < list.count; i++)
		free((char *)(uintptr_t)list.sketches[i].value.data);
	free(list.sketches);
	free(list.is_there);
	return status;
}
