/*
 * Replaces document.c in a build without expat, which extracts no text of documents.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>

#include "scan/document/document.h"

bool document_is_one(struct bytes file_name, struct bytes first_member)
{
	(void)file_name;
	(void)first_member;
	return false;
}

const char *document_library(void)
{
	return NULL;
}

struct document *document_new(void)
{
	errno = ENOTSUP;
	return NULL;
}

void document_free(struct document *document)
{
	(void)document;
}

bool document_has_part(struct bytes name)
{
	(void)name;
	return false;
}

void document_begin_part(struct document *document, struct bytes name)
{
	(void)document;
	(void)name;
}

void document_add(struct document *document, const void *bytes, size_t size, bool is_last)
{
	(void)document;
	(void)bytes;
	(void)size;
	(void)is_last;
}

int document_part_failure(struct document *document)
{
	(void)document;
	return 0;
}

struct document_dates document_own_dates(const struct document *document)
{
	(void)document;
	return (struct document_dates){.revision = 0};
}

int document_text(struct document *document, const char **text, size_t *size)
{
	(void)document;
	*text = NULL;
	*size = 0;
	return 0;
}
