/*
 * Finds changed content of gzip files in a run that does not inflate.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_INFLATED_H
#define SIMHASH_INDEX_INFLATED_H

#include <sys/stat.h>

#include "index/compare/feed.h"
#include "store/rows/known_file.h"

/*
 * If the run does not inflate, existing inflated content is scanned again if its file has changed.
 */
int inflate_if_changed(struct directory *directory, const struct known_file *known,
		       const struct stat *status, struct feed *feed, struct simhash_error *error);

#endif
