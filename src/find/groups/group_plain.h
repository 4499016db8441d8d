/*
 * Prefers files to archive members as representatives of groups, because a file can be opened.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_GROUP_PLAIN_H
#define SIMHASH_FIND_GROUP_PLAIN_H

#include "find/groups/contents.h"

/*
 * A group's contents, the representative first and then by how alike they are to it. If all files of
 * the first are inside of other files, the next one that has a file of its own takes its place; by
 * representatives only where it is a pair with all the others. True if one did.
 */
bool group_prefer_plain(struct unique_content *const *group, size_t count,
			const struct find_request *request, enum linkage linkage);

#endif
