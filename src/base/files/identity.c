/*
 * Reads the identities of files by statx(2) on Linux and by fstatat(2) elsewhere.
 * SPDX-License-Identifier: MIT
 */
#include "base/files/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/clock.h"
#include "base/files/open_file.h"

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

static int device_by_stat(int directory_fd, const char *name, bool follow,
			  struct entry_device *device)
{
	struct stat status;

	if (fstatat(directory_fd, name, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	*device = (struct entry_device){(uint64_t)status.st_dev, false};
	return 0;
}

/*
 * macOS and FreeBSD also have a birth time. But a program that sets an earlier modification time
 * changes it, for example when it restores a backup.
 */
#ifdef STATX_BTIME
int file_identity_read(int directory_fd, const char *name, struct file_identity *identity)
{
	struct statx status;

	if (statx(directory_fd, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME,
		  &status) != 0)
		/* the kernel does not have it, or this process may not call it */
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

int entry_device_read(int directory_fd, const char *name, bool follow, struct entry_device *device)
{
	int flags = AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC | (follow ? 0 : AT_SYMLINK_NOFOLLOW);
	struct statx status;

	/* With an empty mask, even a file system of another user returns the device. */
	if (statx(directory_fd, name, flags, 0, &status) != 0)
		return errno == ENOSYS || errno == EPERM
			       ? device_by_stat(directory_fd, name, follow, device)
			       : -1;
	device->number = (uint64_t)makedev(status.stx_dev_major, status.stx_dev_minor);
#ifdef STATX_ATTR_MOUNT_ROOT
	device->is_mount = (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
	device->is_mount = false;
#endif
	return 0;
}
#else
int file_identity_read(int directory_fd, const char *name, struct file_identity *identity)
{
	return read_by_stat(directory_fd, name, identity);
}

int entry_device_read(int directory_fd, const char *name, bool follow, struct entry_device *device)
{
	return device_by_stat(directory_fd, name, follow, device);
}
#endif

#ifdef __linux__
static bool is_of_type(int fd, const uint32_t *types, size_t count)
{
	struct statfs status;

	if (fstatfs(fd, &status) != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if ((uint32_t)status.f_type == types[i])
			return true;
	return false;
}

bool inodes_are_lasting(int fd)
{
	/* ext2 to ext4, xfs, btrfs, f2fs, bcachefs, zfs, tmpfs, overlayfs, nfs */
	static const uint32_t types[] = {
		EXT4_SUPER_MAGIC, 0x58465342,  BTRFS_SUPER_MAGIC, 0xf2f52010,	   0xca451a4e,
		0x2fc12fc1,	  TMPFS_MAGIC, 0x794c7630,	  NFS_SUPER_MAGIC,
	};

	return is_of_type(fd, types, sizeof types / sizeof *types);
}

bool shows_other_files(const char *path)
{
	/* FUSE, overlayfs, aufs, nfs, smb, cifs, smb2, 9p, vboxsf, ecryptfs */
	static const uint32_t types[] = {0x65735546, 0x794c7630, 0x61756673, NFS_SUPER_MAGIC,
					 0x517b,     0xff534d42, 0xfe534d42, 0x01021997,
					 0x786f4256, 0xf15f};
	int fd = open_file_at(AT_FDCWD, path, OPEN_TO_REACH, 0);
	struct stat status;
	/* FUSE may also read a disk, and then its files are nowhere else. */
	bool shows = fd >= 0 && fstat(fd, &status) == 0 && major(status.st_dev) == 0 &&
		     is_of_type(fd, types, sizeof types / sizeof *types);

	if (fd >= 0)
		close(fd);
	return shows;
}

bool is_kernel_file_system(int fd)
{
	static const uint32_t types[] = {
		0x9fa0,	    /* proc */
		0x62656572, /* sysfs */
		0x27e0eb,   /* cgroup */
		0x63677270, /* cgroup2 */
		0x64626720, /* debugfs */
		0x74726163, /* tracefs */
		0x1cd1,	    /* devpts */
		0x73636673, /* securityfs */
		0xcafe4a11, /* bpf */
		0x6165676c, /* pstore */
		0x62656570, /* configfs */
		0x19800202, /* mqueue */
		0x65735543, /* fusectl */
		0xde5e81e4, /* efivarfs */
		0x42494e4d, /* binfmt_misc */
		0xf97cff8c, /* selinuxfs */
		0x43415d53, /* smackfs */
		0x5a3c69f0, /* apparmorfs */
		0x07655821, /* resctrl */
		0x6e736673, /* nsfs */
		0x67596969, /* rpc_pipefs */
		0x6e667364, /* nfsd */
		0xabba1974, /* xenfs */
		0x9fa1,	    /* openpromfs */
	};

	return is_of_type(fd, types, sizeof types / sizeof *types);
}
#elif defined __APPLE__ || defined __FreeBSD__ || defined __OpenBSD__ || defined __DragonFly__
static bool is_of_type(int fd, const char *const *types, size_t count)
{
	struct statfs status;

	if (fstatfs(fd, &status) != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (strcmp(status.f_fstypename, types[i]) == 0)
			return true;
	return false;
}

bool inodes_are_lasting(int fd)
{
	static const char *const types[] = {"apfs", "hfs", "ufs", "ffs", "zfs", "hammer2", "nfs"};

	return is_of_type(fd, types, sizeof types / sizeof *types);
}

bool shows_other_files(const char *path)
{
	static const char *const types[] = {"nfs",     "smbfs",	  "fusefs", "macfuse",
					    "osxfuse", "unionfs", "nullfs", "webdavfs"};
	int fd = open_file_at(AT_FDCWD, path, OPEN_TO_REACH, 0);
	bool shows = fd >= 0 && is_of_type(fd, types, sizeof types / sizeof *types);

	if (fd >= 0)
		close(fd);
	return shows;
}

bool is_kernel_file_system(int fd)
{
	static const char *const types[] = {"devfs",	 "fdesc",    "fdescfs", "procfs",
					    "linprocfs", "linsysfs", "mqueuefs"};

	return is_of_type(fd, types, sizeof types / sizeof *types);
}
#else
bool inodes_are_lasting(int fd)
{
	(void)fd;
	return false;
}

bool shows_other_files(const char *path)
{
	(void)path;
	return true;
}

bool is_kernel_file_system(int fd)
{
	(void)fd;
	return false;
}
#endif
