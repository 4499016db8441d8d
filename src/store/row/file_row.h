/*
 * One file in the index: a row of the table `file`.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_FILE_ROW_H
#define SIMHASH_STORE_FILE_ROW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "simhash.h"
#include "simhash_resemblance.h"
#include "store/row/file_hash.h"

#define DIRECTORY_HASH_SIZE 8
#define PATH_HASH_SIZE 16
#define CONTENT_HASH_SIZE 16

/* The two parts of the primary key that are the same for a whole run. */
struct row_scope {
	int64_t tag_set, host;
};

/* The maximum of measures of one run, and of sketches: a hash is kept as one. */
#define MEASURES_MAX 8
#define SKETCHES_MAX (MEASURES_MAX + FILE_HASHES)

/*
 * The sketches of a content by the measures asked for, in their order, and its hashes. Shared by
 * the rows of all names of a file, each of which holds a reference.
 */
struct row_sketches {
	atomic_uint references;
	unsigned count;
	struct row_sketch {
		int64_t features, cluster;
		struct bytes value; /* in `bytes` */
	} sketch[SKETCHES_MAX];	    /* one without a value is not known */
	uint8_t bytes[];
};

/* With room for `size` bytes and one reference; NULL when memory is short. */
struct row_sketches *row_sketches_new(size_t size);
/*
 * Append a hash, which stays where it is. It is a sketch of one feature, since that of nothing says
 * something too. Its first bytes are the cluster, by which the index of that column finds it. NULL: it
 * is not known, and its place is kept.
 */
void row_sketches_add_hash(struct row_sketches *sketches, enum file_hash hash,
			   const uint8_t *bytes);

struct row_sketches *row_sketches_hold(struct row_sketches *sketches); /* NULL is fine */
void row_sketches_drop(struct row_sketches *sketches);		       /* NULL is fine */

struct file_row {
	int64_t host;
	uint8_t path_hash[PATH_HASH_SIZE];
	struct bytes directory, name, extension; /* extension in lower case */
	int64_t size_bytes, mtime_ns;
	int64_t device, inode; /* the bits of the system's unsigned values */
	int64_t links;	       /* hard links to it; 0 where that is not known */
	/* Of what is in a file, the size of that file; else 0. See inflated_name, container.h. */
	int64_t compressed_size_bytes;
	/* Of a file: the kinds of containers that it was looked at for, and CONTENTS_HAS_MEMBERS. */
	int64_t contents;
	uint8_t content_hash[CONTENT_HASH_SIZE];
	int64_t scanned_at_ns; /* when reading began */
	struct simhash_sum_table table;
	struct simhash_keys keys;
	struct row_sketches *sketches; /* NULL: none were asked for */
	bool has_resemblance;	       /* is the sketch below known? */
	struct simhash_resemblance_sketch resemblance;
};

/*
 * Take over what a file's row says of the file, and not of its path: all but the host, the names,
 * the hash of the path, the links, and the keys, which depend on the name.
 */
void row_take_file(struct file_row *row, const struct file_row *from);

/* In `contents`: there are rows of what is in this file, in its own directory. */
#define CONTENTS_HAS_MEMBERS (INT64_C(1) << 30)

/* And from bit 32 on, the 31 bits of the number of the filter that it was given to; 0: none. */
#define CONTENTS_FILTER_AT 32
static inline uint32_t contents_filter(int64_t contents)
{
	return (uint32_t)(contents >> CONTENTS_FILTER_AT);
}

/*
 * Is this the row of something inside of a file: a member of an archive, or the content of a
 * compressed file? Such a thing can be neither opened by its path, nor removed, nor linked.
 */
static inline bool row_is_inside(int64_t compressed_size_bytes)
{
	return compressed_size_bytes > 0;
}

/* 8 bytes that keep a directory's rows together: XXH3-64 of its path, big-endian. */
void directory_hash(struct bytes directory, uint8_t hash[DIRECTORY_HASH_SIZE]);

/* The directory's hash, then the same of the name. */
void path_hash(const uint8_t directory[DIRECTORY_HASH_SIZE], struct bytes name,
	       uint8_t hash[PATH_HASH_SIZE]);

/* For qsort and bsearch. */
int compare_path_hashes(const void *a, const void *b);

/*
 * The inflated content of the gzip file "a.txt.gz" has a row of its own beside that of
 * the file as it is, under the name "a.txt.gz//a.txt", which no file can have. Writes
 * that name of at most 2 * size + 6 bytes, ended by a zero, and returns its length; 0
 * when the name is not one of a gzip file.
 */
size_t inflated_name(struct bytes name, char *inflated);

/* Is this such a name, and not that of a file or of a member of an archive? */
bool is_inflated_name(struct bytes name);

/* The part of a name that tells what kind of file it is: all, or what comes after the last "//". */
struct bytes inner_name(struct bytes name);

/*
 * The members of the archive "/a/b.zip" are rows of the directory "/a/b.zip/", which no directory is
 * called: their paths are "/a/b.zip//MEMBER". Their names have slashes where the archive has them.
 */
static inline bool is_inside_directory(struct bytes directory)
{
	return directory.size > 1 && directory.data[directory.size - 1] == '/';
}

/*
 * Of the path of a member of an archive, the name that the archive has for it: what comes after the
 * first "//". Empty for a file, and for the content of a compressed file: a file has one of these.
 */
struct bytes name_in_archive(struct bytes path);

/* The bytes of a name that are the file's own: all, or what comes before "//". */
size_t own_name_size(struct bytes name);

/* Compute the keys from the row's table and name, as scanning does. */
void row_compute_keys(struct file_row *row, const struct simhash_tag_set *tag_set);

#endif
