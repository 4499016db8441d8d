/*
 * The portable scan kernel: the automaton of the tag set run over four lanes
 * of a block at once, counting by bit planes (paper, 4.1).
 *
 * One run of the automaton waits for a table look-up at every byte; four
 * independent runs fill that wait. A block is cut into four lanes of equal
 * length. The state at the start of lanes 1 to 3 is not known before the lane
 * before has been read, so it is guessed from the two bytes before the lane,
 * and reconciled afterwards: the lane's first bytes are run again from the
 * true state beside the guessed one until the two meet, which mostly takes a
 * byte or two, and the counts are corrected by what differed. Periodic data
 * can keep them apart for a whole lane; that costs time and never exactness,
 * and runs of one byte, where it would happen most, have a way of their own.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/automaton.h"
#include "core/scan_kernel.h"

#define LANES 4
#define BLOCK 16384 /* bytes, so that a block stays in the first-level cache */
#define LANE_MIN 32 /* bytes, below which lanes cost more than they save */

/* Four counters of 4 bits for each tag, as planes of bits: lane l's tag t is bit 16 l + t. */
struct planes {
	uint64_t ones, twos, fours, eights;
};

#define PLANES_CAPACITY 15 /* additions before a counter of 4 bits overflows */
#define SPILLS_CAPACITY 17 /* spills before a byte overflows: 255 / 15 */

/* Counters of 8 bits: byte k of sums[2 r + h] counts tag r + 4 h + 8 (k mod 2). */
struct byte_sums {
	uint64_t sums[8];
};

static void planes_add(struct planes *planes, uint64_t hits)
{
	uint64_t carry = planes->ones & hits, carry2, carry4;

	planes->ones ^= hits;
	carry2 = planes->twos & carry;
	planes->twos ^= carry;
	carry4 = planes->fours & carry2;
	planes->fours ^= carry2;
	planes->eights ^= carry4;
}

/* Gather the planes to nibbles, tags r, r + 4, r + 8, r + 12 for each r, and add. */
static void planes_spill(const struct planes *planes, struct byte_sums *bytes)
{
	const uint64_t every_fourth = UINT64_C(0x1111111111111111);
	const uint64_t low_nibbles = UINT64_C(0x0f0f0f0f0f0f0f0f);

	for (int r = 0; r < 4; r++) {
		uint64_t nibbles = (planes->ones >> r & every_fourth) |
				   (planes->twos >> r & every_fourth) << 1 |
				   (planes->fours >> r & every_fourth) << 2 |
				   (planes->eights >> r & every_fourth) << 3;
		bytes->sums[2 * r] += nibbles & low_nibbles;
		bytes->sums[2 * r + 1] += nibbles >> 4 & low_nibbles;
	}
}

static void byte_sums_spill(struct byte_sums *bytes, struct simhash_sum_table *table)
{
	for (int r = 0; r < 4; r++)
		for (int h = 0; h < 2; h++)
			for (int k = 0; k < 8; k++)
				table->count[r + 4 * h + 8 * (k % 2)] +=
					bytes->sums[2 * r + h] >> (8 * k) & 0xff;
	memset(bytes, 0, sizeof *bytes);
}

static void count(struct simhash_sum_table *table, uint32_t entry)
{
	for (uint32_t hits = entry & 0xffff; hits != 0; hits &= hits - 1)
		table->count[__builtin_ctz(hits)]++;
}

static void uncount(struct simhash_sum_table *table, uint32_t entry)
{
	for (uint32_t hits = entry & 0xffff; hits != 0; hits &= hits - 1)
		table->count[__builtin_ctz(hits)]--;
}

/* One run, byte by byte. Returns the last entry. */
static uint32_t scan_bytes(const struct automaton *automaton, uint32_t entry, const uint8_t *bytes,
			   size_t size, struct simhash_sum_table *table)
{
	for (size_t i = 0; i < size; i++) {
		entry = automaton_step(automaton, entry, bytes[i]);
		count(table, entry);
	}
	return entry;
}

/* A run of one byte value: once a step leads back to its own state, multiply. */
static uint32_t scan_run(const struct automaton *automaton, uint32_t entry, uint8_t byte,
			 size_t size, struct simhash_sum_table *table)
{
	while (size > 0) {
		uint32_t before = entry >> 16;
		entry = automaton_step(automaton, entry, byte);
		count(table, entry);
		size--;
		if (entry >> 16 == before) {
			for (int t = 0; t < SIMHASH_TAGS; t++)
				if (entry >> t & 1)
					table->count[t] += size;
			break;
		}
	}
	return entry;
}

/*
 * Lane by lane, replace what was counted from a guessed state by what the
 * true state counts. `entry` is the true one before the lane, `guess` the one
 * that the lane began with, `end` the one that it ended with.
 */
static uint32_t reconcile(const struct automaton *automaton, uint32_t entry, uint32_t guess,
			  uint32_t end, const uint8_t *lane, size_t size,
			  struct simhash_sum_table *table)
{
	for (size_t i = 0; i < size; i++) {
		if (entry >> 16 == guess >> 16)
			return end;
		entry = automaton_step(automaton, entry, lane[i]);
		guess = automaton_step(automaton, guess, lane[i]);
		if (entry != guess) {
			uncount(table, guess);
			count(table, entry);
		}
	}
	return entry >> 16 == guess >> 16 ? end : entry;
}

/* Run four lanes of `size` bytes from the entries of `lane`, and leave the last ones there. */
static void run_lanes(const struct automaton *automaton, uint32_t lane[LANES], const uint8_t *bytes,
		      size_t size, struct simhash_sum_table *table)
{
	uint32_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
	struct byte_sums sums = {{0}};
	int spills = 0;
	size_t i = 0;

	while (i < size) {
		size_t end = size - i < PLANES_CAPACITY ? size : i + PLANES_CAPACITY;
		struct planes planes = {0, 0, 0, 0};
		for (; i < end; i++) {
			a = automaton_step(automaton, a, bytes[i]);
			b = automaton_step(automaton, b, bytes[size + i]);
			c = automaton_step(automaton, c, bytes[2 * size + i]);
			d = automaton_step(automaton, d, bytes[3 * size + i]);
			planes_add(&planes, (uint64_t)(a & 0xffff) | (uint64_t)(b & 0xffff) << 16 |
						    (uint64_t)(c & 0xffff) << 32 |
						    (uint64_t)d << 48);
		}
		planes_spill(&planes, &sums);
		if (++spills == SPILLS_CAPACITY) {
			byte_sums_spill(&sums, table);
			spills = 0;
		}
	}
	byte_sums_spill(&sums, table);
	lane[0] = a;
	lane[1] = b;
	lane[2] = c;
	lane[3] = d;
}

static uint32_t scan_lanes(const struct automaton *automaton, uint32_t entry, const uint8_t *bytes,
			   size_t size, struct simhash_sum_table *table)
{
	uint32_t guess[LANES], lane[LANES];

	guess[0] = entry;
	for (int l = 1; l < LANES; l++) {
		const uint8_t *start = bytes + (size_t)l * size;
		guess[l] = automaton_step(automaton, automaton_step(automaton, 0, start[-2]),
					  start[-1]);
	}
	memcpy(lane, guess, sizeof lane);
	run_lanes(automaton, lane, bytes, size, table);
	entry = lane[0];
	for (int l = 1; l < LANES; l++)
		entry = reconcile(automaton, entry, guess[l], lane[l], bytes + (size_t)l * size,
				  size, table);
	return entry;
}

static bool is_run(const uint8_t *bytes, size_t size)
{
	return bytes[0] == bytes[size - 1] && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static void update(struct simhash_scanner *scanner, const uint8_t *bytes, size_t size)
{
	const struct automaton *automaton = tag_set_automaton(scanner->tag_set);
	uint32_t entry = (uint32_t)scanner->state[0];

	while (size >= LANES * LANE_MIN) {
		size_t lane = (size < BLOCK ? size : BLOCK) / LANES;
		size_t block = lane * LANES;
		if (is_run(bytes, block))
			entry = scan_run(automaton, entry, bytes[0], block, &scanner->table);
		else
			entry = scan_lanes(automaton, entry, bytes, lane, &scanner->table);
		bytes += block;
		size -= block;
	}
	scanner->state[0] = scan_bytes(automaton, entry, bytes, size, &scanner->table);
}

static bool is_supported(void)
{
	return true;
}

const struct scan_kernel scan_kernel_portable = {
	.name = "portable",
	.is_supported = is_supported,
	.update = update,
};
