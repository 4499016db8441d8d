/*
 * Scans in portable C: runs the automaton of the tag set over eight lanes of a block at once and
 * adds its entries (paper, 4.1).
 *
 * One run of the automaton waits for a table look-up at every byte; eight independent runs use this
 * time. Lanes are guessed and corrected as scan_bytes.h describes. If a tag overlaps itself again
 * and again, the guess may stay wrong for whole lanes. This costs time, but the result is exact.
 * Periodic data, which would suffer most, is scanned in another way.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/automaton.h"
#include "core/scan_bytes.h"
#include "core/scan_kernel.h"
#include "core/tally.h"

#define LANES 8
#define BLOCK (LANES * 3072) /* bytes; a block stays in the first-level cache */
#define LANE_MIN 32	     /* bytes; with shorter lanes the overhead is too large */

/* Run the lanes over `size` bytes. `lane` has their first entries, and receives the last ones. */
static void run_lanes(const uint64_t *entries, uint64_t lane[LANES], const uint8_t *bytes,
		      size_t size, struct simhash_sum_table *table)
{
	uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
	uint64_t e = lane[4], f = lane[5], g = lane[6], h = lane[7];
	struct tally tally = {0};

	for (size_t i = 0; i < size;) {
		size_t end = size - i < AUTOMATON_FIELD_MAX ? size : i + AUTOMATON_FIELD_MAX;
		uint64_t sum_a = 0, sum_b = 0, sum_c = 0, sum_d = 0;
		uint64_t sum_e = 0, sum_f = 0, sum_g = 0, sum_h = 0;
		for (; i < end; i++) {
			sum_a += a = automaton_step(entries, a, bytes[i]);
			sum_b += b = automaton_step(entries, b, bytes[size + i]);
			sum_c += c = automaton_step(entries, c, bytes[2 * size + i]);
			sum_d += d = automaton_step(entries, d, bytes[3 * size + i]);
			sum_e += e = automaton_step(entries, e, bytes[4 * size + i]);
			sum_f += f = automaton_step(entries, f, bytes[5 * size + i]);
			sum_g += g = automaton_step(entries, g, bytes[6 * size + i]);
			sum_h += h = automaton_step(entries, h, bytes[7 * size + i]);
		}
		tally_add(&tally, sum_a);
		tally_add(&tally, sum_b);
		tally_add(&tally, sum_c);
		tally_add(&tally, sum_d);
		tally_add(&tally, sum_e);
		tally_add(&tally, sum_f);
		tally_add(&tally, sum_g);
		tally_add(&tally, sum_h);
		tally_widen(&tally, table);
	}
	tally_empty(&tally, table);
	memcpy(lane, (uint64_t[LANES]){a, b, c, d, e, f, g, h}, LANES * sizeof *lane);
}

static uint64_t scan_lanes(const uint64_t *entries, uint64_t entry, const uint8_t *bytes,
			   size_t size, struct simhash_sum_table *table)
{
	uint64_t guess[LANES], lane[LANES];
	size_t budget = SIZE_MAX;

	guess[0] = entry;
	for (size_t l = 1; l < LANES; l++)
		guess[l] = guess_entry(entries, bytes + l * size);
	memcpy(lane, guess, sizeof lane);
	run_lanes(entries, lane, bytes, size, table);
	entry = lane[0];
	for (size_t l = 1; l < LANES; l++)
		if (reconcile(entries, &entry, guess[l], bytes + l * size, size, &budget, table) ==
		    RECONCILE_MET)
			entry = lane[l];
	return entry;
}

static void update(struct simhash_scanner *scanner, const uint8_t *bytes, size_t size)
{
	const uint64_t *entries = tag_set_automaton(scanner->tag_set)->entries;
	uint64_t entry = scanner->state[0];

	while (size >= LANES * LANE_MIN) {
		size_t lane = (size < BLOCK ? size : BLOCK) / LANES;
		size_t period, done = scan_find_period(bytes, size, lane, &period);
		if (done > 0) {
			entry = scan_periodic(entries, entry, bytes, done, period, &scanner->table);
		} else {
			done = lane * LANES;
			entry = scan_lanes(entries, entry, bytes, lane, &scanner->table);
		}
		bytes += done;
		size -= done;
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
	.add_shingles = add_shingles_portable,
	.squeeze = squeeze_portable,
};
