/*
 * Uses the installed library like a program of another project: prints the Skew key of standard
 * input as a file with the given name.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <simhash.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	struct simhash_tag_set *tags;
	struct simhash_scanner scanner;
	struct simhash_sum_table table;
	struct simhash_keys keys;
	struct simhash_error error;
	char buffer[1000];
	size_t size;

	if (simhash_tag_set_new_default(&tags, &error) != 0) {
		fprintf(stderr, "%s\n", error.message);
		return 1;
	}
	simhash_scanner_init(&scanner, tags);
	while ((size = fread(buffer, 1, sizeof buffer, stdin)) > 0)
		simhash_scanner_update(&scanner, buffer, size);
	simhash_scanner_finish(&scanner, &table);
	simhash_keys_compute(tags, &table, name, strlen(name), &keys);
	printf("%" PRId64 " %" PRId64 "\n", keys.key[SIMHASH_SKEW], keys.key[SIMHASH_SKEW_EXT]);
	simhash_tag_set_free(tags);
	return 0;
}
