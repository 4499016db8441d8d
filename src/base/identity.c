/*
 * Asking for identities: statx(2) on Linux, fstatat(2) elsewhere.
 * SPDX-License-Identifier: MIT
 */
#include "base/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/open_file.h"

#ifdef __linux__
#include <linux/magic.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#elif !defined __sun
#include <sys/mount.h>
#include <sys/param.h>
#endif

static int read_by_stat(int directory_fd, const char *name, struct file_identity *identity)
{
	struct stat status;

	if (fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	*identity = (struct file_identity){
		.is_regular = S_ISREG(status.st_mode),
		.device = (uint64_t)status.st_dev,
		.inode = (uint64_t)status.st_ino,
		.links = (uint64_t)status.st_nlink,
		.size_bytes = status.st_size,
		.mtime_ns = stat_mtime_ns(&status),
		.changed_ns = stat_ctime_ns(&status),
	};
	return 0;
}

/*
 * macOS and FreeBSD have a birth time too. But there setting an earlier modification time sets it,
 * as restoring a backup does.
 */
#ifdef STATX_BTIME
int file_identity_read(int directory_fd, const char *name, struct file_identity *identity)
{
	struct statx status;

	if (statx(directory_fd, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME,
		  &status) != 0)
		/* Not known to the kernel, or not allowed to this process. */
		return errno == ENOSYS || errno == EPERM
			       ? read_by_stat(directory_fd, name, identity)
			       : -1;
	*identity = (struct file_identity){
		.is_regular = S_ISREG(status.stx_mode),
		.device = (uint64_t)makedev(status.stx_dev_major, status.stx_dev_minor),
		.inode = status.stx_ino,
		.links = status.stx_nlink,
		.size_bytes = (int64_t)status.stx_size,
		.mtime_ns = clock_ns(status.stx_mtime.tv_sec, status.stx_mtime.tv_nsec),
		.changed_ns = clock_ns(status.stx_ctime.tv_sec, status.stx_ctime.tv_nsec),
		.has_birth = (status.stx_mask & STATX_BTIME) != 0,
		.born_ns = clock_ns(status.stx_btime.tv_sec, status.stx_btime.tv_nsec),
	};
	return 0;
}
#else
int file_identity_read(int directory_fd, const char *name, struct file_identity *identity)
{
	return read_by_stat(directory_fd, name, identity);
}
#endif

#ifdef __linux__
bool inodes_are_lasting(int fd)
{
	/* ext2 to ext4, xfs, btrfs, f2fs, bcachefs, zfs, tmpfs, overlayfs, nfs */
	static const unsigned long types[] = {
		EXT4_SUPER_MAGIC, 0x58465342,  BTRFS_SUPER_MAGIC, 0xf2f52010,	   0xca451a4e,
		0x2fc12fc1,	  TMPFS_MAGIC, 0x794c7630,	  NFS_SUPER_MAGIC,
	};
	struct statfs status;

	if (fstatfs(fd, &status) != 0)
		return false;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (((unsigned long)status.f_type & 0xffffffff) == types[i])
			return true;
	return false;
}
#elif defined __APPLE__ || defined __FreeBSD__ || defined __OpenBSD__ || defined __DragonFly__
bool inodes_are_lasting(int fd)
{
	static const char *const types[] = {"apfs", "hfs", "ufs", "ffs", "zfs", "hammer2", "nfs"};
	struct statfs status;

	if (fstatfs(fd, &status) != 0)
		return false;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(status.f_fstypename, types[i]) == 0)
			return true;
	return false;
}
#else
bool inodes_are_lasting(int fd)
{
	(void)fd;
	return false;
}
#endif
