/*
 * Fuzzes the text of documents: parts with any bytes, passed in pieces of any size, give the same
 * text as in one piece, if they are complete. The text has no character that would be markup, and
 * sheets refer only to existing strings.
 * SPDX-License-Identifier: MIT
 */
#include <stdbool.h>

#include "fuzz.h"
#include "scan/document/document.h"
#include "scan/document/document_part.h"
#include "scan/file/container_kind.h"

#define PARTS_MAX 6

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

/* Names that determine the order of parts. */
static struct bytes name_of(unsigned number)
{
	static const char *const names[] = {
		"[Content_Types].xml", "word/document.xml", "content.xml",  "a/content.xml",
		"ppt/slide2.xml",      "ppt/slide10.xml",   "OPS/book.opf", "OPS/a b.xhtml",
		"OPS/../x.html",       "xl/sheet1.xml",	    "picture.png",  "text"};

	return bytes_of(names[number % (sizeof names / sizeof *names)]);
}

struct given {
	struct bytes name;
	const uint8_t *bytes;
	size_t size;
};

/* The text of these parts, passed in pieces of `piece` bytes; *why is the first failure. */
static struct document *read_all(const struct given *parts, size_t count, size_t piece,
				 const char **text, size_t *size, int *why)
{
	struct document *document = document_new();
	int last;

	EXPECT(document != NULL);
	*why = 0;
	for (size_t i = 0; i < count; i++) {
		size_t done = 0;
		document_begin_part(document, parts[i].name);
		do {
			size_t rest = parts[i].size - done, some = rest < piece ? rest : piece;
			document_add(document, parts[i].bytes + done, some, some == rest);
			done += some;
		} while (done < parts[i].size);
		last = document_part_failure(document);
		*why = *why == 0 ? last : *why;
	}
	last = document_text(document, text, size);
	(void)document_own_dates(document);
	*why = *why == 0 ? last : *why;
	return document;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	size_t count = take_byte(&in) % PARTS_MAX + 1u, piece = take_byte(&in) + 1u, sizes[2];
	struct document *documents[2];
	struct given parts[PARTS_MAX];
	const char *texts[2];
	size_t common;
	int why[2];

	for (size_t i = 0; i < count; i++) {
		parts[i].name = name_of(take_byte(&in));
		parts[i].bytes = take_bytes(&in, i + 1 == count ? SIZE_MAX : take_number(&in, 2),
					    &parts[i].size);
	}
	documents[0] = read_all(parts, count, SIZE_MAX, &texts[0], &sizes[0], &why[0]);
	documents[1] = read_all(parts, count, piece, &texts[1], &sizes[1], &why[1]);
	EXPECT(why[0] == why[1]);
	/* The place where expat notices an error depends on the pieces. */
	EXPECT(sizes[0] == sizes[1] || why[0] == CONTAINER_HAS_DAMAGED_TEXT);
	common = sizes[0] < sizes[1] ? sizes[0] : sizes[1];
	common -= sizes[0] != sizes[1] && common > 0; /* the end of the line */
	EXPECT(common == 0 || memcmp(texts[0], texts[1], common) == 0);
	EXPECT(why[0] == 0 || container_explain(why[0]) != NULL);
	EXPECT((texts[0] == NULL) == (sizes[0] == 0));
	for (size_t i = 0; i < sizes[0]; i++)
		EXPECT(texts[0][i] != '\r' && (unsigned char)texts[0][i] >= '\t');
	document_free(documents[0]);
	document_free(documents[1]);
	return 0;
}
