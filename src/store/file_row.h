/*
 * One file as the index knows it: a row of the table `file`.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_FILE_ROW_H
#define SIMHASH_STORE_FILE_ROW_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/bytes.h"
#include "simhash_resemblance.h"

#define DIRECTORY_HASH_SIZE 8
#define PATH_HASH_SIZE 16
#define CONTENT_HASH_SIZE 16

/* The two parts of the primary key that are the same for a whole run. */
struct row_scope {
	int64_t tag_set, host;
};

/* The maximum of measures of one run. */
#define SKETCHES_MAX 8

/*
 * The sketches of a content by the measures asked for, in their order. Shared by the rows of
 * all names of a file, each of which holds a reference.
 */
struct row_sketches {
	atomic_uint references;
	unsigned count;
	struct row_sketch {
		int64_t features, cluster;
		struct bytes value; /* in `bytes` */
	} sketch[SKETCHES_MAX];
	uint8_t bytes[];
};

/* With room for `size` bytes and one reference; NULL when memory is short. */
struct row_sketches *row_sketches_new(size_t size);
struct row_sketches *row_sketches_hold(struct row_sketches *sketches); /* NULL is fine */
void row_sketches_drop(struct row_sketches *sketches);		       /* NULL is fine */

struct file_row {
	int64_t host;
	uint8_t path_hash[PATH_HASH_SIZE];
	struct bytes directory, name, extension; /* extension in lower case */
	int64_t size_bytes, mtime_ns;
	int64_t device, inode; /* the bits of the system's unsigned values */
	int64_t links;	       /* hard links to it; 0 where that is not known */
	/* Of inflated content the size of the gzip file that it is in; else 0. See inflated_name. */
	int64_t compressed_size_bytes;
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

/* 8 bytes that keep a directory's rows together: XXH3-64 of its path, big-endian. */
void directory_hash(struct bytes directory, uint8_t hash[DIRECTORY_HASH_SIZE]);

/* The directory's hash, then the same of the name. */
void path_hash(const uint8_t directory[DIRECTORY_HASH_SIZE], struct bytes name,
	       uint8_t hash[PATH_HASH_SIZE]);

/*
 * The inflated content of the gzip file "a.txt.gz" has a row of its own beside that of
 * the file as it is, under the name "a.txt.gz//a.txt", which no file can have. Writes
 * that name of at most 2 * size + 6 bytes, ended by a zero, and returns its length; 0
 * when the name is not one of a gzip file.
 */
size_t inflated_name(struct bytes name, char *inflated);

/* The part of a name that tells what kind of file it is: all, or what comes after "//". */
struct bytes inner_name(struct bytes name);

/* The bytes of a name that are the file's own: all, or what comes before "//". */
size_t own_name_size(struct bytes name);

#endif
