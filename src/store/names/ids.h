/*
 * Reads and writes tables that list ids and names. A new name gets the next id after the highest.
 * Two transactions may choose the same id; the second then gets ERROR_DUPLICATE and must be
 * repeated.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_IDS_H
#define SIMHASH_STORE_IDS_H

#include "simhash.h"
#include "store/names/name_list.h"

struct store;

/* Return the next id after the result of `sql`. */
int next_id(struct store *store, const char *sql, int64_t *id, struct simhash_error *error);

/*
 * After a failed INSERT: request that the transaction is repeated if the id was taken. Always
 * returns -1.
 */
int duplicate_is_retry(struct simhash_error *error);

/* Read a list with a SELECT of ids and names. On success the caller releases it. */
int name_list_read(struct store *store, const char *sql, struct name_list *list,
		   struct simhash_error *error);

/* Add a name with an INSERT of an id and a name. */
int name_insert(struct store *store, const char *sql, int64_t id, const char *name,
		struct simhash_error *error);

#endif
