/*
 * Makes the plan: chooses the file to keep for each content, and the acts for the other files.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "base/sort/sort.h"
#include "keep/keep.h"

struct planner {
	const struct keep_policy *policy;
	struct plan *plan;
	size_t act_capacity, refusal_capacity;
	struct simhash_error *error;
};

static int compare_paths(const void *a, const void *b, void *context)
{
	const struct keep_file *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	(void)context;
	return order != 0 ? order : (x->decision < y->decision) - (x->decision > y->decision);
}

static int compare_contents(const struct keep_file *x, const struct keep_file *y)
{
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes > y->size_bytes ? -1 : 1;
	return memcmp(x->hash, y->hash, KEEP_HASH_SIZE);
}

static int compare_files(const void *a, const void *b, void *context)
{
	int order = compare_contents(a, b);

	return order != 0 ? order : compare_paths(a, b, context);
}

/* Sorts by inode, with protected names of an inode first. */
static int compare_inodes(const void *a, const void *b, void *context)
{
	const struct keep_file *x = a, *y = b;

	(void)context;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (int)y->is_protected - (int)x->is_protected;
}

bool keep_is_protected(const struct keep_policy *policy, const char *path)
{
	for (size_t i = 0; i < policy->protected_count; i++)
		if (path_is_at_or_below(bytes_of(path), policy->protected[i]))
			return true;
	return false;
}

/* Make one decision about each path, no matter how many contents and groups include it. */
static void settle_paths(struct keep_file *files, size_t count, const struct keep_policy *policy)
{
	sort_with(files, count, sizeof *files, compare_paths, NULL);
	for (size_t i = 0, first = 0; i < count; i++) {
		if (strcmp(files[first].path, files[i].path) != 0)
			first = i;
		files[i].decision = files[first].decision;
		files[i].is_protected = keep_is_protected(policy, files[i].path);
	}
}

static void find_protected_names(struct keep_file *files, size_t count)
{
	sort_with(files, count, sizeof *files, compare_inodes, NULL);
	for (size_t i = 0, first = 0; i < count; i++) {
		if (files[first].inode != files[i].inode || files[first].device != files[i].device)
			first = i;
		files[i].has_protected_name = files[i].inode != 0 && files[first].is_protected;
	}
}

static bool are_one_file(const struct keep_file *x, const struct keep_file *y)
{
	return strcmp(x->path, y->path) == 0 ||
	       (x->inode != 0 && x->inode == y->inode && x->device == y->device);
}

static int add_act(struct planner *planner, const struct keep_file *file,
		   const struct keep_file *kept)
{
	struct plan *plan = planner->plan;

	if (array_reserve(&plan->acts, &planner->act_capacity, plan->count + 1, sizeof *plan->acts,
			  planner->error) != 0)
		return -1;
	plan->acts[plan->count++] =
		(struct planned_act){.file = file, .kept = kept, .action = planner->policy->action};
	return 0;
}

static int refuse(struct planner *planner, const struct keep_file *file, const char *why)
{
	struct plan *plan = planner->plan;

	if (array_reserve(&plan->refusals, &planner->refusal_capacity, plan->refusal_count + 1,
			  sizeof *plan->refusals, planner->error) != 0)
		return -1;
	plan->refusals[plan->refusal_count++] = (struct planned_refusal){file, why};
	return 0;
}

bool keep_is_left_over(const char *path)
{
	const size_t prefix = strlen(KEEP_TEMPORARY_PREFIX);
	const char *name = path_name(path);

	return strncmp(name, KEEP_TEMPORARY_PREFIX, prefix) == 0 && strlen(name) == prefix + 16 &&
	       strspn(name + prefix, "0123456789abcdef") == 16;
}

static bool is_in_archive(const struct keep_file *file)
{
	return file->archive_bytes > 0 || strstr(file->path, "//") != NULL;
}

/*
 * May this file be kept in place of the other files? A protected file gets no new hard links,
 * because it could be changed through them. Nothing can be a link to a member of an archive, and a
 * decision does not say which archive a member was in.
 */
static bool can_be_kept(const struct planner *planner, const struct keep_file *file)
{
	bool links = planner->policy->action == ACTION_HARDLINK ||
		     planner->policy->action == ACTION_REFLINK;

	return !(is_in_archive(file) && (links || file->archive_bytes == 0)) &&
	       file->decision != DECIDED_GIVE_UP && !keep_is_left_over(file->path) &&
	       (planner->policy->action != ACTION_HARDLINK ||
		(!file->is_protected && !file->has_protected_name));
}

/* The file to keep, of which the others are copies; NULL: none. */
static const struct keep_file *choose(const struct planner *planner, const struct keep_file *files,
				      size_t count)
{
	const struct keep_file *best = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct keep_file *file = &files[i];
		if (!can_be_kept(planner, file))
			continue;
		/*
		 * Prefer a file that stays anyway to a file that would only be kept for the others.
		 */
		if (best == NULL || (file->is_protected && !best->is_protected) ||
		    (file->is_protected == best->is_protected &&
		     keep_rules_compare(planner->policy, file, best) < 0))
			best = file;
	}
	return best;
}

static bool goes(const struct keep_file *file, const struct keep_file *kept)
{
	if (file->decision == DECIDED_BY_RULES)
		return kept != NULL && !are_one_file(file, kept);
	return file->decision == DECIDED_GIVE_UP;
}

static const char no_copy_is_kept[] =
	"no other file of this content is kept; decide to keep one, or move it";
static const char kept_is_protected[] = "the kept file is protected, and a hard link would "
					"let it be changed by another name";

static int plan_file(struct planner *planner, const struct keep_file *file,
		     const struct keep_file *kept, bool has_protected)
{
	if (file->is_protected) {
		planner->plan->protected_count++;
		return file->decision == DECIDED_GIVE_UP ? refuse(planner, file, "it is protected")
							 : 0;
	}
	if (is_in_archive(file))
		return file->decision == DECIDED_GIVE_UP
			       ? refuse(planner, file, "it is in an archive")
			       : 0;
	if (keep_is_left_over(file->path))
		return refuse(planner, file, "an interrupted act left it; see --undo");
	if ((kept != NULL && are_one_file(file, kept)) ||
	    (file->has_protected_name && planner->policy->action == ACTION_HARDLINK))
		return 0; /* no space is saved */
	if (kept == NULL && planner->policy->action != ACTION_MOVE)
		return refuse(planner, file, has_protected ? kept_is_protected : no_copy_is_kept);
	return add_act(planner, file, kept);
}

static int plan_content(struct planner *planner, const struct keep_file *files, size_t count)
{
	const struct keep_file *kept = choose(planner, files, count);
	bool has_protected = false;

	for (size_t i = 0; i < count; i++)
		has_protected = has_protected ||
				(files[i].is_protected && files[i].decision != DECIDED_GIVE_UP);
	for (size_t i = 0; i < count; i++)
		if ((i == 0 || strcmp(files[i - 1].path, files[i].path) != 0) &&
		    goes(&files[i], kept) &&
		    plan_file(planner, &files[i], kept, has_protected) != 0)
			return -1;
	return 0;
}

static bool keeps_member(const struct planned_act *act)
{
	return act->kept != NULL && act->kept->archive_bytes > 0;
}

/* The part of the path of a member before the "//". */
static struct bytes archive_of(const struct planned_act *act)
{
	const char *path = act->kept->path, *slashes = strstr(path, "//");

	return slashes == NULL ? bytes_of(path) : (struct bytes){path, (size_t)(slashes - path)};
}

/* Acts that keep members of archives come last, one archive after another. */
static int compare_acts(const void *a, const void *b, void *context)
{
	const struct planned_act *x = a, *y = b;
	int order = (int)keeps_member(x) - (int)keeps_member(y);

	if (order == 0 && keeps_member(x))
		order = bytes_compare(archive_of(x), archive_of(y));
	return order != 0 ? order : compare_files(x->file, y->file, context);
}

static void sort_acts(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		if (keeps_member(&plan->acts[i])) {
			sort_with(plan->acts, plan->count, sizeof *plan->acts, compare_acts, NULL);
			return;
		}
}

int plan_make(struct keep_file *files, size_t count, const struct keep_policy *policy,
	      struct plan *plan, struct simhash_error *error)
{
	struct planner planner = {.policy = policy, .plan = plan, .error = error};

	*plan = (struct plan){.acts = NULL};
	settle_paths(files, count, policy);
	if (policy->protected_count > 0)
		find_protected_names(files, count);
	sort_with(files, count, sizeof *files, compare_files, NULL);
	for (size_t i = 0, first = 0; i < count; i++)
		if (i + 1 == count || compare_contents(&files[first], &files[i + 1]) != 0) {
			if (plan_content(&planner, &files[first], i + 1 - first) != 0) {
				plan_release(plan);
				return -1;
			}
			first = i + 1;
		}
	sort_acts(plan);
	return 0;
}

void plan_release(struct plan *plan)
{
	free(plan->refusals);
	free(plan->acts);
	*plan = (struct plan){.acts = NULL};
}
