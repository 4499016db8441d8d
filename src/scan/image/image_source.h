/*
 * Defines where the bytes of an image come from.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_IMAGE_SOURCE_H
#define SIMHASH_SCAN_IMAGE_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The bytes of the image. `read` returns their number, which is less at the end, or -1. */
struct image_source {
	ssize_t (*read)(void *context, int64_t offset, void *buffer, size_t size);
	void *context;
	int64_t size_bytes;
};

#endif
