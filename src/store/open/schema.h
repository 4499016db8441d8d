/*
 * Manages the schema of an index. It is created when the index is first opened, and updated when it
 * is older than the program. An index is rejected if its schema is newer, or if it is not an index.
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

/* Create the views of an index again; an upgrade also does this. */
int schema_make_views(struct store *store, struct simhash_error *error);

/* Run the driver's scripts before and after a first load, if it has any. */
int schema_before_load(struct store *store, struct simhash_error *error);
int schema_after_load(struct store *store, struct simhash_error *error);

#endif
