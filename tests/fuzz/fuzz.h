/*
 * Shared by the fuzz targets: functions to take an input apart, and to check conditions.
 *
 * A target reads its choices from the beginning of the input and its data from the rest. Bytes
 * after the end are zero, so every input is valid.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* LibFuzzer calls these: the first at the start, the second for each input. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends with a report, so that libFuzzer keeps the input. */
#define EXPECT(holds)                                                                              \
	do {                                                                                       \
		if (!(holds)) {                                                                    \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds); \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

struct input {
	const uint8_t *at;
	size_t left;
};

static inline uint8_t take_byte(struct input *in)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->at++;
}

/* A number of this many bytes, the most significant first. */
static inline uint64_t take_number(struct input *in, unsigned bytes)
{
	uint64_t number = 0;

	while (bytes-- > 0)
		number = number << 8 | take_byte(in);
	return number;
}

/* Up to `most` bytes; *size is their number. They are valid as long as the input. */
static inline const uint8_t *take_bytes(struct input *in, size_t most, size_t *size)
{
	const uint8_t *bytes = in->at;

	*size = most < in->left ? most : in->left;
	in->at += *size;
	in->left -= *size;
	return bytes;
}

/* The same as a separate text with a terminating zero, for free(). */
static inline char *take_text(struct input *in, size_t most)
{
	size_t size;
	const uint8_t *bytes = take_bytes(in, most, &size);
	char *text = malloc(size + 1);

	EXPECT(text != NULL);
	if (size > 0)
		memcpy(text, bytes, size);
	text[size] = '\0';
	return text;
}

/* A file in memory, and a name that opens it. The caller closes it. */
static inline int memory_file(char name[32])
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	EXPECT(fd >= 0);
	snprintf(name, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static inline void memory_file_add(int fd, const void *bytes, size_t size)
{
	EXPECT(size == 0 || write(fd, bytes, size) == (ssize_t)size);
}

/*
 * Expand a few bytes of input: literal bytes, and runs with a short period, which are difficult for
 * scans and matches. The result has at most `most` bytes and is for free().
 */
static inline uint8_t *take_expanded(struct input *in, size_t most, size_t *size)
{
	uint8_t *bytes = malloc(most + 1);

	EXPECT(bytes != NULL);
	*size = 0;
	while (in->left > 0 && *size < most) {
		uint8_t command = take_byte(in);
		size_t period, count, room = most - *size;
		const uint8_t *from;
		if (command < 0xc0) { /* the next 1 to 192 bytes, unchanged */
			from = take_bytes(in, command + 1u, &period);
			count = period;
		} else { /* the next 1 to 16 bytes, repeated */
			count = (size_t)take_number(in, command < 0xe0 ? 1 : 2);
			from = take_bytes(in, (command & 15u) + 1, &period);
		}
		if (count > room)
			count = room;
		for (size_t i = 0; i < count && period > 0; i++)
			bytes[(*size)++] = from[i % period];
	}
	return bytes;
}

#endif
