/*
 * Sorts all files so that similar files are together, and finds for each file a reference, so that
 * only the difference needs to be stored (simfind --order). docs/algorithm.md describes the rule.
 *
 *     struct file_order order;
 *
 *     if (finder_order(&finder, &order, &error) == 0) {
 *             ... order.files ...
 *             file_order_release(&order);
 *     }
 *
 * Members of archives are not files, so they are not listed. No file is read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FILE_ORDER_H
#define SIMHASH_FIND_FILE_ORDER_H

#include "base/data/arena.h"
#include "find/rule/find.h"

/* The minimum resemblance of a pair, unless the request has another one. */
#define ORDER_MIN_RESEMBLANCE 0.3

#define NO_REFERENCE SIZE_MAX

struct ordered_file {
	struct bytes display;
	uint32_t name_at, extension_at; /* offsets of the name and its extension in it */
	int64_t size_bytes;
	uint8_t content_hash[CONTENT_HASH_SIZE];
	uint32_t content;
	bool is_copy;	      /* a copy of the reference */
	uint32_t depth;	      /* the number of differences on the way to it; a copy adds none */
	size_t reference;     /* an earlier file; or NO_REFERENCE */
	int64_t shared_bytes; /* estimated bytes of this file that are in the reference */
};

struct file_order {
	struct ordered_file *files;
	size_t count, capacity;
	struct arena names;
};

int finder_order(const struct finder *finder, struct file_order *order,
		 struct simhash_error *error);
void file_order_release(struct file_order *order);

#endif
