/*
 * Compares the speed of measures with the bit scan and XXH3 in the same run: GB/s of one thread by
 * kind of data. Also compares the Hamming search of N random fingerprints at k with brute force,
 * whose time is computed from a part.
 *
 *     sketching [N [K]]...      (default: 1000000 3)
 *     sketching -f FILE MEASURE...    only these, MB/s over the first 64 MiB of FILE, and bytes;
 *                                     "sum" is the sum table
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "data.h"
#include "simhash_measures.h"

#define SIZE_MOST (64u << 20)
#define PIECE (256u << 10)
#define ROUNDS 5

static uint8_t *bytes;
static size_t size_bytes = 16u << 20;
static volatile uint64_t sink;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void die(const struct simhash_error *error)
{
	fprintf(stderr, "sketching: %s\n", error->message);
	exit(1);
}

static size_t piece_at(size_t at)
{
	return size_bytes - at < PIECE ? size_bytes - at : PIECE;
}

/* The best of several rounds. */
static double sketch_gb_s(const char *text, double *bytes_per_file)
{
	struct simhash_measure *measure;
	struct simhash_sketcher *sketcher;
	struct simhash_error error;
	uint64_t features;
	uint8_t sketch[SIMHASH_SKETCH_MAX];
	double best = 0;

	if (simhash_measure_new(text, &measure, &error) != 0 ||
	    simhash_sketcher_new(measure, &sketcher, &error) != 0)
		die(&error);
	for (int round = 0; round < ROUNDS; round++) {
		double start = now_s(), speed;
		for (size_t at = 0; at < size_bytes; at += PIECE)
			simhash_sketcher_update(sketcher, bytes + at, piece_at(at));
		if (simhash_sketcher_finish(sketcher, sketch, sizeof sketch, &features, &error) !=
		    0)
			die(&error);
		sink = features;
		speed = (double)size_bytes / (now_s() - start) / 1e9;
		best = speed > best ? speed : best;
	}
	*bytes_per_file = (double)simhash_measure_sketch_size(measure);
	simhash_sketcher_free(sketcher);
	simhash_measure_free(measure);
	return best;
}

static double scan_gb_s(void)
{
	struct simhash_tag_set *tags;
	struct simhash_error error;
	double best = 0;

	if (simhash_tag_set_new_default(&tags, &error) != 0)
		die(&error);
	for (int round = 0; round < ROUNDS; round++) {
		struct simhash_scanner scanner;
		struct simhash_sum_table table;
		double start = now_s(), speed;
		simhash_scanner_init(&scanner, tags);
		for (size_t at = 0; at < size_bytes; at += PIECE)
			simhash_scanner_update(&scanner, bytes + at, piece_at(at));
		simhash_scanner_finish(&scanner, &table);
		sink = table.count[0];
		speed = (double)size_bytes / (now_s() - start) / 1e9;
		best = speed > best ? speed : best;
	}
	simhash_tag_set_free(tags);
	return best;
}

static double xxh3_gb_s(void)
{
	double best = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double start = now_s(), speed;
		sink = XXH3_128bits(bytes, size_bytes).low64;
		speed = (double)size_bytes / (now_s() - start) / 1e9;
		best = speed > best ? speed : best;
	}
	return best;
}

static void measure_speeds(void)
{
	static const char *const texts[] = {
		"simhash64",	      "simhash128",	  "minhash",	     "bottom",
		"simhash64:words",    "simhash128:words", "minhash:words=3", "bottomk:words=3",
		"simhash64:bytes=16", "minhash:bytes=16",
	};
	static const struct {
		enum data_kind kind;
		const char *name;
	} kinds[] = {{DATA_RANDOM, "random"},
		     {DATA_WORDS, "text"},
		     {DATA_ZERO_RUNS, "programs"},
		     {DATA_ZEROS, "zeros"}};
	double size = 16 * 8;

	printf("%-20s", "GB/s");
	for (size_t k = 0; k < 4; k++)
		printf("%10s", kinds[k].name);
	printf("%10s\n", "bytes");
	for (size_t m = 0; m < sizeof texts / sizeof *texts + 2; m++) {
		const char *name = m == 0 ? "XXH3-128" : m == 1 ? "sum table" : texts[m - 2];
		printf("%-20s", name);
		for (size_t k = 0; k < 4; k++) {
			data_fill(kinds[k].kind, bytes, size_bytes);
			printf("%10.2f", m == 0	  ? xxh3_gb_s()
					 : m == 1 ? scan_gb_s()
						  : sketch_gb_s(name, &size));
		}
		printf("%10.0f\n", m == 0 ? 16 : size);
		fflush(stdout);
	}
}

static int count_pair(void *context, size_t a, size_t b, unsigned distance,
		      struct simhash_error *error)
{
	(void)a;
	(void)b;
	(void)distance;
	(void)error;
	++*(uint64_t *)context;
	return 0;
}

static int count_found(void *context, size_t i, unsigned distance, struct simhash_error *error)
{
	return count_pair(context, i, 0, distance, error);
}

/* Pairs of all fingerprints with the first `rows`, using the processor's own instruction. */
#if defined(__x86_64__)
__attribute__((target("popcnt")))
#endif
static double
brute_force_s(const uint64_t *fingerprints, size_t count, size_t rows, unsigned k)
{
	double start = now_s();
	uint64_t found = 0;

	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < count; j++)
			found += __builtin_popcountll(fingerprints[i] ^ fingerprints[j]) <= (int)k;
	sink = found;
	return now_s() - start;
}

static void search(size_t count, unsigned k)
{
	uint64_t *fingerprints = malloc(count * sizeof *fingerprints), state = 1, pairs = 0,
		 found = 0;
	struct simhash_hamming_plan plan;
	struct simhash_hamming_index *index;
	struct simhash_error error;
	size_t rows = 1 + 400000000 / count, queries = 1000;
	double start, tables_s, brute_s, query_us;

	if (fingerprints == NULL)
		exit(1);
	/*
	 * One in ten is another fingerprint with up to k bits changed, so that there are pairs to
	 * find.
	 */
	for (size_t i = 0; i < count; i++) {
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
		fingerprints[i] = (state ^ state >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
		fingerprints[i] ^= fingerprints[i] >> 32;
		if (i % 10 == 9) {
			fingerprints[i] = fingerprints[i - 1 - state % (i < 1000 ? i : 1000)];
			for (unsigned bit = 0; bit < k; bit++)
				fingerprints[i] ^= UINT64_C(1) << (state >> (8 * bit) & 63);
		}
	}
	simhash_hamming_plan(count, k, &plan);
	start = now_s();
	if (simhash_hamming_pairs(fingerprints, count, k, count_pair, &pairs, &error) != 0)
		die(&error);
	tables_s = now_s() - start;
	brute_s = brute_force_s(fingerprints, count, rows, k) * ((double)count / 2 / (double)rows);
	printf("%zu fingerprints, k = %u: %u blocks, %u tables of %u bits and more; %llu pairs in "
	       "%.2f s, brute force %.0f s, %.0f times as long\n",
	       count, k, plan.blocks, plan.tables, plan.prefix_bits, (unsigned long long)pairs,
	       tables_s, brute_s, brute_s / tables_s);
	start = now_s();
	if (simhash_hamming_index_new(fingerprints, count, k, &index, &error) != 0)
		die(&error);
	tables_s = now_s() - start;
	start = now_s();
	for (size_t i = 0; i < queries; i++)
		if (simhash_hamming_index_query(index, fingerprints[i * 7919 % count] ^ 1,
						count_found, &found, &error) != 0)
			die(&error);
	query_us = (now_s() - start) / (double)queries * 1e6;
	brute_s = brute_force_s(fingerprints, count, 20, k) / 20;
	printf("  queries: tables made in %.2f s; %.1f us each, brute force %.0f us\n", tables_s,
	       query_us, brute_s * 1e6);
	simhash_hamming_index_free(index);
	free(fingerprints);
}

static void measure_file(const char *path, char **measures)
{
	FILE *file = fopen(path, "rb");
	double size = SIMHASH_TAGS * 8;

	if (file == NULL) {
		perror(path);
		exit(1);
	}
	size_bytes = fread(bytes, 1, SIZE_MOST, file);
	fclose(file);
	for (; *measures != NULL; measures++) {
		double speed = strcmp(*measures, "sum") == 0 ? scan_gb_s()
							     : sketch_gb_s(*measures, &size);
		printf("%s %.0f %.0f\n", *measures, 1000 * speed, size);
	}
}

int main(int argc, char **argv)
{
	bytes = malloc(SIZE_MOST);
	if (bytes == NULL)
		return 1;
	if (argc > 3 && strcmp(argv[1], "-f") == 0) {
		measure_file(argv[2], argv + 3);
		free(bytes);
		return 0;
	}
	if (argc < 2) {
		measure_speeds();
		search(1000000, 3);
	}
	for (int i = 1; i < argc; i += 2)
		search(strtoull(argv[i], NULL, 10),
		       i + 1 < argc ? (unsigned)strtoul(argv[i + 1], NULL, 10) : 3);
	free(bytes);
	return 0;
}
