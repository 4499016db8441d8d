/*
 * Defines a file and a pair of files as the search uses them.
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
	/* For a document with a text: the counts, the size and the sketch of the text. */
	int64_t host, size_bytes, mtime_ns;
	int64_t document_bytes;	       /* and the size of the document; else 0 */
	struct document_dates dates;   /* see struct file_row */
	int64_t device, inode;	       /* inode 0: unknown */
	int64_t compressed_size_bytes; /* see struct file_row */
	int64_t uniform, key;	       /* see verify_set_wide; and the key that the user chose */
	int64_t reach;		       /* see rule_end_reach */
	int64_t swept_reach;	       /* see rule_swept_reach */
	uint32_t extension_hash, tolerance;
	uint8_t content_hash[CONTENT_HASH_SIZE], path_hash[PATH_HASH_SIZE];
	/* "host:path" for a file of another host, otherwise the path; with a terminating zero. */
	const char *display;
	uint32_t display_size, path_offset; /* where the path on its host begins */
	uint32_t number;		    /* its number in its list; see pairs.h */
	uint8_t sides;
	bool has_sketch; /* is its sketch known? */
	/* A document compared without its text, so only identical files are a pair with it. */
	bool lacks_text;
	/* An earlier file that was not passed is identical and has the same tolerance. */
	bool repeats;
	bool is_local;
	bool is_stream;		/* standard input, which cannot be read again */
	bool has_random_counts; /* the counts are as expected for random bytes */
	bool is_wide;		/* a text in UTF-16; see verify_set_wide */
	struct file_copy *copies;
	uint64_t copy_count;
	struct simhash_resemblance_sketch sketch;
};

/*
 * A file with the same content as the file in whose list it is. For a search, the two files differ
 * only in these fields.
 */
struct file_copy {
	struct file_copy *next;
	int64_t host, mtime_ns, device, inode, compressed_size_bytes;
	const char *display;
	uint32_t display_size, path_offset;
	uint8_t path_hash[PATH_HASH_SIZE];
	bool is_local;
};

/* The size of the file or member. */
static inline int64_t find_file_bytes(const struct find_file *file)
{
	return file->document_bytes > 0 ? file->document_bytes : file->size_bytes;
}

static inline const char *find_file_path(const struct find_file *file)
{
	return file->display + file->path_offset;
}

/* The name to show to people and to other programs. */
static inline struct bytes find_file_display(const struct find_file *file)
{
	return (struct bytes){file->display, file->display_size};
}

/* The key uniform in the index: the number of counted tags. Larger numbers become the largest one. */
static inline int64_t find_file_tags(const struct find_file *file)
{
	uint64_t total = 0;

	for (int t = 0; t < SIMHASH_TAGS; t++) {
		total += file->table.count[t];
		if (total > INT64_MAX)
			total = INT64_MAX;
	}
	return (int64_t)total;
}

/* When the content was changed: of a document by its own properties, otherwise of the file. */
static inline int64_t find_file_time(const struct find_file *file)
{
	return file->dates.changed_ns != 0 ? file->dates.changed_ns : file->mtime_ns;
}

/* For a member of an archive, its name in the archive; otherwise empty. */
static inline struct bytes find_file_member(const struct find_file *file)
{
	return name_in_archive(
		(struct bytes){find_file_path(file), file->display_size - file->path_offset});
}

/* Compares the displayed names by their bytes. */
static inline int find_file_compare(const struct find_file *x, const struct find_file *y)
{
	return bytes_compare(find_file_display(x), find_file_display(y));
}

static inline bool has_same_content(const struct find_file *x, const struct find_file *y)
{
	return find_file_bytes(x) == find_file_bytes(y) &&
	       memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE) == 0;
}

/* Do the hashes say that two files have the same content? */
static inline bool are_identical(const struct find_file *x, const struct find_file *y)
{
	return has_same_content(x, y) && find_file_tags(x) == find_file_tags(y);
}

/*
 * Are these two names of one file, or of one member of an archive? A file with one hard link has
 * several names if its file system is mounted more than once.
 */
static inline bool are_links(const struct find_file *x, const struct find_file *y)
{
	/*
	 * Another disk may have had the same number when it was indexed. So the properties that all
	 * names of a file share must also be equal.
	 */
	return x->inode != 0 && x->inode == y->inode && x->device == y->device &&
	       x->host == y->host && x->mtime_ns == y->mtime_ns &&
	       x->compressed_size_bytes == y->compressed_size_bytes && are_identical(x, y) &&
	       (x->compressed_size_bytes == 0 ||
		bytes_compare(find_file_member(x), find_file_member(y)) == 0);
}

/*
 * If the hashes of two files at this distance say that they are identical, set this in the
 * relation.
 */
static inline void settle_identity(const struct find_file *x, const struct find_file *y,
				   struct relation *relation)
{
	relation->is_identical = relation->distance == 0 && are_identical(x, y);
	if (relation->is_identical && relation->verification != PAIR_MEASURED) {
		relation->verification = PAIR_HASH;
		relation->resemblance = 1;
	}
}

/*
 * Where a part is in the file that contains it: the bytes, and for a text the lines, counted from
 * 1. Otherwise first_line is 0.
 */
struct part_place {
	int64_t begin, end; /* the first byte, counted from 0, and the byte after the last one */
	int64_t first_line, last_line;
};

/*
 * Two files that are nearly the same. The displayed name of `a` is the first in the order of bytes.
 */
struct file_pair {
	const struct find_file *a, *b;
	struct relation relation; /* the relation of a with b */
	/* If one file is part of the other and its place is known; or NULL. Borrowed. */
	const struct part_place *place;
};

#endif
