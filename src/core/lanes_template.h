/*
 * Defines the step of many lanes at once (paper, 4.1), for any instruction set with byte-wise table
 * look-ups. Include it once in a file that defines
 *
 *     VECTOR           the type of a vector of LANES bytes
 *     LANES            16 times the number of its 128-bit parts
 *     v_load(p), v_store(p, x)          LANES bytes, aligned to LANES
 *     v_load_rows(p, stride)            16 bytes from p, p + stride, ... as the parts
 *     v_store_rows(p, stride, x)        the reverse
 *     v_zip_low(a, b), v_zip_high(a, b) interleave the lower or upper 8 bytes of each part
 *     v_zero(), v_table(t)              0; the 16 bytes at t in each part
 *     v_low(x)                          the lower 4 bits of each byte, for v_look_up
 *     v_right(x, n)                     the same after each byte is shifted right by n = 1 .. 4
 *     v_look_up(t, x)                   byte by byte, t[x] for these x
 *     v_join(a, b)                      the lower 4 bits of a's bytes, then the upper 4 of b's
 *     v_and(a, b), v_or(a, b), v_and_not(a, b)    a & ~b
 *     v_xor(a, b)
 *     v_count(x, count)                 adds to count[i] the bytes of x in which bit i is set
 *
 * An instruction set with faster instructions than the defaults below also defines
 * HAS_THREE_WAY_LOGIC and
 *
 *     v_take(s, a, b, was, all)         s | (a & b & (was | ~all))
 *     v_add(sum, a, b)                  full adder, bit by bit: *sum ^= a ^ b; returns the carry
 *
 * If it makes the scan faster, it also defines
 *
 *     HALVES           2: both halves of the tags are processed together; else one after the other
 *     v_prefetch(p)    prefetches the cache line of p, which need not be readable
 *
 * If look-ups use 6 bits of a byte and ignore the upper two, it defines HAS_WIDE_LOOK_UPS, omits
 * v_low, and defines these operations differently:
 *
 *     v_right(x, n)    each byte shifted right by n = 1 .. 3; the n upper bits may be anything
 *     v_join(a, b)     the lower 3 bits of a's bytes, then the upper 5 of b's
 *     v_look_up(t, x)  byte by byte, t[x % 64]
 *
 * The file then makes a scan_kernel from the function `update` below.
 *
 * Byte i of a vector belongs to lane i. The eight windows that end in a byte are looked up by their
 * two nibbles in tables of tag sets. A byte of a set holds 8 tags, so there are two halves of 8
 * tags. A tag is taken at most once in the eight windows of a byte, so one set for each half holds
 * all taken tags, and greedy skipping needs no branch. A match at window w counts unless its tag
 * was taken earlier in this byte, or after window w in the previous byte. Let S(w) be the tags
 * taken in a byte up to window w, and S = S(7). S' belongs to the previous byte. Then
 *
 *     S(w) = S(w - 1) | match(w) & ~(S' & ~S'(w))
 *
 * S' & ~S'(w), the tags taken there after w, is also the state of a lane between two blocks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/lanes.h"

#define ROWS 16u /* bytes of each lane that are transposed at once */
#define WINDOWS 8u
#define LINE 64		 /* bytes of a cache line */
#define AHEAD 256	 /* bytes of a lane to prefetch ahead */
#define LEVELS 20	 /* a lane has fewer than 2^LEVELS bytes */
#define LEVELS_OF_ROWS 4 /* levels of the sum of a tile: log2(ROWS) */

#ifndef HALVES
#define HALVES 1
#endif
#ifndef v_prefetch
#define v_prefetch(p) ((void)(p))
#endif
#define UNROLLED _Pragma("GCC unroll 8")

#ifndef HAS_THREE_WAY_LOGIC
static inline VECTOR v_take(VECTOR s, VECTOR a, VECTOR b, VECTOR was, VECTOR all)
{
	return v_or(s, v_and_not(v_and(a, b), v_and_not(all, was)));
}

static inline VECTOR v_add(VECTOR *sum, VECTOR a, VECTOR b)
{
	VECTOR half = v_xor(*sum, a);
	VECTOR carry = v_or(v_and(*sum, a), v_and(half, b));

	*sum = v_xor(half, b);
	return carry;
}
#endif

/*
 * A binary counter for each lane and tag: sum[i] counts 2^i. Two carries of a level are added at a
 * time, so one carry may wait.
 */
struct digits {
	VECTOR sum[LEVELS], waiting[LEVELS];
	unsigned is_waiting; /* bit i */
	unsigned levels;     /* levels used so far */
};

static inline void digits_init(struct digits *digits)
{
	for (unsigned i = 0; i < LEVELS_OF_ROWS; i++)
		digits->sum[i] = v_zero();
	digits->is_waiting = 0;
	digits->levels = LEVELS_OF_ROWS;
}

static inline void digits_carry(struct digits *digits, VECTOR carry)
{
	unsigned level = LEVELS_OF_ROWS;

	for (; digits->is_waiting >> level & 1; level++) {
		digits->is_waiting &= ~(1u << level);
		carry = v_add(&digits->sum[level], digits->waiting[level], carry);
	}
	digits->waiting[level] = carry;
	digits->is_waiting |= 1u << level;
	if (level == digits->levels) {
		digits->sum[level] = v_zero();
		digits->levels++;
	}
}

static inline void add_pairs(VECTOR *sum, VECTOR *x, unsigned pairs)
{
	for (unsigned i = 0; i < pairs; i++)
		x[i] = v_add(sum, x[2 * i], x[2 * i + 1]);
}

/* Add the sets taken in a tile. */
static inline void digits_add(struct digits *digits, VECTOR taken[ROWS])
{
	add_pairs(&digits->sum[0], taken, 8);
	add_pairs(&digits->sum[1], taken, 4);
	add_pairs(&digits->sum[2], taken, 2);
	add_pairs(&digits->sum[3], taken, 1);
	digits_carry(digits, taken[0]);
}

static inline void digits_empty(const struct digits *digits, uint64_t count[8])
{
	for (unsigned level = 0; level < digits->levels; level++) {
		uint64_t here[8] = {0};
		v_count(digits->sum[level], here);
		if (digits->is_waiting >> level & 1)
			v_count(digits->waiting[level], here);
		for (int t = 0; t < 8; t++)
			count[t] += here[t] << level;
	}
}

/*
 * Transpose 16 x 16 bytes in each part. One round interleaves row i with row i + 8. This moves the
 * top bit of the row number to the bottom of the column number, and the top bit of the column
 * number to the bottom of the row number. After four rounds rows and columns are exchanged.
 */
static inline void transpose(VECTOR rows[ROWS])
{
	for (int round = 0; round < 4; round++) {
		VECTOR zipped[ROWS];
		for (unsigned i = 0; i < ROWS / 2; i++) {
			zipped[2 * i] = v_zip_low(rows[i], rows[i + ROWS / 2]);
			zipped[2 * i + 1] = v_zip_high(rows[i], rows[i + ROWS / 2]);
		}
		for (unsigned i = 0; i < ROWS; i++)
			rows[i] = zipped[i];
	}
}

static inline void load_tile(const uint8_t *bytes, size_t stride, VECTOR tile[ROWS])
{
	for (size_t i = 0; i < ROWS; i++)
		tile[i] = v_load_rows(bytes + i * stride, ROWS * stride);
	transpose(tile);
}

/*
 * A lane state is 16 bytes (blocked[0] and blocked[1]), so 16 vectors hold the states of all lanes.
 */
static inline void load_states(const struct lane_state *states, VECTOR taken[2][WINDOWS])
{
	VECTOR tile[ROWS];

	load_tile((const uint8_t *)states, sizeof *states, tile);
	for (unsigned h = 0; h < 2; h++) {
		VECTOR all = tile[WINDOWS * h];
		for (unsigned w = 0; w < WINDOWS - 1; w++)
			taken[h][w] = v_and_not(all, tile[WINDOWS * h + w]);
		taken[h][WINDOWS - 1] = all;
	}
}

static inline void store_states(VECTOR taken[2][WINDOWS], struct lane_state *states)
{
	VECTOR tile[ROWS];

	for (unsigned h = 0; h < 2; h++)
		for (unsigned w = 0; w < WINDOWS; w++)
			tile[WINDOWS * h + w] = v_and_not(taken[h][WINDOWS - 1], taken[h][w]);
	transpose(tile);
	for (size_t i = 0; i < ROWS; i++)
		v_store_rows((uint8_t *)(states + i), ROWS * sizeof *states, tile[i]);
}

/*
 * The windows of a row consist of 12 nibbles. Nibble n begins at bit n + 1 of the previous byte,
 * and window w consists of the nibbles w and w + 4. The last four nibbles are the first four of the
 * next row. Nibble n is in the vector PLACE(n), and table TABLE(n) looks it up. Each row makes
 * PER_ROW vectors, which follow OVERLAP vectors of the previous row.
 */
#ifdef HAS_WIDE_LOOK_UPS
/*
 * Six bits hold three nibbles, and each of the three has a table. Nibble n begins FROM_END(n) bits
 * before the last nibble of its byte.
 */
#define FROM_END(n) ((11 - (n)) % 8)
#define TABLES 3
#define TABLE(n) (FROM_END(n) % 3)
#define PER_ROW 3
#define PLACE(n) (((n) < 4 ? 1 : 4) - FROM_END(n) / 3)
#define OVERLAP 2

static inline void last_nibbles(VECTOR byte, VECTOR nibbles[OVERLAP])
{
	nibbles[0] = v_right(byte, 3);
	nibbles[1] = byte;
}

static inline void row_of_nibbles(VECTOR before, VECTOR byte, VECTOR nibbles[PER_ROW])
{
	nibbles[1] = v_join(before, byte);
	nibbles[0] = v_right(nibbles[1], 3);
	nibbles[2] = byte;
}

/* tables[i] ignores the i lowest bits. */
static inline void make_tables(const uint8_t table[16], VECTOR tables[TABLES])
{
	uint8_t numbers[LANES];

	for (unsigned i = 0; i < LANES; i++)
		numbers[i] = (uint8_t)i;
	tables[0] = v_table(table);
	tables[1] = v_look_up(tables[0], v_right(v_load(numbers), 1));
	tables[2] = v_look_up(tables[0], v_right(v_load(numbers), 2));
}
#else
#define TABLES 1
#define TABLE(n) 0
#define PER_ROW WINDOWS
#define PLACE(n) (n)
#define OVERLAP 4

/*
 * Make the compiler write the nibbles to memory and read them back. In registers they would
 * displace the sets, which are then reloaded one by one (this costs a twentieth of the speed).
 */
#define WRITTEN_BEFORE_READ __asm__ volatile("" ::: "memory")

static inline void last_nibbles(VECTOR byte, VECTOR nibbles[OVERLAP])
{
	nibbles[0] = v_right(byte, 3);
	nibbles[1] = v_right(byte, 2);
	nibbles[2] = v_right(byte, 1);
	nibbles[3] = v_low(byte);
}

static inline void row_of_nibbles(VECTOR before, VECTOR byte, VECTOR nibbles[PER_ROW])
{
	VECTOR joined = v_join(before, byte);

	nibbles[0] = v_right(joined, 3);
	nibbles[1] = v_right(joined, 2);
	nibbles[2] = v_right(joined, 1);
	nibbles[3] = v_right(byte, 4);
	last_nibbles(byte, nibbles + 4);
	WRITTEN_BEFORE_READ;
}

static inline void make_tables(const uint8_t table[16], VECTOR tables[TABLES])
{
	tables[0] = v_table(table);
}
#endif

/* The tables of one half of the tags, for the first and the second nibble of a window. */
struct tables {
	VECTOR first[TABLES], second[TABLES];
};

#define FIRST(tables, nibbles, w) v_look_up((tables).first[TABLE(w)], (nibbles)[PLACE(w)])
#define SECOND(tables, nibbles, w) \
	v_look_up((tables).second[TABLE((w) + 4)], (nibbles)[PLACE((w) + 4)])

/*
 * Process HALVES halves of the tags over one row. S(0) to S(7) are passed from row to row. now[h]
 * becomes S(7). S(w) depends on S(w - 1), so two halves, which do not depend on each other,
 * alternate.
 */
static inline void take(const struct tables tables[HALVES], const VECTOR nibbles[PER_ROW + OVERLAP],
			VECTOR s[HALVES][WINDOWS], VECTOR now[HALVES])
{
	VECTOR all[HALVES];

	for (unsigned h = 0; h < HALVES; h++) {
		all[h] = s[h][WINDOWS - 1];
		now[h] = v_zero();
	}
	UNROLLED
	for (unsigned w = 0; w < WINDOWS - 1; w++)
		for (unsigned h = 0; h < HALVES; h++) {
			now[h] = v_take(now[h], FIRST(tables[h], nibbles, w),
					SECOND(tables[h], nibbles, w), s[h][w], all[h]);
			s[h][w] = now[h];
		}
	/* After the last window, no window of the previous byte is left. */
	for (unsigned h = 0; h < HALVES; h++) {
		now[h] = v_or(now[h], v_and(FIRST(tables[h], nibbles, WINDOWS - 1),
					    SECOND(tables[h], nibbles, WINDOWS - 1)));
		s[h][WINDOWS - 1] = now[h];
	}
}

/*
 * Process the rows of a tile for the halves from `half` on. The first half also makes the nibbles:
 * OVERLAP from before the tile and then PER_ROW for each row. So the stores of one half overlap
 * with the look-ups of the other. The function has its own copy of the tables and reads each byte
 * once, so WRITTEN_BEFORE_READ causes no other reloads.
 */
static inline void take_halves(const struct tables tables[HALVES], unsigned half,
			       const VECTOR tile[ROWS], VECTOR before, unsigned from,
			       VECTOR nibbles[PER_ROW * ROWS + OVERLAP], VECTOR taken[][WINDOWS],
			       VECTOR all_taken[][ROWS])
{
	struct tables own[HALVES];
	VECTOR s[HALVES][WINDOWS];

	for (unsigned h = 0; h < HALVES; h++) {
		own[h] = tables[h];
		for (unsigned w = 0; w < WINDOWS; w++)
			s[h][w] = taken[h][w];
	}
	if (half == 0)
		last_nibbles(before, nibbles + PER_ROW * from);
	for (unsigned r = from; r < ROWS; r++) {
		VECTOR *n = nibbles + PER_ROW * r, now[HALVES];
		if (half == 0) {
			VECTOR byte = tile[r];
			row_of_nibbles(before, byte, n + OVERLAP);
			before = byte;
		}
		take(own, n, s, now);
		for (unsigned h = 0; h < HALVES; h++)
			all_taken[h][r] = now[h];
	}
	for (unsigned h = 0; h < HALVES; h++)
		for (unsigned w = 0; w < WINDOWS; w++)
			taken[h][w] = s[h][w];
}

/*
 * Prefetch the bytes that the lanes read AHEAD bytes later, because there are more streams than the
 * processor predicts. Each tile prefetches for some of the lanes, so each cache line is requested
 * once. Inlined, because gcc removes calls of a function that only prefetches.
 */
__attribute__((always_inline)) static inline void ask_ahead(const uint8_t *bytes, size_t size,
							    size_t done)
{
	const size_t part = LANES * ROWS / LINE;
	size_t at = done + AHEAD, lane = done / ROWS % (LINE / ROWS) * part;

	if (at < size)
		for (size_t end = lane + part; lane < end; lane++)
			v_prefetch(bytes + lane * size + at);
}

static void run(const struct automaton *automaton, const uint8_t *bytes, size_t size,
		const uint8_t *context, struct lane_state *state, struct simhash_sum_table *table)
{
	VECTOR tile[ROWS], nibbles[PER_ROW * ROWS + OVERLAP];
	VECTOR taken[2][WINDOWS], all_taken[2][ROWS];
	struct tables tables[2];
	struct digits digits[2];
	VECTOR before = v_load(context);

	for (unsigned h = 0; h < 2; h++) {
		make_tables(automaton->first_nibble[h], tables[h].first);
		make_tables(automaton->second_nibble[h], tables[h].second);
		digits_init(&digits[h]);
	}
	load_states(state, taken);
	for (size_t done = 0; done < size; done += ROWS) {
		/* An incomplete last tile ends with the lane; its first rows are done already. */
		size_t begin = size - done < ROWS ? size - ROWS : done;
		unsigned from = (unsigned)(done - begin);
		ask_ahead(bytes, size, done);
		load_tile(bytes + begin, size, tile);
		for (unsigned r = 0; r < from; r++)
			all_taken[0][r] = all_taken[1][r] = v_zero();
		for (unsigned half = 0; half < 2; half += HALVES)
			take_halves(tables + half, half, tile, before, from, nibbles, taken + half,
				    all_taken + half);
		before = tile[ROWS - 1];
		if (table != NULL) {
			digits_add(&digits[0], all_taken[0]);
			digits_add(&digits[1], all_taken[1]);
		}
	}
	store_states(taken, state);
	if (table != NULL)
		for (unsigned h = 0; h < 2; h++)
			digits_empty(&digits[h], table->count + 8 * h);
}

static void update(struct simhash_scanner *scanner, const uint8_t *bytes, size_t size)
{
	static const struct lane_engine engine = {LANES, run};

	lanes_update(&engine, scanner, bytes, size);
}
