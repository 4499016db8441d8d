/*
 * Writes groups from contents whose representatives are known, and computes the ids of the groups.
 * SPDX-License-Identifier: MIT
 */
#include "find/groups/groups.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/basic/error.h"
#include "base/basic/sizes.h"
#include "base/data/array.h"
#include "find/groups/group_plain.h"

/* Sorts contents of one group together: first the representative, then by likeness to it. */
static int compare_placed(const void *a, const void *b)
{
	const struct unique_content *x = *(const struct unique_content *const *)a;
	const struct unique_content *y = *(const struct unique_content *const *)b;
	int order;

	if (x->center != y->center)
		return contents_compare(x->center, y->center);
	if (is_representative(x) != is_representative(y))
		return is_representative(x) ? -1 : 1;
	order = relations_compare(&x->relation, &y->relation);
	return order != 0 ? order : find_file_compare(x->files->file, y->files->file);
}

static struct group_member member_of(const struct unique_content *content,
				     const struct content_file *file)
{
	static const struct relation to_itself = RELATION_OF_COPIES;
	bool is_first = is_representative(content);

	return (struct group_member){
		.file = file->file,
		.role = file != content->files ? ROLE_COPY
			: is_first	       ? ROLE_REPRESENTATIVE
					       : ROLE_MEMBER,
		.relation = is_first ? to_itself : content->relation,
	};
}

static void add_content(struct group_list *groups, const struct unique_content *content)
{
	struct group *group;

	if (is_representative(content))
		groups->groups[groups->count++] = (struct group){
			.first = groups->member_count, .representative = content->files->file};
	group = &groups->groups[groups->count - 1];
	for (const struct content_file *file = content->files; file != NULL; file = file->next) {
		struct group_member *member = &groups->members[groups->member_count++];
		*member = member_of(content, file);
		group->count++;
		add_size(&group->bytes, find_file_bytes(file->file));
		/* A copy in an archive cannot be removed. */
		if (member->role == ROLE_COPY && !row_is_inside(file->file->compressed_size_bytes))
			add_size(&group->copied_bytes, find_file_bytes(file->file));
	}
}

/* ---- Ids ---- */

static int compare_hashes(const void *a, const void *b)
{
	return memcmp(a, b, CONTENT_HASH_SIZE);
}

uint64_t group_id(uint8_t (*hashes)[CONTENT_HASH_SIZE], size_t count)
{
	size_t contents = 0;

	qsort(hashes, count, sizeof *hashes, compare_hashes);
	for (size_t i = 0; i < count; i++)
		if (contents == 0 || compare_hashes(hashes[contents - 1], hashes[i]) != 0)
			memmove(hashes[contents++], hashes[i], CONTENT_HASH_SIZE);
	return XXH3_64bits(hashes, contents * sizeof *hashes);
}

int group_list_name(struct group_list *groups, struct simhash_error *error)
{
	size_t largest = 0;
	uint8_t(*hashes)[CONTENT_HASH_SIZE];

	for (size_t g = 0; g < groups->count; g++)
		if (groups->groups[g].count > largest)
			largest = groups->groups[g].count;
	hashes = malloc((largest + 1) * sizeof *hashes);
	if (hashes == NULL)
		return error_set_memory(error);
	for (size_t g = 0; g < groups->count; g++) {
		struct group *group = &groups->groups[g];
		for (size_t m = 0; m < group->count; m++)
			memcpy(hashes[m], groups->members[group->first + m].file->content_hash,
			       CONTENT_HASH_SIZE);
		group->id = group_id(hashes, group->count);
	}
	free(hashes);
	return 0;
}

/* ---- All groups ---- */

/*
 * Collects the contents that are in groups, in the order for writing. Returns their number and sets
 * the number of their files.
 */
static size_t place(const struct contents *contents, struct unique_content **placed, size_t *files)
{
	size_t count = 0;

	*files = 0;
	for (size_t i = 0; i < contents->count; i++) {
		struct unique_content *content = contents->items[i];
		if (!content_is_group(content->center))
			continue;
		placed[count++] = content;
		*files += content->file_count;
	}
	qsort(placed, count, sizeof(struct unique_content *), compare_placed);
	return count;
}

bool finder_finds_groups(const struct find_request *request)
{
	return request->measure == NULL && request->kinds == 0 && request->parts == 1;
}

/* If an archive member represents a group, a file replaces it. */
static void prefer_plain(struct unique_content **placed, size_t count,
			 const struct find_request *request, enum linkage linkage)
{
	bool has_changed = false;

	/* In all other cases, the rows of two files do not show how similar they are. */
	if (request->has_between || !finder_finds_groups(request) ||
	    request->rule.verify.mode >= VERIFY_READ)
		return;
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && placed[end]->center == placed[i]->center; end++)
			;
		has_changed |= group_prefer_plain(placed + i, end - i, request, linkage);
	}
	if (has_changed)
		qsort(placed, count, sizeof(struct unique_content *), compare_placed);
}

int groups_write(struct contents *contents, const struct find_request *request,
		 enum linkage linkage, struct group_list *groups, struct simhash_error *error)
{
	struct unique_content **placed =
		malloc((contents->count + 1) * sizeof(struct unique_content *));
	size_t count, files;

	*groups = (struct group_list){.contents = *contents};
	*contents = (struct contents){.items = NULL};
	if (placed == NULL)
		return error_set_memory(error);
	count = place(&groups->contents, placed, &files);
	prefer_plain(placed, count, request, linkage);
	if (array_reserve(&groups->groups, &groups->capacity, count + 1, sizeof *groups->groups,
			  error) != 0 ||
	    array_reserve(&groups->members, &groups->member_capacity, files + 1,
			  sizeof *groups->members, error) != 0) {
		free(placed);
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		add_content(groups, placed[i]);
	free(placed);
	return group_list_name(groups, error);
}

void group_list_release(struct group_list *groups)
{
	contents_release(&groups->contents);
	arena_release(&groups->files);
	free(groups->groups);
	free(groups->members);
	groups->groups = NULL;
	groups->members = NULL;
	groups->count = groups->capacity = 0;
	groups->member_count = groups->member_capacity = 0;
}
