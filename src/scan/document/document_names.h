/*
 * Names in documents: the files of a book by their ids, characters by their XHTML names, and the
 * order of parts as a reader counts them.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_DOCUMENT_NAMES_H
#define SIMHASH_SCAN_DOCUMENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/basic/bytes.h"
#include "base/data/arena.h"

/* From ids to references. All zero is empty. */
struct document_names {
	struct arena arena;
	struct document_name *items;
	size_t count, capacity;
	bool is_sorted;
};

/* An id or a reference that is NULL is left out. 0, or an errno. */
int document_names_add(struct document_names *names, const char *id, const char *reference);
/* The reference of an id, or NULL. It lives until one is added. */
const char *document_names_find(struct document_names *names, const char *id);
void document_names_release(struct document_names *names);

/* Write the UTF-8 of an entity of XHTML, at most 4 bytes, and return its size; 0 for none. */
size_t document_entity(const char *name, char *text);

/* Below 0, 0 or above, as "slide2.xml" comes before "slide10.xml". */
int document_compare_names(const char *x, const char *y);

/*
 * Write the name of the file that `reference`, of a file called `from`, is about: relative to the
 * folder of that, with %20 and the like decoded, and without what comes after a #. `name` has room
 * for the sizes of both and a zero.
 */
void document_resolve(const char *from, const char *reference, char *name);

#endif
