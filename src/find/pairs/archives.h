/*
 * Decides whether a pair of members of archives is left out: because their archives are a pair
 * themselves, or because they are documents, whose texts decide. The files that have members are in
 * memory during a search of all files.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_ARCHIVES_H
#define SIMHASH_FIND_ARCHIVES_H

#include "find/rule/finder.h"

struct archives;

/*
 * If the request leaves out such pairs, read the files, and the members, that have members in the
 * index. Call it after finder_begin. The finder frees them.
 */
int archives_need(struct finder *finder, struct simhash_error *error);

/*
 * Are x and y inside different files or members that are a pair of the rule, or identical, or have
 * mostly the same members, or that both are documents with a text? Or is one a member of the other?
 * Without archives, always false. Any number of threads may call it.
 */
bool archives_are_pair(const struct archives *archives, const struct find_file *x,
		       const struct find_file *y);

/* Is y a member of x, at any depth? */
bool archive_has_member(const struct find_file *x, const struct find_file *y);

/* The same as archives_are_pair for x and y that may also be inside the same file. */
bool archives_are_related(const struct archives *archives, const struct find_file *x,
			  const struct find_file *y);

/*
 * Get the next pair of files that have mostly the same members, although the files are not similar.
 * *at is 0 at first. False after the last one. The relation has the shares of the bytes of members.
 * Copies of other archives are left out, because they are listed with them.
 */
bool archives_next_link(const struct archives *archives, size_t *at, struct file_pair *pair);

#endif
