/*
 * Reads the sides of --between, --directories, --missing and --in, which may be on other hosts.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

int side_list_add(struct side_list *list, const char *option, const char *text,
		  struct simhash_error *error)
{
	size_t count = list->count;

	if (array_reserve(&list->sides, &list->capacity, count + 1, sizeof *list->sides, error) !=
		    0 ||
	    array_reserve(&list->texts, &list->text_capacity, count + 1, sizeof *list->texts,
			  error) != 0)
		return -1;
	list->texts[count] = NULL;
	list->count++;
	return parse_side(option, text, &list->texts[count], &list->sides[count], error);
}

void side_list_release(struct side_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->texts[i]);
	free(list->texts);
	free(list->sides);
}

/* Is this a file that begins like a list of hashes? */
static bool is_hash_list(const char *path)
{
	struct known_hashes hashes;
	struct known_list *list;
	struct simhash_error ignored;
	struct stat status;
	bool is_list = false;

	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
	    known_list_open(path, KNOWN_BY_FORM, &list, &ignored) != 0)
		return false;
	is_list = known_list_next(list, &hashes, &ignored) >= 0;
	known_list_close(list);
	return is_list;
}

int add_place(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	if (!is_hash_list(use->text))
		return side_list_add(&arguments->places, "in", use->text, error);
	if (array_reserve(&arguments->place_lists, &arguments->place_list_capacity,
			  arguments->place_list_count + 1, sizeof *arguments->place_lists,
			  error) != 0)
		return -1;
	arguments->place_lists[arguments->place_list_count++] =
		(struct find_known){use->text, KNOWN_BY_FORM};
	return add_input(arguments, use->text, "it is a list of --in", error);
}
