/*
 * Holds the texts of documents in memory during a search of all files, by the content hashes of their
 * documents. So all files with one content have one text, even if only some of them were examined.
 *
 *     texts_read(&texts, store, tag_set, &error);
 *     text = texts_find(texts, row->content_hash);
 *     texts_free(texts);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_TEXTS_H
#define SIMHASH_FIND_TEXTS_H

#include "store/row/file_row.h"

struct store;
struct texts;

struct text {
	uint8_t content_hash[CONTENT_HASH_SIZE]; /* of the document */
	int64_t size_bytes;			 /* of the text */
	struct document_dates dates;		 /* of the document */
	struct simhash_sum_table table;
	bool has_resemblance;
	struct simhash_resemblance_sketch resemblance;
};

/* Read all texts of a tag set. Reads the whole table. The caller frees them, also after an error. */
int texts_read(struct texts **texts, struct store *store, int64_t tag_set,
	       struct simhash_error *error);
void texts_free(struct texts *texts); /* NULL is allowed */

size_t texts_count(const struct texts *texts); /* NULL has none */
/* Does the index have members of archives, besides texts? */
bool texts_have_archives(const struct texts *texts);

/* Return the text of the documents with this content, or NULL. Any number of threads may call it. */
const struct text *texts_find(const struct texts *texts,
			      const uint8_t content_hash[CONTENT_HASH_SIZE]);

/*
 * Turn the row of a text into the row of its document, whose counts and sketch are the counts and the
 * sketch of the text. *document_bytes is the size of the document; `size_bytes` stays the size of the
 * text. The names point into the names of the row. The extension is missing.
 */
void text_row_as_document(struct file_row *row, int64_t *document_bytes);

#endif
