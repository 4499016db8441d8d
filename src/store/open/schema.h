/*
 * The schema of an index. It is created when the index is first opened, and updated when it is
 * older than the program. An index is refused when its schema is newer or when it is not an index
 * at all.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SCHEMA_H
#define SIMHASH_STORE_SCHEMA_H

#include "simhash.h"
#include "store/engine/location.h"

struct store;

/*
 * Check the schema of a connection, and create or update it unless `mode` is OPEN_TO_READ.
 * Errors: SIMHASH_E_SCHEMA, SIMHASH_E_DATABASE.
 */
int schema_open(struct store *store, enum open_mode mode, struct simhash_error *error);

/* Make the views of an index anew, which an upgrade does, too. */
int schema_make_views(struct store *store, struct simhash_error *error);

/* The driver's scripts around a first load, where it has any. */
int schema_before_load(struct store *store, struct simhash_error *error);
int schema_after_load(struct store *store, struct simhash_error *error);

#endif
