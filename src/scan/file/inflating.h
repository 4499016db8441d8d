/*
 * Reads the content of gzip files and inflates it on the way.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_INFLATING_H
#define SIMHASH_SCAN_INFLATING_H

#include <stddef.h>
#include <sys/types.h>

struct inflating;

/* Inflate from where a descriptor stands, and own it from then on. NULL, with errno, closes it. */
struct inflating *inflating_new(int fd);
void inflating_free(struct inflating *in);

/*
 * The next `size` bytes, or as many as there are; 0 at the end. -1 with errno: EILSEQ when this is
 * not a gzip file, EBADMSG when it is damaged or cut off.
 */
ssize_t inflating_read(struct inflating *in, void *buffer, size_t size);

/* At the end: do other bytes than zeros follow, which are ignored as gzip does? -1 with errno. */
int inflating_has_rest(struct inflating *in);

#endif
