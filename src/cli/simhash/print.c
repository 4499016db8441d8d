/*
 * Implements simhash --print: prints the sum table and the keys of files, without an index.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/escape.h"
#include "cli/options/options.h"
#include "cli/simhash/tasks.h"
#include "cli/terminal/terminal.h"
#include "core/resemblance.h"
#include "lists/digest_text.h"
#include "scan/archive/container.h"
#include "scan/archive/sandbox.h"
#include "scan/file/scan_file.h"
#include "store/row/file_row.h"

#define PROGRAM "simhash"

static void write_hashes(const struct row_sketches *sketches, unsigned hashes)
{
	for (unsigned i = 0, k = 0; i < FILE_HASHES; i++) {
		struct bytes value;
		if ((hashes & 1U << i) == 0)
			continue;
		value = sketches->sketch[k++].value;
		printf("%-14s", file_hash_names[i]);
		for (size_t at = 0; at < value.size; at++)
			printf("%02x", (unsigned char)value.data[at]);
		putchar('\n');
	}
}

static void write_row(struct bytes shown, const struct file_row *row,
		      const struct simhash_tag_set *set, unsigned hashes)
{
	const struct simhash_tag *tags = simhash_tag_set_tags(set);
	const uint8_t *sketch = (const uint8_t *)&row->resemblance;

	fputs("file          ", stdout);
	write_escaped(stdout, shown);
	printf("\nsize          %" PRId64 "\ncontent       ", row->size_bytes);
	for (int i = 0; i < CONTENT_HASH_SIZE; i++)
		printf("%02x", row->content_hash[i]);
	fputs("\nsketch        ", stdout);
	for (size_t i = 0; i < resemblance_stored_size(&row->resemblance); i++)
		printf("%02x", sketch[i]);
	putchar('\n');
	write_hashes(row->sketches, hashes);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		printf("sum %02x        %" PRIu64 "\n", tags[t].pattern, row->table.count[t]);
	for (int k = 0; k < SIMHASH_KEYS; k++)
		printf("%-13s %" PRId64 "\n", simhash_key_name((enum simhash_key)k),
		       row->keys.key[k]);
}

struct printing {
	const struct simhash_tag_set *tag_set;
	enum status_format format;
	struct file_scanner scanner;
	uint64_t digests; /* the number of lines of a digest list */
	bool is_first, *had_unreadable;
	int told; /* the reported failure of the last content; or 0 */
};

/*
 * Write a line of a digest list. The content of standard input has no path, so its hash is used
 * instead. The directory of an archive member's row is the archive; `shown` is then the archive.
 */
static int write_digest(struct printing *printing, const char *shown, bool is_member,
			struct file_row *row, struct simhash_error *error)
{
	struct line_buffer line = {.out = stdout};
	char *path = strcmp(shown, "-") == 0 ? NULL : path_absolute(shown), *extension;
	size_t size = path == NULL ? 0 : strlen(path);
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
	if (path != NULL && is_member)
		path[size] = '/'; /* replaces its terminating zero */
	if (path != NULL)
		row->directory = is_member ? (struct bytes){path, size + 1} : path_directory(path);
	else
		memcpy(row->path_hash, row->content_hash, PATH_HASH_SIZE);
	digests_put_row(&line, row,
			row->sketches == NULL ? (struct bytes){NULL, 0} : row->sketches->pieces,
			printing->scanner.sketching.hashes, path == NULL);
	line_flush(&line);
	printing->digests++;
	free(extension);
	free(path);
	return 0;
}

static void say_unreadable(struct printing *printing, struct bytes path, int why)
{
	*printing->had_unreadable |= !container_is_left_out(why);
	say_path(PROGRAM, path, explain_errno(why));
}

static void write_next(struct printing *printing, struct bytes shown, const struct file_row *row)
{
	if (!printing->is_first)
		putchar('\n');
	printing->is_first = false;
	write_row(shown, row, printing->tag_set, printing->scanner.sketching.hashes);
}

/*
 * Print a file or, with `is_inflated`, the content of a gzip file. Returns 1 if it cannot be read.
 */
static int print_view(struct printing *printing, const char *path, const char *shown,
		      bool is_inflated, struct simhash_error *error)
{
	bool is_stdin = strcmp(path, "-") == 0;
	/* The keys depend on the name, not on the path to it. */
	struct file_row row = {.name = bytes_of(is_stdin ? "" : path_name(shown))};
	int status = 0;

	printing->told = 0;
	if (scan_named(&printing->scanner, is_stdin ? NULL : path, is_inflated, &row) != 0) {
		printing->told = errno;
		say_unreadable(printing, bytes_of(path), errno);
		return 1;
	}
	if (printing->format == STATUS_DIGEST)
		status = write_digest(printing, shown, false, &row, error);
	else
		write_next(printing, bytes_of(shown), &row);
	row_sketches_drop(row.sketches);
	return status;
}

/* ---- The members of archives ---- */

/* "ARCHIVE//MEMBER", or only the archive if the name is empty. NULL without memory. */
static char *member_path(const char *archive, struct bytes member)
{
	size_t size = strlen(archive);
	char *path = malloc(size + 2 + member.size + 1);

	if (path == NULL)
		return NULL;
	memcpy(path, archive, size);
	memcpy(path + size, "//", member.size > 0 ? 2 : 0);
	size += member.size > 0 ? 2 : 0;
	memcpy(path + size, member.data, member.size);
	path[size + member.size] = '\0';
	return path;
}

/* Print one member, or report its error. */
static int print_member(struct printing *printing, const char *archive,
			const struct container *container, enum container_answer answer,
			struct file_row *row, struct simhash_error *error)
{
	bool is_member = answer == CONTAINER_MEMBER;
	char *path = member_path(archive, is_member ? row->name : container_name(container));
	int status = 0;

	if (path == NULL)
		return error_set_memory(error);
	if (!is_member)
		say_unreadable(printing, bytes_of(path), container_why(container));
	else if (printing->format != STATUS_DIGEST)
		write_next(printing, bytes_of(path), row);
	else if (!row_is_text(row->contents)) /* the line of its document does not announce it */
		status = write_digest(printing, archive, true, row, error);
	if (is_member)
		row_sketches_drop(row->sketches);
	free(path);
	return status;
}

/* Was this failure reported for the content of the gzip file? */
static bool is_told(const struct printing *printing, const struct container *container)
{
	return container_name(container).size == 0 && container_why(container) == printing->told;
}

static int print_members(struct printing *printing, const char *path, int fd,
			 const struct stat *file, struct simhash_error *error)
{
	struct container *container =
		container_open(&printing->scanner, fd, file, bytes_of(path_name(path)));
	struct file_row row = {.mtime_ns = stat_mtime_ns(file)};
	enum container_answer answer;
	int status = 0;

	if (container == NULL && errno == ENOMEM)
		return error_set_memory(error);
	if (container == NULL)
		say_unreadable(printing, bytes_of(path), errno);
	while (container != NULL && status == 0 &&
	       (answer = container_next(container, &row)) != CONTAINER_END)
		if (answer == CONTAINER_MEMBER || !is_told(printing, container))
			status = print_member(printing, path, container, answer, &row, error);
	container_close(container);
	return status;
}

static int print_container(struct printing *printing, const char *path, struct simhash_error *error)
{
	int fd = open_path(path, O_RDONLY | O_NONBLOCK | O_NOCTTY), status = 0;
	struct stat file;
	unsigned kind = 0;

	/* Paths that are not regular files were already reported. */
	if (fd < 0 || fstat(fd, &file) != 0 ||
	    (S_ISREG(file.st_mode) && scan_kind(&printing->scanner, fd, &kind, NULL) != 0))
		say_unreadable(printing, bytes_of(path), errno);
	else if (kind != 0)
		status = print_members(printing, path, fd, &file, error);
	if (fd >= 0)
		close_content(fd);
	return status;
}

/* ---- Files ---- */

static int print_file(struct printing *printing, const char *path, bool inflate,
		      struct simhash_error *error)
{
	struct bytes name = bytes_of(path_name(path));
	size_t above = (size_t)(name.data - path);
	char *inflated;
	int status = print_view(printing, path, path, false, error);

	if (status != 0 || !inflate || strcmp(path, "-") == 0)
		return status < 0 ? -1 : 0;
	inflated = malloc(above + 2 * name.size + 8);
	if (inflated == NULL)
		return error_set_memory(error);
	memcpy(inflated, path, above);
	if (inflated_name(name, inflated + above) > 0)
		status = print_view(printing, path, inflated, true, error);
	free(inflated);
	return status < 0 ? -1 : print_container(printing, path, error);
}

int print_files(const struct index_arguments *arguments, bool *had_unreadable,
		struct simhash_error *error)
{
	static const atomic_bool never_stop;
	struct simhash_tag_set *tag_set = NULL;
	struct printing printing = {
		.format = arguments->format, .is_first = true, .had_unreadable = had_unreadable};
	struct line_buffer line = {.out = stdout};
	int status;

	if (choose_tag_set(arguments->tag_file, &tag_set, error) != 0)
		return -1;
	printing.tag_set = tag_set;
	if (arguments->format == STATUS_DIGEST) {
		digests_put_heading(&line, tag_set, arguments->request.hashes);
		line_flush(&line);
	}
	status = file_scanner_init(&printing.scanner, tag_set, true, &never_stop, error);
	if (status == 0 && (status = file_scanner_measure(&printing.scanner, NULL, 0,
							  arguments->request.hashes, error)) != 0)
		file_scanner_release(&printing.scanner);
	if (status == 0) {
		if (arguments->format == STATUS_DIGEST && !arguments->request.no_pieces)
			file_scanner_collect(&printing.scanner, arguments->request.piece_levels);
		printing.scanner.max_inflated_bytes = arguments->request.max_inflated_bytes;
		printing.scanner.containers = arguments->request.containers;
		printing.scanner.max_depth = arguments->request.max_depth;
		if (arguments->request.sandbox != NULL)
			status = sandbox_isolate(&printing.scanner, arguments->request.sandbox,
						 error);
		for (unsigned i = 0; status == 0 && i < arguments->request.path_count; i++)
			status = print_file(&printing, arguments->request.paths[i],
					    arguments->request.inflate, error);
		file_scanner_release(&printing.scanner);
	}
	if (status == 0 && arguments->format == STATUS_DIGEST) {
		digests_put_end(&line, printing.digests);
		line_flush(&line);
	}
	simhash_tag_set_free(tag_set);
	return status;
}
