/*
 * The scan in GB/s by kind of data, beside memcpy and the hashing of the same
 * bytes by XXH3, in one run. Files named on the command line are kinds too.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "simhash.h"

#define SIZE (4u << 20)
#define ROUNDS 15

static uint8_t *bytes, *copy;
static struct simhash_tag_set *tags;
static volatile uint64_t sink;

static void run_scan(void)
{
	struct simhash_scanner scanner;
	struct simhash_sum_table table;

	simhash_scanner_init(&scanner, tags);
	for (size_t i = 0; i < SIZE; i += 1u << 18)
		simhash_scanner_update(&scanner, bytes + i, 1u << 18);
	simhash_scanner_finish(&scanner, &table);
	sink = table.count[0];
}

static void run_memcpy(void)
{
	memcpy(copy, bytes, SIZE);
	sink = copy[sink % SIZE];
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

static void report(const char *kind)
{
	double scan = measure(run_scan), copying = measure(run_memcpy), hash = measure(run_xxh3);

	printf("%-24.24s %8.2f %8.2f %8.2f %10.2f\n", kind, scan, copying, hash, scan / hash);
}

static void fill_from_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t have = file == NULL ? 0 : fread(bytes, 1, SIZE, file);

	if (have == 0) {
		fprintf(stderr, "kernel: cannot read %s\n", path);
		exit(1);
	}
	for (size_t i = have; i < SIZE; i++)
		bytes[i] = bytes[i - have];
	fclose(file);
}

int main(int argc, char **argv)
{
	static const uint8_t period[] = {0x49, 0x24, 0x92};
	struct simhash_error error;
	uint64_t random = 1;

	bytes = malloc(SIZE);
	copy = malloc(SIZE);
	if (bytes == NULL || copy == NULL || simhash_tag_set_new_default(&tags, &error) != 0)
		return 1;
	printf("kernel %s\n%-24s %8s %8s %8s %10s\n", simhash_kernel_name(), "GB/s", "scan",
	       "memcpy", "XXH3", "scan/XXH3");
	for (size_t i = 0; i < SIZE; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		bytes[i] = (uint8_t)(random >> 56);
	}
	report("random");
	memset(bytes, 0, SIZE);
	report("zeros");
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = period[i % 3];
	report("tag 49, period 3 bits");
	for (size_t i = 0; i < SIZE; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		bytes[i] = random >> 61 == 0 ? (uint8_t)(random >> 48) : 0;
	}
	report("short runs of zeros");
	for (int i = 1; i < argc; i++) {
		fill_from_file(argv[i]);
		report(strrchr(argv[i], '/') == NULL ? argv[i] : strrchr(argv[i], '/') + 1);
	}
	simhash_tag_set_free(tags);
	free(copy);
	free(bytes);
	return 0;
}
