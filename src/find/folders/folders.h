/*
 * Finds similar folders and measures the contents that they share (simfind --directories).
 * docs/algorithm.md describes the rules.
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
 * and memory grow with the number of files and folders, not with the number of pairs of folders.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FOLDERS_H
#define SIMHASH_FIND_FOLDERS_H

#include "find/folders/folder_tree.h"

struct folder_request {
	/* Only folders at or below one of these directories; none: all folders. */
	const struct find_side *sides;
	size_t side_count;
	double min_shared; /* the minimum share of the bytes of one folder, 0 to 1 */
	bool with_similar; /* false: only identical files count */
};

/* The contents that one of two folders shares with the other. */
struct folder_share {
	int64_t bytes, shared_bytes; /* similar files count with their resemblance */
	int64_t alike_bytes;	     /* the part of the shared bytes that is in similar files */
	uint64_t files, same, changed;
};

enum folder_kind {
	FOLDERS_IDENTICAL, /* every file of each folder has a copy in the other */
	FOLDERS_CONTAINED, /* every file of a has a copy in b */
	FOLDERS_SIMILAR
};

struct folder_pair {
	uint32_t folder_a, folder_b; /* b is the partner of a: the folder that has the most of a */
	struct folder_share a, b;
	int64_t saved_bytes; /* the space saved by removing the files of a that have a copy in b */
	enum folder_kind kind;
	bool a_in_archive, b_in_archive; /* if set, nothing is saved */
};

/* Sorted by saved bytes, the most first. */
struct folder_pairs {
	struct folder_tree tree;
	struct folder_pair *pairs;
	size_t count, capacity;
	/* Folders that share only contents that are in too many other folders. */
	uint64_t passed_over;
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
 * A file of one folder and its counterpart in the other, which has no other counterpart; or a file
 * without a counterpart. Paths are relative to each folder.
 */
struct folder_file {
	enum fate fate;
	struct bytes path_a, path_b; /* empty: there is no such file */
	/*
	 * For a file without a counterpart: the most similar file of the other folder, or one that
	 * contains it or is part of it. Otherwise empty.
	 */
	struct bytes like;
	int64_t size_a_bytes, size_b_bytes;
	uint32_t content_a, content_b;
	double resemblance; /* the resemblance of both files, or of the file and `like` */
	/*
	 * If one file is part of the other, or of `like`: the share of the file of a, or of the only
	 * file, that is in the other one; or the reverse. Otherwise 0.
	 */
	double part_of, contains;
	bool is_copy; /* it is a copy of `like` */
};

struct folder_comparison {
	struct folder_pair pair; /* the pair by contents, no matter which files are counterparts */
	struct folder_file
		/* Sorted by fate, then by path; each file of both folders is in one item. */
		*files;
	uint64_t fates[FATES]; /* the number of files with each fate */
	size_t count, capacity;
	/*
	 * The end of the path of each side, if its paths are relative to a folder in an archive:
	 * "/FOLDER", or "//FOLDER" if the side is the archive. Otherwise empty.
	 */
	struct bytes tops[2];
	struct arena paths;
	bool is_left_out; /* only in details: the limit left no room for its files */
};

/* The number of files of one folder in the list. */
static inline uint64_t files_with_a(const struct folder_comparison *comparison)
{
	return comparison->count - comparison->fates[FATE_ONLY_B];
}

static inline uint64_t files_with_b(const struct folder_comparison *comparison)
{
	return comparison->count - comparison->fates[FATE_ONLY_A];
}

/* Compare the two sides of the request. Neither may be inside the other. */
int finder_compare_folders(struct finder *finder, const struct folder_request *wanted,
			   struct folder_comparison *comparison, struct simhash_error *error);
void folder_comparison_release(struct folder_comparison *comparison);

/* ---- The first pairs of a list, file by file ---- */

struct folder_details {
	struct folder_comparison *pairs; /* sorted like the list */
	size_t count;
	struct arena paths; /* the paths of all files */
};

/* Compare the files of the pairs, in order. Leave out a pair if it would exceed `files_max`. */
int finder_detail_pairs(struct finder *finder, const struct folder_pairs *found, size_t count,
			uint64_t files_max, struct folder_details *details,
			struct simhash_error *error);
void folder_details_release(struct folder_details *details);

#endif
