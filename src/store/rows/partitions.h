/*
 * The partitions of the table `file` on other servers: each of Spider's nodes has some of them.
 *
 *     if (store_deal_partitions(store, connections, &partitions))
 *             ...     // read partitions.lists[0] on one connection, lists[1] on another
 *     partitions_release(&partitions);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_PARTITIONS_H
#define SIMHASH_STORE_PARTITIONS_H

#include <stdbool.h>
#include <stddef.h>

struct store;

/* All zero is an empty list. */
struct partitions {
	char **lists; /* of names, as SQL has them */
	size_t count;
};

/*
 * Deal them out to lists, `most` or fewer, each of which can be read by a statement of its own. False where
 * there are no two lists, or the rows are the server's own; then none are set. To be released if true.
 */
bool store_deal_partitions(struct store *store, size_t most, struct partitions *partitions);

void partitions_release(struct partitions *partitions);

#endif
