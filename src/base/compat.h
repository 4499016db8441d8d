/*
 * What not every system has: memrchr(3), which macOS lacks.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_COMPAT_H
#define SIMHASH_BASE_COMPAT_H

#include <string.h>

/* The last byte of value c among `size` bytes, or NULL. */
static inline const void *last_byte(const void *bytes, int c, size_t size)
{
#ifdef __APPLE__
	for (const char *at = (const char *)bytes + size; at > (const char *)bytes;)
		if (*--at == (char)c)
			return at;
	return NULL;
#else
	return memrchr(bytes, c, size);
#endif
}

#endif
