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

struct mapping {
	struct measure_map *map;
	char **names; /* owned, by their place in the map */
};

static int keep_measure(void *context, int64_t id, struct bytes name, struct simhash_error *error)
{
	struct mapping *mapping = context;
	struct measure_map *map = mapping->map;
	struct measure_number *numbers = realloc(map->numbers, (map->count + 1) * sizeof *numbers);
	char **names;

	if (numbers == NULL)
		return error_set_memory(error);
	map->numbers = numbers;
	names = realloc(mapping->names, (map->count + 1) * sizeof *names);
	if (names == NULL)
		return error_set_memory(error);
	mapping->names = names;
	names[map->count] = strndup(name.data, name.size);
	if (names[map->count] == NULL)
		return error_set_memory(error);
	numbers[map->count++] = (struct measure_number){id, 0};
	return 0;
}

int measure_map_make(struct store *from, struct store *to, struct measure_map *map,
		     struct simhash_error *error)
{
	struct mapping mapping = {map, NULL};
	int status;

	*map = (struct measure_map){NULL, 0};
	status = store_read_measures(from, keep_measure, &mapping, error);
	for (size_t i = 0; status == 0 && i < map->count; i++)
		status = store_measure_id(to, mapping.names[i], true, &map->numbers[i].to, error);
	for (size_t i = 0; i < map->count; i++)
		free(mapping.names[i]);
	free(mapping.names);
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

static int keep_sketch(void *context, const struct stored_sketch *sketch,
		       struct simhash_error *error)
{
	struct list *list = context;
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
static int strike_off(void *context, const struct stored_sketch *sketch,
		      struct simhash_error *error)
{
	struct list *list = context;

	(void)error;
	while (list->next < list->count &&
	       memcmp(list->sketches[list->next].path_hash, sketch->path_hash, PATH_HASH_SIZE) < 0)
		list->next++;
	for (size_t i = list->next;
	     i < list->count &&
	     memcmp(list->sketches[i].path_hash, sketch->path_hash, PATH_HASH_SIZE) == 0;
	     i++)
		if (list->sketches[i].measure == sketch->measure)
			list->is_there[i] = same_sketch(&list->sketches[i], sketch);
	return 0;
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

int copy_sketches(struct store *from, struct store *to, const struct measure_map *map,
		  const struct sketch_range *range, uint64_t *written, struct simhash_error *error)
{
	struct list list = {.map = map, .range = range};
	int status = 0;

	if (map->count == 0)
		return 0;
	status = store_read_sketches(from, range->from, range->after, range->last, keep_sketch,
				     &list, error);
	if (status == 0 && list.count > 0)
		status = store_read_sketches(to, range->to, range->after, range->last, strike_off,
					     &list, error);
	if (status == 0)
		status = write_rest(to, &list, written, error);
	for (size_t i = 0; i < list.count; i++)
		free((char *)(uintptr_t)list.sketches[i].value.data);
	free(list.sketches);
	free(list.is_there);
	return status;
}
