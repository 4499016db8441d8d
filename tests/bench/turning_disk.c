/*
 * A disk that charges seeks, for measurements: a file system of FUSE with one file, `disk`, which is
 * another file. A loop device over it is a disk on which directories, inodes and data cost what they
 * cost on a rotating disk, with the kernel's own cache, read-ahead and order of requests.
 *
 *     turning_disk IMAGE POINT [SPEED]
 *
 * It has one head. A request takes the time of the seek (0.5 ms for the next track to 8 ms for the
 * whole disk, with the square root of the distance), half a turn (4.2 ms), and its transfer at 150
 * MB/s. A request that begins less than 512 KiB after the last one waits until the gap has passed,
 * which is a transfer. If several requests wait, the nearest is next. With SPEED 10, all times are a
 * tenth. Writes cost nothing. POINT/state has the number of requests, of seeks, and the busy time.
 *
 * It returns when POINT is mounted; umount POINT ends it.
 * SPDX-License-Identifier: MIT
 */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAITING_MAX 64
#define BYTES_PER_S 150e6
#define GAP_MAX (512 << 10)
#define HALF_TURN_S 0.0042
#define SHORTEST_S 0.0005
#define LONGEST_S 0.008

static int image;
static off_t image_size;
static double speed = 1;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
static bool is_busy;
static off_t head; /* where the last request ended */
static off_t waiting[WAITING_MAX];
static int waiting_count;
static unsigned long long requests, seeks;
static double busy_s;

static double cost_s(off_t offset, size_t size)
{
	off_t gap = offset - head;
	double transfer = (double)size / BYTES_PER_S;

	if (gap >= 0 && gap < GAP_MAX)
		return transfer + (double)gap / BYTES_PER_S;
	seeks++;
	return SHORTEST_S +
	       (LONGEST_S - SHORTEST_S) * sqrt(fabs((double)gap) / (double)image_size) +
	       HALF_TURN_S + transfer;
}

/* Is no other waiting request nearer to the head? */
static bool is_nearest(off_t offset)
{
	for (int i = 0; i < waiting_count; i++)
		if (llabs(waiting[i] - head) < llabs(offset - head))
			return false;
	return true;
}

static void forget(off_t offset)
{
	int i = 0;

	while (waiting[i] != offset)
		i++;
	waiting[i] = waiting[--waiting_count];
}

static void sleep_s(double seconds)
{
	struct timespec pause = {(time_t)seconds,
				 (long)((seconds - (double)(time_t)seconds) * 1e9)};

	while (nanosleep(&pause, &pause) != 0)
		continue;
}

static void charge(off_t offset, size_t size)
{
	double seconds;

	pthread_mutex_lock(&mutex);
	while (waiting_count == WAITING_MAX)
		pthread_cond_wait(&freed, &mutex);
	waiting[waiting_count++] = offset;
	while (is_busy || !is_nearest(offset))
		pthread_cond_wait(&freed, &mutex);
	forget(offset);
	seconds = cost_s(offset, size);
	is_busy = true;
	head = offset + (off_t)size;
	requests++;
	busy_s += seconds;
	pthread_mutex_unlock(&mutex);
	sleep_s(seconds / speed);
	pthread_mutex_lock(&mutex);
	is_busy = false;
	pthread_cond_broadcast(&freed);
	pthread_mutex_unlock(&mutex);
}

static int state(char text[100])
{
	return snprintf(text, 100, "%llu requests, %llu seeks, %.2f s\n", requests, seeks, busy_s);
}

static int disk_getattr(const char *path, struct stat *status, struct fuse_file_info *file)
{
	(void)file;
	memset(status, 0, sizeof *status);
	status->st_nlink = 1;
	status->st_mode = strcmp(path, "/") == 0 ? S_IFDIR | 0755 : S_IFREG | 0600;
	if (strcmp(path, "/disk") == 0)
		status->st_size = image_size;
	else if (strcmp(path, "/") != 0 && strcmp(path, "/state") != 0)
		return -ENOENT;
	return 0;
}

static int disk_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
			struct fuse_file_info *file, enum fuse_readdir_flags flags)
{
	(void)path, (void)offset, (void)file, (void)flags;
	fill(buffer, "disk", NULL, 0, 0);
	fill(buffer, "state", NULL, 0, 0);
	return 0;
}

static int disk_open(const char *path, struct fuse_file_info *file)
{
	(void)path;
	file->direct_io = 1; /* the loop device has the only cache */
	return 0;
}

static int disk_read(const char *path, char *buffer, size_t size, off_t offset,
		     struct fuse_file_info *file)
{
	char text[100];
	ssize_t got;

	(void)file;
	if (strcmp(path, "/state") == 0) {
		int length = offset > 0 ? 0 : state(text);
		memcpy(buffer, text, (size_t)length);
		return length;
	}
	charge(offset, size);
	got = pread(image, buffer, size, offset);
	return got < 0 ? -errno : (int)got;
}

static int disk_write(const char *path, const char *buffer, size_t size, off_t offset,
		      struct fuse_file_info *file)
{
	ssize_t put = pwrite(image, buffer, size, offset);

	(void)path, (void)file;
	return put < 0 ? -errno : (int)put;
}

static int disk_fsync(const char *path, int only_data, struct fuse_file_info *file)
{
	(void)path, (void)only_data, (void)file;
	return 0;
}

static const struct fuse_operations operations = {.getattr = disk_getattr,
						  .readdir = disk_readdir,
						  .open = disk_open,
						  .read = disk_read,
						  .write = disk_write,
						  .fsync = disk_fsync};

int main(int argc, char **argv)
{
	char *arguments[] = {argv[0], argv[2], NULL};

	if (argc < 3 || (image = open(argv[1], O_RDWR | O_CLOEXEC)) < 0) {
		fprintf(stderr, "usage: turning_disk IMAGE POINT [SPEED]\n");
		return 2;
	}
	image_size = lseek(image, 0, SEEK_END);
	speed = argc > 3 ? atof(argv[3]) : 1;
	return fuse_main(2, arguments, &operations, NULL);
}
