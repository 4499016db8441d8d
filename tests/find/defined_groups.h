/*
 * The groups of random rows by brute force, from the definition in docs/algorithm.md: contents in
 * their order, representatives one after another, then those that are alone.
 *
 *     facts[a][b] = ...; facts[b][a] = ...;       for every pair of rows
 *     define_groups(&request, LINK_REPRESENTATIVE);
 *     for (int g = 0; g < defined_count; g++)
 *             for (int m = 0; m < defined[g].count; m++)
 *                     ... defined[g].members[m] ...
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_FIND_DEFINED_GROUPS_H
#define TESTS_FIND_DEFINED_GROUPS_H

#include "find/groups/groups.h"
#include "random_rows.h"

/* What one file or content is to another. */
struct fact {
	bool is_pair;
	struct relation relation; /* but not the distance */
};

struct defined_member {
	int row;
	enum member_role role;
	struct fact fact; /* of its content with that of the representative */
};

struct defined_group {
	struct defined_member members[ROWS];
	int count;
	int64_t bytes, copied_bytes;
	uint64_t id;
};

extern struct fact facts[ROWS][ROWS];
extern struct defined_group defined[ROWS];
extern int defined_count;

void define_groups(const struct find_request *request, enum linkage linkage);

/* As the row is displayed. */
const char *display_of(int row);

/* Which sides of --between is the row on, where these are /f/g and /fg? */
unsigned sides_of_row(int row);

#endif
