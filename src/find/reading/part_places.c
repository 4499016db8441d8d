/*
 * Finds the places of parts: threads take one file after another, and search it for its parts.
 * SPDX-License-Identifier: MIT
 */
#include "find/reading/part_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "find/reading/passage_content.h"

/* The parts that are searched together take some 200 MB, unless a single one takes more. */
#define SHINGLES_MAX (1u << 20)
#define SHINGLES_EACH 512 /* of a part: enough for its place, and most words are skipped */
#define BYTES_MAX ((size_t)64 << 20)

struct placing {
	struct content_cache *cache;
	struct pair_list *list;
	struct file_pair **pairs; /* sorted by the file that contains the part */
	size_t count;
	atomic_size_t
		next; /* a thread takes the file of the pair with this number, or a later one */
};

static const struct find_file *part_of(const struct file_pair *pair)
{
	return whole_of(pair) == pair->a ? pair->b : pair->a;
}

static int compare_wholes(const void *a, const void *b)
{
	const struct file_pair *x = *(struct file_pair *const *)a;
	const struct file_pair *y = *(struct file_pair *const *)b;
	uint32_t x_whole = whole_of(x)->number, y_whole = whole_of(y)->number;
	uint32_t x_part = part_of(x)->number, y_part = part_of(y)->number;

	if (x_whole != y_whole)
		return x_whole < y_whole ? -1 : 1;
	return (x_part > y_part) - (x_part < y_part);
}

/* ---- The parts of one file ---- */

/* Load a part. One that cannot be loaded has no bytes, and is not found. */
static int add_part(struct placing *p, struct passage_set *set, const struct find_file *part,
		    struct simhash_error *error)
{
	struct content_cache *cache = p->cache;
	struct loaded *content = content_cache_take(cache, part, part->document_bytes > 0);
	size_t size = content == NULL || content->bytes == NULL ? 0 : (size_t)loaded_size(content);
	uint8_t *bytes = malloc(size + 1);

	if (bytes != NULL && size > 0)
		memcpy(bytes, content->bytes, size);
	content_cache_return(cache, content);
	return bytes == NULL ? error_set_memory(error) : passage_set_add(set, bytes, size, error);
}

/* Load parts of the same file from `first` on, as many as can be searched together. */
static int add_parts(struct placing *p, struct passage_set *set, size_t first, size_t end,
		     struct simhash_error *error)
{
	size_t bytes = 0;
	int status = 0;

	for (; status == 0 && first < end && bytes < BYTES_MAX &&
	       set->contents.shingle_count < SHINGLES_MAX;
	     first++) {
		status = add_part(p, set, part_of(p->pairs[first]), error);
		if (status == 0)
			bytes += set->forms[set->count - 1].size;
	}
	return status == 0 ? passage_set_end(set, error) : -1;
}

static int keep_places(struct placing *p, struct passage_search *search, size_t first,
		       struct simhash_error *error)
{
	struct part_place place;
	int status = 0;

	for (size_t i = 0; status >= 0 && i < search->set->count; i++) {
		struct file_pair *pair = p->pairs[first + i];
		status = passage_search_place(search, i, &place, NULL, error);
		if (status != 1)
			continue;
		pthread_mutex_lock(&p->list->lock);
		pair->place = pair_list_keep_place(p->list, &place);
		pthread_mutex_unlock(&p->list->lock);
		if (pair->place == NULL)
			status = error_set_memory(error);
	}
	return status < 0 ? -1 : 0;
}

static int search_whole(struct placing *p, struct passage_set *set, struct loaded *whole,
			size_t first, struct simhash_error *error)
{
	struct content_cache *cache = p->cache;
	struct passage_search search = {.set = NULL};
	struct cover_source source;
	int status = 0;

	if (content_open(cache, whole, &source)) {
		status = passage_search_init(&search, set, error);
		if (status == 0)
			status = passage_search_run(&search, &source, error);
		if (status == 0 && source.failed == 0)
			status = keep_places(p, &search, first, error);
		if (source.failed != 0)
			content_report(cache, whole, source.failed > 0 ? source.failed : 0);
		passage_search_release(&search);
	}
	content_close(&source);
	return status;
}

/* Find the places of the parts from `first` up to `end` in their common file. */
static int place_parts(struct placing *p, size_t first, size_t end, struct simhash_error *error)
{
	struct content_cache *cache = p->cache;
	struct loaded *whole = content_cache_take(cache, whole_of(p->pairs[first]), false);
	int status = 0;

	while (status == 0 && whole != NULL && first < end) {
		struct passage_set set = {.texts = {.sampled = SHINGLES_EACH},
					  .contents = {.sampled = SHINGLES_EACH}};
		size_t count;
		status = add_parts(p, &set, first, end, error);
		count = set.count;
		if (status == 0)
			status = search_whole(p, &set, whole, first, error);
		passage_set_release(&set);
		first += count;
	}
	content_cache_return(cache, whole);
	return status;
}

/* ---- All files ---- */

static size_t whole_end(const struct placing *p, size_t first)
{
	size_t end = first;

	while (end < p->count && whole_of(p->pairs[end]) == whole_of(p->pairs[first]))
		end++;
	return end;
}

static void *run_placing(void *context)
{
	struct placing *p = context;
	struct first_error *first_error = p->cache->first_error;
	struct simhash_error error;

	while (!first_error_is_set(first_error)) {
		size_t first = atomic_load(&p->next), end;
		do
			end = whole_end(p, first);
		while (!atomic_compare_exchange_weak(&p->next, &first, end));
		if (first >= p->count)
			break;
		if (place_parts(p, first, end, &error) != 0)
			first_error_set(first_error, &error);
	}
	return NULL;
}

int find_part_places(struct pair_list *list, struct file_pair **pairs, size_t count,
		     struct content_cache *cache, const struct find_resources *resources)
{
	struct placing p = {.cache = cache, .list = list, .pairs = pairs, .count = count};

	if (count == 0)
		return 0;
	qsort(pairs, count, sizeof(struct file_pair *), compare_wholes);
	threads_run(resources->threads, run_placing, &p, 0);
	return first_error_is_set(cache->first_error) ? -1 : 0;
}
