/*
 * Reads the rows of the index for the files that a walk finds. The rows show whether files must be
 * scanned again, and which rows have lost their files.
 *
 *     if (known_files_begin(&files, store, &scope, directory->hash, error) != 0)
 *             return -1;
 *     while ((status = known_files_next(&files, &known, error)) == 1)
 *             compare(&known);
 *     known_files_end(&files);
 *     return status;
 *
 * If the location says to wait for a server, a lost connection is opened again and the rows
 * continue. On a server the rows occupy the connection: use the store for nothing else until the
 * end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_KNOWN_FILE_H
#define SIMHASH_STORE_KNOWN_FILE_H

#include <stdbool.h>

#include "store/rows/row_reader.h"

struct statement;
struct store;

/* Decides whether a file must be scanned again. scanned_at_ns is 0 in rows that were read ahead. */
struct known_file {
	uint8_t path_hash[PATH_HASH_SIZE];
	int64_t size_bytes, mtime_ns, scanned_at_ns, compressed_size_bytes, links, inode;
	struct bytes name; /* lives until the next row */
	/* scanned long enough after its change: see src/index/compare/reconcile.h */
	bool is_settled;
	bool lacks_sketches;	/* requested sketches are missing, see store_want_measures */
	bool lacks_resemblance; /* no resemblance sketch, or no pieces if they are wanted */
	bool lacks_look;	/* not all requested kinds of containers were looked for */
	bool has_members;	/* there are rows of its members */
	int64_t contents;	/* see struct file_row; 0 in rows read ahead */
	/* Set if it has members and was not read ahead. */
	bool has_content_hash;
	uint8_t content_hash[CONTENT_HASH_SIZE];
};

/* Fold an inode number to 32 bits, for rows that are read ahead. 0 stays 0: unknown. */
static inline uint32_t folded_inode(uint64_t inode)
{
	uint32_t folded = (uint32_t)(inode ^ inode >> 32);

	return folded == 0 && inode != 0 ? 1 : folded;
}

/* Can this be the inode? */
static inline bool known_inode_is(const struct known_file *known, uint64_t inode)
{
	return known->inode == 0 || folded_inode((uint64_t)known->inode) == folded_inode(inode);
}

/* The rows of one directory, or of a range, in order of path hash, each once. */
struct known_files {
	struct store *store;
	struct row_scope scope;
	struct row_cursor cursor; /* if the connection is lost, its remaining range is kept */
	bool is_over;
};

int known_files_begin(struct known_files *files, struct store *store, const struct row_scope *scope,
		      const uint8_t directory_hash[DIRECTORY_HASH_SIZE],
		      struct simhash_error *error);

int known_files_begin_range(struct known_files *files, struct store *store,
			    const struct row_scope *scope, const struct hash_range *range,
			    struct simhash_error *error);

/* Get the next row. Returns 1, 0 at the end, -1 for an error. */
int known_files_next(struct known_files *files, struct known_file *known,
		     struct simhash_error *error);

/* Call this even after an error. */
void known_files_end(struct known_files *files);

/* What the row of a file says about its content, to recognize silent changes. */
struct known_content {
	uint8_t hash[CONTENT_HASH_SIZE];
	int64_t size_bytes, mtime_ns, changed_ns; /* changed_ns 0: unknown */
	int64_t verified_at_ns;			  /* the last time when the content was right */
};

/* Get it for one file; *found is false if there is no row. */
int store_find_content(struct store *store, const struct row_scope *scope,
		       const uint8_t path_hash[PATH_HASH_SIZE], struct known_content *known,
		       bool *found, struct simhash_error *error);

/* Get the row of one file; *found is false if there is none. `known->name` is empty. */
int store_find_file(struct store *store, const struct row_scope *scope,
		    const uint8_t path_hash[PATH_HASH_SIZE], struct known_file *known, bool *found,
		    struct simhash_error *error);

/* A directory that has or had rows. */
struct known_directory {
	uint8_t hash[DIRECTORY_HASH_SIZE];
	struct bytes path; /* lives until the next directory */
};

/*
 * The directories below another directory, without itself, in any order. After a lost connection
 * they start again from the first.
 */
struct known_directories {
	struct store *store;
	struct row_scope scope;
	struct statement *statement;
	/* The paths below the directory are between these two; both have `size` bytes. */
	char *low, *high;
	size_t size;
};

int known_directories_begin(struct known_directories *directories, struct store *store,
			    const struct row_scope *scope, struct bytes root,
			    struct simhash_error *error);
int known_directories_next(struct known_directories *directories, struct known_directory *known,
			   struct simhash_error *error);
void known_directories_end(struct known_directories *directories);

/*
 * Read some directories of a scope as a sample: the first ones in the order of hashes, which is
 * random enough. Continue as after known_directories_begin.
 */
#define KNOWN_SAMPLE 256
int known_directories_begin_sample(struct known_directories *directories, struct store *store,
				   const struct row_scope *scope, struct simhash_error *error);

/*
 * Return the number of directories whose rows can be read in order in the time of one query for a
 * directory.
 */
unsigned store_question_cost(const struct store *store);

/* Does a scope have any directory? */
int store_has_rows(struct store *store, const struct row_scope *scope, bool *has_rows,
		   struct simhash_error *error);

/* Does a scope have any rows in a side? See row_is_below. An empty path means the whole scope. */
int store_has_rows_below(struct store *store, const struct row_scope *scope, struct bytes path,
			 bool *has_rows, struct simhash_error *error);

/* Does a scope have a row of the file at this path, or any rows of a directory there or below? */
int store_has_rows_at(struct store *store, const struct row_scope *scope, const char *path,
		      bool *has_rows, struct simhash_error *error);

/*
 * Set the error that a scope of this machine has no rows, with the command that indexes the path,
 * or the reason why the path cannot be read. Returns -1.
 */
int store_say_not_indexed(struct bytes path, struct simhash_error *error);

#endif
