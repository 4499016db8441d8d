/*
 * Makes a first load of an index faster: rows are written faster into an empty index if their keys
 * are indexed afterwards.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_LOAD_H
#define SIMHASH_STORE_LOAD_H

#include <stdbool.h>

#include "simhash.h"

struct store;

/*
 * Call these around all or most writes of a run; rows may still be written after the end. An
 * interrupted run need not end its load, because the next opening to write ends it.
 */
int store_begin_load(struct store *store, struct simhash_error *error);
int store_end_load(struct store *store, struct simhash_error *error);

/* After store_begin_load: was the index empty? */
bool store_is_first_load(const struct store *store);

#endif
