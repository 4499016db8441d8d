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

/*
 * Inflate from the current position of a descriptor, and take ownership of it. NULL, with errno,
 * closes it.
 */
struct inflating *inflating_new(int fd);
/*
 * The same for the bytes from `read`, which returns at most the requested number, 0 at the end, or
 * -1 with errno.
 */
typedef ssize_t inflating_source(void *context, void *buffer, size_t size);
struct inflating *inflating_new_from(inflating_source *read, void *context);
void inflating_free(struct inflating *in);

/*
 * Read the next `size` bytes, or fewer at the end; 0 after the end. -1 with errno: EILSEQ if this
 * is not a gzip file, EBADMSG if it is damaged or cut off. The bytes before the damage come first.
 */
ssize_t inflating_read(struct inflating *in, void *buffer, size_t size);

/* At the end: return how many bytes of the source belong to the gzip file. */
int64_t inflating_end(const struct inflating *in);

/* At the end: do other bytes than zeros follow? They are ignored, as gzip does. -1 with errno. */
int inflating_has_rest(struct inflating *in);

#endif
