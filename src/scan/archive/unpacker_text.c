/*
 * Collects the parts of a document from the members of its archive and returns the document's text.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "scan/archive/unpacker_state.h"
#include "scan/document/document.h"

#define NAME_SIZE (sizeof DOCUMENT_TEXT_NAME - 1)

/* Is the text of the innermost document requested? */
static bool wants_text(struct unpacker *unpacker)
{
	struct bytes wanted = unpacker->request.wanted;
	size_t prefix_size = unpacker_top(unpacker)->prefix_size;

	return wanted.data == NULL ||
	       (wanted.size == prefix_size + NAME_SIZE &&
		memcmp(wanted.data, unpacker->name, prefix_size) == 0 &&
		memcmp(wanted.data + prefix_size, DOCUMENT_TEXT_NAME, NAME_SIZE) == 0);
}

bool unpacker_has_part(struct unpacker *unpacker)
{
	return unpacker_top(unpacker)->document != NULL && wants_text(unpacker) &&
	       document_has_part(unpacker_own_name(unpacker));
}

void unpacker_begin_part(struct unpacker *unpacker)
{
	struct document *document = unpacker_top(unpacker)->document;

	if (document != NULL && wants_text(unpacker))
		document_begin_part(document, unpacker_own_name(unpacker));
}

void unpacker_add_to_part(struct unpacker *unpacker, size_t size, bool is_last)
{
	struct document *document = unpacker_top(unpacker)->document;
	int why;

	if (document == NULL)
		return;
	document_add(document, unpacker->buffer, size, is_last);
	why = document_part_failure(document);
	if (why != 0)
		unpacker->later = why;
}

bool unpacker_begin_text(struct unpacker *unpacker, int *why)
{
	struct document *document = unpacker_top(unpacker)->document;
	size_t prefix_size = unpacker_top(unpacker)->prefix_size, size;
	const char *text = NULL;

	*why = document == NULL ? 0 : document_text(document, &text, &size);
	if (text == NULL || !wants_text(unpacker))
		return false;
	if (prefix_size + NAME_SIZE > CONTAINER_NAME_MAX) {
		*why = CONTAINER_HAS_LONG_NAME;
		return false;
	}
	memcpy(unpacker->name + prefix_size, DOCUMENT_TEXT_NAME, NAME_SIZE);
	unpacker->name_size = prefix_size + NAME_SIZE;
	unpacker->member = (struct member){.is_begun = true,
					   .is_emitted = true,
					   .text = text,
					   .text_size = size,
					   .dates = document_own_dates(document)};
	return true;
}

size_t unpacker_read_text(struct unpacker *unpacker)
{
	struct member *member = &unpacker->member;
	size_t size = member->text_size < PIECE_MAX ? member->text_size : PIECE_MAX;

	memcpy(unpacker->buffer, member->text, size);
	member->text += size;
	member->text_size -= size;
	return size;
}
