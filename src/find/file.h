/*
 * One file as finding sees it, and the pair that two of them are.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FILE_H
#define SIMHASH_FIND_FILE_H

#include <stdbool.h>
#include <string.h>

#include "simhash.h"
#include "store/file_row.h"

/* The sides of --between that a file is on. */
enum { SIDE_A = 1, SIDE_B = 2 };

struct find_file {
	struct simhash_sum_table table;
	int64_t host, size_bytes, mtime_ns;
	int64_t device, inode;	       /* inode 0: not known, or a file of one link */
	int64_t compressed_size_bytes; /* see struct file_row */
	int64_t uniform, key;	       /* key: the one that the user named */
	int64_t reach;		       /* see rule_reach */
	uint32_t extension_hash, tolerance;
	uint8_t content_hash[CONTENT_HASH_SIZE], path_hash[PATH_HASH_SIZE];
	/* "host:path" for a file of another host, else the path; ended by a zero. */
	const char *display;
	uint32_t display_size, path_offset; /* where the path on its host begins */
	uint32_t number;		    /* in the list that it is kept in; see pairs.h */
	uint8_t sides;
	bool is_local;
	bool is_stream; /* standard input: there is nothing to read again */
	struct file_copy *copies;
	uint64_t copy_count;
};

/* A file of the same content as the one in whose list it is; else that one's twin. */
struct file_copy {
	struct file_copy *next;
	int64_t host, mtime_ns, device, inode, compressed_size_bytes;
	const char *display;
	uint32_t display_size, path_offset;
	uint8_t path_hash[PATH_HASH_SIZE];
	bool is_local, is_new; /* is_new: not reported yet */
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

/* Are these two names of one file? */
static inline bool are_links(const struct find_file *x, const struct find_file *y)
{
	/* Another disk may have had the same number when it was indexed: what one file has in
	   common under all names must be the same too. */
	return x->inode != 0 && x->inode == y->inode && x->device == y->device &&
	       x->host == y->host && x->mtime_ns == y->mtime_ns &&
	       x->compressed_size_bytes == y->compressed_size_bytes &&
	       x->size_bytes == y->size_bytes &&
	       memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE) == 0;
}

/* What is known of a pair beyond the counts of its files. */
enum verification {
	PAIR_UNREAD,	 /* nothing: its files were not read */
	PAIR_CONFIRMED,	 /* both files were read: the shares are measured */
	PAIR_MEASURED,	 /* found by another measure: its similarity is the resemblance */
	PAIR_TRUSTED,	 /* left unread, since the estimate settles it */
	PAIR_UNCONFIRMED /* a file could not be read as it was indexed */
};

/* Two files that are nearly the same. `a` comes first in the order of bytes of what is displayed. */
struct file_pair {
	const struct find_file *a, *b;
	uint64_t distance;
	double changed; /* the estimated share of content that differs; see estimate.h */
	/* Shares of the bytes of a that are found in b, of b in a, of all in both. */
	double contained_a, contained_b, resemblance;
	enum verification verification;
	bool is_trusted;   /* the estimate is */
	bool is_identical; /* the same size and content hash */
};

_Static_assert(sizeof(struct file_pair) <= 64, "there may be very many of them");

#endif
