/*
 * The folders of an index, their contents, and the contents that are alike, which folders.h
 * compares. docs/algorithm.md has the rules.
 *
 *     folder_tree_read(&tree, finder, sides, side_count, &error);
 *     folder_tree_relate(&tree, group_parts, min_resemblance, threads, &error);
 *     folder_tree_settle(&tree, &error);
 *     ... compare ...
 *     folder_tree_release(&tree);
 *
 * A folder is a directory that directly contains files, or one that has files in at least two
 * subdirectories. The directories of an archive are also folders; they are not inside any
 * directory. Folders are in the order of host, archive and path, each before the folders inside it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FOLDER_TREE_H
#define SIMHASH_FIND_FOLDER_TREE_H

#include "base/data/arena.h"
#include "base/data/slots.h"
#include "find/groups/group_parts.h"
#include "find/rule/find.h"
#include "store/rows/folder_rows.h"

#define NO_FOLDER UINT32_MAX
#define NO_CONTENT UINT32_MAX

/* Of a content that lies in more folders only copies count, and it proposes no pairs. */
#define COMMON_FOLDERS 256

/* Contents of a group are compared with so many before and after them, in the order of sizes. */
#define ALIKE_REACH 32
#define ALIKE_MIN_RESEMBLANCE 0.3

struct folder {
	int64_t host, bytes;
	uint64_t files;
	struct bytes path;     /* on its host; empty: the root */
	uint32_t archive_size; /* the first bytes of the path that are an archive's, or 0 */
	int64_t archive_bytes; /* how large that is */
	uint32_t parent;       /* NO_FOLDER: none */
	uint32_t end;	       /* those inside it are the next ones, up to this one */
};

struct folder_content {
	int64_t size_bytes;
	uint8_t hash[CONTENT_HASH_SIZE];
};

/* A folder holds so many files of a content, itself and not inside other folders. */
struct held_content {
	uint32_t content, files;
};

/* The same by content: a folder, and how many files there are at places before this one. */
struct content_place {
	uint32_t folder, files_before;
};

/* Another content that is like one, and how much, in millionths. */
struct alike_content {
	uint32_t content, millionths;
};

/* A name of a file that has several; while rows are read, of any file. */
struct linked_name {
	uint64_t identity; /* a hash of what all names of a file have in common but the content */
	uint32_t folder, content;
	uint32_t file;	     /* equal for the names of one file */
	uint32_t hard_links; /* that the file has; where that is not known, its names here */
};

struct folder_tree {
	struct arena paths;
	struct folder *folders;
	size_t count, capacity;
	struct folder_content *contents;
	size_t content_count, content_capacity;
	struct slots slots; /* contents by their hash */
	/* Items of x begin at first[x] and end at first[x + 1]. */
	size_t *held_first, *place_first, *alike_first;
	struct held_content *held;
	struct content_place *places; /* in the order of folders */
	struct alike_content *alike;  /* the most alike first */
	struct linked_name *links;    /* in the order of folders */
	size_t link_count, link_capacity;
	uint64_t files;
};

/* The order of folders: by host, those in no archive first, then by archive and path. */
int folder_compare(const void *x, const void *y);
/* The same by host and archive alone. */
int folder_compare_archives(const struct folder *x, const struct folder *y);

/* Note which contents are alike: those of one group, from a resemblance on. */
int folder_tree_relate(struct folder_tree *tree, struct group_parts *groups, double min_resemblance,
		       unsigned threads, struct simhash_error *error);

/* Give up what no two folders can have in common. */
int folder_tree_settle(struct folder_tree *tree, struct simhash_error *error);

void folder_tree_release(struct folder_tree *tree);

/* The number of a content, or NO_CONTENT. */
uint32_t folder_tree_content(const struct folder_tree *tree, int64_t size_bytes,
			     const uint8_t hash[CONTENT_HASH_SIZE]);

/*
 * Is a folder at or below a directory of a side? What is in an archive is where its archive is.
 * Hosts are ids of the finder's.
 */
bool side_holds(const struct finder *finder, const struct find_side *side, int64_t host,
		struct bytes directory);

/* The same of two sides that are compared: archives are files, unless a side is in one. */
bool side_compares(const struct finder *finder, const struct find_side *side, int64_t host,
		   struct bytes directory, size_t archive_size);

/* A directory with files of its own, or NO_FOLDER. */
uint32_t folder_tree_find(const struct folder_tree *tree, int64_t host, struct bytes path,
			  size_t archive_size);

/* The folders that a side compares are those from the first up to *end. */
uint32_t folder_tree_range(const struct folder_tree *tree, const struct finder *finder,
			   const struct find_side *side, uint32_t *end);

/* Is a folder this one or inside it? */
static inline bool folder_holds(const struct folder_tree *tree, uint32_t folder, uint32_t inner)
{
	return folder <= inner && inner < tree->folders[folder].end;
}

static inline bool is_in_archive(const struct folder_tree *tree, uint32_t folder)
{
	return tree->folders[folder].archive_size > 0;
}

/* In how many folders a content lies. */
static inline size_t content_folders(const struct folder_tree *tree, uint32_t content)
{
	return tree->place_first[content + 1] - tree->place_first[content];
}

/* Sums of sizes stay at the end of their range. */
static inline int64_t add_bytes(int64_t sum, int64_t size_bytes, uint64_t files)
{
	int64_t all;

	if (files > INT64_MAX || __builtin_mul_overflow(size_bytes, (int64_t)files, &all) ||
	    __builtin_add_overflow(sum, all, &sum))
		return INT64_MAX;
	return sum;
}

#endif
