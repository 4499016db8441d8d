/*
 * Runs the automaton over consecutive bytes (paper, 4.1), over periodic bytes, and from two states
 * at once.
 * SPDX-License-Identifier: MIT
 */
#include "core/scan_bytes.h"

#include <stdbool.h>
#include <string.h>

#include "core/tally.h"

#define PERIOD_MAX 7
#define LOOK_MIN 64 /* bytes that must repeat before a lane is checked for more */

static bool same_state(uint64_t one, uint64_t other)
{
	return one >> AUTOMATON_STATE_SHIFT == other >> AUTOMATON_STATE_SHIFT;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

uint64_t scan_bytes(const uint64_t *entries, uint64_t entry, const uint8_t *bytes, size_t size,
		    struct simhash_sum_table *table)
{
	struct tally tally = {0};

	for (size_t i = 0; i < size;) {
		size_t end = i + smaller(size - i, AUTOMATON_FIELD_MAX);
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

/* Return the number of bytes at the start that have this period. */
static size_t repeats(const uint8_t *bytes, size_t size, size_t period)
{
	size_t same = period;

	/* Compare 64 bytes at a time, because memcmp does not return the place of a difference. */
	while (size - same >= 64 && memcmp(bytes + same, bytes + same - period, 64) == 0)
		same += 64;
	while (same < size && bytes[same] == bytes[same - period])
		same++;
	return same;
}

size_t scan_find_period(const uint8_t *bytes, size_t size, size_t at_least, size_t *period)
{
	if (size < at_least || at_least < 2 * PERIOD_MAX)
		return 0;
	/* A window that repeats within 7 bits gives a period of 1, 3, 5 or 7 bytes. */
	for (*period = 1; *period <= PERIOD_MAX; *period += 2)
		if (memcmp(bytes, bytes + *period, PERIOD_MAX) == 0) {
			size_t same = repeats(bytes, size, *period);
			if (same >= at_least)
				return same;
		}
	return 0;
}

/*
 * Scan period by period until a state repeats. The counts between the two equal states then repeat
 * as well, so they are multiplied. The state to compare with is renewed after 1, 2, 4, ... periods
 * (Brent's cycle detection), so no list of states is needed.
 */
uint64_t scan_periodic(const uint64_t *entries, uint64_t entry, const uint8_t *bytes, size_t size,
		       size_t period, struct simhash_sum_table *table)
{
	struct simhash_sum_table cycle = {{0}};
	uint64_t anchor = entry;
	size_t since = 0, limit = 1;

	while (size >= period) {
		entry = scan_bytes(entries, entry, bytes, period, &cycle);
		size -= period;
		since++;
		if (same_state(entry, anchor)) {
			size_t times = size / (since * period);
			for (int t = 0; t < SIMHASH_TAGS; t++)
				table->count[t] += cycle.count[t] * (times + 1);
			size -= times * since * period;
		} else if (since < limit) {
			continue;
		} else {
			for (int t = 0; t < SIMHASH_TAGS; t++)
				table->count[t] += cycle.count[t];
			limit *= 2;
			anchor = entry;
		}
		memset(&cycle, 0, sizeof cycle);
		since = 0;
	}
	for (int t = 0; t < SIMHASH_TAGS; t++)
		table->count[t] += cycle.count[t];
	return scan_bytes(entries, entry, bytes, size, table);
}

/*
 * Run from two states until they are equal or `size` bytes are read. Returns the number of bytes
 * read.
 */
static size_t run_both(const uint64_t *entries, uint64_t *entry, uint64_t *guess,
		       const uint8_t *bytes, size_t size, struct simhash_sum_table *right,
		       struct simhash_sum_table *wrong)
{
	struct tally right_tally = {0}, wrong_tally = {0};
	size_t i = 0;

	while (i < size && !same_state(*entry, *guess)) {
		size_t stop = i + smaller(size - i, AUTOMATON_FIELD_MAX);
		uint64_t right_sum = 0, wrong_sum = 0;
		do {
			right_sum += *entry = automaton_step(entries, *entry, bytes[i]);
			wrong_sum += *guess = automaton_step(entries, *guess, bytes[i]);
			i++;
		} while (i < stop && !same_state(*entry, *guess));
		tally_add(&right_tally, right_sum);
		tally_add(&wrong_tally, wrong_sum);
		tally_widen(&right_tally, right);
		tally_widen(&wrong_tally, wrong);
	}
	tally_empty(&right_tally, right);
	tally_empty(&wrong_tally, wrong);
	return i;
}

enum reconciled reconcile(const uint64_t *entries, uint64_t *entry, uint64_t guess,
			  const uint8_t *lane, size_t size, size_t *budget,
			  struct simhash_sum_table *table)
{
	struct simhash_sum_table wrong = {{0}};

	for (size_t i = 0; i < size && !same_state(*entry, guess);) {
		size_t period, run = scan_find_period(lane + i, size - i, LOOK_MIN, &period);
		if (run > 0) {
			*entry = scan_periodic(entries, *entry, lane + i, run, period, table);
			guess = scan_periodic(entries, guess, lane + i, run, period, &wrong);
		} else if (*budget == 0) {
			return RECONCILE_GAVE_UP;
		} else {
			run = smaller(smaller(size - i, LOOK_MIN), *budget);
			run = run_both(entries, entry, &guess, lane + i, run, table, &wrong);
			*budget -= run;
		}
		i += run;
	}
	for (int t = 0; t < SIMHASH_TAGS; t++)
		table->count[t] -= wrong.count[t];
	return same_state(*entry, guess) ? RECONCILE_MET : RECONCILE_REACHED;
}
