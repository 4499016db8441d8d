/*
 * Changes marks, keeps the sums of the folders, and records the changes for undo.
 * SPDX-License-Identifier: MIT
 */
#include "cli/review/marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"

/* Are all names of an inode marked for removal? Set *place to the folder that has all of them. */
static bool is_freed(const struct review_model *model, uint32_t file, uint32_t *place)
{
	bool is_freed = true;
	uint32_t at = file;

	*place = model->files[file].folder;
	do {
		is_freed = is_freed && model->files[at].mark == MARK_REMOVE;
		*place = review_common_folder(model, *place, model->files[at].folder);
		at = model->files[at].next_link;
	} while (is_freed && at != file);
	return is_freed;
}

static void add_bytes(struct review_model *model, uint32_t folder, int64_t bytes)
{
	model->folders[folder].marked_bytes += bytes;
	while (folder != 0) {
		folder = model->folders[folder].parent;
		model->folders[folder].marked_bytes += bytes;
	}
}

static void set_mark(struct review_model *model, uint32_t file, enum review_mark mark)
{
	struct review_file *f = &model->files[file];
	struct review_content *content = &model->contents[f->content];
	uint32_t place;

	if (is_freed(model, file, &place))
		add_bytes(model, place, -content->size_bytes);
	model->removed -= f->mark == MARK_REMOVE;
	model->kept -= f->mark == MARK_KEEP;
	content->staying += f->mark == MARK_REMOVE;
	f->mark = (uint8_t)mark;
	content->staying -= mark == MARK_REMOVE;
	model->removed += mark == MARK_REMOVE;
	model->kept += mark == MARK_KEEP;
	if (is_freed(model, file, &place))
		add_bytes(model, place, content->size_bytes);
}

/* ---- Undo ---- */

void review_begin_change(struct review_model *model)
{
	if (model->change_count > 0 && model->changes[model->change_count - 1].file == REVIEW_NONE)
		return;
	/* If memory is short, one undo takes back more. */
	struct simhash_error ignored;
	if (array_reserve(&model->changes, &model->change_capacity, model->change_count + 1,
			  sizeof *model->changes, &ignored) == 0)
		model->changes[model->change_count++] = (struct review_change){.file = REVIEW_NONE};
}

size_t review_undo(struct review_model *model)
{
	size_t count = 0;

	while (model->change_count > 0) {
		const struct review_change change = model->changes[--model->change_count];
		if (change.file != REVIEW_NONE) {
			set_mark(model, change.file, (enum review_mark)change.before);
			model->files[change.file].is_by_hand = change.was_by_hand;
			count++;
		} else if (count > 0) {
			break;
		}
	}
	return count;
}

int64_t review_marked_bytes(const struct review_model *model)
{
	return model->folders[0].marked_bytes;
}

/* ---- Marks ---- */

static int change_mark(struct review_model *model, uint32_t file, enum review_mark mark,
		       bool is_by_hand, struct review_marked *marked, struct simhash_error *error)
{
	struct review_file *f = &model->files[file];

	if (f->mark == mark && (f->is_by_hand || !is_by_hand))
		return 0;
	if (f->is_by_hand && !is_by_hand && mark != MARK_NONE) {
		marked->by_hand++;
		return 0;
	}
	if (f->is_locked) {
		marked->locked++;
		return 0;
	}
	if (mark == MARK_REMOVE && f->mark != mark && model->contents[f->content].staying == 1) {
		marked->last++;
		return 0;
	}
	if (array_reserve(&model->changes, &model->change_capacity, model->change_count + 1,
			  sizeof *model->changes, error) != 0)
		return -1;
	model->changes[model->change_count++] =
		(struct review_change){file, f->mark, f->is_by_hand};
	set_mark(model, file, mark);
	f->is_by_hand = is_by_hand;
	marked->changed++;
	return 0;
}

int review_mark_file(struct review_model *model, uint32_t file, enum review_mark mark,
		     struct review_marked *marked, struct simhash_error *error)
{
	return change_mark(model, file, mark, mark != MARK_NONE, marked, error);
}

/* The last files are marked first, so the first one stays. */
int review_mark_content(struct review_model *model, uint32_t content, uint32_t folder,
			enum review_mark mark, struct review_marked *marked,
			struct simhash_error *error)
{
	uint32_t first = model->contents[content].first;
	int status = 0;

	for (uint32_t i = first + model->contents[content].count; status == 0 && i-- > first;)
		if (review_is_in(model, i, folder))
			status = review_mark_file(model, i, mark, marked, error);
	return status;
}

int review_mark_folder(struct review_model *model, uint32_t folder, enum review_mark mark,
		       struct review_marked *marked, struct simhash_error *error)
{
	const struct review_folder *f = &model->folders[folder];
	uint32_t first = model->starts[f->rank];
	int status = 0;

	for (uint32_t i = model->starts[f->end]; status == 0 && i-- > first;)
		status = review_mark_file(model, model->in_tree[i], mark, marked, error);
	return status;
}

/* ---- Rules ---- */

struct ruling {
	const struct keep_policy policy;
	bool needs_path; /* does the rule look at paths? */
	struct review_path paths[2];
};

static int describe(const struct review_model *model, const struct ruling *ruling, uint32_t file,
		    struct review_path *path, struct keep_file *described,
		    struct simhash_error *error)
{
	review_describe(model, file, described);
	if (ruling->needs_path && review_file_path(model, file, path) == 0)
		return error_set_memory(error);
	described->path = path->text;
	return 0;
}

/*
 * Find the file that stays, or REVIEW_NONE. As in a plan, a protected file comes first, because it
 * stays anyway.
 */
static int find_best(const struct review_model *model, struct ruling *ruling, uint32_t content,
		     uint32_t *best, struct simhash_error *error)
{
	const struct keep_rule *rule = &ruling->policy.rules[0];
	uint32_t first = model->contents[content].first,
		 end = first + model->contents[content].count;
	struct keep_file files[2];
	unsigned held = 0;

	*best = REVIEW_NONE;
	for (uint32_t i = first; i < end; i++) {
		int order;
		if (describe(model, ruling, i, &ruling->paths[!held], &files[!held], error) != 0)
			return -1;
		if (*best == REVIEW_NONE) {
			*best = i;
			held = !held;
			continue;
		}
		order = (int)model->files[*best].is_locked - (int)model->files[i].is_locked;
		if (order == 0)
			order = keep_rules_decide(&ruling->policy, &files[!held], &files[held]);
		if (order == 0 && !ruling->needs_path) {
			if (review_file_path(model, i, &ruling->paths[!held]) == 0 ||
			    review_file_path(model, *best, &ruling->paths[held]) == 0)
				return error_set_memory(error);
			files[!held].path = ruling->paths[!held].text;
			files[held].path = ruling->paths[held].text;
		}
		if (order == 0)
			order = keep_rules_compare(&ruling->policy, &files[!held], &files[held]);
		if (order < 0) {
			*best = i;
			held = !held;
		}
	}
	if (ruling->needs_path && !model->files[*best].is_locked &&
	    !keep_rule_matches(rule, &files[held]))
		*best = REVIEW_NONE;
	return 0;
}

static int rule_content(struct review_model *model, struct ruling *ruling, uint32_t content,
			uint32_t folder, struct review_marked *marked, struct simhash_error *error)
{
	uint32_t first = model->contents[content].first,
		 end = first + model->contents[content].count;
	uint32_t best;
	int status = find_best(model, ruling, content, &best, error);

	if (status != 0 || best == REVIEW_NONE)
		return status;
	if (!model->files[best].is_locked)
		status = change_mark(model, best, MARK_KEEP, false, marked, error);
	for (uint32_t i = first; status == 0 && i < end; i++)
		if (i != best && !model->files[i].is_locked && review_is_in(model, i, folder))
			status = change_mark(model, i, MARK_REMOVE, false, marked, error);
	return status;
}

int review_apply_rule(struct review_model *model, uint32_t folder, const struct keep_rule *rule,
		      struct review_marked *marked, struct simhash_error *error)
{
	struct ruling ruling = {.policy = {.rules = {*rule}, .rule_count = 1},
				.needs_path = rule->order != KEEP_OLDEST &&
					      rule->order != KEEP_NEWEST};
	uint32_t *contents = calloc(model->content_count + 1, sizeof *contents);
	int status = contents == NULL ? error_set_memory(error) : 0;
	size_t count = status == 0 ? review_list_contents(model, folder, contents, error) : 0;

	for (size_t i = 0; status == 0 && i < count; i++)
		status = rule_content(model, &ruling, contents[i], folder, marked, error);
	free(contents);
	free(ruling.paths[0].text);
	free(ruling.paths[1].text);
	return status;
}
