/*
 * Opening files, and ending texts.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_OPEN_FILE_H
#define SIMHASH_CORE_OPEN_FILE_H

#include <stdio.h>
#include <sys/types.h>

/*
 * openat(2), once more whenever a signal interrupts it, which network and FUSE file systems
 * allow. The descriptor is closed by exec. -1 with errno. Any thread.
 */
int open_file_at(int directory_fd, const char *path, int flags, mode_t mode);

/* The same as a stream, whose mode is that of fdopen(3). NULL with errno. */
FILE *open_stream(const char *path, int flags, mode_t mode, const char *stream_mode);

/*
 * End a stream of open_memstream(3) in *text, which is the caller's to free: 0, or -1 when
 * memory did not do for it all, with *text freed and NULL.
 */
int close_text(FILE *stream, char **text);

#endif
