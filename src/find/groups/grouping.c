/*
 * Decides which contents of an index belong together. Rows are sorted by the key uniform, and each
 * content is compared with the earlier contents that are still in memory.
 *
 * Contents are processed in batches. All threads compare the contents of a batch with the contents
 * of earlier batches. One thread then compares the contents of the batch with each other, one by
 * one. So the result depends only on the order, not on the number of threads.
 * SPDX-License-Identifier: MIT
 */
#include "find/groups/grouping.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/threads/threads.h"

#define BATCH_CONTENTS 1024
#define TAKEN_AT_ONCE 16
/* The minimum number of files in memory before files out of reach are removed. */
#define FORGET_AT 8192

/* A content of the batch is similar to a representative before the batch. */
struct meeting {
	struct unique_content *content, *representative;
	struct relation relation;
};

struct matcher {
	struct grouping *grouping;
	struct meeting *meetings;
	size_t count, capacity;
	bool has_failed;
	struct simhash_error error;
};

/* ---- One content ---- */

struct comparing {
	const struct grouping *grouping;
	struct unique_content *content;
	const struct content_file *file; /* a file of this content */
	struct matcher *matcher;	 /* stores the meetings that are found */
};

static bool relate(const struct grouping *g, const struct content_file *x,
		   const struct content_file *y, struct relation *relation)
{
	const struct finder *finder = g->finder;
	bool x_is_first = g->confirmer == NULL || find_file_compare(x->file, y->file) < 0;
	struct file_pair pair = {.a = x_is_first ? x->file : y->file,
				 .b = x_is_first ? y->file : x->file};

	if (!finder_crosses(finder, x->file->sides, y->file->sides) ||
	    !rule_matches(&finder->request->rule, pair.a, pair.b, &pair.relation) ||
	    (!finder->request->hard_links && are_links(x->file, y->file)))
		return false;
	settle_identity(x->file, y->file, &pair.relation); /* if the tolerances differ */
	if (g->confirmer != NULL && !confirmer_keeps(g->confirmer, &pair))
		return false;
	*relation = x_is_first ? pair.relation : relation_turned(&pair.relation);
	return true;
}

static bool meet(void *context, struct content_file *other)
{
	const struct comparing *c = context;
	struct relation relation;

	if (relate(c->grouping, c->file, other, &relation))
		content_meets(c->content, other->content, &relation);
	return true;
}

static bool note_meeting(void *context, struct content_file *other)
{
	const struct comparing *c = context;
	struct matcher *matcher = c->matcher;
	struct meeting meeting = {.content = c->content, .representative = other->content};

	if (!relate(c->grouping, c->file, other, &meeting.relation))
		return true;
	if (array_reserve(&matcher->meetings, &matcher->capacity, matcher->count + 1,
			  sizeof *matcher->meetings, &matcher->error) != 0) {
		matcher->has_failed = true;
		return false;
	}
	matcher->meetings[matcher->count++] = meeting;
	return true;
}

static bool notice(void *context, struct content_file *other)
{
	const struct comparing *c = context;
	struct relation relation;

	if (other->content->number >= c->content->noticed &&
	    relate(c->grouping, c->file, other, &relation))
		content_notices(c->content, other->content, &relation);
	return true;
}

static bool is_connected(void *context, struct content_file *other)
{
	const struct comparing *c = context;

	return content_root(other->content) == content_root(c->content);
}

static bool connect(void *context, struct content_file *other)
{
	const struct comparing *c = context;
	struct relation relation;

	if (!is_connected(context, other) && relate(c->grouping, c->file, other, &relation))
		content_connect(c->content, other->content);
	return true;
}

/* A file without a sketch is similar only to files with the same extension. */
static bool makes_the_same_pairs(const struct find_request *request, const struct content_file *x,
				 const struct content_file *y)
{
	return x->is_compared && x->file->extension_hash == y->file->extension_hash &&
	       rows_are_twins(request, x->file, y->file);
}

/*
 * Choose the files of a content to compare: skip files that make the same pairs as an earlier file.
 */
static int choose_compared(const struct grouping *g, struct unique_content *content,
			   struct simhash_error *error)
{
	const struct find_request *request = g->finder->request;

	content->end_of_reach = INT64_MIN;
	for (struct content_file *file = content->files; file != NULL; file = file->next) {
		const struct content_file *before = content->files;
		int64_t end = end_of_reach(file->file);
		while (before != file && !makes_the_same_pairs(request, before, file))
			before = before->next;
		file->is_compared = before == file;
		if (file->is_compared &&
		    neighbours_locate(&request->rule, g->all_sketched, file, error) != 0)
			return -1;
		if (end > content->end_of_reach)
			content->end_of_reach = end;
	}
	return 0;
}

static void compare(const struct neighbours *kept, neighbour_fn *each, struct comparing *c)
{
	for (struct content_file *file = c->content->files; file != NULL; file = file->next) {
		c->file = file;
		if (file->is_compared)
			neighbours_each(kept, file, each, c);
	}
}

static int keep(struct neighbours *kept, struct unique_content *content, enum neighbour_part parts,
		struct simhash_error *error)
{
	for (struct content_file *file = content->files; file != NULL; file = file->next)
		if (file->is_compared && neighbours_add(kept, file, parts, error) != 0)
			return -1;
	return 0;
}

/* ---- A batch ---- */

/* Compare a content with the contents before the batch. */
static void match(struct matcher *matcher, struct unique_content *content)
{
	struct grouping *g = matcher->grouping;
	struct comparing c = {.grouping = g, .content = content, .matcher = matcher};

	if (choose_compared(g, content, &matcher->error) != 0)
		matcher->has_failed = true;
	else if (g->linkage == LINK_REPRESENTATIVE)
		compare(&g->representatives, note_meeting, &c);
}

static void *run_matcher(void *argument)
{
	struct matcher *matcher = argument;
	struct grouping *g = matcher->grouping;

	for (;;) {
		size_t begin = atomic_fetch_add(&g->next, TAKEN_AT_ONCE);
		if (begin >= g->contents.count || matcher->has_failed)
			return NULL;
		for (size_t i = begin; i < begin + TAKEN_AT_ONCE && i < g->contents.count; i++)
			match(matcher, g->contents.items[i]);
	}
}

static int match_batch(struct grouping *g, struct simhash_error *error)
{
	unsigned threads = g->finder->resources->threads;

	atomic_store(&g->next, g->batch_begin);
	threads_run(threads, run_matcher, g->matchers, sizeof *g->matchers);
	for (unsigned t = 0; t < threads; t++) {
		struct matcher *matcher = &g->matchers[t];
		if (matcher->has_failed) {
			*error = matcher->error;
			return -1;
		}
		for (size_t i = 0; i < matcher->count; i++)
			content_meets(matcher->meetings[i].content,
				      matcher->meetings[i].representative,
				      &matcher->meetings[i].relation);
		matcher->count = 0;
	}
	return 0;
}

/* Compare a content with the earlier contents of its batch, which completes its comparisons. */
static int decide(struct grouping *g, struct unique_content *content, struct simhash_error *error)
{
	struct comparing c = {.grouping = g, .content = content};

	if (g->linkage == LINK_SINGLE) {
		content_decide(content);
		for (c.file = content->files; c.file != NULL; c.file = c.file->next)
			if (c.file->is_compared)
				neighbours_connect(&g->representatives, c.file, is_connected,
						   connect, &c);
		return keep(&g->representatives, content, NEIGHBOUR_ALL, error);
	}
	compare(&g->of_batch, meet, &c);
	content_decide(content);
	return is_representative(content) ? keep(&g->of_batch, content, NEIGHBOUR_ALL, error) : 0;
}

/* Adds the batch to the neighbours: one thread adds the counts, another one the keys. */
struct keeper {
	struct grouping *grouping;
	enum neighbour_part parts;
	int status;
	struct simhash_error error;
};

static void *run_keeper(void *argument)
{
	struct keeper *keeper = argument;
	struct grouping *g = keeper->grouping;

	for (size_t i = g->batch_begin; keeper->status == 0 && i < g->contents.count; i++) {
		struct unique_content *content = g->contents.items[i];
		keeper->status = keep(is_representative(content) ? &g->representatives : &g->others,
				      content, keeper->parts, &keeper->error);
	}
	return NULL;
}

static int keep_batch(struct grouping *g, struct simhash_error *error)
{
	struct keeper keepers[2] = {{.grouping = g, .parts = NEIGHBOUR_COUNTS},
				    {.grouping = g, .parts = NEIGHBOUR_KEYS}};

	neighbours_clear(&g->of_batch);
	if (g->finder->resources->threads > 1) {
		threads_run(2, run_keeper, keepers, sizeof *keepers);
	} else {
		keepers[0].parts = NEIGHBOUR_ALL;
		run_keeper(&keepers[0]);
	}
	for (int i = 0; i < 2; i++)
		if (keepers[i].status != 0) {
			*error = keepers[i].error;
			return -1;
		}
	return 0;
}

static size_t count_kept(const struct grouping *g)
{
	return g->representatives.count + g->others.count;
}

/* ---- Representatives without members ---- */

/*
 * Must it be compared with the contents of other representatives? This is done once, when no later
 * content is within its reach. If no file is read, it is also done earlier, with contents that are
 * about to be removed from memory.
 */
static bool is_left_alone(const struct grouping *g, const struct unique_content *content)
{
	return is_representative(content) && !content_is_group(content) && !content->is_settled &&
	       (g->confirmer == NULL || content->end_of_reach < g->settled_key ||
		g->settled_key == INT64_MAX);
}

static void notice_all(struct grouping *g, struct unique_content *content)
{
	struct comparing c = {.grouping = g, .content = content};

	compare(&g->others, notice, &c);
	content->noticed = g->next_content;
	content->is_settled = content->end_of_reach < g->settled_key || g->confirmer != NULL;
}

static void *run_settler(void *argument)
{
	struct grouping *g = ((struct matcher *)argument)->grouping;

	for (;;) {
		size_t begin = atomic_fetch_add(&g->next, TAKEN_AT_ONCE);
		if (begin >= g->contents.count)
			return NULL;
		for (size_t i = begin; i < begin + TAKEN_AT_ONCE && i < g->contents.count; i++)
			if (is_left_alone(g, g->contents.items[i]))
				notice_all(g, g->contents.items[i]);
	}
}

/* Compare the representatives that are alone with the contents of other representatives. */
static void settle(struct grouping *g, int64_t key)
{
	g->settled_key = key;
	atomic_store(&g->next, 0);
	threads_run(g->finder->resources->threads, run_settler, g->matchers, sizeof *g->matchers);
}

/* The smallest key within reach of the representatives that may stay alone. */
static int64_t start_of_reach(const struct grouping *g)
{
	int64_t start = INT64_MAX;

	for (size_t i = 0; i < g->contents.count; i++) {
		const struct unique_content *content = g->contents.items[i];
		int64_t key = content->files->file->uniform, reach = content->end_of_reach - key;
		if (is_representative(content) && !content_is_group(content) &&
		    !content->is_settled && key - reach < start)
			start = key - reach;
	}
	return start;
}

/*
 * No later content has a smaller key: remove contents that later ones cannot reach, and move
 * finished groups to `finished`.
 */
static int forget(struct grouping *g, int64_t key, struct simhash_error *error)
{
	int64_t since = INT64_MAX;

	if (g->linkage == LINK_REPRESENTATIVE) {
		settle(g, key);
		if (g->confirmer != NULL)
			since = start_of_reach(g);
	}
	if (neighbours_forget(&g->representatives, key, INT64_MAX, error) != 0 ||
	    neighbours_forget(&g->others, key, since, error) != 0 ||
	    contents_take_finished(&g->contents, key, since, &g->finished, error) != 0)
		return -1;
	g->forget_at = 2 * count_kept(g) + g->forget_min;
	return 0;
}

static int end_batch(struct grouping *g, struct simhash_error *error)
{
	size_t last = g->contents.count;

	if (g->batch_begin == last)
		return 0;
	if (match_batch(g, error) != 0)
		return -1;
	for (size_t i = g->batch_begin; i < last; i++)
		if (decide(g, g->contents.items[i], error) != 0)
			return -1;
	if (g->confirmer != NULL && first_error_is_set(&g->confirmer->first_error))
		return -1;
	if (g->linkage == LINK_REPRESENTATIVE && keep_batch(g, error) != 0)
		return -1;
	if (count_kept(g) >= g->forget_at &&
	    forget(g, g->contents.items[last - 1]->files->file->uniform, error) != 0)
		return -1;
	g->batch_begin = g->contents.count;
	return 0;
}

/* ---- The rows ---- */

/* All files with the current key were added. */
static int end_key(struct grouping *g, struct simhash_error *error)
{
	size_t count = g->file_count, first = g->contents.count;

	g->file_count = 0;
	if (contents_add(&g->contents, g->files, count, error) != 0)
		return -1;
	for (size_t i = first; i < g->contents.count; i++)
		g->contents.items[i]->number = g->next_content++;
	return g->contents.count - g->batch_begin < g->batch_contents ? 0 : end_batch(g, error);
}

static int add_file(struct grouping *g, struct find_file *file, struct simhash_error *error)
{
	struct content_file *added;

	file->number = g->next_number++;
	if (g->file_count > 0 && g->files[0]->file->uniform != file->uniform &&
	    end_key(g, error) != 0)
		return -1;
	if (array_reserve(&g->files, &g->file_capacity, g->file_count + 1,
			  sizeof(struct content_file *), error) != 0)
		return -1;
	added = content_file_copy(file, error);
	if (added == NULL)
		return -1;
	g->files[g->file_count++] = added;
	return 0;
}

int grouping_add(struct grouping *g, const struct block *block, struct simhash_error *error)
{
	g->finder->counts.rows += block->rows_read;
	g->finder->counts.unsketched += block->unsketched;
	for (size_t i = 0; i < block->count; i++) {
		struct find_file *row = &block->rows[i];
		if (i >= block->first_new && add_file(g, row, error) != 0)
			return -1;
		for (const struct file_copy *copy = row->copies; copy != NULL; copy = copy->next) {
			struct find_file file = copy_as_file(row, copy);
			if (add_file(g, &file, error) != 0)
				return -1;
		}
	}
	return 0;
}

void grouping_relate_to_root(const struct grouping *g, struct unique_content *content)
{
	struct relation relation;
	bool is_pair = false;

	content->center = content_root(content);
	content->relation = relation_estimated(content, content->center);
	for (const struct content_file *x = content->files; x != NULL; x = x->next)
		for (const struct content_file *y = content->center->files; y != NULL; y = y->next)
			if (x->is_compared && y->is_compared && relate(g, x, y, &relation) &&
			    (!is_pair || relations_compare(&relation, &content->relation) < 0)) {
				content->relation = relation;
				is_pair = true;
			}
}

int grouping_init(struct grouping *g, struct finder *finder, enum linkage linkage,
		  struct confirmer *confirmer, struct simhash_error *error)
{
	const struct find_request *request = finder->request;
	const struct find_resources *resources = finder->resources;

	*g = (struct grouping){.finder = finder,
			       .linkage = linkage,
			       .confirmer = confirmer,
			       .batch_contents = BATCH_CONTENTS,
			       .forget_min = FORGET_AT};
	if (resources->block_rows != 0)
		g->batch_contents = g->forget_min = resources->block_rows;
	g->forget_at = g->forget_min;
	contents_init(&g->contents, request);
	contents_init(&g->finished, request);
	neighbours_init(&g->representatives, &request->rule);
	neighbours_init(&g->others, &request->rule);
	neighbours_init(&g->of_batch, &request->rule);
	g->matchers = calloc(resources->threads, sizeof *g->matchers);
	if (g->matchers == NULL)
		return error_set_memory(error);
	for (unsigned t = 0; t < resources->threads; t++)
		g->matchers[t].grouping = g;
	return 0;
}

int grouping_end(struct grouping *g, struct simhash_error *error)
{
	return end_key(g, error) != 0 || end_batch(g, error) != 0 ? -1
								  : forget(g, INT64_MAX, error);
}

void grouping_release(struct grouping *g)
{
	for (size_t i = 0; i < g->file_count; i++)
		free(g->files[i]);
	free(g->files);
	for (unsigned t = 0; g->matchers != NULL && t < g->finder->resources->threads; t++)
		free(g->matchers[t].meetings);
	free(g->matchers);
	neighbours_release(&g->representatives);
	neighbours_release(&g->others);
	neighbours_release(&g->of_batch);
	contents_release(&g->contents);
	contents_release(&g->finished);
}
