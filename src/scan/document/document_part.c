/*
 * Reads the XML of a part with expat. A table for each kind of part says which elements have text
 * and which end lines.
 * SPDX-License-Identifier: MIT
 */
#include "scan/document/document_part.h"

#include <errno.h>
#include <expat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "base/basic/seed.h"
#include "base/data/array.h"
#include "scan/document/document_names.h"
#include "scan/file/container_kind.h"

#define TOKEN_MAX (1 << 20) /* in bytes */
#define DEPTH_MAX 500

/* The treatment of an element. */
enum {
	TAKE = 1 << 0, /* its characters are text */
	SKIP = 1 << 1, /* ignore everything in it */
	LINE = 1 << 2, /* text before and after it is on different lines */
	CELL = 1 << 3, /* or separated by a tab */
	BLANK = 1 << 4,
	STRING = 1 << 5,     /* a shared string ends with it */
	SPREADSHEET = 1 << 6 /* in it, paragraphs are cells */
};

struct element {
	const char *name;
	unsigned action;
};

/* Fields of slides are numbers and dates. Moved text, and text with a fallback, occurs twice. */
static const struct element words[] = {{"t", TAKE},	   {"p", LINE},	  {"br", LINE},
				       {"cr", LINE},	   {"tab", CELL}, {"tabs", SKIP},
				       {"tabLst", SKIP},   {"fld", SKIP}, {"moveFrom", SKIP},
				       {"Fallback", SKIP}, {"rPh", SKIP}, {NULL, 0}};
static const struct element sheet[] = {{"t", TAKE},   {"v", TAKE},   {"c", CELL},
				       {"row", LINE}, {"rPh", SKIP}, {NULL, 0}};
static const struct element strings[] = {{"t", TAKE}, {"si", STRING}, {"rPh", SKIP}, {NULL, 0}};
static const struct element open_document[] = {{"p", TAKE | LINE},
					       {"h", TAKE | LINE},
					       {"s", BLANK},
					       {"tab", CELL},
					       {"line-break", LINE},
					       {"table-cell", CELL},
					       {"table-row", LINE},
					       {"spreadsheet", SPREADSHEET},
					       {"tracked-changes", SKIP},
					       {"annotation", SKIP},
					       {"note-citation", SKIP},
					       {"page-number", SKIP},
					       {"page-count", SKIP},
					       {"forms", SKIP},
					       {NULL, 0}};
static const struct element page[] = {{"body", TAKE},	    {"script", SKIP},  {"style", SKIP},
				      {"p", LINE},	    {"br", LINE},      {"div", LINE},
				      {"h1", LINE},	    {"h2", LINE},      {"h3", LINE},
				      {"h4", LINE},	    {"h5", LINE},      {"h6", LINE},
				      {"hr", LINE},	    {"li", LINE},      {"dt", LINE},
				      {"dd", LINE},	    {"tr", LINE},      {"td", CELL},
				      {"th", CELL},	    {"table", LINE},   {"caption", LINE},
				      {"pre", LINE},	    {"section", LINE}, {"article", LINE},
				      {"blockquote", LINE}, {"figure", LINE},  {"figcaption", LINE},
				      {"aside", LINE},	    {"header", LINE},  {"footer", LINE},
				      {"ul", LINE},	    {"ol", LINE},      {NULL, 0}};
static const struct element properties[] = {
	{"modified", TAKE | LINE}, {"created", TAKE | LINE}, {"revision", TAKE | LINE}, {NULL, 0}};
static const struct element open_properties[] = {{"date", TAKE | LINE},
						 {"creation-date", TAKE | LINE},
						 {"editing-cycles", TAKE | LINE},
						 {NULL, 0}};
static const struct element nothing[] = {{NULL, 0}};

static const struct {
	const char *name;
	enum part_kind kind;
	const struct element *elements;
} roots[] = {{"document", PART_WORDS, words},
	     {"footnotes", PART_FOOTNOTES, words},
	     {"endnotes", PART_ENDNOTES, words},
	     {"sld", PART_SLIDE, words},
	     {"notes", PART_NOTES, words},
	     {"worksheet", PART_SHEET, sheet},
	     {"sst", PART_STRINGS, strings},
	     {"document-content", PART_OPEN, open_document},
	     {"html", PART_PAGE, page},
	     {"package", PART_PACKAGE, nothing},
	     {"coreProperties", PART_PROPERTIES, properties},
	     {"document-meta", PART_PROPERTIES, open_properties}};

/* The separator between the previous text and the next, if any follows. */
enum gap { GAP_NONE, GAP_BLANK, GAP_TAB, GAP_LINE };

struct part_reader {
	XML_Parser parser;
	enum part_kind kind;
	const struct element *elements;
	unsigned depth, taken;	/* open elements, and how many of them have text */
	unsigned skipped_depth; /* of the skipped element; or 0 */
	bool is_spreadsheet, is_over;
	bool is_reference; /* the cell has the number of a shared string */
	bool is_number;	   /* or its own number, whose text begins at number_at */
	size_t number_at;
	enum gap gap;
	struct part_text text;
	size_t max_bytes;
	long long fed_bytes;
	struct document_names names; /* for a package */
	int why;
};

const char *part_library(void)
{
	return XML_ExpatVersion();
}

/* Stop reading the part. */
static void stop(struct part_reader *reader, int why)
{
	reader->why = why;
	reader->is_over = true;
	XML_StopParser(reader->parser, XML_FALSE);
}

/* ---- The text ---- */

static void append(struct part_reader *reader, const char *bytes, size_t size)
{
	struct part_text *text = &reader->text;
	struct simhash_error error;

	if (reader->is_over)
		return;
	if (size > reader->max_bytes - text->size) {
		stop(reader, CONTAINER_HAS_LONG_TEXT);
	} else if (array_reserve(&text->bytes, &text->capacity, text->size + size, 1, &error) !=
		   0) {
		stop(reader, ENOMEM);
	} else {
		memcpy(text->bytes + text->size, bytes, size);
		text->size += size;
	}
}

static void widen(struct part_reader *reader, enum gap gap)
{
	if (gap > reader->gap)
		reader->gap = gap;
}

static void append_word(struct part_reader *reader, const char *bytes, size_t size)
{
	static const char gaps[] = {'\0', ' ', '\t', '\n'};

	if (size == 0)
		return;
	if (reader->gap != GAP_NONE && reader->text.size > 0)
		append(reader, &gaps[reader->gap], 1);
	reader->gap = GAP_NONE;
	append(reader, bytes, size);
}

/* Return the size of the white space at the start of a text: ASCII, or a no-break space. */
static size_t blank_size(const char *text, size_t size)
{
	if (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r')
		return 1;
	return size >= 2 && text[0] == '\xc2' && text[1] == '\xa0' ? 2 : 0;
}

static void add_text(struct part_reader *reader, const char *text, size_t size)
{
	size_t word = 0;

	for (size_t i = 0; i < size;) {
		size_t blank = blank_size(text + i, size - i);
		if (blank == 0) {
			i++;
			continue;
		}
		append_word(reader, text + word, i - word);
		widen(reader, GAP_BLANK);
		i += blank;
		word = i;
	}
	append_word(reader, text + word, size - word);
}

/*
 * Editors write the same number with 15 or 17 digits, and with or without an exponent. Convert it
 * to 15 digits. Other text of a cell does not change.
 */
static void settle_number(struct part_reader *reader)
{
	struct part_text *text = &reader->text;
	char number[40], *end = number;
	size_t at = reader->number_at, size;
	double value;

	if (at < text->size && blank_size(text->bytes + at, text->size - at) > 0)
		at++;
	size = text->size - at;
	if (size == 0 || size >= sizeof number)
		return;
	memcpy(number, text->bytes + at, size);
	number[size] = '\0';
	if (strspn(number, "+-.0123456789Ee") != size)
		return;
	value = strtod(number, &end);
	if (*end != '\0' || !isfinite(value))
		return;
	snprintf(number, sizeof number, "%.15g", value);
	text->size = at;
	append(reader, number, strlen(number));
}

/* ---- Elements ---- */

static const char *local_name(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon == NULL ? name : colon + 1;
}

static const char *attribute(const XML_Char **attributes, const char *name)
{
	for (; *attributes != NULL; attributes += 2)
		if (strcmp(local_name(attributes[0]), name) == 0)
			return attributes[1];
	return NULL;
}

static unsigned action_of(const struct part_reader *reader, const char *name)
{
	const struct element *element = reader->elements;

	while (element->name != NULL && strcmp(element->name, name) != 0)
		element++;
	return element->action;
}

static void begin_root(struct part_reader *reader, const char *name)
{
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
		if (strcmp(roots[i].name, name) == 0) {
			reader->kind = roots[i].kind;
			reader->elements = roots[i].elements;
			return;
		}
	stop(reader, 0);
}

static void set_apart(struct part_reader *reader, unsigned action)
{
	bool is_cell = reader->is_spreadsheet && (action & TAKE) != 0;

	if ((action & LINE) != 0)
		widen(reader, is_cell ? GAP_TAB : GAP_LINE);
	if ((action & CELL) != 0)
		widen(reader, GAP_TAB);
	if ((action & BLANK) != 0)
		widen(reader, GAP_BLANK);
}

/* A book lists its files, and then their reading order. */
static void note_name(struct part_reader *reader, const char *name, const XML_Char **attributes)
{
	const char *reference;

	if (strcmp(name, "item") == 0) {
		int why = document_names_add(&reader->names, attribute(attributes, "id"),
					     attribute(attributes, "href"));
		if (why != 0)
			stop(reader, why);
	} else if (strcmp(name, "itemref") == 0) {
		reference = document_names_find(&reader->names, attribute(attributes, "idref"));
		if (reference != NULL)
			append(reader, reference, strlen(reference) + 1);
	}
}

static char property_mark(const char *name)
{
	if (name[0] == 'c')
		return PART_CREATED;
	return name[0] == 'r' || name[0] == 'e' ? PART_REVISION : PART_CHANGED;
}

static void start_element(void *user_data, const XML_Char *full_name, const XML_Char **attributes)
{
	struct part_reader *reader = user_data;
	const char *name = local_name(full_name), *type;
	unsigned action;

	if (++reader->depth == 1)
		begin_root(reader, name);
	if (reader->depth > DEPTH_MAX)
		stop(reader, CONTAINER_HAS_LONG_TEXT);
	if (reader->is_over || reader->skipped_depth > 0)
		return;
	if (reader->kind == PART_PACKAGE)
		note_name(reader, name, attributes);
	action = action_of(reader, name);
	if ((action & SKIP) != 0) {
		reader->skipped_depth = reader->depth;
		return;
	}
	if (reader->kind == PART_SHEET && strcmp(name, "c") == 0) {
		type = attribute(attributes, "t");
		reader->is_reference = type != NULL && strcmp(type, "s") == 0;
		reader->is_number = type == NULL || strcmp(type, "n") == 0;
	}
	reader->is_spreadsheet |= (action & SPREADSHEET) != 0;
	reader->taken += (action & TAKE) != 0;
	set_apart(reader, action);
	if (reader->kind == PART_PROPERTIES && (action & TAKE) != 0)
		append_word(reader, (char[]){property_mark(name)}, 1);
	if (strcmp(name, "v") == 0) {
		reader->number_at = reader->text.size;
		if (reader->is_reference)
			append_word(reader, (char[]){PART_STRING}, 1);
	}
}

static void end_element(void *user_data, const XML_Char *full_name)
{
	struct part_reader *reader = user_data;
	const char *name = local_name(full_name);
	unsigned action;

	if (reader->is_over)
		return;
	reader->depth--;
	if (reader->skipped_depth > 0) {
		if (reader->skipped_depth > reader->depth)
			reader->skipped_depth = 0;
		return;
	}
	action = action_of(reader, name);
	if ((action & TAKE) != 0)
		reader->taken--;
	if (reader->is_reference && strcmp(name, "v") == 0)
		append(reader, (char[]){PART_STRING}, 1);
	if (reader->is_number && strcmp(name, "v") == 0)
		settle_number(reader);
	if ((action & STRING) != 0) {
		append(reader, (char[]){PART_STRING}, 1);
		reader->gap = GAP_NONE;
	}
	set_apart(reader, action);
}

/* ---- Characters ---- */

static void characters(void *user_data, const XML_Char *text, int size)
{
	struct part_reader *reader = user_data;

	if (!reader->is_over && reader->skipped_depth == 0 && reader->taken > 0)
		add_text(reader, text, (size_t)size);
}

/* Handles entities that are declared elsewhere, such as those of XHTML. */
static void skipped_entity(void *user_data, const XML_Char *name, int is_parameter)
{
	char text[8];
	size_t size = is_parameter ? 0 : document_entity(name, text);

	if (size > 0)
		characters(user_data, text, (int)size);
}

/*
 * Stops at an entity declaration: documents do not need them, and one can expand to a thousand
 * times its size.
 */
static void declared_entity(void *user_data, const XML_Char *name, int is_parameter,
			    const XML_Char *value, int size, const XML_Char *base,
			    const XML_Char *system_id, const XML_Char *public_id,
			    const XML_Char *notation)
{
	(void)name;
	(void)is_parameter;
	(void)value;
	(void)size;
	(void)base;
	(void)system_id;
	(void)public_id;
	(void)notation;
	stop(user_data, CONTAINER_DECLARES_ENTITIES);
}

/* Newer versions of expat have other functions for the same purpose. */
static void set_salt(XML_Parser parser)
{
#if XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 8)
	const uint64_t halves[2] = {hash_seeded(0, 0), hash_seeded(1, 0)};
	uint8_t salt[16];

	memcpy(salt, halves, sizeof salt);
	XML_SetHashSalt16Bytes(parser, salt);
#else
	XML_SetHashSalt(parser, (unsigned long)hash_seeded(0, 0) | 1);
#endif
}

static int64_t present_byte(XML_Parser parser)
{
#if XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 9)
	return XML_GetCurrentByteIndex64(parser);
#else
	return XML_GetCurrentByteIndex(parser);
#endif
}

/* ---- A part ---- */

struct part_reader *part_reader_new(size_t max_bytes)
{
	struct part_reader *reader = calloc(1, sizeof *reader);
	XML_Parser parser = reader == NULL ? NULL : XML_ParserCreate(NULL);

	if (parser == NULL) {
		free(reader);
		return NULL;
	}
	reader->parser = parser;
	reader->elements = nothing;
	reader->max_bytes = max_bytes;
	XML_SetUserData(parser, reader);
	set_salt(parser);
	XML_SetElementHandler(parser, start_element, end_element);
	XML_SetCharacterDataHandler(parser, characters);
	XML_SetSkippedEntityHandler(parser, skipped_entity);
	XML_SetEntityDeclHandler(parser, declared_entity);
	/* Passes XHTML entities to the handler even if no DTD is named. */
	XML_UseForeignDTD(parser, XML_TRUE);
	return reader;
}

void part_reader_add(struct part_reader *reader, const void *bytes, size_t size, bool is_last)
{
	int64_t at;

	if (reader->is_over)
		return;
	reader->fed_bytes += (long long)size;
	if (XML_Parse(reader->parser, bytes, (int)size, is_last) != XML_STATUS_OK) {
		bool is_memory = XML_GetErrorCode(reader->parser) == XML_ERROR_NO_MEMORY;
		if (!reader->is_over && (is_memory || reader->kind != PART_NONE))
			reader->why = is_memory ? ENOMEM : CONTAINER_HAS_DAMAGED_TEXT;
		reader->is_over = true;
		return;
	}
	at = present_byte(reader->parser);
	if (!is_last && reader->fed_bytes - (at < 0 ? 0 : at) > TOKEN_MAX)
		stop(reader, reader->kind == PART_NONE ? 0 : CONTAINER_HAS_LONG_TEXT);
}

enum part_kind part_reader_end(struct part_reader *reader, struct part_text *text, int *why)
{
	enum part_kind kind = reader->kind;

	*text = reader->text;
	*why = reader->why;
	document_names_release(&reader->names);
	XML_ParserFree(reader->parser);
	free(reader);
	return kind;
}
