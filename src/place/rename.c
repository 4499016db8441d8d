/*
 * Renames files with renameat2(2) on Linux and renameatx_np(2) on macOS. Other systems have
 * neither.
 * SPDX-License-Identifier: MIT
 */
#include "place/rename.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum rename_how { TO_FREE, EXCHANGE };

static int rename_how(int from_fd, const char *from, int to_fd, const char *to, enum rename_how how)
{
	int status = -1;

#if defined __linux__ && defined RENAME_NOREPLACE && defined RENAME_EXCHANGE
	status = renameat2(from_fd, from, to_fd, to,
			   how == TO_FREE ? RENAME_NOREPLACE : RENAME_EXCHANGE);
#elif defined __APPLE__ && defined RENAME_EXCL && defined RENAME_SWAP
	status = renameatx_np(from_fd, from, to_fd, to, how == TO_FREE ? RENAME_EXCL : RENAME_SWAP);
#else
	(void)from_fd, (void)from, (void)to_fd, (void)to, (void)how;
	errno = ENOTSUP;
#endif
	if (status != 0 && (errno == ENOSYS || errno == EINVAL || errno == EOPNOTSUPP))
		errno = ENOTSUP;
	return status;
}

int rename_exchange(int directory_fd, const char *a, const char *b)
{
	return rename_how(directory_fd, a, directory_fd, b, EXCHANGE);
}

int rename_to_free(int from_fd, const char *from, int to_fd, const char *to)
{
	return rename_how(from_fd, from, to_fd, to, TO_FREE);
}

int move_to_free(int from_fd, const char *from, int to_fd, const char *to)
{
	int status = rename_to_free(from_fd, from, to_fd, to);

	if (status == 0 || errno != ENOTSUP)
		return status;
	status = linkat(from_fd, from, to_fd, to, 0);
	if (status == 0 && unlinkat(from_fd, from, 0) != 0) {
		int saved = errno;
		unlinkat(to_fd, to, 0);
		errno = saved;
		status = -1;
	}
	return status;
}
