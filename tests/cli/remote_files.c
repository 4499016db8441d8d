/*
 * A library to preload. With it, statfs(2) reports that every file system is of one type: the
 * number in NETWORK_TYPE, in hexadecimal digits.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int statfs64(const char *path, struct statfs64 *status);

int statfs64(const char *path, struct statfs64 *status)
{
	const char *type = getenv("NETWORK_TYPE");
	long result = syscall(SYS_statfs, path, status);

	if (result == 0 && type != NULL)
		status->f_type = (__typeof__(status->f_type))strtoul(type, NULL, 16);
	return (int)result;
}
