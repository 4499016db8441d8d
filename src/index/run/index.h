/*
 * Indexes the trees that the user names.
 *
 *     walkers --> queue of 64 batches --> scanners --> queue of 256 batches --> writer
 *
 * Up to four threads walk and compare the files with the index; any number of threads scan; the
 * calling thread writes. Memory is bounded for every tree: by the two queues, by the rows of one
 * transaction or of two on a server, by the files that are put aside, and by the largest files of a
 * first load.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_INDEX_H
#define SIMHASH_INDEX_INDEX_H

#include "index/work/request.h"

/*
 * Index the trees. What the summary counts as scanned or removed is committed, also when the run
 * fails (-1) or is interrupted.
 */
int index_trees(const struct index_request *request, const struct index_resources *resources,
		struct index_summary *summary, struct simhash_error *error);

#endif
