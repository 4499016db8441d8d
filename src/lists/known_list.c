/*
 * Reads lists of hashes in all of their formats. It skips file names, and rejects a field that
 * should be a hash and is not. A misread list would exclude nothing, and nobody would notice.
 * SPDX-License-Identifier: MIT
 */
#include "lists/known_list.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "lists/digest_reader.h"
#include "lists/digest_text.h"
#include "lists/known_database.h"
#include "lists/list_lines.h"

#define COLUMNS_MAX 32

const char *const known_format_names[] = {"auto", "digests", "nsrl", "hashdeep",
					  "sums", "xxh128",  NULL};

struct known_list {
	const char *name;
	enum known_format format;
	struct list_lines lines;
	struct digest_reader *digests; /* instead of lines */
	struct known_database *database;
	bool has_hash;
	/*
	 * For a table: the kind of hash in each column, or none. No hash follows the last column.
	 */
	unsigned column[COLUMNS_MAX], columns;
};

#define NO_KIND KNOWN_KINDS

/* The position in a line. */
struct known_line {
	const struct known_list *list;
	struct bytes text;
	size_t at;
	struct simhash_error *error;
};

static int refuse(const struct known_line *line, const char *expected)
{
	return list_lines_refuse(&line->list->lines, line->at, expected, line->error);
}

static bool begins_with(struct bytes text, const char *beginning)
{
	size_t size = strlen(beginning);

	return text.size >= size && memcmp(text.data, beginning, size) == 0;
}

static bool is_text(struct bytes text, const char *other)
{
	return text.size == strlen(other) && begins_with(text, other);
}

/* ---- Hashes ---- */

static size_t count_digits(struct bytes text, size_t at)
{
	size_t digits = 0;

	while (at + digits < text.size && hex_digit(text.data[at + digits]) >= 0)
		digits++;
	return digits;
}

static int take_hash(struct known_line *line, unsigned kind, struct known_hashes *hashes)
{
	size_t size = known_kind_size(kind);
	const char *digits = line->text.data + line->at;

	if (count_digits(line->text, line->at) != 2 * size)
		return refuse(line, size == 16	 ? "32 hexadecimal digits"
				    : size == 20 ? "40 hexadecimal digits"
						 : "64 hexadecimal digits");
	for (size_t i = 0; i < size; i++)
		hashes->hash[kind][i] = (uint8_t)hex_byte(digits + 2 * i);
	hashes->found |= 1U << kind;
	line->at += 2 * size;
	return 0;
}

/* ---- Tables ---- */

/* Enter a field: go after its quote, if it has one. */
static bool enter_field(struct known_line *line)
{
	bool is_quoted = line->at < line->text.size && line->text.data[line->at] == '"';

	line->at += is_quoted;
	return is_quoted;
}

/* Go to the comma after a field, or to the end of the line. */
static int leave_field(struct known_line *line, bool is_quoted)
{
	const char *text = line->text.data;
	size_t size = line->text.size;

	for (; is_quoted && line->at < size; line->at++) {
		if (text[line->at] != '"')
			continue;
		if (line->at + 1 < size && text[line->at + 1] == '"')
			line->at++;
		else
			break;
	}
	if (is_quoted && line->at == size)
		return refuse(line, "a quote that ends the field");
	line->at += is_quoted;
	while (!is_quoted && line->at < size && text[line->at] != ',')
		line->at++;
	return line->at == size || text[line->at] == ',' ? 0 : refuse(line, "a comma");
}

static unsigned kind_of_column(struct bytes name)
{
	static const struct {
		const char *name;
		unsigned kind;
	} names[] = {
		{"MD5", FILE_HASH_MD5},	      {"md5", FILE_HASH_MD5},
		{"SHA-1", FILE_HASH_SHA1},    {"sha1", FILE_HASH_SHA1},
		{"SHA1", FILE_HASH_SHA1},     {"SHA-256", FILE_HASH_SHA256},
		{"sha256", FILE_HASH_SHA256}, {"SHA256", FILE_HASH_SHA256},
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (is_text(name, names[i].name))
			return names[i].kind;
	return NO_KIND;
}

/* Find the hash columns by their names. False if there are none. */
static bool take_columns(struct known_list *list, struct bytes names)
{
	struct simhash_error ignored;
	struct known_line line = {list, names, 0, &ignored};

	list->columns = 0;
	for (unsigned column = 0; column < COLUMNS_MAX && line.at < names.size; column++) {
		bool is_quoted = enter_field(&line);
		size_t begin = line.at;
		if (leave_field(&line, is_quoted) != 0)
			break;
		list->column[column] = kind_of_column(
			(struct bytes){names.data + begin, line.at - begin - is_quoted});
		if (list->column[column] != NO_KIND)
			list->columns = column + 1;
		line.at++;
	}
	return list->columns > 0;
}

static int take_row(struct known_line *line, struct known_hashes *hashes)
{
	for (unsigned column = 0; column < line->list->columns; column++) {
		unsigned kind = line->list->column[column];
		bool is_quoted;
		if (column > 0 && line->at == line->text.size)
			return refuse(line, "as many fields as columns");
		line->at += column > 0;
		is_quoted = enter_field(line);
		if (kind != NO_KIND && take_hash(line, kind, hashes) != 0)
			return -1;
		if (leave_field(line, is_quoted) != 0)
			return -1;
	}
	return 0;
}

/* ---- Sums ---- */

/* Parse "SHA256 (name) = hash"; the name may contain anything. */
static bool find_tagged(struct known_line *line, unsigned *kind)
{
	static const char *const names[] = {"MD5 (", "SHA1 (", "SHA256 (", "XXH128 ("};
	struct bytes text = line->text;

	for (unsigned i = 0; i < KNOWN_KINDS; i++) {
		size_t digits = 2 * known_kind_size(i);
		if (!begins_with(text, names[i]) || text.size < strlen(names[i]) + 4 + digits)
			continue;
		line->at = text.size - digits;
		*kind = i;
		return memcmp(text.data + line->at - 4, ") = ", 4) == 0;
	}
	return false;
}

static int take_sum(struct known_line *line, struct known_hashes *hashes)
{
	bool is_content = line->list->format == KNOWN_XXH128;
	unsigned kind = is_content ? KNOWN_CONTENT : 0;
	struct bytes text = line->text;

	if (find_tagged(line, &kind))
		return take_hash(line, kind, hashes);
	line->at = text.data[0] == '\\'; /* a backslash means that the name has escaped bytes */
	while (!is_content && kind < FILE_HASHES &&
	       count_digits(text, line->at) != 2 * known_kind_size(kind))
		kind++;
	if (!is_content && kind == FILE_HASHES)
		return refuse(line, "an MD5, SHA-1 or SHA-256 hash of 32, 40 or 64 digits");
	if (take_hash(line, kind, hashes) != 0)
		return -1;
	return line->at == text.size || text.data[line->at] == ' ' || text.data[line->at] == '\t'
		       ? 0
		       : refuse(line, "a blank and a name, or the end of the line");
}

/* ---- Forms ---- */

static struct bytes without_return(struct bytes text)
{
	if (text.size > 0 && text.data[text.size - 1] == '\r')
		text.size--;
	return text;
}

/*
 * The first line determines the format. The first line of a table is consumed; other first lines
 * are read again.
 */
static int recognize(struct known_list *list, struct simhash_error *error)
{
	struct bytes line = {"", 0};
	int status = list_lines_peek(&list->lines, &line, error);
	bool is_guess = list->format == KNOWN_BY_FORM;

	if (status <= 0)
		return status;
	line = without_return(line);
	if (begins_with(line, "SQLite format 3"))
		return error_set(
			error, SIMHASH_E_SYNTAX,
			"%s is an SQLite file; inflate it, and name it as --known=nsrl:FILE",
			list->name);
	if (is_guess)
		list->format = begins_with(line, "simhash-digests ") ? KNOWN_DIGESTS
			       : begins_with(line, "%%%% HASHDEEP")  ? KNOWN_HASHDEEP
			       : take_columns(list, line)	     ? KNOWN_NSRL
								     : KNOWN_SUMS;
	if (list->format == KNOWN_HASHDEEP &&
	    ((status = list_lines_next(&list->lines, &line, error)) != 1 ||
	     (status = list_lines_peek(&list->lines, &line, error)) != 1))
		return status < 0 ? -1
				  : list_lines_refuse(&list->lines, 0,
						      "a line with the names of columns after it",
						      error);
	if (list->format != KNOWN_NSRL && list->format != KNOWN_HASHDEEP)
		return 0;
	line = without_return(line);
	if (begins_with(line, "%%%% ")) {
		line.data += 5;
		line.size -= 5;
	}
	if (!take_columns(list, line)) {
		list->lines.line++;
		return list_lines_refuse(&list->lines, 0,
					 "the names of columns, MD5, SHA-1 or SHA-256 among them",
					 error);
	}
	return list_lines_next(&list->lines, &line, error) < 0 ? -1 : 0;
}

int known_list_open(const char *path, enum known_format format, struct known_list **list,
		    struct simhash_error *error)
{
	struct known_list *opened = calloc(1, sizeof *opened);

	*list = NULL;
	if (opened == NULL)
		return error_set_memory(error);
	opened->format = format;
	if ((format == KNOWN_BY_FORM || format == KNOWN_NSRL) && is_database(path)) {
		opened->name = path;
		if (known_database_open(path, &opened->database, error) != 0)
			goto failed;
		*list = opened;
		return 0;
	}
	if (list_lines_open(&opened->lines, path, error) != 0)
		goto failed;
	opened->name = opened->lines.name;
	opened->lines.may_end_open = true;
	if (recognize(opened, error) != 0)
		goto failed;
	if (opened->format == KNOWN_DIGESTS) {
		opened->lines.may_end_open = false;
		if (digest_reader_begin(&opened->lines, &opened->digests, error) != 0)
			goto failed;
	}
	*list = opened;
	return 0;
failed:
	known_list_close(opened);
	return -1;
}

void known_list_close(struct known_list *list)
{
	if (list == NULL)
		return;
	known_database_close(list->database);
	digest_reader_close(list->digests);
	list_lines_close(&list->lines);
	free(list);
}

static int next_digest(const struct known_list *list, struct known_hashes *hashes,
		       struct simhash_error *error)
{
	struct file_row row;
	int status = digest_reader_next(list->digests, &row, error);

	if (status != 1)
		return status;
	memcpy(hashes->hash[KNOWN_CONTENT], row.content_hash, CONTENT_HASH_SIZE);
	hashes->found = 1U << KNOWN_CONTENT;
	return 1;
}

static int next_line(struct known_list *list, struct known_hashes *hashes,
		     struct simhash_error *error)
{
	struct known_line line = {list, {"", 0}, 0, error};
	int status;

	while ((status = list_lines_next(&list->lines, &line.text, error)) == 1) {
		line.text = without_return(line.text);
		if (line.text.size == 0 || line.text.data[0] == '#')
			continue;
		status = list->columns > 0 ? take_row(&line, hashes) : take_sum(&line, hashes);
		return status == 0 ? 1 : -1;
	}
	return status;
}

int known_list_next(struct known_list *list, struct known_hashes *hashes,
		    struct simhash_error *error)
{
	int status;

	hashes->found = 0;
	status = list->database != NULL	 ? known_database_next(list->database, hashes, error)
		 : list->digests != NULL ? next_digest(list, hashes, error)
					 : next_line(list, hashes, error);
	list->has_hash = list->has_hash || status == 1;
	if (status != 0 || list->has_hash ||
	    (list->digests == NULL && list->database == NULL && !list->lines.has_bytes))
		return status;
	return error_set(error, SIMHASH_E_SYNTAX,
			 "%s has no hash, so it would leave out nothing; get the complete list, or "
			 "omit --known",
			 list->name);
}

const char *known_list_doubt(const struct known_list *list)
{
	if (list->digests != NULL)
		return digest_reader_doubt(list->digests);
	if (list->database != NULL)
		return NULL;
	if (!list->lines.has_bytes)
		return "the list is empty";
	return list->lines.ended_open ? "the last line has no end: the list may have been cut off"
				      : NULL;
}
