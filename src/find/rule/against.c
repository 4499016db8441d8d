/*
 * Reads a digest list and converts its files to rows of a host.
 * SPDX-License-Identifier: MIT
 */
#include "find/rule/against.h"

#include <string.h>

#include "base/basic/error.h"
#include "lists/digest_reader.h"

int against_open(struct against *against, const char *path, struct simhash_error *error)
{
	const char *slash = strrchr(path, '/');

	*against = (struct against){.path = path, .name = slash == NULL ? path : slash + 1};
	if (strcmp(path, "-") == 0)
		against->name = "stdin";
	return digest_reader_open(path, &against->reader, error);
}

const struct simhash_tag_set *against_tags(const struct against *against)
{
	return digest_reader_tag_set(against->reader);
}

int against_next(struct against *against, struct file_row *row, struct simhash_error *error)
{
	int status = digest_reader_next(against->reader, row, error);

	row->host = AGAINST_HOST;
	return status;
}

const char *against_doubt(const struct against *against)
{
	return digest_reader_doubt(against->reader);
}

void against_release(struct against *against)
{
	digest_reader_close(against->reader);
	*against = (struct against){.path = NULL};
}
