/*
 * Measures the least time that several threads need for one large file. Each thread takes the next
 * piece of 256 KiB, like simhash, and every line adds one step. Pieces are not kept in order: each
 * piece is hashed and sketched separately.
 *
 *     large_steps FILE THREADS [KERNEL]
 *
 * Prints for each step its wall time in seconds, the best of three runs, and its name.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "simhash.h"
#include "simhash_resemblance.h"

#define PIECE (256 << 10) /* bytes */
#define THREADS_MAX 64
#define ROUNDS 3

enum { READ = 1, SCAN = 2, HASH = 4, SKETCH = 8 };

static const struct {
	unsigned does;
	const char *name;
} steps[] = {
	{SCAN, "kernel, from cache"},
	{READ, "read"},
	{READ | SCAN, "read, kernel"},
	{READ | SCAN | HASH, "read, kernel, hash"},
	{READ | SCAN | HASH | SKETCH, "read, kernel, hash, sketch"},
};

#define STEPS (sizeof steps / sizeof *steps)

static int file;
static off_t file_size;
static atomic_llong next;
static struct simhash_tag_set *tags;
static volatile uint64_t sink;

static void use(unsigned does, const uint8_t *bytes, size_t size)
{
	if (does & HASH)
		sink = XXH3_128bits(bytes, size).low64;
	if (does & SCAN) {
		struct simhash_sum_table table;
		simhash_sum_table_compute(tags, bytes, size, &table);
		sink = table.count[0];
	}
	if (does & SKETCH) {
		struct simhash_resemblance_sketch sketch;
		simhash_resemblance_sketch_compute(bytes, size, &sketch);
		sink = sketch.registers[0];
	}
}

static void *run(void *does)
{
	uint8_t *buffer = aligned_alloc(4096, PIECE);
	off_t at;

	if (buffer == NULL || pread(file, buffer, PIECE, 0) < 0)
		abort();
	while (at = (off_t)atomic_fetch_add(&next, PIECE), at < file_size) {
		ssize_t got = file_size - at < PIECE ? (ssize_t)(file_size - at) : PIECE;
		if (*(const unsigned *)does & READ)
			got = pread(file, buffer, PIECE, at);
		if (got < 0)
			abort();
		use(*(const unsigned *)does, buffer, (size_t)got);
	}
	free(buffer);
	return NULL;
}

static double seconds_of(unsigned does, unsigned threads)
{
	pthread_t thread[THREADS_MAX];
	struct timespec begin, end;

	atomic_store(&next, 0);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, run, &does) != 0)
			abort();
	for (unsigned i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
}

int main(int argc, char **argv)
{
	unsigned threads = argc < 3 ? 0 : (unsigned)strtoul(argv[2], NULL, 10);
	struct simhash_error error;
	struct stat status;

	if (threads < 1 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: large_steps FILE THREADS [KERNEL]\n");
		return 2;
	}
	file = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (file < 0 || fstat(file, &status) != 0) {
		perror(argv[1]);
		return 1;
	}
	file_size = status.st_size;
	if (simhash_tag_set_new_default(&tags, &error) != 0 ||
	    (argc > 3 && simhash_kernel_select(argv[3], &error) != 0)) {
		fprintf(stderr, "large_steps: %s\n", error.message);
		return 1;
	}
	for (size_t i = 0; i < STEPS; i++) {
		double least = seconds_of(steps[i].does, threads);
		for (int round = 1; round < ROUNDS; round++) {
			double seconds = seconds_of(steps[i].does, threads);
			least = seconds < least ? seconds : least;
		}
		printf("%.3f %s\n", least, steps[i].name);
	}
	simhash_tag_set_free(tags);
	close(file);
	return 0;
}
