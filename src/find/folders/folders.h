/*
 * Finds folders that are alike, and measures the contents that they share: simfind --directories.
 * docs/algorithm.md has the rules.
 *
 *     struct folder_request wanted = {.min_shared = 0.5, .with_similar = true};
 *     struct folder_pairs found;
 *
 *     if (finder_folders(&finder, &wanted, &found, &error) == 0) {
 *             ... found.pairs ...
 *             folder_pairs_release(&found);
 *     }
 *
 * The archive members that simhash -z found are compared like directories. No file is read. Time
 * and memory grow with files and folders, and not with pairs of folders.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FOLDERS_H
#define SIMHASH_FIND_FOLDERS_H

#include "find/folders/folder_tree.h"

struct folder_request {
	const struct find_side *sides; /* only what is at or below one of these; none: all */
	size_t side_count;
	double min_shared; /* of the bytes of one of the two, 0 to 1 */
	bool with_similar; /* else only identical files count */
};

/* What one of two folders has in common with the other. */
struct folder_share {
	int64_t bytes, shared_bytes; /* similar files count at their resemblance */
	uint64_t files, same, changed;
};

enum folder_kind {
	FOLDERS_IDENTICAL, /* every file of each has its copy in the other */
	FOLDERS_CONTAINED, /* every file of a has its copy in b */
	FOLDERS_SIMILAR
};

struct folder_pair {
	uint32_t folder_a,
		folder_b; /* a is the one that b is the partner of: that has the most of it */
	struct folder_share a, b;
	int64_t saved_bytes; /* by giving up the files of a that have a copy in b */
	enum folder_kind kind;
	bool a_in_archive, b_in_archive; /* nothing is saved then */
};

/* Those that save the most come first. */
struct folder_pairs {
	struct folder_tree tree;
	struct folder_pair *pairs;
	size_t count, capacity;
	uint64_t passed_over; /* folders that share only contents which are in too many others */
	struct name_list hosts;
	int64_t local_host;
};

int finder_folders(struct finder *finder, const struct folder_request *wanted,
		   struct folder_pairs *found, struct simhash_error *error);
void folder_pairs_release(struct folder_pairs *found);

static inline double folder_shared(const struct folder_share *share)
{
	return share->bytes == 0 ? 0 : (double)share->shared_bytes / (double)share->bytes;
}

/* ---- Two folders, file by file ---- */

enum fate { FATE_CHANGED, FATE_MOVED, FATE_ONLY_A, FATE_ONLY_B, FATE_SAME, FATES };

#define RESEMBLANCE_UNKNOWN (-1.0)

/*
 * A file of one folder and its counterpart in the other, which is that of no other file; or a file
 * that has none. Paths are below each folder.
 */
struct folder_file {
	enum fate fate;
	struct bytes path_a, path_b; /* empty: there is none */
	struct bytes like; /* of a file without: the most alike one of the other folder, or empty */
	int64_t size_a_bytes, size_b_bytes;
	uint32_t content_a, content_b;
	double resemblance; /* of the two, or to what it is like */
	bool is_copy;	    /* of what it is like */
};

struct folder_comparison {
	struct folder_pair pair; /* by contents, whichever files are counterparts */
	struct folder_file
		*files;	       /* by fate, then by path; each of both folders is in one of them */
	uint64_t fates[FATES]; /* how many there are of each */
	size_t count, capacity;
	struct arena paths;
	bool is_left_out; /* of details: there was no room for its files */
};

/* How many files of a folder are in the list. */
static inline uint64_t files_with_a(const struct folder_comparison *comparison)
{
	return comparison->count - comparison->fates[FATE_ONLY_B];
}

static inline uint64_t files_with_b(const struct folder_comparison *comparison)
{
	return comparison->count - comparison->fates[FATE_ONLY_A];
}

/* Compare the two sides of the request; none is inside the other. */
int finder_compare_folders(struct finder *finder, const struct folder_request *wanted,
			   struct folder_comparison *comparison, struct simhash_error *error);
void folder_comparison_release(struct folder_comparison *comparison);

/* ---- The first pairs of a list, file by file ---- */

struct folder_details {
	struct folder_comparison *pairs; /* in the order of the list */
	size_t count;
	struct arena paths; /* of all files */
};

/* With at most so many files of all pairs, to the first of which they go first. */
int finder_detail_pairs(struct finder *finder, const struct folder_pairs *found, size_t count,
			uint64_t files_max, struct folder_details *details,
			struct simhash_error *error);
void folder_details_release(struct folder_details *details);

#endif
