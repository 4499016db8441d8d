/*
 * Finds groups of similar files, by representatives or by single linkage.
 *
 * By representatives, a group does not chain: every file in it makes a pair with the group's
 * representative. By single linkage a group is everything that is connected by pairs, no matter how
 * far apart its ends are. contents.h has the rule.
 *
 * A group has at least two files. Its id follows from their contents alone, so it is the same in
 * another run, in another format and in the tables of the index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_GROUPS_H
#define SIMHASH_FIND_GROUPS_H

#include "base/data/arena.h"
#include "find/groups/contents.h"
#include "find/pairs/pairs.h"
#include "find/rule/find.h"

struct group_sorter;

enum member_role {
	ROLE_REPRESENTATIVE,
	ROLE_MEMBER,
	ROLE_COPY /* of the last representative or member before it */
};

struct group_member {
	const struct find_file *file;
	enum member_role role;
	struct relation relation; /* to the representative */
};

struct group {
	size_t number;	      /* from 1, in order; in a list it is not set */
	uint64_t id;	      /* shown as 16 hexadecimal digits */
	size_t first, count;  /* of its members in a list; the representative is the first */
	int64_t bytes;	      /* of all of them */
	int64_t copied_bytes; /* of the copies that are files: what giving them up would save */
	const struct find_file *representative;
};

struct group_list {
	struct group *groups;
	size_t count, capacity;
	struct group_member *members;
	size_t member_count, member_capacity;
	struct contents contents; /* which have the files, where they were found without pairs */
	struct arena files;	  /* those of a list of pairs that is no more */
};

/*
 * Find the groups of all files of the index: by way of their pairs where those are few, else without
 * them, which gives the same groups. `finder_finds_groups` says if the request is one that this can
 * answer; others need their pairs. Adds them to the sorter, which is left to the caller to end.
 */
bool finder_finds_groups(const struct find_request *request);
int finder_groups(struct finder *finder, enum linkage linkage, struct group_sorter *groups,
		  struct simhash_error *error);

/* The same without trying pairs. */
int finder_groups_without_pairs(struct finder *finder, enum linkage linkage,
				struct group_sorter *groups, struct simhash_error *error);

/* The groups of a list of pairs, whose files are borrowed. */
int group_pairs(const struct pair_list *list, const struct find_request *request,
		enum linkage linkage, struct group_list *groups, struct simhash_error *error);

void group_list_release(struct group_list *groups);

/*
 * Write the groups of contents down, which are taken over. By single linkage the relation of each
 * to its representative is set.
 */
int groups_write(struct contents *contents, const struct find_request *request,
		 enum linkage linkage, struct group_list *groups, struct simhash_error *error);

#endif
