/*
 * Makes a first load of an index faster: many rows are written faster into an index without rows if
 * their keys are indexed afterwards.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_LOAD_H
#define SIMHASH_STORE_LOAD_H

#include <stdbool.h>

#include "simhash.h"

struct store;

/*
 * Around the writes of a run, or around most of them: rows may still be written after the end. A
 * run that is cut off need not end its load: the next opening to write does.
 */
int store_begin_load(struct store *store, struct simhash_error *error);
int store_end_load(struct store *store, struct simhash_error *error);

/* After store_begin_load: were there no rows? */
bool store_is_first_load(const struct store *store);

#endif
