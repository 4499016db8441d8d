/*
 * The known files of a scope, read ahead in the order of the rows and kept in memory. Many
 * directories are read faster this way than by a question for each, above all on a server. The
 * order is the order of hashes, so the parts of a table have about as many rows each.
 *
 *     table = known_table_new(parts, bytes, error);
 *     ...in a thread for each part, with a store of its own:
 *     status = known_table_read(table, part, store, &scope, stop, error);
 *     ...when all have ended, in any thread:
 *     if (known_table_has(table, directory->hash, &rows, &count))
 *             for (size_t i = 0; i < count; i++)
 *                     compare(&rows[i]);
 *
 * A table shows an earlier state of the index. Before a row whose file is missing is removed, the
 * file must be looked for once more. A table is used only for a limited time.
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

/* A row of a directory. */
struct known_row {
	uint64_t name_hash; /* the last eight bytes of its path hash, big-endian */
	int64_t mtime_ns;
	int64_t size_bytes;  /* of the compressed file, if it is inflated content */
	uint64_t inode : 32; /* see folded_inode */
	uint64_t links : 25; /* KNOWN_LINKS_MAX for more */
	uint64_t is_inflated : 1, is_settled : 1, lacks_sketches : 1, lacks_resemblance : 1;
	uint64_t lacks_look : 1, has_members : 1;
	uint64_t is_met : 1; /* a mark for whoever deals with its directory */
};

/*
 * A table of about `bytes`, or NULL when memory is short. It knows nothing yet. A part that does
 * not fit keeps of each directory only a digest of its rows.
 */
struct known_table *known_table_new(unsigned parts, size_t bytes, struct simhash_error *error);
void known_table_free(struct known_table *table); /* NULL is fine */

/*
 * Read part `part`, until it is complete or the table is full, or early when `stop` is set. What
 * has been read is known even if this fails.
 */
int known_table_read(struct known_table *table, unsigned part, struct store *store,
		     const struct row_scope *scope, const atomic_bool *stop,
		     struct simhash_error *error);

/* The rows of a directory in order of their hashes; false where the table does not know them. */
bool known_table_has(const struct known_table *table,
		     const uint8_t directory_hash[DIRECTORY_HASH_SIZE], struct known_row **rows,
		     size_t *count);

/*
 * Are these rows, in order of their hashes, all that the index has of a directory? False too where
 * the table cannot tell. It tells by a digest, where known_table_has is false, and by 128 bits of it.
 */
bool known_table_is_same(const struct known_table *table,
			 const uint8_t directory_hash[DIRECTORY_HASH_SIZE],
			 const struct known_row *rows, size_t count);

/* The row of a file among those of its directory, or NULL. */
struct known_row *known_row_find(struct known_row *rows, size_t count,
				 const uint8_t path_hash[PATH_HASH_SIZE]);

/*
 * The row of what known_files has; the other way, without its name, all of its inode, and the time
 * of its scan.
 */
struct known_row known_row_of(const struct known_file *known);
void known_row_take(const struct known_row *row, const uint8_t directory_hash[DIRECTORY_HASH_SIZE],
		    struct known_file *known);

#endif
