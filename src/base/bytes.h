/*
 * Bytes with their length: paths, names, hashes. They are borrowed, never owned, and not
 * terminated by a zero; whoever hands them out documents how long they live.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_BYTES_H
#define SIMHASH_BASE_BYTES_H

#include <stddef.h>

struct bytes {
	const char *data;
	size_t size;
};

#endif
