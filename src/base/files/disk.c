/*
 * Reads the properties of disks in /sys and /proc on Linux, and the extents of files by FIEMAP.
 * SPDX-License-Identifier: MIT
 */
#include "base/files/disk.h"

#include "base/files/open_file.h"

#ifdef __linux__

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#define STEPS_MAX 8 /* from a file system to its disk: overlays, volumes, partitions */
#define PATH_SIZE 128

static void block_path(char path[PATH_SIZE], uint64_t device, const char *name)
{
	snprintf(path, PATH_SIZE, "/sys/dev/block/%u:%u/%s", major((dev_t)device),
		 minor((dev_t)device), name);
}

/* Read the beginning of a file in /sys. Returns false if it does not exist. */
static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open_file_at(AT_FDCWD, path, O_RDONLY, 0);
	ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[got < 0 ? 0 : got] = '\0';
	return got > 0;
}

/* Read a device number, such as "8:1". */
static bool read_device(const char *path, uint64_t *device)
{
	unsigned first, second;
	char text[32];

	if (!read_text(path, text, sizeof text) || sscanf(text, "%u:%u", &first, &second) != 2)
		return false;
	*device = makedev(first, second);
	return true;
}

/* If a volume is made from a single device, go to it. A volume with several is its own disk. */
static bool enter_volume(uint64_t *device)
{
	char path[PATH_SIZE], only[PATH_SIZE + NAME_MAX + 8];
	unsigned count = 0;
	struct dirent *entry;
	DIR *slaves;

	block_path(path, *device, "slaves");
	slaves = opendir(path);
	while (slaves != NULL && (entry = readdir(slaves)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(only, sizeof only, "%s/%s/dev", path, entry->d_name);
		count++;
	}
	if (slaves != NULL)
		closedir(slaves);
	return count == 1 && read_device(only, device);
}

/* Go from a partition to its disk. */
static bool leave_partition(uint64_t *device)
{
	char path[PATH_SIZE], text[32];

	block_path(path, *device, "partition");
	if (!read_text(path, text, sizeof text))
		return false;
	block_path(path, *device, "../dev");
	return read_device(path, device);
}

static bool is_virtual(uint64_t device)
{
	char path[PATH_SIZE], target[PATH_MAX];
	ssize_t size;

	block_path(path, device, "");
	path[strlen(path) - 1] = '\0'; /* the link itself, not its target */
	size = readlink(path, target, sizeof target - 1);
	target[size < 0 ? 0 : size] = '\0';
	return strstr(target, "/virtio") != NULL;
}

/* Find the disk of a block device. */
static bool find_block(uint64_t device, struct disk *disk)
{
	char path[PATH_SIZE], text[32];

	for (int i = 0; i < STEPS_MAX && (enter_volume(&device) || leave_partition(&device)); i++)
		continue;
	block_path(path, device, "queue/rotational");
	if (!read_text(path, text, sizeof text))
		return false;
	*disk = (struct disk){device, text[0] == '1' && !is_virtual(device), true};
	return true;
}

/* Read the number of the mount on which a file was opened. */
static bool read_mount(int fd, unsigned long *mount)
{
	char path[PATH_SIZE], text[512];
	const char *field;

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	if (!read_text(path, text, sizeof text) || (field = strstr(text, "mnt_id:")) == NULL)
		return false;
	*mount = strtoul(field + strlen("mnt_id:"), NULL, 10);
	return true;
}

/* Return the line of a mount after its " - ": the type, the source and the options. Or NULL. */
static char *read_source(unsigned long mount)
{
	FILE *mounts = open_stream("/proc/self/mountinfo", O_RDONLY, 0, "r");
	char *line = NULL, *found = NULL;
	size_t capacity = 0;

	while (mounts != NULL && found == NULL && getline(&line, &capacity, mounts) > 0) {
		const char *source = strstr(line, " - ");
		if (strtoul(line, NULL, 10) == mount && source != NULL)
			found = strdup(source + strlen(" - "));
	}
	free(line);
	if (mounts != NULL)
		fclose(mounts);
	return found;
}

/* Return the path in an option of an overlay, or NULL. Ends it with a zero in `options`. */
static const char *overlay_path(char *options, const char *name)
{
	char *path = strstr(options, name);

	if (path == NULL)
		return NULL;
	path += strlen(name);
	path[strcspn(path, ":,\n")] = '\0';
	return path;
}

/* Find the device of a file system without a device number, such as btrfs or an overlay. */
static bool find_source(int fd, uint64_t *device)
{
	unsigned long mount;
	char *line = read_mount(fd, &mount) ? read_source(mount) : NULL, *rest = line;
	const char *type = strsep(&rest, " "), *source = strsep(&rest, " "), *path = NULL;
	struct stat status;
	bool is_found = false;

	if (source != NULL && strncmp(source, "/dev/", strlen("/dev/")) == 0) {
		is_found = stat(source, &status) == 0 && S_ISBLK(status.st_mode);
		*device = (uint64_t)status.st_rdev;
	} else if (rest != NULL && strcmp(type, "overlay") == 0) {
		path = overlay_path(rest, "upperdir=");
		if (path == NULL)
			path = overlay_path(rest, "lowerdir=");
		is_found = path != NULL && stat(path, &status) == 0;
		*device = (uint64_t)status.st_dev;
	}
	free(line);
	return is_found;
}

void disk_find(int fd, uint64_t device, struct disk *disk)
{
	uint64_t source;

	*disk = (struct disk){.number = device};
	if (!find_block(device, disk) && find_source(fd, &source))
		find_block(source, disk);
}

/* Return the flags to open a file. Opening a FIFO must not wait. */
static int flags_of(bool follow)
{
	return O_RDONLY | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW);
}

uint64_t disk_offset(int directory_fd, const char *name, bool follow)
{
	union {
		struct fiemap map;
		char room[sizeof(struct fiemap) + sizeof(struct fiemap_extent)];
	} one = {.map = {.fm_length = FIEMAP_MAX_OFFSET, .fm_extent_count = 1}};
	/* No byte is read, so the access time does not change. */
	int fd = open_others_file_at(directory_fd, name, flags_of(follow));
	bool is_known = fd >= 0 && ioctl(fd, FS_IOC_FIEMAP, &one.map) == 0 &&
			one.map.fm_mapped_extents == 1;
	struct fiemap_extent extent;

	if (fd >= 0)
		close(fd);
	memcpy(&extent, one.room + sizeof one.map, sizeof extent);
	return is_known && (extent.fe_flags & FIEMAP_EXTENT_UNKNOWN) == 0 ? extent.fe_physical : 0;
}

#ifdef RWF_NOWAIT
bool disk_has_cached(int directory_fd, const char *name, bool follow)
{
	int fd = open_file_at(directory_fd, name, flags_of(follow), 0);
	char byte;
	struct iovec one = {&byte, 1};
	bool has = fd < 0 || preadv2(fd, &one, 1, 0, RWF_NOWAIT) >= 0 || errno != EAGAIN;

	if (fd >= 0)
		close(fd);
	return has;
}
#else
bool disk_has_cached(int directory_fd, const char *name, bool follow)
{
	(void)directory_fd, (void)name, (void)follow;
	return true;
}
#endif

#else

void disk_find(int fd, uint64_t device, struct disk *disk)
{
	(void)fd;
	*disk = (struct disk){.number = device};
}

uint64_t disk_offset(int directory_fd, const char *name, bool follow)
{
	(void)directory_fd, (void)name, (void)follow;
	return 0;
}

bool disk_has_cached(int directory_fd, const char *name, bool follow)
{
	(void)directory_fd, (void)name, (void)follow;
	return true;
}

#endif
