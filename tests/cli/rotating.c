/*
 * A library to preload into simhash. It simulates rotating disks for files named NUMBER.data: the
 * number is their place on the disk. It does not simulate the time of seeks; bench/turning_disk.c
 * does.
 *
 * It appends lines to the file $READS:
 *   begin DEVICE NUMBER INODE      the file is read
 *   end DEVICE NUMBER INODE        and closed
 *   place NUMBER                   its place was asked for
 *
 * Variables of the environment change the disks:
 *   ROTATIONAL    the answer of /sys/dev/block/.../queue/rotational; default 1
 *   DRIVER        a part of the path of the disk's device in /sys
 *   NO_PLACES     the file system does not know the places of files
 *   CACHED        all files are in the page cache; otherwise none is
 *   MEET          the first file of a device is read when a file of another device is also read
 * SPDX-License-Identifier: MIT
 */
/* If a function has two names, such as openat and openat64, this replaces both. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))
#define NEXT(name)                     \
	static __typeof__(&name) next; \
	if (next == NULL)              \
	*(void **)&next = dlsym(RTLD_NEXT, #name)

#define DESCRIPTORS 65536
#define BLOCK 4096
#define MEET_S 60

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t met = PTHREAD_COND_INITIALIZER;
static struct {
	unsigned long number; /* 0: another file */
	bool is_read;
} opened[DESCRIPTORS];
static dev_t first_device;
static bool has_first, have_met;

static bool is_data(const char *path, unsigned long *number)
{
	const char *name = strrchr(path, '/');
	char *end;

	*number = strtoul(name == NULL ? path : name + 1, &end, 10);
	return *number > 0 && strcmp(end, ".data") == 0;
}

static unsigned long number_of(int fd)
{
	return fd >= 0 && fd < DESCRIPTORS ? opened[fd].number : 0;
}

static void note(const char *what, int fd)
{
	static int log = -1;
	struct stat status;

	if (log < 0)
		log = open(getenv("READS"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	fstat(fd, &status);
	dprintf(log, "%s %lu %lu %lu\n", what, (unsigned long)status.st_dev, number_of(fd),
		(unsigned long)status.st_ino);
}

/* Wait until files of two devices are being read. */
static void meet(dev_t device)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += MEET_S;
	have_met = have_met || (has_first && device != first_device);
	pthread_cond_broadcast(&met);
	if (!has_first)
		first_device = device;
	has_first = true;
	while (!have_met && pthread_cond_timedwait(&met, &mutex, &end) == 0)
		continue;
	if (!have_met)
		abort();
}

static void begin(int fd)
{
	struct stat status;

	pthread_mutex_lock(&mutex);
	if (number_of(fd) > 0 && !opened[fd].is_read) {
		opened[fd].is_read = true;
		note("begin", fd);
		fstat(fd, &status);
		if (getenv("MEET") != NULL)
			meet(status.st_dev);
	}
	pthread_mutex_unlock(&mutex);
}

/* Return a descriptor of a file with this text. */
static int text_file(const char *text)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	if (write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return fd;
}

static bool is_block(const char *path)
{
	return strncmp(path, "/sys/dev/block/", strlen("/sys/dev/block/")) == 0;
}

static bool ends(const char *path, const char *end)
{
	return strlen(path) >= strlen(end) && strcmp(path + strlen(path) - strlen(end), end) == 0;
}

PUBLIC int openat(int directory, const char *path, int flags, ...)
{
	va_list arguments;
	unsigned mode;
	unsigned long number;
	int fd;
	NEXT(openat);

	va_start(arguments, flags);
	mode = va_arg(arguments, unsigned);
	va_end(arguments);
	if (is_block(path) && ends(path, "/queue/rotational"))
		return text_file(getenv("ROTATIONAL") != NULL ? getenv("ROTATIONAL") : "1\n");
	if (is_block(path)) {
		errno = ENOENT; /* every device is a whole disk */
		return -1;
	}
	fd = next(directory, path, flags, mode);
	if (fd >= 0 && fd < DESCRIPTORS) {
		opened[fd].number = is_data(path, &number) ? number : 0;
		opened[fd].is_read = false;
	}
	return fd;
}

PUBLIC int openat64(int directory, const char *path, int flags, ...)
	__attribute__((alias("openat")));

PUBLIC ssize_t readlink(const char *restrict path, char *restrict target, size_t size)
{
	const char *driver = getenv("DRIVER");
	NEXT(readlink);

	if (!is_block(path))
		return next(path, target, size);
	return snprintf(target, size, "../../devices/pci/%s/block/disk",
			driver == NULL ? "ata1" : driver);
}

PUBLIC int ioctl(int fd, unsigned long request, ...);
PUBLIC int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;
	struct fiemap *map;
	struct fiemap_extent extent = {.fe_length = BLOCK, .fe_flags = FIEMAP_EXTENT_LAST};
	NEXT(ioctl);

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (request != FS_IOC_FIEMAP || number_of(fd) == 0)
		return next(fd, request, argument);
	note("place", fd);
	if (getenv("NO_PLACES") != NULL) {
		errno = EOPNOTSUPP;
		return -1;
	}
	map = argument;
	extent.fe_physical = number_of(fd) * BLOCK;
	memcpy((char *)argument + sizeof *map, &extent, sizeof extent);
	map->fm_mapped_extents = 1;
	return 0;
}

PUBLIC ssize_t preadv64v2(int fd, const struct iovec *parts, int count, off64_t offset, int flags)
{
	NEXT(preadv64v2);

	if (number_of(fd) > 0 && (flags & RWF_NOWAIT) != 0) {
		if (getenv("CACHED") == NULL) {
			errno = EAGAIN;
			return -1;
		}
		/* Another program may have emptied the cache. */
		flags &= ~RWF_NOWAIT;
	}
	begin(fd);
	return next(fd, parts, count, offset, flags);
}

PUBLIC ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
	__attribute__((alias("preadv64v2")));

PUBLIC ssize_t pread64(int fd, void *buffer, size_t size, off64_t offset)
{
	NEXT(pread64);

	begin(fd);
	return next(fd, buffer, size, offset);
}

PUBLIC ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
	__attribute__((alias("pread64")));

PUBLIC int close(int fd)
{
	NEXT(close);

	if (number_of(fd) > 0) {
		pthread_mutex_lock(&mutex);
		if (opened[fd].is_read)
			note("end", fd);
		opened[fd].number = 0;
		pthread_mutex_unlock(&mutex);
	}
	return next(fd);
}
