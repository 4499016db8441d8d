/*
 * Reads sketches and pieces at the same time, if there are two connections. The engine tests the
 * sketch of a row while it reads the row, if it can, because most rows fail.
 * SPDX-License-Identifier: MIT
 */
#include "find/query/queried_proposals.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/threads/threads.h"
#include "core/resemblance.h"

#define KEYS_PER_PART 4 /* for each part by pieces; 80 bytes each */

/* ---- Sketches ---- */

struct sketch_search {
	const struct queried_reach *reaches;
	size_t count;
	struct verify_rule rule;   /* for files of any extension, because names are not read */
	struct key_bounds *bounds; /* of each file */
	struct find_file row;	   /* only the members that the sketches need */
	uint32_t *passed;	   /* the files that may be a pair with the row */
	size_t passed_count;
	uint64_t compared;
};

/* A damaged sketch passes, so that reading the row reports it. */
static bool may_be_pair(struct sketch_search *search, size_t number, bool is_damaged)
{
	struct relation relation = {.distance = 0};

	return is_damaged ||
	       verify_by_keys(&search->rule, false, &search->reaches[number].queried->file,
			      &search->row, &relation);
}

static bool load_sketch(struct find_file *row, struct bytes sketch)
{
	row->has_sketch = sketch.size > 0;
	return sketch.size == 0 || resemblance_load(sketch.data, sketch.size, &row->sketch);
}

static bool passes(void *context, int64_t size_bytes, int64_t uniform, struct bytes sketch)
{
	struct sketch_search *search = context;
	bool is_loaded = false, is_damaged = false;

	search->row.size_bytes = size_bytes;
	search->row.uniform = uniform;
	search->passed_count = 0;
	for (size_t i = 0; i < search->count; i++) {
		if (!key_bounds_have(&search->bounds[i], &search->row))
			continue;
		if (!is_loaded)
			is_damaged = !load_sketch(&search->row, sketch);
		is_loaded = true;
		search->compared++;
		if (may_be_pair(search, i, is_damaged))
			search->passed[search->passed_count++] = (uint32_t)i;
	}
	return search->passed_count > 0;
}

/* Set the bounds of the rows that can make a pair with each file, or with any file. */
static struct key_bounds set_bounds(struct sketch_search *search)
{
	struct key_bounds all = {{INT64_MAX, 0}, {INT64_MAX, 0}};

	for (size_t i = 0; i < search->count; i++) {
		search->bounds[i] =
			verify_bounds_by_keys(&search->rule, &search->reaches[i].queried->file);
		key_bounds_extend(&all, &search->bounds[i]);
	}
	return all;
}

static int add_keys(struct queried_keys *keys, const struct row_key *row,
		    const struct sketch_search *search, struct simhash_error *error)
{
	for (size_t i = 0; i < search->passed_count; i++)
		if (queried_keys_add(keys, &(struct queried_key){*row, search->passed[i]}, error) !=
		    0)
			return -1;
	return 0;
}

static int find_all(struct sketch_search *search, const struct finder *finder, struct store *store,
		    size_t max, struct queried_keys *keys, struct simhash_error *error)
{
	struct row_test test = {passes, search};
	struct key_bounds bounds = set_bounds(search);
	struct tested_keys tested;
	struct row_key row;
	int status = 0;

	if (store_tested_begin(&tested, store, finder->tag_set, bounds.uniform, bounds.sizes, &test,
			       error) != 0)
		return -1;
	while (keys->count <= max && (status = store_tested_next(&tested, &row, error)) == 1)
		if (add_keys(keys, &row, search, error) != 0) {
			status = -1;
			break;
		}
	store_tested_end(&tested);
	return keys->count > max ? 0 : status < 0 ? -1 : 1;
}

/* Returns the same as queried_proposals_find. */
static int find_by_sketches(const struct queried_reach *reaches, size_t count,
			    const struct finder *finder, struct store *store, size_t max,
			    struct queried_keys *keys, uint64_t *compared,
			    struct simhash_error *error)
{
	struct sketch_search search = {.reaches = reaches,
				       .count = count,
				       .rule = finder->request->rule.verify,
				       .bounds = malloc(count * sizeof *search.bounds),
				       .passed = malloc(count * sizeof *search.passed)};
	int status;

	search.rule.same_extension = false;
	if (search.bounds == NULL || search.passed == NULL)
		status = error_set_memory(error);
	else
		status = find_all(&search, finder, store, count == 1 ? SIZE_MAX : max, keys, error);
	*compared += search.compared;
	free(search.bounds);
	free(search.passed);
	return status;
}

/* ---- Pieces ---- */

struct parts_finder {
	struct queried_parts *parts;
	const struct queried_reach *reaches;
	size_t count, max;
	const struct finder *finder;
	struct store *store;
	int status; /* see queried_parts_find */
	struct simhash_error error;
};

static void *find_parts(void *argument)
{
	struct parts_finder *f = argument;

	f->status = queried_parts_find(f->parts, f->reaches, f->count, f->finder, f->store, f->max,
				       &f->error);
	return NULL;
}

int queried_proposals_find(const struct queried_reach *reaches, size_t count,
			   const struct finder *finder, const struct find_stores *stores,
			   size_t max, struct queried_parts *parts, struct queried_keys *keys,
			   uint64_t *compared, struct simhash_error *error)
{
	struct parts_finder f = {.parts = parts,
				 .reaches = reaches,
				 .count = count,
				 .max = max / KEYS_PER_PART,
				 .finder = finder,
				 .store = stores->stores[stores->count > 1 ? 1 : 0]};
	struct thread_group group;
	bool is_started = stores->count > 1 &&
			  threads_start(&group, 1, find_parts, &f, sizeof f) == 1;
	int status = find_by_sketches(reaches, count, finder, stores->stores[0], max, keys,
				      compared, error);

	if (is_started)
		threads_join(&group);
	else if (status == 1)
		find_parts(&f);
	if (status != 1)
		return status;
	if (f.status < 0)
		*error = f.error;
	if (f.status != 1)
		return f.status;
	if (queried_parts_keys(parts, finder, stores->stores[0], keys, error) != 0)
		return -1;
	queried_keys_sort(keys);
	return 1;
}
