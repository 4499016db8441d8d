/*
 * Counts the pairs that pass each step. The sweep finds sum-table hits once, at the largest
 * tolerance; the smallest tolerance at which a pair is a hit is then computed.
 *
 * There are far too many key hits to examine each. They are counted in ascending order of size: the
 * key hits of a file are the smaller files within reach of its size, and a tree of counts by the
 * rank of the key gives their number in logarithmic time (P. Fenwick, "A new data structure for
 * cumulative frequency tables", 1994). If files that are too small for the size ratio are removed,
 * the tree gives the number after step 2.
 * SPDX-License-Identifier: MIT
 */
#include "statistics.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/threads/threads.h"
#include "find/rule/finder.h"
#include "store/rows/row_reader.h"

/* The data of a row that is stored. */
struct measured {
	int64_t size, plain[3]; /* uniform, scatter, skew */
	uint32_t extension_hash;
};

/* Pairs by the smallest tolerance at which they are a hit; added up at the end. */
struct thread_counts {
	struct key_statistics (*keys)[SIMHASH_KEYS];
};

struct counting {
	struct finder finder;
	struct find_request request;
	struct statistics *statistics;
	struct measured *rows;
	size_t count, capacity;
	struct thread_counts *threads;
	atomic_size_t next; /* the next key and tolerance */
	atomic_bool has_failed;
};

static int64_t key_of(const struct measured *row, unsigned key)
{
	int64_t plain = row->plain[key % 3];
	int64_t shift = key < SIMHASH_UNIFORM_EXT ? 0 : (int64_t)row->extension_hash << 30;

	return plain > INT64_MAX - shift ? INT64_MAX : plain + shift;
}

static struct measured measure(const struct simhash_tag_set *tags, const struct find_file *file)
{
	struct simhash_keys keys;

	simhash_keys_compute(tags, &file->table, "", 0, &keys);
	return (struct measured){.size = file->size_bytes,
				 .plain = {keys.key[SIMHASH_UNIFORM], keys.key[SIMHASH_SCATTER],
					   keys.key[SIMHASH_SKEW]},
				 .extension_hash = file->extension_hash};
}

/* ---- Sum-table hits ---- */

static struct simhash_tolerance tolerance_at(const struct counting *c, size_t number)
{
	struct simhash_tolerance tolerance = c->request.rule.tolerance;

	tolerance.percent_millionths = c->statistics->percent_millionths[number];
	return tolerance;
}

/*
 * The smallest tolerance at which keys, or sum tables, are a hit; the number of tolerances if there
 * is none.
 */
static size_t first_hit(const struct counting *c, bool is_key, uint64_t apart, int64_t x_size,
			int64_t y_size)
{
	size_t low = 0, high = c->statistics->tolerances;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct simhash_tolerance t = tolerance_at(c, middle);
		bool is_hit =
			is_key ? apart <= INT64_MAX &&
					 simhash_key_hit(
						 &t, &(struct simhash_file){0, x_size},
						 &(struct simhash_file){(int64_t)apart, y_size})
			       : simhash_sum_table_hit(&t, apart, x_size, y_size);
		if (is_hit)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void tally_pair(void *context, unsigned thread, const struct find_file *x,
		       const struct find_file *y, uint64_t distance, uint64_t weight)
{
	struct counting *c = context;
	struct measured a = measure(c->request.tags, x);
	struct measured b = y == NULL ? a : measure(c->request.tags, y);
	size_t sum_hit = first_hit(c, false, distance, a.size, b.size);
	bool is_identical = y == NULL ||
			    (distance == 0 && a.size == b.size &&
			     memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE) == 0);

	for (unsigned k = 0; k < SIMHASH_KEYS; k++) {
		int64_t ka = key_of(&a, k), kb = key_of(&b, k);
		uint64_t apart = ka > kb ? (uint64_t)(ka - kb) : (uint64_t)(kb - ka);
		size_t key_hit = first_hit(c, true, apart, a.size, b.size);
		size_t hit = key_hit > sum_hit ? key_hit : sum_hit;
		struct key_statistics(*keys)[SIMHASH_KEYS] = c->threads[thread].keys;
		if (k < SIMHASH_UNIFORM_EXT || a.extension_hash == b.extension_hash)
			keys[sum_hit][k].exact_hits += weight;
		if (hit < c->statistics->tolerances) {
			keys[hit][k].sum_table_hits += weight;
			keys[hit][k].identical += is_identical ? weight : 0;
		}
	}
}

static void add_up(struct counting *c)
{
	struct statistics *s = c->statistics;

	for (unsigned t = 0; t < c->finder.resources->threads; t++)
		for (size_t i = 0; i < s->tolerances; i++)
			for (unsigned k = 0; k < SIMHASH_KEYS; k++) {
				const struct key_statistics *from = &c->threads[t].keys[i][k];
				s->keys[i][k].sum_table_hits += from->sum_table_hits;
				s->keys[i][k].identical += from->identical;
				s->keys[i][k].exact_hits += from->exact_hits;
			}
	for (size_t i = 1; i < s->tolerances; i++)
		for (unsigned k = 0; k < SIMHASH_KEYS; k++) {
			s->keys[i][k].sum_table_hits += s->keys[i - 1][k].sum_table_hits;
			s->keys[i][k].identical += s->keys[i - 1][k].identical;
			s->keys[i][k].exact_hits += s->keys[i - 1][k].exact_hits;
		}
}

/* ---- Key hits ---- */

/* The data for one key at one tolerance at a time. */
struct ranking {
	int64_t *keys; /* sorted, without repetitions */
	size_t distinct;
	uint32_t *rank; /* the rank of each row's key */
	uint32_t *tree; /* counts, starting at 1 */
};

static int compare_keys(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The number of sorted keys below `key`. */
static size_t keys_below(const struct ranking *r, int64_t key)
{
	size_t low = 0, high = r->distinct;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (r->keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void tree_add(struct ranking *r, size_t rank, uint32_t change)
{
	for (size_t i = rank + 1; i <= r->distinct; i += i & -i)
		r->tree[i] += change;
}

/* The number of rows in the tree with ranks below `rank`. */
static uint64_t tree_below(const struct ranking *r, size_t rank)
{
	uint64_t sum = 0;

	for (size_t i = rank; i > 0; i -= i & -i)
		sum += r->tree[i];
	return sum;
}

static uint64_t rows_within(const struct ranking *r, int64_t key, int64_t reach)
{
	int64_t low = key < INT64_MIN + reach ? INT64_MIN : key - reach;
	size_t end = key >= INT64_MAX - reach ? r->distinct : keys_below(r, key + reach + 1);

	return tree_below(r, end) - tree_below(r, keys_below(r, low));
}

static void rank_keys(const struct counting *c, struct ranking *r, unsigned key,
		      uint64_t *collisions)
{
	size_t run = 0;

	for (size_t i = 0; i < c->count; i++)
		r->keys[i] = key_of(&c->rows[i], key);
	qsort(r->keys, c->count, sizeof *r->keys, compare_keys);
	r->distinct = 0;
	*collisions = 0;
	for (size_t i = 0; i < c->count; i++) {
		if (i > 0 && r->keys[i] == r->keys[r->distinct - 1]) {
			*collisions += ++run; /* with each earlier row that has the same key */
			continue;
		}
		run = 0;
		r->keys[r->distinct++] = r->keys[i];
	}
	for (size_t i = 0; i < c->count; i++)
		r->rank[i] = (uint32_t)keys_below(r, key_of(&c->rows[i], key));
}

/* With `within_ratio`, count only hits whose sizes agree. Rows are sorted by size. */
static uint64_t count_hits(const struct counting *c, struct ranking *r, unsigned key,
			   const struct simhash_tolerance *tolerance, bool within_ratio)
{
	uint64_t hits = 0;
	size_t oldest = 0;

	memset(r->tree, 0, (r->distinct + 1) * sizeof *r->tree);
	for (size_t i = 0; i < c->count; i++) {
		const struct measured *row = &c->rows[i];
		while (within_ratio &&
		       !simhash_sizes_agree(tolerance, c->rows[oldest].size, row->size))
			tree_add(r, r->rank[oldest++], UINT32_MAX); /* means -1 */
		hits += rows_within(r, key_of(row, key), simhash_key_reach(tolerance, row->size));
		tree_add(r, r->rank[i], 1);
	}
	return hits;
}

static void *run_counting(void *argument)
{
	struct counting *c = argument;
	struct statistics *s = c->statistics;
	struct ranking r = {
		.keys = malloc((c->count + 1) * sizeof *r.keys),
		.rank = malloc((c->count + 1) * sizeof *r.rank),
		.tree = malloc((c->count + 2) * sizeof *r.tree),
	};
	unsigned ranked = SIMHASH_KEYS;

	if (r.keys == NULL || r.rank == NULL || r.tree == NULL)
		atomic_store(&c->has_failed, true);
	while (!atomic_load(&c->has_failed)) {
		size_t next = atomic_fetch_add(&c->next, 1);
		unsigned key = (unsigned)(next / s->tolerances);
		struct key_statistics *result;
		struct simhash_tolerance tolerance;
		uint64_t collisions;
		if (key >= SIMHASH_KEYS)
			break;
		if (key != ranked) {
			rank_keys(c, &r, key, &collisions);
			ranked = key;
			if (next % s->tolerances == 0)
				s->collisions[key] = collisions;
		}
		result = &s->keys[next % s->tolerances][key];
		tolerance = tolerance_at(c, next % s->tolerances);
		result->key_hits = count_hits(c, &r, key, &tolerance, false);
		result->size_rejections =
			result->key_hits - count_hits(c, &r, key, &tolerance, true);
	}
	free(r.keys);
	free(r.rank);
	free(r.tree);
	return NULL;
}

static int count_key_hits(struct counting *c, struct simhash_error *error)
{
	threads_run(c->finder.resources->threads, run_counting, c, 0);
	return atomic_load(&c->has_failed) ? error_set_memory(error) : 0;
}

/* ---- All statistics ---- */

static int keep_row(struct counting *c, const struct file_row *row, struct simhash_error *error)
{
	struct find_file file;

	if (array_reserve(&c->rows, &c->capacity, c->count + 1, sizeof *c->rows, error) != 0 ||
	    finder_convert(&c->finder, row, &file, error) != 0)
		return -1;
	c->rows[c->count++] = measure(c->request.tags, &file);
	c->statistics->rows++;
	c->statistics->bytes += (uint64_t)row->size_bytes;
	return 0;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct measured *x = a, *y = b;

	return (x->size > y->size) - (x->size < y->size);
}

static int read_rows(struct counting *c, struct simhash_error *error)
{
	const struct row_filter filter = {.columns = FINDING_COLUMNS,
					  .tag_set = c->finder.tag_set,
					  .with_empty = c->request.with_empty};
	struct row_cursor cursor;
	struct file_row row = {.host = 0};
	int status;

	if (store_rows_lying(&cursor, c->finder.store, &filter, NULL, error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1)
		if (keep_row(c, &row, error) != 0) {
			status = -1;
			break;
		}
	store_rows_end(&cursor);
	if (status != 0)
		return -1;
	if (c->count > UINT32_MAX - 2)
		return error_set(error, SIMHASH_E_RANGE, "at most %u files can be counted",
				 UINT32_MAX - 2);
	if (c->count > 0)
		qsort(c->rows, c->count, sizeof *c->rows, compare_sizes);
	return 0;
}

static int make_counts(struct counting *c, struct simhash_error *error)
{
	struct statistics *s = c->statistics;

	s->keys = calloc(s->tolerances, sizeof *s->keys);
	c->threads = calloc(c->finder.resources->threads, sizeof *c->threads);
	if (s->keys == NULL || c->threads == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < c->finder.resources->threads; i++) {
		/*
		 * One more element, for exact hits at no requested tolerance, which do not exist.
		 */
		c->threads[i].keys = calloc(s->tolerances + 1, sizeof *c->threads[i].keys);
		if (c->threads[i].keys == NULL)
			return error_set_memory(error);
	}
	return 0;
}

int statistics_take(struct store *store, const struct find_request *request,
		    const struct find_resources *resources, const int64_t *percent_millionths,
		    size_t tolerances, struct statistics *statistics, struct simhash_error *error)
{
	struct counting c = {.request = *request, .statistics = statistics};
	const struct find_sink sink = {.context = &c, .tally = tally_pair};
	int status = -1;

	*statistics = (struct statistics){.tolerances = tolerances,
					  .percent_millionths = percent_millionths};
	c.request.expand = true;
	c.request.rule.verify.mode = VERIFY_NO;
	c.request.rule.candidates = CANDIDATES_ALL;
	c.request.rule.key = SIMHASH_SKEW_EXT; /* copies with other extensions are separate */
	c.request.rule.tolerance.percent_millionths = percent_millionths[tolerances - 1];
	if (finder_init(&c.finder, store, &c.request, &sink, resources, error) != 0)
		return -1;
	if (make_counts(&c, error) == 0 && read_rows(&c, error) == 0 &&
	    count_key_hits(&c, error) == 0 && finder_all(&c.finder, error) == 0) {
		add_up(&c);
		status = 0;
	}
	for (unsigned i = 0; c.threads != NULL && i < resources->threads; i++)
		free(c.threads[i].keys);
	free(c.threads);
	free(c.rows);
	finder_release(&c.finder);
	if (status != 0)
		statistics_release(statistics);
	return status;
}

void statistics_release(struct statistics *statistics)
{
	free(statistics->keys);
	statistics->keys = NULL;
}
