/*
 * Indexing trees: what the program simhash does.
 *
 *     walkers --> bounded queue of batches --> scanners --> bounded queue of batches --> writer
 *
 * Up to four threads walk and compare what they find with the index; any number scan; the calling
 * thread writes. Memory is bounded whatever the tree: two queues of 64 batches, and the rows of
 * one transaction.
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
