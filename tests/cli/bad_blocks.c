/*
 * A library to preload into simhash. It simulates a disk with a bad block: bytes 8192 to 12287 of
 * each file whose name ends in ".bad" cannot be read.
 * SPDX-License-Identifier: MIT
 */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAD_BEGIN 8192
#define BAD_END 12288

static int is_bad(int fd)
{
	char link[64], path[4096];
	ssize_t size;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	size = readlink(link, path, sizeof path);
	return size >= 4 && memcmp(path + size - 4, ".bad", 4) == 0;
}

__attribute__((visibility("default"))) ssize_t pread64(int fd, void *buffer, size_t size,
						       off64_t offset)
{
	static __typeof__(&pread64) next;

	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "pread64");
	if (offset < BAD_END && offset + (off64_t)size > BAD_BEGIN && is_bad(fd)) {
		if (offset >= BAD_BEGIN) {
			errno = EIO;
			return -1;
		}
		size = (size_t)(BAD_BEGIN - offset);
	}
	return next(fd, buffer, size, offset);
}
