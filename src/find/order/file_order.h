/*
 * Puts all files in an order that brings similar files together, and finds for each file a
 * reference from which its difference can be stored: simfind --order. docs/algorithm.md has the
 * rule.
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

/* Pairs from this resemblance on, unless the request has another minimum. */
#define ORDER_MIN_RESEMBLANCE 0.3

#define NO_REFERENCE SIZE_MAX

struct ordered_file {
	struct bytes display;
	uint32_t name_at, extension_at; /* where they begin in it */
	int64_t size_bytes;
	uint8_t content_hash[CONTENT_HASH_SIZE];
	uint32_t content;
	bool is_copy;	      /* of the reference */
	uint32_t depth;	      /* how many differences lead to it; a copy is none */
	size_t reference;     /* a file before it; or NO_REFERENCE */
	int64_t shared_bytes; /* of it that are in the reference, as far as sketches tell */
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
