/*
 * Computes the key space (paper, Figures 3 and 4): every file becomes a point of its size and its
 * key. A point is so small that a page can hold a million.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_KEY_SPACE_H
#define SIMHASH_REPORT_KEY_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include "simhash.h"

struct store;

#define KEY_SPACE_POINTS_MAX 1000000
#define KEY_SPACE_KINDS 12 /* kinds of extensions: the most frequent ones, then all others */

struct key_point {
	uint16_t size, key;   /* logarithms from key_space_log */
	uint16_t shifted_key; /* the highest 16 of the 63 bits of the shifted key */
	uint16_t kind;
};

struct key_space {
	struct key_point *points;
	size_t count;
	/* The numbers of all files and their bytes, even if the points are only a sample. */
	int64_t rows, bytes;
	char kinds[KEY_SPACE_KINDS][24];
	unsigned kind_count;
};

/* log2(value + 1) * 1024, rounded down. */
uint16_t key_space_log(int64_t value);

/*
 * Read all files of a tag set, or every n-th file if there are more than KEY_SPACE_POINTS_MAX, with
 * their Skew keys, plain and shifted by the extension.
 */
int key_space_read(struct store *store, const struct simhash_tag_set *tags, int64_t tag_set,
		   struct key_space *space, struct simhash_error *error);
void key_space_release(struct key_space *space);

#endif
