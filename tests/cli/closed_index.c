/*
 * A library to preload into a program under test: it reports when the program closes a file of an
 * SQLite index that it also has open elsewhere, because this releases SQLite's locks. For glibc on
 * Linux.
 *
 *   INDEX_FILE=FILE      the index; FILE-shm is also watched
 *   CLOSED_REPORT=FILE   gets a line for each such close
 * SPDX-License-Identifier: MIT
 */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS

#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))
#define DESCRIPTORS 4096

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_watched(const struct stat *closed)
{
	const char *index = getenv("INDEX_FILE");
	char shm[4096];
	struct stat status;

	if (index == NULL || snprintf(shm, sizeof shm, "%s-shm", index) >= (int)sizeof shm)
		return false;
	return (stat(index, &status) == 0 && is_same(&status, closed)) ||
	       (stat(shm, &status) == 0 && is_same(&status, closed));
}

static bool is_open_otherwise(int fd, const struct stat *closed)
{
	struct stat status;

	for (int other = 0; other < DESCRIPTORS; other++)
		if (other != fd && fstat(other, &status) == 0 && is_same(&status, closed))
			return true;
	return false;
}

/* SQLite itself may close its files. */
static bool is_sqlite(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) != 0 && strstr(info.dli_fname, "libsqlite3") != NULL;
}

static void watch(int fd, const void *caller, const char *call)
{
	const char *report = getenv("CLOSED_REPORT");
	struct stat closed;
	char line[64];
	int out, size;

	if (report == NULL || fstat(fd, &closed) != 0 || !is_watched(&closed) ||
	    is_sqlite(caller) || !is_open_otherwise(fd, &closed))
		return;
	out = open(report, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	size = snprintf(line, sizeof line, "%s in process %ld\n", call, (long)getpid());
	if (out < 0 || write(out, line, (size_t)size) != size)
		abort();
	syscall(SYS_close, out);
}

PUBLIC int close(int fd)
{
	watch(fd, __builtin_return_address(0), "close");
	return (int)syscall(SYS_close, fd);
}

PUBLIC int fclose(FILE *stream)
{
	int (*real)(FILE *) = NULL;

	/* ISO C has no pointer that is both. */
	*(void **)&real = dlsym(RTLD_NEXT, "fclose");
	watch(fileno(stream), __builtin_return_address(0), "fclose");
	return real(stream);
}

PUBLIC int dup2(int from, int to)
{
	watch(to, __builtin_return_address(0), "dup2");
	return (int)syscall(SYS_dup3, from, to, 0);
}
