/*
 * Writes damaged files and their intact copies as text, CSV, JSON, JSON Lines, or paths that end
 * with zero bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_DAMAGED_LIST_H
#define SIMHASH_REPORT_DAMAGED_LIST_H

#include "presence/damaged.h"
#include "report/lists/listing.h"

/* Write at most `limit` files, or all if it is 0. formats_presence says which formats are possible. */
int listing_write_damaged(struct listing *listing, const struct damaged_list *found, uint64_t limit,
			  struct simhash_error *error);

#endif
