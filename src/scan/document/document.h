/*
 * Extracts the text of a document that is a zip file: .docx, .pptx, .xlsx, .odt, .ods, .odp, .epub
 * and similar. The text consists of the parts with text, in the order of the document, with a line
 * for each paragraph. So two versions have nearly the same text even if an editor rewrote all of
 * their markup.
 *
 *     document = document_new();
 *     ... for each member, in the order of the archive:
 *     document_begin_part(document, name);
 *     ... document_add(document, bytes, size, is_last);
 *     why = document_part_failure(document);
 *     why = document_text(document, &text, &size);
 *
 * Root elements determine the kinds of parts. Slides, notes and sheets come in the order of the
 * numbers in their names, the pages of a book in the order of its spine. The text has at most 64
 * MiB.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_DOCUMENT_H
#define SIMHASH_SCAN_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "base/text/document_dates.h"

/*
 * The text has the name of a member of the document. If a real member has this name, there is no
 * text.
 */
#define DOCUMENT_TEXT_NAME "text"

struct document;

/* Is a zip file a document, by its own name, or by the name of its first member? */
bool document_is_one(struct bytes file_name, struct bytes first_member);

/* NULL if memory is short, or with ENOTSUP in a build without expat. */
struct document *document_new(void);
void document_free(struct document *document); /* NULL is allowed */

/* Return the version of the library that reads XML, or NULL. */
const char *document_library(void);

/* Can a member of this name have text, or information about text? */
bool document_has_part(struct bytes name);
/* Begin the next member, of any name. If the previous member was not complete, it is discarded. */
void document_begin_part(struct document *document, struct bytes name);
/* Add bytes of the member; `is_last` may come with 0 bytes. Members without text are ignored. */
void document_add(struct document *document, const void *bytes, size_t size, bool is_last);

/*
 * Return why the last part was not read to its end, an errno or enum container_failure, once; or 0.
 */
int document_part_failure(struct document *document);

/*
 * Get the text, which lives as long as the document; NULL if it has none. Returns 0, or an errno or
 * enum container_failure.
 */
int document_text(struct document *document, const char **text, size_t *size);

/* Return what the document's own properties say about its age. Call it after document_text. */
struct document_dates document_own_dates(const struct document *document);

#endif
