/*
 * The search for pairs in a block, without loss.
 *
 * For any signs, |sum of +-(a_i - b_i)| is at most the distance, so two rows whose
 * signed sums differ by more than the distance allowed cannot be a pair. The signs are
 * rows of the 16 x 16 Walsh-Hadamard matrix: the sign of tag i in row r is the parity of
 * i AND r. Row 0 is the key uniform, by which the stream is ordered and cut into blocks.
 * Within a block these tests follow, the cheapest first:
 *
 *     grid sum   Walsh row 3, a grid: only cells within reach are looked up, by hash
 *     order sum  Walsh row 9, the order within a cell: a range by binary search
 *     pair sums  the differences of the sums of two tags each, added up: as good as the
 *                best of 128 signed sums; sixteen candidates at a time
 *     counts     the distance itself, of those that are left, as far as 16 bits tell
 *     the rule   sizes, extension, the distance, the sketches
 *
 * Where sketches verify, pairs further apart than SWEPT_PERCENT are found by the keys of their
 * sketches instead: within 5 % the tests above leave a hundred times as many candidates as
 * within 1 %.
 *
 * Rows differ in reach, so a cell holds rows whose reaches are within a power of two.
 * Where only files of equal extension can be pairs, a cell holds rows of one extension.
 * Cells are found by a hash; cells that share one cost time and lose no pair.
 * SPDX-License-Identifier: MIT
 */
#include "find/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/seed.h"

#define GRID_WALSH_ROW 3
#define ORDER_WALSH_ROW 9

struct join_entry {
	uint64_t cell;
	int64_t order_sum;
	uint32_t number;
};

/* Where in the sorted rows a cell is. */
struct cell {
	uint64_t hash;
	uint32_t begin, end; /* end 0: this slot is free */
};

/* The sizes of the rows whose reach is below 2^power, and not below half of that. */
struct power {
	int64_t min_size, max_size; /* none: the minimum above the maximum */
};

struct join {
	struct join_room *room;
	const struct block *block;
	struct pair_reporter *reporter;
	const struct find_rule *rule;
	near_fn *near;
	struct power powers[POWERS];
	unsigned lowest, highest; /* of the powers present */
};

void join_room_release(struct join_room *room)
{
	free(room->entries);
	free(room->spare);
	free(room->grid_sum);
	free(room->order_sum);
	free(room->sorted_order_sum);
	free(room->number);
	free(room->rows.sums);
	free(room->rows.tags);
	free(room->cells);
	key_room_release(&room->keys);
	*room = (struct join_room){.spare = NULL};
}

static int make_room(struct join_room *room, size_t count, struct simhash_error *error)
{
	size_t capacity = count + count / 2 + LANES, slots = 64;

	if (count + LANES <= room->capacity)
		return 0;
	join_room_release(room);
	while (slots < capacity * 2)
		slots *= 2;
	room->entries = malloc(capacity * sizeof *room->entries);
	room->spare = malloc(capacity * sizeof *room->spare);
	room->grid_sum = malloc(capacity * sizeof *room->grid_sum);
	room->order_sum = malloc(capacity * sizeof *room->order_sum);
	room->sorted_order_sum = malloc(capacity * sizeof *room->sorted_order_sum);
	room->number = malloc(capacity * sizeof *room->number);
	room->rows.sums = malloc((capacity / LANES + 1) * sizeof *room->rows.sums);
	room->rows.tags = malloc((capacity / LANES + 1) * sizeof *room->rows.tags);
	room->cells = malloc(slots * sizeof *room->cells);
	room->capacity = capacity;
	room->cell_slots = slots;
	if (room->entries != NULL && room->spare != NULL && room->grid_sum != NULL &&
	    room->order_sum != NULL && room->sorted_order_sum != NULL && room->number != NULL &&
	    room->rows.sums != NULL && room->rows.tags != NULL && room->cells != NULL)
		return 0;
	join_room_release(room);
	return error_set_memory(error);
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static uint64_t cell_hash(const struct join *join, const struct find_file *row, unsigned power,
			  int64_t column)
{
	uint64_t extension = rule_is_by_extension(join->rule) ? row->extension_hash : 0;

	return mix(mix((uint64_t)column) ^ (extension << 8 | power));
}

/* Cells of rows with reaches below 2^power are half as wide: few more rows than needed. */
static int64_t column_of(int64_t grid_sum, unsigned power)
{
	return grid_sum >> (power - 1);
}

/* ---- Sorting by cell, then by the order sum ---- */

static int compare_entries(const void *a, const void *b)
{
	const struct join_entry *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	if (x->order_sum != y->order_sum)
		return x->order_sum < y->order_sum ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* One pass of a radix sort spreads rows over 2^11 buckets; each is then sorted alone. */
#define BUCKET_BITS 11

static void sort_entries(struct join_room *room, size_t count)
{
	static const unsigned shift = 64 - BUCKET_BITS;
	size_t begin[(1u << BUCKET_BITS) + 1] = {0};
	size_t at[1u << BUCKET_BITS];

	for (size_t i = 0; i < count; i++)
		begin[(room->entries[i].cell >> shift) + 1]++;
	for (size_t b = 0; b < 1u << BUCKET_BITS; b++) {
		begin[b + 1] += begin[b];
		at[b] = begin[b];
	}
	for (size_t i = 0; i < count; i++)
		room->spare[at[room->entries[i].cell >> shift]++] = room->entries[i];
	for (size_t b = 0; b < 1u << BUCKET_BITS; b++)
		if (begin[b + 1] - begin[b] > 1)
			qsort(room->spare + begin[b], begin[b + 1] - begin[b], sizeof *room->spare,
			      compare_entries);
}

/* Cells are sorted by their hash, on which the order of pairs depends; their slots are seeded. */
static size_t slot_of(const struct join_room *room, uint64_t hash)
{
	return (size_t)hash_seeded(hash, 0) & (room->cell_slots - 1);
}

static void enter_cells(struct join_room *room, size_t count)
{
	memset(room->cells, 0, room->cell_slots * sizeof *room->cells);
	for (size_t i = 0; i < count;) {
		uint64_t hash = room->spare[i].cell;
		size_t end = i, slot = slot_of(room, hash);
		while (end < count && room->spare[end].cell == hash)
			end++;
		while (room->cells[slot].end != 0)
			slot = (slot + 1) & (room->cell_slots - 1);
		room->cells[slot] = (struct cell){hash, (uint32_t)i, (uint32_t)end};
		i = end;
	}
}

static const struct cell *find_cell(const struct join_room *room, uint64_t hash)
{
	size_t slot = slot_of(room, hash);

	while (room->cells[slot].end != 0 && room->cells[slot].hash != hash)
		slot = (slot + 1) & (room->cell_slots - 1);
	return room->cells[slot].end == 0 ? NULL : &room->cells[slot];
}

static void prepare(struct join *join)
{
	struct join_room *room = join->room;
	const struct block *block = join->block;

	for (unsigned p = 0; p < POWERS; p++)
		join->powers[p] = (struct power){INT64_MAX, -1};
	join->lowest = POWERS - 1;
	join->highest = 0;
	for (size_t i = 0; i < block->count; i++) {
		const struct find_file *row = &block->rows[i];
		unsigned p = power_of(row->swept_reach);
		struct power *power = &join->powers[p];
		room->grid_sum[i] = signed_sum(&row->table, GRID_WALSH_ROW);
		room->order_sum[i] = signed_sum(&row->table, ORDER_WALSH_ROW);
		room->entries[i] = (struct join_entry){
			cell_hash(join, row, p, column_of(room->grid_sum[i], p)),
			room->order_sum[i], (uint32_t)i};
		if (row->size_bytes < power->min_size)
			power->min_size = row->size_bytes;
		if (row->size_bytes > power->max_size)
			power->max_size = row->size_bytes;
		join->lowest = p < join->lowest ? p : join->lowest;
		join->highest = p > join->highest ? p : join->highest;
	}
	sort_entries(room, block->count);
	/* Lanes without a row are compared too, and come to nothing by their number. */
	memset(&room->rows.sums[block->count / LANES], 0, sizeof *room->rows.sums);
	memset(&room->rows.tags[block->count / LANES], 0, sizeof *room->rows.tags);
	for (size_t i = 0; i < block->count; i++) {
		const struct find_file *row = &block->rows[room->spare[i].number];
		room->number[i] = room->spare[i].number;
		room->sorted_order_sum[i] = room->spare[i].order_sum;
		near_rows_set(&room->rows, i, &row->table, power_of(row->swept_reach));
	}
	memset(room->number + block->count, 0xff, LANES * sizeof *room->number);
	enter_cells(room, block->count);
}

/* ---- Looking up ---- */

/* Is a pair one that shared keys find, and not the counts? */
static bool is_beyond_sweep(const struct find_rule *rule, const struct file_pair *pair)
{
	return verify_is_graded(&rule->verify) && pair->a->has_sketch && pair->b->has_sketch &&
	       !verify_is_swept(pair->a, pair->b, pair->distance);
}

static int try_candidate(const struct join *join, const struct find_file *row, uint32_t number,
			 bool shares_key, struct simhash_error *error)
{
	const struct find_file *other = &join->block->rows[number];
	struct file_pair pair = {.a = row, .b = other};

	if (!finder_crosses(join->reporter->finder, row->sides, other->sides) ||
	    !rule_matches(join->rule, row, other, &pair) ||
	    is_beyond_sweep(join->rule, &pair) != shares_key)
		return 0;
	return report_match(join->reporter, &pair, error);
}

/* The first entry in [begin, end) whose sum is not below `low`. */
static size_t lower_bound(const int64_t *sums, size_t begin, size_t end, int64_t low)
{
	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;
		if (sums[middle] < low)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static int search_cell(const struct join *join, uint32_t number, const struct cell *cell,
		       const struct nearness *near, uint64_t reach, struct simhash_error *error)
{
	const struct join_room *room = join->room;
	const struct find_file *row = &join->block->rows[number];
	struct sum_range sums = sums_within(room->order_sum[number], reach);
	size_t begin, end, chunk;
	unsigned mask;

	begin = lower_bound(room->sorted_order_sum, cell->begin, cell->end, sums.low);
	end = sums.high == INT64_MAX
		      ? cell->end
		      : lower_bound(room->sorted_order_sum, begin, cell->end, sums.high + 1);
	for (chunk = begin / LANES;
	     (mask = join->near(&room->rows, near, &chunk, (end + LANES - 1) / LANES)) != 0;
	     chunk++)
		for (; mask != 0; mask &= mask - 1) {
			size_t hit = chunk * LANES + (unsigned)__builtin_ctz(mask);
			if (hit >= begin && hit < end && room->number[hit] < number &&
			    try_candidate(join, row, room->number[hit], false, error) != 0)
				return -1;
		}
	return 0;
}

static int search_power(const struct join *join, uint32_t number, unsigned power,
			struct simhash_error *error)
{
	const struct find_file *row = &join->block->rows[number];
	/* The distance of a pair is within the reach of both. */
	uint64_t widest = power < 63 ? (UINT64_C(1) << power) - 1 : INT64_MAX;
	uint64_t reach = (uint64_t)row->swept_reach < widest ? (uint64_t)row->swept_reach : widest;
	struct sum_range sums = sums_within(join->room->grid_sum[number], reach);
	struct nearness near = nearness_of(&row->table, reach, power);
	int64_t first = column_of(sums.low, power), last = column_of(sums.high, power);

	for (int64_t column = first;; column++) {
		const struct cell *cell =
			find_cell(join->room, cell_hash(join, row, power, column));
		if (cell != NULL && search_cell(join, number, cell, &near, reach, error) != 0)
			return -1;
		if (column == last) /* which may be INT64_MAX */
			break;
	}
	return 0;
}

static int search_row(const struct join *join, uint32_t number, struct simhash_error *error)
{
	const struct find_file *row = &join->block->rows[number];
	int64_t largest = simhash_largest_partner(&join->rule->tolerance, row->size_bytes);

	for (unsigned p = join->lowest; p <= join->highest; p++) {
		const struct power *power = &join->powers[p];
		if (power->min_size > power->max_size || power->min_size > largest ||
		    simhash_largest_partner(&join->rule->tolerance, power->max_size) <
			    row->size_bytes)
			continue;
		if (search_power(join, number, p, error) != 0)
			return -1;
	}
	return 0;
}

/* The pairs that are further apart than the search by counts looks: their sketches share a key. */
static int join_by_keys(const struct join *join, struct simhash_error *error)
{
	const struct block *block = join->block;
	struct key_pairs pairs;
	uint32_t x, y;

	if (!verify_is_graded(&join->rule->verify))
		return 0;
	if (key_room_fill(&join->room->keys, block, error) != 0)
		return -1;
	key_pairs_begin(&pairs, &join->room->keys, block, 0, SKETCH_KEYS);
	while (key_pairs_next(&pairs, &x, &y))
		if (try_candidate(join, &block->rows[y], x, true, error) != 0)
			return -1;
	return 0;
}

int join_block(struct join_room *room, const struct block *block, struct pair_reporter *reporter,
	       struct simhash_error *error)
{
	struct join join = {.room = room,
			    .block = block,
			    .reporter = reporter,
			    .rule = &reporter->finder->request->rule,
			    .near = near_choose()};

	reporter->counts.rows += block->rows_read;
	reporter->counts.unsketched += block->unsketched;
	if (make_room(room, block->count, error) != 0)
		return -1;
	prepare(&join);
	for (size_t i = 0; i < block->count; i++) {
		/* A copy of a row of an earlier block may be new. */
		if (block->rows[i].copies != NULL &&
		    report_copies(reporter, &block->rows[i], error) != 0)
			return -1;
		if (i >= block->first_new && search_row(&join, (uint32_t)i, error) != 0)
			return -1;
	}
	return join_by_keys(&join, error);
}
