/*
 * Extracts the text of a document that is a zip file: .docx, .pptx, .xlsx, .odt, .ods, .odp, .epub
 * and the like. The text consists of the parts that contain text, in the order of the document,
 * with a line for each paragraph. So two versions have nearly the same text even if an editor
 * rewrote all of their markup.
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

#include "base/basic/bytes.h"

/* The text is named as a member of the document. A document with a member of that name has none. */
#define DOCUMENT_TEXT_NAME "text"

struct document;

/* Is a zip file a document, by its own name, or by that of its first member? */
bool document_is_one(struct bytes file_name, struct bytes first_member);

/* NULL when memory is short, or with ENOTSUP in a build without expat. */
struct document *document_new(void);
void document_free(struct document *document); /* NULL is fine */

/* The version of the library that reads XML, or NULL. */
const char *document_library(void);

/* May a member of this name have text, or something to tell of it? */
bool document_has_part(struct bytes name);
/* The next member, whatever its name. One that was not read to its end is forgotten. */
void document_begin_part(struct document *document, struct bytes name);
/* Its bytes; `is_last` may come with none. Those of a member without text are passed over. */
void document_add(struct document *document, const void *bytes, size_t size, bool is_last);

/* Why the part that ended last was not read to its end, an errno or enum container_failure, once; 0. */
int document_part_failure(struct document *document);

/*
 * The text, which lives as long as the document; NULL where it has none. 0, or an errno or enum
 * container_failure.
 */
int document_text(struct document *document, const char **text, size_t *size);

#endif
