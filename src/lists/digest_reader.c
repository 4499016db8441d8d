/*
 * Parses digest lists by lines and fields. It rejects everything that digest_text.c would not
 * write, with line and column, and never guesses a meaning.
 * SPDX-License-Identifier: MIT
 */
#include "lists/digest_reader.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/text/base64.h"
#include "core/content_pieces.h"
#include "core/resemblance.h"
#include "lists/digest_lines.h"
#include "lists/digest_text.h"
#include "lists/list_lines.h"
#include "lists/list_source.h"

#define NAME_MAX_BYTES 1020 /* the maximum size of a name that every engine can store */

/* ---- Fields ---- */

static bool takes(struct cursor *cursor, char c)
{
	if (cursor->at == cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

/* Is the field empty, which is written as "-"? */
static bool is_left_out(const struct cursor *cursor)
{
	return cursor->end - cursor->at >= 2 && cursor->at[0] == '-' && cursor->at[1] == ' ';
}

static int take_blank(struct cursor *cursor)
{
	return takes(cursor, ' ') ? 0 : refuse(cursor, "a blank");
}

#define DIGITS_MAX 19 /* enough for 63 bits; a number with so many digits fits into 64 bits */

/* Parse digits without leading zeros, at most `largest`, which fits into 63 bits. */
static int take_number(struct cursor *cursor, uint64_t largest, uint64_t *value)
{
	const char *first = cursor->at;
	ptrdiff_t digits;

	*value = 0;
	for (; cursor->at < cursor->end && ascii_is_digit(*cursor->at); cursor->at++)
		*value = *value * 10 + (uint64_t)(*cursor->at - '0');
	digits = cursor->at - first;
	if (digits == 0)
		return refuse(cursor, "a number");
	if (digits <= DIGITS_MAX && *value <= largest && (digits == 1 || *first != '0'))
		return 0;
	cursor->at = first;
	return refuse(cursor, "a smaller number, without zeros before it");
}

static int take_time(struct cursor *cursor, int64_t *time_ns)
{
	bool is_before = !is_left_out(cursor) && takes(cursor, '-');
	uint64_t value;

	*time_ns = 0;
	if (is_left_out(cursor)) {
		cursor->at++;
		return 0;
	}
	if (take_number(cursor, INT64_MAX, &value) != 0)
		return -1;
	*time_ns = is_before ? -(int64_t)value : (int64_t)value;
	return 0;
}

static int take_hex(struct cursor *cursor, uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < 2 * size; i++, cursor->at++) {
		int digit = cursor->at < cursor->end ? hex_digit(*cursor->at) : -1;
		if (digit < 0 || (*cursor->at >= 'A' && *cursor->at <= 'F'))
			return refuse(cursor, size == 16   ? "32 hexadecimal digits in lower case"
					      : size == 20 ? "40 hexadecimal digits in lower case"
							   : "64 hexadecimal digits in lower case");
		bytes[i / 2] = (uint8_t)(i % 2 == 0 ? digit << 4 : bytes[i / 2] | digit);
	}
	return 0;
}

static int take_counts(struct cursor *cursor, struct file_row *row)
{
	for (int t = 0; t < SIMHASH_TAGS; t++) {
		if (t > 0 && !takes(cursor, ','))
			return refuse(cursor, "16 counts with commas between");
		if (take_number(cursor, (uint64_t)row->size_bytes, &row->table.count[t]) != 0)
			return -1;
	}
	return 0;
}

/* A sketch of a text is longer. */
static int take_sketch(struct cursor *cursor, const struct digest_reader *reader,
		       struct file_row *row)
{
	size_t left = (size_t)(cursor->end - cursor->at), size = RESEMBLANCE_STORED_SIZE, right;
	const char *blank = memchr(cursor->at, ' ', left);
	uint8_t bytes[RESEMBLANCE_STORED_TEXT_SIZE];

	if (is_left_out(cursor)) {
		cursor->at++;
		return 0;
	}
	if (reader->has_sketches && blank != NULL &&
	    blank - cursor->at > (ptrdiff_t)BASE64_LENGTH(RESEMBLANCE_STORED_SIZE))
		size = RESEMBLANCE_STORED_TEXT_SIZE;
	if (left < BASE64_LENGTH(size))
		return refuse(cursor, "a sketch of 171 or 192 characters of base64");
	right = base64_decode(cursor->at, bytes, size);
	if (right == BASE64_LENGTH(size) && !resemblance_load(bytes, size, &row->resemblance))
		return refuse(cursor, "a sketch of a text with its size");
	cursor->at += right;
	row->has_resemblance = reader->has_sketches;
	return right == BASE64_LENGTH(size) ? 0 : refuse(cursor, "a character of base64");
}

/* Make room for the hashes of a row, and after them for the rest of the line. */
static int make_sketches(const struct cursor *cursor, struct digest_reader *reader)
{
	size_t rest = (size_t)(cursor->end - cursor->at);

	row_sketches_drop(reader->sketches);
	reader->sketches = row_sketches_new(FILE_HASHES * FILE_HASH_SIZE_MAX + rest);
	return reader->sketches == NULL ? error_set_memory(cursor->error) : 0;
}

/* Are these the stored form of at least one piece? */
static int check_pieces(const struct cursor *cursor, struct digest_reader *reader,
			struct bytes stored)
{
	struct content_pieces pieces;

	if (reader->pieces == NULL) {
		reader->pieces = malloc(PIECES_MAX * sizeof *reader->pieces);
		if (reader->pieces == NULL)
			return error_set_memory(cursor->error);
	}
	return content_pieces_load(stored.data, stored.size, reader->pieces, &pieces) &&
			       pieces.count > 0
		       ? 0
		       : refuse(cursor, "pieces");
}

/* The last field of a line. */
static int take_pieces(struct cursor *cursor, struct digest_reader *reader, struct file_row *row)
{
	size_t length, size, right;
	uint8_t *bytes;

	if (!reader->has_pieces)
		return 0;
	if (take_blank(cursor) != 0)
		return -1;
	length = (size_t)(cursor->end - cursor->at);
	size = length * 3 / 4;
	if (length == 1 && takes(cursor, '-'))
		return 0;
	row->pieces_made = 1;
	if (length == 1 && takes(cursor, *DIGESTS_NO_PIECES))
		return 0;
	if (size == 0 || length != BASE64_LENGTH(size))
		return refuse(cursor, "pieces as base64, 0 or -");
	if (row->sketches == NULL && make_sketches(cursor, reader) != 0)
		return -1;
	bytes = reader->sketches->bytes + FILE_HASHES * FILE_HASH_SIZE_MAX;
	right = base64_decode(cursor->at, bytes, size);
	if (right < length) {
		cursor->at += right;
		return refuse(cursor, "a character of base64");
	}
	reader->sketches->pieces = (struct bytes){(const char *)bytes, size};
	if (check_pieces(cursor, reader, reader->sketches->pieces) != 0)
		return -1;
	row->sketches = reader->sketches;
	cursor->at = cursor->end;
	return 0;
}

/* Decode an escaped field, up to a blank or the end of the line, into `out`. */
static int take_escaped(struct cursor *cursor, char *out, size_t *size)
{
	*size = 0;
	for (; cursor->at < cursor->end && *cursor->at != ' '; cursor->at++) {
		unsigned char c = (unsigned char)*cursor->at;
		int high, low;
		if (c <= ' ' || c >= 0x7f)
			return refuse(cursor, "other bytes than these as % and two digits");
		if (c == '%') {
			high = cursor->end - cursor->at > 2 ? hex_digit(cursor->at[1]) : -1;
			low = cursor->end - cursor->at > 2 ? hex_digit(cursor->at[2]) : -1;
			if (high < 0 || low < 0 || (high == 0 && low == 0))
				return refuse(cursor,
					      "% and two hexadecimal digits that are not 00");
			c = (unsigned char)(high << 4 | low);
			cursor->at += 2;
		}
		out[(*size)++] = (char)c;
	}
	return 0;
}

/* ---- Paths ---- */

/*
 * Return the size of the part of a path that is the file's own path; after "//" comes a path within
 * the file.
 */
static size_t own_path_size(struct bytes path)
{
	for (size_t i = 1; i < path.size; i++)
		if (path.data[i - 1] == '/' && path.data[i] == '/')
			return i - 1;
	return path.size;
}

/*
 * The content of "/a/b.gz" is the file "b.gz//b" in "/a". A member of "/a/b.zip" is a file in
 * "/a/b.zip/". The list does not contain the size of the outer file.
 */
static int split_inner_path(const struct cursor *cursor, struct bytes path, size_t own_size,
			    struct file_row *row)
{
	const char *slash = last_byte(path.data, '/', own_size);
	size_t above = (size_t)(slash - path.data);
	struct bytes name = {slash + 1, path.size - above - 1};

	row->compressed_size_bytes = 1;
	if (is_inflated_name(name)) {
		row->directory = (struct bytes){path.data, above == 0 ? 1 : above};
		row->name = name;
		return 0;
	}
	row->directory = (struct bytes){path.data, own_size + 1};
	row->name = (struct bytes){path.data + own_size + 2, path.size - own_size - 2};
	return row->name.size > 0 ? 0 : refuse(cursor, "a name in the archive");
}

static int split_path(const struct cursor *cursor, struct bytes path, struct file_row *row)
{
	size_t own_size = own_path_size(path), above;
	const char *slash = last_byte(path.data, '/', own_size);
	int status = 0;

	if (slash == NULL || slash == path.data + own_size - 1)
		return refuse(cursor, "a path of a file");
	above = (size_t)(slash - path.data);
	row->directory = (struct bytes){path.data, above == 0 ? 1 : above};
	row->name = (struct bytes){slash + 1, own_size - above - 1};
	if (own_size < path.size)
		status = split_inner_path(cursor, path, own_size, row);
	if (status == 0 && row->name.size > NAME_MAX_BYTES)
		status = refuse(cursor, "a name of at most 1,020 bytes");
	return status;
}

/* Name a file without a path by the hash that replaces the path, and by its extension. */
static int name_anonymous(struct cursor *cursor, char *out, struct bytes extension,
			  struct file_row *row)
{
	const char *digits = cursor->at;
	uint8_t hash[PATH_HASH_SIZE];
	int size;

	if (take_hex(cursor, hash, sizeof hash) != 0)
		return -1;
	if (extension.size > NAME_MAX_BYTES - 40)
		return refuse(cursor, "a shorter extension");
	size = sprintf(out, "%.*s", 2 * PATH_HASH_SIZE, digits);
	if (extension.size > 0) {
		out[size++] = '.';
		memcpy(out + size, extension.data, extension.size);
		size += (int)extension.size;
	}
	row->directory = bytes_of(DIGESTS_NOWHERE);
	row->name = (struct bytes){out, (size_t)size};
	return 0;
}

static int take_names(struct cursor *cursor, struct digest_reader *reader, struct file_row *row)
{
	size_t room = (size_t)(cursor->end - cursor->at) + NAME_MAX_BYTES, size;
	const char *extension;
	struct bytes inner;

	if (array_reserve(&reader->path, &reader->path_capacity, 2 * room, 1, cursor->error) != 0)
		return -1;
	if (is_left_out(cursor)) {
		row->extension = (struct bytes){reader->path, 0};
		cursor->at++;
	} else {
		if (take_escaped(cursor, reader->path, &size) != 0)
			return -1;
		row->extension = (struct bytes){reader->path, size};
		if (!digests_take_mark(row))
			return refuse(cursor, "the size of a document in bytes");
	}
	if (take_blank(cursor) != 0)
		return -1;
	if (takes(cursor, DIGESTS_ANONYMOUS)) {
		if (name_anonymous(cursor, reader->path + room, row->extension, row) != 0)
			return -1;
	} else {
		const char *first = cursor->at;
		if (first == cursor->end || *first != '/')
			return refuse(cursor, "a path that begins with /, or ~ and 32 digits");
		if (take_escaped(cursor, reader->path + room, &size) != 0 ||
		    split_path(cursor, (struct bytes){reader->path + room, size}, row) != 0)
			return -1;
	}
	inner = inner_name(row->name);
	size = simhash_extension(inner.data, inner.size, &extension);
	for (size_t i = 0; i < size || i < row->extension.size; i++)
		if (size != row->extension.size ||
		    ascii_lower(extension[i]) != row->extension.data[i])
			return refuse(cursor, "the extension of the path");
	return 0;
}

/* To keep the sketches of a row, hold a reference. */
static int take_hashes(struct cursor *cursor, struct digest_reader *reader, struct file_row *row)
{
	uint8_t *bytes;

	if (reader->hashes == 0)
		return 0;
	if (row->sketches == NULL && make_sketches(cursor, reader) != 0)
		return -1;
	bytes = reader->sketches->bytes;
	for (int i = 0; i < FILE_HASHES; i++) {
		enum file_hash hash = (enum file_hash)i;
		bool is_known;
		if ((reader->hashes & 1U << i) == 0)
			continue;
		if (take_blank(cursor) != 0)
			return -1;
		is_known = !takes(cursor, '-');
		if (is_known && take_hex(cursor, bytes, file_hash_size(hash)) != 0)
			return -1;
		row_sketches_add_hash(reader->sketches, hash, is_known ? bytes : NULL);
		bytes += FILE_HASH_SIZE_MAX;
	}
	row->sketches = reader->sketches;
	return 0;
}

/* Parse the row of a line. Returns 1 or -1. */
static int take_row(struct cursor *cursor, struct digest_reader *reader, struct file_row *row)
{
	uint8_t directory[DIRECTORY_HASH_SIZE];
	uint64_t size;

	*row = (struct file_row){.host = 0};
	if (take_number(cursor, INT64_MAX, &size) != 0 || take_blank(cursor) != 0)
		return -1;
	row->size_bytes = (int64_t)size;
	if (take_time(cursor, &row->mtime_ns) != 0 || take_blank(cursor) != 0 ||
	    take_hex(cursor, row->content_hash, CONTENT_HASH_SIZE) != 0 ||
	    take_blank(cursor) != 0 || take_counts(cursor, row) != 0 || take_blank(cursor) != 0 ||
	    take_sketch(cursor, reader, row) != 0 || take_blank(cursor) != 0 ||
	    take_names(cursor, reader, row) != 0 || take_hashes(cursor, reader, row) != 0 ||
	    take_pieces(cursor, reader, row) != 0)
		return -1;
	if (cursor->at != cursor->end)
		return refuse(cursor, "the end of the line");
	directory_hash(row->directory, directory);
	path_hash(directory, row->name, row->path_hash);
	row_compute_keys(row, reader->tag_set);
	return 1;
}

/* ---- The end ---- */

/* Parse the last line; nothing may follow it. Returns 0 or -1. */
static int take_end(struct cursor *cursor, struct digest_reader *reader)
{
	uint64_t files;
	int status;

	cursor->at += strlen(DIGESTS_END " ");
	if (take_number(cursor, INT64_MAX, &files) != 0)
		return -1;
	if (cursor->at != cursor->end)
		return refuse(cursor, "the end of the line");
	if (files != reader->files)
		return error_set(cursor->error, SIMHASH_E_SYNTAX,
				 "%s has %llu files, and its last line counts %llu: some are "
				 "missing or there twice; get the list once more",
				 reader->lines.name, (unsigned long long)reader->files,
				 (unsigned long long)files);
	status = next_line(reader, cursor, cursor->error);
	return status == 1 ? refuse(cursor, "nothing after the last line") : status;
}

/* The list has no more lines. Returns 0 if it may end here, or -1. */
static int end_lines(const struct digest_reader *reader, struct simhash_error *error)
{
	if (reader->has_end)
		return error_set(
			error, SIMHASH_E_SYNTAX,
			"%s is cut off after %llu files: its last line, which counts them, "
			"is missing; get the list once more",
			reader->lines.name, (unsigned long long)reader->files);
	if (reader->files == 0)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "%s has no file after its heading; get the list once more",
				 reader->lines.name);
	return 0;
}

int digest_reader_next(struct digest_reader *reader, struct file_row *row,
		       struct simhash_error *error)
{
	struct cursor cursor;
	int status = next_line(reader, &cursor, error);

	if (status == 0)
		return end_lines(reader, error);
	if (status == 1 && reader->has_end && begins_with(&cursor, DIGESTS_END " "))
		return take_end(&cursor, reader);
	reader->files += status == 1;
	return status == 1 ? take_row(&cursor, reader, row) : status;
}

const char *digest_reader_doubt(const struct digest_reader *reader)
{
	return reader->has_sketches ? NULL
	       : reader->has_end    ? "an older simhash wrote this list: its sketches are not used"
				 : "an older simhash wrote this list, without an end mark: it may "
				   "have been cut off, and its sketches are not used";
}

struct bytes digest_reader_line(const struct digest_reader *reader)
{
	return reader->line;
}

int digest_reader_again(struct digest_reader *reader, struct bytes line, struct file_row *row,
			struct simhash_error *error)
{
	struct cursor cursor = cursor_at(reader, line, error);

	return take_row(&cursor, reader, row);
}

/* ---- Opening ---- */

int digest_reader_begin(struct list_lines *lines, struct digest_reader **reader,
			struct simhash_error *error)
{
	struct digest_reader *opened = calloc(1, sizeof *opened);

	*reader = NULL;
	if (opened == NULL) {
		list_lines_close(lines);
		return error_set_memory(error);
	}
	opened->lines = *lines;
	*lines = (struct list_lines){.text = NULL};
	if (digest_heading_read(opened, error) != 0) {
		digest_reader_close(opened);
		return -1;
	}
	*reader = opened;
	return 0;
}

int digest_reader_open(const char *path, struct digest_reader **reader, struct simhash_error *error)
{
	struct list_lines lines;

	*reader = NULL;
	if (list_lines_open(&lines, path, error) == 0)
		return digest_reader_begin(&lines, reader, error);
	list_lines_close(&lines);
	return -1;
}

void digest_reader_stop_at(struct digest_reader *reader, const atomic_bool *stop)
{
	list_source_stop_at(reader->lines.source, stop);
}

unsigned digest_reader_hashes(const struct digest_reader *reader)
{
	return reader->hashes;
}

const struct simhash_tag_set *digest_reader_tag_set(const struct digest_reader *reader)
{
	return reader->tag_set;
}

void digest_reader_close(struct digest_reader *reader)
{
	if (reader == NULL)
		return;
	list_lines_close(&reader->lines);
	simhash_tag_set_free(reader->tag_set);
	row_sketches_drop(reader->sketches);
	free(reader->pieces);
	free(reader->path);
	free(reader);
}
