/*
 * simhash --print: the sum table and the keys of files; no index is opened.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/path.h"
#include "cli/options.h"
#include "cli/tasks.h"
#include "cli/terminal.h"
#include "scan/scan_file.h"
#include "store/file_row.h"

#define PROGRAM "simhash"

static void write_row(const char *shown, const struct file_row *row,
		      const struct simhash_tag_set *set)
{
	const struct simhash_tag *tags = simhash_tag_set_tags(set);

	fputs("file          ", stdout);
	write_escaped(stdout, bytes_of(shown));
	printf("\nsize          %" PRId64 "\ncontent       ", row->size_bytes);
	for (int i = 0; i < CONTENT_HASH_SIZE; i++)
		printf("%02x", row->content_hash[i]);
	fputs("\nsketch        ", stdout);
	for (int i = 0; i < SIMHASH_RESEMBLANCE_REGISTERS; i++)
		printf("%02x", row->resemblance.registers[i]);
	putchar('\n');
	for (int t = 0; t < SIMHASH_TAGS; t++)
		printf("sum %02x        %" PRIu64 "\n", tags[t].pattern, row->table.count[t]);
	for (int k = 0; k < SIMHASH_KEYS; k++)
		printf("%-13s %" PRId64 "\n", simhash_key_name((enum simhash_key)k),
		       row->keys.key[k]);
}

struct printing {
	const struct simhash_tag_set *tag_set;
	struct file_scanner scanner;
	bool is_first, *had_unreadable;
};

/* A file, or with `is_inflated` the content of a gzip file. */
static void print_view(struct printing *printing, const char *path, const char *shown,
		       bool is_inflated)
{
	bool is_stdin = strcmp(path, "-") == 0;
	/* The keys are those of the name, not of the path to it. */
	struct file_row row = {.name = bytes_of(is_stdin ? "" : path_name(shown))};

	if (scan_named(&printing->scanner, is_stdin ? NULL : path, is_inflated, &row) != 0) {
		*printing->had_unreadable = true;
		say_path(PROGRAM, bytes_of(shown), explain_errno(errno));
		return;
	}
	if (!printing->is_first)
		putchar('\n');
	printing->is_first = false;
	write_row(shown, &row, printing->tag_set);
}

static int print_file(struct printing *printing, const char *path, bool inflate,
		      struct simhash_error *error)
{
	struct bytes name = bytes_of(path_name(path));
	size_t above = (size_t)(name.data - path);
	char *inflated;

	print_view(printing, path, path, false);
	if (!inflate || strcmp(path, "-") == 0)
		return 0;
	inflated = malloc(above + 2 * name.size + 8);
	if (inflated == NULL)
		return error_set_memory(error);
	memcpy(inflated, path, above);
	if (inflated_name(name, inflated + above) > 0)
		print_view(printing, path, inflated, true);
	free(inflated);
	return 0;
}

int print_files(const struct index_arguments *arguments, bool *had_unreadable,
		struct simhash_error *error)
{
	static const atomic_bool never_stop;
	struct simhash_tag_set *tag_set = NULL;
	struct printing printing = {.is_first = true, .had_unreadable = had_unreadable};
	int status;

	if (choose_tag_set(arguments->tag_file, &tag_set, error) != 0)
		return -1;
	printing.tag_set = tag_set;
	status = file_scanner_init(&printing.scanner, tag_set, true, &never_stop, error);
	if (status == 0) {
		printing.scanner.max_inflated_bytes = arguments->request.max_inflated_bytes;
		for (unsigned i = 0; status == 0 && i < arguments->request.path_count; i++)
			status = print_file(&printing, arguments->request.paths[i],
					    arguments->request.inflate, error);
		file_scanner_release(&printing.scanner);
	}
	simhash_tag_set_free(tag_set);
	return status;
}
