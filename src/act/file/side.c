/*
 * Opens a file of an act, notices writers by a lease or by the file's times, and checks that the
 * file is unchanged.
 * SPDX-License-Identifier: MIT
 */
#include "act/file/side.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#include "base/basic/error.h"
#include "base/files/open_file.h"

int side_open(struct side *side, const struct keep_file *file, const struct guard *guard,
	      struct simhash_error *why)
{
	side->path = file->path;
	if (place_open(file->path, guard, &side->place, why) != 0)
		return -1;
	side->fd = open_file_at(side->place.directory_fd, side->place.name,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	if (side->fd < 0 && (errno == ELOOP || errno == EMLINK))
		return error_set(why, SIMHASH_E_RANGE, "it is no longer a regular file");
	if (side->fd < 0 && errno == ENOENT)
		return error_set(why, SIMHASH_E_RANGE, "it no longer exists");
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
		close_content(side->fd); /* this also ends the lock and the lease */
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

/* ---- Noticing writes by other programs ---- */

int side_sync(const struct side *side)
{
	return fsync(side->fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP ? 0
											     : -1;
}

#ifdef __linux__
static bool is_on_one_of(int fd, const unsigned long types[], size_t count)
{
	struct statfs status;

	if (fstatfs(fd, &status) != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (((unsigned long)status.f_type & 0xffffffff) == types[i])
			return true;
	return false;
}

/* Do leases on this file system also fail with EAGAIN if no program writes to the file? */
static bool has_remote_leases(int fd)
{
	/* nfs, smb, cifs, smb2 */
	static const unsigned long types[] = {NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, 0xff534d42,
					      0xfe534d42};

	return is_on_one_of(fd, types, sizeof types / sizeof *types);
}

bool side_sync_all(const struct side *side)
{
	/*
	 * ext2 to ext4, xfs, btrfs, f2fs, tmpfs. Other file systems, such as FUSE, may not
	 * synchronize everything.
	 */
	static const unsigned long types[] = {EXT4_SUPER_MAGIC, 0x58465342, BTRFS_SUPER_MAGIC,
					      0xf2f52010, TMPFS_MAGIC};

	return is_on_one_of(side->fd, types, sizeof types / sizeof *types) && syncfs(side->fd) == 0;
}

/*
 * Returns 0, or -1: errno is EAGAIN if a program writes to the file, and different if the system
 * supports no leases.
 */
static int take_lease(struct side *side)
{
	/* Use a signal that is ignored by default when a lease ends. */
	side->has_lease = fcntl(side->fd, F_SETSIG, SIGURG) == 0 &&
			  fcntl(side->fd, F_SETLEASE, F_RDLCK) == 0;
	if (!side->has_lease && errno == EAGAIN && has_remote_leases(side->fd))
		errno = ENOTSUP;
	return side->has_lease ? 0 : -1;
}

bool side_has_no_writer(const struct side *side)
{
	return !side->has_lease || fcntl(side->fd, F_GETLEASE) == F_RDLCK;
}

/* Written pages are read-only until the next store, which is then noticed. */
static int write_pages(const struct side *side)
{
	return sync_file_range(side->fd, 0, 0,
			       SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				       SYNC_FILE_RANGE_WAIT_AFTER) == 0
		       ? 0
		       : side_sync(side);
}
#else
bool side_sync_all(const struct side *side)
{
	(void)side;
	return false;
}

static int take_lease(struct side *side)
{
	(void)side;
	errno = ENOTSUP;
	return -1;
}

bool side_has_no_writer(const struct side *side)
{
	(void)side;
	return true;
}

static int write_pages(const struct side *side)
{
	return side_sync(side);
}
#endif

int side_watch(struct side *side, struct simhash_error *why)
{
	if (side->fd < 0 || side->is_watched)
		return 0;
	if (take_lease(side) != 0) {
		if (errno == EAGAIN)
			return error_set(why, SIMHASH_E_RANGE,
					 "another program has it open for writing");
		if (write_pages(side) != 0)
			return error_set_errno(why, "cannot write it to the disk");
	}
	side->is_watched = true;
	return 0;
}

/* The path may be too long for one call; then it is not checked. */
static bool path_leads_to(const struct side *side)
{
	struct stat named;

	if (place_status(&(struct place){.directory_fd = AT_FDCWD}, side->path, &named) != 0)
		return errno == ENAMETOOLONG;
	return is_same_inode(&named, &side->status);
}

bool side_has_same_times(const struct side *side)
{
	struct stat now;

	return side->fd < 0 ||
	       (fd_status(side->fd, &now) == 0 && is_same_content(&now, &side->status) &&
		stat_ctime_ns(&now) == stat_ctime_ns(&side->status));
}

/* Check the times last, because the next step of an act changes them. */
bool side_is_unchanged(const struct side *side)
{
	struct stat named;

	return side->fd < 0 || (place_has_name(&side->place) && path_leads_to(side) &&
				place_status(&side->place, side->place.name, &named) == 0 &&
				is_same_inode(&named, &side->status) && side_has_same_times(side));
}

bool side_take_status(struct side *side)
{
	struct stat now;

	if (fd_status(side->fd, &now) != 0 || !is_same_content(&now, &side->status))
		return false;
	side->status = now;
	return true;
}

/* A directory can contain files of several file systems, for example in an overlay. */
static bool are_in_one_directory(const struct side *x, const struct side *y)
{
	struct stat of_x, of_y;

	return fstat(x->place.directory_fd, &of_x) == 0 &&
	       fstat(y->place.directory_fd, &of_y) == 0 && is_same_inode(&of_x, &of_y);
}

bool sides_are_apart(const struct side *copy, const struct side *kept, const char *temporary)
{
	struct stat named;

	if (kept->fd < 0)
		return true;
	if (!side_is_unchanged(kept))
		return false;
	return temporary == NULL || are_in_one_directory(copy, kept) ||
	       (place_status(&kept->place, temporary, &named) != 0 && errno == ENOENT);
}
