/*
 * Collects the parts of a document in the order of the archive, and joins their texts in the order
 * of the document.
 * SPDX-License-Identifier: MIT
 */
#include "scan/document/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/basic/ascii.h"
#include "base/data/array.h"
#include "scan/document/document_names.h"
#include "scan/document/document_part.h"
#include "scan/file/container_kind.h"

#define TEXT_MAX ((size_t)64 << 20) /* the maximum size of all parts and their names */

struct part {
	char *name;
	enum part_kind kind;
	struct part_text text;
};

struct document {
	struct part *parts;
	size_t count, capacity, bytes;
	struct part_reader *reader; /* the reader of the current part; or NULL */
	char *name;		    /* the name of the current part */
	bool has_own_text;	    /* a member has the same name as the text */
	int why;
	struct part_text text;
};

static const char *const extensions[] = {"docx", "docm", "dotx", "dotm", "xlsx", "xlsm", "xltx",
					 "xltm", "pptx", "pptm", "potx", "potm", "ppsx", "ppsm",
					 "odt",	 "ott",	 "odm",	 "ods",	 "ots",	 "odp",	 "otp",
					 "odg",	 "otg",	 "sxw",	 "sxc",	 "sxi",	 "epub"};
static const char *const first_members[] = {"mimetype", "[Content_Types].xml", "_rels/.rels"};

static bool ends_in(struct bytes name, const char *extension)
{
	size_t size = strlen(extension);

	return name.size > size + 1 && name.data[name.size - size - 1] == '.' &&
	       strncasecmp(name.data + name.size - size, extension, size) == 0;
}

static bool is_named(struct bytes name, const char *text)
{
	return name.size == strlen(text) && memcmp(name.data, text, name.size) == 0;
}

bool document_is_one(struct bytes file_name, struct bytes first_member)
{
	for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
		if (ends_in(file_name, extensions[i]))
			return true;
	for (size_t i = 0; i < sizeof first_members / sizeof *first_members; i++)
		if (is_named(first_member, first_members[i]))
			return true;
	return false;
}

const char *document_library(void)
{
	return part_library();
}

struct document *document_new(void)
{
	return calloc(1, sizeof(struct document));
}

/* ---- Collecting the parts ---- */

bool document_has_part(struct bytes name)
{
	static const char *const wanted[] = {"xml", "xhtml", "html", "htm", "opf"};
	bool is_wanted = is_named(name, DOCUMENT_TEXT_NAME);

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		is_wanted |= ends_in(name, wanted[i]);
	return is_wanted;
}

static void drop_part(struct document *document)
{
	struct part_text text;
	int why;

	if (document->reader != NULL) {
		part_reader_end(document->reader, &text, &why);
		free(text.bytes);
	}
	free(document->name);
	document->reader = NULL;
	document->name = NULL;
}

void document_begin_part(struct document *document, struct bytes name)
{
	size_t held = document->bytes + name.size;

	drop_part(document);
	if (is_named(name, DOCUMENT_TEXT_NAME))
		document->has_own_text = true;
	if (document->has_own_text || !document_has_part(name))
		return;
	document->why = CONTAINER_HAS_LONG_TEXT;
	if (held >= TEXT_MAX)
		return;
	document->name = strndup(name.data, name.size);
	document->reader = part_reader_new(TEXT_MAX - held);
	document->why = document->name == NULL || document->reader == NULL ? ENOMEM : 0;
	if (document->why != 0)
		drop_part(document);
}

/* OpenDocument has its text in one part; other parts of this kind belong to embedded objects. */
static bool is_kept(const char *name, enum part_kind kind, const struct part_text *text)
{
	return text->size > 0 && kind != PART_NONE &&
	       (kind != PART_OPEN || strchr(name, '/') == NULL);
}

static void end_part(struct document *document)
{
	struct simhash_error error;
	struct part_text text;
	enum part_kind kind = part_reader_end(document->reader, &text, &document->why);
	char *name = document->name;
	bool is_one = is_kept(name, kind, &text);

	document->reader = NULL;
	document->name = NULL;
	if (is_one && array_reserve(&document->parts, &document->capacity, document->count + 1,
				    sizeof *document->parts, &error) != 0) {
		document->why = ENOMEM;
		is_one = false;
	}
	if (!is_one) {
		free(text.bytes);
		free(name);
		return;
	}
	document->parts[document->count++] = (struct part){name, kind, text};
	document->bytes += strlen(name) + text.size;
}

void document_free(struct document *document)
{
	if (document == NULL)
		return;
	drop_part(document);
	for (size_t i = 0; i < document->count; i++) {
		free(document->parts[i].name);
		free(document->parts[i].text.bytes);
	}
	free(document->parts);
	free(document->text.bytes);
	free(document);
}

void document_add(struct document *document, const void *bytes, size_t size, bool is_last)
{
	if (document->reader == NULL)
		return;
	part_reader_add(document->reader, bytes, size, is_last);
	if (is_last)
		end_part(document);
}

int document_part_failure(struct document *document)
{
	int why = document->why;

	document->why = 0;
	return why;
}

/* ---- The text ---- */

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return document_compare_names(x->name, y->name);
}

/* Return the first part of a kind, or NULL. Parts are sorted. */
static const struct part *first_of(const struct document *document, enum part_kind kind)
{
	for (size_t i = 0; i < document->count; i++)
		if (document->parts[i].kind == kind)
			return &document->parts[i];
	return NULL;
}

static int append(struct part_text *text, const char *bytes, size_t size)
{
	struct simhash_error error;

	if (size == 0)
		return 0;
	if (size > TEXT_MAX - text->size)
		return CONTAINER_HAS_LONG_TEXT;
	if (array_reserve(&text->bytes, &text->capacity, text->size + size, 1, &error) != 0)
		return ENOMEM;
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	return 0;
}

static int append_part(struct part_text *text, const struct part *part)
{
	int why = append(text, part->text.bytes, part->text.size);

	return why == 0 ? append(text, "\n", 1) : why;
}

/* Shared strings, indexed by their numbers. */
struct shared {
	struct bytes *strings;
	size_t count, capacity;
};

static int list_strings(const struct part *part, struct shared *shared)
{
	const char *at = part->text.bytes, *end = at + part->text.size, *string_end;
	struct simhash_error error;

	while ((string_end = memchr(at, PART_STRING, (size_t)(end - at))) != NULL) {
		if (array_reserve(&shared->strings, &shared->capacity, shared->count + 1,
				  sizeof *shared->strings, &error) != 0)
			return ENOMEM;
		shared->strings[shared->count++] = (struct bytes){at, (size_t)(string_end - at)};
		at = string_end + 1;
	}
	return 0;
}

/* Return the shared string with this number, as text of a cell. */
static struct bytes shared_string(const struct shared *shared, const char *number, size_t size)
{
	size_t value = 0;

	for (size_t i = 0; i < size; i++) {
		if (!ascii_is_digit(number[i]) || value > shared->count)
			return (struct bytes){"", 0};
		value = value * 10 + (size_t)(number[i] - '0');
	}
	return value < shared->count ? shared->strings[value] : (struct bytes){"", 0};
}

static int append_sheet(struct part_text *text, const struct part *part,
			const struct shared *shared)
{
	const char *at = part->text.bytes, *end = at + part->text.size, *mark;
	int why = 0;

	while (why == 0 && (mark = memchr(at, PART_STRING, (size_t)(end - at))) != NULL) {
		const char *number = mark + 1;
		const char *number_end = memchr(number, PART_STRING, (size_t)(end - number));
		struct bytes string;
		if (number_end == NULL) { /* the part ended early */
			end = mark;
			break;
		}
		string = shared_string(shared, number, (size_t)(number_end - number));
		why = append(text, at, (size_t)(mark - at));
		if (why == 0 && string.size > 0)
			why = append(text, string.data, string.size);
		at = number_end + 1;
	}
	if (why == 0)
		why = append(text, at, (size_t)(end - at));
	return why == 0 ? append(text, "\n", 1) : why;
}

static int append_sheets(struct document *document)
{
	const struct part *strings = first_of(document, PART_STRINGS);
	struct shared shared = {NULL, 0, 0};
	int why = strings == NULL ? 0 : list_strings(strings, &shared);

	for (size_t i = 0; why == 0 && i < document->count; i++)
		if (document->parts[i].kind == PART_SHEET)
			why = append_sheet(&document->text, &document->parts[i], &shared);
	free(shared.strings);
	return why;
}

/* Find the page with this name. */
static const struct part *find_page(const struct document *document, char *name)
{
	const struct part wanted = {.name = name, .kind = PART_PAGE};

	return bsearch(&wanted, document->parts, document->count, sizeof wanted, compare_parts);
}

/* Append the pages of a book in the order of its spine; without a spine, sorted by name. */
static int append_pages(struct document *document)
{
	const struct part *package = first_of(document, PART_PACKAGE), *part;
	const char *at = package == NULL ? NULL : package->text.bytes;
	const char *end = package == NULL ? NULL : at + package->text.size;
	int why = 0;

	while (why == 0 && at != end) {
		char *name = malloc(strlen(package->name) + strlen(at) + 1);
		if (name == NULL)
			return ENOMEM;
		document_resolve(package->name, at, name);
		part = find_page(document, name);
		free(name);
		why = part == NULL ? 0 : append_part(&document->text, part);
		at += strlen(at) + 1;
	}
	for (size_t i = 0; package == NULL && why == 0 && i < document->count; i++)
		if (document->parts[i].kind == PART_PAGE)
			why = append_part(&document->text, &document->parts[i]);
	return why;
}

/* Take the next line of the properties. */
static struct bytes next_line(struct bytes *text)
{
	const char *end = text->size == 0 ? NULL : memchr(text->data, '\n', text->size);
	struct bytes line = {text->data, end == NULL ? text->size : (size_t)(end - text->data)};

	text->data += line.size + (end != NULL);
	text->size -= line.size + (end != NULL);
	return line;
}

struct document_dates document_own_dates(const struct document *document)
{
	const struct part *part = first_of(document, PART_PROPERTIES);
	struct bytes text = part == NULL ? (struct bytes){NULL, 0}
					 : (struct bytes){part->text.bytes, part->text.size};
	struct document_dates dates = {0, 0, 0};

	while (text.size > 0) {
		struct bytes line = next_line(&text);
		struct bytes value;
		if (line.size == 0)
			continue;
		value = (struct bytes){line.data + 1, line.size - 1};
		if (line.data[0] == PART_CHANGED)
			dates.changed_ns = document_time_parse(value);
		else if (line.data[0] == PART_CREATED)
			dates.created_ns = document_time_parse(value);
		else if (line.data[0] == PART_REVISION)
			dates.revision = document_revision_parse(value);
	}
	return dates;
}

int document_text(struct document *document, const char **text, size_t *size)
{
	int why = 0;

	*text = NULL;
	*size = 0;
	if (document->has_own_text)
		return 0;
	if (document->count > 0)
		qsort(document->parts, document->count, sizeof *document->parts, compare_parts);
	for (size_t i = 0; why == 0 && i < document->count; i++)
		if (document->parts[i].kind < PART_SHEET || document->parts[i].kind == PART_OPEN)
			why = append_part(&document->text, &document->parts[i]);
	if (why == 0)
		why = append_sheets(document);
	if (why == 0)
		why = append_pages(document);
	*text = why == 0 && document->text.size > 0 ? document->text.bytes : NULL;
	*size = *text == NULL ? 0 : document->text.size;
	return why;
}
