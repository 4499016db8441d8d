/*
 * Collects the keys of rows that may be near to requested files. Rows within a distance of a file
 * are in few cells of the grid. The index of cells has bounds and an outline of the counts for each
 * row. Both are compared with the counts of all files that need the cell.
 * SPDX-License-Identifier: MIT
 */
#include "find/query/queried_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/sort/sort.h"
#include "base/threads/threads.h"
#include "store/row/cells.h"

__extension__ typedef unsigned __int128 wide;

/* For one file; with more cells, rows are selected by uniform and size alone. */
#define CELLS_MAX 4096
#define CELLS_AT_ONCE 128 /* the number of cells in one statement */

/* If fewer files need a cell on average, it is faster to read the cell for each of them. */
#define FILES_PER_CELL 2

/*
 * The maximum number of cells for several files, with 80 bytes each. A cell counts once for each
 * file that needs it.
 */
#define ITEMS_MAX (1u << 19)

/* A search around one file within one class of sizes. */
struct probe {
	struct near_bounds bounds;
	uint32_t reach;
};

/* A cell that some probes need. `count` items from `first` on have the numbers of the probes. */
struct wanted_cell {
	int64_t cell, uniform[2];
	size_t first, count;
};

struct key_gathering {
	const struct finder *finder;
	const struct queried_reach *reaches;
	size_t count;
	struct probe *probes; /* sorted by the lower bound of uniform */
	size_t probe_count, probe_capacity;
	struct sort_item *items; /* the cells of each probe; sorted by cell, then by probe */
	size_t item_count;
	struct wanted_cell *cells; /* sorted by class, then by uniform */
	size_t cell_count;
	bool by_probe;	    /* read the cells of each probe separately */
	atomic_size_t next; /* the next cell or probe for a thread to take */
	atomic_size_t keys; /* the number found */
	size_t max;	    /* the limit for them */
	struct first_error first_error;
};

struct gatherer {
	struct key_gathering *gathering;
	struct store *store;
	struct queried_keys found;
};

void queried_keys_release(struct queried_keys *keys)
{
	free(keys->keys);
	*keys = (struct queried_keys){.keys = NULL};
}

int queried_keys_add(struct queried_keys *keys, const struct queried_key *key,
		     struct simhash_error *error)
{
	if (array_reserve(&keys->keys, &keys->capacity, keys->count + 1, sizeof *keys->keys,
			  error) != 0)
		return -1;
	keys->keys[keys->count++] = *key;
	return 0;
}

int queried_keys_join(struct queried_keys *keys, const struct queried_keys *others,
		      struct simhash_error *error)
{
	if (others->count == 0)
		return 0;
	if (array_reserve(&keys->keys, &keys->capacity, keys->count + others->count,
			  sizeof *keys->keys, error) != 0)
		return -1;
	memcpy(keys->keys + keys->count, others->keys, others->count * sizeof *others->keys);
	keys->count += others->count;
	return 0;
}

static int compare_keys(const void *x, const void *y)
{
	const struct queried_key *a = x, *b = y;
	int order = row_key_compare(&a->row, &b->row);

	if (order != 0)
		return order;
	return a->reach < b->reach ? -1 : a->reach > b->reach;
}

void queried_keys_sort(struct queried_keys *keys)
{
	if (keys->count > 1)
		qsort(keys->keys, keys->count, sizeof *keys->keys, compare_keys);
}

/* ---- Bounds ---- */

/*
 * The key skew_ext changes by at most its largest weight times the distance, plus 1 for the
 * rounding of each tag.
 */
static int64_t skew_moves(const struct simhash_tag_set *set, int64_t distance)
{
	const struct simhash_tag *tags = simhash_tag_set_tags(set);
	uint32_t most = 0;
	wide moves;

	for (int t = 0; t < SIMHASH_TAGS; t++)
		most = tags[t].skew > most ? tags[t].skew : most;
	moves = (wide)distance * most / 1000 + SIMHASH_TAGS + 1;
	return moves > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)moves;
}

static void set_bounds(int64_t bounds[2], int64_t middle, int64_t reach)
{
	bounds[0] = middle < INT64_MIN + reach ? INT64_MIN : middle - reach;
	bounds[1] = middle > INT64_MAX - reach ? INT64_MAX : middle + reach;
}

static void set_sizes(int64_t sizes[2], const struct queried_reach *reach,
		      const struct finder *finder)
{
	const struct find_request *request = finder->request;
	const struct simhash_tolerance *t = &request->rule.tolerance;
	int64_t size_bytes = reach->queried->file.size_bytes;

	sizes[1] = simhash_largest_partner(t, size_bytes);
	sizes[0] = (int64_t)((wide)size_bytes * SIMHASH_MILLION / (wide)t->size_ratio_millionths);
	if (sizes[0] < 1 && !request->with_empty)
		sizes[0] = 1;
}

void queried_reach_bounds(const struct queried_reach *reach, const struct finder *finder,
			  int64_t uniform[2], int64_t sizes[2])
{
	set_bounds(uniform, find_file_tags(&reach->queried->file), reach->distance);
	set_sizes(sizes, reach, finder);
}

/*
 * Set the bounds for partners in a class of sizes. If the rule limits the search, they are no
 * further away than the largest size of the class allows.
 */
static void set_near(struct near_bounds *bounds, const struct queried_reach *reach,
		     const struct finder *finder, int64_t size_class)
{
	const struct find_rule *rule = &finder->request->rule;
	const struct find_file *file = &reach->queried->file;
	int64_t distance = reach->distance, uniform = find_file_tags(file);

	if (reach->by_rule) {
		int64_t nearer = rule_reach_to(rule, file, size_class_largest(size_class));
		distance = nearer < distance ? nearer : distance;
	}
	*bounds = (struct near_bounds){.skew_ext = {INT64_MIN, INT64_MAX},
				       .cells = cells_within(size_class, &file->table, distance)};
	set_bounds(bounds->uniform, uniform, distance);
	set_sizes(bounds->size, reach, finder);
	/* In other cases, a key may have been cut off to 64 bits. */
	if (rule_is_by_extension(rule) && uniform < INT64_C(1) << 48 && distance < INT64_C(1) << 48)
		set_bounds(bounds->skew_ext, reach->queried->keys.key[SIMHASH_SKEW_EXT],
			   skew_moves(finder->request->tags, distance));
}

/* ---- Cells ---- */

/* Returns 1, or 0 if there are too many cells. */
static int add_reach(struct key_gathering *g, uint32_t number, struct simhash_error *error)
{
	const struct queried_reach *reach = &g->reaches[number];
	int64_t sizes[2], last, cells = 0;

	set_sizes(sizes, reach, g->finder);
	last = size_class_of(sizes[1]);
	for (int64_t c = size_class_of(sizes[0]); c <= last; c++) {
		struct probe *probe;
		if (array_reserve(&g->probes, &g->probe_capacity, g->probe_count + 1,
				  sizeof *g->probes, error) != 0)
			return -1;
		probe = &g->probes[g->probe_count++];
		set_near(&probe->bounds, reach, g->finder, c);
		probe->reach = number;
		cells += cells_in(&probe->bounds.cells);
		if (cells > CELLS_MAX)
			return 0;
	}
	g->item_count += (size_t)cells;
	return g->count == 1 || g->item_count <= ITEMS_MAX;
}

static int compare_probes(const void *x, const void *y)
{
	int64_t a = ((const struct probe *)x)->bounds.uniform[0],
		b = ((const struct probe *)y)->bounds.uniform[0];

	return a < b ? -1 : a > b;
}

static void make_items(struct key_gathering *g)
{
	struct sort_item *item = g->items;

	qsort(g->probes, g->probe_count, sizeof *g->probes, compare_probes);
	for (size_t p = 0; p < g->probe_count; p++) {
		const struct cell_range *cells = &g->probes[p].bounds.cells;
		for (int64_t i = cells->first[0]; i <= cells->last[0]; i++)
			for (int64_t j = cells->first[1]; j <= cells->last[1]; j++)
				*item++ = (struct sort_item){(uint64_t)cell_at(cells, i, j), p};
	}
}

static int compare_wanted(const void *x, const void *y)
{
	const struct wanted_cell *a = x, *b = y;
	int64_t class_a = cell_class(a->cell), class_b = cell_class(b->cell);

	if (class_a != class_b)
		return class_a < class_b ? -1 : 1;
	return a->uniform[0] < b->uniform[0] ? -1 : a->uniform[0] > b->uniform[0];
}

static void widen(int64_t bounds[2], const int64_t other[2])
{
	if (other[0] < bounds[0])
		bounds[0] = other[0];
	if (other[1] > bounds[1])
		bounds[1] = other[1];
}

/*
 * Collect the cells of all probes, each once. Cells that are read together should have similar
 * bounds.
 */
static int join_cells(struct key_gathering *g, struct simhash_error *error)
{
	struct sort_item *scratch = calloc(g->item_count + 1, sizeof *scratch);

	g->items = calloc(g->item_count + 1, sizeof *g->items);
	g->cells = calloc(g->item_count + 1, sizeof *g->cells);
	if (scratch == NULL || g->items == NULL || g->cells == NULL) {
		free(scratch);
		return error_set_memory(error);
	}
	make_items(g);
	sort_items(g->items, scratch, g->item_count, 64);
	free(scratch);
	for (size_t i = 0; i < g->item_count; i++) {
		const int64_t *uniform = g->probes[g->items[i].number].bounds.uniform;
		struct wanted_cell *wanted;
		if (i == 0 || g->items[i].key != g->items[i - 1].key)
			g->cells[g->cell_count++] =
				(struct wanted_cell){.cell = (int64_t)g->items[i].key,
						     .uniform = {uniform[0], uniform[1]},
						     .first = i};
		wanted = &g->cells[g->cell_count - 1];
		widen(wanted->uniform, uniform);
		wanted->count++;
	}
	qsort(g->cells, g->cell_count, sizeof *g->cells, compare_wanted);
	g->by_probe = g->item_count < FILES_PER_CELL * g->cell_count;
	return 0;
}

/* ---- Reading ---- */

static bool is_within(int64_t value, const int64_t bounds[2])
{
	return value >= bounds[0] && value <= bounds[1];
}

/* Compare an entry with all probes that need its cell. */
static int compare_entry(struct gatherer *gatherer, const struct wanted_cell *wanted,
			 const struct cell_entry *entry, struct simhash_error *error)
{
	const struct key_gathering *g = gatherer->gathering;
	struct outline_counts counts = outline_unpack(entry->outline);

	for (size_t i = 0; i < wanted->count; i++) {
		const struct probe *probe = &g->probes[g->items[wanted->first + i].number];
		const struct near_bounds *bounds = &probe->bounds;
		const struct queried_key key = {entry->key, probe->reach};
		if (bounds->uniform[0] > entry->uniform)
			break;
		if (bounds->uniform[1] >= entry->uniform &&
		    is_within(entry->size_bytes, bounds->size) &&
		    is_within(entry->skew_ext, bounds->skew_ext) &&
		    outline_is_near(&bounds->cells.near, &counts) &&
		    queried_keys_add(&gatherer->found, &key, error) != 0)
			return -1;
	}
	return 0;
}

static int compare_cells(const void *x, const void *y)
{
	const struct wanted_cell *a = x, *b = y;

	return a->cell < b->cell ? -1 : a->cell > b->cell;
}

/* Read the entries of some cells, which are sorted by number. */
static int read_cells(struct gatherer *gatherer, const struct wanted_cell *cells, size_t count,
		      struct simhash_error *error)
{
	int64_t numbers[CELLS_AT_ONCE], uniform[2] = {cells[0].uniform[0], cells[0].uniform[1]};
	struct cell_entries entries;
	struct cell_entry entry;
	int status;

	for (size_t i = 0; i < count; i++) {
		numbers[i] = cells[i].cell;
		widen(uniform, cells[i].uniform);
	}
	if (store_entries_begin(&entries, gatherer->store, gatherer->gathering->finder->tag_set,
				numbers, count, uniform, error) != 0)
		return -1;
	while ((status = store_entries_next(&entries, &entry, error)) == 1) {
		const struct wanted_cell key = {.cell = entry.cell};
		const struct wanted_cell *wanted =
			bsearch(&key, cells, count, sizeof *cells, compare_cells);
		if (wanted != NULL && compare_entry(gatherer, wanted, &entry, error) != 0) {
			status = -1;
			break;
		}
	}
	store_entries_end(&entries);
	return status;
}

/* Read the entries for one probe. */
static int read_probe(struct gatherer *gatherer, const struct probe *probe,
		      struct simhash_error *error)
{
	struct cell_entries entries;
	struct cell_entry entry;
	int status;

	if (store_entries_begin_near(&entries, gatherer->store,
				     gatherer->gathering->finder->tag_set, &probe->bounds,
				     error) != 0)
		return -1;
	while ((status = store_entries_next(&entries, &entry, error)) == 1) {
		const struct queried_key key = {entry.key, probe->reach};
		if (queried_keys_add(&gatherer->found, &key, error) != 0) {
			status = -1;
			break;
		}
	}
	store_entries_end(&entries);
	return status;
}

/* Read the next share that no thread has taken. Returns 1, or 0 after the last one. */
static int read_next(struct gatherer *gatherer, struct simhash_error *error)
{
	struct key_gathering *g = gatherer->gathering;
	size_t at_once = g->by_probe ? 1 : CELLS_AT_ONCE;
	size_t all = g->by_probe ? g->probe_count : g->cell_count;
	size_t first = atomic_fetch_add(&g->next, at_once), count;
	int status;

	if (first >= all)
		return 0;
	count = all - first < at_once ? all - first : at_once;
	if (g->by_probe) {
		status = read_probe(gatherer, &g->probes[first], error);
	} else {
		qsort(g->cells + first, count, sizeof *g->cells, compare_cells);
		status = read_cells(gatherer, g->cells + first, count, error);
	}
	return status == 0 ? 1 : -1;
}

static bool has_too_many(struct key_gathering *g)
{
	return g->count > 1 && atomic_load(&g->keys) > g->max;
}

static void *run_gatherer(void *argument)
{
	struct gatherer *gatherer = argument;
	struct key_gathering *g = gatherer->gathering;
	struct simhash_error error;
	int status = 1;

	while (status == 1 && !first_error_is_set(&g->first_error) && !has_too_many(g)) {
		size_t before = gatherer->found.count;
		status = read_next(gatherer, &error);
		atomic_fetch_add(&g->keys, gatherer->found.count - before);
	}
	if (status < 0)
		first_error_set(&g->first_error, &error);
	return NULL;
}

/* Collect the keys that all threads have found, and sort them. */
static int join_keys(struct queried_keys *keys, struct gatherer *gatherers, unsigned count,
		     struct simhash_error *error)
{
	*keys = gatherers[0].found;
	gatherers[0].found = (struct queried_keys){.keys = NULL};
	for (unsigned i = 1; i < count; i++)
		if (queried_keys_join(keys, &gatherers[i].found, error) != 0)
			return -1;
	queried_keys_sort(keys);
	return 1;
}

static int gather(struct key_gathering *g, const struct find_stores *stores,
		  struct queried_keys *keys, struct simhash_error *error)
{
	struct gatherer *gatherers = calloc(stores->count, sizeof *gatherers);
	int status;

	if (gatherers == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < stores->count; i++)
		gatherers[i] = (struct gatherer){.gathering = g, .store = stores->stores[i]};
	first_error_init(&g->first_error, error);
	threads_run(stores->count, run_gatherer, gatherers, sizeof *gatherers);
	if (first_error_is_set(&g->first_error))
		status = -1;
	else
		status = has_too_many(g) ? 0 : join_keys(keys, gatherers, stores->count, error);
	for (unsigned i = 0; i < stores->count; i++)
		queried_keys_release(&gatherers[i].found);
	free(gatherers);
	return status;
}

int queried_keys_gather(const struct queried_reach *reaches, size_t count,
			const struct finder *finder, const struct find_stores *stores, size_t max,
			struct queried_keys *keys, struct simhash_error *error)
{
	struct key_gathering g = {.finder = finder, .reaches = reaches, .count = count, .max = max};
	int status = 1;

	*keys = (struct queried_keys){.keys = NULL};
	for (size_t i = 0; status == 1 && i < count; i++)
		status = add_reach(&g, (uint32_t)i, error);
	if (status == 1)
		status = join_cells(&g, error) == 0 ? gather(&g, stores, keys, error) : -1;
	free(g.cells);
	free(g.items);
	free(g.probes);
	return status;
}
