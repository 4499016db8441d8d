/*
 * The scan kernels that this machine can run, in GB/s by kind of data, one
 * thread, beside memcpy and XXH3 in memory and read() of the page cache, in one
 * run. Files named on the command line are kinds too.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "data.h"
#include "simhash.h"

#define SIZE (4u << 20) /* more than a second-level cache holds */
#define PIECE (64u << 10)
#define ROUNDS 15

static uint8_t *bytes, *copy;
static struct simhash_tag_set *tags;
static volatile uint64_t sink;
static int file = -1; /* holds the bytes */

static void run_scan(void)
{
	struct simhash_scanner scanner;
	struct simhash_sum_table table;

	simhash_scanner_init(&scanner, tags);
	for (size_t i = 0; i < SIZE; i += PIECE)
		simhash_scanner_update(&scanner, bytes + i, PIECE);
	simhash_scanner_finish(&scanner, &table);
	sink = table.count[0];
}

static void run_memcpy(void)
{
	memcpy(copy, bytes, SIZE);
	sink = copy[sink % SIZE];
}

static void run_read(void)
{
	for (off_t i = 0; i < SIZE; i += PIECE)
		if (pread(file, copy, PIECE, i) != PIECE)
			abort();
}

static void run_xxh3(void)
{
	sink = XXH3_128bits(bytes, SIZE).low64;
}

/* The best of several rounds, in GB/s. */
static double measure(void (*run)(void))
{
	double best = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct timespec a, b;
		double rate;
		clock_gettime(CLOCK_MONOTONIC, &a);
		run();
		clock_gettime(CLOCK_MONOTONIC, &b);
		rate = SIZE /
		       ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec));
		best = rate > best ? rate : best;
	}
	return best;
}

static const char *const kernels[] = {"portable", "avx2", "avx512", "neon"};
#define KERNELS (sizeof kernels / sizeof *kernels)

static void print_head(void)
{
	struct simhash_error error;

	printf("%-22s", "GB/s");
	for (size_t k = 0; k < KERNELS; k++)
		if (simhash_kernel_select(kernels[k], &error) == 0)
			printf(" %10s", kernels[k]);
	printf(" %10s %10s %10s\n", "read()", "XXH3", "memcpy");
}

static void report(const char *kind)
{
	struct simhash_error error;

	if (pwrite(file, bytes, SIZE, 0) != SIZE) {
		perror("kernel: temporary file");
		exit(1);
	}
	printf("%-22.22s", kind);
	for (size_t k = 0; k < KERNELS; k++)
		if (simhash_kernel_select(kernels[k], &error) == 0)
			printf(" %10.2f", measure(run_scan));
	printf(" %10.2f %10.2f %10.2f\n", measure(run_read), measure(run_xxh3),
	       measure(run_memcpy));
}

static void fill_from_file(const char *path)
{
	FILE *from = fopen(path, "rb");
	size_t have = from == NULL ? 0 : fread(bytes, 1, SIZE, from);

	if (have == 0) {
		fprintf(stderr, "kernel: cannot read %s\n", path);
		exit(1);
	}
	for (size_t i = have; i < SIZE; i++)
		bytes[i] = bytes[i - have];
	fclose(from);
}

int main(int argc, char **argv)
{
	char name[] = "/tmp/simhash-kernel-XXXXXX";
	struct simhash_error error;

	bytes = aligned_alloc(4096, SIZE);
	copy = aligned_alloc(4096, SIZE);
	file = mkstemp(name);
	if (bytes == NULL || copy == NULL || file < 0 ||
	    simhash_tag_set_new_default(&tags, &error) != 0)
		return 1;
	unlink(name);
	print_head();
	for (int i = 1; i < argc; i++) {
		fill_from_file(argv[i]);
		report(strrchr(argv[i], '/') == NULL ? argv[i] : strrchr(argv[i], '/') + 1);
	}
	for (int kind = 0; kind < DATA_KINDS; kind++) {
		data_fill((enum data_kind)kind, bytes, SIZE);
		report(data_name((enum data_kind)kind));
	}
	simhash_tag_set_free(tags);
	close(file);
	free(copy);
	free(bytes);
	return 0;
}
