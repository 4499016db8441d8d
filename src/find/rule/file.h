/*
 * The structs of a file and of a pair of files as the search uses them.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FILE_H
#define SIMHASH_FIND_FILE_H

#include <stdbool.h>
#include <string.h>

#include "find/rule/relation.h"
#include "simhash.h"
#include "store/row/file_row.h"

/* The sides of --between that a file is on. */
enum { SIDE_A = 1, SIDE_B = 2 };

struct find_file {
	struct simhash_sum_table table;
	int64_t host, size_bytes, mtime_ns;
	int64_t device, inode;	       /* inode 0: not known */
	int64_t compressed_size_bytes; /* see struct file_row */
	int64_t uniform, key;	       /* key: the one that the user named */
	int64_t reach;		       /* see rule_reach */
	int64_t swept_reach;	       /* see rule_swept_reach */
	uint32_t extension_hash, tolerance;
	uint8_t content_hash[CONTENT_HASH_SIZE], path_hash[PATH_HASH_SIZE];
	/* "host:path" for a file of another host, else the path; ended by a zero. */
	const char *display;
	uint32_t display_size, path_offset; /* where the path on its host begins */
	uint32_t number;		    /* in the list that it is kept in; see pairs.h */
	uint8_t sides;
	bool has_sketch; /* is it known? */
	bool repeats; /* a file before it, not one passed, is identical and under the same tolerance */
	bool is_local;
	bool is_stream; /* standard input: there is nothing to read again */
	struct file_copy *copies;
	uint64_t copy_count;
	struct simhash_resemblance_sketch sketch;
};

/* A file of the same content as the one in whose list it is; else that one's twin. */
struct file_copy {
	struct file_copy *next;
	int64_t host, mtime_ns, device, inode, compressed_size_bytes;
	const char *display;
	uint32_t display_size, path_offset;
	uint8_t path_hash[PATH_HASH_SIZE];
	bool is_local;
};

static inline const char *find_file_path(const struct find_file *file)
{
	return file->display + file->path_offset;
}

/* The bytes to show, for people and for other programs. */
static inline struct bytes find_file_display(const struct find_file *file)
{
	return (struct bytes){file->display, file->display_size};
}

/* Of a member of an archive, its name in the archive; else nothing. */
static inline struct bytes find_file_member(const struct find_file *file)
{
	return name_in_archive(
		(struct bytes){find_file_path(file), file->display_size - file->path_offset});
}

/* The order of bytes of what is displayed. */
static inline int find_file_compare(const struct find_file *x, const struct find_file *y)
{
	return bytes_compare(find_file_display(x), find_file_display(y));
}

static inline bool has_same_content(const struct find_file *x, const struct find_file *y)
{
	return x->size_bytes == y->size_bytes &&
	       memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE) == 0;
}

/* Do the hashes say that these two have the same content? */
static inline bool are_identical(const struct find_file *x, const struct find_file *y)
{
	return x->uniform == y->uniform && has_same_content(x, y);
}

/*
 * Are these two names of one file, or of one member of an archive? A file with one hard link has
 * several names where its file system is mounted more than once.
 */
static inline bool are_links(const struct find_file *x, const struct find_file *y)
{
	/* Another disk may have had the same number when it was indexed: what one file has in
	   common under all names must be the same too. */
	return x->inode != 0 && x->inode == y->inode && x->device == y->device &&
	       x->host == y->host && x->mtime_ns == y->mtime_ns &&
	       x->compressed_size_bytes == y->compressed_size_bytes && are_identical(x, y) &&
	       (x->compressed_size_bytes == 0 ||
		bytes_compare(find_file_member(x), find_file_member(y)) == 0);
}

/* Do the hashes of two files at this distance say that they are the same? Then so does the relation. */
static inline void settle_identity(const struct find_file *x, const struct find_file *y,
				   struct relation *relation)
{
	relation->is_identical = relation->distance == 0 && are_identical(x, y);
	if (relation->is_identical && relation->verification != PAIR_MEASURED) {
		relation->verification = PAIR_HASH;
		relation->resemblance = 1;
	}
}

/* Two files that are nearly the same. `a` comes first in the order of bytes of what is displayed. */
struct file_pair {
	const struct find_file *a, *b;
	struct relation relation; /* of a with b */
};

#endif
