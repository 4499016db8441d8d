/*
 * Inserts rows, and replaces the columns of rows that exist.
 *
 *     while (done < count) {
 *             size_t fitting = ... of the rows from `done` on, at most upsert_rows_max(store);
 *             if (upsert_begin(&query, store, &upsert, &fitting, error) != 0)
 *                     return -1;
 *             for (size_t i = 0; i < fitting; i++)
 *                     bind(&query, &rows[done++]);
 *             if (query_run(&query, error) != 0)
 *                     return -1;
 *     }
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_UPSERT_H
#define SIMHASH_STORE_UPSERT_H

#include "store/open/query.h"

struct upsert {
	const char *table, *key; /* key: the columns of the primary key */
	unsigned key_count;
	const char *const *columns; /* the other columns */
	size_t column_count;
	/* The kept statements for one row and for many rows. */
	enum kept_statement one, many;
};

/* The maximum number of rows of one statement. */
size_t upsert_rows_max(const struct store *store);

/*
 * Begin to write `*rows` rows that fit into one statement. The caller binds the key and the columns
 * of each row and runs the statement. Lowers *rows if the engine accepts fewer.
 */
int upsert_begin(struct query *query, struct store *store, const struct upsert *upsert,
		 size_t *rows, struct simhash_error *error);

#endif
