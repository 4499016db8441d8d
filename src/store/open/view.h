/*
 * Keeps a view of the index that stays the same for many queries, which makes small queries
 * cheaper.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_VIEW_H
#define SIMHASH_STORE_VIEW_H

#include <stdbool.h>

#include "simhash.h"

struct store;

/*
 * Until the next call all queries see the index as it is now. With SQLite, a long view prevents the
 * log from being reused, so renew the view regularly.
 */
int store_renew_view(struct store *store, struct simhash_error *error);

/*
 * From now on, the queries of all these connections to one index see it at the same moment, until
 * store_end_view of each. Returns false if this is impossible; then no view has begun.
 */
bool store_share_view(struct store *const *stores, unsigned count);

/* Free memory that only makes the connection faster, for example after a long read. */
void store_release_memory(struct store *store);

/* End the view, for example before a long pause. */
void store_end_view(struct store *store);

#endif
