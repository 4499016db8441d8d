/*
 * Builds the table of byte steps from 16 tags (paper, 4.1: windows and skip counters). It first
 * explores the automaton that reads bits, from the state before the first bit. Then it composes
 * eight bit steps at a time to byte steps. The scan kernels run the automaton.
 * SPDX-License-Identifier: MIT
 */
#include "core/automaton.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"

#define WINDOW 8
#define NO_TAG 0xff
#define STATES_MAX 65536u

/* The state between two bits. */
struct bit_state {
	uint8_t seen;	 /* the number of bits seen, at most WINDOW - 1 */
	uint8_t context; /* the last WINDOW - 1 bits */
	uint8_t skip[SIMHASH_TAGS];
};

struct bit_step {
	uint32_t next[2];
	uint8_t tag[2]; /* the tags counted in this step, or NO_TAG */
};

/* The states so far, with an open-addressing table to look them up. */
struct builder {
	const struct simhash_tag *tags;
	struct bit_state *states;
	struct bit_step *steps;
	uint32_t used, capacity;
	uint32_t *slots; /* state number + 1, or 0 */
	uint32_t slot_count;
};

/*
 * A skip counter of k blocks the next k windows. Keep only the relevant part: up to the last
 * blocked window that the bits so far can still turn into the tag. This merges states that behave
 * alike.
 */
static uint8_t live_skip(const struct bit_state *state, uint8_t pattern, uint8_t skip)
{
	for (uint8_t d = skip; d > 0; d--) {
		/* The d-th window from here begins with the last 8 - d bits. */
		uint8_t known = (uint8_t)(state->context & ((1u << (WINDOW - d)) - 1));
		if (known == pattern >> d)
			return d;
	}
	return 0;
}

static uint32_t hash_state(const struct bit_state *state)
{
	const uint8_t *bytes = (const uint8_t *)state;
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < sizeof *state; i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash;
}

static uint32_t *find_slot(const struct builder *builder, const struct bit_state *state)
{
	uint32_t mask = builder->slot_count - 1;
	uint32_t i = hash_state(state) & mask;

	while (builder->slots[i] != 0 &&
	       memcmp(&builder->states[builder->slots[i] - 1], state, sizeof *state) != 0)
		i = (i + 1) & mask;
	return &builder->slots[i];
}

static int grow(struct builder *builder, struct simhash_error *error)
{
	uint32_t capacity = builder->capacity == 0 ? 1024 : builder->capacity * 2;
	struct bit_state *states = realloc(builder->states, capacity * sizeof *states);
	struct bit_step *steps;

	if (states == NULL)
		return error_set_memory(error);
	builder->states = states;
	steps = realloc(builder->steps, capacity * sizeof *steps);
	if (steps == NULL)
		return error_set_memory(error);
	builder->steps = steps;
	free(builder->slots);
	builder->slot_count = capacity * 2;
	builder->slots = calloc(builder->slot_count, sizeof *builder->slots);
	if (builder->slots == NULL)
		return error_set_memory(error);
	builder->capacity = capacity;
	for (uint32_t i = 0; i < builder->used; i++)
		*find_slot(builder, &builder->states[i]) = i + 1;
	return 0;
}

/* Return the number of a state, and add the state if it is new. */
static int intern(struct builder *builder, struct bit_state state, uint32_t *number,
		  struct simhash_error *error)
{
	uint32_t *slot;

	for (int t = 0; t < SIMHASH_TAGS; t++)
		state.skip[t] = live_skip(&state, builder->tags[t].pattern, state.skip[t]);
	if (builder->used == builder->capacity && grow(builder, error) != 0)
		return -1;
	slot = find_slot(builder, &state);
	if (*slot == 0) {
		builder->states[builder->used] = state;
		*slot = ++builder->used;
	}
	*number = *slot - 1;
	return 0;
}

/* Apply the paper's rule for one bit: compare, count, skip. */
static uint8_t read_bit(const struct simhash_tag *tags, struct bit_state *state, unsigned bit)
{
	unsigned window = (unsigned)state->context << 1 | bit;
	uint8_t counted = NO_TAG;

	if (state->seen < WINDOW - 1) {
		state->seen++;
	} else {
		for (uint8_t t = 0; t < SIMHASH_TAGS; t++)
			if (state->skip[t] > 0) {
				state->skip[t]--;
			} else if (tags[t].pattern == window) {
				counted = t;
				state->skip[t] = WINDOW - 1;
			}
	}
	state->context = (uint8_t)(window & 0x7f);
	return counted;
}

static int explore_bits(struct builder *builder, struct simhash_error *error)
{
	struct bit_state start;
	uint32_t number;

	memset(&start, 0, sizeof start);
	if (intern(builder, start, &number, error) != 0)
		return -1;
	for (uint32_t i = 0; i < builder->used; i++)
		for (unsigned bit = 0; bit < 2; bit++) {
			struct bit_state state = builder->states[i];
			uint8_t tag = read_bit(builder->tags, &state, bit);
			if (intern(builder, state, &number, error) != 0)
				return -1;
			builder->steps[i].next[bit] = number;
			builder->steps[i].tag[bit] = tag;
		}
	return 0;
}

static uint64_t field(uint8_t tag)
{
	return tag == NO_TAG ? 0 : UINT64_C(1) << (AUTOMATON_FIELD_BITS * tag);
}

/* Compose eight bit steps for each of the 256 bytes, starting in one bit state. */
static void compose_bytes(const struct builder *builder, uint32_t from, uint32_t next[256],
			  uint64_t counted[256])
{
	next[0] = from;
	counted[0] = 0;
	/* After round n the first 2^n entries hold all n-bit prefixes. */
	for (unsigned length = 1; length < 256; length *= 2)
		for (unsigned i = length; i-- > 0;) {
			const struct bit_step *step = &builder->steps[next[i]];
			uint64_t before = counted[i];
			for (unsigned bit = 2; bit-- > 0;) {
				uint8_t tag = step->tag[bit];
				next[2 * i + bit] = step->next[bit];
				counted[2 * i + bit] = before + field(tag);
			}
		}
}

/*
 * Find the states at byte boundaries. `found` receives the bit state of each byte state, in order
 * of discovery.
 */
static int explore_bytes(const struct builder *builder, struct automaton *automaton,
			 uint32_t *found, struct simhash_error *error)
{
	/* From a bit state to its byte state: number + 1, or 0. */
	uint32_t *number = calloc(builder->used, sizeof *number);
	uint32_t next[256], capacity = 0, used = 1;
	uint64_t counted[256];
	int status = -1;

	if (number == NULL)
		return error_set_memory(error);
	found[0] = 0;
	number[0] = 1;
	for (uint32_t i = 0; i < used; i++) {
		if (i == capacity) {
			uint64_t *grown;
			capacity = capacity == 0 ? 256 : capacity * 2;
			grown = realloc(automaton->entries, (size_t)capacity * 256 * sizeof *grown);
			if (grown == NULL) {
				error_set_memory(error);
				goto out;
			}
			automaton->entries = grown;
		}
		compose_bytes(builder, found[i], next, counted);
		for (unsigned byte = 0; byte < 256; byte++) {
			if (number[next[byte]] == 0) {
				found[used] = next[byte];
				number[next[byte]] = ++used;
			}
			automaton->entries[(size_t)i * 256 + byte] =
				(uint64_t)(number[next[byte]] - 1) << AUTOMATON_STATE_SHIFT |
				counted[byte];
		}
		if (used > STATES_MAX) {
			error_set(error, SIMHASH_E_RANGE,
				  "the tags overlap in too many ways: more than %u states",
				  STATES_MAX);
			goto out;
		}
	}
	automaton->states = used;
	status = 0;
out:
	free(number);
	return status;
}

/* Mark the next `skip` windows as blocked for a tag. */
static void block(struct lane_state *state, int tag, unsigned skip)
{
	for (unsigned w = 0; w < skip; w++)
		state->blocked[tag / 8][w] |= (uint8_t)(1u << tag % 8);
}

static void describe_states(const struct builder *builder, const uint32_t *found,
			    struct automaton *automaton)
{
	uint32_t next[AUTOMATON_CONTEXTS];

	for (uint32_t i = 0; i < automaton->states; i++) {
		const struct bit_state *state = &builder->states[found[i]];
		automaton->contexts[i] = state->context;
		automaton->first_of[state->context + 1]++;
		for (int t = 0; t < SIMHASH_TAGS; t++)
			block(&automaton->lane_states[i], t,
			      state->seen < WINDOW - 1 ? WINDOW - 1 : state->skip[t]);
	}
	for (unsigned c = 0; c < AUTOMATON_CONTEXTS; c++) {
		automaton->first_of[c + 1] += automaton->first_of[c];
		next[c] = automaton->first_of[c];
	}
	for (uint32_t i = 0; i < automaton->states; i++)
		automaton->by_context[next[automaton->contexts[i]]++] = i;
}

static void describe_tags(const struct simhash_tag tags[SIMHASH_TAGS], struct automaton *automaton)
{
	for (int t = 0; t < SIMHASH_TAGS; t++) {
		uint8_t pattern = tags[t].pattern, bit = (uint8_t)(1u << t % 8);
		automaton->first_nibble[t / 8][pattern >> 4] |= bit;
		automaton->second_nibble[t / 8][pattern & 0xf] |= bit;
		for (unsigned c = 0; c < AUTOMATON_CONTEXTS; c++)
			for (unsigned w = 0; w < WINDOW - 1; w++)
				/* Window w begins with the last 7 - w bits. */
				if ((c & ((1u << (WINDOW - 1 - w)) - 1)) ==
				    (unsigned)pattern >> (w + 1))
					automaton->relevant[c].blocked[t / 8][w] |= bit;
	}
}

static int describe(const struct builder *builder, const uint32_t *found,
		    struct automaton *automaton, struct simhash_error *error)
{
	automaton->lane_states = calloc(automaton->states, sizeof *automaton->lane_states);
	automaton->contexts = calloc(automaton->states, sizeof *automaton->contexts);
	automaton->by_context = calloc(automaton->states, sizeof *automaton->by_context);
	if (automaton->lane_states == NULL || automaton->contexts == NULL ||
	    automaton->by_context == NULL)
		return error_set_memory(error);
	describe_states(builder, found, automaton);
	describe_tags(builder->tags, automaton);
	return 0;
}

int automaton_init(struct automaton *automaton, const struct simhash_tag tags[SIMHASH_TAGS],
		   struct simhash_error *error)
{
	struct builder builder = {.tags = tags};
	uint32_t *found = NULL;
	int status;

	memset(automaton, 0, sizeof *automaton);
	status = explore_bits(&builder, error);
	if (status == 0) {
		found = calloc(builder.used, sizeof *found);
		status = found == NULL ? error_set_memory(error)
				       : explore_bytes(&builder, automaton, found, error);
	}
	if (status == 0)
		status = describe(&builder, found, automaton, error);
	if (status != 0)
		automaton_release(automaton);
	free(found);
	free(builder.slots);
	free(builder.steps);
	free(builder.states);
	return status;
}

void automaton_release(struct automaton *automaton)
{
	free(automaton->by_context);
	free(automaton->contexts);
	free(automaton->lane_states);
	free(automaton->entries);
	memset(automaton, 0, sizeof *automaton);
}

bool lane_state_same(const struct automaton *automaton, uint8_t context,
		     const struct lane_state *one, const struct lane_state *other)
{
	uint64_t a[2], b[2], relevant[2];

	memcpy(a, one, sizeof a);
	memcpy(b, other, sizeof b);
	memcpy(relevant, &automaton->relevant[context], sizeof relevant);
	return (((a[0] ^ b[0]) & relevant[0]) | ((a[1] ^ b[1]) & relevant[1])) == 0;
}

uint64_t automaton_entry_of(const struct automaton *automaton, uint8_t context,
			    const struct lane_state *state)
{
	uint32_t i = automaton->first_of[context];

	while (!lane_state_same(automaton, context, state,
				&automaton->lane_states[automaton->by_context[i]]))
		i++;
	return (uint64_t)automaton->by_context[i] << AUTOMATON_STATE_SHIFT;
}
