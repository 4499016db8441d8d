/*
 * Defines a pointer to bytes with their length, for paths, names and hashes. The bytes are
 * borrowed, and no zero terminates them. The function that returns them documents how long they
 * live.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_BYTES_H
#define SIMHASH_BASE_BYTES_H

#include <stddef.h>
#include <string.h>

struct bytes {
	const char *data;
	size_t size;
};

/* A text without its terminating zero. */
static inline struct bytes bytes_of(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

/* The bytes after the first `size` ones. */
static inline struct bytes bytes_after(struct bytes bytes, size_t size)
{
	return (struct bytes){bytes.data + size, bytes.size - size};
}

/* Compare byte by byte: returns < 0, 0 or > 0. A prefix of a longer text comes first. */
static inline int bytes_compare(struct bytes x, struct bytes y)
{
	size_t common = x.size < y.size ? x.size : y.size;
	int order = common == 0 ? 0 : memcmp(x.data, y.data, common);

	return order != 0 ? order : (x.size > y.size) - (x.size < y.size);
}

/*
 * Return the last byte of value c among `size` bytes, or NULL, like memrchr(3), which macOS lacks.
 */
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
