/*
 * Writes pairs of folders, and comparisons of two folders file by file, as text, CSV, JSON or JSON
 * Lines.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_FOLDERS_H
#define SIMHASH_REPORT_FOLDERS_H

#include "find/folders/folders.h"
#include "report/lists/listing.h"

/* Write at most `limit` pairs, or all if it is 0. */
int listing_write_folders(struct listing *listing, const struct folder_pairs *found, uint64_t limit,
			  struct simhash_error *error);

/* `names` are the displayed names of the two folders. */
int listing_write_comparison(struct listing *listing, const struct folder_comparison *comparison,
			     const struct bytes names[2], struct simhash_error *error);

/* Write a pair as a JSON object or for a page, without its braces. */
void folder_pair_members(FILE *out, enum record_format format, const struct folder_pair *pair,
			 const struct bytes names[2]);

/* "identical", "contained" or "similar" */
const char *folder_kind_name(enum folder_kind kind);

/* "HOST:PATH", or only the path on this host, with a terminating zero. The caller frees it. */
char *folder_name(const struct folder_pairs *found, const struct folder *folder, size_t *size);

#endif
