/*
 * A file that was read because a pair needs its bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_LOADED_H
#define SIMHASH_FIND_LOADED_H

#include "find/reading/cover.h"
#include "find/rule/find.h"

enum loaded_state { NOT_LOADED, LOADING, LOADED, LOAD_FAILED };

/* A file that some pair needs. */
struct loaded {
	const struct find_file *file;
	enum loaded_state state;
	unsigned users;
	uint8_t *bytes; /* NULL for a large file */
	bool has_index, is_indexing;
	struct cover_index index;
	size_t held;		      /* bytes that it takes of the cache */
	struct loaded *older, *newer; /* unused ones, by their last use */
	bool is_reported;
	/* Of a member of an archive: those of it that are needed, in the order of their names. */
	struct loaded *first_member, *next_member;
	struct loaded *next_read; /* in the same passage through the archive */
	bool is_whole;		  /* was read to its end */
	bool was_missed;	  /* in a passage for another one */
};

#endif
