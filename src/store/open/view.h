/*
 * A view of the index that stays the same for many queries, which makes small queries cheaper.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_VIEW_H
#define SIMHASH_STORE_VIEW_H

#include <stdbool.h>

#include "simhash.h"

struct store;

/*
 * From now to the next call all queries see the index as it is now. A view that is held for
 * long keeps an embedded index from reusing the room of its log, so renew it now and then.
 */
int store_renew_view(struct store *store, struct simhash_error *error);

/*
 * From now on the queries of all these connections to one index see it as it is at one moment, until
 * store_end_view of each. False where that cannot be had; then no view has begun.
 */
bool store_share_view(struct store *const *stores, unsigned count);

/* After a long read: free what the connection keeps in memory to be faster. */
void store_release_memory(struct store *store);

/* End the view, before a time that may be long. */
void store_end_view(struct store *store);

#endif
