/*
 * Compares the sets and bags of features of two contents: computes the exact values that the
 * sketches estimate (A. Broder, 1997: resemblance and containment).
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/sort/sort.h"
#include "measure/measure.h"

struct feature_list {
	uint64_t *hashes;
	size_t count, capacity;
	bool has_failed;
};

static void keep(void *context, uint64_t *hashes, uint64_t *second, size_t count)
{
	struct feature_list *list = context;

	(void)second;
	if (list->has_failed)
		return;
	if (array_reserve(&list->hashes, &list->capacity, list->count + count, sizeof *list->hashes,
			  NULL) != 0) {
		list->has_failed = true;
		return;
	}
	memcpy(list->hashes + list->count, hashes, count * sizeof *hashes);
	list->count += count;
}

/* List the features of a content in sorted order. */
static int list_features(const struct feature_spec *spec, const void *bytes, size_t size,
			 struct feature_list *list)
{
	struct feature_stream *stream = feature_stream_new(spec, keep, list);
	uint64_t *scratch;

	if (stream == NULL)
		return -1;
	feature_stream_update(stream, bytes, size);
	feature_stream_end(stream);
	feature_stream_free(stream);
	scratch = malloc((list->count + 1) * sizeof *scratch);
	if (scratch == NULL || list->has_failed) {
		free(scratch);
		return -1;
	}
	sort_numbers(list->hashes, scratch, list->count);
	free(scratch);
	return 0;
}

/* Return the number of equal features from `at` on. */
static size_t run_length(const struct feature_list *list, size_t at)
{
	size_t end = at;

	while (end < list->count && list->hashes[end] == list->hashes[at])
		end++;
	return end - at;
}

static void count_features(const struct feature_list *a, const struct feature_list *b,
			   struct simhash_overlap *overlap)
{
	size_t i = 0, k = 0;

	while (i < a->count || k < b->count) {
		bool from_a = k == b->count || (i < a->count && a->hashes[i] <= b->hashes[k]);
		bool from_b = i == a->count || (k < b->count && b->hashes[k] <= a->hashes[i]);
		size_t times_a = from_a ? run_length(a, i) : 0;
		size_t times_b = from_b ? run_length(b, k) : 0;
		overlap->a += from_a;
		overlap->b += from_b;
		overlap->both += from_a && from_b;
		overlap->either++;
		overlap->bag_a += times_a;
		overlap->bag_b += times_b;
		overlap->bag_both += times_a < times_b ? times_a : times_b;
		overlap->bag_either += times_a > times_b ? times_a : times_b;
		i += times_a;
		k += times_b;
	}
}

int simhash_overlap(const char *features, const void *a, size_t a_bytes, const void *b,
		    size_t b_bytes, struct simhash_overlap *overlap, struct simhash_error *error)
{
	struct feature_spec spec = {FEATURE_BYTES, 8, false};
	struct feature_list x = {NULL, 0, 0, false}, y = {NULL, 0, 0, false};
	int status = 0;

	*overlap = (struct simhash_overlap){0};
	if (feature_spec_parse(features, &spec, error) != 0)
		return -1;
	if (list_features(&spec, a, a_bytes, &x) != 0 || list_features(&spec, b, b_bytes, &y) != 0)
		status = error_set_memory(error);
	else
		count_features(&x, &y, overlap);
	free(x.hashes);
	free(y.hashes);
	return status;
}
