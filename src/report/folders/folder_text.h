/*
 * Writes folders as text for people.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_FOLDER_TEXT_H
#define SIMHASH_REPORT_FOLDER_TEXT_H

#include "find/folders/folders.h"
#include "report/lists/listing.h"

/* The widths of the columns on a terminal; all zero at the beginning. */
struct folder_columns {
	size_t path, files;
};

/* Widen the columns for a folder that will be written later. */
void folder_text_widen(const struct folder_share *share, struct bytes name,
		       struct folder_columns *columns);

/* Write `b` of a pair, then `a` of each pair that has the same `b`. */
int folder_text_head(struct listing *listing, const struct folder_pair *pair, struct bytes name,
		     const struct folder_columns *columns, struct simhash_error *error);
int folder_text_member(struct listing *listing, const struct folder_pair *pair, struct bytes name,
		       const struct folder_columns *columns, struct simhash_error *error);

int folder_text_comparison(struct listing *listing, const struct folder_comparison *comparison,
			   const struct bytes names[2], struct simhash_error *error);

#endif
