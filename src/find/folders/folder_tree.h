/*
 * Stores the folders of an index, their contents, and the contents that are similar, for the
 * comparisons of folders.h. docs/algorithm.md describes the rules.
 *
 *     folder_tree_read(&tree, finder, sides, side_count, &error);
 *     folder_tree_relate(&tree, group_parts, min_resemblance, threads, &error);
 *     folder_tree_settle(&tree, &error);
 *     ... compare ...
 *     folder_tree_release(&tree);
 *
 * A folder is a directory that directly contains files, or one that has files in at least two
 * subdirectories. The directories of an archive are also folders; they are not inside any
 * directory. Folders are sorted by host, archive and path; each folder is before the folders inside
 * it.
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

/* If a content is in more folders than this, only its copies count, and it proposes no pairs. */
#define COMMON_FOLDERS 256

/*
 * In a group, each content is compared with this many contents before and after it, sorted by size.
 */
#define ALIKE_REACH 32
#define ALIKE_MIN_RESEMBLANCE 0.3

struct folder {
	int64_t host, bytes;
	uint64_t files;
	struct bytes path;     /* on its host; empty: the root */
	uint32_t archive_size; /* the length of the archive's path at its beginning, or 0 */
	int64_t archive_bytes; /* the size of the archive */
	uint32_t parent;       /* NO_FOLDER: none */
	uint32_t end;	       /* the folders inside it are the following ones up to here */
};

struct folder_content {
	int64_t size_bytes;
	uint8_t hash[CONTENT_HASH_SIZE];
};

/* The number of files of a content that are directly in a folder. */
struct held_content {
	uint32_t content, files;
};

/* The same for a content: a folder, and the number of files at earlier places. */
struct content_place {
	uint32_t folder, files_before;
};

/* Another content that is similar to a content, and how similar it is, in millionths. */
struct alike_content {
	uint32_t content, millionths;
};

/* A name of a file that has several names; while rows are read, of any file. */
struct linked_name {
	/* A hash of everything that all names of a file share except for the content. */
	uint64_t identity;
	uint32_t folder, content;
	uint32_t file; /* equal for the names of one file */
	/* The number of the file's hard links; if unknown, the number of its names here. */
	uint32_t hard_links;
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
	struct content_place *places; /* sorted by folder */
	struct alike_content *alike;  /* the most similar one first */
	struct linked_name *links;    /* sorted by folder */
	size_t link_count, link_capacity;
	uint64_t files;
};

/* Compares folders by host, then by archive (folders outside archives first), then by path. */
int folder_compare(const void *x, const void *y);
/* The same, by host and archive alone. */
int folder_compare_archives(const struct folder *x, const struct folder *y);

/* Note similar contents: contents in one group with at least this resemblance. */
int folder_tree_relate(struct folder_tree *tree, struct group_parts *groups, double min_resemblance,
		       unsigned threads, struct simhash_error *error);

/* Free the data that no two folders can share. */
int folder_tree_settle(struct folder_tree *tree, struct simhash_error *error);

void folder_tree_release(struct folder_tree *tree);

/* The number of a content, or NO_CONTENT. */
uint32_t folder_tree_content(const struct folder_tree *tree, int64_t size_bytes,
			     const uint8_t hash[CONTENT_HASH_SIZE]);

/*
 * Is a row in a side? A member of an archive is where its archive is. Hosts are the ids of the
 * finder.
 */
bool side_holds(const struct finder *finder, const struct find_side *side,
		const struct folder_row *row);

/*
 * Does a side that is compared have the files of a directory? Archives count as files, unless the
 * side is one or is inside one.
 */
bool side_compares(const struct finder *finder, const struct find_side *side, int64_t host,
		   struct bytes directory, size_t archive_size);

/* A directory that directly contains files, or NO_FOLDER. */
uint32_t folder_tree_find(const struct folder_tree *tree, int64_t host, struct bytes path,
			  size_t archive_size);

/* The first of the folders that a side compares; *end is after the last one. */
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

/* The number of folders that contain a content. */
static inline size_t content_folders(const struct folder_tree *tree, uint32_t content)
{
	return tree->place_first[content + 1] - tree->place_first[content];
}

/* Sums of sizes that are too large get the largest value. */
static inline int64_t add_bytes(int64_t sum, int64_t size_bytes, uint64_t files)
{
	int64_t all;

	if (files > INT64_MAX || __builtin_mul_overflow(size_bytes, (int64_t)files, &all) ||
	    __builtin_add_overflow(sum, all, &sum))
		return INT64_MAX;
	return sum;
}

#endif
