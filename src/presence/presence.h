/*
 * Finds the files whose content exists nowhere else, or in few places (simfind --missing, --copies).
 * docs/algorithm.md describes the rules.
 *
 *     struct presence found;
 *
 *     status = finder_missing(&finder, &wanted, &found, &error);   // or finder_copies
 *     for (size_t i = 0; status == 0 && i < found.count; i++)
 *             show(&found.items[i]);
 *     presence_release(&found);
 *
 * Directories of this host are walked: a file that the index does not have as it is now counts as
 * missing. A file elsewhere counts only if it still has its indexed size, time and inode. No content
 * is read. Memory grows with the files in question, about 150 bytes for each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_PRESENCE_H
#define SIMHASH_PRESENCE_H

#include "find/rule/find.h"
#include "presence/index_age.h"

enum presence_state {
	CONTENT_ELSEWHERE,   /* a file elsewhere has the content */
	CONTENT_INSIDE,	     /* only archives elsewhere have the content */
	CONTENT_MISSING,     /* no other place has it */
	CONTENT_NOT_INDEXED, /* the index does not have the file */
	CONTENT_CHANGED,     /* the file has changed since it was indexed */
	CONTENT_UNREADABLE,  /* a file or a directory that cannot be read */
	PRESENCE_STATES
};

struct presence_request {
	/* The files in question: at or below these sides. None: all files. */
	const struct find_side *tops;
	size_t top_count;
	/* Where to look for their contents. No place and no list: in all other files. */
	const struct find_side *places;
	size_t place_count;
	const struct known_contents *lists; /* contents that are in lists; or NULL */
	unsigned relatives; /* kinds of pairs: also find the most similar file elsewhere; or 0 */
	uint64_t least_copies, most_copies; /* for finder_copies */
};

/* A file that is missing or, for finder_copies, selected. */
struct presence_item {
	struct bytes display; /* "host:path", or the path on this host; with a terminating zero */
	size_t path_offset;   /* where the path begins */
	/* If all files of a folder are listed: the size of its path at the beginning of `display`. Otherwise 0. */
	size_t folder_size;
	enum presence_state state;
	int64_t size_bytes, mtime_ns;
	uint64_t copies; /* for finder_copies: the number of file systems that have the content */
	const char *why; /* for CONTENT_UNREADABLE; or NULL */
	/* The most similar file elsewhere, as the relation of the item to it; or empty. */
	struct bytes relative;
	struct relation relation;
};

struct presence {
	struct presence_item *items; /* sorted by path */
	size_t count, capacity;
	/* All files in question, by state; empty files are only in `empty`. */
	uint64_t files[PRESENCE_STATES], empty;
	uint64_t
		left_out; /* files below the tops that the request leaves out; they were not examined */
	int64_t bytes[PRESENCE_STATES];
	/* Below tops that are not walked: files that simhash could not read, and runs that did not end. */
	uint64_t unread, unfinished;
	struct index_age asked_age,
		place_age;  /* of the tops, and of the places or the whole index */
	struct arena arena; /* the texts of the items */
};

/* A top of a search for missing files. */
struct deletable {
	/* If only this top is deleted: all files, those missing, and those only in archives elsewhere. */
	uint64_t files, missing, inside;
	int64_t bytes, missing_bytes;
	bool is_alone;	  /* nothing is lost if only this top is deleted */
	bool is_together; /* nothing is lost if all tops with this mark are deleted */
};

/* Files at or below `tops` whose content is not in a place. */
int finder_missing(struct finder *finder, const struct presence_request *wanted,
		   struct presence *found, struct simhash_error *error);

/*
 * Find the tops that can be deleted, each alone, and several together: large ones first, as long as
 * nothing is lost. `tops` has an element for each top. Searches again for each top and for each set.
 */
int finder_deletable(struct finder *finder, const struct presence_request *wanted,
		     struct deletable *tops, struct simhash_error *error);

/* Files at or below `tops` whose content is on this number of file systems and hosts. */
int finder_copies(struct finder *finder, const struct presence_request *wanted,
		  struct presence *found, struct simhash_error *error);

void presence_release(struct presence *found);

/* Does the item stand for lost content: is it missing, or is that unknown? */
static inline bool is_missing(enum presence_state state)
{
	return state >= CONTENT_MISSING;
}

/* Count all files in question that have content, or those that count as missing. */
uint64_t presence_count(const struct presence *found);
uint64_t presence_count_missing(const struct presence *found);

#endif
