/*
 * Confirming: threads that take pair after pair, and measure how much of each file is found in
 * the other. Leaves the contents to content_cache.c and their order to reading_order.c.
 * SPDX-License-Identifier: MIT
 */
#include "find/confirm.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/threads.h"
#include "find/reading_order.h"

struct confirming {
	const struct confirm_request *request;
	struct find_progress *progress;
	struct content_cache cache;
	struct first_error first_error;
	struct file_pair **pairs; /* to read, in the order of reading */
	size_t count;
	atomic_size_t next;
};

/* ---- Measuring a pair ---- */

static void set_shares(struct file_pair *pair, double a, double b, double a_found, double b_found)
{
	double both = (a_found + b_found) / 2;

	pair->verification = PAIR_CONFIRMED;
	pair->contained_a = a > 0 ? a_found / a : 1;
	pair->contained_b = b > 0 ? b_found / b : 1;
	pair->resemblance = a + b - both > 0 ? both / (a + b - both) : 1;
}

/* The minimum that must be found in a file of `size` bytes, all of the other being found. */
static double minimum_cover(double size, double other, double resemblance)
{
	return 2 * resemblance / (1 + resemblance) * (size + other) - other;
}

/* A file of a pair, while it is measured. */
struct side {
	struct content *content;
	struct cover_source source;
};

static bool measure(struct confirming *c, struct file_pair *pair, struct side *a, struct side *b)
{
	size_t a_size = a->source.size, b_size = b->source.size, a_found = a_size, b_found;
	double resemblance = c->request->min_resemblance;
	double b_minimum = minimum_cover((double)b_size, (double)a_size, resemblance);

	if (a_size == b_size && cover_equal(&a->source, &b->source)) {
		pair->is_identical = true;
		set_shares(pair, (double)a_size, (double)b_size, (double)a_size, (double)b_size);
		return true;
	}
	if (a->source.failed != 0 || b->source.failed != 0)
		return false;
	pair->is_identical = false;
	if (!content_need_index(&c->cache, a->content, &a->source) ||
	    !content_need_index(&c->cache, b->content, &b->source))
		return false;
	b_found = cover_measure(&a->content->index, &a->source, &b->source, b_minimum);
	/* Where that is too little, all of a would not be enough. */
	if ((double)b_found >= b_minimum)
		a_found = cover_measure(&b->content->index, &b->source, &a->source,
					minimum_cover((double)a_size, (double)b_size, resemblance));
	else if (b_found < a_found)
		a_found = b_found;
	set_shares(pair, (double)a_size, (double)b_size, (double)a_found, (double)b_found);
	return a->source.failed == 0 && b->source.failed == 0;
}

static bool take_side(struct confirming *c, struct side *side, const struct find_file *file)
{
	side->content = content_cache_take(&c->cache, file->number);
	return side->content != NULL;
}

static void close_side(struct confirming *c, struct side *side)
{
	content_close(&side->source);
	content_cache_return(&c->cache, side->content);
}

static void report_failed(struct confirming *c, const struct side *side)
{
	if (side->source.failed != 0)
		content_report(&c->cache, side->content,
			       side->source.failed > 0 ? side->source.failed : 0);
}

static void confirm_pair(struct confirming *c, struct file_pair *pair)
{
	struct side a = {.source = {.fd = -1}}, b = a;

	if (take_side(c, &a, pair->a) && take_side(c, &b, pair->b) &&
	    content_open(&c->cache, a.content, &a.source) &&
	    content_open(&c->cache, b.content, &b.source) && !measure(c, pair, &a, &b)) {
		pair->verification = PAIR_UNCONFIRMED;
		report_failed(c, &a);
		report_failed(c, &b);
	}
	close_side(c, &a);
	close_side(c, &b);
}

static void *run_confirming(void *argument)
{
	struct confirming *c = argument;

	for (;;) {
		size_t next = atomic_fetch_add(&c->next, 1);
		if (next >= c->count || first_error_is_set(&c->first_error))
			return NULL;
		confirm_pair(c, c->pairs[next]);
		if (c->progress != NULL)
			atomic_fetch_add(&c->progress->confirmed, 1);
	}
}

/* ---- All of them ---- */

/* Can this file be read here at all? */
static bool is_within_reach(const struct find_file *file)
{
	return file->is_local && !file->is_stream;
}

/* Choose what to read; the rest is settled, or stays unconfirmed. */
static void choose_pairs(struct confirming *c, struct pair_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct file_pair *pair = &list->pairs[i];
		if (c->request->mode == CONFIRM_DOUBTFUL &&
		    (pair->is_identical || pair->is_trusted)) {
			pair->verification = PAIR_TRUSTED;
			continue;
		}
		pair->verification = PAIR_UNCONFIRMED;
		if (is_within_reach(pair->a) && is_within_reach(pair->b))
			c->pairs[c->count++] = pair;
	}
	if (c->progress != NULL)
		atomic_store(&c->progress->to_confirm, (long long)c->count);
}

static void drop_pairs(struct pair_list *list, double min_resemblance)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->pairs[i].verification != PAIR_CONFIRMED ||
		    list->pairs[i].resemblance >= min_resemblance)
			list->pairs[kept++] = list->pairs[i];
	list->count = kept;
}

int confirm_pairs(struct pair_list *list, const struct confirm_request *request,
		  const struct find_sink *sink, const struct find_resources *resources,
		  struct simhash_error *error)
{
	struct confirming c = {.request = request, .progress = resources->progress};
	int status = -1;

	if (request->mode == CONFIRM_NONE)
		return 0;
	first_error_init(&c.first_error, error);
	c.pairs = malloc((list->count + 1) * sizeof(struct file_pair *));
	if (c.pairs == NULL)
		return error_set_memory(error);
	if (content_cache_init(&c.cache, list, sink, &c.first_error, error) != 0)
		goto out;
	choose_pairs(&c, list);
	if (sort_for_reading(c.pairs, c.count, list, &c.cache, error) != 0)
		goto out;
	threads_run(resources->threads, run_confirming, &c, 0);
	status = first_error_is_set(&c.first_error) ? -1 : 0;
	if (status == 0)
		drop_pairs(list, request->min_resemblance);
out:
	content_cache_release(&c.cache);
	free(c.pairs);
	return status;
}
