/*
 * FILEs become queries, and DIRs what these are about.
 * SPDX-License-Identifier: MIT
 */
#include "cli/options/find_operands.h"

#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/read_file.h"
#include "base/text/zero_list.h"

#define NAMES_MAX ((size_t)256 << 20) /* bytes of a list */

/* `path` NULL is standard input. */
static int add_query(struct find_arguments *arguments, const char *path,
		     struct simhash_error *error)
{
	const char *name = arguments->stdin_name == NULL ? "" : arguments->stdin_name;

	if (array_reserve(&arguments->queries, &arguments->query_capacity,
			  arguments->query_count + 1, sizeof *arguments->queries, error) != 0)
		return -1;
	arguments->queries[arguments->query_count++] =
		(struct find_query){.path = path, .name = path == NULL ? name : NULL};
	return 0;
}

static int read_names(struct find_arguments *arguments, const char *path,
		      struct simhash_error *error)
{
	size_t size;

	if (read_file(path, NAMES_MAX, &arguments->names, &size, error) != 0)
		return -1;
	if (memchr(arguments->names, '\0', size) == NULL &&
	    refuse_lines(path, (struct bytes){arguments->names, size}, error) != 0)
		return -1;
	for (size_t at = 0; at < size;) {
		const char *name = arguments->names + at;
		if (name[0] == '\0')
			return error_set(
				error, SIMHASH_E_SYNTAX,
				"%s: empty file name; expected names terminated by zero bytes",
				path);
		if (add_query(arguments, name, error) != 0)
			return -1;
		at += strlen(name) + 1;
	}
	return 0;
}

int take_operands(struct find_arguments *arguments, int count, char **operands,
		  struct simhash_error *error)
{
	const char *names_from = arguments->names_from;
	bool has_list = names_from != NULL && strcmp(names_from, "-") == 0;
	bool has_stdin = has_list;

	if (arguments->directories) {
		for (int i = 0; i < count; i++)
			if (add_side(arguments, operands[i], error) != 0)
				return -1;
		return 0;
	}
	arguments->has_files = names_from != NULL;
	for (int i = 0; i < count; i++) {
		bool is_stdin = strcmp(operands[i], "-") == 0;
		if (operand_is_directory(operands[i])) {
			if (add_directory(arguments, operands[i], error) != 0)
				return -1;
			continue;
		}
		if (is_stdin && has_stdin)
			return error_set(
				error, SIMHASH_E_SYNTAX,
				"FILE - cannot be combined with %s: both read standard input",
				has_list ? "--files0-from=-" : "another FILE -");
		has_stdin = has_stdin || is_stdin;
		arguments->has_files = true;
		if (add_query(arguments, is_stdin ? NULL : operands[i], error) != 0)
			return -1;
	}
	arguments->request.below = arguments->below;
	arguments->request.below_count = arguments->below_count;
	return names_from == NULL ? 0 : read_names(arguments, names_from, error);
}
