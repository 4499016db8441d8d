/*
 * The order of reading: sets of connected files, by a union-find, and ranks by inode.
 * SPDX-License-Identifier: MIT
 */
#include "find/reading_order.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/sort.h"

/* Of a file of the list. */
struct place {
	uint64_t device, inode;
	uint32_t root; /* of the connected files that it is one of */
	uint32_t rank; /* in the order of reading */
	bool is_needed;
};

static uint32_t root_of(struct place *places, uint32_t file)
{
	while (places[file].root != file) {
		places[file].root = places[places[file].root].root;
		file = places[file].root;
	}
	return file;
}

static bool is_before(const struct place *x, const struct place *y)
{
	return x->device != y->device ? x->device < y->device : x->inode < y->inode;
}

/* Connected files together, and both those sets and the files in them by inode. */
static int compare_files(const void *a, const void *b, void *context)
{
	const struct place *places = context;
	const struct place *x = &places[*(const uint32_t *)a], *y = &places[*(const uint32_t *)b];

	if (x->root != y->root) {
		const struct place *x_root = &places[x->root], *y_root = &places[y->root];
		if (is_before(x_root, y_root) || is_before(y_root, x_root))
			return is_before(x_root, y_root) ? -1 : 1;
		return x->root < y->root ? -1 : 1;
	}
	return is_before(x, y) ? -1 : is_before(y, x);
}

static int compare_pairs(const void *a, const void *b, void *context)
{
	const struct file_pair *x = *(struct file_pair *const *)a;
	const struct file_pair *y = *(struct file_pair *const *)b;
	const struct place *places = context;
	uint32_t x_a = places[x->a->number].rank, x_b = places[x->b->number].rank;
	uint32_t y_a = places[y->a->number].rank, y_b = places[y->b->number].rank;
	uint32_t x_low = x_a < x_b ? x_a : x_b, x_high = x_a < x_b ? x_b : x_a;
	uint32_t y_low = y_a < y_b ? y_a : y_b, y_high = y_a < y_b ? y_b : y_a;

	if (x_low != y_low)
		return x_low < y_low ? -1 : 1;
	return (x_high > y_high) - (x_high < y_high);
}

static void connect(struct place *places, struct file_pair *const *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t a = pairs[i]->a->number, b = pairs[i]->b->number;
		places[a].is_needed = true;
		places[b].is_needed = true;
		places[root_of(places, a)].root = root_of(places, b);
	}
}

int sort_for_reading(struct file_pair **pairs, size_t count, const struct pair_list *list,
		     struct content_cache *cache, struct simhash_error *error)
{
	struct place *places = calloc(list->file_count + 1, sizeof *places);
	uint32_t *files = malloc((list->file_count + 1) * sizeof *files);

	if (places == NULL || files == NULL) {
		free(files);
		free(places);
		return error_set_memory(error);
	}
	for (uint32_t i = 0; i < list->file_count; i++) {
		files[i] = i;
		places[i].root = i;
	}
	connect(places, pairs, count);
	for (uint32_t i = 0; i < list->file_count; i++) {
		places[i].root = root_of(places, i);
		if (places[i].is_needed)
			content_cache_locate(cache, i, &places[i].device, &places[i].inode);
	}
	sort_with(files, list->file_count, sizeof *files, compare_files, places);
	for (uint32_t i = 0; i < list->file_count; i++)
		places[files[i]].rank = i;
	sort_with(pairs, count, sizeof(struct file_pair *), compare_pairs, places);
	free(files);
	free(places);
	return 0;
}
