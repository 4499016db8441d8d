/*
 * Turns blocks of rows into lists of groups: repairs and writes the groups that are finished in
 * each pass.
 * SPDX-License-Identifier: MIT
 */
#include "find/groups/group_stream.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "base/threads/threads.h"
#include "find/groups/group_sorter.h"
#include "find/groups/grouping.h"
#include "find/groups/read_ahead.h"
#include "find/pairs/archives.h"

struct group_stream {
	pthread_mutex_t lock;
	struct grouping grouping;
	struct row_stream rows;
	struct read_ahead ahead;
	struct block *block; /* the next block; NULL: there are no more rows */
	bool is_ended;
	bool has_failed;
	struct simhash_error error; /* the error of the first call that failed */
	struct confirm_request confirming;
	struct confirmer confirmer; /* used if the grouping has one */
	atomic_size_t next;	    /* the next finished content for a thread to take */
};

/* ---- The rows ---- */

static int read_block(struct group_stream *stream, struct simhash_error *error)
{
	return read_ahead_next(&stream->ahead, &stream->block, error) < 0 ? -1 : 0;
}

static int add_block(struct group_stream *stream, struct simhash_error *error)
{
	struct find_progress *progress = stream->grouping.finder->resources->progress;
	struct block *block = stream->block;
	int status;

	stream->grouping.all_sketched = sorted_rows_are_sketched(stream->rows.rows);
	status = grouping_add(&stream->grouping, block, error);
	if (progress != NULL)
		atomic_fetch_add(&progress->rows,
				 (long long)(block->rows_read + block->passed_over));
	stream->block = NULL;
	block_free(block);
	return status != 0 ? -1 : read_block(stream, error);
}

static int end_rows(struct group_stream *stream, struct simhash_error *error)
{
	stream->is_ended = true;
	return grouping_end(&stream->grouping, error);
}

/* ---- Finished groups ---- */

/* If every pair is read: check that the copies have the same bytes as the first file. */
static void check_copies(struct group_stream *stream, struct unique_content *content)
{
	for (struct content_file *at = content->files; at->next != NULL;) {
		struct file_pair pair = {.a = content->files->file,
					 .b = at->next->file,
					 .relation = RELATION_OF_COPIES};
		if (confirmer_keeps(&stream->confirmer, &pair) && pair.relation.is_identical)
			at = at->next;
		else
			content_drop_next(&stream->grouping.finished, content, at);
	}
}

static void *run_checker(void *argument)
{
	struct group_stream *stream = argument;
	const struct contents *finished = &stream->grouping.finished;

	for (;;) {
		size_t next = atomic_fetch_add(&stream->next, 1);
		if (next >= finished->count || first_error_is_set(&stream->confirmer.first_error))
			return NULL;
		check_copies(stream, finished->items[next]);
	}
}

/* Fill in the values that are known only when a group is complete. */
static int complete(struct group_stream *stream)
{
	struct grouping *g = &stream->grouping;

	if (g->linkage == LINK_SINGLE)
		for (size_t i = 0; i < g->finished.count; i++)
			grouping_relate_to_root(g, g->finished.items[i]);
	else
		contents_mend(&g->finished);
	if (g->finder->request->rule.verify.mode == VERIFY_ALL) {
		atomic_store(&stream->next, 0);
		threads_run(g->finder->resources->threads, run_checker, stream, 0);
	}
	return g->confirmer != NULL && first_error_is_set(&g->confirmer->first_error) ? -1 : 0;
}

static int write_finished(struct group_stream *stream, struct group_list *groups,
			  struct simhash_error *error)
{
	struct grouping *g = &stream->grouping;

	if (complete(stream) != 0)
		return -1; /* it is in the confirmer's error, which is stored in the same place */
	if (groups_write(&g->finished, g->finder->request, g->linkage, groups, error) != 0) {
		group_list_release(groups);
		return -1;
	}
	contents_init(&g->finished, g->finder->request);
	return 0;
}

/* ---- The stream ---- */

static int begin_reading(struct group_stream *stream, struct simhash_error *error)
{
	struct finder *finder = stream->grouping.finder;

	stream->is_ended = finder->tag_set == 0;
	if (stream->is_ended)
		return 0;
	if (finder_begin(finder, error) != 0 || archives_need(finder, error) != 0)
		return -1;
	row_stream_init(&stream->rows, finder, INT64_MIN, INT64_MAX);
	stream->rows.keeps_extensions = true;
	read_ahead_begin(&stream->ahead, &stream->rows, finder->resources->threads > 1);
	return read_block(stream, error);
}

int group_stream_begin(struct group_stream **begun, struct finder *finder, enum linkage linkage,
		       struct simhash_error *error)
{
	const struct verify_rule *verify = &finder->request->rule.verify;
	struct group_stream *stream = *begun = calloc(1, sizeof *stream);
	bool reads = verify->mode >= VERIFY_READ;

	if (stream == NULL)
		return error_set_memory(error);
	pthread_mutex_init(&stream->lock, NULL);
	stream->confirming = (struct confirm_request){.reads_all = verify->mode == VERIFY_ALL,
						      .with_parts = verify_proposes(verify),
						      .min_resemblance = verify->min_resemblance,
						      .sandbox = finder->request->sandbox};
	if (reads)
		confirmer_init(&stream->confirmer, &stream->confirming, finder->sink,
			       &stream->error);
	if (grouping_init(&stream->grouping, finder, linkage, reads ? &stream->confirmer : NULL,
			  error) == 0 &&
	    begin_reading(stream, error) == 0)
		return 0;
	group_stream_free(stream);
	*begun = NULL;
	return -1;
}

/* The caller holds the lock. */
static int next_groups(struct group_stream *stream, struct group_list *groups,
		       struct simhash_error *error)
{
	struct grouping *g = &stream->grouping;

	while (groups->count == 0) {
		group_list_release(groups);
		while (g->finished.count == 0 && !stream->is_ended) {
			int status = stream->block != NULL ? add_block(stream, error)
							   : end_rows(stream, error);
			if (status != 0)
				return -1;
		}
		if (g->finished.count == 0)
			return 0;
		if (write_finished(stream, groups, error) != 0)
			return -1;
	}
	return 1;
}

int group_stream_next(struct group_stream *stream, struct group_list *groups,
		      struct simhash_error *error)
{
	int status = -1;

	*groups = (struct group_list){.count = 0};
	pthread_mutex_lock(&stream->lock);
	if (!stream->has_failed)
		status = next_groups(stream, groups, &stream->error);
	stream->has_failed = status < 0;
	if (status < 0)
		*error = stream->error;
	pthread_mutex_unlock(&stream->lock);
	return status;
}

void group_stream_free(struct group_stream *stream)
{
	if (stream == NULL)
		return;
	if (stream->rows.finder != NULL) {
		read_ahead_end(&stream->ahead);
		row_stream_release(&stream->rows);
	}
	block_free(stream->block);
	grouping_release(&stream->grouping);
	if (stream->grouping.confirmer != NULL)
		confirmer_release(&stream->confirmer);
	pthread_mutex_destroy(&stream->lock);
	free(stream);
}

int finder_groups_without_pairs(struct finder *finder, enum linkage linkage,
				struct group_sorter *groups, struct simhash_error *error)
{
	struct group_stream *stream;
	struct group_list list;
	int status = group_stream_begin(&stream, finder, linkage, error);

	while (status == 0 && (status = group_stream_next(stream, &list, error)) == 1) {
		status = group_sorter_add(groups, &list, error);
		group_list_release(&list);
	}
	group_stream_free(stream);
	return status;
}
