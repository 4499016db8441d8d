/*
 * Writes files whose content is missing elsewhere, or has few copies, as text, CSV, JSON, JSON Lines,
 * or paths that end with zero bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_PRESENCE_LIST_H
#define SIMHASH_REPORT_PRESENCE_LIST_H

#include "presence/presence.h"
#include "report/lists/listing.h"

/* Can this formatter write such lists? */
bool formats_presence(const struct formatter *formatter);

/*
 * Write the items. If all files of a folder are listed, text has one line for it. At most `limit`
 * lines or records are written, or all if it is 0. `with_copies`: show the number of copies.
 */
int listing_write_presence(struct listing *listing, const struct presence *found, uint64_t limit,
			   bool with_copies, struct simhash_error *error);

#endif
