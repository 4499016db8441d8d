/*
 * Reading a digest list as rows of a host.
 * SPDX-License-Identifier: MIT
 */
#include "find/against.h"

#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "scan/digest_reader.h"

int against_open(struct against *against, const char *path, struct simhash_error *error)
{
	const char *slash = strrchr(path, '/');

	*against = (struct against){.path = path, .name = slash == NULL ? path : slash + 1};
	if (strcmp(path, "-") == 0)
		against->name = "stdin";
	return digest_reader_open(path, &against->first, error);
}

const struct simhash_tag_set *against_tags(const struct against *against)
{
	return digest_reader_tag_set(against->first);
}

int against_begin(struct against *against, struct simhash_error *error)
{
	struct stat file;

	if (!against->has_begun) {
		against->has_begun = true;
		return 0;
	}
	if (strcmp(against->path, "-") == 0 || stat(against->path, &file) != 0 ||
	    !S_ISREG(file.st_mode))
		return error_set(error, SIMHASH_E_RANGE,
				 "cannot read %s twice, as this search has to; expected a file",
				 against->path);
	digest_reader_close(against->again);
	against->again = NULL;
	return digest_reader_open(against->path, &against->again, error);
}

int against_next(struct against *against, struct file_row *row, struct simhash_error *error)
{
	int status = digest_reader_next(against->again == NULL ? against->first : against->again,
					row, error);

	row->host = AGAINST_HOST;
	return status;
}

void against_release(struct against *against)
{
	digest_reader_close(against->again);
	digest_reader_close(against->first);
	*against = (struct against){.path = NULL};
}
