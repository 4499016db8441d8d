/*
 * From groups and pairs to rows of the index.
 * SPDX-License-Identifier: MIT
 */
#include "cli/answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/command_line.h"
#include "report/formatter.h"
#include "store/answer_rows.h"
#include "store/tag_sets.h"

static int begin_run(struct answers *answers, const struct find_arguments *arguments,
		     struct simhash_error *error)
{
	char *command =
		command_line_text(find_program.name, arguments->word_count, arguments->words);
	int status;

	if (command == NULL)
		return error_set_memory(error);
	answers->run.options = bytes_of(command);
	status = find_run_begin(answers->store, &answers->run, error);
	answers->run.options = (struct bytes){.data = NULL};
	free(command);
	return status;
}

int answers_begin(struct answers *answers, const struct find_arguments *arguments,
		  struct store *store, struct simhash_error *error)
{
	*answers = (struct answers){.reader = store};
	if (!arguments->stores)
		return 0;
	answers->run = (struct find_run){.host = arguments->request.host,
					 .program_version = simhash_version(),
					 .started_at_ns = clock_wall_ns()};
	if (store_tag_set_id(store, arguments->request.tags, false, &answers->run.tag_set, error) !=
	    0)
		return -1;
	if (answers->run.tag_set == 0) /* nothing will be found, and the user is told */
		return 0;
	if (store_open_to_write(store, &answers->store, error) != 0)
		return -1;
	best_pairs_init(&answers->pairs, arguments->stored_pairs_max);
	return begin_run(answers, arguments, error);
}

int answers_add(struct answers *answers, const struct file_pair *pair, struct simhash_error *error)
{
	return answers->store == NULL ? 0 : best_pairs_add(&answers->pairs, pair, error);
}

/* ---- From find to rows ---- */

static struct answer_file file_of(const struct find_file *file)
{
	return (struct answer_file){file->host, file->path_hash, file->content_hash};
}

static struct answer_likeness likeness_of(uint64_t distance, enum verification verification,
					  double resemblance)
{
	struct answer_likeness likeness = {.distance = (int64_t)distance,
					   .verified = verification_name(verification)};

	if (has_resemblance(verification))
		snprintf(likeness.resemblance, SHARE_SIZE, "%.6f", resemblance);
	return likeness;
}

/* A member and the group that it is in. */
struct placed_member {
	const struct group *group;
	const struct group_member *member;
};

static struct group_row group_row_of(const struct placed_member *placed)
{
	const struct group_member *member = placed->member;
	struct group_row row = {
		.file = file_of(member->file),
		.representative = file_of(placed->group->representative),
		.role = role_name(member->role),
		.likeness =
			likeness_of(member->distance, member->verification, member->resemblance),
	};

	snprintf(row.group_id, GROUP_ID_SIZE, "%016" PRIx64, placed->group->id);
	return row;
}

static struct pair_row pair_row_of(const struct file_pair *pair)
{
	struct pair_row row = {
		.a = file_of(pair->a),
		.b = file_of(pair->b),
		.is_copy = pair->is_identical,
		.likeness = likeness_of(pair->distance, pair->verification, pair->resemblance),
	};

	if (pair->verification == PAIR_READ || pair->is_part) {
		snprintf(row.contained_a, SHARE_SIZE, "%.6f", pair->contained_a);
		snprintf(row.contained_b, SHARE_SIZE, "%.6f", pair->contained_b);
	}
	return row;
}

/* ---- Writing them in the order of their keys, which costs an engine the least ---- */

static int compare_files(const struct find_file *x, const struct find_file *y)
{
	int order = memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE);

	return order != 0 ? order : (x->host > y->host) - (x->host < y->host);
}

static int compare_members(const void *a, const void *b)
{
	const struct placed_member *x = a, *y = b;

	return compare_files(x->member->file, y->member->file);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct file_pair *x = a, *y = b;
	int order = compare_files(x->a, y->a);

	return order != 0 ? order : compare_files(x->b, y->b);
}

/* All members in the order of their keys; the caller frees them. */
static struct placed_member *sort_members(const struct group_list *groups, size_t *count)
{
	struct placed_member *members;
	size_t filled = 0;

	*count = 0;
	for (size_t i = 0; i < groups->count; i++)
		*count += groups->groups[i].count;
	members = malloc((*count + 1) * sizeof *members);
	if (members == NULL)
		return NULL;
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->groups[i];
		for (size_t m = 0; m < group->count; m++)
			members[filled++] =
				(struct placed_member){group, &groups->members[group->first + m]};
	}
	qsort(members, filled, sizeof *members, compare_members);
	return members;
}

static int write_groups(struct answers *answers, const struct group_list *groups,
			struct simhash_error *error)
{
	size_t count, max = answer_rows_max(answers->store);
	struct placed_member *members = sort_members(groups, &count);
	struct group_row *rows = malloc(max * sizeof *rows);
	int status = 0;

	if (members == NULL || rows == NULL)
		status = error_set_memory(error);
	for (size_t done = 0, some; status == 0 && done < count; done += some) {
		some = count - done < max ? count - done : max;
		for (size_t i = 0; i < some; i++)
			rows[i] = group_row_of(&members[done + i]);
		status = group_rows_write(answers->store, answers->run.id, rows, some, error);
	}
	answers->run.groups = (int64_t)groups->count;
	answers->run.files = (int64_t)count;
	free(rows);
	free(members);
	return status;
}

static int write_pairs(struct answers *answers, struct simhash_error *error)
{
	const struct pair_list *list = &answers->pairs.list;
	size_t max = answer_rows_max(answers->store);
	struct pair_row *rows = malloc(max * sizeof *rows);
	int status = rows == NULL ? error_set_memory(error) : 0;

	best_pairs_settle(&answers->pairs);
	if (list->count > 0)
		qsort(list->pairs, list->count, sizeof *list->pairs, compare_pairs);
	for (size_t done = 0, some; status == 0 && done < list->count; done += some) {
		some = list->count - done < max ? list->count - done : max;
		for (size_t i = 0; i < some; i++)
			rows[i] = pair_row_of(&list->pairs[done + i]);
		status = pair_rows_write(answers->store, answers->run.id, rows, some, error);
	}
	answers->run.stored_pairs = (int64_t)list->count;
	free(rows);
	return status;
}

static int write_answers(struct answers *answers, const struct group_list *groups, int64_t pairs,
			 struct simhash_error *error)
{
	struct find_run *run = &answers->run;

	if (write_groups(answers, groups, error) != 0 || write_pairs(answers, error) != 0)
		return -1;
	run->pairs = pairs;
	run->finished_at_ns = clock_wall_ns();
	answers->is_stored = find_run_finish(answers->store, run, error) == 0;
	return answers->is_stored ? 0 : -1;
}

/* ---- What is missing ---- */

static int take_pair(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *error)
{
	(void)thread;
	return best_pairs_add(context, pair, error);
}

/* Read all files once more, for the groups, or for the pairs if that is NULL. */
static int find_again(struct answers *answers, const struct find_arguments *arguments,
		      struct group_list *groups, int64_t *pairs, struct simhash_error *error)
{
	const struct find_sink sink = {.context = &answers->pairs, .pair = take_pair};
	struct finder finder;
	int status;

	if (arguments->resources.progress != NULL)
		atomic_store(&arguments->resources.progress->rows, 0);
	if (finder_init(&finder, answers->reader, &arguments->request, &sink, &arguments->resources,
			error) != 0)
		return -1;
	status = groups != NULL ? finder_groups(&finder, arguments->linkage, groups, error)
				: finder_all(&finder, error);
	*pairs = (int64_t)(finder.counts.identical + finder.counts.similar);
	finder_release(&finder);
	return status;
}

/* The pairs; and how many there are, or PAIRS_UNKNOWN. */
static int complete_pairs(struct answers *answers, const struct find_arguments *arguments,
			  const struct answers_found *found, int64_t *pairs,
			  struct simhash_error *error)
{
	const struct pair_list *list = found->list;

	*pairs = (int64_t)found->pairs;
	if (found->pairs_are_added)
		return 0;
	for (size_t i = 0; list != NULL && i < list->count; i++)
		if (best_pairs_add(&answers->pairs, &list->pairs[i], error) != 0)
			return -1;
	if (list != NULL)
		return 0;
	*pairs = PAIRS_UNKNOWN;
	return arguments->stored_pairs_max == 0
		       ? 0
		       : find_again(answers, arguments, NULL, pairs, error);
}

static int find_missing_groups(struct answers *answers, const struct find_arguments *arguments,
			       const struct answers_found *found, struct group_list *groups,
			       struct simhash_error *error)
{
	int64_t ignored;

	return found->list != NULL ? group_pairs(found->list, &arguments->request,
						 arguments->linkage, groups, error)
				   : find_again(answers, arguments, groups, &ignored, error);
}

int answers_store(struct answers *answers, const struct find_arguments *arguments,
		  const struct answers_found *found, struct simhash_error *error)
{
	struct group_list own = {.count = 0};
	int64_t pairs;
	int status;

	if (answers->store == NULL)
		return 0;
	status = complete_pairs(answers, arguments, found, &pairs, error);
	if (status == 0 && found->groups == NULL)
		status = find_missing_groups(answers, arguments, found, &own, error);
	if (status == 0)
		status = write_answers(answers, found->groups != NULL ? found->groups : &own, pairs,
				       error);
	group_list_release(&own);
	return status;
}

void answers_release(struct answers *answers)
{
	if (answers->store == NULL)
		return;
	if (answers->run.id != 0 && !answers->is_stored)
		find_run_abandon(answers->store, &answers->run);
	best_pairs_release(&answers->pairs);
	store_close(answers->store);
}
