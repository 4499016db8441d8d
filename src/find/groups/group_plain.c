/*
 * Replaces the representative of a group by a content with a file outside archives.
 * SPDX-License-Identifier: MIT
 */
#include "find/groups/group_plain.h"

/* Is the first file of the content outside archives? Such files come first in a content. */
static bool is_plain(const struct unique_content *content)
{
	return !row_is_inside(content->files->file->compressed_size_bytes);
}

/* The relation of a content to another one. False if they are not a pair. */
static bool relate(const struct find_request *request, const struct unique_content *content,
		   const struct unique_content *other, struct relation *relation)
{
	const struct find_file *x = content->files->file, *y = other->files->file;
	*relation = (struct relation){.distance = 0};
	if (!rule_matches(&request->rule, x, y, relation))
		return false;
	settle_identity(x, y, relation); /* if the tolerances differ */
	return true;
}

static bool is_pair_with_all(struct unique_content *const *group, size_t count,
			     const struct find_request *request,
			     const struct unique_content *chosen)
{
	struct relation relation;

	for (size_t i = 0; i < count; i++)
		if (group[i] != chosen && !relate(request, group[i], chosen, &relation))
			return false;
	return true;
}

static void represent(struct unique_content *const *group, size_t count,
		      const struct find_request *request, struct unique_content *chosen)
{
	for (size_t i = 0; i < count; i++) {
		struct unique_content *content = group[i];
		content->center = chosen;
		content->members = content == chosen ? count - 1 : 0;
		if (content != chosen && !relate(request, content, chosen, &content->relation))
			content->relation = relation_estimated(content, chosen);
	}
}

bool group_prefer_plain(struct unique_content *const *group, size_t count,
			const struct find_request *request, enum linkage linkage)
{
	size_t chosen = 1;

	if (is_plain(group[0]))
		return false;
	while (chosen < count && !is_plain(group[chosen]))
		chosen++;
	if (chosen == count || (linkage == LINK_REPRESENTATIVE &&
				!is_pair_with_all(group, count, request, group[chosen])))
		return false;
	represent(group, count, request, group[chosen]);
	return true;
}
