/*
 * Extracts the text of one part of a document, which is an XML file. It removes the markup;
 * paragraphs become lines, and tabs separate cells. White space between words becomes one blank, so
 * the text does not depend on the layout of the markup.
 *
 *     reader = part_reader_new(max_bytes);
 *     part_reader_add(reader, bytes, size, is_last);
 *     kind = part_reader_end(reader, &text, &why);
 *
 * The root element determines the kind of a part, regardless of the part's name. Namespace prefixes
 * are ignored. Nothing outside the part is read, and a part that declares entities is rejected. The
 * parser's memory is limited: a tag, an attribute or a comment to 1 MiB, nested elements to 500.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_DOCUMENT_PART_H
#define SIMHASH_SCAN_DOCUMENT_PART_H

#include <stdbool.h>
#include <stddef.h>

/* The order of the parts in the text of a document. */
enum part_kind {
	PART_NONE,
	PART_WORDS, /* the main part of a .docx */
	PART_FOOTNOTES,
	PART_ENDNOTES,
	PART_SLIDE, /* a slide of a .pptx */
	PART_NOTES,
	/*
	 * A sheet of an .xlsx. A cell with a shared string has the number of the string between two
	 * PART_STRING.
	 */
	PART_SHEET,
	PART_OPEN,    /* content.xml of OpenDocument */
	PART_PAGE,    /* a page of an .epub, in XHTML */
	PART_STRINGS, /* the shared strings of an .xlsx, each terminated by PART_STRING */
	/* The package of an .epub: the references of its spine, each terminated by a zero. */
	PART_PACKAGE,
	/* Of docProps/core.xml or meta.xml: a line for each property, which begins with its mark. */
	PART_PROPERTIES
};

/* The marks of properties: the times of the last change and of the creation, and the revision. */
enum { PART_CHANGED = 'm', PART_CREATED = 'c', PART_REVISION = 'r' };

/* An XML file cannot have this character. */
#define PART_STRING '\1'

struct part_text {
	char *bytes;
	size_t size, capacity;
};

struct part_reader;

/* NULL if memory is short. */
struct part_reader *part_reader_new(size_t max_bytes);
void part_reader_add(struct part_reader *reader, const void *bytes, size_t size, bool is_last);

/*
 * Free the reader. The caller owns the text. *why is 0, or the errno or enum container_failure that
 * ended the part early; the text is then the part before it.
 */
enum part_kind part_reader_end(struct part_reader *reader, struct part_text *text, int *why);

/* Return the version of the library that reads XML, or NULL. */
const char *part_library(void);

#endif
