/*
 * Writes folders as text for people.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_FOLDER_TEXT_H
#define SIMHASH_REPORT_FOLDER_TEXT_H

#include "find/folders/folders.h"
#include "report/lists/listing.h"

int folder_text_pair(struct listing *listing, const struct folder_pair *pair,
		     const struct bytes names[2], struct simhash_error *error);
int folder_text_comparison(struct listing *listing, const struct folder_comparison *comparison,
			   const struct bytes names[2], struct simhash_error *error);

#endif
