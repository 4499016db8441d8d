/*
 * Reads the sides of --between and --directories, which may be on other hosts.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "cli/options/find_values.h"
#include "store/engine/default_index.h"

/*
 * Parses "HOST:", "HOST:/DIRECTORY" or a directory of this host. Instead of a directory, it may be
 * an archive, or a folder or member in one: "ARCHIVE//FOLDER". Messages begin with --`option`.
 */
static int parse_side(const char *option, const char *text, char **owned, struct find_side *side,
		      struct simhash_error *error)
{
	size_t host = 0;
	char *path;

	while (is_host_character(text[host]))
		host++;
	*side = (struct find_side){.host = NULL};
	if (host > 0 && text[host] == ':') {
		*owned = strdup(text);
		if (*owned == NULL)
			return error_set_memory(error);
		(*owned)[host] = '\0';
		side->host = *owned;
		path = *owned + host + 1;
		if (path[0] != '\0' && path[0] != '/')
			return error_set(error, SIMHASH_E_SYNTAX,
					 "--%s '%s': expected an absolute directory after the host",
					 option, text);
	} else {
		char prefix[32];
		snprintf(prefix, sizeof prefix, "--%s: ", option);
		if (directory_resolve(prefix, text, true, owned, error) != 0)
			return -1;
		path = *owned;
	}
	side->directory = directory_bytes(path);
	return 0;
}

int set_between(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	const char *const texts[] = {use->text, use->second};

	arguments->request.has_between = true;
	for (int i = 0; i < 2; i++) {
		free(arguments->between_text[i]);
		arguments->between_text[i] = NULL;
		if (parse_side("between", texts[i], &arguments->between_text[i],
			       &arguments->request.between[i], error) != 0)
			return -1;
	}
	return 0;
}

int add_side(struct find_arguments *arguments, const char *text, struct simhash_error *error)
{
	size_t count = arguments->side_count;

	if (array_reserve(&arguments->sides, &arguments->side_capacity, count + 1,
			  sizeof *arguments->sides, error) != 0 ||
	    array_reserve(&arguments->side_texts, &arguments->side_text_capacity, count + 1,
			  sizeof *arguments->side_texts, error) != 0)
		return -1;
	arguments->side_texts[count] = NULL;
	arguments->side_count++;
	return parse_side("directories", text, &arguments->side_texts[count],
			  &arguments->sides[count], error);
}
