/*
 * Runs up to four threads, the walkers, that find files, compare them with the index, and feed the
 * work to the scanners. Each has its own connection to the index. The roots are walked one after
 * another, and vanished directories are found after each.
 *
 *     struct walkers walkers = {.request = request, ...};
 *     walkers_start(&walkers, error);
 *     ... the writer writes
 *     status = walkers_join(&walkers, error);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_WALKERS_H
#define SIMHASH_INDEX_WALKERS_H

#include "index/run/walker.h"

/* Start to walk all roots. -1 if no thread can be started. */
int walkers_start(struct walkers *walkers, struct simhash_error *error);

/* Wait for the end. -1 with the error that ended the walk early. */
int walkers_join(struct walkers *walkers, struct simhash_error *error);

/* Return the number of unchanged files. */
uint64_t walkers_unchanged(const struct walkers *walkers);

#endif
