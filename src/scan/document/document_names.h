/*
 * Looks up names in documents: the files of a book by their ids, and characters by their XHTML
 * names. Sorts parts in the order of the numbers in their names.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_DOCUMENT_NAMES_H
#define SIMHASH_SCAN_DOCUMENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/basic/bytes.h"
#include "base/data/arena.h"

/* Maps ids to references. A map of zeros is empty. */
struct document_names {
	struct arena arena;
	struct document_name *items;
	size_t count, capacity;
	bool is_sorted;
};

/* Add a reference, unless it or the id is NULL. Returns 0, or an errno. */
int document_names_add(struct document_names *names, const char *id, const char *reference);
/* Return the reference of an id, or NULL. It lives until one is added. */
const char *document_names_find(struct document_names *names, const char *id);
void document_names_release(struct document_names *names);

/* Write the UTF-8 of an XHTML entity, at most 4 bytes. Returns its size; 0 if it is unknown. */
size_t document_entity(const char *name, char *text);

/* Compare names with numbers: "slide2.xml" comes before "slide10.xml". Returns < 0, 0 or > 0. */
int document_compare_names(const char *x, const char *y);

/*
 * Write the name of the file that a `reference` in the file `from` points to: relative to the
 * folder of `from`, with %20 and others decoded, and without the part after a #. `name` has room
 * for the sizes of both and a zero.
 */
void document_resolve(const char *from, const char *reference, char *name);

#endif
