/*
 * A run of bytes with its length: paths, names, hashes. Borrowed, never owned;
 * whoever hands one out says how long it lives. Not terminated by a zero.
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
