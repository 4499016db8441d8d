/*
 * Opening a file that takes part in an act, and looking at it again.
 * SPDX-License-Identifier: MIT
 */
#include "act/side.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/open_file.h"

int side_open(struct side *side, const struct keep_file *file, const struct guard *guard,
	      struct simhash_error *why)
{
	if (place_open(file->path, guard, 0, &side->place, why) != 0)
		return -1;
	side->fd = open_file_at(side->place.directory_fd, side->place.name,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	if (side->fd < 0 && (errno == ELOOP || errno == EMLINK))
		return error_set(why, SIMHASH_E_RANGE, "it is no longer a regular file");
	if (side->fd < 0 || fstat(side->fd, &side->status) != 0)
		return error_set_errno(why, "cannot open it");
	if (!S_ISREG(side->status.st_mode))
		return error_set(why, SIMHASH_E_RANGE, "it is no longer a regular file");
	if (file->size_bytes != KEEP_SIZE_UNKNOWN &&
	    (side->status.st_size != file->size_bytes ||
	     stat_mtime_ns(&side->status) != file->mtime_ns))
		return error_set(why, SIMHASH_E_RANGE, "it has changed since it was indexed");
	return 0;
}

void side_close(struct side *side)
{
	if (side->fd >= 0)
		close_content(side->fd); /* and the lock with it */
	place_close(&side->place);
}

int side_open_writable(const struct side *side)
{
	struct stat opened;
	int fd = open_file_at(side->place.directory_fd, side->place.name,
			      O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);

	if (fd < 0 || (fstat(fd, &opened) == 0 && is_same_inode(&opened, &side->status)))
		return fd;
	close_content(fd);
	errno = ESTALE;
	return -1;
}

bool side_is_unchanged(const struct side *side)
{
	struct stat now, named;

	return side->fd < 0 ||
	       (fstat(side->fd, &now) == 0 && is_same_content(&now, &side->status) &&
		place_status(&side->place, side->place.name, &named) == 0 &&
		is_same_inode(&named, &side->status));
}

/* There files of several file systems can be, as an overlay shows them. */
static bool are_in_one_directory(const struct side *x, const struct side *y)
{
	struct stat of_x, of_y;

	return fstat(x->place.directory_fd, &of_x) == 0 &&
	       fstat(y->place.directory_fd, &of_y) == 0 && is_same_inode(&of_x, &of_y);
}

bool sides_are_apart(const struct side *copy, const struct side *kept, const struct stat *before,
		     const char *temporary)
{
	struct stat now, named;

	if (kept->fd < 0 || copy->status.st_dev == kept->status.st_dev)
		return true;
	if (fstat(kept->fd, &now) != 0 || stat_ctime_ns(&now) != stat_ctime_ns(before))
		return false;
	return temporary == NULL || are_in_one_directory(copy, kept) ||
	       (place_status(&kept->place, temporary, &named) != 0 && errno == ENOENT);
}
