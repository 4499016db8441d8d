/*
 * Scans a block in lanes and joins their results exactly. Matches of one tag never overlap and are
 * taken greedily from the left (paper, 4.1), so a lane must know which matches were taken right
 * before it.
 *
 * The first guess is usually right, or wrong only for a few bytes: see scan_bytes.h. But a tag can
 * overlap itself again and again, so that each match overlaps the next. A lane that began with the
 * wrong match then takes wrong matches to its end. Such a block is scanned several times, each time
 * from another hypothesis: the last match before the lane was taken, or the match before it, and so
 * on. Tags do not affect each other, so one run tests its hypothesis for all tags. For each tag one
 * of the hypotheses is true. If no match is closer than 4 bits to the next, two hypotheses are
 * enough. This is true for all tags except 00, ff, aa, 55 and tags of period 3. The last run counts
 * from the true states.
 *
 * SPDX-License-Identifier: MIT
 */
#include "core/lanes.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "core/scan_bytes.h"
#include "core/scan_kernel.h"

#define LINE 64		     /* the bytes of a cache line */
#define LANE_MAX (31 * LINE) /* bytes */
#define BUDGET_SHARE 4	     /* the share of a block's bytes that the correction may scan again */
#define BUDGET_MIN 64	     /* bytes */
/* After a block whose guesses failed, this many blocks are scanned without guesses. */
#define TRY_AGAIN 16
#define HYPOTHESES 3
#define CONTEXT_MASK 0x7f

struct lane_block {
	const struct lane_engine *engine;
	const struct automaton *automaton;
	const uint8_t *bytes;
	size_t size; /* the size of a lane */
	/* The bits before each lane, and the state before the block. */
	uint8_t context[LANES_MAX];
	struct lane_state before;
};

struct runs {
	unsigned count;
	struct lane_state start[HYPOTHESES][LANES_MAX];
	struct lane_state end[HYPOTHESES][LANES_MAX];
};

static void run(const struct lane_block *block, struct lane_state *state,
		struct simhash_sum_table *table)
{
	block->engine->run(block->automaton, block->bytes, block->size, block->context, state,
			   table);
}

static uint8_t context_after(const struct lane_block *block, size_t lane)
{
	return block->bytes[(lane + 1) * block->size - 1] & CONTEXT_MASK;
}

static uint64_t last_entry(const struct lane_block *block, const struct lane_state *state)
{
	size_t last = block->engine->lanes - 1;

	return automaton_entry_of(block->automaton, context_after(block, last), state);
}

/* Scan a block from guesses. Returns false, and counts nothing, if they cannot be corrected. */
static bool scan_by_guesses(const struct lane_block *block, uint64_t *entry,
			    struct simhash_sum_table *table)
{
	const struct automaton *automaton = block->automaton;
	size_t lanes = block->engine->lanes, size = block->size;
	size_t budget = BUDGET_MIN + lanes * size / BUDGET_SHARE;
	struct simhash_sum_table counts = {{0}};
	struct lane_state start[LANES_MAX], end[LANES_MAX], truth;
	uint64_t guess[LANES_MAX];

	start[0] = block->before;
	for (size_t l = 1; l < lanes; l++) {
		guess[l] = guess_entry(automaton->entries, block->bytes + l * size);
		start[l] = *automaton_lane_state(automaton, guess[l]);
	}
	memcpy(end, start, lanes * sizeof *end);
	run(block, end, &counts);
	truth = end[0];
	for (size_t l = 1; l < lanes; l++) {
		uint64_t true_entry;
		if (lane_state_same(automaton, block->context[l], &truth, &start[l])) {
			truth = end[l];
			continue;
		}
		true_entry = automaton_entry_of(automaton, block->context[l], &truth);
		switch (reconcile(automaton->entries, &true_entry, guess[l],
				  block->bytes + l * size, size, &budget, &counts)) {
		case RECONCILE_MET:
			truth = end[l];
			break;
		case RECONCILE_REACHED:
			truth = *automaton_lane_state(automaton, true_entry);
			break;
		case RECONCILE_GAVE_UP:
			return false;
		}
	}
	for (int t = 0; t < SIMHASH_TAGS; t++)
		table->count[t] += counts.count[t];
	*entry = last_entry(block, &truth);
	return true;
}

/*
 * Return the state after one hypothesis: for each tag, the nth last match in the 8 windows was
 * taken.
 */
static struct lane_state hypothesis(const struct automaton *automaton, const uint8_t *lane,
				    unsigned nth)
{
	unsigned bits = (unsigned)lane[-2] << 8 | lane[-1];
	struct lane_state state;

	for (int h = 0; h < 2; h++) {
		/* matched[n]: tags with more than n matches; taken: tags that were taken. */
		uint8_t matched[HYPOTHESES] = {0}, taken = 0;
		for (unsigned w = 8; w-- > 0;) {
			unsigned window = bits >> (7 - w);
			uint8_t match = automaton->first_nibble[h][window >> 4 & 0xf] &
					automaton->second_nibble[h][window & 0xf];
			state.blocked[h][w] = taken;
			for (unsigned n = 0; n < nth; n++) {
				uint8_t again = match & matched[n];
				matched[n] |= match;
				match = again;
			}
			taken |= match;
		}
	}
	return state;
}

/* Copy x to all bytes. */
static uint64_t spread(uint8_t x)
{
	return x * UINT64_C(0x0101010101010101);
}

/* Return the bits that are set in any byte. */
static uint8_t gather(uint64_t x)
{
	x |= x >> 32;
	x |= x >> 16;
	x |= x >> 8;
	return (uint8_t)x;
}

/*
 * Combine the results of the runs, tag by tag: the state after a lane whose true first state is
 * `start`.
 */
static bool compose(const struct runs *runs, size_t lane, const struct lane_state *relevant,
		    const struct lane_state *start, struct lane_state *end)
{
	bool is_known = true;

	for (int h = 0; h < 2; h++) {
		uint64_t truth, mask, result = 0;
		uint8_t unknown = 0xff;
		memcpy(&truth, start->blocked[h], sizeof truth);
		memcpy(&mask, relevant->blocked[h], sizeof mask);
		for (unsigned n = 0; n < runs->count && unknown != 0; n++) {
			uint64_t began, ended;
			uint8_t same;
			memcpy(&began, runs->start[n][lane].blocked[h], sizeof began);
			memcpy(&ended, runs->end[n][lane].blocked[h], sizeof ended);
			same = (uint8_t)(unknown & ~gather((truth ^ began) & mask));
			result |= ended & spread(same);
			unknown &= (uint8_t)~same;
		}
		memcpy(end->blocked[h], &result, sizeof result);
		is_known = is_known && unknown == 0;
	}
	return is_known;
}

/*
 * Compute the true state before each lane as far as the runs allow. Returns the number of known
 * states. start[lanes] is the state after the block.
 */
static size_t chain(const struct lane_block *block, const struct runs *runs, size_t known,
		    struct lane_state start[LANES_MAX + 1])
{
	const struct automaton *automaton = block->automaton;

	while (known <= block->engine->lanes &&
	       compose(runs, known - 1, &automaton->relevant[block->context[known - 1]],
		       &start[known - 1], &start[known]))
		known++;
	return known;
}

static uint64_t scan_by_hypotheses(const struct lane_block *block, struct simhash_sum_table *table)
{
	const struct automaton *automaton = block->automaton;
	size_t lanes = block->engine->lanes, size = block->size, known = 1;
	struct lane_state start[LANES_MAX + 1];
	struct simhash_sum_table ignored;
	struct runs runs = {.count = 0};

	start[0] = block->before;
	while (runs.count < HYPOTHESES && known <= lanes) {
		unsigned n = runs.count++;
		runs.start[n][0] = block->before;
		for (size_t l = 1; l < lanes; l++)
			runs.start[n][l] = hypothesis(automaton, block->bytes + l * size, n);
		memcpy(runs.end[n], runs.start[n], lanes * sizeof *runs.end[n]);
		run(block, runs.end[n], NULL);
		known = chain(block, &runs, known, start);
	}
	/* If no hypothesis is true for a lane, run it byte by byte. */
	while (known <= lanes) {
		uint64_t entry =
			automaton_entry_of(automaton, block->context[known - 1], &start[known - 1]);
		entry = scan_bytes(automaton->entries, entry, block->bytes + (known - 1) * size,
				   size, &ignored);
		start[known++] = *automaton_lane_state(automaton, entry);
		known = chain(block, &runs, known, start);
	}
	run(block, start, table);
	return last_entry(block, &start[lanes]);
}

/* *wait is the number of blocks to scan without guesses. */
static uint64_t scan_block(const struct lane_block *block, uint64_t entry, uint64_t *wait,
			   struct simhash_sum_table *table)
{
	if (*wait > 0)
		--*wait;
	else if (scan_by_guesses(block, &entry, table))
		return entry;
	else
		*wait = TRY_AGAIN;
	return scan_by_hypotheses(block, table);
}

/*
 * Return the length of the lanes of the next block. A long lane has an odd number of cache lines,
 * because otherwise the lanes use the same cache sets (this costs a sixth of the speed). The length
 * does not leave a short block at the end.
 */
static size_t lane_size(size_t size, size_t lanes)
{
	size_t lane = size / lanes;

	if (lane <= LANE_MAX)
		return lane;
	return lane >= 2 * LANE_MAX ? LANE_MAX : (lane / 2 / LINE | 1) * LINE;
}

void lanes_update(const struct lane_engine *engine, struct simhash_scanner *scanner,
		  const uint8_t *bytes, size_t size)
{
	struct lane_block block = {.engine = engine,
				   .automaton = tag_set_automaton(scanner->tag_set)};
	uint64_t entry = scanner->state[0];

	assert(engine->lanes <= LANES_MAX);
	while (size >= engine->lanes * LANE_MIN) {
		size_t lane = lane_size(size, engine->lanes);
		size_t period,
			done = scan_find_period(bytes, size, engine->lanes * LANE_MIN / 2, &period);
		if (done > 0) {
			entry = scan_periodic(block.automaton->entries, entry, bytes, done, period,
					      &scanner->table);
		} else {
			block.bytes = bytes;
			block.size = lane;
			block.before = *automaton_lane_state(block.automaton, entry);
			block.context[0] =
				block.automaton->contexts[entry >> AUTOMATON_STATE_SHIFT];
			for (size_t l = 1; l < engine->lanes; l++)
				block.context[l] = bytes[l * lane - 1] & CONTEXT_MASK;
			entry = scan_block(&block, entry, &scanner->state[1], &scanner->table);
			done = lane * engine->lanes;
		}
		bytes += done;
		size -= done;
	}
	scanner->state[0] = entry;
	scan_kernel_portable.update(scanner, bytes, size);
}
