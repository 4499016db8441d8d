/*
 * Reads the known files of a scope ahead, in the order of the rows, and keeps them in memory. For
 * many directories this is faster than a query for each, especially on a server. The order is the
 * order of hashes, so the parts of a table have about the same number of rows.
 *
 *     table = known_table_new(parts, bytes, error);
 *     ...in a thread for each part, with its own store:
 *     status = known_table_read(table, part, store, &scope, stop, error);
 *     ...when all have ended, in any thread:
 *     if (known_table_has(table, directory->hash, &rows, &count))
 *             for (size_t i = 0; i < count; i++)
 *                     compare(&rows[i]);
 *
 * A table shows an earlier state of the index. Before a row without a file is removed, the file
 * must be checked again. A table is used only for a limited time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_KNOWN_TABLE_H
#define SIMHASH_STORE_KNOWN_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "store/rows/known_file.h"

struct known_table;

#define KNOWN_LINKS_MAX ((1 << 25) - 1)

/* A row in its directory. */
struct known_row {
	uint64_t name_hash; /* the last eight bytes of its path hash, big-endian */
	int64_t mtime_ns;
	int64_t size_bytes;  /* for inflated content: the size of the compressed file */
	uint64_t inode : 32; /* see folded_inode */
	uint64_t links : 25; /* KNOWN_LINKS_MAX if there are more */
	uint64_t is_inflated : 1, is_settled : 1, lacks_sketches : 1, lacks_resemblance : 1;
	uint64_t lacks_look : 1, has_members : 1;
	uint64_t is_met : 1; /* a mark for the code that compares the directory */
};

/*
 * Make an empty table of about `bytes`. NULL if memory is short. A part that does not fit keeps
 * only a digest of the rows for each directory.
 */
struct known_table *known_table_new(unsigned parts, size_t bytes, struct simhash_error *error);
void known_table_free(struct known_table *table); /* NULL is allowed */

/*
 * Read part `part` until it is complete, the table is full, or `stop` is set. Rows that were read
 * before a failure are known.
 */
int known_table_read(struct known_table *table, unsigned part, struct store *store,
		     const struct row_scope *scope, const atomic_bool *stop,
		     struct simhash_error *error);

/* Get the rows of a directory in order of their hashes. False if the table does not know them. */
bool known_table_has(const struct known_table *table,
		     const uint8_t directory_hash[DIRECTORY_HASH_SIZE], struct known_row **rows,
		     size_t *count);

/*
 * Are these rows, in order of their hashes, all rows that the index has of a directory? Also false
 * if the table does not know. It compares 128-bit digests, for directories where known_table_has
 * returns false.
 */
bool known_table_is_same(const struct known_table *table,
			 const uint8_t directory_hash[DIRECTORY_HASH_SIZE],
			 const struct known_row *rows, size_t count);

/* Find the row of a file among the rows of its directory, or NULL. */
struct known_row *known_row_find(struct known_row *rows, size_t count,
				 const uint8_t path_hash[PATH_HASH_SIZE]);

/*
 * Convert from a known_file, and back. A row lacks the name, a part of the inode, and the time of
 * the scan.
 */
struct known_row known_row_of(const struct known_file *known);
void known_row_take(const struct known_row *row, const uint8_t directory_hash[DIRECTORY_HASH_SIZE],
		    struct known_file *known);

#endif
