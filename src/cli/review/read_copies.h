/*
 * Reads the identical files of an index into the model of a review. It reads only the entries of
 * the index of keys and then the rows of files that may have copies.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_REVIEW_READ_COPIES_H
#define SIMHASH_CLI_REVIEW_READ_COPIES_H

#include "cli/review/model.h"
#include "cli/review/source.h"

/* Add all files. The caller finishes the model. Shows a status line. */
int review_read_copies(struct review_model *model, const struct review_source *source,
		       struct simhash_error *error);

#endif
