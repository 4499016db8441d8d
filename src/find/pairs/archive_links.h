/*
 * Finds files that have mostly the same archive members, although their bytes differ. Solid
 * archives, such as tar.xz and 7z, differ from their first different member on.
 *
 *     if (archive_links_find(&links, finder, files, count, &error) == 0)
 *             archive_links_has(&links, x, y);
 *     archive_links_release(&links);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_ARCHIVE_LINKS_H
#define SIMHASH_FIND_ARCHIVE_LINKS_H

#include "find/rule/finder.h"

/* Two files, by their numbers in the list; a < b. */
struct archive_link {
	uint32_t a, b;
	struct relation relation; /* of a with b: the shares of the bytes of members */
	bool is_of_copy;	  /* for the caller: one of them is a copy of another file */
};

/* All zero to begin with. */
struct archive_links {
	struct archive_link *items; /* sorted by a and b */
	size_t count, capacity;
};

/*
 * Read the members of these files, which are sorted by host and path hash, and compare the content
 * hashes. Two files are linked if they have at least two members in common, and a third of the bytes
 * of all their members, or 80 % of the bytes of one of them.
 */
int archive_links_find(struct archive_links *links, const struct finder *finder,
		       const struct find_file *files, size_t count, struct simhash_error *error);
void archive_links_release(struct archive_links *links);

/* Are these two files linked, in any order? Any number of threads may call it. */
bool archive_links_has(const struct archive_links *links, size_t x, size_t y);

#endif
