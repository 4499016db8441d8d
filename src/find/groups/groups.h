/*
 * Finds groups of similar files, by representatives or by single linkage.
 *
 * With representatives, every file of a group is a pair with the group's representative, so groups
 * are not chains. With single linkage, a group consists of all files that are connected by pairs,
 * no matter how different its ends are. contents.h describes the rule.
 *
 * A group has at least two files. Its id depends only on their contents, so it is the same in every
 * run, in every format and in the tables of the index.
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
	ROLE_COPY /* a copy of the representative or member before it */
};

struct group_member {
	const struct find_file *file;
	enum member_role role;
	struct relation relation;	/* the relation with the representative */
	const struct part_place *place; /* see struct file_pair */
	/* A copy that already shares its blocks with the first file of its content. */
	bool is_shared;
};

struct group {
	size_t number; /* its position, from 1; not set in a list */
	uint64_t id;   /* shown as 16 hexadecimal digits */
	/* The position of its members in a list; the representative is the first. */
	size_t first, count;
	int64_t bytes;	      /* the size of all files */
	int64_t copied_bytes; /* the space that removing its copies outside archives would free */
	const struct find_file *representative;
};

struct group_list {
	struct group *groups;
	size_t count, capacity;
	struct group_member *members;
	size_t member_count, member_capacity;
	/* The owner of the files, if the groups were found without pairs. */
	struct contents contents;
	struct arena files; /* the files of a list of pairs that no longer exists */
};

/*
 * Find the groups of all files of the index and add them to the sorter. This uses pairs if there
 * are few, and otherwise finds the same groups without pairs. `finder_finds_groups` says whether
 * this works for a request; other requests need pairs. The caller ends the sorter.
 */
bool finder_finds_groups(const struct find_request *request);
int finder_groups(struct finder *finder, enum linkage linkage, struct group_sorter *groups,
		  struct simhash_error *error);

/* The same, always without pairs. */
int finder_groups_without_pairs(struct finder *finder, enum linkage linkage,
				struct group_sorter *groups, struct simhash_error *error);

/* The groups of a list of pairs. The files of the list must stay valid. */
int group_pairs(const struct pair_list *list, const struct find_request *request,
		enum linkage linkage, struct group_list *groups, struct simhash_error *error);

/* The id of a group with these content hashes, which this sorts. Copies do not change it. */
uint64_t group_id(uint8_t (*hashes)[CONTENT_HASH_SIZE], size_t count);

/* Set the ids of the groups. Errors: SIMHASH_E_MEMORY. */
int group_list_name(struct group_list *groups, struct simhash_error *error);

void group_list_release(struct group_list *groups);

/*
 * Write the groups of contents, which this takes over. With single linkage, the relation of each
 * content with its representative is already set.
 */
int groups_write(struct contents *contents, const struct find_request *request,
		 enum linkage linkage, struct group_list *groups, struct simhash_error *error);

#endif
