/*
 * Finds similar contents: compares the contents of each group by their sketches.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/threads/threads.h"
#include "find/folders/folder_share.h"
#include "find/folders/folder_tree.h"

struct member_content {
	const struct find_file *file;
	uint32_t content;
};

struct alike_pair {
	uint32_t x, y, millionths;
};

/* The data that all threads share. */
struct relating_all {
	struct folder_tree *tree;
	struct group_parts *groups;
	double min_resemblance;
	uint32_t *folders_of; /* for each content */
	struct first_error first_error;
};

struct relating {
	struct relating_all *all;
	struct member_content *members;
	size_t member_capacity;
	struct alike_pair *pairs;
	size_t count, capacity;
};

/* Sorts by size, because the sizes of a pair are near. */
static int compare_members(const void *a, const void *b)
{
	const struct find_file *x = ((const struct member_content *)a)->file;
	const struct find_file *y = ((const struct member_content *)b)->file;

	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	return memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE);
}

/* The resemblance by the sketches or, if they give no estimate, by the counts. */
static double resemblance_of(const struct find_file *x, const struct find_file *y)
{
	struct relation relation = {.verification = PAIR_UNVERIFIED};

	estimate_resemblance(x, y, &relation);
	if (is_by_sketches(&relation))
		return relation.resemblance;
	return x->size_bytes < y->size_bytes ? (double)x->size_bytes / (double)y->size_bytes
					     : (double)y->size_bytes / (double)x->size_bytes;
}

static int add_pair(struct relating *relating, const struct member_content *x,
		    const struct member_content *y, struct simhash_error *error)
{
	double resemblance = resemblance_of(x->file, y->file);
	uint32_t millionths = (uint32_t)(resemblance * SIMHASH_MILLION + 0.5);

	if (millionths == IDENTICAL_MILLIONTHS) /* some of their bytes differ */
		millionths--;
	if (resemblance < relating->all->min_resemblance)
		return 0;
	if (array_reserve(&relating->pairs, &relating->capacity, relating->count + 1,
			  sizeof *relating->pairs, error) != 0)
		return -1;
	relating->pairs[relating->count++] =
		(struct alike_pair){x->content, y->content, millionths};
	return 0;
}

/* Collect the contents of a group that are not too common, each once. Returns their number. */
static size_t take_members(struct relating *relating, const struct group_list *groups,
			   const struct group *group)
{
	size_t count = 0, kept = 0;

	for (size_t m = group->first; m < group->first + group->count; m++) {
		const struct find_file *file = groups->members[m].file;
		uint32_t content = groups->members[m].role == ROLE_COPY
					   ? NO_CONTENT
					   : folder_tree_content(relating->all->tree,
								 find_file_bytes(file),
								 file->content_hash);
		if (content != NO_CONTENT && relating->all->folders_of[content] <= COMMON_FOLDERS)
			relating->members[count++] = (struct member_content){file, content};
	}
	if (count == 0)
		return 0;
	qsort(relating->members, count, sizeof *relating->members, compare_members);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 ||
		    relating->members[kept - 1].content != relating->members[i].content)
			relating->members[kept++] = relating->members[i];
	return kept;
}

static int relate_group(struct relating *relating, const struct group_list *groups,
			const struct group *group, struct simhash_error *error)
{
	size_t count;

	if (array_reserve(&relating->members, &relating->member_capacity, group->count,
			  sizeof *relating->members, error) != 0)
		return -1;
	count = take_members(relating, groups, group);
	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count && j <= i + ALIKE_REACH; j++)
			if (add_pair(relating, &relating->members[i], &relating->members[j],
				     error) != 0)
				return -1;
	return 0;
}

static void *run_relater(void *argument)
{
	struct relating *relating = argument;
	struct relating_all *all = relating->all;
	struct group_list groups;
	struct simhash_error error;
	int status = 0;

	while (status == 0 && !first_error_is_set(&all->first_error) &&
	       (status = group_parts_next(all->groups, &groups, &error)) == 1) {
		status = 0;
		for (size_t g = 0; status == 0 && g < groups.count; g++)
			status = relate_group(relating, &groups, &groups.groups[g], &error);
		group_list_release(&groups);
	}
	if (status < 0)
		first_error_set(&all->first_error, &error);
	return NULL;
}

/* ---- All pairs ---- */

static int compare_alike(const void *a, const void *b)
{
	const struct alike_content *x = a, *y = b;

	if (x->millionths != y->millionths)
		return x->millionths > y->millionths ? -1 : 1;
	return (x->content > y->content) - (x->content < y->content);
}

static void count_alike(size_t *first, const struct relating *relating)
{
	for (size_t i = 0; i < relating->count; i++) {
		first[relating->pairs[i].x]++;
		first[relating->pairs[i].y]++;
	}
}

static void place_alike(struct folder_tree *tree, const struct relating *relating)
{
	size_t *first = tree->alike_first;

	for (size_t i = 0; i < relating->count; i++) {
		const struct alike_pair *pair = &relating->pairs[i];
		tree->alike[--first[pair->x]] = (struct alike_content){pair->y, pair->millionths};
		tree->alike[--first[pair->y]] = (struct alike_content){pair->x, pair->millionths};
	}
}

/* In both directions, sorted by content. */
static int write_alike(struct folder_tree *tree, struct relating *own, unsigned threads,
		       struct simhash_error *error)
{
	size_t *first = tree->alike_first = calloc(tree->content_count + 1, sizeof *first);
	size_t count = 0;

	for (unsigned t = 0; t < threads; t++)
		count += own[t].count;
	tree->alike = malloc((2 * count + 1) * sizeof *tree->alike);
	if (first == NULL || tree->alike == NULL)
		return error_set_memory(error);
	for (unsigned t = 0; t < threads; t++)
		count_alike(first, &own[t]);
	for (size_t c = 1; c <= tree->content_count; c++)
		first[c] += first[c - 1];
	for (unsigned t = 0; t < threads; t++)
		place_alike(tree, &own[t]);
	for (size_t c = 0; c < tree->content_count; c++)
		if (first[c + 1] - first[c] > 1)
			qsort(tree->alike + first[c], first[c + 1] - first[c], sizeof *tree->alike,
			      compare_alike);
	return 0;
}

int folder_tree_relate(struct folder_tree *tree, struct group_parts *groups, double min_resemblance,
		       unsigned threads, struct simhash_error *error)
{
	struct relating_all all = {
		.tree = tree,
		.groups = groups,
		.min_resemblance = min_resemblance < ALIKE_MIN_RESEMBLANCE ? ALIKE_MIN_RESEMBLANCE
									   : min_resemblance,
		.folders_of = calloc(tree->content_count + 1, sizeof *all.folders_of)};
	struct relating *own = calloc(threads, sizeof *own);
	int status = all.folders_of == NULL || own == NULL ? error_set_memory(error) : 0;

	first_error_init(&all.first_error, error);
	for (size_t h = 0; status == 0 && h < tree->held_first[tree->count]; h++)
		all.folders_of[tree->held[h].content]++;
	for (unsigned t = 0; status == 0 && t < threads; t++)
		own[t].all = &all;
	if (status == 0) {
		threads_run(threads, run_relater, own, sizeof *own);
		status = first_error_is_set(&all.first_error)
				 ? -1
				 : write_alike(tree, own, threads, error);
	}
	for (unsigned t = 0; own != NULL && t < threads; t++) {
		free(own[t].pairs);
		free(own[t].members);
	}
	free(own);
	free(all.folders_of);
	return status;
}
