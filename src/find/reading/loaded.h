/*
 * Describes a file that is read because a pair needs its bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_LOADED_H
#define SIMHASH_FIND_LOADED_H

#include "find/reading/cover.h"
#include "find/rule/find.h"

enum loaded_state { NOT_LOADED, LOADING, LOADED, LOAD_FAILED };

/* A file that at least one pair needs. */
struct loaded {
	const struct find_file *file;
	bool is_text;	 /* the text of a document, and not its bytes */
	char *text_name; /* as a member of its file; owned; NULL before it is read */
	enum loaded_state state;
	unsigned users;
	uint8_t *bytes; /* NULL for a large file */
	bool has_index, is_indexing;
	struct cover_index index;
	size_t held; /* the bytes of the cache that it uses */
	/* Neighbours among unused contents, sorted by their last use. */
	struct loaded *older, *newer;
	bool is_reported;
	/* For a member of an archive: the needed members of that archive, sorted by name. */
	struct loaded *first_member, *next_member;
	struct loaded *next_read; /* the next member to read in the same pass through the archive */
	bool is_whole;		  /* it was read to its end */
	bool was_missed;	  /* a pass for another member did not read this one completely */
};

static inline int64_t loaded_size(const struct loaded *content)
{
	return content->is_text ? content->file->size_bytes : find_file_bytes(content->file);
}

#endif
