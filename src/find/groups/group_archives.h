/*
 * Makes groups of files that have mostly the same archive members. The groups of these members are
 * left out, see find/pairs/archives.h.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_GROUP_ARCHIVES_H
#define SIMHASH_FIND_GROUP_ARCHIVES_H

#include "find/groups/groups.h"

/*
 * Each link of the archives is in one of the groups: of its larger file, or of another file that
 * both are linked with. Their files must stay valid as long as the groups. The caller releases the
 * groups.
 */
int group_archives(const struct archives *archives, struct group_list *groups,
		   struct simhash_error *error);

#endif
