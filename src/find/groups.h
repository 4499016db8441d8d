/*
 * Groups of similar files.
 *
 * By representatives, a group does not chain: every file in it makes a pair with the
 * group's representative, and no two representatives make a pair. By single linkage
 * a group is all that is connected by pairs, however far apart its ends are.
 *
 * A group has at least two files. Its id follows from their contents alone, so that another run,
 * another format and the tables of the index call it the same.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_GROUPS_H
#define SIMHASH_FIND_GROUPS_H

#include "find/pairs.h"

enum linkage { LINK_REPRESENTATIVE, LINK_SINGLE };

enum member_role {
	ROLE_REPRESENTATIVE,
	ROLE_MEMBER,
	ROLE_COPY /* of the last representative or member before it */
};

struct group_member {
	const struct find_file *file;
	enum member_role role;
	uint64_t distance; /* from the representative */
	/* What is known of its pair with the representative; see struct file_pair. */
	enum verification verification;
	double resemblance;
	bool is_part;
	double contained; /* of the member in the representative; negative: the other way round */
};

struct group {
	size_t number;	      /* from 1 */
	uint64_t id;	      /* shown as 16 hexadecimal digits */
	size_t first, count;  /* of its members; the representative is the first */
	int64_t bytes;	      /* of all of them */
	int64_t copied_bytes; /* of those that are copies: what giving them up would save */
	const struct find_file *representative;
};

struct group_list {
	const struct pair_list *list;
	struct group *groups;
	size_t count;
	struct group_member *members;
};

/*
 * Every file of the list is in one group; the largest groups come first. The list
 * must outlive the groups.
 */
int group_pairs(const struct pair_list *list, enum linkage linkage, struct group_list *groups,
		struct simhash_error *error);
void group_list_release(struct group_list *groups);

#endif
