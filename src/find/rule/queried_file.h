/*
 * Describes a requested file as it is now. It is scanned just before the search, so it need not be
 * in the index.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_QUERIED_FILE_H
#define SIMHASH_FIND_QUERIED_FILE_H

#include "find/rule/finder.h"
#include "store/row/file_row.h"

struct queried_file {
	struct find_file file;
	struct simhash_keys keys;
	/*
	 * The stored form of its pieces in the other form: of the bytes of a text, or of the normal
	 * form of other bytes, because a file of one kind can contain the other. In the arena.
	 */
	struct bytes other_pieces;
	struct row_sketches *sketches; /* for the measure of the request, if it has one; owned */
	struct arena arena;	       /* holds the displayed name */
	bool is_text; /* the text of a document, which was also requested as a file */
};

void queried_file_release(struct queried_file *queried);

#endif
