/*
 * Finds fingerprints within a Hamming distance k, by sorted tables of permuted bits (Manku, Jain
 * and Das Sarma, WWW 2007, section 3).
 *
 * The bits are cut into blocks. A table omits k of the blocks and sorts by the others. Fingerprints
 * that differ in at most k bits agree in the remaining blocks of some table. A pair that differs in
 * fewer blocks than k agrees in several tables. Only the canonical table reports it: the table that
 * omits the blocks that differ, and the first of the other blocks. The fingerprints that agree in a
 * table are a smaller problem of the same kind, on the remaining bits. If there are many of them,
 * as for similar texts, they are cut again.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/sort/sort.h"
#include "measure/measure.h"

#define BLOCKS_MAX 24
#define LEVELS_MAX 4
#define TABLES_MAX 100000
#define KEY_BITS_MAX 33 /* three passes of sorting */

/* The measured time to compare two fingerprints, and to sort one, in nanoseconds. */
#define COMPARE_NS 1.0
#define SORT_NS 45.0

static double choose(unsigned n, unsigned k)
{
	double ways = 1;

	for (unsigned i = 0; i < k; i++)
		ways = ways * (n - i) / (i + 1);
	return ways;
}

/* Return the minimum number of bits in `kept` of `blocks` blocks of `bits` bits. */
static unsigned least_bits(unsigned bits, unsigned blocks, unsigned kept)
{
	unsigned larger = bits % blocks, smaller = blocks - larger;

	return kept * (bits / blocks) + (kept > smaller ? kept - smaller : 0);
}

static double pairs_of(double count)
{
	return count * (count - 1) / 2;
}

/* Return the cheapest number of blocks; 0 means to compare all pairs. */
static unsigned plan_blocks(double count, unsigned bits, unsigned k, double *cost)
{
	unsigned best = 0;

	*cost = pairs_of(count) * COMPARE_NS;
	for (unsigned blocks = k + 1; blocks <= BLOCKS_MAX && blocks <= bits; blocks++) {
		double tables = choose(blocks, k), here;
		unsigned prefix = least_bits(bits, blocks, blocks - k);
		if (prefix > KEY_BITS_MAX)
			prefix = KEY_BITS_MAX;
		if (tables > TABLES_MAX)
			break;
		here = tables * (count * SORT_NS +
				 pairs_of(count) / (double)(UINT64_C(1) << prefix) * COMPARE_NS);
		if (here < *cost) {
			*cost = here;
			best = blocks;
		}
	}
	return best;
}

void simhash_hamming_plan(size_t count, unsigned k, struct simhash_hamming_plan *plan)
{
	double cost;
	unsigned blocks = k > SIMHASH_HAMMING_MAX ? 0 : plan_blocks((double)count, 64, k, &cost);

	*plan = (struct simhash_hamming_plan){.blocks = blocks};
	if (blocks == 0)
		return;
	plan->tables = (unsigned)choose(blocks, k);
	plan->prefix_bits = least_bits(64, blocks, blocks - k);
}

/* ---- Tables ---- */

/* How the bits of a problem are cut, and which blocks a table omits. */
struct cut {
	unsigned blocks;
	uint64_t block[BLOCKS_MAX]; /* the bits of each block */
	unsigned left_out;	    /* one bit for each block */
	/* The bits of the key, as runs that are shifted together. */
	unsigned runs, key_bits;
	struct {
		uint64_t mask;
		unsigned from, to;
	} run[BLOCKS_MAX * 2];
	uint64_t key_mask;
};

/* Cut the bits of `free` into blocks of neighbouring bits. */
static void cut_blocks(struct cut *cut, uint64_t free, unsigned blocks)
{
	unsigned bits = (unsigned)__builtin_popcountll(free);

	cut->blocks = blocks;
	for (unsigned i = 0; i < blocks; i++) {
		unsigned size = bits / blocks + (i < bits % blocks);
		cut->block[i] = 0;
		for (; size > 0; size--) {
			cut->block[i] |= free & (~free + 1);
			free &= free - 1;
		}
	}
}

/* Make the key of a table: at most KEY_BITS_MAX bits of its blocks. */
static void make_key(struct cut *cut, unsigned left_out)
{
	uint64_t kept = 0;

	cut->left_out = left_out;
	for (unsigned i = 0; i < cut->blocks; i++)
		if ((left_out >> i & 1) == 0)
			kept |= cut->block[i];
	cut->runs = cut->key_bits = 0;
	cut->key_mask = 0;
	while (kept != 0 && cut->key_bits < KEY_BITS_MAX) {
		unsigned from = (unsigned)__builtin_ctzll(kept), length = 0;
		uint64_t mask = 0;
		while (from + length < 64 && (kept >> (from + length) & 1) != 0 &&
		       cut->key_bits + length < KEY_BITS_MAX)
			mask |= UINT64_C(1) << (from + length++);
		cut->run[cut->runs].mask = mask;
		cut->run[cut->runs].from = from;
		cut->run[cut->runs++].to = cut->key_bits;
		cut->key_bits += length;
		cut->key_mask |= mask;
		kept &= ~mask;
	}
}

static inline uint64_t key_of(const struct cut *cut, uint64_t fingerprint)
{
	uint64_t key = 0;

	for (unsigned i = 0; i < cut->runs; i++)
		key |= (fingerprint & cut->run[i].mask) >> cut->run[i].from << cut->run[i].to;
	return key;
}

/* Does this table report pairs with this difference? */
static bool is_canonical(const struct cut *cut, uint64_t difference, unsigned k)
{
	unsigned differing = 0, count = 0;

	for (unsigned i = 0; i < cut->blocks; i++)
		if ((difference & cut->block[i]) != 0) {
			differing |= 1U << i;
			count++;
		}
	for (unsigned i = 0; count < k && i < cut->blocks; i++)
		if ((differing >> i & 1) == 0) {
			differing |= 1U << i;
			count++;
		}
	return differing == cut->left_out;
}

/* Return the next larger number with the same number of set bits: the next choice of k blocks. */
static unsigned next_choice(unsigned choice)
{
	unsigned low = choice & (~choice + 1), ripple = choice + low;

	return low == 0 ? UINT32_MAX : ((choice ^ ripple) >> 2) / low | ripple;
}

/* ---- All pairs ---- */

struct hamming_search {
	unsigned k;
	struct cut levels[LEVELS_MAX];
	unsigned depth;
	struct sort_item *keys, *scratch; /* room for all items */
	simhash_hamming_fn *pair;
	void *context;
};

static int take_pair(const struct hamming_search *search, const struct sort_item *x,
		     const struct sort_item *y, struct simhash_error *error)
{
	uint64_t difference = x->key ^ y->key;
	unsigned distance = (unsigned)__builtin_popcountll(difference);

	for (unsigned i = 0; i < search->depth; i++)
		if (!is_canonical(&search->levels[i], difference, search->k))
			return 0;
	return search->pair(search->context, x->number, y->number, distance, error);
}

static int compare_all(const struct hamming_search *search, const struct sort_item *items,
		       size_t count, struct simhash_error *error)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++)
			if ((unsigned)__builtin_popcountll(items[i].key ^ items[j].key) <=
				    search->k &&
			    take_pair(search, &items[i], &items[j], error) != 0)
				return -1;
	return 0;
}

/*
 * Sort items by their keys in the current table. Sorting keys with places first moves less memory
 * than sorting the items.
 */
static void sort_by_key(struct hamming_search *search, const struct cut *cut,
			struct sort_item *items, size_t count)
{
	struct sort_item *keys = search->keys;

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct sort_item){key_of(cut, items[i].key), i};
	sort_items(keys, search->scratch, count, cut->key_bits);
	for (size_t i = 0; i < count; i++)
		search->scratch[i] = items[keys[i].number];
	memcpy(items, search->scratch, count * sizeof *items);
}

static int find_among(struct hamming_search *search, struct sort_item *items, size_t count,
		      uint64_t free, struct simhash_error *error);

/* Return the end of the items that have the same key as the first. */
static size_t group_end(const struct sort_item *items, size_t start, size_t count, uint64_t mask)
{
	size_t end = start + 1;

	while (end < count && ((items[end].key ^ items[start].key) & mask) == 0)
		end++;
	return end;
}

/*
 * Similar fingerprints agree in most tables, so they would be found in each of them. Does the
 * current sorted table show that comparing all pairs is cheaper?
 */
static bool is_crowded(const struct cut *cut, const struct sort_item *items, size_t count,
		       double tables)
{
	double pairs = 0;

	for (size_t start = 0, end; start < count; start = end) {
		end = group_end(items, start, count, cut->key_mask);
		pairs += pairs_of((double)(end - start));
	}
	/* Finding a pair again costs several times as much as comparing it. */
	return 8 * pairs * tables > pairs_of((double)count);
}

/* Search each group of one table as a smaller problem. */
static int find_in_table(struct hamming_search *search, struct sort_item *items, size_t count,
			 uint64_t free, struct simhash_error *error)
{
	uint64_t mask = search->levels[search->depth - 1].key_mask;

	for (size_t start = 0, end; start < count; start = end) {
		end = group_end(items, start, count, mask);
		if (end - start > 1 &&
		    find_among(search, items + start, end - start, free & ~mask, error) != 0)
			return -1;
	}
	return 0;
}

/* Find the pairs of items that are equal in all bits except `free`. */
static int find_among(struct hamming_search *search, struct sort_item *items, size_t count,
		      uint64_t free, struct simhash_error *error)
{
	double cost;
	unsigned blocks =
		plan_blocks((double)count, (unsigned)__builtin_popcountll(free), search->k, &cost);
	struct cut *cut = &search->levels[search->depth];
	int status = 0;

	if (count < 256 || blocks == 0 || search->depth == LEVELS_MAX)
		return compare_all(search, items, count, error);
	cut_blocks(cut, free, blocks);
	search->depth++;
	for (unsigned choice = (1U << search->k) - 1, table = 0;
	     status == 0 && choice < 1U << blocks; choice = next_choice(choice), table++) {
		make_key(cut, choice);
		sort_by_key(search, cut, items, count);
		if (table == 0 && is_crowded(cut, items, count, choose(blocks, search->k))) {
			search->depth--;
			return compare_all(search, items, count, error);
		}
		status = find_in_table(search, items, count, free, error);
	}
	search->depth--;
	return status;
}

static int check_k(unsigned k, struct simhash_error *error)
{
	return k <= SIMHASH_HAMMING_MAX ? 0
					: error_set(error, SIMHASH_E_RANGE,
						    "a Hamming distance of %u: expected at most %d",
						    k, SIMHASH_HAMMING_MAX);
}

static struct sort_item *items_of(const uint64_t *fingerprints, size_t count)
{
	struct sort_item *items = calloc(count + 1, sizeof *items);

	if (items == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){fingerprints[i], i};
	return items;
}

int simhash_hamming_pairs(const uint64_t *fingerprints, size_t count, unsigned k,
			  simhash_hamming_fn *pair, void *context, struct simhash_error *error)
{
	struct hamming_search *search = NULL;
	struct sort_item *items = NULL;
	int status = -1;

	if (check_k(k, error) != 0)
		return -1;
	search = calloc(1, sizeof *search);
	items = items_of(fingerprints, count);
	if (search != NULL) {
		*search = (struct hamming_search){.k = k, .pair = pair, .context = context};
		search->keys = malloc((count + 1) * sizeof *search->keys);
		search->scratch = malloc((count + 1) * sizeof *search->scratch);
	}
	if (search == NULL || items == NULL || search->keys == NULL || search->scratch == NULL)
		error_set_memory(error);
	else
		status = find_among(search, items, count, UINT64_MAX, error);
	if (search != NULL) {
		free(search->keys);
		free(search->scratch);
	}
	free(search);
	free(items);
	return status;
}

/* ---- Queries ---- */

struct simhash_hamming_index {
	unsigned k, tables;
	size_t count;
	struct cut *cuts;
	struct sort_item **items; /* one array for each table */
};

/* Balances the search in each table against the comparison of fingerprints that agree by chance. */
static unsigned plan_queries(double count, unsigned k)
{
	double least = count * COMPARE_NS;
	unsigned best = 0;

	for (unsigned blocks = k + 1; blocks <= BLOCKS_MAX; blocks++) {
		double tables = choose(blocks, k), here;
		unsigned prefix = least_bits(64, blocks, blocks - k);
		if (prefix > KEY_BITS_MAX)
			prefix = KEY_BITS_MAX;
		if (tables > 64)
			break;
		here = tables * (2000 + count / (double)(UINT64_C(1) << prefix) * COMPARE_NS);
		if (here < least) {
			least = here;
			best = blocks;
		}
	}
	return best;
}

void simhash_hamming_index_free(struct simhash_hamming_index *index)
{
	if (index == NULL)
		return;
	for (unsigned i = 0; index->items != NULL && i < index->tables; i++)
		free(index->items[i]);
	free(index->items);
	free(index->cuts);
	free(index);
}

static int fill_tables(struct simhash_hamming_index *index, const uint64_t *fingerprints,
		       unsigned blocks)
{
	size_t size = (index->count + 1) * sizeof(struct sort_item);
	struct hamming_search search = {.keys = malloc(size), .scratch = malloc(size)};
	unsigned choice = (1U << index->k) - 1;
	int status = search.keys == NULL || search.scratch == NULL ? -1 : 0;

	for (unsigned i = 0; status == 0 && i < index->tables; i++) {
		index->items[i] = items_of(fingerprints, index->count);
		if (index->items[i] == NULL) {
			status = -1;
		} else if (blocks > 0) {
			cut_blocks(&index->cuts[i], UINT64_MAX, blocks);
			make_key(&index->cuts[i], choice);
			sort_by_key(&search, &index->cuts[i], index->items[i], index->count);
			choice = next_choice(choice);
		}
	}
	free(search.keys);
	free(search.scratch);
	return status;
}

int simhash_hamming_index_new(const uint64_t *fingerprints, size_t count, unsigned k,
			      struct simhash_hamming_index **index, struct simhash_error *error)
{
	struct simhash_hamming_index *made;
	unsigned blocks;

	*index = NULL;
	if (check_k(k, error) != 0)
		return -1;
	made = calloc(1, sizeof *made);
	if (made == NULL)
		return error_set_memory(error);
	blocks = plan_queries((double)count, k);
	made->k = k;
	made->count = count;
	/* Without blocks, one table with an empty key has all items in one group. */
	made->tables = blocks == 0 ? 1 : (unsigned)choose(blocks, k);
	made->cuts = calloc(made->tables, sizeof *made->cuts);
	made->items = calloc(made->tables, sizeof *made->items);
	if (made->cuts == NULL || made->items == NULL ||
	    fill_tables(made, fingerprints, blocks) != 0) {
		simhash_hamming_index_free(made);
		return error_set_memory(error);
	}
	*index = made;
	return 0;
}

/* Return the first item whose key is at least `key`. */
static size_t lower_bound(const struct cut *cut, const struct sort_item *items, size_t count,
			  uint64_t key)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;
		if (key_of(cut, items[middle].key) < key)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

int simhash_hamming_index_query(const struct simhash_hamming_index *index, uint64_t fingerprint,
				simhash_hamming_found_fn *found, void *context,
				struct simhash_error *error)
{
	for (unsigned i = 0; i < index->tables; i++) {
		const struct cut *cut = &index->cuts[i];
		const struct sort_item *items = index->items[i];
		size_t at = lower_bound(cut, items, index->count, key_of(cut, fingerprint));
		for (; at < index->count && ((items[at].key ^ fingerprint) & cut->key_mask) == 0;
		     at++) {
			uint64_t difference = items[at].key ^ fingerprint;
			unsigned distance = (unsigned)__builtin_popcountll(difference);
			if (distance > index->k ||
			    (cut->blocks > 0 && !is_canonical(cut, difference, index->k)))
				continue;
			if (found(context, items[at].number, distance, error) != 0)
				return -1;
		}
	}
	return 0;
}
