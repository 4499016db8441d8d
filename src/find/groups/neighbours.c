/*
 * Stores files in cells of signed sums, with chunks of sixteen files, and in a table of sketch
 * keys, and searches both.
 * SPDX-License-Identifier: MIT
 */
#include "find/groups/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/array.h"

#define DIMENSIONS NEIGHBOUR_DIMENSIONS

/* The sums that identify a cell. Row 0 is the key uniform. */
static const unsigned walsh_rows[DIMENSIONS] = {0, 3, 9};

/* The sums within reach of a sum are in at most this many columns. */
#define COLUMNS_MAX 3
#define CELLS_MAX (COLUMNS_MAX * COLUMNS_MAX * COLUMNS_MAX)

/* Sixteen files of a cell, without its first files. The last chunk may have fewer. */
struct neighbour_chunk {
	uint8_t sums[LANES][SUMS];
	uint16_t tags[SIMHASH_TAGS][LANES];
	struct content_file *files[LANES];
	struct neighbour_chunk *next;
	int64_t largest_sum; /* the largest sum of the first dimension, by which files are sorted */
	unsigned count;
	bool is_one; /* all sixteen are in one component */
};

#define FEW 2

/*
 * Most cells have few files. If two cells have the same hash, searches take longer but find the
 * same files.
 */
struct neighbour_cell {
	uint64_t hash;
	struct content_file *few[FEW];
	struct neighbour_chunk *first, *last;
};

/* ---- Memory ---- */

static void clear_powers(struct neighbours *n)
{
	for (unsigned p = 0; p < POWERS; p++)
		n->powers[p] = (struct neighbour_power){INT64_MAX, -1};
}

void neighbours_init(struct neighbours *neighbours, const struct find_rule *rule)
{
	*neighbours =
		(struct neighbours){.rule = rule, .near = near_choose(), .seed = hash_seeded(0, 0)};
	clear_powers(neighbours);
}

static void free_chunks(struct neighbour_chunk *chunk)
{
	while (chunk != NULL) {
		struct neighbour_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
}

void neighbours_release(struct neighbours *neighbours)
{
	for (size_t i = 0; i < neighbours->cell_count; i++)
		free_chunks(neighbours->cells[i].first);
	slots_release(&neighbours->cell_slots);
	slots_release(&neighbours->key_slots);
	free(neighbours->cells);
	free(neighbours->links);
	*neighbours = (struct neighbours){.rule = neighbours->rule};
}

void neighbours_clear(struct neighbours *neighbours)
{
	for (size_t i = 0; i < neighbours->cell_count; i++)
		free_chunks(neighbours->cells[i].first);
	slots_clear(&neighbours->cell_slots, SIZE_MAX);
	slots_clear(&neighbours->key_slots, SIZE_MAX);
	neighbours->cell_count = 0;
	neighbours->link_count = neighbours->count = 0;
	clear_powers(neighbours);
}

/* ---- Cells ---- */

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* The width of a cell is the reach of its files. */
static int64_t column_of(int64_t sum, unsigned power)
{
	return sum >> power;
}

static uint64_t cell_hash(const struct neighbours *n, const struct find_file *file, unsigned power,
			  const int64_t columns[DIMENSIONS])
{
	uint64_t hash = rule_is_by_extension(n->rule) ? file->extension_hash : 0;

	hash = (hash << 8 | power) ^ n->seed;
	if (power == 0) {
		uint64_t content;
		memcpy(&content, file->content_hash, sizeof content);
		return mix(hash ^ content);
	}
	for (unsigned d = 0; d < DIMENSIONS; d++)
		hash = mix(hash ^ (uint64_t)columns[d] * UINT64_C(0x9e3779b97f4a7c15));
	return hash;
}

struct cell_key {
	const struct neighbours *n;
	uint64_t hash;
};

static bool is_cell(const void *key, uint32_t number)
{
	const struct cell_key *wanted = key;

	return wanted->n->cells[number - 1].hash == wanted->hash;
}

/* The cell of a hash, or NULL. */
static const struct neighbour_cell *find_cell(const struct neighbours *n, uint64_t hash)
{
	uint32_t number = slots_number(&n->cell_slots, hash, is_cell, &(struct cell_key){n, hash});

	return number == NO_ITEM ? NULL : &n->cells[number - 1];
}

/* The cell of a hash, or a new cell if there is none. NULL without memory. */
static struct neighbour_cell *make_cell(struct neighbours *n, uint64_t hash,
					struct simhash_error *error)
{
	struct slot *slot;

	if (slots_reserve(&n->cell_slots, error) != 0 ||
	    array_reserve(&n->cells, &n->cell_capacity, n->cell_count + 1, sizeof *n->cells,
			  error) != 0)
		return NULL;
	slot = slots_find(&n->cell_slots, hash, is_cell, &(struct cell_key){n, hash});
	if (slot->number == NO_ITEM) {
		n->cells[n->cell_count++] = (struct neighbour_cell){.hash = hash};
		slots_add(&n->cell_slots, slot, hash, (uint32_t)n->cell_count);
	}
	return &n->cells[slot->number - 1];
}

static int add_to_chunks(struct neighbour_cell *cell, struct content_file *file,
			 struct simhash_error *error)
{
	struct neighbour_chunk *chunk = cell->last;

	if (chunk == NULL || chunk->count == LANES) {
		chunk = calloc(1, sizeof *chunk);
		if (chunk == NULL)
			return error_set_memory(error);
		chunk->largest_sum = INT64_MIN;
		*(cell->last == NULL ? &cell->first : &cell->last->next) = chunk;
		cell->last = chunk;
	}
	near_rows_set(&(struct near_rows){&chunk->sums, &chunk->tags}, chunk->count,
		      &file->file->table, file->place->power);
	chunk->files[chunk->count++] = file;
	if (file->place->sums[0] > chunk->largest_sum)
		chunk->largest_sum = file->place->sums[0];
	return 0;
}

static int add_to_cell(struct neighbours *n, struct content_file *file, struct simhash_error *error)
{
	const struct neighbour_place *place = file->place;
	struct neighbour_power *bounds = &n->powers[place->power];
	int64_t columns[DIMENSIONS], size_bytes = file->file->size_bytes;
	struct neighbour_cell *cell;
	unsigned few = 0;

	for (unsigned d = 0; d < DIMENSIONS; d++)
		columns[d] = column_of(place->sums[d], place->power);
	cell = make_cell(n, cell_hash(n, file->file, place->power, columns), error);
	if (cell == NULL)
		return -1;
	while (few < FEW && cell->few[few] != NULL)
		few++;
	if (few < FEW)
		cell->few[few] = file;
	else if (add_to_chunks(cell, file, error) != 0)
		return -1;
	n->count++;
	if (size_bytes < bounds->min_size)
		bounds->min_size = size_bytes;
	if (size_bytes > bounds->max_size)
		bounds->max_size = size_bytes;
	return 0;
}

/* ---- Keys ---- */

/* Two keys have the same hash for every seed, or for none. */
static uint32_t hash_key(uint32_t key, unsigned number, uint32_t seed)
{
	uint32_t hash = (key ^ seed ^ number * UINT32_C(0x9e3779b9)) * UINT32_C(0x85ebca6b);

	hash = (hash ^ hash >> 13) * UINT32_C(0xc2b2ae35);
	return hash ^ hash >> 16;
}

/* A hash is the complete key, and a slot stores all of it. */
static bool is_key(const void *key, uint32_t number)
{
	(void)key;
	(void)number;
	return true;
}

/* The number of the first link of a key, or 0. */
static uint32_t first_link(const struct neighbours *n, uint32_t hash)
{
	return slots_number(&n->key_slots, hash, is_key, NULL);
}

int neighbours_locate(const struct find_rule *rule, bool all_sketched, struct content_file *file,
		      struct simhash_error *error)
{
	struct neighbour_place *place = calloc(1, sizeof *place);
	struct sketch_keys keys;
	uint32_t seed;

	file->place = place;
	if (place == NULL)
		return error_set_memory(error);
	for (unsigned d = 0; d < DIMENSIONS; d++)
		place->sums[d] = signed_sum(&file->file->table, walsh_rows[d]);
	place->power = rule_power(rule, file->file, all_sketched);
	place->has_keys = verify_is_keyed(&rule->verify) && sketch_has_shingles(file->file);
	if (!place->has_keys)
		return 0;
	sketch_keys_make(&file->file->sketch, &keys);
	seed = (uint32_t)hash_seeded(0, 0);
	for (unsigned k = 0; k < SKETCH_KEYS; k++)
		place->key_hashes[k] = hash_key(keys.key[k], k, seed);
	return 0;
}

/* Slots are far apart in memory, so start loading them early. */
static void prefetch_slots(const struct neighbours *n, const struct content_file *file)
{
	for (unsigned k = 0; k < SKETCH_KEYS; k++)
		slots_prefetch(&n->key_slots, file->place->key_hashes[k]);
}

static int add_to_keys(struct neighbours *n, struct content_file *file, struct simhash_error *error)
{
	const uint32_t *hashes = file->place->key_hashes;

	if (slots_reserve_all(&n->key_slots, n->key_slots.used + SKETCH_KEYS, error) != 0)
		return -1;
	if (n->link_count + SKETCH_KEYS >= UINT32_MAX)
		return error_set(error, SIMHASH_E_RANGE, "too many files are alike in size");
	if (array_reserve(&n->links, &n->link_capacity, n->link_count + SKETCH_KEYS,
			  sizeof *n->links, error) != 0)
		return -1;
	prefetch_slots(n, file);
	for (unsigned k = 0; k < SKETCH_KEYS; k++) {
		struct slot *slot = slots_find(&n->key_slots, hashes[k], is_key, NULL);
		uint32_t next = slot->number;
		n->links[n->link_count++] = (struct key_link){file, next, next};
		if (next == NO_ITEM)
			slots_add(&n->key_slots, slot, hashes[k], (uint32_t)n->link_count);
		slot->number = (uint32_t)n->link_count;
	}
	return 0;
}

int neighbours_add(struct neighbours *neighbours, struct content_file *file,
		   enum neighbour_part parts, struct simhash_error *error)
{
	if ((parts & NEIGHBOUR_COUNTS) != 0 && add_to_cell(neighbours, file, error) != 0)
		return -1;
	if ((parts & NEIGHBOUR_KEYS) == 0 || !file->place->has_keys)
		return 0;
	return add_to_keys(neighbours, file, error);
}

/* ---- Looking for candidates ---- */

/* Receives the candidates. */
struct visit {
	neighbour_fn *is_connected; /* NULL: report all candidates */
	neighbour_fn *each;
	void *context;
};

/* Are all files of a chunk connected with the file that is searched for? */
static bool is_chunk_connected(struct neighbour_chunk *chunk, const struct visit *visit)
{
	if (chunk->count < LANES || !visit->is_connected(visit->context, chunk->files[0]))
		return false;
	for (unsigned f = 1; f < LANES && !chunk->is_one; f++)
		if (!visit->is_connected(visit->context, chunk->files[f]))
			return false;
	chunk->is_one = true;
	return true;
}

/* A search for the neighbours of one file among the files of one power. */
struct near_query {
	const struct content_file *file;
	uint64_t reach;
	struct nearness near;
};

static bool is_within_reach(const struct near_query *query, const struct content_file *other)
{
	for (unsigned d = 0; d < DIMENSIONS; d++) {
		int64_t x = query->file->place->sums[d], y = other->place->sums[d];
		if ((x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x) > query->reach)
			return false;
	}
	return true;
}

/* Are all sums of a chunk too small? */
static bool is_chunk_behind(const struct near_query *query, const struct neighbour_chunk *chunk)
{
	int64_t sum = query->file->place->sums[0];

	return chunk->largest_sum < sum &&
	       (uint64_t)sum - (uint64_t)chunk->largest_sum > query->reach;
}

static bool each_of_cell(const struct neighbours *n, const struct neighbour_cell *cell,
			 const struct near_query *query, const struct visit *visit)
{
	for (unsigned f = 0; f < FEW && cell->few[f] != NULL; f++)
		if (is_within_reach(query, cell->few[f]) &&
		    !visit->each(visit->context, cell->few[f]))
			return false;
	for (struct neighbour_chunk *chunk = cell->first; chunk != NULL; chunk = chunk->next) {
		const struct near_rows rows = {&chunk->sums, &chunk->tags};
		size_t first = 0;
		unsigned mask;
		if (is_chunk_behind(query, chunk))
			continue;
		if (visit->is_connected != NULL && is_chunk_connected(chunk, visit))
			continue;
		mask = n->near(&rows, &query->near, &first, 1);
		for (mask &= (1u << chunk->count) - 1; mask != 0; mask &= mask - 1)
			if (!visit->each(visit->context, chunk->files[__builtin_ctz(mask)]))
				return false;
	}
	return true;
}

/* Compute the hashes of the cells within reach, and start loading the cells. */
static unsigned hash_cells(const struct neighbours *n, const struct near_query *query,
			   unsigned power, uint64_t hashes[CELLS_MAX])
{
	const struct content_file *file = query->file;

	int64_t low[DIMENSIONS], high[DIMENSIONS], at[DIMENSIONS];
	unsigned count = 0;

	for (unsigned d = 0; d < DIMENSIONS; d++) {
		struct sum_range range = sums_within(file->place->sums[d], query->reach);
		low[d] = column_of(range.low, power);
		high[d] = column_of(range.high, power);
	}
	/* No stored file has a larger key. */
	high[0] = column_of(file->place->sums[0], power);
	for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
		for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
			for (at[2] = low[2]; at[2] <= high[2]; at[2]++) {
				hashes[count] = cell_hash(n, file->file, power, at);
				slots_prefetch(&n->cell_slots, hashes[count]);
				count++;
			}
	return count;
}

static bool each_of_power(const struct neighbours *n, const struct content_file *file,
			  unsigned power, const struct visit *visit)
{
	/* The distance of a pair is within the reach of both. */
	uint64_t widest = power < 63 ? (UINT64_C(1) << power) - 1 : INT64_MAX;
	uint64_t own = (uint64_t)file->file->swept_reach, reach = own < widest ? own : widest;
	const struct near_query query = {file, reach,
					 nearness_of(&file->file->table, reach, power)};
	uint64_t hashes[CELLS_MAX];
	unsigned count = hash_cells(n, &query, power, hashes);

	for (unsigned i = 0; i < count; i++) {
		const struct neighbour_cell *cell = find_cell(n, hashes[i]);
		if (cell != NULL && !each_of_cell(n, cell, &query, visit))
			return false;
	}
	return true;
}

/*
 * For a file that is found by its keys: the files with the same content, for example with another
 * tolerance.
 */
static bool each_of_content(const struct neighbours *n, const struct content_file *file,
			    const struct visit *visit)
{
	const struct near_query query = {file, 0, nearness_of(&file->file->table, 0, 0)};
	const struct neighbour_cell *cell;

	if (n->count == 0)
		return true;
	cell = find_cell(n, cell_hash(n, file->file, 0, NULL));
	return cell == NULL || each_of_cell(n, cell, &query, visit);
}

/* Report all candidates by counts; false if `each` stopped the search. */
static bool each_by_counts(const struct neighbours *n, const struct content_file *file,
			   const struct visit *visit)
{
	const struct simhash_tolerance *tolerance = &n->rule->tolerance;
	int64_t size_bytes = file->file->size_bytes;
	int64_t largest = simhash_largest_partner(tolerance, size_bytes);

	if (file->place->power == 0)
		return each_of_content(n, file, visit);
	for (unsigned p = 1; n->count > 0 && p < POWERS; p++) {
		const struct neighbour_power *power = &n->powers[p];
		if (power->min_size > power->max_size || power->min_size > largest ||
		    simhash_largest_partner(tolerance, power->max_size) < size_bytes)
			continue;
		if (!each_of_power(n, file, p, visit))
			return false;
	}
	return true;
}

void neighbours_each(const struct neighbours *neighbours, const struct content_file *file,
		     neighbour_fn *each, void *context)
{
	const struct visit visit = {.each = each, .context = context};
	const uint32_t *hashes = file->place->key_hashes;

	if (!each_by_counts(neighbours, file, &visit) || neighbours->link_count == 0 ||
	    !file->place->has_keys)
		return;
	prefetch_slots(neighbours, file);
	for (unsigned k = 0; k < SKETCH_KEYS; k++)
		for (uint32_t at = first_link(neighbours, hashes[k]); at != NO_ITEM;
		     at = neighbours->links[at - 1].next)
			if (!each(context, neighbours->links[at - 1].file))
				return;
}

/* Report the files of one key. Later searches skip a series of connected files at once. */
static bool connect_by_key(struct neighbours *n, uint32_t first, const struct visit *visit)
{
	struct key_link *run = NULL;

	for (uint32_t at = first; at != 0;) {
		struct key_link *link = &n->links[at - 1];
		if (visit->is_connected(visit->context, link->file)) {
			at = link->skip;
			if (run != NULL)
				run->skip = at;
			else
				run = link;
		} else {
			run = NULL;
			at = link->next;
			if (!visit->each(visit->context, link->file))
				return false;
		}
	}
	return true;
}

void neighbours_connect(struct neighbours *neighbours, const struct content_file *file,
			neighbour_fn *is_connected, neighbour_fn *each, void *context)
{
	const struct visit visit = {is_connected, each, context};
	const uint32_t *hashes = file->place->key_hashes;

	if (!each_by_counts(neighbours, file, &visit) || neighbours->link_count == 0 ||
	    !file->place->has_keys)
		return;
	prefetch_slots(neighbours, file);
	for (unsigned k = 0; k < SKETCH_KEYS; k++)
		if (!connect_by_key(neighbours, first_link(neighbours, hashes[k]), &visit))
			return;
}

/* ---- Removing files ---- */

int64_t end_of_reach(const struct find_file *file)
{
	int64_t end;

	return __builtin_add_overflow(file->uniform, file->reach, &end) ? INT64_MAX : end;
}

static int keep_again(struct neighbours *n, struct content_file *const *files, unsigned count,
		      int64_t key, int64_t since, struct simhash_error *error)
{
	for (unsigned i = 0; i < count && files[i] != NULL; i++)
		if ((end_of_reach(files[i]->file) >= key || files[i]->file->uniform >= since) &&
		    neighbours_add(n, files[i], NEIGHBOUR_ALL, error) != 0)
			return -1;
	return 0;
}

/* Remove all files, and add those again that are still within reach. */
int neighbours_forget(struct neighbours *neighbours, int64_t key, int64_t since,
		      struct simhash_error *error)
{
	struct neighbours old = *neighbours;
	int status = 0;

	neighbours_init(neighbours, old.rule);
	for (size_t i = 0; status == 0 && i < old.cell_count; i++) {
		const struct neighbour_cell *cell = &old.cells[i];
		status = keep_again(neighbours, cell->few, FEW, key, since, error);
		for (const struct neighbour_chunk *chunk = cell->first;
		     status == 0 && chunk != NULL; chunk = chunk->next)
			status = keep_again(neighbours, chunk->files, chunk->count, key, since,
					    error);
	}
	neighbours_release(&old);
	return status;
}
