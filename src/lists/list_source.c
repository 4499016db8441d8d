/*
 * Reads lists from files and pipes, inflates them, and decodes them to UTF-8. The first bytes show
 * how a list is compressed.
 * SPDX-License-Identifier: MIT
 */
#include "lists/list_source.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#ifdef SIMHASH_HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

#include "base/basic/error.h"
#include "base/basic/utf16.h"
#include "base/files/open_file.h"
#include "base/files/read_file.h"

#define RAW_SIZE (1 << 18)
#define MAGIC_MAX 6
#define GZIP_WINDOW_BITS (15 + 16) /* 16 makes zlib expect gzip's header and trailer */

struct list_source {
	const char *name;
	const atomic_bool *stop; /* or NULL */
	int fd;
	/* The bytes in the file. */
	unsigned char *raw;
	size_t raw_begin, raw_end;
	/* The decompression, if needed. */
	z_stream *gzip;
	bool in_member;
	struct archive *archive;
	/* The encoding of the text, and the beginning of a character. */
	bool is_begun;
	enum text_form form;
	unsigned char rest[TEXT_MARK_MAX];
	size_t rest_size;
};

static int is_cut_off(const struct list_source *source, struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_SYNTAX,
			 "%s is cut off: its compressed data ends early; get the list again",
			 source->name);
}

static int is_damaged(const struct list_source *source, const char *why,
		      struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_SYNTAX, "%s is damaged: %s", source->name,
			 why == NULL ? "its compressed data is not valid" : why);
}

/* ---- Bytes of the file ---- */

/* Read at least `wanted` bytes, or to the end. */
static int fill(struct list_source *source, size_t wanted, struct simhash_error *error)
{
	size_t left = source->raw_end - source->raw_begin;

	if (left >= wanted)
		return 0;
	memmove(source->raw, source->raw + source->raw_begin, left);
	source->raw_begin = 0;
	source->raw_end = left;
	while (source->raw_end < wanted) {
		ssize_t got = read_some(source->fd, source->name, source->raw + source->raw_end,
					RAW_SIZE - source->raw_end, source->stop, error);
		if (got <= 0)
			return (int)got;
		source->raw_end += (size_t)got;
	}
	return 0;
}

static bool begins_with(const struct list_source *source, const char *magic)
{
	size_t size = strlen(magic);

	return source->raw_end - source->raw_begin >= size &&
	       memcmp(source->raw + source->raw_begin, magic, size) == 0;
}

static ssize_t read_plain(struct list_source *source, char *bytes, size_t size,
			  struct simhash_error *error)
{
	size_t left;

	if (fill(source, 1, error) != 0)
		return -1;
	left = source->raw_end - source->raw_begin;
	if (size > left)
		size = left;
	memcpy(bytes, source->raw + source->raw_begin, size);
	source->raw_begin += size;
	return (ssize_t)size;
}

/* ---- gzip ---- */

static int open_gzip(struct list_source *source, struct simhash_error *error)
{
	source->gzip = calloc(1, sizeof *source->gzip);
	if (source->gzip == NULL || inflateInit2(source->gzip, GZIP_WINDOW_BITS) != Z_OK) {
		free(source->gzip);
		source->gzip = NULL;
		return error_set_memory(error);
	}
	return 0;
}

/* Between members: returns 1 if another follows, or 0 at the end, after optional zeros. */
static int next_member(struct list_source *source, struct simhash_error *error)
{
	for (;;) {
		if (fill(source, 2, error) != 0)
			return -1;
		if (source->raw_begin == source->raw_end)
			return 0;
		if (source->raw[source->raw_begin] != 0)
			break;
		source->raw_begin++;
	}
	if (!begins_with(source, "\x1f\x8b"))
		return is_damaged(source, "other bytes follow the compressed data", error);
	inflateReset(source->gzip);
	source->in_member = true;
	return 1;
}

static int inflate_some(struct list_source *source, struct simhash_error *error)
{
	z_stream *gzip = source->gzip;
	int code;

	if (fill(source, 1, error) != 0)
		return -1;
	if (source->raw_begin == source->raw_end)
		return is_cut_off(source, error);
	gzip->next_in = source->raw + source->raw_begin;
	gzip->avail_in = (unsigned)(source->raw_end - source->raw_begin);
	code = inflate(gzip, Z_NO_FLUSH);
	source->raw_begin = source->raw_end - gzip->avail_in;
	source->in_member = code != Z_STREAM_END;
	if (code == Z_MEM_ERROR)
		return error_set_memory(error);
	return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR
		       ? 0
		       : is_damaged(source, gzip->msg, error);
}

static ssize_t read_gzip(struct list_source *source, char *bytes, size_t size,
			 struct simhash_error *error)
{
	z_stream *gzip = source->gzip;

	gzip->next_out = (unsigned char *)bytes;
	gzip->avail_out = (unsigned)size;
	while (gzip->avail_out == size) {
		int status = source->in_member ? 1 : next_member(source, error);
		if (status <= 0)
			return status;
		if (inflate_some(source, error) != 0)
			return -1;
	}
	return (ssize_t)(size - gzip->avail_out);
}

/* ---- Other compressions ---- */

/* Return the name of a compression that zlib does not read, or NULL. */
static const char *other_compression(const struct list_source *source)
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

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (begins_with(source, kinds[i].magic))
			return kinds[i].name;
	return NULL;
}

#ifdef SIMHASH_HAVE_LIBARCHIVE
static la_ssize_t give_raw(struct archive *archive, void *data, const void **buffer)
{
	struct list_source *source = data;
	struct simhash_error error;
	size_t size;

	if (fill(source, 1, &error) != 0) {
		archive_set_error(archive, error.system_errno, "%s", error.message);
		return ARCHIVE_FATAL;
	}
	size = source->raw_end - source->raw_begin;
	*buffer = source->raw + source->raw_begin;
	source->raw_begin = source->raw_end;
	return (la_ssize_t)size;
}

static int open_archive(struct list_source *source, const char *compression,
			struct simhash_error *error)
{
	struct archive_entry *entry;

	(void)compression;
	source->archive = archive_read_new();
	if (source->archive == NULL)
		return error_set_memory(error);
	archive_read_support_filter_xz(source->archive);
	archive_read_support_filter_zstd(source->archive);
	archive_read_support_filter_bzip2(source->archive);
	archive_read_support_filter_lz4(source->archive);
	archive_read_support_format_raw(source->archive);
	if (archive_read_open(source->archive, source, NULL, give_raw, NULL) != ARCHIVE_OK ||
	    archive_read_next_header(source->archive, &entry) != ARCHIVE_OK)
		return is_damaged(source, archive_error_string(source->archive), error);
	return 0;
}

static ssize_t read_archive(struct list_source *source, char *bytes, size_t size,
			    struct simhash_error *error)
{
	la_ssize_t got = archive_read_data(source->archive, bytes, size);

	if (got >= 0)
		return (ssize_t)got;
	if (source->stop != NULL && atomic_load(source->stop))
		return error_set(error, ERROR_STOPPED, "stopped");
	return is_damaged(source, archive_error_string(source->archive), error);
}

static void close_archive(struct list_source *source)
{
	archive_read_free(source->archive);
}
#else
static int open_archive(struct list_source *source, const char *compression,
			struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_RANGE,
			 "%s is compressed by %s, which this simhash was built without; expected a "
			 "plain list or one compressed by gzip",
			 source->name, compression);
}

static ssize_t read_archive(struct list_source *source, char *bytes, size_t size,
			    struct simhash_error *error)
{
	(void)source;
	(void)bytes;
	(void)size;
	return error_set_memory(error);
}

static void close_archive(struct list_source *source)
{
	(void)source;
}
#endif

/* ---- Opening ---- */

static int open_source(struct list_source *source, const char *path, struct simhash_error *error)
{
	const char *compression;

	source->fd = source->name != path ? dup(STDIN_FILENO) : open_input(path);
	if (source->fd < 0)
		return error_set_errno(error, "cannot open %s", source->name);
	source->raw = malloc(RAW_SIZE);
	if (source->raw == NULL)
		return error_set_memory(error);
	if (fill(source, MAGIC_MAX, error) != 0)
		return -1;
	if (begins_with(source, "\x1f\x8b"))
		return open_gzip(source, error);
	compression = other_compression(source);
	return compression == NULL ? 0 : open_archive(source, compression, error);
}

int list_source_open(const char *path, struct list_source **source, struct simhash_error *error)
{
	bool is_stdin = strcmp(path, "-") == 0;

	*source = calloc(1, sizeof **source);
	if (*source == NULL)
		return error_set_memory(error);
	(*source)->name = is_stdin ? "standard input" : path;
	if (open_source(*source, path, error) == 0)
		return 0;
	list_source_close(*source);
	*source = NULL;
	return -1;
}

void list_source_close(struct list_source *source)
{
	if (source == NULL)
		return;
	if (source->gzip != NULL)
		inflateEnd(source->gzip);
	free(source->gzip);
	close_archive(source);
	if (source->fd >= 0)
		close_content(source->fd);
	free(source->raw);
	free(source);
}

const char *list_source_name(const struct list_source *source)
{
	return source->name;
}

void list_source_stop_at(struct list_source *source, const atomic_bool *stop)
{
	source->stop = stop;
}

/* ---- Text ---- */

/* Read decompressed bytes. */
static ssize_t read_inflated(struct list_source *source, char *bytes, size_t size,
			     struct simhash_error *error)
{
	return source->archive != NULL ? read_archive(source, bytes, size, error)
	       : source->gzip != NULL  ? read_gzip(source, bytes, size, error)
				       : read_plain(source, bytes, size, error);
}

/* Read more bytes after the remaining ones. Returns their total, 0 at the end, or -1. */
static ssize_t read_on(struct list_source *source, char *bytes, size_t size,
		       struct simhash_error *error)
{
	size_t had = source->rest_size;
	ssize_t got;

	memcpy(bytes, source->rest, had);
	got = read_inflated(source, bytes + had, size - had, error);
	if (got > 0)
		source->rest_size = 0;
	return got > 0 ? got + (ssize_t)had : got;
}

static void keep_rest(struct list_source *source, const char *bytes, size_t size)
{
	memcpy(source->rest, bytes, size);
	source->rest_size = size;
}

/* Determine the encoding from the first bytes, and keep these bytes. */
static int begin_text(struct list_source *source, struct simhash_error *error)
{
	char first[TEXT_MARK_MAX];
	size_t mark, size = 0;
	ssize_t got = 1;

	while (got > 0 && size < sizeof first) {
		got = read_inflated(source, first + size, sizeof first - size, error);
		if (got < 0)
			return -1;
		size += (size_t)got;
	}
	source->form = text_form_of(first, size, &mark);
	keep_rest(source, first + mark, size - mark);
	source->is_begun = true;
	return 0;
}

static ssize_t read_utf16(struct list_source *source, char *bytes, size_t size,
			  struct simhash_error *error)
{
	char units[1 << 14];
	size_t wanted = (size - 3) / 3 * 2, used, made = 0;

	if (wanted > sizeof units)
		wanted = sizeof units;
	while (made == 0) {
		ssize_t got = read_on(source, units, wanted, error);
		if (got < 0)
			return -1;
		if (got == 0 && source->rest_size > 0)
			return error_set(error, SIMHASH_E_SYNTAX,
					 "%s is cut off: its UTF-16 ends within a character",
					 source->name);
		if (got == 0)
			return 0;
		used = utf16_to_utf8(source->form, units, (size_t)got, bytes, &made);
		keep_rest(source, units + used, (size_t)got - used);
	}
	return (ssize_t)made;
}

ssize_t list_source_read(struct list_source *source, char *bytes, size_t size,
			 struct simhash_error *error)
{
	ssize_t got;

	if (!source->is_begun && begin_text(source, error) != 0)
		return -1;
	if (source->form != TEXT_BYTES)
		return read_utf16(source, bytes, size, error);
	if (source->rest_size == 0)
		return read_inflated(source, bytes, size, error);
	/* The list may end right after the first bytes. */
	got = (ssize_t)source->rest_size;
	memcpy(bytes, source->rest, source->rest_size);
	source->rest_size = 0;
	return got;
}
