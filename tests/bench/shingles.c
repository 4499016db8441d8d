/*
 * Computes the exact resemblance of files: the Jaccard index of their runs of 16 bytes.
 *
 *     shingles < PAIRS        two paths per line, separated by a tab; prints for each line
 *                             SET <tab> MULTISET <tab> PATH <tab> PATH
 *
 * SET counts each run once, MULTISET as often as it occurs. A run is represented by 64 bits of a
 * hash; two of the 10^7 runs of two large files collide once in 10^5 times. The runs of the last
 * files are kept, so pairs of one file should be together.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN 16
/* The limits for bytes and files in memory; above them, the oldest are removed. */
#define MOST_BYTES (UINT64_C(1) << 30)
#define MOST_FILES 200

struct runs {
	char *path;
	uint64_t *hashes; /* sorted */
	size_t count;
	struct runs *next;
};

static void *room_for(size_t count)
{
	void *room = malloc(count * sizeof(uint64_t) + 1);

	if (room == NULL) {
		perror("shingles");
		exit(1);
	}
	return room;
}

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;
	long end;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0) {
		perror(path);
		exit(1);
	}
	*size = (size_t)end;
	rewind(file);
	bytes = room_for(*size / sizeof(uint64_t) + 1);
	if (fread(bytes, 1, *size, file) != *size) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return bytes;
}

static uint64_t hash(const uint8_t *bytes)
{
	uint64_t low, high;

	memcpy(&low, bytes, 8);
	memcpy(&high, bytes + 8, 8);
	low = (low ^ low >> 32) * UINT64_C(0xd6e8feb86659fd93);
	low = (low ^ low >> 32) + high * UINT64_C(0x9e3779b97f4a7c15);
	low = (low ^ low >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	low = (low ^ low >> 27) * UINT64_C(0x94d049bb133111eb);
	return low ^ low >> 31;
}

/* Sort by digits of 11 bits from the lowest one; insertion sorts hashes with equal upper bits. */
static void sort(uint64_t *hashes, size_t count)
{
	uint64_t *other = room_for(count), *from = hashes, *to = other;

	for (unsigned shift = 31; shift < 64; shift += 11) {
		size_t starts[2048] = {0}, sum = 0;
		for (size_t i = 0; i < count; i++)
			starts[from[i] >> shift & 2047]++;
		for (size_t digit = 0; digit < 2048; digit++) {
			size_t next = sum + starts[digit];
			starts[digit] = sum;
			sum = next;
		}
		for (size_t i = 0; i < count; i++)
			to[starts[from[i] >> shift & 2047]++] = from[i];
		uint64_t *swap = from;
		from = to;
		to = swap;
	}
	memcpy(hashes, from, count * sizeof *hashes);
	free(other);
	for (size_t i = 1; i < count; i++)
		for (size_t j = i; j > 0 && hashes[j - 1] > hashes[j]; j--) {
			uint64_t swap = hashes[j];
			hashes[j] = hashes[j - 1];
			hashes[j - 1] = swap;
		}
}

static struct runs *kept; /* the newest first */

static void drop_oldest(void)
{
	struct runs **last = &kept;

	while ((*last)->next != NULL)
		last = &(*last)->next;
	free((*last)->path);
	free((*last)->hashes);
	free(*last);
	*last = NULL;
}

/* Valid until the second call after this. */
static struct runs *runs_of(const char *path)
{
	uint64_t bytes_kept = 0, files_kept = 0;
	struct runs **link = &kept, *runs;
	size_t size;
	uint8_t *bytes;

	for (; (runs = *link) != NULL; link = &runs->next) {
		bytes_kept += runs->count * sizeof *runs->hashes;
		files_kept++;
		if (strcmp(runs->path, path) == 0) {
			*link = runs->next;
			runs->next = kept;
			return kept = runs;
		}
	}
	if (files_kept > 1 && (bytes_kept > MOST_BYTES || files_kept > MOST_FILES))
		drop_oldest();
	bytes = read_file(path, &size);
	runs = room_for(sizeof *runs);
	runs->path = strdup(path);
	runs->count = size < RUN ? 0 : size - RUN + 1;
	runs->hashes = room_for(runs->count);
	for (size_t i = 0; i < runs->count; i++)
		runs->hashes[i] = hash(bytes + i);
	sort(runs->hashes, runs->count);
	free(bytes);
	runs->next = kept;
	return kept = runs;
}

/* The number of copies of the hash at `at`. */
static size_t copies(const struct runs *runs, size_t at)
{
	size_t end = at + 1;

	while (end < runs->count && runs->hashes[end] == runs->hashes[at])
		end++;
	return end - at;
}

static void compare(const struct runs *a, const struct runs *b, double *set, double *multiset)
{
	size_t common = 0, either = 0, least = 0, most = 0, i = 0, j = 0;

	while (i < a->count || j < b->count) {
		bool of_a = j == b->count || (i < a->count && a->hashes[i] <= b->hashes[j]);
		bool of_b = i == a->count || (j < b->count && b->hashes[j] <= a->hashes[i]);
		size_t in_a = of_a ? copies(a, i) : 0, in_b = of_b ? copies(b, j) : 0;
		common += of_a && of_b;
		either++;
		least += in_a < in_b ? in_a : in_b;
		most += in_a > in_b ? in_a : in_b;
		i += in_a;
		j += in_b;
	}
	*set = either == 0 ? 0 : (double)common / (double)either;
	*multiset = most == 0 ? 0 : (double)least / (double)most;
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	while ((length = getline(&line, &room, stdin)) > 0) {
		double set, multiset;
		char *tab = strchr(line, '\t');
		if (tab == NULL || line[length - 1] != '\n') {
			fprintf(stderr, "shingles: not two paths: %s\n", line);
			return 1;
		}
		line[length - 1] = *tab = '\0';
		/*
		 * The newest runs are never removed, so the first ones still exist when the second
		 * ones are read.
		 */
		const struct runs *a = runs_of(line), *b = runs_of(tab + 1);
		compare(a, b, &set, &multiset);
		printf("%.6f\t%.6f\t%s\t%s\n", set, multiset, line, tab + 1);
	}
	free(line);
	return 0;
}
