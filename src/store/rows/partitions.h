/*
 * Finds the partitions of the table `file` on other servers: each of Spider's nodes has some of
 * them.
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

/* An empty list has only zeros. */
struct partitions {
	char **lists; /* each is a list of names, as in SQL */
	size_t count;
};

/*
 * Distribute the partitions to `most` or fewer lists, each of which can be read by a separate
 * statement. Returns false and sets no list if there would be fewer than two, or if the server
 * itself stores the rows. Release the lists if true.
 */
bool store_deal_partitions(struct store *store, size_t most, struct partitions *partitions);

void partitions_release(struct partitions *partitions);

#endif
