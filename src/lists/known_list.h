/*
 * Reads lists of the hashes of known files, which may come from anybody, in these formats:
 *
 *     digests   a list of digests
 *     nsrl      a table whose first line names the columns "SHA-1", "SHA-256" or "MD5", as the NSRL
 *               had until 2022; or its SQLite files of today, as known_database.h describes them
 *     hashdeep such a table after "%%%% HASHDEEP-1.0"
 *     sums      a hash and a name on each line, as sha256sum or md5deep write them, or
 *               "SHA256 (name) = hash"
 *     xxh128    such lines with hashes XXH3-128
 *
 *     if (known_list_open("known.txt", KNOWN_BY_FORM, &list, &error) != 0)
 *             return -1;
 *     while ((status = known_list_next(list, &hashes, &error)) == 1)
 *             ... use the hashes in hashes.found ...
 *     known_list_close(list);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_KNOWN_LIST_H
#define SIMHASH_SCAN_KNOWN_LIST_H

#include <stdint.h>

#include "lists/known_hashes.h"
#include "simhash.h"

enum known_format {
	KNOWN_BY_FORM,
	KNOWN_DIGESTS,
	KNOWN_NSRL,
	KNOWN_HASHDEEP,
	KNOWN_SUMS,
	KNOWN_XXH128
};

/* In the order of the enum; NULL ends the list. */
extern const char *const known_format_names[];

struct known_list;

/* Open a list; "-" is standard input. It may be compressed, see list_lines.h. Borrows the path. */
int known_list_open(const char *path, enum known_format format, struct known_list **list,
		    struct simhash_error *error);
void known_list_close(struct known_list *list); /* NULL is allowed */

/*
 * Read the next line with a hash. Returns 1, 0 at the end, or -1 with the line and the column. A
 * list that is not empty and has no hash ends with the error SIMHASH_E_SYNTAX.
 */
int known_list_next(struct known_list *list, struct known_hashes *hashes,
		    struct simhash_error *error);

/* After the end: return why the list may be incomplete, a static text, or NULL. */
const char *known_list_doubt(const struct known_list *list);

#endif
