/*
 * Reads the lists of simfind --known, and reports how much memory they take.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/find_known.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "cli/terminal/terminal.h"
#include "store/names/tag_sets.h"

#define PROGRAM "simfind"

static void note_known(const struct find_arguments *arguments, const struct known_contents *known)
{
	char count[32], lists[32], bytes[32], *text;

	if (arguments->quiet ||
	    asprintf(&text,
		     "note: files of %s known hash%s of %s list%s are left out, "
		     "which took %s of memory",
		     format_count(known->count, count), known->count == 1 ? "" : "es",
		     format_count(arguments->known_count, lists),
		     arguments->known_count == 1 ? "" : "s",
		     format_bytes((double)known->bytes, bytes)) < 0)
		return;
	say(PROGRAM, text);
	free(text);
}

/* Read one list, and warn if it may be incomplete. */
static int read_list(const struct find_known *list, struct known_contents *known,
		     struct simhash_error *error)
{
	const char *doubt;

	if (known_contents_read(known, list->path, list->format, &doubt, error) != 0)
		return -1;
	if (doubt != NULL)
		say_path(PROGRAM, bytes_of(list->path), doubt);
	return 0;
}

int read_known(const struct find_arguments *arguments, struct find_request *request,
	       struct store *store, struct known_contents *known, struct simhash_error *error)
{
	int64_t tag_set;

	if (arguments->known_count == 0)
		return 0;
	if (store_tag_set_id(store, request->tags, false, &tag_set, error) != 0 ||
	    known_contents_init(known, store, tag_set, error) != 0)
		return -1;
	for (size_t i = 0; i < arguments->known_count; i++)
		if (read_list(&arguments->known[i], known, error) != 0)
			return -1;
	if (known_contents_end(known, error) != 0)
		return -1;
	request->known = known;
	note_known(arguments, known);
	return 0;
}
