/*
 * Prefers files over archive members as representatives of groups, because a user can open a file.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_GROUP_PLAIN_H
#define SIMHASH_FIND_GROUP_PLAIN_H

#include "find/groups/contents.h"

/*
 * `group` has the contents of a group: the representative first, and the others sorted by likeness
 * to it. If all files of the first content are inside other files, move the first content with a
 * file outside others to its place. With representatives, only do so if that content is a pair with
 * all others. Returns true if it moved one.
 */
bool group_prefer_plain(struct unique_content *const *group, size_t count,
			const struct find_request *request, enum linkage linkage);

#endif
