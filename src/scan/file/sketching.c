/*
 * Feeds a content to several sketchers and to the hashes.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/sketching.h"

#include <errno.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "core/content_pieces.h"

int sketching_init(struct sketching *sketching, struct simhash_measure *const *measures,
		   unsigned count, unsigned hashes, struct simhash_error *error)
{
	*sketching = (struct sketching){.measures = measures, .hashes = hashes};
	if (hashes != 0 && hashing_new(hashes, &sketching->hashing, error) != 0)
		return -1;
	for (int i = 0; i < FILE_HASHES; i++)
		if ((hashes & 1U << i) != 0)
			sketching->size += file_hash_size((enum file_hash)i);
	for (; sketching->count < count; sketching->count++) {
		if (simhash_sketcher_new(measures[sketching->count],
					 &sketching->sketchers[sketching->count], error) != 0) {
			sketching_release(sketching);
			return -1;
		}
		sketching->size += simhash_measure_sketch_size(measures[sketching->count]);
	}
	return 0;
}

void sketching_release(struct sketching *sketching)
{
	for (unsigned i = 0; i < sketching->count; i++)
		simhash_sketcher_free(sketching->sketchers[i]);
	hashing_free(sketching->hashing);
	*sketching = (struct sketching){.count = 0};
}

void sketching_begin(struct sketching *sketching)
{
	for (unsigned i = 0; sketching->is_dirty && i < sketching->count; i++)
		simhash_sketcher_reset(sketching->sketchers[i]);
	sketching->is_dirty = sketching->count > 0;
	if (sketching->hashing != NULL)
		hashing_begin(sketching->hashing);
}

void sketching_add(struct sketching *sketching, const void *bytes, size_t size)
{
	for (unsigned i = 0; i < sketching->count; i++)
		simhash_sketcher_update(sketching->sketchers[i], bytes, size);
	if (sketching->hashing != NULL)
		hashing_add(sketching->hashing, bytes, size);
}

/* Returns the end of their bytes. */
static uint8_t *take_hashes(struct sketching *sketching, uint8_t *bytes, struct row_sketches *made)
{
	hashing_end(sketching->hashing, bytes);
	for (int i = 0; i < FILE_HASHES; i++) {
		if ((sketching->hashes & 1U << i) == 0)
			continue;
		row_sketches_add_hash(made, (enum file_hash)i, bytes);
		bytes += file_hash_size((enum file_hash)i);
	}
	return bytes;
}

/* Append the stored form of pieces. */
static void take_pieces(const struct content_pieces *pieces, uint8_t *bytes,
			struct row_sketches *made)
{
	made->pieces = (struct bytes){(const char *)bytes, content_pieces_store(pieces, bytes)};
}

/* Make all sketches. Returns the end of their bytes. */
static uint8_t *take_sketches(struct sketching *sketching, struct row_sketches *made)
{
	uint8_t *bytes = made->bytes;

	for (unsigned i = 0; i < sketching->count; i++) {
		const struct simhash_measure *measure = sketching->measures[i];
		struct row_sketch *sketch = &made->sketch[i];
		uint64_t features = 0;
		/* The buffer has room for the sketches of all measures. */
		(void)!simhash_sketcher_finish(sketching->sketchers[i], bytes,
					       simhash_measure_sketch_size(measure), &features,
					       NULL);
		sketch->features = (int64_t)features;
		sketch->cluster = simhash_sketch_cluster(measure, bytes);
		sketch->value =
			(struct bytes){(const char *)bytes, simhash_measure_sketch_size(measure)};
		bytes += sketch->value.size;
	}
	made->count = sketching->count;
	return bytes;
}

int sketching_end(struct sketching *sketching, const struct content_pieces *pieces,
		  struct row_sketches **sketches)
{
	bool has_pieces = pieces != NULL && pieces->count > 0;
	struct row_sketches *made;
	uint8_t *bytes;

	*sketches = NULL;
	if (sketching->count == 0 && sketching->hashing == NULL && !has_pieces)
		return 0;
	made = row_sketches_new(sketching->size +
				(has_pieces ? PIECES_STORED_MAX(pieces->count) : 0));
	if (made == NULL) {
		errno = ENOMEM;
		return -1;
	}
	bytes = take_sketches(sketching, made);
	if (sketching->hashing != NULL)
		bytes = take_hashes(sketching, bytes, made);
	if (has_pieces)
		take_pieces(pieces, bytes, made);
	sketching->is_dirty = false;
	*sketches = made;
	return 0;
}
