/*
 * Measures resemblance sketches with each kernel that this machine can run: GB/s of one thread and
 * microseconds of a complete sketch by size, for random bytes and for the worst input. Then
 * measures the time of one estimate.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data.h"
#include "reference_resemblance.h"
#include "simhash_resemblance.h"

#define SIZE_MAX_BYTES (32u << 20)
#define SECONDS 0.002 /* the length of one round */
#define ROUNDS 40
#define SKETCHES 4096 /* compared with each other; more than a first-level cache can hold */

static const char *const kernels[] = {"portable", "avx2", "avx512", "neon"};
#define KERNELS (sizeof kernels / sizeof *kernels)

static volatile uint64_t sink;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The seconds for one sketch: the best of several rounds. */
static double sketch_seconds(const uint8_t *bytes, size_t size)
{
	struct simhash_resemblance_sketch sketch;
	double best = 1e9;

	for (int round = 0; round < ROUNDS; round++) {
		double begin = now(), end;
		unsigned count = 0;
		do {
			simhash_resemblance_sketch_compute(bytes, size, &sketch);
			sink = sketch.registers[0];
			end = now();
			count++;
		} while (end - begin < SECONDS);
		best = (end - begin) / count < best ? (end - begin) / count : best;
	}
	return best;
}

static void report(const char *kind, const uint8_t *bytes)
{
	static const size_t sizes[] = {SIZE_MAX_BYTES, 1u << 20, 64u << 10, 16u << 10,
				       4096,	       1024,	 256};
	struct simhash_error error;

	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		printf("%-8s %10zu", kind, sizes[s]);
		for (size_t k = 0; k < KERNELS; k++) {
			double seconds;
			if (simhash_kernel_select(kernels[k], &error) != 0)
				continue;
			seconds = sketch_seconds(bytes, sizes[s]);
			printf(" %8.2f %8.2f", (double)sizes[s] / seconds * 1e-9, seconds * 1e6);
		}
		printf("\n");
	}
}

static void report_estimate(void)
{
	struct simhash_resemblance_sketch *sketches = malloc(SKETCHES * sizeof *sketches);
	double best = 1e9;

	if (sketches == NULL)
		abort();
	for (size_t i = 0; i < SKETCHES; i++)
		for (size_t r = 0; r < SIMHASH_RESEMBLANCE_REGISTERS; r++)
			sketches[i].registers[r] = data_random_byte() % 4;
	for (int round = 0; round < ROUNDS; round++) {
		double begin = now(), sum = 0, resemblance;
		for (size_t i = 0; i < SKETCHES; i++)
			for (size_t j = 0; j < 256; j++)
				if (simhash_resemblance_estimate(&sketches[i], (int64_t)(1024 * i),
								 &sketches[(i + j) % SKETCHES],
								 (int64_t)(1024 * (i + j)),
								 &resemblance))
					sum += resemblance;
		sink = (uint64_t)sum;
		begin = (now() - begin) / (SKETCHES * 256);
		best = begin < best ? begin : best;
	}
	printf("one estimate: %.1f ns\n", best * 1e9);
	free(sketches);
}

int main(void)
{
	uint8_t *bytes = malloc(SIZE_MAX_BYTES);
	struct simhash_error error;

	if (bytes == NULL)
		return 1;
	printf("%-8s %10s", "", "bytes");
	for (size_t k = 0; k < KERNELS; k++)
		if (simhash_kernel_select(kernels[k], &error) == 0)
			printf(" %8s %8s", kernels[k], "us");
	printf("\n");
	data_fill(DATA_RANDOM, bytes, SIZE_MAX_BYTES);
	report("random", bytes);
	reference_fill_sampled(bytes, SIZE_MAX_BYTES);
	report("worst", bytes);
	report_estimate();
	free(bytes);
	return 0;
}
