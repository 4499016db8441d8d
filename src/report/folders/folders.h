/*
 * Writes pairs of folders, and comparisons of two folders file by file, as text, CSV, JSON or JSON
 * Lines.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_FOLDERS_H
#define SIMHASH_REPORT_FOLDERS_H

#include "find/folders/folders.h"
#include "report/lists/listing.h"

/* At most `limit` pairs, or all where that is 0. */
int listing_write_folders(struct listing *listing, const struct folder_pairs *found, uint64_t limit,
			  struct simhash_error *error);

/* `names` are what the two folders are shown as. */
int listing_write_comparison(struct listing *listing, const struct folder_comparison *comparison,
			     const struct bytes names[2], struct simhash_error *error);

/* A pair as an object of JSON or of a page, without its braces. */
void folder_pair_members(FILE *out, enum record_format format, const struct folder_pair *pair,
			 const struct bytes names[2]);

/* "identical", "contained" or "similar" */
const char *folder_kind_name(enum folder_kind kind);

/* "HOST:PATH", or the path where that is on this host; ended by a zero, for the caller to free. */
char *folder_name(const struct folder_pairs *found, const struct folder *folder, size_t *size);

#endif
