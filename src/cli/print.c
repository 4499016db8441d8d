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

#include "base/ascii.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/path.h"
#include "cli/options.h"
#include "cli/tasks.h"
#include "cli/terminal.h"
#include "scan/digest_text.h"
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

/*
 * A line of a digest list. The content of standard input has no path; its hash stands for one.
 */
static int write_digest(const char *shown, struct file_row *row, struct simhash_error *error)
{
	struct line_buffer line = {.out = stdout};
	char *path = strcmp(shown, "-") == 0 ? NULL : path_absolute(shown), *extension;
	struct bytes inner = inner_name(row->name);
	const char *found;

	row->extension.size = simhash_extension(inner.data, inner.size, &found);
	extension = malloc(row->extension.size + 1);
	if (extension == NULL || (path == NULL && strcmp(shown, "-") != 0)) {
		free(extension);
		free(path);
		return error_set_memory(error);
	}
	ascii_lower_copy(extension, found, row->extension.size);
	row->extension.data = extension;
	if (path != NULL)
		row->directory = path_directory(path);
	else
		memcpy(row->path_hash, row->content_hash, PATH_HASH_SIZE);
	digests_put_row(&line, row, path == NULL);
	line_flush(&line);
	free(extension);
	free(path);
	return 0;
}

struct printing {
	const struct simhash_tag_set *tag_set;
	enum status_format format;
	struct file_scanner scanner;
	bool is_first, *had_unreadable;
};

/* A file, or with `is_inflated` the content of a gzip file. */
static int print_view(struct printing *printing, const char *path, const char *shown,
		      bool is_inflated, struct simhash_error *error)
{
	bool is_stdin = strcmp(path, "-") == 0;
	/* The keys are those of the name, not of the path to it. */
	struct file_row row = {.name = bytes_of(is_stdin ? "" : path_name(shown))};

	if (scan_named(&printing->scanner, is_stdin ? NULL : path, is_inflated, &row) != 0) {
		*printing->had_unreadable = true;
		say_path(PROGRAM, bytes_of(shown), explain_errno(errno));
		return 0;
	}
	if (printing->format == STATUS_DIGEST)
		return write_digest(shown, &row, error);
	if (!printing->is_first)
		putchar('\n');
	printing->is_first = false;
	write_row(shown, &row, printing->tag_set);
	return 0;
}

static int print_file(struct printing *printing, const char *path, bool inflate,
		      struct simhash_error *error)
{
	struct bytes name = bytes_of(path_name(path));
	size_t above = (size_t)(name.data - path);
	char *inflated;
	int status = print_view(printing, path, path, false, error);

	if (status != 0 || !inflate || strcmp(path, "-") == 0)
		return status;
	inflated = malloc(above + 2 * name.size + 8);
	if (inflated == NULL)
		return error_set_memory(error);
	memcpy(inflated, path, above);
	if (inflated_name(name, inflated + above) > 0)
		status = print_view(printing, path, inflated, true, error);
	free(inflated);
	return status;
}

int print_files(const struct index_arguments *arguments, bool *had_unreadable,
		struct simhash_error *error)
{
	static const atomic_bool never_stop;
	struct simhash_tag_set *tag_set = NULL;
	struct printing printing = {
		.format = arguments->format, .is_first = true, .had_unreadable = had_unreadable};
	struct line_buffer heading = {.out = stdout};
	int status;

	if (choose_tag_set(arguments->tag_file, &tag_set, error) != 0)
		return -1;
	printing.tag_set = tag_set;
	if (arguments->format == STATUS_DIGEST) {
		digests_put_heading(&heading, tag_set);
		line_flush(&heading);
	}
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
