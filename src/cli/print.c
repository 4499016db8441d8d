/*
 * simhash --print: the sum table and the keys of files; no index is opened.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/escape.h"
#include "cli/options.h"
#include "cli/tasks.h"
#include "cli/terminal.h"
#include "scan/scan_file.h"
#include "store/file_row.h"

#define PROGRAM "simhash"

static void write_row(const struct file_row *row, const struct simhash_tag_set *set)
{
	const struct simhash_tag *tags = simhash_tag_set_tags(set);

	fputs("file          ", stdout);
	write_escaped(stdout, row->name);
	printf("\nsize          %" PRId64 "\ncontent       ", row->size_bytes);
	for (int i = 0; i < CONTENT_HASH_SIZE; i++)
		printf("%02x", row->content_hash[i]);
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
static void print_view(struct printing *printing, const char *path, struct bytes shown,
		       bool is_inflated)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct file_row row = {.name = shown};
	enum scan_outcome outcome;
	const char *slash = strrchr(shown.data, '/');
	struct bytes name =
		slash == NULL
			? shown
			: (struct bytes){slash + 1, (size_t)(shown.data + shown.size - slash - 1)};

	if (is_stdin)
		name.size = 0;
	outcome = is_stdin	? scan_stream(&printing->scanner, STDIN_FILENO, &row)
		  : is_inflated ? scan_inflated(&printing->scanner, AT_FDCWD, path, &row)
				: scan_file(&printing->scanner, AT_FDCWD, path, NULL, &row);
	if (outcome != SCAN_DONE) {
		*printing->had_unreadable = true;
		say_path(PROGRAM, shown,
			 outcome == SCAN_GONE && access(path, F_OK) == 0 ? "Not a regular file"
			 : outcome == SCAN_GONE				 ? strerror(ENOENT)
									 : explain_errno(errno));
		return;
	}
	/* The keys are those of the name, not of the path to it. */
	simhash_keys_compute(printing->tag_set, &row.table, name.data, name.size, &row.keys);
	if (!printing->is_first)
		putchar('\n');
	printing->is_first = false;
	write_row(&row, printing->tag_set);
}

static int print_file(struct printing *printing, const char *path, bool inflate,
		      struct simhash_error *error)
{
	struct bytes shown = {path, strlen(path)};
	const char *slash = strrchr(path, '/');
	size_t above = slash == NULL ? 0 : (size_t)(slash + 1 - path);
	struct bytes name = {path + above, shown.size - above};
	char *inflated;

	print_view(printing, path, shown, false);
	if (!inflate || strcmp(path, "-") == 0)
		return 0;
	inflated = malloc(above + 2 * name.size + 8);
	if (inflated == NULL)
		return error_set_memory(error);
	memcpy(inflated, path, above);
	name.size = inflated_name(name, inflated + above);
	if (name.size > 0)
		print_view(printing, path, (struct bytes){inflated, above + name.size}, true);
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
