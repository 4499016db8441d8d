/*
 * Implements the complete algorithm a second time, by brute force and from its description: an
 * independent program to compare with the results of simhash and simfind.
 *
 *     oracle counts < paths                     path-by-path: 16 counts and 6 keys
 *     oracle pairs KEY TOLERANCE HOW [COUNTS] < paths   all pairs as CSV, sorted by path
 *     oracle nearest KEY N PATH [COUNTS] < paths        the N nearest files to PATH: distance and path
 *
 * Each path ends with a zero. COUNTS is a file with the output of `counts` for the same paths, so
 * that repeated calls do not scan them again. KEY is 0 to 5 in the order of the columns, TOLERANCE
 * in millionths of a percent, HOW is exact or key; the size ratio is 1.5. Empty files are ignored.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

struct file {
	char *path;
	uint8_t *bytes;
	size_t size;
	uint64_t counts[16], keys[6];
};

static void die(const char *what, const char *about)
{
	fprintf(stderr, "oracle: %s %s\n", what, about);
	exit(1);
}

static void read_bytes(struct file *file)
{
	FILE *stream = fopen(file->path, "rb");
	size_t capacity = 4096;

	file->bytes = malloc(capacity);
	file->size = 0;
	if (stream == NULL || file->bytes == NULL)
		die("cannot read", file->path);
	for (;;) {
		size_t got = fread(file->bytes + file->size, 1, capacity - file->size, stream);
		if (got == 0)
			break;
		file->size += got;
		if (file->size == capacity) {
			capacity *= 2;
			file->bytes = realloc(file->bytes, capacity);
			if (file->bytes == NULL)
				die("no memory for", file->path);
		}
	}
	fclose(stream);
}

static void read_number(FILE *counts, uint64_t *number, char end)
{
	if (fscanf(counts, "%" SCNu64, number) != 1 || getc(counts) != end)
		die("wrong line of", "COUNTS");
}

/* `counts` is NULL, or contains the next line for the file. */
static void compute(struct file *file, FILE *counts)
{
	const char *name = strrchr(file->path, '/') + 1;

	read_bytes(file);
	if (counts != NULL) {
		for (int t = 0; t < 16; t++)
			read_number(counts, &file->counts[t], '|');
		for (int k = 0; k < 6; k++)
			read_number(counts, &file->keys[k], k < 5 ? '|' : '\n');
		return;
	}
	reference_counts(reference_sample, file->bytes, file->size, file->counts);
	reference_keys(reference_sample, file->counts, name, strlen(name), file->keys);
}

static void print_counts(const struct file *file)
{
	for (int t = 0; t < 16; t++)
		printf("%" PRIu64 "|", file->counts[t]);
	for (int k = 0; k < 6; k++)
		printf("%" PRIu64 "%s", file->keys[k], k < 5 ? "|" : "\n");
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* floor(T/100 * size), but at least 1; T is in millionths of a percent. Only for small sizes. */
static uint64_t bound(uint64_t tolerance, uint64_t twice_size)
{
	uint64_t floor = tolerance * twice_size / 200000000;

	return floor > 1 ? floor : 1;
}

/* The hash of the extension, computed from its share of a key. */
static uint64_t extension_of(const struct file *file)
{
	return (file->keys[5] - file->keys[2]) >> 30;
}

/* Do the sizes, and the extensions for a key with extensions, allow a pair at any distance? */
static bool may_pair(const struct file *a, const struct file *b, int key)
{
	uint64_t larger = a->size > b->size ? a->size : b->size;
	uint64_t smaller = a->size > b->size ? b->size : a->size;

	return 2 * larger <= 3 * smaller && (key < 3 || extension_of(a) == extension_of(b));
}

static uint64_t distance_of(const struct file *a, const struct file *b)
{
	uint64_t distance = 0;

	for (int t = 0; t < 16; t++)
		distance += apart(a->counts[t], b->counts[t]);
	return distance;
}

static void compare(const struct file *a, const struct file *b, int key, uint64_t tolerance,
		    bool by_key)
{
	uint64_t larger = a->size > b->size ? a->size : b->size;
	uint64_t distance = distance_of(a, b);
	bool identical;

	if (!may_pair(a, b, by_key ? 0 : key))
		return;
	if (by_key && apart(a->keys[key], b->keys[key]) > bound(tolerance, 2 * larger))
		return;
	if (distance > bound(tolerance, a->size + b->size))
		return;
	identical = distance == 0 && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
	printf("%s,%" PRIu64 ",%.6f,%zu,%zu,%s,%s\r\n", identical ? "identical" : "similar",
	       distance, 100.0 * (double)distance / ((double)(a->size + b->size) / 2), a->size,
	       b->size, a->path, b->path);
}

static const struct file *asked;

static int by_distance(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	uint64_t dx = distance_of(asked, x), dy = distance_of(asked, y);

	return dx != dy ? (dx < dy ? -1 : 1) : strcmp(x->path, y->path);
}

static void print_nearest(struct file *files, size_t count, int key, size_t wanted,
			  const char *path)
{
	struct file file = {.path = NULL};

	for (size_t i = 0; i < count; i++)
		if (strcmp(files[i].path, path) == 0)
			file = files[i];
	if (file.path == NULL)
		die("no such path:", path);
	asked = &file;
	qsort(files, count, sizeof *files, by_distance);
	for (size_t i = 0; i < count && wanted > 0; i++)
		if (files[i].size > 0 && strcmp(files[i].path, path) != 0 &&
		    may_pair(&file, &files[i], key)) {
			printf("%" PRIu64 ",%s\n", distance_of(&file, &files[i]), files[i].path);
			wanted--;
		}
}

static int by_path(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

int main(int argc, char **argv)
{
	struct file *files = NULL;
	size_t count = 0, capacity = 0;
	char *path = NULL;
	size_t room = 0;
	bool pairs = (argc == 5 || argc == 6) && strcmp(argv[1], "pairs") == 0;
	bool nearest = (argc == 5 || argc == 6) && strcmp(argv[1], "nearest") == 0;
	FILE *counts = argc == 6 ? fopen(argv[5], "r") : NULL;

	if (!pairs && !nearest && !(argc == 2 && strcmp(argv[1], "counts") == 0))
		die("usage:", "oracle counts | oracle pairs KEY TOLERANCE exact|key [COUNTS] | "
			      "oracle nearest KEY N PATH [COUNTS]");
	if (argc == 6 && counts == NULL)
		die("cannot read", argv[5]);
	while (getdelim(&path, &room, 0, stdin) > 0) {
		struct file file = {.path = strdup(path)};
		compute(&file, counts);
		if (!pairs && !nearest) {
			print_counts(&file);
			free(file.bytes);
			free(file.path);
			continue;
		}
		if (count == capacity) {
			capacity = capacity * 2 + 64;
			files = realloc(files, capacity * sizeof *files);
			if (files == NULL)
				die("no memory for", path);
		}
		files[count++] = file;
	}
	if (nearest)
		print_nearest(files, count, atoi(argv[2]), strtoull(argv[3], NULL, 10), argv[4]);
	if (pairs) {
		qsort(files, count, sizeof *files, by_path);
		printf("match,distance,count_difference,size_a,size_b,path_a,path_b\r\n");
		for (size_t i = 0; i < count; i++)
			for (size_t j = i + 1; j < count; j++)
				if (files[i].size > 0 && files[j].size > 0)
					compare(&files[i], &files[j], atoi(argv[2]),
						strtoull(argv[3], NULL, 10),
						strcmp(argv[4], "key") == 0);
	}
	for (size_t i = 0; i < count; i++) {
		free(files[i].bytes);
		free(files[i].path);
	}
	free(files);
	free(path);
	if (counts != NULL)
		fclose(counts);
	return 0;
}
