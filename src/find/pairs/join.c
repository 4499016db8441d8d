/*
 * Searches blocks for pairs and finds all of them.
 *
 * For any signs, |sum of +-(a_i - b_i)| is at most the distance, so two rows cannot be a pair if
 * their signed sums differ by more than the allowed distance. The signs are rows of the 16 x 16
 * Walsh-Hadamard matrix: the sign of tag i in row r is the parity of i AND r. Row 0 is the key
 * uniform, by which the stream and its blocks are sorted. Within blocks, these tests follow, the
 * cheapest first:
 *
 *     grid sum   Walsh row 3, and uniform: look up only the cells within reach, by hash
 *     order sum  Walsh row 9, the order within a cell: find a range by binary search
 *     pair sums  the differences of the sums of two tags each, added up: in a byte each nearly
 *                as good as the best of 128 signed sums; sixteen candidates at a time
 *     counts     the distance itself, computed with 16 bits
 *     the rule   sizes, extension, the distance, the sketches
 *
 * If sketches verify the pairs, pairs further apart than SWEPT_PERCENT are found by the keys of
 * their sketches instead: within 5 % the tests above leave a hundred times as many candidates as
 * within 1 %. The keys also find the pairs of a small file, and the pairs that the sketches propose
 * regardless of the counts. If all rows have sketches, a small file shares a cell only with copies.
 *
 * Rows have different reaches, so a cell contains rows whose reaches are within a factor of two. If
 * only files with equal extensions can be pairs, a cell contains rows with one extension. Cells are
 * found by a hash. If two cells have the same hash, the search takes longer but finds all pairs.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs/join.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/array.h"

#define GRID_WALSH_ROW 3
#define ORDER_WALSH_ROW 9
#define KEY_COLUMN_SHIFT 1
#define ROWS_AHEAD 4
#define ORDER_BITS 22 /* bits of the hash of a cell: enough to keep its rows together */

/* The position of a cell in the sorted rows. */
struct cell {
	uint64_t hash;
	uint32_t begin, end;
};

void join_release(struct join *join)
{
	free(join->files);
	free(join->entries);
	free(join->spare);
	free(join->order_sum);
	free(join->cell);
	free(join->marks);
	free(join->number);
	free(join->rows.sums);
	free(join->rows.tags);
	slots_release(&join->cell_slots);
	free(join->cells);
	key_index_release(&join->keys);
	*join = (struct join){.count = 0};
}

void join_search_release(struct join_search *search)
{
	free(search->order);
	free(search->spare_order);
	key_walk_release(&search->walk);
	*search = (struct join_search){.reporter = search->reporter};
}

static int make_room(struct join *join, size_t count, struct simhash_error *error)
{
	size_t capacity = count + count / 8 + LANES;

	if (count + LANES <= join->capacity)
		return 0;
	join_release(join);
	join->files = malloc(capacity * sizeof(struct find_file *));
	join->entries = malloc(capacity * sizeof *join->entries);
	join->spare = malloc(capacity * sizeof *join->spare);
	join->order_sum = malloc(capacity * sizeof *join->order_sum);
	join->cell = malloc(capacity * sizeof *join->cell);
	join->marks = malloc((capacity / LANES + 1) * sizeof *join->marks);
	join->number = malloc(capacity * sizeof *join->number);
	join->rows.sums = malloc((capacity / LANES + 1) * sizeof *join->rows.sums);
	join->rows.tags = malloc((capacity / LANES + 1) * sizeof *join->rows.tags);
	join->capacity = capacity;
	if (join->files != NULL && join->entries != NULL && join->spare != NULL &&
	    join->order_sum != NULL && join->cell != NULL && join->marks != NULL &&
	    join->number != NULL && join->rows.sums != NULL && join->rows.tags != NULL)
		return 0;
	join_release(join);
	return error_set_memory(error);
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static uint64_t cell_hash(const struct join *join, const struct find_file *row, unsigned power,
			  int64_t key_column, int64_t column)
{
	uint64_t extension = rule_is_by_extension(join->rule) ? row->extension_hash : 0;

	return mix(mix(mix((uint64_t)column) ^ (uint64_t)key_column) ^ (extension << 8 | power));
}

static uint64_t content_cell_hash(const struct find_file *row)
{
	uint64_t hash;

	memcpy(&hash, row->content_hash, sizeof hash);
	return mix(hash);
}

/*
 * Cells of rows with reaches below 2^power have half this width, so that a search reads few
 * unnecessary rows.
 */
static int64_t column_of(int64_t grid_sum, unsigned power)
{
	return grid_sum >> (power - 1);
}

/* One reach on one side of a key is in one or two of these columns. */
static int64_t key_column_of(int64_t key, unsigned power)
{
	return key >> (power < 63 ? power + KEY_COLUMN_SHIFT : 63);
}

static unsigned power_in(const struct join *join, const struct find_file *row)
{
	return rule_power(join->rule, row, join->all_sketched);
}

/* The cell of a row, even if the row is not in it. */
static uint64_t own_cell_hash(const struct join *join, const struct find_file *row, unsigned power)
{
	return power == 0 ? content_cell_hash(row)
			  : cell_hash(join, row, power, key_column_of(row->uniform, power),
				      column_of(signed_sum(&row->table, GRID_WALSH_ROW), power));
}

/* ---- Sorting by cell, then by the order sum ---- */

static void sort_entries(struct join *join, size_t count)
{
	for (size_t i = 0; i < count; i++)
		join->entries[i] =
			(struct sort_item){(uint64_t)join->order_sum[i] - (uint64_t)INT64_MIN, i};
	sort_items(join->entries, join->spare, count, 64);
	for (size_t i = 0; i < count; i++)
		join->entries[i].key = join->cell[join->entries[i].number];
	sort_items(join->entries, join->spare, count, 64);
}

struct cell_key {
	const struct join *join;
	uint64_t hash;
};

static bool is_cell(const void *key, uint32_t number)
{
	const struct cell_key *wanted = key;

	return wanted->join->cells[number - 1].hash == wanted->hash;
}

static int enter_cell(struct join *join, const struct cell *cell, struct simhash_error *error)
{
	uint64_t hash = hash_seeded(cell->hash, 0);

	if (slots_reserve(&join->cell_slots, error) != 0 ||
	    array_reserve(&join->cells, &join->cell_capacity, join->cell_count + 1,
			  sizeof *join->cells, error) != 0)
		return -1;
	join->cells[join->cell_count++] = *cell;
	slots_add(&join->cell_slots, slots_find_free(&join->cell_slots, (uint32_t)hash), hash,
		  (uint32_t)join->cell_count);
	return 0;
}

/*
 * Cells are sorted by their hash, which determines the order of pairs. Only their slots depend on
 * the seed.
 */
static int enter_cells(struct join *join, size_t count, struct simhash_error *error)
{
	slots_clear(&join->cell_slots, SIZE_MAX);
	join->cell_count = 0;
	for (size_t i = 0, end; i < count; i = end) {
		uint64_t hash = join->entries[i].key;
		for (end = i + 1; end < count && join->entries[end].key == hash;)
			end++;
		if (enter_cell(join, &(struct cell){hash, (uint32_t)i, (uint32_t)end}, error) != 0)
			return -1;
	}
	return 0;
}

static const struct cell *find_cell(const struct join *join, uint64_t hash)
{
	uint32_t number = slots_number(&join->cell_slots, hash_seeded(hash, 0), is_cell,
				       &(struct cell_key){join, hash});

	return number == NO_ITEM ? NULL : &join->cells[number - 1];
}

/* Rows in the order of cells are scattered over memory, so start loading them early. */
static void prefetch_row(const struct find_file *row)
{
	const char *bytes = (const char *)row;

	for (size_t at = 0; at < offsetof(struct find_file, extension_hash); at += 64)
		__builtin_prefetch(bytes + at);
}

static void find_powers(struct join *join)
{
	for (unsigned p = 0; p < POWERS; p++)
		join->powers[p] = (struct join_power){INT64_MAX, -1};
	join->lowest = POWERS - 1;
	join->highest = 0;
	for (size_t i = 0; i < join->count; i++) {
		const struct find_file *row = join->files[i];
		unsigned p = power_in(join, row);
		struct join_power *power = &join->powers[p];
		if (row->size_bytes < power->min_size)
			power->min_size = row->size_bytes;
		if (row->size_bytes > power->max_size)
			power->max_size = row->size_bytes;
		join->lowest = p < join->lowest ? p : join->lowest;
		join->highest = p > join->highest ? p : join->highest;
	}
}

int join_begin(struct join *join, const struct block *const *blocks, size_t count,
	       const struct find_request *request, bool all_sketched, struct simhash_error *error)
{
	size_t rows = 0;

	for (size_t b = 0; b < count; b++)
		rows += blocks[b]->count;
	if (make_room(join, rows, error) != 0)
		return -1;
	join->request = request;
	join->rule = &request->rule;
	join->is_keyed = verify_is_keyed(&request->rule.verify);
	join->all_sketched = all_sketched;
	join->near = near_choose();
	join->count = 0;
	join->first_new = blocks[0]->first_new;
	for (size_t b = 0; b < count; b++)
		for (size_t i = 0; i < blocks[b]->count; i++)
			join->files[join->count++] = &blocks[b]->rows[i];
	find_powers(join);
	return join->is_keyed
		       ? key_index_begin(&join->keys, join->files, rows, join->first_new, error)
		       : 0;
}

void join_sum(struct join *join, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++) {
		const struct find_file *row = join->files[i];
		join->order_sum[i] = signed_sum(&row->table, ORDER_WALSH_ROW);
		join->cell[i] = own_cell_hash(join, row, power_in(join, row));
	}
	if (!join->is_keyed)
		return;
	/* Some rows may have no keys, so there may be fewer keys than rows. */
	if (begin < join->keys.own.count)
		key_index_spread(&join->keys, begin,
				 end < join->keys.own.count ? end : join->keys.own.count);
}

int join_sort(struct join *join, struct simhash_error *error)
{
	size_t count = join->count;

	sort_entries(join, count);
	for (size_t i = 0; i < count; i++)
		join->number[i] = (uint32_t)join->entries[i].number;
	/* Lanes without a row are also compared. Their number shows that they are not a row. */
	memset(join->number + count, 0xff, LANES * sizeof *join->number);
	memset(&join->rows.sums[count / LANES], 0, sizeof *join->rows.sums);
	memset(&join->rows.tags[count / LANES], 0, sizeof *join->rows.tags);
	return enter_cells(join, count, error);
}

void join_place(struct join *join, size_t begin, size_t end)
{
	for (size_t place = begin; place < end; place++) {
		const struct find_file *row = join->files[join->number[place]];
		if (place + ROWS_AHEAD < end)
			prefetch_row(join->files[join->number[place + ROWS_AHEAD]]);
		if (place % LANES == 0)
			join->marks[place / LANES] = join->order_sum[join->number[place]];
		near_rows_set(&join->rows, place, &row->table, power_in(join, row));
	}
}

/* ---- Looking up ---- */

/* Is this a pair that only shared keys find, not the counts? */
static bool is_beyond_sweep(const struct join *join, const struct file_pair *pair)
{
	const struct find_file *x = pair->a, *y = pair->b;
	const struct verify_rule *rule = &join->rule->verify;

	if (!join->is_keyed || !x->has_sketch || !y->has_sketch)
		return false;
	if (join->all_sketched && (verify_is_by_keys(rule, x) || verify_is_by_keys(rule, y)))
		return !are_identical(x, y);
	return !rule_is_swept(join->rule, x, y, pair->relation.distance);
}

/* The search by counts reports the near pairs within its reach, the search by keys all others. */
static bool is_found(const struct join *join, bool shares_key, struct file_pair *pair)
{
	pair->relation.shares_key = shares_key;
	if (shares_key && verify_excludes(&join->rule->verify, pair->a, pair->b, &pair->relation))
		return false;
	if (rule_matches_by_counts(join->rule, pair->a, pair->b, &pair->relation))
		return is_beyond_sweep(join, pair) == shares_key;
	return shares_key &&
	       verify_by_keys(&join->rule->verify, false, pair->a, pair->b, &pair->relation);
}

static int try_candidate(const struct join *join, const struct find_file *row,
			 const struct find_file *other, bool shares_key, struct join_search *search,
			 struct simhash_error *error)
{
	struct file_pair pair = {.a = row, .b = other};

	if (!finder_crosses(search->reporter.finder, row->sides, other->sides))
		return 0;
	if (!is_found(join, shares_key, &pair))
		return 0;
	return report_match(&search->reporter, &pair, error);
}

/* The first entry in [begin, end) whose sum is not below `low`. */
static size_t lower_bound(const int64_t *sums, size_t begin, size_t end, int64_t low)
{
	size_t count = end - begin;

	/*
	 * No branch depends on the sums, because the processor would predict half of these branches
	 * wrongly.
	 */
	while (count > 0) {
		size_t half = (count + 1) / 2;
		begin += sums[begin + half - 1] < low ? half : 0;
		count -= half;
	}
	return begin;
}

/* A row whose partners are searched among the rows of the blocks from `first` on. */
struct joining_row {
	const struct find_file *row;
	int64_t grid_sum, order_sum;
	uint32_t first;
	unsigned power; /* the power of its reach */
	bool is_within; /* is the row in the blocks? */
	size_t place;	/* if so, its place in the order of cells */
};

/* Compare with the rows of a cell from `begin` on. */
static int search_cell(const struct join *join, const struct joining_row *searched,
		       const struct cell *cell, size_t begin, const struct nearness *near,
		       uint64_t reach, struct join_search *search, struct simhash_error *error)
{
	struct sum_range sums = sums_within(searched->order_sum, reach);
	/* The marks of the cell, from the first mark whose sum is not below the range. */
	size_t first = (begin + LANES - 1) / LANES, end = (cell->end - 1) / LANES + 1, chunk;
	unsigned mask;

	first = lower_bound(join->marks, first, end, sums.low);
	if (sums.high < INT64_MAX)
		end = lower_bound(join->marks, first, end, sums.high + 1);
	/* Rows before a mark may be within reach, unless they belong to another cell. */
	chunk = first > begin / LANES ? first - 1 : first;
	for (; (mask = join->near(&join->rows, near, &chunk, end)) != 0; chunk++)
		for (; mask != 0; mask &= mask - 1) {
			size_t hit = chunk * LANES + (unsigned)__builtin_ctz(mask);
			if (hit >= begin && hit < cell->end &&
			    join->number[hit] >= searched->first &&
			    try_candidate(join, searched->row, join->files[join->number[hit]],
					  false, search, error) != 0)
				return -1;
		}
	return 0;
}

/*
 * One of the two rows of a pair in the blocks searches for the other. If the powers differ, the row
 * with the smaller power searches. Otherwise, the row that is earlier in the order of cells
 * searches; if both are in the same key column, the row in the earlier column. So a row searches
 * half of the cells with its power around it, and all such cells with larger powers.
 */
static int search_power(const struct join *join, const struct joining_row *searched, unsigned power,
			struct join_search *search, struct simhash_error *error)
{
	const struct find_file *row = searched->row;
	/* The distance of a pair is within the reach of both rows. */
	uint64_t widest = power < 63 ? (UINT64_C(1) << power) - 1 : INT64_MAX;
	uint64_t reach = (uint64_t)row->swept_reach < widest ? (uint64_t)row->swept_reach : widest;
	struct sum_range sums = sums_within(searched->grid_sum, reach);
	struct sum_range keys = sums_within(row->uniform, reach);
	struct nearness near = nearness_of(&row->table, reach, power);
	int64_t first = column_of(sums.low, power), last = column_of(sums.high, power);
	int64_t own_column = column_of(searched->grid_sum, power);
	int64_t own_key = key_column_of(row->uniform, power);
	int64_t last_key = key_column_of(keys.high, power);
	bool is_own = searched->is_within && power == searched->power;
	bool looks_back = searched->is_within && !is_own;

	for (int64_t key = looks_back ? key_column_of(keys.low, power) : own_key; key <= last_key;
	     key++) {
		bool is_half = is_own && key == own_key;
		for (int64_t column = is_half ? own_column : first;; column++) {
			const struct cell *cell =
				find_cell(join, cell_hash(join, row, power, key, column));
			if (cell != NULL) {
				size_t begin = is_half && column == own_column ? searched->place + 1
									       : cell->begin;
				if (begin < cell->end &&
				    search_cell(join, searched, cell, begin, &near, reach, search,
						error) != 0)
					return -1;
			}
			if (column == last) /* the last column may be INT64_MAX */
				break;
		}
	}
	return 0;
}

/* Search for files of the same content. All of them have the same power. */
static int search_content(const struct join *join, const struct joining_row *searched,
			  struct join_search *search, struct simhash_error *error)
{
	struct nearness near = nearness_of(&searched->row->table, 0, 0);
	const struct cell *cell = find_cell(join, content_cell_hash(searched->row));
	size_t begin;

	if (cell == NULL)
		return 0;
	begin = searched->is_within ? searched->place + 1 : cell->begin;
	return begin < cell->end ? search_cell(join, searched, cell, begin, &near, 0, search, error)
				 : 0;
}

static int search_row(const struct join *join, const struct joining_row *searched,
		      struct join_search *search, struct simhash_error *error)
{
	int64_t size_bytes = searched->row->size_bytes;
	int64_t largest = simhash_largest_partner(&join->rule->tolerance, size_bytes);
	unsigned lowest = searched->is_within ? searched->power : join->lowest;

	if (searched->power == 0)
		return search_content(join, searched, search, error);
	for (unsigned p = lowest > 0 ? lowest : 1; p <= join->highest; p++) {
		const struct join_power *power = &join->powers[p];
		if (power->min_size > power->max_size || power->min_size > largest ||
		    simhash_largest_partner(&join->rule->tolerance, power->max_size) < size_bytes)
			continue;
		if (search_power(join, searched, p, search, error) != 0)
			return -1;
	}
	return 0;
}

/* ---- Blocks ---- */

/* Rows are searched in the order of cells: a row searches the same cells as the previous row. */
int join_within(const struct join *join, size_t begin, size_t end, struct join_search *search,
		struct simhash_error *error)
{
	for (size_t place = begin; place < end; place++) {
		uint32_t i = join->number[place];
		const struct find_file *row = join->files[i];
		struct joining_row searched = {
			.row = row,
			.grid_sum = signed_sum(&row->table, GRID_WALSH_ROW),
			.order_sum = join->order_sum[i],
			/* At least one row of a pair is new. */
			.first = i >= join->first_new ? 0 : (uint32_t)join->first_new,
			.is_within = true,
			.place = place,
			.power = power_in(join, row)};
		if (place + ROWS_AHEAD < end)
			prefetch_row(join->files[join->number[place + ROWS_AHEAD]]);
		if (search_row(join, &searched, search, error) != 0)
			return -1;
	}
	return 0;
}

int join_within_keys(const struct join *join, unsigned key, unsigned end_key,
		     struct join_search *search, struct simhash_error *error)
{
	struct key_pair pair;

	key_walk_begin(&search->walk, &join->keys, key, end_key);
	while (key_walk_next_pair(&search->walk, &pair))
		if (try_candidate(join, join->files[pair.y], join->files[pair.x], true, search,
				  error) != 0)
			return -1;
	return 0;
}

/* Does the search by counts reach the blocks? */
static bool is_swept(const struct join *join, const struct find_file *row)
{
	return join->files[0]->uniform - row->uniform <= row->swept_reach;
}

static int make_order(struct join_search *search, size_t count, struct simhash_error *error)
{
	if (count <= search->order_capacity)
		return 0;
	free(search->order);
	free(search->spare_order);
	search->order = malloc(count * sizeof *search->order);
	search->spare_order = malloc(count * sizeof *search->spare_order);
	search->order_capacity = search->order == NULL || search->spare_order == NULL ? 0 : count;
	return search->order_capacity == 0 ? error_set_memory(error) : 0;
}

/*
 * Sort the rows that the search by counts includes, so that rows of the same cell are together:
 * they search the same cells. Returns their number.
 */
static size_t order_asking(const struct join *join, const struct find_file *rows, size_t row_count,
			   struct join_search *search)
{
	size_t count = 0;

	for (size_t i = 0; i < row_count; i++) {
		const struct find_file *row = &rows[i];
		if (!is_swept(join, row))
			continue;
		search->order[count++] =
			(struct sort_item){own_cell_hash(join, row, power_in(join, row)), i};
	}
	sort_items(search->order, search->spare_order, count, ORDER_BITS);
	return count;
}

static int sweep_before(const struct join *join, const struct find_file *rows, size_t count,
			struct join_search *search, struct simhash_error *error)
{
	if (make_order(search, count, error) != 0)
		return -1;
	count = order_asking(join, rows, count, search);
	for (size_t i = 0; i < count; i++) {
		const struct find_file *row = &rows[search->order[i].number];
		struct joining_row searched = {.row = row,
					       .grid_sum = signed_sum(&row->table, GRID_WALSH_ROW),
					       .order_sum =
						       signed_sum(&row->table, ORDER_WALSH_ROW),
					       .first = (uint32_t)join->first_new,
					       .power = power_in(join, row)};
		if (i + ROWS_AHEAD < count)
			prefetch_row(&rows[search->order[i + ROWS_AHEAD].number]);
		if (search_row(join, &searched, search, error) != 0)
			return -1;
	}
	return 0;
}

int join_before(const struct join *join, const struct find_file *rows, size_t count,
		struct join_search *search, struct simhash_error *error)
{
	struct key_pair pair;

	if (sweep_before(join, rows, count, search, error) != 0)
		return -1;
	if (!join->is_keyed)
		return 0;
	if (key_walk_take(&search->walk, rows, count, error) != 0)
		return -1;
	key_walk_ask(&search->walk, &join->keys);
	while (key_walk_next_answer(&search->walk, &pair))
		if (try_candidate(join, join->files[pair.y], &rows[pair.x], true, search, error) !=
		    0)
			return -1;
	return 0;
}
