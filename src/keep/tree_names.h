/*
 * The names of a tree: its directories, and the files that have a name there or will get one.
 *
 *     tree_names_find(&names, bytes_of("photos/2019"), &number, &error);
 *     tree_names_at(&names, number)->is_directory = true;
 *     tree_names_release(&names);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_KEEP_TREE_NAMES_H
#define SIMHASH_KEEP_TREE_NAMES_H

#include <stdint.h>

#include "base/basic/bytes.h"
#include "base/data/slots.h"

struct tree_name {
	uint32_t parent; /* 0 for the top */
	uint32_t size;
	const char *text;	    /* the last part of the name; borrowed */
	bool is_directory, is_file; /* is it used as a directory, or taken by a file? */
	/*
	 * For a directory: the number of contents that can be placed in it, and the number of these
	 * that can be nowhere else in their source. `seen` is the last content that was counted.
	 */
	uint32_t contents, settled, seen;
};

#define TREE_TOP 1

/* All zero at the beginning. Numbers begin with TREE_TOP. */
struct tree_names {
	struct slots slots;
	struct tree_name *items;
	size_t count, capacity;
};

/*
 * Find the number of a relative path, which is added if it is new: "" is the top. The path must
 * stay valid.
 */
int tree_names_find(struct tree_names *names, struct bytes path, uint32_t *number,
		    struct simhash_error *error);

/* Find, or add, a name of a directory. *number is the directory before, and the name afterwards. */
int tree_names_step(struct tree_names *names, uint32_t *number, struct bytes text,
		    struct simhash_error *error);

/* Valid until a name is added. */
static inline struct tree_name *tree_names_at(const struct tree_names *names, uint32_t number)
{
	return &names->items[number - TREE_TOP];
}

/* Is the name of this text in a directory taken, by a file or as a directory? */
bool tree_names_has(const struct tree_names *names, uint32_t directory, struct bytes text);

/* Compare the paths of two names: the shorter one first, then by their bytes. */
int tree_names_compare(const struct tree_names *names, uint32_t x, uint32_t y);

void tree_names_release(struct tree_names *names);

#endif
