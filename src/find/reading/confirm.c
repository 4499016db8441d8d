/*
 * Confirms pairs: threads take one pair after another, and measure how much of each file is found
 * in the other. content_cache.c stores the contents.
 * SPDX-License-Identifier: MIT
 */
#include "find/reading/confirm.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "base/sort/sort.h"
#include "base/threads/threads.h"
#include "find/reading/content_cache.h"
#include "find/reading/part_places.h"
#include "find/rule/verify.h"

struct confirming {
	struct confirmer confirmer;
	struct find_progress *progress;
	struct file_pair **pairs; /* the pairs to read, in the order of reading */
	size_t count;
	atomic_size_t next;
};

/* ---- The order of reading ---- */

/* The place of a file of the list. */
struct pair_place {
	uint64_t device, inode;
	uint32_t root; /* identifies the set of connected files */
	uint32_t rank; /* its position in the order of reading */
	bool is_needed;
};

static uint32_t root_of(struct pair_place *places, uint32_t file)
{
	while (places[file].root != file) {
		places[file].root = places[places[file].root].root;
		file = places[file].root;
	}
	return file;
}

static bool is_before(const struct pair_place *x, const struct pair_place *y)
{
	return x->device != y->device ? x->device < y->device : x->inode < y->inode;
}

/* Sorts connected files together. These sets, and the files in a set, are sorted by inode. */
static int compare_files(const void *a, const void *b, void *context)
{
	const struct pair_place *places = context;
	const struct pair_place *x = &places[*(const uint32_t *)a],
				*y = &places[*(const uint32_t *)b];

	if (x->root != y->root) {
		const struct pair_place *x_root = &places[x->root], *y_root = &places[y->root];
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
	const struct pair_place *places = context;
	uint32_t x_a = places[x->a->number].rank, x_b = places[x->b->number].rank;
	uint32_t y_a = places[y->a->number].rank, y_b = places[y->b->number].rank;
	uint32_t x_low = x_a < x_b ? x_a : x_b, x_high = x_a < x_b ? x_b : x_a;
	uint32_t y_low = y_a < y_b ? y_a : y_b, y_high = y_a < y_b ? y_b : y_a;

	if (x_low != y_low)
		return x_low < y_low ? -1 : 1;
	return (x_high > y_high) - (x_high < y_high);
}

static void connect(struct pair_place *places, struct file_pair *const *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t a = pairs[i]->a->number, b = pairs[i]->b->number;
		places[a].is_needed = true;
		places[b].is_needed = true;
		places[root_of(places, a)].root = root_of(places, b);
	}
}

/*
 * Sort the pairs of a list so that each file is read only once if memory allows. Pairs that share
 * files, directly or through other pairs, are together. These sets and the files in them are sorted
 * by inode, which is about their order on the disk. This reports files that cannot be read.
 */
static int sort_for_reading(struct file_pair **pairs, size_t count, const struct pair_list *list,
			    struct content_cache *cache, struct simhash_error *error)
{
	struct pair_place *places = calloc(list->file_count + 1, sizeof *places);
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
			content_cache_locate(cache, list->files[i], &places[i].device,
					     &places[i].inode);
	}
	sort_with(files, list->file_count, sizeof *files, compare_files, places);
	for (uint32_t i = 0; i < list->file_count; i++)
		places[files[i]].rank = i;
	sort_with(pairs, count, sizeof(struct file_pair *), compare_pairs, places);
	free(files);
	free(places);
	return content_cache_link(cache, error);
}

/* ---- Measuring a pair ---- */

static void set_shares(struct relation *relation, double a, double b, double a_found,
		       double b_found)
{
	double both = (a_found + b_found) / 2, most = a < b ? a / b : b > 0 ? b / a : 0;

	relation->verification = PAIR_READ;
	relation->contained_a = a > 0 ? a_found / a : 1;
	relation->contained_b = b > 0 ? b_found / b : 1;
	relation->resemblance = a + b - both > 0 ? both / (a + b - both) : 1;
	/* Repeated content is found in both directions, but the sizes count it each time. */
	if (relation->resemblance > most && a + b > 0)
		relation->resemblance = most;
}

/*
 * Assume that all `other` bytes of one file are found in the other file, which has `size` bytes.
 * Return the number of its bytes that must be found for this resemblance.
 */
static double minimum_cover(double size, double other, double resemblance)
{
	return 2 * resemblance / (1 + resemblance) * (size + other) - other;
}

/* One file of a pair while the pair is measured. */
struct pair_side {
	struct loaded *content;
	struct cover_source source;
};

static bool measure(struct confirmer *c, struct relation *relation, struct pair_side *a,
		    struct pair_side *b)
{
	size_t a_size = a->source.size, b_size = b->source.size, a_found = a_size, b_found;
	double resemblance = relation->is_part ? 0 : c->request->min_resemblance;
	double b_minimum = minimum_cover((double)b_size, (double)a_size, resemblance);

	if (a_size == b_size && cover_equal(&a->source, &b->source)) {
		relation->is_identical = !a->content->is_text && !b->content->is_text;
		set_shares(relation, (double)a_size, (double)b_size, (double)a_size,
			   (double)b_size);
		return true;
	}
	if (a->source.failed != 0 || b->source.failed != 0)
		return false;
	relation->is_identical = false;
	if (!content_need_index(&c->cache, a->content, &a->source) ||
	    !content_need_index(&c->cache, b->content, &b->source))
		return false;
	b_found = cover_measure(&a->content->index, &a->source, &b->source, b_minimum);
	/* Otherwise the minimum is missed even if all of a is found. */
	if ((double)b_found >= b_minimum)
		a_found = cover_measure(&b->content->index, &b->source, &a->source,
					minimum_cover((double)a_size, (double)b_size, resemblance));
	else if (b_found < a_found)
		a_found = b_found;
	set_shares(relation, (double)a_size, (double)b_size, (double)a_found, (double)b_found);
	return a->source.failed == 0 && b->source.failed == 0;
}

/* The bytes decide whether two documents are identical; otherwise their texts are compared. */
static bool take_side(struct confirmer *c, struct pair_side *side, const struct find_file *file,
		      bool is_identical)
{
	side->content =
		content_cache_take(&c->cache, file, file->document_bytes > 0 && !is_identical);
	return side->content != NULL;
}

static void close_side(struct confirmer *c, struct pair_side *side)
{
	content_close(&side->source);
	content_cache_return(&c->cache, side->content);
}

static void report_failed(struct confirmer *c, const struct pair_side *side)
{
	if (side->source.failed != 0)
		content_report(&c->cache, side->content,
			       side->source.failed > 0 ? side->source.failed : 0);
}

static void confirm_pair(struct confirmer *c, struct file_pair *pair)
{
	struct pair_side a = {.source = {.fd = -1}}, b = a;
	bool is_identical = pair->relation.is_identical;

	if (!take_side(c, &a, pair->a, is_identical) || !take_side(c, &b, pair->b, is_identical) ||
	    !content_open(&c->cache, a.content, &a.source) ||
	    !content_open(&c->cache, b.content, &b.source)) {
		pair->relation.is_unreadable = true; /* this was already reported */
	} else if (!measure(c, &pair->relation, &a, &b)) {
		pair->relation.is_unreadable = true;
		report_failed(c, &a);
		report_failed(c, &b);
	}
	close_side(c, &a);
	close_side(c, &b);
}

/* ---- Is it enough? ---- */

static bool is_settled(const struct relation *relation, double min_resemblance)
{
	return relation->verification == PAIR_HASH || relation->is_part ||
	       (is_by_sketches(relation) && sketch_settles(relation->resemblance, min_resemblance));
}

/*
 * The share to compare with the minimum. If one file is part of the other, it is the contained
 * share.
 */
static double found_share(const struct relation *relation)
{
	return relation->is_part ? larger_containment(relation) : relation->resemblance;
}

/* For files that cannot be read, the sketches decide, if the files have sketches. */
static bool is_enough(const struct confirm_request *request, struct file_pair *pair)
{
	struct relation *relation = &pair->relation;
	double min_resemblance = request->min_resemblance;

	if (relation->verification == PAIR_READ && request->with_parts &&
	    relation->resemblance < min_resemblance &&
	    sizes_differ_clearly(pair->a->size_bytes, pair->b->size_bytes))
		relation->is_part = true;
	if (relation->verification == PAIR_READ)
		return found_share(relation) >= min_resemblance;
	if (!relation->is_unreadable || relation->is_part || relation->verification == PAIR_HASH ||
	    relation->verification == PAIR_MEASURED)
		return true;
	estimate_resemblance(pair->a, pair->b, relation);
	return !is_by_sketches(relation) || relation->resemblance >= min_resemblance;
}

void confirmer_init(struct confirmer *confirmer, const struct confirm_request *request,
		    const struct find_sink *sink, struct simhash_error *error)
{
	confirmer->request = request;
	first_error_init(&confirmer->first_error, error);
	content_cache_init(&confirmer->cache, sink, request->sandbox, &confirmer->first_error);
}

void confirmer_release(struct confirmer *confirmer)
{
	content_cache_release(&confirmer->cache);
}

/* Can this host read both files again? */
static bool can_read(const struct confirm_request *request, const struct file_pair *pair)
{
	return pair->a->is_local && pair->b->is_local &&
	       ((!pair->a->is_stream && !pair->b->is_stream) || request->rereads_stdin);
}

/* Is the place of a part wanted? There is none in the text of a document. */
static bool needs_place(const struct confirm_request *request, const struct file_pair *pair)
{
	return request->with_places && pair->relation.is_part && !pair->relation.is_identical &&
	       pair->place == NULL && !pair->relation.is_unreadable &&
	       whole_of(pair)->document_bytes == 0 && can_read(request, pair);
}

/* Must a pair be read? This marks pairs that cannot be read. */
static bool is_to_be_read(const struct confirm_request *request, struct file_pair *pair)
{
	if (!request->reads_all && is_settled(&pair->relation, request->min_resemblance))
		return false;
	if (pair->relation.verification == PAIR_READ) /* a passage that was found by reading */
		return false;
	if (can_read(request, pair))
		return true;
	pair->relation.is_unreadable = true;
	return false;
}

bool confirmer_keeps(struct confirmer *confirmer, struct file_pair *pair)
{
	if (is_to_be_read(confirmer->request, pair))
		confirm_pair(confirmer, pair);
	return is_enough(confirmer->request, pair);
}

/* ---- All pairs of a list ---- */

static void choose_pairs(struct confirming *c, struct pair_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (is_to_be_read(c->confirmer.request, &list->pairs[i]) ||
		    needs_place(c->confirmer.request, &list->pairs[i]))
			c->pairs[c->count++] = &list->pairs[i];
	if (c->progress != NULL)
		atomic_store(&c->progress->to_confirm, (long long)c->count);
}

static void *run_confirming(void *argument)
{
	struct confirming *c = argument;

	for (;;) {
		size_t next = atomic_fetch_add(&c->next, 1);
		if (next >= c->count || first_error_is_set(&c->confirmer.first_error))
			return NULL;
		if (is_to_be_read(c->confirmer.request, c->pairs[next]))
			confirm_pair(&c->confirmer, c->pairs[next]);
		if (c->progress != NULL)
			atomic_fetch_add(&c->progress->confirmed, 1);
	}
}

static void drop_pairs(struct pair_list *list, const struct confirm_request *request)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (is_enough(request, &list->pairs[i]))
			list->pairs[kept++] = list->pairs[i];
	list->count = kept;
}

int confirm_pairs(struct pair_list *list, const struct confirm_request *request,
		  const struct find_sink *sink, const struct find_resources *resources,
		  struct simhash_error *error)
{
	struct confirming c = {.progress = resources->progress};
	int status = -1;

	c.pairs = malloc((list->count + 1) * sizeof(struct file_pair *));
	if (c.pairs == NULL)
		return error_set_memory(error);
	confirmer_init(&c.confirmer, request, sink, error);
	choose_pairs(&c, list);
	if (sort_for_reading(c.pairs, c.count, list, &c.confirmer.cache, error) == 0) {
		threads_run(resources->threads, run_confirming, &c, 0);
		status = first_error_is_set(&c.confirmer.first_error) ? -1 : 0;
	}
	if (status == 0) {
		drop_pairs(list, request);
		c.count = 0;
		for (size_t i = 0; i < list->count; i++)
			if (needs_place(request, &list->pairs[i]))
				c.pairs[c.count++] = &list->pairs[i];
		status = find_part_places(list, c.pairs, c.count, &c.confirmer.cache, resources);
	}
	confirmer_release(&c.confirmer);
	free(c.pairs);
	return status;
}
