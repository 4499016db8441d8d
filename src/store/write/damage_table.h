/*
 * Writes what simhash --scrub found: the times of verification, and the table `damage`.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_DAMAGE_TABLE_H
#define SIMHASH_STORE_DAMAGE_TABLE_H

#include "store/rows/damage_rows.h"

/* A file that has the content of its row. */
struct verified_file {
	uint8_t path_hash[PATH_HASH_SIZE];
	uint8_t content_hash
		[CONTENT_HASH_SIZE]; /* a row that has other content now is left alone */
	int64_t verified_at_ns, changed_ns;
	bool was_damaged; /* its row of `damage` is removed */
	int64_t inode;	  /* its new inode, after it was healed; 0: unchanged */
};

/* Write results of one scope in one transaction: all of them or, on failure, nothing. */
int store_write_verified(struct store *store, const struct row_scope *scope,
			 const struct verified_file *verified, size_t verified_count,
			 const struct damage *damages, size_t damage_count,
			 struct simhash_error *error);

/* The same for damaged files alone. The caller has begun a transaction. */
int damage_rows_write(struct store *store, const struct row_scope *scope,
		      const struct damage *damages, size_t count, struct simhash_error *error);

/*
 * Remove the rows of `damage` that no longer describe their files, see damage_rows.h. *replaced is
 * the number of these files whose rows have another content now.
 */
int store_clean_damage(struct store *store, const struct row_scope *scope, int64_t *replaced,
		       struct simhash_error *error);

#endif
