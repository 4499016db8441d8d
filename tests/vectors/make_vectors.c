/*
 * Makes known-answer vectors with the oracles of the tests, the library of XXH3 and the system's
 * programs for other hashes. README.md describes the format.
 *
 *     make_vectors sample|other            the vectors of one of two tag sets
 *     make_vectors sample|other FOLDER     their inputs, as files
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "reference.h"
#include "reference_resemblance.h"

/* Tags that overlap themselves in other ways, with weights of all lengths. */
static const struct reference_tag other_tags[16] = {
	{0xff, 1000, 0},    {0x55, 500, 1},    {0xaa, 2250, 10},  {0x01, 1, 999999},
	{0x80, 1001, 7},    {0x92, 10, 0},     {0x49, 999, 3333}, {0x6d, 1100, 0},
	{0xdb, 12345, 0},   {0x33, 1500, 250}, {0xcc, 0, 4000},	  {0x0f, 3, 2},
	{0x7e, 700, 70000}, {0x20, 60, 6},     {0x61, 8008, 80},  {0xfe, 90, 900},
};

static const struct {
	const char *name, *generator;
	unsigned long a, b;
	size_t size;
} vectors[] = {
	{"empty", "linear", 0, 0, 0},
	{"one.byte", "linear", 0, 116, 1},
	{"two-zeros.bin", "linear", 0, 0, 2},
	{".hidden", "linear", 1, 32, 15},
	{".hidden.TXT", "linear", 1, 32, 16},
	{"no-extension.", "linear", 1, 32, 17},
	{"one%20blank.x", "random", 1, 0, 31},
	{"byte-order.C", "linear", 1, 0, 256},
	{"ones.tar.gz1", "linear", 0, 255, 1000},
	{"zeros.jpeg", "linear", 0, 0, 4097},
	{"period.JPG", "linear", 128, 85, 5000},
	{"random-small.%c3%a4", "random", 2, 0, 1039},
	{"random.html", "random", 3, 0, 20000},
	{"random-large.htm", "random", 4, 0, 100000},
	{"steps.-", "linear", 3, 7, 70000},
};

static void fill(uint8_t *bytes, size_t i)
{
	uint64_t x = vectors[i].a;

	for (size_t at = 0; at < vectors[i].size; at++) {
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		bytes[at] = vectors[i].generator[0] == 'r'
				    ? (uint8_t)(x >> 56)
				    : (uint8_t)(at * vectors[i].a + vectors[i].b);
	}
}

/* The unescaped name: % and two digits represent a byte. */
static size_t unescape(const char *escaped, char *name)
{
	size_t size = 0;

	for (; *escaped != '\0'; escaped++) {
		unsigned byte = (unsigned char)*escaped;
		if (byte == '%' && sscanf(escaped + 1, "%2x", &byte) == 1)
			escaped += 2;
		name[size++] = (char)byte;
	}
	name[size] = '\0';
	return size;
}

/* The text after the last dot in lower case, escaped as in a digest line. */
static void print_extension(const char *escaped)
{
	const char *dot = strrchr(escaped, '.');

	if (dot == NULL || dot == escaped || dot[1] == '\0') {
		putchar('-');
		return;
	}
	if (strcmp(dot, ".-") == 0) {
		fputs("%2d", stdout);
		return;
	}
	for (dot++; *dot != '\0'; dot++)
		putchar(*dot >= 'A' && *dot <= 'Z' ? *dot + 32 : *dot);
}

static void print_base64(const uint8_t *bytes, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t bit = 0; bit < 8 * size; bit += 6) {
		unsigned value = 0;
		for (size_t k = bit; k < bit + 6; k++)
			value = value * 2 +
				(k < 8 * size ? (unsigned)bytes[k / 8] >> (7 - k % 8) & 1U : 0);
		putchar(digits[value]);
	}
}

/* The pieces of a file that the index has by default, as a field of a digest line. */
static void print_pieces(const uint8_t *bytes, size_t size)
{
	unsigned level;
	size_t count;
	uint64_t *values = reference_pieces(bytes, size, 8, 12, &count, &level);
	uint8_t *stored = calloc(1, 2 + 7 * count);

	if (stored == NULL)
		exit(1);
	if (count == 0)
		putchar('0');
	else
		print_base64(stored, reference_store_pieces(values, count, level, stored));
	free(values);
	free(stored);
}

static void print_numbers(const uint64_t *numbers, int count, char between)
{
	for (int i = 0; i < count; i++)
		printf("%s%" PRIu64, i == 0 ? "" : (char[]){between, '\0'}, numbers[i]);
}

/* Print the hash computed by a program of the system, which prints it first. */
static void print_hash(const char *command, const uint8_t *bytes, size_t size)
{
	FILE *pipe;

	putchar(' ');
	fflush(stdout);
	pipe = popen(command, "w");
	if (pipe == NULL || fwrite(bytes, 1, size, pipe) != size || pclose(pipe) != 0) {
		fprintf(stderr, "%s failed\n", command);
		exit(1);
	}
}

static void print_vector(const struct reference_tag tags[16], size_t i, const uint8_t *bytes)
{
	uint64_t counts[16], keys[6];
	uint8_t sketch[144];
	size_t sketch_size = 128;
	char name[64];
	size_t name_size = unescape(vectors[i].name, name);
	XXH128_hash_t hash = XXH3_128bits(bytes, vectors[i].size);

	reference_counts(tags, bytes, vectors[i].size, counts);
	reference_keys(tags, counts, name, name_size, keys);
	reference_sketch(bytes, vectors[i].size, sketch);
	/* The size and the hash of a text follow. */
	if (memcmp(sketch + 128, (char[8]){0}, 8) != 0)
		sketch_size = sizeof sketch;
	printf("\nname %s\ninput %s %lu %lu %zu\ncounts ", vectors[i].name, vectors[i].generator,
	       vectors[i].a, vectors[i].b, vectors[i].size);
	print_numbers(counts, 16, ' ');
	printf("\nkeys ");
	print_numbers(keys, 6, ' ');
	printf("\nsketch ");
	for (size_t r = 0; r < sketch_size; r++)
		printf("%02x", sketch[r]);
	printf("\ndigest %zu - %016" PRIx64 "%016" PRIx64 " ", vectors[i].size, hash.high64,
	       hash.low64);
	print_numbers(counts, 16, ',');
	putchar(' ');
	print_base64(sketch, sketch_size);
	putchar(' ');
	print_extension(vectors[i].name);
	printf(" /vectors/%s ", vectors[i].name);
	print_pieces(bytes, vectors[i].size);
	fputs("\nhashes", stdout);
	print_hash("md5sum | tr -d ' \\n-'", bytes, vectors[i].size);
	print_hash("sha1sum | tr -d ' \\n-'", bytes, vectors[i].size);
	print_hash("sha256sum | tr -d ' \\n-'", bytes, vectors[i].size);
	putchar('\n');
}

static void write_input(const char *folder, size_t i, const uint8_t *bytes)
{
	char path[4096], name[64];
	FILE *file;

	unescape(vectors[i].name, name);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "wb");
	if (file == NULL || fwrite(bytes, 1, vectors[i].size, file) != vectors[i].size ||
	    fclose(file) != 0) {
		perror(path);
		exit(1);
	}
}

static void print_weight(uint64_t thousandths)
{
	printf(" %" PRIu64 ".%03" PRIu64, thousandths / 1000, thousandths % 1000);
}

int main(int argc, char **argv)
{
	bool is_other = argc > 1 && strcmp(argv[1], "other") == 0;
	const struct reference_tag *tags = is_other ? other_tags : reference_sample;
	uint8_t *bytes = malloc(1 << 20);

	if (argc < 2 || argc > 3 || bytes == NULL)
		return 1;
	if (argc == 2) {
		printf("simhash-vectors 1\ntags %s\n", is_other ? "other" : "sample");
		for (int t = 0; t < 16; t++) {
			printf("tag %02x", tags[t].pattern);
			print_weight(tags[t].scatter_thousandths);
			print_weight(tags[t].skew_thousandths);
			putchar('\n');
		}
	}
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		fill(bytes, i);
		if (argc == 2)
			print_vector(tags, i, bytes);
		else
			write_input(argv[2], i, bytes);
	}
	free(bytes);
	return 0;
}
