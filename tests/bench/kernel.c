/*
 * Measures the scan kernels that this machine can run, in GB/s of one thread's processor time by
 * kind of data, from cache and from memory. If the library of another build is given, its kernels
 * are measured in turns with them. Also measures XXH3, memcpy and read() from the page cache.
 *
 *     kernel LIBRARY BEFORE FILE...    (BEFORE may be empty; each file is a kind of data)
 *
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "data.h"
#include "simhash.h"

#define CACHED (1u << 20) /* bytes that mostly fit into a second-level cache */
#define MEMORY (64u << 20)
#define PIECE (256u << 10) /* the bytes that simhash reads at once */
#define PASSES 16	   /* over cached bytes, in one round */
#define ROUNDS_MIN 5
#define ROUNDS_MAX 25
#define SECONDS 0.15 /* for each figure, with more than the minimum number of rounds */

/* The library of a build. */
struct build {
	void *handle;
	int (*select)(const char *, struct simhash_error *);
	void (*init)(struct simhash_scanner *, const struct simhash_tag_set *);
	void (*update)(struct simhash_scanner *, const void *, size_t);
	void (*finish)(const struct simhash_scanner *, struct simhash_sum_table *);
	void (*tags_free)(struct simhash_tag_set *);
	struct simhash_tag_set *tags;
};

struct figure {
	unsigned rounds;
	double spent, least;
};

/* A function to measure: a kernel of a build, or another function. */
struct runner {
	const char *name;
	struct build *build;
	void (*run)(size_t size);
	struct figure cached, memory;
};

static const char *const kernels[] = {"portable", "avx2", "avx512", "avx512vbmi", "neon"};
#define KERNELS (sizeof kernels / sizeof *kernels)
#define RUNNERS_MAX (2 * KERNELS + 3)

static uint8_t *bytes, *copy;
static volatile uint64_t sink;
static int file = -1; /* contains the bytes */

static void find(const struct build *build, const char *name, void *function)
{
	void *found = dlsym(build->handle, name);

	if (found == NULL) {
		fprintf(stderr, "kernel: %s\n", dlerror());
		exit(1);
	}
	memcpy(function, &found, sizeof found);
}

static void open_build(struct build *build, const char *path)
{
	int (*new_default)(struct simhash_tag_set **, struct simhash_error *);
	struct simhash_error error;

	build->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (build->handle == NULL) {
		fprintf(stderr, "kernel: %s\n", dlerror());
		exit(1);
	}
	find(build, "simhash_kernel_select", &build->select);
	find(build, "simhash_scanner_init", &build->init);
	find(build, "simhash_scanner_update", &build->update);
	find(build, "simhash_scanner_finish", &build->finish);
	find(build, "simhash_tag_set_free", &build->tags_free);
	find(build, "simhash_tag_set_new_default", &new_default);
	if (new_default(&build->tags, &error) != 0) {
		fprintf(stderr, "kernel: %s\n", error.message);
		exit(1);
	}
}

static void close_build(struct build *build)
{
	build->tags_free(build->tags);
	dlclose(build->handle);
}

static void run_scan(const struct build *build, size_t size)
{
	struct simhash_scanner scanner;
	struct simhash_sum_table table;

	build->init(&scanner, build->tags);
	for (size_t i = 0; i < size; i += PIECE)
		build->update(&scanner, bytes + i, PIECE);
	build->finish(&scanner, &table);
	sink = table.count[0];
}

static void run_memcpy(size_t size)
{
	memcpy(copy, bytes, size);
	sink = copy[sink % size];
}

static void run_read(size_t size)
{
	for (size_t i = 0; i < size; i += PIECE)
		if (pread(file, copy, PIECE, (off_t)i) != PIECE)
			abort();
}

static void run_xxh3(size_t size)
{
	sink = XXH3_128bits(bytes, size).low64;
}

/* The time of this thread, so that other programs matter less. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void run_round(struct runner *runner, size_t size, unsigned passes, struct figure *figure)
{
	struct simhash_error error;
	double begin, seconds;

	if (runner->build != NULL)
		(void)!runner->build->select(runner->name, &error);
	begin = now();
	for (unsigned i = 0; i < passes; i++)
		if (runner->build != NULL)
			run_scan(runner->build, size);
		else
			runner->run(size);
	seconds = (now() - begin) / passes;
	if (figure->rounds == 0 || seconds < figure->least)
		figure->least = seconds;
	figure->spent += seconds * passes;
	figure->rounds++;
}

static bool is_measured(const struct figure *figure)
{
	return figure->rounds >= ROUNDS_MIN &&
	       (figure->rounds >= ROUNDS_MAX || figure->spent >= SECONDS);
}

/* Measure all of them in turns until each has enough rounds. */
static void measure(struct runner *runners, size_t count)
{
	bool is_done;

	for (size_t i = 0; i < count; i++)
		runners[i].cached = runners[i].memory = (struct figure){0};
	do {
		is_done = true;
		for (size_t i = 0; i < count; i++)
			if (!is_measured(&runners[i].cached)) {
				run_round(&runners[i], CACHED, PASSES, &runners[i].cached);
				is_done = false;
			}
		for (size_t i = 0; i < count; i++)
			if (!is_measured(&runners[i].memory)) {
				run_round(&runners[i], MEMORY, 1, &runners[i].memory);
				is_done = false;
			}
	} while (!is_done);
}

static void print_figure(size_t size, const struct figure *figure, const struct figure *before)
{
	printf(" %8.2f", (double)size / figure->least * 1e-9);
	if (before != NULL)
		printf(" %8.2f %8.2f", (double)size / before->least * 1e-9,
		       before->least / figure->least);
	else
		printf(" %8s %8s", "", "");
}

static void report(const char *kind, struct build *builds, unsigned build_count)
{
	struct runner runners[RUNNERS_MAX];
	struct simhash_error error;
	size_t count = 0;

	for (size_t k = 0; k < KERNELS; k++)
		for (unsigned b = 0; b < build_count && builds[0].select(kernels[k], &error) == 0;
		     b++)
			if (builds[b].select(kernels[k], &error) == 0)
				runners[count++] =
					(struct runner){.name = kernels[k], .build = &builds[b]};
	runners[count++] = (struct runner){.name = "XXH3", .run = run_xxh3};
	runners[count++] = (struct runner){.name = "memcpy", .run = run_memcpy};
	runners[count++] = (struct runner){.name = "read()", .run = run_read};
	measure(runners, count);
	for (size_t i = 0; i < count; i++) {
		const struct runner *before = NULL;
		if (i + 1 < count && runners[i].build != NULL &&
		    strcmp(runners[i].name, runners[i + 1].name) == 0)
			before = &runners[i + 1];
		printf("%-22.22s %-10s", kind, runners[i].name);
		print_figure(CACHED, &runners[i].cached, before == NULL ? NULL : &before->cached);
		print_figure(MEMORY, &runners[i].memory, before == NULL ? NULL : &before->memory);
		printf("\n");
		i += before != NULL;
	}
	fflush(stdout);
}

/* Also put the bytes into the page cache. */
static void fill_file(void)
{
	if (pwrite(file, bytes, MEMORY, 0) != MEMORY) {
		perror("kernel: temporary file");
		exit(1);
	}
}

static void fill_from_file(const char *path)
{
	FILE *from = fopen(path, "rb");
	size_t have = from == NULL ? 0 : fread(bytes, 1, MEMORY, from);

	if (have == 0) {
		fprintf(stderr, "kernel: cannot read %s\n", path);
		exit(1);
	}
	for (size_t i = have; i < MEMORY; i++)
		bytes[i] = bytes[i - have];
	fclose(from);
	fill_file();
}

static void print_head(bool has_before)
{
	const char *before = has_before ? "before" : "", *times = has_before ? "times" : "";

	printf("GB/s of one thread; 1 MiB in cache, then 64 MiB in memory\n%-22s %-10s", "", "");
	for (int i = 0; i < 2; i++)
		printf(" %8s %8s %8s", i == 0 ? "cache" : "memory", before, times);
	printf("\n");
}

int main(int argc, char **argv)
{
	char name[] = "/tmp/simhash-kernel-XXXXXX";
	struct build builds[2];
	unsigned count = 1;

	bytes = aligned_alloc(4096, MEMORY);
	copy = aligned_alloc(4096, MEMORY);
	file = mkstemp(name);
	if (argc < 3 || bytes == NULL || copy == NULL || file < 0)
		return 1;
	unlink(name);
	open_build(&builds[0], argv[1]);
	if (argv[2][0] != '\0')
		open_build(&builds[count++], argv[2]);
	print_head(count > 1);
	for (int i = 3; i < argc; i++) {
		fill_from_file(argv[i]);
		report(strrchr(argv[i], '/') == NULL ? argv[i] : strrchr(argv[i], '/') + 1, builds,
		       count);
	}
	for (int kind = 0; kind < DATA_KINDS; kind++) {
		data_fill((enum data_kind)kind, bytes, MEMORY);
		fill_file();
		report(data_name((enum data_kind)kind), builds, count);
	}
	for (unsigned b = 0; b < count; b++)
		close_build(&builds[b]);
	close(file);
	free(copy);
	free(bytes);
	return 0;
}
