/*
 * Reads the bytes of a list that may come from anybody: decompresses them, and converts them to
 * UTF-8 without a byte-order mark. A list that ends early is an error.
 *
 *     if (list_source_open("there.digests.gz", &source, &error) != 0)
 *             return -1;
 *     while ((got = list_source_read(source, bytes, sizeof bytes, &error)) > 0)
 *             use(bytes, got);
 *     list_source_close(source);
 *
 * gzip needs zlib, which is always there; xz, zstd, bzip2 and lz4 need a build with libarchive.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_LIST_SOURCE_H
#define SIMHASH_SCAN_LIST_SOURCE_H

#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

#include "simhash.h"

struct list_source;

/*
 * Open a list; "-" is standard input. `path` is borrowed. Waits for the first bytes and reads them.
 */
int list_source_open(const char *path, struct list_source **source, struct simhash_error *error);
void list_source_close(struct list_source *source); /* NULL is allowed */

/* Return the name for messages. */
const char *list_source_name(const struct list_source *source);

/* From now on, reading stops with the error ERROR_STOPPED when *stop is set. */
void list_source_stop_at(struct list_source *source, const atomic_bool *stop);

/*
 * Read at most `size` bytes, which must be at least 64. Returns 0 at the end, or -1 with the error
 * SIMHASH_E_SYNTAX for a list that is cut off or damaged.
 */
ssize_t list_source_read(struct list_source *source, char *bytes, size_t size,
			 struct simhash_error *error);

#endif
