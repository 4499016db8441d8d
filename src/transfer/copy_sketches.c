/*
 * Reads the wanted sketches of the source into memory, removes the sketches that the target has
 * from this list, and writes the rest.
 * SPDX-License-Identifier: MIT
 */
#include "transfer/copy_sketches.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/arena.h"
#include "base/data/array.h"
#include "store/names/names.h"
#include "store/rows/sketch_copy.h"

/* ---- Measures ---- */

int measure_map_make(struct store *from, struct store *to, struct measure_map *map,
		     struct simhash_error *error)
{
	struct name_list measures;
	int status = 0;

	*map = (struct measure_map){NULL, 0};
	if (store_read_measures(from, &measures, error) != 0)
		return -1;
	map->ids = calloc(measures.count + 1, sizeof *map->ids);
	if (map->ids == NULL)
		status = error_set_memory(error);
	for (; status == 0 && map->count < measures.count; map->count++) {
		const struct name *measure = &measures.names[map->count];
		struct measure_ids *ids = &map->ids[map->count];
		ids->from = measure->id;
		status = store_measure_id(to, measure->text.data, true, &ids->to, error);
	}
	name_list_release(&measures);
	if (status != 0) {
		free(map->ids);
		*map = (struct measure_map){NULL, 0};
	}
	return status;
}

/* Return the id in the target, or 0 for a measure that is not in the map. */
static int64_t map_id(const struct measure_map *map, int64_t from)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->ids[i].from == from)
			return map->ids[i].to;
	return 0;
}

/* ---- Sketches ---- */

struct list {
	const struct measure_map *map;
	const struct sketch_range *range;
	size_t next_row; /* the next row of the range */
	struct kept {
		struct stored_sketch
			/* Its value is in `values`, and its measure is an id of the target. */
			sketch;
		bool is_there; /* the target has the same sketch */
	} * kept;
	size_t count, capacity, next;
	struct arena values;
};

/* Is the file of the sketch among the wanted rows? Both come in the order of path hashes. */
static bool is_wanted(struct list *list, const struct stored_sketch *sketch)
{
	const struct sketch_range *range = list->range;
	const struct file_row *row;

	while (list->next_row < range->row_count && memcmp(range->rows[list->next_row]->path_hash,
							   sketch->path_hash, PATH_HASH_SIZE) < 0)
		list->next_row++;
	if (list->next_row == range->row_count)
		return false;
	row = range->rows[list->next_row];
	return memcmp(row->path_hash, sketch->path_hash, PATH_HASH_SIZE) == 0 &&
	       memcmp(row->content_hash, sketch->content_hash, CONTENT_HASH_SIZE) == 0;
}

static int keep_sketch(struct list *list, const struct stored_sketch *sketch,
		       struct simhash_error *error)
{
	int64_t id = map_id(list->map, sketch->measure);
	struct kept *kept;
	char *value;

	if (id == 0 || !is_wanted(list, sketch))
		return 0;
	if (array_reserve(&list->kept, &list->capacity, list->count + 1, sizeof *list->kept,
			  error) != 0)
		return -1;
	value = arena_take(&list->values, sketch->value.size);
	if (value == NULL)
		return error_set_memory(error);
	memcpy(value, sketch->value.data, sketch->value.size);
	kept = &list->kept[list->count++];
	*kept = (struct kept){.sketch = *sketch};
	kept->sketch.measure = id;
	kept->sketch.value.data = value;
	return 0;
}

static bool same_sketch(const struct stored_sketch *x, const struct stored_sketch *y)
{
	return memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE) == 0 &&
	       x->features == y->features && x->cluster == y->cluster &&
	       x->value.size == y->value.size &&
	       memcmp(x->value.data, y->value.data, x->value.size) == 0;
}

static int compare_paths(const struct kept *kept, const struct stored_sketch *sketch)
{
	return memcmp(kept->sketch.path_hash, sketch->path_hash, PATH_HASH_SIZE);
}

/*
 * Mark the sketch of the list that the target has. Both come in the order of path hashes, but the
 * measures of one file may come in another order.
 */
static void strike_off(struct list *list, const struct stored_sketch *sketch)
{
	while (list->next < list->count && compare_paths(&list->kept[list->next], sketch) < 0)
		list->next++;
	for (size_t i = list->next; i < list->count && compare_paths(&list->kept[i], sketch) == 0;
	     i++) {
		struct kept *kept = &list->kept[i];
		if (kept->sketch.measure == sketch->measure)
			kept->is_there = same_sketch(&kept->sketch, sketch);
	}
}

/* Write the sketches that the target does not have. */
static int write_rest(struct store *to, const struct list *list, uint64_t *written,
		      struct simhash_error *error)
{
	struct stored_sketch *rest = malloc((list->count + 1) * sizeof *rest);
	size_t count = 0;
	int status = 0;

	if (rest == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < list->count; i++)
		if (!list->kept[i].is_there)
			rest[count++] = list->kept[i].sketch;
	if (count > 0)
		status = store_write_sketches(to, list->range->to, rest, count, error);
	if (status == 0)
		*written += count;
	free(rest);
	return status;
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
	arena_release(&list.values);
	free(list.kept);
	return status;
}
