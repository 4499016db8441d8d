/*
 * A file system for tests, using FUSE. It shows another directory, with unusual features of some
 * mounts:
 *
 *     odd_fs BACKING POINT [fold] [invent] [fresh] [plain] [self=NAME] [hang=NAME] [-- FUSE-OPTION...]
 *
 *     fold       names are found in any case, as on SMB and on other operating systems
 *     invent     each name has its own inode number, also names of one file
 *     fresh      each mount has other inode numbers, and files seem to have changed at the mount
 *     plain      only renames without flags, and no links
 *     self=NAME  each directory has an entry NAME, which is the directory itself
 *     hang=NAME  a read of a file NAME is never answered
 *
 * It returns when POINT is mounted; umount POINT ends it.
 * SPDX-License-Identifier: MIT
 */
#define FUSE_USE_VERSION 31
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static char backing[PATH_MAX];
static bool folds, invents, is_fresh, is_plain;
static struct timespec mounted;
static const char *self, *hanging;

/* Replace a name by the spelling in the directory, ignoring case. */
static void fold_name(const char *directory, char *name)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;
	char found[NAME_MAX + 1] = "";

	while (entries != NULL && (entry = readdir(entries)) != NULL) {
		if (strcmp(entry->d_name, name) == 0)
			found[0] = '\0';
		if (strcmp(entry->d_name, name) == 0)
			break;
		if (strcasecmp(entry->d_name, name) == 0)
			strcpy(found, entry->d_name);
	}
	if (found[0] != '\0')
		strcpy(name, found);
	if (entries != NULL)
		closedir(entries);
}

/* The path below BACKING. */
static const char *real(const char *path, char buffer[PATH_MAX])
{
	char name[NAME_MAX + 1];
	size_t end = (size_t)snprintf(buffer, PATH_MAX, "%s", backing);

	while (*(path += strspn(path, "/")) != '\0') {
		size_t size = strcspn(path, "/");
		memcpy(name, path, size);
		name[size] = '\0';
		path += size;
		if (self != NULL && strcmp(name, self) == 0)
			continue;
		if (folds)
			fold_name(buffer, name);
		if (end + size + 2 > PATH_MAX)
			break;
		end += (size_t)snprintf(buffer + end, PATH_MAX - end, "/%s", name);
	}
	return buffer;
}
#define REAL(path) real(path, (char[PATH_MAX]){0})

static int done(int status)
{
	return status < 0 ? -errno : 0;
}

static void *odd_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
	(void)connection;
	config->use_ino = !invents;
	config->nullpath_ok = 0;
	return NULL;
}

static int odd_getattr(const char *path, struct stat *status, struct fuse_file_info *info)
{
	int result = lstat(REAL(path), status);

	(void)info;
	if (result == 0 && is_fresh) {
		status->st_ino += (ino_t)mounted.tv_sec * 1000000 + (ino_t)mounted.tv_nsec / 1000;
		status->st_ctim = mounted;
	}
	return done(result);
}

static int odd_readlink(const char *path, char *buffer, size_t size)
{
	ssize_t got = readlink(REAL(path), buffer, size - 1);

	if (got >= 0)
		buffer[got] = '\0';
	return done((int)got);
}

static int odd_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
		       struct fuse_file_info *info, enum fuse_readdir_flags flags)
{
	DIR *entries = opendir(REAL(path));
	const struct dirent *entry;

	(void)offset, (void)info, (void)flags;
	if (entries == NULL)
		return -errno;
	if (self != NULL)
		fill(buffer, self, NULL, 0, 0);
	while ((entry = readdir(entries)) != NULL)
		fill(buffer, entry->d_name, NULL, 0, 0);
	closedir(entries);
	return 0;
}

static int odd_mkdir(const char *path, mode_t mode)
{
	return done(mkdir(REAL(path), mode));
}

static int odd_unlink(const char *path)
{
	return done(unlink(REAL(path)));
}

static int odd_rmdir(const char *path)
{
	return done(rmdir(REAL(path)));
}

static int odd_symlink(const char *target, const char *path)
{
	return done(symlink(target, REAL(path)));
}

static int odd_rename(const char *from, const char *to, unsigned flags)
{
	if (is_plain && flags != 0)
		return -EINVAL;
	return done(renameat2(AT_FDCWD, REAL(from), AT_FDCWD, REAL(to), flags));
}

static int odd_link(const char *from, const char *to)
{
	return is_plain ? -EPERM : done(link(REAL(from), REAL(to)));
}

static int odd_chmod(const char *path, mode_t mode, struct fuse_file_info *info)
{
	(void)info;
	return done(chmod(REAL(path), mode));
}

static int odd_chown(const char *path, uid_t owner, gid_t group, struct fuse_file_info *info)
{
	(void)info;
	return done(lchown(REAL(path), owner, group));
}

static int odd_truncate(const char *path, off_t size, struct fuse_file_info *info)
{
	(void)info;
	return done(truncate(REAL(path), size));
}

static int odd_utimens(const char *path, const struct timespec times[2],
		       struct fuse_file_info *info)
{
	(void)info;
	return done(utimensat(AT_FDCWD, REAL(path), times, AT_SYMLINK_NOFOLLOW));
}

static int keep_open(int fd, struct fuse_file_info *info)
{
	if (fd < 0)
		return -errno;
	info->fh = (uint64_t)fd;
	return 0;
}

static int odd_open(const char *path, struct fuse_file_info *info)
{
	return keep_open(open(REAL(path), info->flags & ~O_NOFOLLOW), info);
}

static int odd_create(const char *path, mode_t mode, struct fuse_file_info *info)
{
	return keep_open(open(REAL(path), info->flags, mode), info);
}

static int odd_release(const char *path, struct fuse_file_info *info)
{
	(void)path;
	return done(close((int)info->fh));
}

static int odd_read(const char *path, char *buffer, size_t size, off_t offset,
		    struct fuse_file_info *info)
{
	ssize_t got = pread((int)info->fh, buffer, size, offset);

	while (hanging != NULL && strcmp(strrchr(path, '/') + 1, hanging) == 0)
		pause();
	return got < 0 ? -errno : (int)got;
}

static int odd_write(const char *path, const char *buffer, size_t size, off_t offset,
		     struct fuse_file_info *info)
{
	ssize_t got = pwrite((int)info->fh, buffer, size, offset);

	(void)path;
	return got < 0 ? -errno : (int)got;
}

static int odd_fsync(const char *path, int data_only, struct fuse_file_info *info)
{
	(void)path;
	return done(data_only ? fdatasync((int)info->fh) : fsync((int)info->fh));
}

static int odd_statfs(const char *path, struct statvfs *status)
{
	return done(statvfs(REAL(path), status));
}

static const struct fuse_operations operations = {
	.init = odd_init,
	.getattr = odd_getattr,
	.readlink = odd_readlink,
	.readdir = odd_readdir,
	.mkdir = odd_mkdir,
	.unlink = odd_unlink,
	.rmdir = odd_rmdir,
	.symlink = odd_symlink,
	.rename = odd_rename,
	.link = odd_link,
	.chmod = odd_chmod,
	.chown = odd_chown,
	.truncate = odd_truncate,
	.utimens = odd_utimens,
	.open = odd_open,
	.create = odd_create,
	.release = odd_release,
	.read = odd_read,
	.write = odd_write,
	.fsync = odd_fsync,
	.statfs = odd_statfs,
};

int main(int count, char **words)
{
	char *passed[64] = {words[0]}, one_thread[] = "-s";
	int passed_count = 1, i;

	if (count < 3 || realpath(words[1], backing) == NULL) {
		fputs("usage: odd_fs BACKING POINT [fold] [invent] [fresh] [plain] [self=NAME] "
		      "[hang=NAME]\n",
		      stderr);
		return 1;
	}
	passed[passed_count++] = words[2];
	for (i = 3; i < count && strcmp(words[i], "--") != 0; i++) {
		folds = folds || strcmp(words[i], "fold") == 0;
		invents = invents || strcmp(words[i], "invent") == 0;
		is_fresh = is_fresh || strcmp(words[i], "fresh") == 0;
		is_plain = is_plain || strcmp(words[i], "plain") == 0;
		if (strncmp(words[i], "self=", 5) == 0)
			self = words[i] + 5;
		if (strncmp(words[i], "hang=", 5) == 0)
			hanging = words[i] + 5;
	}
	for (i++; i < count && passed_count < 62; i++)
		passed[passed_count++] = words[i];
	if (hanging == NULL)
		passed[passed_count++] = one_thread;
	clock_gettime(CLOCK_REALTIME, &mounted);
	umask(0);
	return fuse_main(passed_count, passed, &operations, NULL);
}
