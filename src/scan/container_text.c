/*
 * The text of the documents that containers are: their members are its parts.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <string.h>

#include "scan/container_state.h"
#include "scan/content.h"
#include "scan/document.h"

#define NAME_SIZE (sizeof DOCUMENT_TEXT_NAME - 1)

/* Is the text of the innermost document asked for? */
static bool wants_text(struct container *container)
{
	const struct extraction *wanted = container->wanted;
	size_t prefix_size = container_top(container)->prefix_size;

	return wanted == NULL ||
	       (wanted->name.size == prefix_size + NAME_SIZE &&
		memcmp(wanted->name.data, container->name, prefix_size) == 0 &&
		memcmp(wanted->name.data + prefix_size, DOCUMENT_TEXT_NAME, NAME_SIZE) == 0);
}

bool container_has_part(struct container *container)
{
	return container_top(container)->document != NULL && wants_text(container) &&
	       document_has_part(container_own_name(container));
}

void container_begin_part(struct container *container)
{
	struct document *document = container_top(container)->document;

	if (document != NULL && wants_text(container))
		document_begin_part(document, container_own_name(container));
}

void container_add_to_part(struct container *container, size_t size, bool is_last)
{
	struct document *document = container_top(container)->document;
	int why;

	if (document == NULL)
		return;
	document_add(document, container->scanner->buffer, size, is_last);
	why = document_part_failure(document);
	if (why != 0)
		container->later = why;
}

static enum container_answer take_text(struct container *container, const char *text, size_t size,
				       struct file_row *row)
{
	size_t prefix_size = container_top(container)->prefix_size;

	if (prefix_size + NAME_SIZE > CONTAINER_NAME_MAX)
		return CONTAINER_END;
	memcpy(container->name + prefix_size, DOCUMENT_TEXT_NAME, NAME_SIZE);
	container->name_size = prefix_size + NAME_SIZE;
	row->name = (struct bytes){container->name, container->name_size};
	row->size_bytes = (int64_t)size;
	if (container->wanted == NULL)
		return content_scan(container->scanner, text, size, row) == SCAN_DONE
			       ? CONTAINER_MEMBER
			       : CONTAINER_END;
	if (size == container->wanted->size)
		memcpy(container->wanted->bytes, text, size);
	return CONTAINER_MEMBER;
}

enum container_answer container_end_document(struct container *container, struct file_row *row,
					     int *why)
{
	struct document *document = container_top(container)->document;
	const char *text = NULL;
	size_t size;

	*why = document == NULL ? 0 : document_text(document, &text, &size);
	if (text == NULL || !wants_text(container))
		return CONTAINER_END;
	errno = 0;
	if (take_text(container, text, size, row) == CONTAINER_MEMBER)
		return CONTAINER_MEMBER;
	*why = errno == 0 ? CONTAINER_HAS_LONG_NAME : errno;
	return CONTAINER_END;
}
