/*
 * Indexes the windows of one file, finds these windows in another file, and extends the matches.
 * SPDX-License-Identifier: MIT
 */
#include "find/reading/cover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"

#define SMALL ((size_t)4096) /* smaller files: every position is indexed, with half the width */
#define STEP ((size_t)8)     /* the distance between indexed positions */
#define POSITIONS_MAX ((size_t)1 << 21)
#define PLACES 64
#define PLACE_BYTES 32	/* the positions that are tried at each place */
#define BRIDGE 16	/* the number of bytes examined after a byte that differs */
#define BRIDGE_EQUAL 14 /* the match continues if this many of them are equal */

/* ---- Sources ---- */

/* Read up to `size` bytes. Returns 0 on failure. */
static size_t read_at(struct cover_source *source, size_t at, uint8_t *buffer, size_t size)
{
	size_t got = 0;

	if (size > source->size - at)
		size = source->size - at;
	while (got < size) {
		ssize_t part = pread(source->fd, buffer + got, size - got, (off_t)(at + got));
		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0) {
			source->failed = part < 0 ? errno : -1;
			return 0;
		}
		got += (size_t)part;
	}
	return got;
}

/*
 * A page consists of two aligned halves, so that a window that begins in the first half is
 * complete.
 */
static const uint8_t *look_page(struct cover_source *source, size_t at, size_t *have)
{
	size_t half = COVER_PAGE_BYTES / 2, start = at / half * half;
	size_t slot = at / half % COVER_PAGES;
	uint8_t *page = source->window + COVER_WINDOW_BYTES + slot * COVER_PAGE_BYTES;

	if (source->page_size[slot] == 0 || source->page_at[slot] != start) {
		source->page_at[slot] = start;
		source->page_size[slot] = read_at(source, start, page, COVER_PAGE_BYTES);
		if (source->page_size[slot] == 0)
			return NULL;
	}
	source->page_end = start + source->page_size[slot];
	*have = source->page_end - at;
	return page + (at - start);
}

/*
 * At least `need` bytes from `at`, fewer only at the end of the file, and at most half a page.
 * *have is the number of bytes. NULL if they cannot be read. Bytes after the last page are read in
 * sequence, all others by page.
 */
static const uint8_t *look(struct cover_source *source, size_t at, size_t need, size_t *have)
{
	size_t end = source->window_start + source->window_size;

	if (source->bytes != NULL) {
		*have = source->size - at;
		return source->bytes + at;
	}
	if (need > source->size - at)
		need = source->size - at;
	if (at >= source->window_start && at + need <= end) {
		*have = end - at;
		return source->window + (at - source->window_start);
	}
	if (at != source->page_end && (at >= end || at + need <= end || at < source->window_start))
		return look_page(source, at, have);
	source->window_start = at;
	source->window_size = read_at(source, at, source->window, COVER_WINDOW_BYTES);
	if (source->window_size == 0)
		return NULL;
	*have = source->window_size;
	return source->window;
}

static uint64_t load(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof word);
	return word;
}

static uint64_t hash_window(const struct cover_index *index, const uint8_t *bytes)
{
	uint64_t hash = load(bytes) * index->factors[0];

	if (index->width > 8)
		hash = (hash ^ hash >> 35 ^ load(bytes + 8)) * index->factors[1];
	return hash ^ hash >> 32;
}

/*
 * Odd factors that cannot be predicted. If they were known, somebody could create a file whose
 * windows all have the same slot, which takes hours. The result does not depend on them.
 */
static void choose_factors(struct cover_index *index)
{
	index->factors[0] = hash_seeded(0, 1) | 1;
	index->factors[1] = hash_seeded(0, 2) | 1;
}

/* ---- The index ---- */

static size_t step_of(size_t size)
{
	size_t step = size < SMALL ? 1 : STEP;

	while (size / step > POSITIONS_MAX)
		step *= 2;
	return step;
}

size_t cover_index_bytes(size_t size)
{
	return slots_bytes(size / step_of(size) + 1);
}

void cover_index_release(struct cover_index *index)
{
	slots_release(&index->slots);
}

/* A window that is searched in the file of an index. */
struct window_key {
	const struct cover_index *index;
	struct cover_source *source;
	const uint8_t *window;
	bool *failed; /* set if the file cannot be read */
};

static bool is_window(const void *key, uint32_t number)
{
	const struct window_key *wanted = key;
	size_t have, at = (size_t)(number - 1) * wanted->index->step;
	const uint8_t *known = look(wanted->source, at, wanted->index->width, &have);

	*wanted->failed = *wanted->failed || known == NULL;
	return known == NULL || memcmp(known, wanted->window, wanted->index->width) == 0;
}

/* The slot of the window, or a free slot for it. NULL if reading fails. */
static struct slot *find_slot(const struct cover_index *index, struct cover_source *source,
			      const uint8_t *window, uint64_t hash)
{
	bool failed = false;
	struct slot *slot = slots_find(&index->slots, hash, is_window,
				       &(struct window_key){index, source, window, &failed});

	return failed ? NULL : slot;
}

int cover_index_init(struct cover_index *index, struct cover_source *source,
		     struct simhash_error *error)
{
	size_t size = source->size;

	*index = (struct cover_index){.step = step_of(size), .width = size < SMALL ? 8 : 16};
	if (slots_reserve_all(&index->slots, size / index->step + 1, error) != 0)
		return -1;
	choose_factors(index);
	for (size_t at = 0; at + index->width <= size; at += index->step) {
		uint8_t window[16];
		size_t have;
		const uint8_t *bytes = look(source, at, index->width, &have);
		struct slot *slot;
		uint64_t hash;
		if (bytes == NULL)
			return 0;
		/* A comparison with an earlier window may move the bytes that were read. */
		memcpy(window, bytes, index->width);
		hash = hash_window(index, window);
		slot = find_slot(index, source, window, hash);
		if (slot == NULL)
			return 0;
		/*
		 * Only the first of several equal windows is stored, so runs of equal bytes take
		 * no longer than other bytes.
		 */
		if (slot->number == NO_ITEM)
			slots_add(&index->slots, slot, hash, (uint32_t)(at / index->step + 1));
	}
	return 0;
}

/* ---- Matching ---- */

static size_t equal_forward(const uint8_t *x, const uint8_t *y, size_t most)
{
	size_t n = 0;

	for (; n + 8 <= most; n += 8) {
		uint64_t apart = load(x + n) ^ load(y + n);
		if (apart != 0) {
			while (x[n] == y[n])
				n++;
			return n;
		}
	}
	while (n < most && x[n] == y[n])
		n++;
	return n;
}

static size_t equal_count(const uint8_t *x, const uint8_t *y, size_t size)
{
	size_t equal = 0;

	for (size_t i = 0; i < size; i++)
		equal += x[i] == y[i];
	return equal;
}

struct cover_match {
	size_t a, b;	/* the next position in each file */
	size_t covered; /* the number of bytes of b that match in a */
	bool is_firm;	/* complete windows are equal before it */
};

/* Extend a match forward, also across single bytes that differ. */
static bool extend_forward(struct cover_source *a, struct cover_source *b,
			   struct cover_match *match)
{
	while (match->a < a->size && match->b < b->size) {
		size_t a_have, b_have, most, n;
		const uint8_t *x = look(a, match->a, BRIDGE + 1, &a_have);
		const uint8_t *y = look(b, match->b, BRIDGE + 1, &b_have);
		if (x == NULL || y == NULL)
			return false;
		most = a_have < b_have ? a_have : b_have;
		n = equal_forward(x, y, most);
		match->a += n;
		match->b += n;
		match->covered += n;
		if (n == most)
			continue; /* this is the end of the bytes read last */
		/* The bytes at n differ. */
		x = look(a, match->a, BRIDGE + 1, &a_have);
		y = x == NULL ? NULL : look(b, match->b, BRIDGE + 1, &b_have);
		if (y == NULL)
			return false;
		most = a_have < b_have ? a_have : b_have;
		if (most < BRIDGE + 1 || (!match->is_firm && match->covered < 8) ||
		    equal_count(x + 1, y + 1, BRIDGE) < BRIDGE_EQUAL)
			break;
		match->a++;
		match->b++;
	}
	return true;
}

/* Find equal bytes before the windows, down to `low` in b. */
static bool extend_backward(struct cover_source *a, struct cover_source *b, size_t a_at,
			    size_t b_at, size_t low, size_t *bytes)
{
	*bytes = 0;
	while (a_at > 0 && b_at > low) {
		size_t have, step = b_at - low < 4096 ? b_at - low : 4096, n = 0;
		const uint8_t *x, *y;
		step = step < a_at ? step : a_at;
		x = look(a, a_at - step, step, &have);
		y = x == NULL ? NULL : look(b, b_at - step, step, &have);
		if (y == NULL)
			return false;
		while (n < step && x[step - 1 - n] == y[step - 1 - n])
			n++;
		*bytes += n;
		if (n < step)
			break;
		a_at -= step;
		b_at -= step;
	}
	return true;
}

/* Find the window at `at` of b in a. False if it is not in a or cannot be read. */
static bool find_window(const struct cover_index *index, struct cover_source *a,
			struct cover_source *b, size_t at, size_t *found)
{
	size_t have;
	const uint8_t *window = look(b, at, index->width, &have);
	const struct slot *slot;

	if (window == NULL)
		return false;
	slot = find_slot(index, a, window, hash_window(index, window));
	if (slot == NULL || slot->number == NO_ITEM)
		return false;
	*found = (size_t)(slot->number - 1) * index->step;
	return true;
}

/* The number of places of b, out of 64, with a window that occurs in a. */
static unsigned probe(const struct cover_index *index, struct cover_source *a,
		      struct cover_source *b)
{
	size_t apart = b->size / PLACES, found;
	unsigned hits = 0;

	for (unsigned place = 0; place < PLACES; place++) {
		size_t at = place * apart, end = at + PLACE_BYTES;
		while (at < end && !find_window(index, a, b, at, &found))
			at++;
		hits += at < end;
	}
	return hits;
}

size_t cover_measure(const struct cover_index *index, struct cover_source *a,
		     struct cover_source *b, double needed)
{
	size_t at = 0, decided = 0, covered = 0;

	if (b->size >= 16 * SMALL && needed > 0 && index->step <= STEP) {
		unsigned hits = probe(index, a, b);
		if (hits * 4.0 * (double)b->size < PLACES * needed)
			return b->size / PLACES * hits;
	}
	/* Most pairs have a common beginning, and short files may share only this. */
	if (a->size > 0 && b->size > 0) {
		struct cover_match match = {0, 0, 0, false};
		if (!extend_forward(a, b, &match))
			return 0;
		covered = match.covered;
		decided = match.b;
		at = decided >= index->width ? decided - index->width + 1 : 0;
	}
	while (at + index->width <= b->size && a->failed == 0 && b->failed == 0) {
		struct cover_match match;
		size_t found, before;
		if ((double)(covered + (b->size - at)) < needed)
			break;
		if (!find_window(index, a, b, at, &found)) {
			at++;
			continue;
		}
		if (at >= decided) {
			if (!extend_backward(a, b, found, at, decided, &before))
				break;
			match = (struct cover_match){found, at, 0, true};
		} else { /* the window begins in bytes that are already counted */
			before = 0;
			match = (struct cover_match){found + (decided - at), decided, 0, true};
		}
		if (!extend_forward(a, b, &match))
			break;
		covered += before + match.covered;
		if (match.b > decided)
			decided = match.b;
		/*
		 * A match that overlaps the end of this match begins with a window that overlaps
		 * it.
		 */
		at = decided >= index->width && decided - index->width + 1 > at
			     ? decided - index->width + 1
			     : at + 1;
	}
	return covered < b->size ? covered : b->size;
}

bool cover_equal(struct cover_source *a, struct cover_source *b)
{
	for (size_t at = 0; at < a->size;) {
		size_t a_have, b_have;
		const uint8_t *x = look(a, at, 1, &a_have);
		const uint8_t *y = x == NULL ? NULL : look(b, at, 1, &b_have);
		size_t most;
		if (y == NULL)
			return false;
		most = a_have < b_have ? a_have : b_have;
		if (memcmp(x, y, most) != 0)
			return false;
		at += most;
	}
	return true;
}
