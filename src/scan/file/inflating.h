/*
 * Inflates gzip files, and checks the checksum and the length of each member.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_INFLATING_H
#define SIMHASH_SCAN_INFLATING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct inflating;

/* Inflate from where a descriptor stands, and own it from then on. NULL, with errno, closes it. */
struct inflating *inflating_new(int fd);
/* The same for the bytes that `read` gives: at most as many as it is asked for, 0 at the end, -1 with errno. */
typedef ssize_t inflating_source(void *context, void *buffer, size_t size);
struct inflating *inflating_new_from(inflating_source *read, void *context);
void inflating_free(struct inflating *in);

/*
 * The next `size` bytes, or as many as there are; 0 at the end. -1 with errno: EILSEQ when this is
 * not a gzip file, EBADMSG when it is damaged or cut off. The bytes before the damage come first.
 */
ssize_t inflating_read(struct inflating *in, void *buffer, size_t size);

/* At the end: how many bytes of the source the gzip file has. */
int64_t inflating_end(const struct inflating *in);

/* At the end: do other bytes than zeros follow, which are ignored as gzip does? -1 with errno. */
int inflating_has_rest(struct inflating *in);

#endif
