/*
 * The step of many lanes at once (paper, 4.1), for any instruction set with
 * byte-wise table look-ups. To be included once in a file that defines
 *
 *     VECTOR           the type of a vector of LANES bytes
 *     LANES            16 times the number of its 128-bit parts
 *     v_load(p), v_store(p, x)          LANES bytes, aligned to LANES
 *     v_load_rows(p, stride)            16 bytes from p, p + stride, ... as the parts
 *     v_store_rows(p, stride, x)        the way back
 *     v_zip_low(a, b), v_zip_high(a, b) interleave the lower or upper 8 bytes of each part
 *     v_zero(), v_table(t)              0; the 16 bytes at t in each part
 *     v_right(x, n)                     bytes shifted right; the lower 4 bits must be right
 *                                       and v_look_up must take the rest, for n = 1 .. 4
 *     v_join(a, b)                      lower 4 bits of a, then those of the byte b shifted
 *                                       right by 4
 *     v_low(x)                          x where only its lower 4 bits matter to v_look_up
 *     v_look_up(t, x)                   byte by byte, t[x & 15]
 *     v_and(a, b), v_or(a, b), v_and_not(a, b)    a & ~b
 *     v_take(s, a, b, was, all)         s | (a & b & (was | ~all))
 *     v_add(sum, a, b)                  full adder, bit by bit: *sum ^= a ^ b; returns the carry
 *     v_count(x, count)                 adds to count[i] the bytes of x in which bit i is set
 *
 * The idea. A lane is LANES-fold here: byte i of a vector belongs to lane i. The
 * eight windows that end in a byte are looked up by their two nibbles in tables
 * of tag sets, 8 tags in a byte, so two halves of 8 tags. A tag is taken at most
 * once in the eight windows of a byte, so one set for each half tells all that
 * was taken, and greedy skipping needs no branch: a match at window w counts
 * unless its tag was taken in this byte before w, or in the byte before after w.
 * Let S(w) be what is taken in a byte up to window w and S = S(7). Then
 *
 *     S(w) = S(w - 1) | match(w) & ~(S' & ~S'(w))        S' of the byte before
 *
 * and S' & ~S'(w), what was taken there after w, is also what the state of a
 * lane holds between two blocks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/lanes.h"

#define ROWS 16u /* bytes of each lane that are transposed at once */
#define WINDOWS 8u
#define LEVELS 20	 /* a lane holds less than 2^LEVELS bytes */
#define LEVELS_OF_ROWS 4 /* that the rows of a tile add up to: log2(ROWS) */

/*
 * A column of binary digits for each lane and tag: sum[i] counts 2^i. Two carries
 * of a level are added at a time, so one may be waiting.
 */
struct digits {
	VECTOR sum[LEVELS], waiting[LEVELS];
	unsigned is_waiting; /* bit i */
	unsigned levels;     /* used so far */
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

/* Add the sets taken in a tile. */
static inline void digits_add(struct digits *digits, VECTOR taken[ROWS])
{
	for (unsigned level = 0; level < LEVELS_OF_ROWS; level++)
		for (unsigned i = 0; i < (ROWS / 2) >> level; i++)
			taken[i] = v_add(&digits->sum[level], taken[2 * i], taken[2 * i + 1]);
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
 * Transpose 16 x 16 bytes in each part. One round interleaves row i with row
 * i + 8, which moves the top bit of the row number to the bottom of the column
 * number and the top of the column to the bottom of the row; after four rounds
 * row and column have changed places.
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

/* A lane state is 16 bytes, blocked[0] and blocked[1], so 16 vectors hold those of all lanes. */
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

/* The nibbles that begin at bits 1 to 4 of a byte. */
static inline void inner_nibbles(VECTOR byte, VECTOR nibbles[4])
{
	nibbles[0] = v_right(byte, 3);
	nibbles[1] = v_right(byte, 2);
	nibbles[2] = v_right(byte, 1);
	nibbles[3] = v_low(byte);
}

/* Those that begin at bits 5 to 7 of the byte before and at bit 0 of a byte. */
static inline void outer_nibbles(VECTOR before, VECTOR byte, VECTOR nibbles[4])
{
	VECTOR joined = v_join(before, byte);

	nibbles[0] = v_right(joined, 3);
	nibbles[1] = v_right(joined, 2);
	nibbles[2] = v_right(joined, 1);
	nibbles[3] = v_right(byte, 4);
}

/*
 * The nibbles of a tile in the order of their bits: 4 from before the tile, then 8
 * for each row. Window w of row r is nibbles 8 r + w and 8 r + w + 4.
 */
static inline VECTOR read_nibbles(const VECTOR tile[ROWS], VECTOR before, unsigned from,
				  VECTOR nibbles[WINDOWS * ROWS + 4])
{
	inner_nibbles(before, nibbles + WINDOWS * from);
	for (unsigned r = from; r < ROWS; r++) {
		outer_nibbles(before, tile[r], nibbles + WINDOWS * r + 4);
		inner_nibbles(tile[r], nibbles + WINDOWS * r + 8);
		before = tile[r];
	}
	return before;
}

/* One half of the tags over the rows of a tile: S(0) to S(7) go from row to row. */
static inline void take(const uint8_t first[16], const uint8_t second[16], const VECTOR *nibbles,
			unsigned from, VECTOR taken[WINDOWS], VECTOR all_taken[ROWS])
{
	const VECTOR first_table = v_table(first), second_table = v_table(second);
	VECTOR s[WINDOWS];

	for (unsigned w = 0; w < WINDOWS; w++)
		s[w] = taken[w];
	for (unsigned r = from; r < ROWS; r++) {
		const VECTOR *n = nibbles + WINDOWS * r;
		VECTOR all = s[WINDOWS - 1], now = v_zero();
		for (unsigned w = 0; w < WINDOWS - 1; w++) {
			now = v_take(now, v_look_up(first_table, n[w]),
				     v_look_up(second_table, n[w + 4]), s[w], all);
			s[w] = now;
		}
		/* Nothing in the byte before comes after the last window. */
		now = v_or(now, v_and(v_look_up(first_table, n[WINDOWS - 1]),
				      v_look_up(second_table, n[WINDOWS + 3])));
		s[WINDOWS - 1] = now;
		all_taken[r] = now;
	}
	for (unsigned w = 0; w < WINDOWS; w++)
		taken[w] = s[w];
}

static void run(const struct automaton *automaton, const uint8_t *bytes, size_t size,
		const uint8_t *context, struct lane_state *state, struct simhash_sum_table *table)
{
	VECTOR tile[ROWS], nibbles[WINDOWS * ROWS + 4], taken[2][WINDOWS], all_taken[ROWS];
	struct digits digits[2];
	VECTOR before = v_load(context);

	digits_init(&digits[0]);
	digits_init(&digits[1]);
	load_states(state, taken);
	for (size_t done = 0; done < size; done += ROWS) {
		/* A last tile that is not full ends with the lane; its first rows were done. */
		size_t begin = size - done < ROWS ? size - ROWS : done;
		unsigned from = (unsigned)(done - begin);
		load_tile(bytes + begin, size, tile);
		before = read_nibbles(tile, before, from, nibbles);
		for (unsigned h = 0; h < 2; h++) {
			for (unsigned r = 0; r < from; r++)
				all_taken[r] = v_zero();
			take(automaton->first_nibble[h], automaton->second_nibble[h], nibbles, from,
			     taken[h], all_taken);
			if (table != NULL)
				digits_add(&digits[h], all_taken);
		}
	}
	store_states(taken, state);
	if (table != NULL)
		for (unsigned h = 0; h < 2; h++)
			digits_empty(&digits[h], table->count + 8 * h);
}
