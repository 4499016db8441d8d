/*
 * Finds groups for programs: finds all groups at once, and returns them one after another.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "api/index_library.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "find/groups/group_sorter.h"

#define GROUPS_SHARE 4 /* groups use this share of the default of --limits=memory */

/* A member of the last group, with its file. */
struct described {
	struct simhash_index_member member;
	struct simhash_index_file file;
};

struct simhash_index_groups {
	const struct simhash_index *index;
	struct group_sorter sorter;
	struct group_cursor cursor;
	struct simhash_index_group group;
	struct described *described;
	const struct simhash_index_member **members;
	size_t described_capacity, members_capacity;
};

static int find_groups(struct simhash_index_groups *groups, struct simhash_index *index,
		       const struct simhash_index_search *search, enum linkage linkage,
		       struct simhash_error *error)
{
	struct find_sink sink = {.context = NULL};
	struct find_resources resources = {.threads = index_search_threads(search)};
	struct find_request request;
	struct finder finder;
	int status;

	if (index_request_init(&request, index, search, error) != 0)
		return -1;
	status = finder_init(&finder, index->store, &request, &sink, &resources, error);
	if (status == 0 && index->tag_set != 0)
		status = finder_groups(&finder, linkage, &groups->sorter, error);
	finder_release(&finder);
	rule_release(&request.rule);
	if (status == 0)
		status = group_sorter_end(&groups->sorter, error);
	return status != 0 ? -1 : group_cursor_begin(&groups->cursor, &groups->sorter, error);
}

int simhash_index_groups_begin(struct simhash_index *index,
			       const struct simhash_index_search *search,
			       enum simhash_index_linkage linkage,
			       struct simhash_index_groups **groups, struct simhash_error *error)
{
	const struct group_order order = {.key = NULL};
	struct simhash_index_groups *made = calloc(1, sizeof *made);
	struct simhash_error unwanted;
	int status;

	*groups = NULL;
	if (error == NULL)
		error = &unwanted;
	if (made == NULL)
		return error_set_memory(error);
	made->index = index;
	group_sorter_init(&made->sorter, FIND_MEMORY_DEFAULT / GROUPS_SHARE, &order);
	made->sorter.keeps_sketches = true;
	if (linkage == SIMHASH_INDEX_BY_REPRESENTATIVE)
		status = find_groups(made, index, search, LINK_REPRESENTATIVE, error);
	else if (linkage == SIMHASH_INDEX_SINGLE_LINKAGE)
		status = find_groups(made, index, search, LINK_SINGLE, error);
	else
		status = error_set(error, SIMHASH_E_RANGE, "there is no linkage with the number %d",
				   (int)linkage);
	if (status != 0) {
		simhash_index_groups_end(made);
		return -1;
	}
	*groups = made;
	return 0;
}

void simhash_index_groups_end(struct simhash_index_groups *groups)
{
	if (groups == NULL)
		return;
	group_cursor_release(&groups->cursor);
	group_sorter_release(&groups->sorter);
	free(groups->described);
	free(groups->members);
	free(groups);
}

static void describe_member(const struct simhash_index *index,
			    const struct find_file *representative, const struct group_member *from,
			    struct described *to)
{
	static const enum simhash_index_role roles[] = {
		[ROLE_REPRESENTATIVE] = SIMHASH_INDEX_REPRESENTATIVE,
		[ROLE_MEMBER] = SIMHASH_INDEX_MEMBER,
		[ROLE_COPY] = SIMHASH_INDEX_COPY,
	};

	index_describe(index, from->file, &to->file);
	to->member = (struct simhash_index_member){
		.file = &to->file,
		.role = roles[from->role],
		.distance = from->relation.distance,
		.resemblance = index_resemblance(&from->relation,
						 are_identical(representative, from->file)),
		.verified = index_verified_by(from->relation.verification),
	};
}

int simhash_index_groups_next(struct simhash_index_groups *groups,
			      const struct simhash_index_group **group, struct simhash_error *error)
{
	const struct group *next = &groups->cursor.group;
	struct simhash_error unwanted;
	int status;

	*group = NULL;
	if (error == NULL)
		error = &unwanted;
	status = group_cursor_next(&groups->cursor, error);
	if (status != 1)
		return status;
	if (array_reserve(&groups->described, &groups->described_capacity, next->count,
			  sizeof *groups->described, error) != 0 ||
	    array_reserve(&groups->members, &groups->members_capacity, next->count,
			  sizeof *groups->members, error) != 0)
		return -1;
	for (size_t i = 0; i < next->count; i++) {
		describe_member(groups->index, groups->cursor.members[0].file,
				&groups->cursor.members[i], &groups->described[i]);
		groups->members[i] = &groups->described[i].member;
	}
	groups->group = (struct simhash_index_group){.id = next->id,
						     .size_bytes = next->bytes,
						     .copied_bytes = next->copied_bytes,
						     .count = next->count,
						     .members = groups->members};
	*group = &groups->group;
	return 1;
}
