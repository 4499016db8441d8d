/*
 * Reading lists line by line. Which compression a file has is told by its first bytes.
 * SPDX-License-Identifier: MIT
 */
#include "scan/list_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#ifdef SIMHASH_HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

#include "base/array.h"
#include "base/error.h"
#include "base/open_file.h"

#define LINE_MAX_BYTES (1 << 20) /* more than the longest path that is escaped needs */
#define BUFFER_SIZE (1 << 18)

/* ---- What zlib does not read ---- */

/* The name of the compression that a file has, or NULL for one that zlib reads, and for a pipe. */
static const char *other_compression(int fd)
{
	static const struct {
		const char *name, *magic;
	} kinds[] = {
		{"xz", "\xfd"
		       "7zXZ"},
		{"zstd", "\x28\xb5\x2f\xfd"},
		{"bzip2", "BZh"},
		{"lz4", "\x04\x22\x4d\x18"},
	};
	char first[8] = "";

	if (pread(fd, first, sizeof first - 1, 0) < 0)
		return NULL;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strncmp(first, kinds[i].magic, strlen(kinds[i].magic)) == 0)
			return kinds[i].name;
	return NULL;
}

#ifdef SIMHASH_HAVE_LIBARCHIVE
static int open_archive(struct list_lines *lines, int fd, const char *compression,
			struct simhash_error *error)
{
	struct archive_entry *entry;

	(void)compression;
	lines->archive = archive_read_new();
	if (lines->archive == NULL)
		return error_set_memory(error);
	archive_read_support_filter_xz(lines->archive);
	archive_read_support_filter_zstd(lines->archive);
	archive_read_support_filter_bzip2(lines->archive);
	archive_read_support_filter_lz4(lines->archive);
	archive_read_support_format_raw(lines->archive);
	if (archive_read_open_fd(lines->archive, fd, BUFFER_SIZE) != ARCHIVE_OK ||
	    archive_read_next_header(lines->archive, &entry) != ARCHIVE_OK)
		return error_set(error, SIMHASH_E_SYNTAX, "%s is damaged: %s", lines->name,
				 archive_error_string(lines->archive));
	return 0;
}

static int read_archive(struct list_lines *lines, char *bytes, size_t size,
			struct simhash_error *error)
{
	la_ssize_t got = archive_read_data(lines->archive, bytes, size);

	if (got >= 0)
		return (int)got;
	return error_set(error, SIMHASH_E_SYNTAX, "%s is damaged after line %llu: %s", lines->name,
			 (unsigned long long)lines->line, archive_error_string(lines->archive));
}

static void close_archive(struct list_lines *lines)
{
	archive_read_free(lines->archive);
}
#else
static int open_archive(struct list_lines *lines, int fd, const char *compression,
			struct simhash_error *error)
{
	(void)fd;
	return error_set(error, SIMHASH_E_RANGE,
			 "%s is compressed by %s, which this simhash was built without; expected a "
			 "plain list or one compressed by gzip",
			 lines->name, compression);
}

static int read_archive(struct list_lines *lines, char *bytes, size_t size,
			struct simhash_error *error)
{
	(void)lines;
	(void)bytes;
	(void)size;
	return error_set_memory(error);
}

static void close_archive(struct list_lines *lines)
{
	(void)lines;
}
#endif

/* ---- Opening ---- */

int list_lines_open(struct list_lines *lines, const char *path, struct simhash_error *error)
{
	bool is_stdin = strcmp(path, "-") == 0;
	const char *compression;
	int fd;

	*lines = (struct list_lines){.name = is_stdin ? "standard input" : path};
	fd = is_stdin ? dup(STDIN_FILENO) : open_path(path, O_RDONLY);
	if (fd < 0)
		return error_set_errno(error, "cannot open %s", lines->name);
	if (must_stay_open(fd))
		return error_set(
			error, SIMHASH_E_SYNTAX,
			"%s is not a list but a database that is in use, such as the index",
			lines->name);
	compression = other_compression(fd);
	if (compression != NULL) {
		/* libarchive reads a descriptor and leaves it open. */
		lines->fd = fd;
		lines->has_fd = true;
		return open_archive(lines, fd, compression, error);
	}
	lines->file = gzdopen(fd, "r");
	if (lines->file != NULL)
		return 0;
	close(fd);
	return error_set_memory(error);
}

void list_lines_close(struct list_lines *lines)
{
	if (lines->file != NULL)
		gzclose(lines->file);
	close_archive(lines);
	if (lines->has_fd)
		close_content(lines->fd);
	free(lines->text);
	*lines = (struct list_lines){.text = NULL};
}

/* ---- Lines ---- */

int list_lines_refuse(const struct list_lines *lines, size_t at, const char *expected,
		      struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_SYNTAX, "%s:%llu:%llu: expected %s", lines->name,
			 (unsigned long long)lines->line, (unsigned long long)at + 1, expected);
}

static int cannot_read(const struct list_lines *lines, struct simhash_error *error)
{
	int number;
	const char *why = gzerror(lines->file, &number);

	if (number == Z_ERRNO)
		return error_set_errno(error, "cannot read %s", lines->name);
	if (number == Z_MEM_ERROR)
		return error_set_memory(error);
	return error_set(error, SIMHASH_E_SYNTAX, "%s is damaged after line %llu: %s", lines->name,
			 (unsigned long long)lines->line, why);
}

/* Read more behind what is there: 1, 0 at the end of the list, -1. */
static int fill(struct list_lines *lines, struct simhash_error *error)
{
	int got;

	if (lines->begin > 0)
		memmove(lines->text, lines->text + lines->begin, lines->end - lines->begin);
	lines->end -= lines->begin;
	lines->begin = 0;
	if (array_reserve(&lines->text, &lines->capacity, lines->end + BUFFER_SIZE, 1, error) != 0)
		return -1;
	if (lines->archive != NULL)
		got = read_archive(lines, lines->text + lines->end, BUFFER_SIZE, error);
	else if ((got = gzread(lines->file, lines->text + lines->end, BUFFER_SIZE)) < 0)
		cannot_read(lines, error);
	if (got < 0)
		return -1;
	lines->end += (size_t)got;
	return got > 0;
}

int list_lines_next(struct list_lines *lines, struct bytes *line, struct simhash_error *error)
{
	size_t looked = 0;
	const char *end;

	for (;;) {
		size_t there = lines->end - lines->begin;
		const char *from = there == 0 ? "" : lines->text + lines->begin;
		int status;
		end = there == looked ? NULL : memchr(from + looked, '\n', there - looked);
		*line = (struct bytes){from, there};
		if (end != NULL)
			break;
		looked = there;
		lines->line += there > LINE_MAX_BYTES;
		if (there > LINE_MAX_BYTES)
			return list_lines_refuse(lines, 0, "a line of at most 1,048,576 bytes",
						 error);
		status = fill(lines, error);
		if (status < 0 || (status == 0 && there == 0))
			return status;
		if (status > 0)
			continue;
		lines->line++;
		*line = (struct bytes){lines->text, there};
		lines->begin = lines->end;
		return lines->may_end_open
			       ? 1
			       : list_lines_refuse(lines, there,
						   "a line that ends: the list is cut off", error);
	}
	line->size = (size_t)(end - line->data);
	lines->begin += line->size + 1;
	lines->line++;
	return 1;
}

int list_lines_peek(struct list_lines *lines, struct bytes *line, struct simhash_error *error)
{
	int status = list_lines_next(lines, line, error);

	if (status == 1) {
		lines->begin = (size_t)(line->data - lines->text);
		lines->line--;
	}
	return status;
}
