/*
 * Reads sketches and pieces with all connections. The engine tests the sketch of a row while it
 * reads the row, if it can, because most rows fail.
 * SPDX-License-Identifier: MIT
 */
#include "find/query/queried_proposals.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/threads/threads.h"
#include "core/resemblance.h"
#include "find/rows/row_places.h"
#include "store/open/view.h"
#include "store/rows/totals.h"

#define KEYS_PER_PART 4	       /* for each part by pieces; 80 bytes each */
#define BYTES_PER_LOOKUP 16384 /* looking up a row takes as long as reading this much of an index */
#define RANGES_PER_THREAD 4    /* more than one, so that all threads end at about the same time */

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

/*
 * Without its counts, it is unknown what the uniform of a wide text becomes, so assume the value that
 * is nearest to the requested file.
 */
static bool may_be_wide_pair(struct sketch_search *search, const struct find_file *queried)
{
	struct find_file *row = &search->row;
	struct relation relation = {.distance = 0};
	int64_t uniform = row->uniform;
	bool may_be;

	row->is_wide = true;
	row->uniform = uniform < queried->uniform ? uniform : queried->uniform;
	may_be = verify_by_keys(&search->rule, false, queried, row, &relation);
	row->is_wide = false;
	row->uniform = uniform;
	return may_be;
}

/* A damaged sketch passes, so that reading the row reports it. */
static bool may_be_pair(struct sketch_search *search, size_t number, bool is_damaged)
{
	const struct find_file *queried = &search->reaches[number].queried->file;
	struct relation relation = {.distance = 0};

	return is_damaged ||
	       verify_by_keys(&search->rule, false, queried, &search->row, &relation) ||
	       (verify_may_be_wide(&search->rule, &search->row) &&
		may_be_wide_pair(search, queried));
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
	search->row.is_wide = false;
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

static int add_keys(struct queried_keys *keys, const struct row_key *row,
		    const struct sketch_search *search, struct simhash_error *error)
{
	for (size_t i = 0; i < search->passed_count; i++)
		if (queried_keys_add(keys, &(struct queried_key){*row, search->passed[i]}, error) !=
		    0)
			return -1;
	return 0;
}

/* ---- Threads ---- */

/* A search that several threads share. They take ranges of the tables one after another. */
struct proposing {
	const struct queried_reach *reaches;
	size_t count, keys_max, parts_max;
	const struct finder *finder;
	struct asked_pieces *asked;
	struct piece_range *ranges;
	unsigned range_count;
	atomic_uint next_range;
	struct key_bounds bounds; /* of the rows that may have such sketches */
	bool are_few;		  /* these rows are looked up */
	atomic_flag are_looked_up;
	struct row_places places; /* otherwise, all rows are read */
	struct first_error first_error;
};

struct proposer {
	struct proposing *proposing;
	struct store *store;
	struct queried_parts parts;
	struct queried_keys keys;
	uint64_t compared;
};

static int read_pieces(struct proposer *proposer, struct simhash_error *error)
{
	struct proposing *p = proposer->proposing;
	unsigned range;

	while (proposer->parts.count <= p->parts_max &&
	       (range = atomic_fetch_add(&p->next_range, 1)) < p->range_count)
		if (queried_parts_find(&proposer->parts, p->asked, proposer->store,
				       p->finder->tag_set,
				       p->range_count == 1 ? NULL : &p->ranges[range], p->parts_max,
				       error) != 0)
			return -1;
	return 0;
}

/* Read the rows of a place or, with NULL, look up the rows within the bounds. */
static int read_place(struct proposer *proposer, struct sketch_search *search,
		      const struct row_place *place, struct simhash_error *error)
{
	const struct proposing *p = proposer->proposing;
	const struct key_bounds *bounds = &p->bounds;
	struct row_test test = {passes, search};
	struct tested_keys tested;
	struct row_key row;
	int status = 0;

	if (store_tested_begin(&tested, proposer->store, p->finder->tag_set, place, bounds->uniform,
			       bounds->sizes, &test, error) != 0)
		return -1;
	while (proposer->keys.count <= p->keys_max &&
	       (status = store_tested_next(&tested, &row, error)) == 1)
		if (add_keys(&proposer->keys, &row, search, error) != 0) {
			status = -1;
			break;
		}
	store_tested_end(&tested);
	return status < 0 ? -1 : 0;
}

static int read_places(struct proposer *proposer, struct sketch_search *search,
		       struct simhash_error *error)
{
	struct proposing *p = proposer->proposing;
	static const struct read_rows all;
	struct row_place place;
	int status = 0;

	if (p->are_few)
		return atomic_flag_test_and_set(&p->are_looked_up)
			       ? 0
			       : read_place(proposer, search, NULL, error);
	while (status == 0 && row_places_take(&p->places, &place)) {
		if (proposer->keys.count <= p->keys_max && !first_error_is_set(&p->first_error))
			status = read_place(proposer, search, &place, error);
		row_places_end(&p->places, &place, &all, error);
	}
	return status;
}

static int read_sketches(struct proposer *proposer, struct simhash_error *error)
{
	const struct proposing *p = proposer->proposing;
	struct sketch_search search = {.reaches = p->reaches,
				       .count = p->count,
				       .rule = p->finder->request->rule.verify,
				       .bounds = malloc(p->count * sizeof *search.bounds),
				       .passed = malloc(p->count * sizeof *search.passed)};
	int status;

	search.rule.same_extension = false;
	for (size_t i = 0; search.bounds != NULL && i < p->count; i++)
		search.bounds[i] =
			verify_bounds_by_keys(&search.rule, &p->reaches[i].queried->file);
	status = search.bounds == NULL || search.passed == NULL
			 ? error_set_memory(error)
			 : read_places(proposer, &search, error);
	proposer->compared = search.compared;
	free(search.bounds);
	free(search.passed);
	return status;
}

static void *run_proposer(void *argument)
{
	struct proposer *proposer = argument;
	struct proposing *p = proposer->proposing;
	struct simhash_error error;
	int status;

	/* What one thread does alone comes first. */
	if (p->are_few)
		status = read_sketches(proposer, &error) == 0 ? read_pieces(proposer, &error) : -1;
	else
		status = read_pieces(proposer, &error) == 0 ? read_sketches(proposer, &error) : -1;
	if (status != 0)
		first_error_set(&p->first_error, &error);
	return NULL;
}

/* ---- Searching ---- */

/* Find the bounds of the rows, and whether there are few. */
static int set_bounds(struct proposing *p, struct store *store, struct simhash_error *error)
{
	const struct verify_rule *rule = &p->finder->request->rule.verify;
	int64_t bytes;

	p->bounds = (struct key_bounds){{INT64_MAX, 0}, {INT64_MAX, 0}};
	for (size_t i = 0; i < p->count; i++) {
		struct key_bounds bounds =
			verify_bounds_by_keys(rule, &p->reaches[i].queried->file);
		key_bounds_extend(&p->bounds, &bounds);
	}
	return store_index_bytes(store, &bytes, error) != 0
		       ? -1
		       : store_are_few(store, p->finder->tag_set, p->bounds.uniform,
				       p->bounds.sizes, bytes / BYTES_PER_LOOKUP, &p->are_few,
				       error);
}

/* Divide the tables among some connections. */
static int divide(struct proposing *p, struct store *store, unsigned count,
		  struct simhash_error *error)
{
	int has_pieces = asked_pieces_make(&p->asked, p->reaches, p->count,
					   &p->finder->request->rule.verify, error);

	if (has_pieces < 0 || set_bounds(p, store, error) != 0)
		return -1;
	p->range_count = has_pieces == 0 ? 0 : count == 1 ? 1 : RANGES_PER_THREAD * count;
	p->ranges = calloc(p->range_count + 1, sizeof *p->ranges);
	if (p->ranges == NULL)
		return error_set_memory(error);
	return p->range_count > 1 ? piece_rows_divide(store, p->ranges, p->range_count, error) : 0;
}

/* Join what the threads found. Returns 1, or 0 if it is too much. */
static int join(const struct proposing *p, const struct proposer *proposers, unsigned count,
		struct queried_parts *parts, struct queried_keys *keys, uint64_t *compared,
		struct simhash_error *error)
{
	for (unsigned i = 0; i < count; i++) {
		*compared += proposers[i].compared;
		if (queried_parts_join(parts, &proposers[i].parts, error) != 0 ||
		    queried_keys_join(keys, &proposers[i].keys, error) != 0)
			return -1;
	}
	return keys->count <= p->keys_max && parts->count <= p->parts_max;
}

/* Read the tables with some connections that see the same state. Returns the same. */
static int read_with(struct proposing *p, struct store *const *stores, unsigned count,
		     struct queried_parts *parts, struct queried_keys *keys, uint64_t *compared,
		     struct simhash_error *error)
{
	struct proposer *proposers = calloc(count, sizeof *proposers);
	int status;

	if (proposers == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < count; i++)
		proposers[i] = (struct proposer){.proposing = p, .store = stores[i]};
	first_error_init(&p->first_error, error);
	threads_run(count, run_proposer, proposers, sizeof *proposers);
	status = first_error_is_set(&p->first_error)
			 ? -1
			 : join(p, proposers, count, parts, keys, compared, error);
	for (unsigned i = 0; i < count; i++) {
		queried_parts_release(&proposers[i].parts);
		queried_keys_release(&proposers[i].keys);
	}
	free(proposers);
	return status;
}

int queried_proposals_find(const struct queried_reach *reaches, size_t count,
			   const struct finder *finder, const struct find_stores *stores,
			   size_t max, struct queried_parts *parts, struct queried_keys *keys,
			   uint64_t *compared, struct simhash_error *error)
{
	struct proposing p = {.reaches = reaches,
			      .count = count,
			      .keys_max = count == 1 ? SIZE_MAX : max,
			      .parts_max = count == 1 ? SIZE_MAX : max / KEYS_PER_PART,
			      .finder = finder,
			      .are_looked_up = ATOMIC_FLAG_INIT};
	struct store *const *all = stores->stores;
	bool has_view = stores->count > 1 && store_share_view(all, stores->count);
	unsigned used = has_view ? stores->count : 1;
	int status = used == 1 ? row_places_all(&p.places, error)
			       : row_places_cut(&p.places, &finder->hosts, used, error);

	if (status == 0)
		status = divide(&p, all[0], used, error);
	if (status == 0)
		status = read_with(&p, all, used, parts, keys, compared, error);
	for (unsigned i = 0; has_view && i < used; i++)
		store_end_view(all[i]);
	row_places_release(&p.places);
	asked_pieces_free(p.asked);
	free(p.ranges);
	if (status != 1)
		return status;
	if (queried_parts_keys(parts, finder, all[0], keys, error) != 0)
		return -1;
	queried_keys_sort(keys);
	return 1;
}
