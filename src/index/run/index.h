/*
 * Indexes the trees that the user names.
 *
 *     walkers --> queue of 64 batches --> scanners --> queue of 256 batches --> writer
 *
 * Up to four threads walk and compare the files with the index; any number of threads scan; the
 * calling thread writes. For every tree, memory is limited to the two queues, the rows of one
 * transaction (on a server, of two), the files that are put aside, and the largest files of a first
 * load.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_INDEX_H
#define SIMHASH_INDEX_INDEX_H

#include "index/work/request.h"

/*
 * Index the trees. Everything that the summary counts as scanned or removed is committed, even if
 * the run fails (-1) or is interrupted.
 */
int index_trees(const struct index_request *request, const struct index_resources *resources,
		struct index_summary *summary, struct simhash_error *error);

#endif
