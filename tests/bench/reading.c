/*
 * Measures ways to read files in one run and one thread: read(), mmap and io_uring. Every byte is
 * added up, because a scan would touch it. The names of the files come from standard input, each
 * with a zero at its end. All files are first read once to fill the cache.
 *
 *     find /usr -type f -print0 | build/tests/reading
 *
 * io_uring is included if liburing was installed at build time (Debian: liburing-dev).
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef HAVE_LIBURING
#include <liburing.h>
#endif

#define ROUNDS 3
#define BUFFER_MAX (1u << 20)

static char **names;
static size_t name_count;
static char *buffer;
static uint64_t sum, total;

static void touch(const char *bytes, size_t size)
{
	uint64_t word;

	for (size_t i = 0; i + sizeof word <= size; i += sizeof word) {
		memcpy(&word, bytes + i, sizeof word);
		sum += word;
	}
	total += size;
}

static void read_in(size_t piece)
{
	for (size_t i = 0; i < name_count; i++) {
		int fd = open(names[i], O_RDONLY | O_CLOEXEC);
		ssize_t got;
		if (fd < 0)
			continue;
		while ((got = read(fd, buffer, piece)) > 0)
			touch(buffer, (size_t)got);
		close(fd);
	}
}

static void read_64k(void)
{
	read_in(64 << 10);
}

static void read_256k(void)
{
	read_in(256 << 10);
}

/* Like read() into a buffer from malloc: 16 bytes after a page boundary. */
static void read_256k_off(void)
{
	buffer += 16;
	read_in(256 << 10);
	buffer -= 16;
}

static void map_with(int flags)
{
	for (size_t i = 0; i < name_count; i++) {
		int fd = open(names[i], O_RDONLY | O_CLOEXEC);
		struct stat status;
		void *map;
		if (fd < 0)
			continue;
		if (fstat(fd, &status) == 0 && status.st_size > 0) {
			size_t size = (size_t)status.st_size;
			map = mmap(NULL, size, PROT_READ, MAP_PRIVATE | flags, fd, 0);
			if (map != MAP_FAILED) {
				touch(map, size);
				munmap(map, size);
			}
		}
		close(fd);
	}
}

static void map_plain(void)
{
	map_with(0);
}

static void map_populate(void)
{
#ifdef MAP_POPULATE
	map_with(MAP_POPULATE);
#endif
}

#ifdef HAVE_LIBURING
#define AT_ONCE 32
#define RING_PIECE (BUFFER_MAX / AT_ONCE)

static struct io_uring ring;

static void wait_for(unsigned count, int *results)
{
	io_uring_submit_and_wait(&ring, count);
	for (unsigned i = 0; i < count; i++) {
		struct io_uring_cqe *done;
		if (io_uring_wait_cqe(&ring, &done) != 0)
			exit(1);
		results[io_uring_cqe_get_data64(done)] = done->res;
		io_uring_cqe_seen(&ring, done);
	}
}

static void ask(struct io_uring_sqe *request, unsigned number)
{
	io_uring_sqe_set_data64(request, number);
}

/* Read files in parallel: open all, read a piece of each until all are at their end, close all. */
static void ring_files(char **some, unsigned count)
{
	int fds[AT_ONCE], results[AT_ONCE];
	uint64_t offsets[AT_ONCE] = {0};
	unsigned asked;

	for (unsigned i = 0; i < count; i++) {
		struct io_uring_sqe *request = io_uring_get_sqe(&ring);
		io_uring_prep_openat(request, AT_FDCWD, some[i], O_RDONLY | O_CLOEXEC, 0);
		ask(request, i);
	}
	wait_for(count, fds);
	memcpy(results, fds, sizeof results);
	do {
		asked = 0;
		for (unsigned i = 0; i < count; i++) {
			struct io_uring_sqe *request;
			if (fds[i] < 0 || (offsets[i] > 0 && results[i] <= 0))
				continue;
			request = io_uring_get_sqe(&ring);
			io_uring_prep_read(request, fds[i], buffer + i * RING_PIECE, RING_PIECE,
					   offsets[i]);
			ask(request, i);
			results[i] = -1;
			asked++;
		}
		if (asked > 0)
			wait_for(asked, results);
		for (unsigned i = 0; asked > 0 && i < count; i++)
			if (fds[i] >= 0) {
				if (results[i] > 0)
					touch(buffer + i * RING_PIECE, (size_t)results[i]);
				offsets[i] += results[i] > 0 ? (uint64_t)results[i] : 1;
			}
	} while (asked > 0);
	asked = 0;
	for (unsigned i = 0; i < count; i++)
		if (fds[i] >= 0) {
			struct io_uring_sqe *request = io_uring_get_sqe(&ring);
			io_uring_prep_close(request, fds[i]);
			ask(request, i);
			asked++;
		}
	if (asked > 0)
		wait_for(asked, results);
}

static void ring_all(void)
{
	for (size_t i = 0; i < name_count; i += AT_ONCE)
		ring_files(names + i,
			   (unsigned)(name_count - i < AT_ONCE ? name_count - i : AT_ONCE));
}
#endif

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void report(const char *name, void (*way)(void))
{
	double best = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double start = seconds(), took;
		total = 0;
		way();
		took = seconds() - start;
		if (round == 0 || took < best)
			best = took;
	}
	printf("%-28s %8.3f s %8.2f GB/s\n", name, best, (double)total / best / 1e9);
}

static void read_names(void)
{
	size_t capacity = 0, room = 0;
	char *name = NULL;

	while (getdelim(&name, &room, '\0', stdin) > 0) {
		if (name_count == capacity) {
			capacity = capacity * 2 + 1024;
			names = realloc(names, capacity * sizeof *names);
			if (names == NULL)
				exit(1);
		}
		names[name_count++] = strdup(name);
	}
	free(name);
}

int main(void)
{
	buffer = aligned_alloc(4096, BUFFER_MAX + 4096);
	if (buffer == NULL)
		return 1;
	read_names();
	read_64k();
	printf("%zu files, %.2f GB\n", name_count, (double)total / 1e9);
	report("read() of 64 KiB", read_64k);
	report("read() of 256 KiB", read_256k);
	report("the same, 16 bytes off", read_256k_off);
	report("mmap", map_plain);
	report("mmap with MAP_POPULATE", map_populate);
#ifdef HAVE_LIBURING
	if (io_uring_queue_init(AT_ONCE, &ring, 0) == 0) {
		report("io_uring, 32 files at once", ring_all);
		io_uring_queue_exit(&ring);
	} else {
		printf("io_uring: the system refuses it\n");
	}
#endif
	return sum == 0;
}
