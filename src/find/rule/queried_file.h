/*
 * A requested file in its present state: scanned just before, so that it need not be in the index.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_QUERIED_FILE_H
#define SIMHASH_FIND_QUERIED_FILE_H

#include "find/rule/finder.h"
#include "store/row/file_row.h"

struct queried_file {
	struct find_file file;
	struct simhash_keys keys;
	struct row_sketches *sketches; /* by the measure of the request, if it has one; owned */
	struct arena arena;	       /* of what is displayed */
};

void queried_file_release(struct queried_file *queried);

#endif
