/*
 * The portable scan kernel: the automaton of the tag set run over six lanes of
 * a block at once, its entries added up as they are (paper, 4.1).
 *
 * One run of the automaton waits for a table look-up at every byte; six
 * independent runs fill that wait. A block is cut into six lanes of equal
 * length. The state at the start of lanes 1 to 5 is not known before the lane
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

#define LANES 6
#define BLOCK (LANES * 4096) /* bytes, so that a block stays in the first-level cache */
#define LANE_MIN 32	     /* bytes, below which lanes cost more than they save */

/*
 * Counts of the 16 tags in fields that widen as they fill: 3 bits in a sum of
 * entries, then 6 bits (even and odd tags), then 12, then the sum table.
 */
struct tally {
	uint64_t even, odd;  /* 8 fields of 6 bits: tags 0, 2, ... and 1, 3, ... */
	uint64_t quarter[4]; /* 4 fields of 12 bits: tags q, q + 4, q + 8, q + 12 */
	unsigned rounds;
};

#define FIELDS_3_OF_6 UINT64_C(0x1c71c71c71c7)
#define FIELDS_6_OF_12 UINT64_C(0x03f03f03f03f)
#define FIELD_12 UINT64_C(0xfff)
#define ROUNDS_MAX (4095 / 63) /* of tally_widen, each of which adds at most 63 to a field */

/* Add a sum of at most 7 entries. At most 9 such sums may come before tally_widen. */
static void tally_add(struct tally *tally, uint64_t entries)
{
	tally->even += entries & FIELDS_3_OF_6;
	tally->odd += entries >> AUTOMATON_FIELD_BITS & FIELDS_3_OF_6;
}

static void tally_empty(struct tally *tally, struct simhash_sum_table *table)
{
	for (int q = 0; q < 4; q++)
		for (int i = 0; i < 4; i++)
			table->count[q + 4 * i] += tally->quarter[q] >> (12 * i) & FIELD_12;
	memset(tally->quarter, 0, sizeof tally->quarter);
	tally->rounds = 0;
}

static void tally_widen(struct tally *tally, struct simhash_sum_table *table)
{
	tally->quarter[0] += tally->even & FIELDS_6_OF_12;
	tally->quarter[1] += tally->odd & FIELDS_6_OF_12;
	tally->quarter[2] += tally->even >> 6 & FIELDS_6_OF_12;
	tally->quarter[3] += tally->odd >> 6 & FIELDS_6_OF_12;
	tally->even = tally->odd = 0;
	if (++tally->rounds == ROUNDS_MAX)
		tally_empty(tally, table);
}

/* Add what one entry counts, `times` over. */
static void count(struct simhash_sum_table *table, uint64_t entry, uint64_t times)
{
	for (int t = 0; t < SIMHASH_TAGS; t++, entry >>= AUTOMATON_FIELD_BITS)
		if (entry & 1)
			table->count[t] += times;
}

/* One run, byte by byte. Returns the last entry. */
static uint64_t scan_bytes(const uint64_t *entries, uint64_t entry, const uint8_t *bytes,
			   size_t size, struct simhash_sum_table *table)
{
	struct tally tally = {0};

	for (size_t i = 0; i < size;) {
		size_t end = size - i < AUTOMATON_FIELD_MAX ? size : i + AUTOMATON_FIELD_MAX;
		uint64_t sum = 0;
		for (; i < end; i++) {
			entry = automaton_step(entries, entry, bytes[i]);
			sum += entry;
		}
		tally_add(&tally, sum);
		tally_widen(&tally, table);
	}
	tally_empty(&tally, table);
	return entry;
}

/* A run of one byte value: once a step leads back to its own state, multiply. */
static uint64_t scan_run(const uint64_t *entries, uint64_t entry, uint8_t byte, size_t size,
			 struct simhash_sum_table *table)
{
	while (size > 0) {
		uint64_t before = entry >> AUTOMATON_STATE_SHIFT;
		entry = automaton_step(entries, entry, byte);
		count(table, entry, 1);
		size--;
		if (entry >> AUTOMATON_STATE_SHIFT == before) {
			count(table, entry, size);
			break;
		}
	}
	return entry;
}

/*
 * Replace what a lane counted from a guessed state by what the true state
 * counts. `entry` is the true one before the lane, `guess` the one that the
 * lane began with, `end` the one that it ended with. Returns the true last one.
 */
static uint64_t reconcile(const uint64_t *entries, uint64_t entry, uint64_t guess, uint64_t end,
			  const uint8_t *lane, size_t size, struct simhash_sum_table *table)
{
	struct simhash_sum_table wrong = {{0}};
	struct tally right_tally = {0}, wrong_tally = {0};
	bool have_met = entry >> AUTOMATON_STATE_SHIFT == guess >> AUTOMATON_STATE_SHIFT;

	if (have_met)
		return end;
	for (size_t i = 0; i < size && !have_met;) {
		size_t stop = size - i < AUTOMATON_FIELD_MAX ? size : i + AUTOMATON_FIELD_MAX;
		uint64_t right_sum = 0, wrong_sum = 0;
		for (; i < stop && !have_met; i++) {
			right_sum += entry = automaton_step(entries, entry, lane[i]);
			wrong_sum += guess = automaton_step(entries, guess, lane[i]);
			have_met = entry >> AUTOMATON_STATE_SHIFT == guess >> AUTOMATON_STATE_SHIFT;
		}
		tally_add(&right_tally, right_sum);
		tally_add(&wrong_tally, wrong_sum);
		tally_widen(&right_tally, table);
		tally_widen(&wrong_tally, &wrong);
	}
	tally_empty(&right_tally, table);
	tally_empty(&wrong_tally, &wrong);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		table->count[t] -= wrong.count[t];
	return have_met ? end : entry;
}

/* Run the lanes of `size` bytes from the entries of `lane`, and leave the last ones there. */
static void run_lanes(const uint64_t *entries, uint64_t lane[LANES], const uint8_t *bytes,
		      size_t size, struct simhash_sum_table *table)
{
	uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3], e = lane[4], f = lane[5];
	struct tally tally = {0};

	for (size_t i = 0; i < size;) {
		size_t end = size - i < AUTOMATON_FIELD_MAX ? size : i + AUTOMATON_FIELD_MAX;
		uint64_t sum_a = 0, sum_b = 0, sum_c = 0, sum_d = 0, sum_e = 0, sum_f = 0;
		for (; i < end; i++) {
			sum_a += a = automaton_step(entries, a, bytes[i]);
			sum_b += b = automaton_step(entries, b, bytes[size + i]);
			sum_c += c = automaton_step(entries, c, bytes[2 * size + i]);
			sum_d += d = automaton_step(entries, d, bytes[3 * size + i]);
			sum_e += e = automaton_step(entries, e, bytes[4 * size + i]);
			sum_f += f = automaton_step(entries, f, bytes[5 * size + i]);
		}
		tally_add(&tally, sum_a);
		tally_add(&tally, sum_b);
		tally_add(&tally, sum_c);
		tally_add(&tally, sum_d);
		tally_add(&tally, sum_e);
		tally_add(&tally, sum_f);
		tally_widen(&tally, table);
	}
	tally_empty(&tally, table);
	lane[0] = a;
	lane[1] = b;
	lane[2] = c;
	lane[3] = d;
	lane[4] = e;
	lane[5] = f;
}

static uint64_t scan_lanes(const uint64_t *entries, uint64_t entry, const uint8_t *bytes,
			   size_t size, struct simhash_sum_table *table)
{
	uint64_t guess[LANES], lane[LANES];

	guess[0] = entry;
	for (size_t l = 1; l < LANES; l++) {
		const uint8_t *start = bytes + l * size;
		guess[l] =
			automaton_step(entries, automaton_step(entries, 0, start[-2]), start[-1]);
	}
	memcpy(lane, guess, sizeof lane);
	run_lanes(entries, lane, bytes, size, table);
	entry = lane[0];
	for (size_t l = 1; l < LANES; l++)
		entry = reconcile(entries, entry, guess[l], lane[l], bytes + l * size, size, table);
	return entry;
}

static bool is_run(const uint8_t *bytes, size_t size)
{
	return bytes[0] == bytes[size - 1] && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static void update(struct simhash_scanner *scanner, const uint8_t *bytes, size_t size)
{
	const uint64_t *entries = tag_set_automaton(scanner->tag_set)->entries;
	uint64_t entry = scanner->state[0];

	while (size >= LANES * LANE_MIN) {
		size_t lane = (size < BLOCK ? size : BLOCK) / LANES;
		size_t block = lane * LANES;
		if (is_run(bytes, block))
			entry = scan_run(entries, entry, bytes[0], block, &scanner->table);
		else
			entry = scan_lanes(entries, entry, bytes, lane, &scanner->table);
		bytes += block;
		size -= block;
	}
	scanner->state[0] = scan_bytes(entries, entry, bytes, size, &scanner->table);
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
