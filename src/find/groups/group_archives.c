/*
 * Sorts the links of archives by the sizes of their files. The largest file of a group represents it.
 * SPDX-License-Identifier: MIT
 */
#include "find/groups/group_archives.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "base/basic/sizes.h"
#include "base/data/array.h"
#include "base/data/pair_set.h"
#include "find/pairs/archives.h"

/* The largest file first, because a part does not show how similar the files around it are. */
static int compare_files(const struct find_file *x, const struct find_file *y)
{
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes > y->size_bytes ? -1 : 1;
	return find_file_compare(x, y);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct file_pair *x = a, *y = b;
	int order = compare_files(x->a, y->a);

	return order != 0 ? order : compare_files(x->b, y->b);
}

static int read_pairs(const struct archives *archives, struct file_pair **pairs, size_t *count,
		      struct simhash_error *error)
{
	size_t capacity = 0, at = 0;
	struct file_pair pair;

	while (archives_next_link(archives, &at, &pair)) {
		if (array_reserve(pairs, &capacity, *count + 1, sizeof **pairs, error) != 0)
			return -1;
		if (compare_files(pair.a, pair.b) > 0)
			pair = (struct file_pair){pair.b, pair.a, relation_turned(&pair.relation),
						  NULL};
		(*pairs)[(*count)++] = pair;
	}
	if (*count > 1)
		qsort(*pairs, *count, sizeof **pairs, compare_pairs);
	return 0;
}

static struct pair pair_of(const struct find_file *x, const struct find_file *y)
{
	return (struct pair){(uintptr_t)x, (uintptr_t)y};
}

/* Note that the files of these pairs, which have one first file, are in its group. */
static int note_covered(struct pair_set *covered, const struct file_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			if (pair_set_add(covered, pair_of(pairs[i].b, pairs[k].b)) < 0)
				return -1;
	return 0;
}

static void add_group(struct group_list *groups, const struct file_pair *pairs, size_t count)
{
	struct group *group = &groups->groups[groups->count++];
	struct group_member *members = &groups->members[groups->member_count];

	*group = (struct group){
		.first = groups->member_count, .count = count + 1, .representative = pairs->a};
	members[0] = (struct group_member){.file = pairs->a, .role = ROLE_REPRESENTATIVE};
	for (size_t i = 0; i < count; i++)
		members[i + 1] =
			(struct group_member){.file = pairs[i].b,
					      .role = ROLE_MEMBER,
					      .relation = relation_turned(&pairs[i].relation)};
	for (size_t m = 0; m < group->count; m++)
		add_size(&group->bytes, find_file_bytes(members[m].file));
	groups->member_count += group->count;
}

/* Make the groups of sorted pairs. -1: memory is short. */
static int add_groups(struct group_list *groups, struct file_pair *pairs, size_t count)
{
	struct pair_set covered = {.pairs = NULL};
	int status = 0;

	for (size_t i = 0, end; i < count && status == 0; i = end) {
		size_t kept = i;
		for (end = i; end < count && pairs[end].a == pairs[i].a; end++)
			;
		for (size_t k = i; k < end; k++)
			if (!pair_set_has(&covered, pair_of(pairs[k].a, pairs[k].b)))
				pairs[kept++] = pairs[k];
		if (kept > i)
			add_group(groups, pairs + i, kept - i);
		status = note_covered(&covered, pairs + i, kept - i);
	}
	pair_set_release(&covered);
	return status;
}

int group_archives(const struct archives *archives, struct group_list *groups,
		   struct simhash_error *error)
{
	struct file_pair *pairs = NULL;
	size_t count = 0;
	int status = read_pairs(archives, &pairs, &count, error);

	*groups = (struct group_list){.count = 0};
	if (status == 0 && count > 0 &&
	    (array_reserve(&groups->groups, &groups->capacity, count, sizeof *groups->groups,
			   error) != 0 ||
	     array_reserve(&groups->members, &groups->member_capacity, 2 * count,
			   sizeof *groups->members, error) != 0))
		status = -1;
	if (status == 0 && count > 0 && add_groups(groups, pairs, count) != 0)
		status = error_set_memory(error);
	free(pairs);
	return status == 0 ? group_list_name(groups, error) : -1;
}
