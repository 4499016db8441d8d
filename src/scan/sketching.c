/*
 * Several sketchers side by side.
 * SPDX-License-Identifier: MIT
 */
#include "scan/sketching.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

int sketching_init(struct sketching *sketching, struct simhash_measure *const *measures,
		   unsigned count, struct simhash_error *error)
{
	*sketching = (struct sketching){.measures = measures};
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
	sketching->count = 0;
}

void sketching_begin(struct sketching *sketching)
{
	for (unsigned i = 0; sketching->is_dirty && i < sketching->count; i++)
		simhash_sketcher_reset(sketching->sketchers[i]);
	sketching->is_dirty = sketching->count > 0;
}

void sketching_add(struct sketching *sketching, const void *bytes, size_t size)
{
	for (unsigned i = 0; i < sketching->count; i++)
		simhash_sketcher_update(sketching->sketchers[i], bytes, size);
}

int sketching_end(struct sketching *sketching, struct row_sketches **sketches)
{
	struct row_sketches *made;
	uint8_t *bytes;

	*sketches = NULL;
	if (sketching->count == 0)
		return 0;
	made = row_sketches_new(sketching->size);
	if (made == NULL) {
		errno = ENOMEM;
		return -1;
	}
	bytes = made->bytes;
	for (unsigned i = 0; i < sketching->count; i++) {
		const struct simhash_measure *measure = sketching->measures[i];
		struct row_sketch *sketch = &made->sketch[i];
		uint64_t features = 0;
		/* There is room for the sketches of all measures. */
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
	sketching->is_dirty = false;
	*sketches = made;
	return 0;
}
