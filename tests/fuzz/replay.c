/*
 * Runs a fuzz target with the inputs of a folder, without libFuzzer. So every build compiles the
 * targets, and every run of the tests repeats their corpus.
 *
 *     fuzz_TARGET FOLDER
 *
 * SPDX-License-Identifier: MIT
 */
#include <dirent.h>

#include "fuzz.h"

#define INPUT_MAX (1 << 20)

/* Only some targets define it. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	return 0;
}

/* The bytes are at the end of their memory, so that reading beyond them is noticed. */
static void replay(const char *folder, const char *name)
{
	static uint8_t bytes[INPUT_MAX];
	char path[4096];
	size_t size;
	uint8_t *copy;
	FILE *file;

	EXPECT(snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path);
	file = fopen(path, "rb");
	EXPECT(file != NULL);
	size = fread(bytes, 1, sizeof bytes, file);
	EXPECT(size < sizeof bytes && ferror(file) == 0);
	fclose(file);
	copy = malloc(size == 0 ? 1 : size);
	EXPECT(copy != NULL);
	memcpy(copy, bytes, size);
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

int main(int argc, char **argv)
{
	static char **arguments; /* a target may replace them, and then owns the new ones */
	const struct dirent *entry;
	unsigned count = 0;
	DIR *folder;

	EXPECT(argc == 2);
	folder = opendir(argv[1]);
	EXPECT(folder != NULL);
	arguments = argv;
	LLVMFuzzerInitialize(&argc, &arguments);
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	while ((entry = readdir(folder)) != NULL)
		if (entry->d_name[0] != '.') {
			replay(argv[1], entry->d_name);
			count++;
		}
	closedir(folder);
	EXPECT(count > 0);
	return 0;
}
