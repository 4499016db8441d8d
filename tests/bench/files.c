/*
 * Makes files to measure how well and how fast pairs are found.
 *
 *     files chain FOLDER COUNT            files of 4 KiB; 4 random bytes change from each one
 *                                         to the next (the paper's figure 9)
 *     files family FOLDER COUNT SIZE      files of SIZE random bytes; three bytes are changed
 *                                         in every file: all of them are similar
 *     files form FOLDER COUNT             files of two lines of text with a different number:
 *                                         small files with near counts; few are similar
 *     files edits FOLDER < PATHS          for each file, whose name ends with a zero, a copy
 *                                         FOLDER/N-original-00.ext and N-KIND-RATE.ext with
 *                                         RATE per mille of its bytes changed
 *     files unrelated FOLDER COUNT SIZE   COUNT files of SIZE bytes of each of six kinds,
 *                                         that look alike and share no content
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t random_state = 7;

static uint64_t random_bits(void)
{
	uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static size_t random_below(size_t limit)
{
	return limit == 0 ? 0 : (size_t)(random_bits() % limit);
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
		perror(path);
		exit(1);
	}
}

static int make_chain(const char *folder, size_t count)
{
	uint8_t bytes[4096];
	char path[4096];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)random_bits();
	for (size_t n = 0; n < count; n++) {
		snprintf(path, sizeof path, "%s/%05zu.bin", folder, n);
		write_file(path, bytes, sizeof bytes);
		for (int i = 0; i < 4; i++)
			bytes[random_below(sizeof bytes)] = (uint8_t)random_bits();
	}
	return 0;
}

/* In folders of a thousand files, which are created. */
static int make_family(const char *folder, size_t count, size_t size)
{
	uint8_t *bytes = malloc(size);
	char path[4096];

	if (bytes == NULL || size == 0)
		return 1;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)random_bits();
	for (size_t n = 0; n < count; n++) {
		size_t at[3];
		uint8_t before[3];
		snprintf(path, sizeof path, "%s/%03zu", folder, n / 1000);
		if (n % 1000 == 0 && mkdir(path, 0777) != 0) {
			perror(path);
			return 1;
		}
		for (int i = 0; i < 3; i++) {
			at[i] = random_below(size);
			before[i] = bytes[at[i]];
			bytes[at[i]] = (uint8_t)random_bits();
		}
		snprintf(path, sizeof path, "%s/%03zu/%06zu.bin", folder, n / 1000, n);
		write_file(path, bytes, size);
		for (int i = 2; i >= 0; i--)
			bytes[at[i]] = before[i];
	}
	free(bytes);
	return 0;
}

/* ---- Edits ---- */

static const char *const kinds[] = {"scatter", "block",	 "insert", "delete",
				    "move",    "blocks", "append"};
#define KINDS (sizeof kinds / sizeof *kinds)
static const unsigned rates[] = {1, 2, 5, 10, 20}; /* per mille */
#define RATES (sizeof rates / sizeof *rates)

/* Bytes like the bytes of the file: taken from it at random. */
static void fill_alike(uint8_t *to, size_t size, const uint8_t *from, size_t from_size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = from[random_below(from_size)];
}

/* `to` has space for twice the size. Returns the new size. */
static size_t edit(const uint8_t *from, size_t size, unsigned kind, size_t change, uint8_t *to)
{
	size_t at = random_below(size - change), piece = change / 8 + 1;

	memcpy(to, from, size);
	switch (kind) {
	case 0:
		for (size_t i = 0; i < change; i++)
			to[random_below(size)] ^= (uint8_t)(1 + random_below(255));
		return size;
	case 1:
		fill_alike(to + at, change, from, size);
		return size;
	case 2:
		memmove(to + at + change, to + at, size - at);
		fill_alike(to + at, change, from, size);
		return size + change;
	case 3:
		memmove(to + at, to + at + change, size - at - change);
		return size - change;
	case 4:
		memmove(to + at, to + at + change, size - at - change);
		memcpy(to + size - change, from + at, change);
		return size;
	case 5:
		for (int i = 0; i < 8; i++)
			fill_alike(to + random_below(size - piece), piece, from, size);
		return size;
	default:
		fill_alike(to + size, change, from, size);
		return size + change;
	}
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
	bytes = malloc(*size + 1);
	if (bytes == NULL || fread(bytes, 1, *size, file) != *size) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return bytes;
}

static int make_edits(const char *folder)
{
	char *line = NULL, path[4096];
	size_t room = 0, number = 0;

	for (; getdelim(&line, &room, 0, stdin) > 0; number++) {
		const char *slash = strrchr(line, '/'), *dot = strrchr(line, '.');
		const char *extension = dot != NULL && dot > slash ? dot : "";
		size_t size;
		uint8_t *bytes = read_file(line, &size), *edited = malloc(2 * size + 16);
		if (edited == NULL)
			return 1;
		snprintf(path, sizeof path, "%s/%04zu-original-00%s", folder, number, extension);
		write_file(path, bytes, size);
		for (unsigned k = 0; k < KINDS; k++)
			for (unsigned r = 0; r < RATES; r++) {
				size_t change = size * rates[r] / 1000 + 1;
				size_t length = edit(bytes, size, k, change, edited);
				snprintf(path, sizeof path, "%s/%04zu-%s-%02u%s", folder, number,
					 kinds[k], rates[r], extension);
				write_file(path, edited, length);
			}
		free(edited);
		free(bytes);
	}
	free(line);
	return 0;
}

/* ---- Unrelated files ---- */

static const char *const looks[] = {"words", "table", "base64", "records", "sparse", "code"};
#define LOOKS (sizeof looks / sizeof *looks)

/* One line or record of a kind; returns its size. */
static size_t write_piece(unsigned look, char *to, size_t room)
{
	static const char letters[] = "etaoinshrdlucmfwypvbgkjqxz";
	static const char digits64[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t n = 0;

	switch (look) {
	case 0: /* words of an invented language, with common letters first */
		for (size_t i = 2 + random_below(8); i > 0; i--) {
			size_t x = random_below(26), y = random_below(26);
			to[n++] = letters[x < y ? x : y];
		}
		to[n++] = random_below(12) == 0 ? '\n' : ' ';
		return n;
	case 1:
		return (size_t)snprintf(to, room, "%zu,%zu.%02zu,2026-%02zu-%02zu,%s\n",
					random_below(100000), random_below(1000), random_below(100),
					1 + random_below(12), 1 + random_below(28),
					random_below(2) ? "yes" : "no");
	case 2:
		for (; n < 76; n++)
			to[n] = digits64[random_below(64)];
		to[n++] = '\n';
		return n;
	case 3: { /* two small numbers, a flag, an address */
		uint32_t words[4] = {(uint32_t)random_below(1000), (uint32_t)random_below(50),
				     (uint32_t)random_below(2),
				     (uint32_t)(0x400000 + 16 * random_below(65536))};
		memcpy(to, words, sizeof words);
		return sizeof words;
	}
	case 4:
		memset(to, 0, 40);
		to[random_below(8)] = (char)random_bits();
		return 8 + random_below(32);
	default:
		return (size_t)snprintf(to, room, "\tif (x%zu > %zu)\n\t\treturn f%zu(y%zu);\n",
					random_below(400), random_below(5000), random_below(300),
					random_below(400));
	}
}

static int make_unrelated(const char *folder, size_t count, size_t size)
{
	uint8_t *bytes = malloc(size + 256);
	char path[4096];

	if (bytes == NULL)
		return 1;
	for (unsigned look = 0; look < LOOKS; look++)
		for (size_t n = 0; n < count; n++) {
			for (size_t at = 0; at < size;)
				at += write_piece(look, (char *)bytes + at, 256);
			snprintf(path, sizeof path, "%s/%s-%zu-%03zu.dat", folder, looks[look],
				 size, n);
			write_file(path, bytes, size);
		}
	free(bytes);
	return 0;
}

static int make_form(const char *folder, size_t count)
{
	char path[4096], text[64];

	for (size_t n = 0; n < count; n++) {
		int size = snprintf(text, sizeof text, "status=%zu\nowner=root\n",
				    random_below(1000000));
		snprintf(path, sizeof path, "%s/%05zu.txt", folder, n);
		write_file(path, (const uint8_t *)text, (size_t)size);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "chain") == 0)
		return make_chain(argv[2], strtoull(argv[3], NULL, 10));
	if (argc == 5 && strcmp(argv[1], "family") == 0)
		return make_family(argv[2], strtoull(argv[3], NULL, 10),
				   strtoull(argv[4], NULL, 10));
	if (argc == 4 && strcmp(argv[1], "form") == 0)
		return make_form(argv[2], strtoull(argv[3], NULL, 10));
	if (argc == 3 && strcmp(argv[1], "edits") == 0)
		return make_edits(argv[2]);
	if (argc == 5 && strcmp(argv[1], "unrelated") == 0)
		return make_unrelated(argv[2], strtoull(argv[3], NULL, 10),
				      strtoull(argv[4], NULL, 10));
	fprintf(stderr, "usage: files chain FOLDER COUNT | files family FOLDER COUNT SIZE | "
			"files form FOLDER COUNT | files edits FOLDER < PATHS | "
			"files unrelated FOLDER COUNT SIZE\n");
	return 1;
}
