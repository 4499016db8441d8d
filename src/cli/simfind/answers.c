/*
 * Converts groups and pairs to rows and stores them in the index.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "cli/options/command_line.h"
#include "cli/simfind/kept_pairs.h"
#include "report/lists/formatter.h"
#include "store/names/tag_sets.h"
#include "store/write/answer_rows.h"

static int begin_run(struct answers *answers, const struct find_plan *plan,
		     struct simhash_error *error)
{
	char *command = command_line_text(find_program.name, plan->arguments->word_count,
					  plan->arguments->words);
	int status;

	if (command == NULL)
		return error_set_memory(error);
	answers->run.options = bytes_of(command);
	status = find_run_begin(answers->store, &answers->run, error);
	answers->run.options = (struct bytes){.data = NULL};
	free(command);
	return status;
}

int answers_begin(struct answers *answers, const struct find_plan *plan, struct store *store,
		  struct simhash_error *error)
{
	*answers = (struct answers){.reader = store};
	if (!plan->arguments->stores)
		return 0;
	answers->run = (struct find_run){.host = plan->request->host,
					 .program_version = simhash_version(),
					 .started_at_ns = clock_wall_ns()};
	if (store_tag_set_id(store, plan->request->tags, false, &answers->run.tag_set, error) != 0)
		return -1;
	if (answers->run.tag_set == 0) /* nothing will be found, and the user gets a message */
		return 0;
	if (store_open_to_write(store, &answers->store, error) != 0)
		return -1;
	best_pairs_init(&answers->pairs, plan->arguments->stored_pairs_max);
	return begin_run(answers, plan, error);
}

int answers_add(struct answers *answers, const struct file_pair *pair, struct simhash_error *error)
{
	return answers->store == NULL ? 0 : best_pairs_add(&answers->pairs, pair, error);
}

/* ---- From results to rows ---- */

static struct answer_file file_of(const struct find_file *file)
{
	return (struct answer_file){file->host, file->path_hash, file->content_hash};
}

static struct answer_likeness likeness_of(const struct relation *relation, bool is_identical)
{
	struct answer_likeness likeness = {.distance = (int64_t)relation->distance,
					   .verified = verification_name(relation->verification)};

	if (has_resemblance(relation))
		snprintf(likeness.resemblance, SHARE_SIZE, "%.6f",
			 shown_resemblance(relation, is_identical));
	return likeness;
}

/* A file, identified like its row. */
struct stored_file {
	int64_t host;
	uint8_t path_hash[PATH_HASH_SIZE], content_hash[CONTENT_HASH_SIZE];
};

/* A member of a group. */
struct stored_member {
	struct stored_file file, representative;
	struct relation relation;
	uint64_t group_id;
	enum member_role role;
};

static struct stored_file name_file(const struct find_file *file)
{
	struct stored_file named = {.host = file->host};

	memcpy(named.path_hash, file->path_hash, PATH_HASH_SIZE);
	memcpy(named.content_hash, file->content_hash, CONTENT_HASH_SIZE);
	return named;
}

static struct stored_member stored_member_of(const struct group *group,
					     const struct group_member *member)
{
	return (struct stored_member){.file = name_file(member->file),
				      .representative = name_file(group->representative),
				      .relation = member->relation,
				      .group_id = group->id,
				      .role = member->role};
}

/* The row points into the member. */
static struct group_row group_row_of(const struct stored_member *member)
{
	const struct stored_file *file = &member->file, *first = &member->representative;
	struct group_row row = {
		.file = {file->host, file->path_hash, file->content_hash},
		.representative = {first->host, first->path_hash, first->content_hash},
		.role = role_name(member->role),
		.likeness = likeness_of(
			&member->relation,
			memcmp(file->content_hash, first->content_hash, CONTENT_HASH_SIZE) == 0),
	};

	snprintf(row.group_id, GROUP_ID_SIZE, "%016" PRIx64, member->group_id);
	return row;
}

static struct pair_row pair_row_of(const struct file_pair *pair)
{
	const struct relation *relation = &pair->relation;
	struct pair_row row = {
		.a = file_of(pair->a),
		.b = file_of(pair->b),
		.is_copy = relation->is_identical,
		.likeness = likeness_of(relation, relation->is_identical),
	};

	if (has_containment(relation)) {
		snprintf(row.contained_a, SHARE_SIZE, "%.6f",
			 shown_containment(relation, relation->contained_a));
		snprintf(row.contained_b, SHARE_SIZE, "%.6f",
			 shown_containment(relation, relation->contained_b));
	}
	return row;
}

/* ---- Writing in the order of the keys, which is fastest for an engine ---- */

static int compare_files(const struct find_file *x, const struct find_file *y)
{
	int order = memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE);

	return order != 0 ? order : (x->host > y->host) - (x->host < y->host);
}

static int compare_members(const void *a, const void *b)
{
	const struct stored_file *x = &((const struct stored_member *)a)->file;
	const struct stored_file *y = &((const struct stored_member *)b)->file;
	int order = memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE);

	return order != 0 ? order : (x->host > y->host) - (x->host < y->host);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct file_pair *x = a, *y = b;
	int order = compare_files(x->a, y->a);

	return order != 0 ? order : compare_files(x->b, y->b);
}

/* Members that wait to be written. */
struct waiting_members {
	struct stored_member *items;
	size_t count, capacity, max;
	struct group_row *rows;
};

static int write_waiting(struct answers *answers, struct waiting_members *waiting,
			 struct simhash_error *error)
{
	size_t max = answer_rows_max(answers->store);
	int status = 0;

	if (waiting->rows == NULL)
		waiting->rows = malloc(max * sizeof *waiting->rows);
	if (waiting->rows == NULL)
		return error_set_memory(error);
	if (waiting->count > 0)
		qsort(waiting->items, waiting->count, sizeof *waiting->items, compare_members);
	for (size_t done = 0, some; status == 0 && done < waiting->count; done += some) {
		some = waiting->count - done < max ? waiting->count - done : max;
		for (size_t i = 0; i < some; i++)
			waiting->rows[i] = group_row_of(&waiting->items[done + i]);
		status = group_rows_write(answers->store, answers->run.id, waiting->rows, some,
					  error);
	}
	waiting->count = 0;
	return status;
}

static int store_group(struct answers *answers, struct waiting_members *waiting,
		       const struct group_cursor *cursor, struct simhash_error *error)
{
	for (size_t m = 0; m < cursor->group.count; m++) {
		if (waiting->count == waiting->max && write_waiting(answers, waiting, error) != 0)
			return -1;
		if (array_reserve(&waiting->items, &waiting->capacity, waiting->count + 1,
				  sizeof *waiting->items, error) != 0)
			return -1;
		waiting->items[waiting->count++] =
			stored_member_of(&cursor->group, &cursor->members[m]);
	}
	return 0;
}

static int store_groups(struct answers *answers, const struct group_sorter *groups,
			size_t memory_bytes, struct simhash_error *error)
{
	struct waiting_members waiting = {.max = memory_bytes / sizeof *waiting.items};
	struct group_cursor cursor;
	int status = group_cursor_begin(&cursor, groups, error);

	while (status == 0 && (status = group_cursor_next(&cursor, error)) == 1)
		status = store_group(answers, &waiting, &cursor, error);
	if (status == 0)
		status = write_waiting(answers, &waiting, error);
	group_cursor_release(&cursor);
	free(waiting.rows);
	free(waiting.items);
	answers->run.groups = (int64_t)groups->totals.groups;
	answers->run.files = (int64_t)groups->totals.files;
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

static int write_answers(struct answers *answers, const struct group_sorter *groups,
			 size_t memory_bytes, int64_t pairs, struct simhash_error *error)
{
	struct find_run *run = &answers->run;

	if (store_groups(answers, groups, memory_bytes, error) != 0 ||
	    write_pairs(answers, error) != 0)
		return -1;
	run->pairs = pairs;
	run->finished_at_ns = clock_wall_ns();
	answers->is_stored = find_run_finish(answers->store, run, error) == 0;
	return answers->is_stored ? 0 : -1;
}

/* ---- Missing results ---- */

static int take_pair(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *error)
{
	(void)thread;
	return best_pairs_add(context, pair, error);
}

/* Search all files again, for the groups, or for the pairs if `groups` is NULL. */
static int find_again(struct answers *answers, const struct find_plan *plan,
		      const struct find_resources *resources, struct group_sorter *groups,
		      int64_t *pairs, struct simhash_error *error)
{
	const struct find_sink sink = {.context = &answers->pairs, .pair = take_pair};
	struct finder finder;
	int status;

	if (resources->progress != NULL)
		atomic_store(&resources->progress->rows, 0);
	if (finder_init(&finder, answers->reader, plan->request, &sink, resources, error) != 0)
		return -1;
	status = groups != NULL ? finder_groups(&finder, plan->arguments->linkage, groups, error)
				: finder_all(&finder, error);
	*pairs = (int64_t)(finder.counts.identical + finder.counts.similar);
	finder_release(&finder);
	return status;
}

/* Complete the pairs, and set their number or PAIRS_UNKNOWN. */
static int complete_pairs(struct answers *answers, const struct find_plan *plan,
			  const struct answers_found *found, int64_t *pairs,
			  struct simhash_error *error)
{
	const struct pair_list *list = found->list;

	*pairs = (int64_t)found->pairs;
	if (plan->stores_early)
		return 0;
	for (size_t i = 0; list != NULL && i < list->count; i++)
		if (best_pairs_add(&answers->pairs, &list->pairs[i], error) != 0)
			return -1;
	if (list != NULL)
		return 0;
	*pairs = PAIRS_UNKNOWN;
	return plan->arguments->stored_pairs_max == 0
		       ? 0
		       : find_again(answers, plan, found->resources, NULL, pairs, error);
}

static int find_missing_groups(struct answers *answers, const struct find_plan *plan,
			       const struct answers_found *found, struct group_sorter *groups,
			       struct simhash_error *error)
{
	int64_t ignored;
	int status = found->list != NULL
			     ? group_kept(plan, found->list, groups, error)
			     : find_again(answers, plan, found->resources, groups, &ignored, error);

	return status != 0 ? -1 : group_sorter_end(groups, error);
}

int answers_store(struct answers *answers, const struct find_plan *plan,
		  const struct answers_found *found, struct simhash_error *error)
{
	const struct group_order any = {.by_path = true};
	struct group_sorter own;
	int64_t pairs;
	int status;

	if (answers->store == NULL)
		return 0;
	group_sorter_init(&own, plan->groups_bytes, &any);
	status = complete_pairs(answers, plan, found, &pairs, error);
	if (status == 0 && found->groups == NULL)
		status = find_missing_groups(answers, plan, found, &own, error);
	if (status == 0)
		status = write_answers(answers, found->groups != NULL ? found->groups : &own,
				       plan->groups_bytes, pairs, error);
	group_sorter_release(&own);
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
