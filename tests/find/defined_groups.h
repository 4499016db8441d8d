/*
 * Finds the groups of random rows by brute force, from the definition in docs/algorithm.md: sorts
 * contents, chooses representatives one after another, and then joins the ones that are alone.
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

/* The relation of one file or content to another. */
struct fact {
	bool is_pair;
	struct relation relation; /* the distance is not set */
};

struct defined_member {
	int row;
	enum member_role role;
	struct fact fact; /* the relation of its content with the content of the representative */
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

/* The displayed name of the row. */
const char *display_of(int row);

/* The sides of --between that contain the row if the sides are /f/g and /fg. */
unsigned sides_of_row(int row);

#endif
