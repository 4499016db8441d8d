/*
 * Compares the index with a digest list, as if the files of the list belonged to one more host.
 *
 *     if (against_open(&against, "there.digests", &error) != 0)
 *             return -1;
 *     request.tags = against_tags(&against);
 *     request.against = &against;
 *     request.has_between = true; // a pair has a file of the list and one of the index
 *     ...                         // find
 *     against_release(&against);
 *
 * The sides of such a search are the list and everything else; see struct find_request.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_AGAINST_H
#define SIMHASH_FIND_AGAINST_H

#include <stdint.h>

#include "store/row/file_row.h"

struct digest_reader;

/* The id of the list as a host. No index has a host with this id. */
#define AGAINST_HOST INT64_MAX

struct against {
	const char *path, *name; /* name: displayed as the name of the host */
	struct digest_reader *reader;
};

/*
 * Open a list and read its heading; "-" is standard input. The path must stay valid. Errors: see
 * digest_reader.h.
 */
int against_open(struct against *against, const char *path, struct simhash_error *error);

/* The tag set of the list; it lives until against_release. */
const struct simhash_tag_set *against_tags(const struct against *against);

/* Read the next file, like digest_reader_next. A search reads the list once. */
int against_next(struct against *against, struct file_row *row, struct simhash_error *error);

/* After the last file: the same as digest_reader_doubt. */
const char *against_doubt(const struct against *against);

void against_release(struct against *against);

#endif
