/*
 * Writes the known files that files consist of, as text, CSV, JSON or JSON Lines.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_COVER_LIST_H
#define SIMHASH_REPORT_COVER_LIST_H

#include "find/query/file_cover.h"
#include "report/lists/listing.h"

/* Can this formatter write covers? */
bool formats_covers(const struct formatter *formatter);

/* Before the first cover, and after the last one; `count` is the number of covers. */
void listing_begin_covers(struct listing *listing);
int listing_end_covers(struct listing *listing, uint64_t count, struct simhash_error *error);

/* Write the cover of a file with this displayed name; `number` counts covers from 0. */
int listing_write_cover(struct listing *listing, struct bytes name, const struct file_cover *cover,
			uint64_t number, struct simhash_error *error);

#endif
