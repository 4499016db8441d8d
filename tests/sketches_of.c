/*
 * Computes the resemblance sketches of complete files in memory, to compare them with the sketches
 * that simhash computes while it reads. For each path of standard input, which ends with a zero, it
 * prints a line of 256 hexadecimal digits, or of 288 for a text. With an argument, it uses only this number of bytes of
 * each file.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simhash_resemblance.h"

static void die(const char *what, const char *path)
{
	fprintf(stderr, "sketches_of: cannot %s %s\n", what, path);
	exit(1);
}

static void sketch_file(const char *path, size_t most, struct simhash_resemblance_sketch *sketch)
{
	struct stat status;
	int fd = open(path, O_RDONLY);
	size_t size;
	void *bytes = NULL;

	if (fd < 0 || fstat(fd, &status) != 0)
		die("open", path);
	size = (size_t)status.st_size < most ? (size_t)status.st_size : most;
	if (size > 0)
		bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		die("map", path);
	simhash_resemblance_sketch_compute(bytes, size, sketch);
	if (size > 0)
		munmap(bytes, size);
	close(fd);
}

/* Without the zeros of a content that is not a text. */
static size_t sketch_size(const struct simhash_resemblance_sketch *sketch)
{
	for (size_t i = 0; i < sizeof sketch->text; i++)
		if (sketch->text[i] != 0)
			return sizeof *sketch;
	return sizeof sketch->registers;
}

int main(int argc, char **argv)
{
	size_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : SIZE_MAX, room = 0;
	struct simhash_resemblance_sketch sketch;
	char *path = NULL;

	while (getdelim(&path, &room, 0, stdin) > 0) {
		sketch_file(path, most, &sketch);
		for (size_t i = 0; i < sketch_size(&sketch); i++)
			printf("%02x", ((const uint8_t *)&sketch)[i]);
		putchar('\n');
	}
	free(path);
	return 0;
}
