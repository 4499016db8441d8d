/*
 * Divides operands into FILEs, which become queries, and DIRs. Refuses outputs that would replace
 * an input.
 * SPDX-License-Identifier: MIT
 */
#include "cli/options/operands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "base/files/read_file.h"
#include "base/text/zero_list.h"
#include "cli/options/option_table.h"
#include "cli/terminal/terminal.h"

#define NAMES_MAX ((size_t)256 << 20) /* the maximum size of a list, in bytes */

/* ---- Directories ---- */

static bool is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_regular_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

char *path_in_archive(const char *text)
{
	const char *slashes = text;
	char *resolved = NULL;

	while (resolved == NULL && (slashes = strstr(slashes, "//")) != NULL) {
		char *outer = strndup(text, (size_t)(slashes - text));
		char *archive = outer != NULL && is_regular_file(outer) ? realpath(outer, NULL)
									: NULL;
		if (archive != NULL) {
			const char *inside = slashes + strspn(slashes, "/");
			struct bytes folder = directory_bytes(inside);
			if (asprintf(&resolved, "%s%s%.*s", archive, folder.size == 0 ? "" : "//",
				     (int)folder.size, inside) < 0)
				resolved = NULL;
		}
		free(archive);
		free(outer);
		slashes++;
	}
	return resolved;
}

int directory_resolve(const char *option, const char *text, bool may_be_file, char **owned,
		      struct simhash_error *error)
{
	*owned = path_in_archive(text);
	if (*owned != NULL)
		return 0;
	*owned = realpath(text, NULL);
	if (*owned == NULL && text[0] == '/')
		*owned = strdup(text);
	if (*owned == NULL)
		return error_set_errno(error, "%scannot find directory %s", option,
				       text[0] == '\0' ? "''" : text);
	if (access(*owned, F_OK) == 0 && !is_directory(*owned) &&
	    !(may_be_file && is_regular_file(*owned)))
		return error_set(error, SIMHASH_E_RANGE, "%s%s is not a directory", option, text);
	return 0;
}

struct bytes directory_bytes(const char *path)
{
	struct bytes directory = bytes_of(path);

	while (directory.size > 0 && path[directory.size - 1] == '/')
		directory.size--;
	return directory;
}

static int add_directory(struct operands *operands, const char *text, struct simhash_error *error)
{
	char *path;

	if (array_reserve(&operands->below, &operands->below_capacity, operands->below_count + 1,
			  sizeof *operands->below, error) != 0)
		return -1;
	if (directory_resolve("", text, false, &path, error) != 0) {
		free(path);
		return -1;
	}
	operands->below[operands->below_count++] = directory_bytes(path);
	return 0;
}

/* ---- Files ---- */

/* `path` is NULL for standard input. */
static int add_query(struct operands *operands, const char *path, struct simhash_error *error)
{
	if (array_reserve(&operands->queries, &operands->query_capacity, operands->query_count + 1,
			  sizeof *operands->queries, error) != 0)
		return -1;
	operands->queries[operands->query_count++] = path;
	return 0;
}

static int read_names(struct operands *operands, const char *path, struct simhash_error *error)
{
	size_t size;

	if (read_file(path, NAMES_MAX, &operands->names, &size, error) != 0)
		return -1;
	if (memchr(operands->names, '\0', size) == NULL &&
	    refuse_lines(path, (struct bytes){operands->names, size}, error) != 0)
		return -1;
	for (size_t at = 0; at < size;) {
		const char *name = operands->names + at;
		if (name[0] == '\0')
			return error_set(
				error, SIMHASH_E_SYNTAX,
				"%s: empty file name; expected names terminated by zero bytes",
				path);
		if (add_query(operands, name, error) != 0)
			return -1;
		at += strlen(name) + 1;
	}
	return 0;
}

/* ---- Files and directories ---- */

int operands_take(struct operands *operands, int count, char **words, struct simhash_error *error)
{
	const char *names_from = operands->names_from;
	bool has_list = names_from != NULL && strcmp(names_from, "-") == 0;
	bool has_stdin = has_list;

	operands->has_files = names_from != NULL;
	for (int i = 0; i < count; i++) {
		bool is_stdin = strcmp(words[i], "-") == 0;
		if (operand_is_directory(words[i])) {
			if (add_directory(operands, words[i], error) != 0)
				return -1;
			continue;
		}
		if (is_stdin && has_stdin)
			return error_set(
				error, SIMHASH_E_SYNTAX,
				"FILE - cannot be combined with %s: both read standard input",
				has_list ? "--files0-from=-" : "another FILE -");
		has_stdin = has_stdin || is_stdin;
		operands->has_files = true;
		if (add_query(operands, is_stdin ? NULL : words[i], error) != 0)
			return -1;
	}
	return names_from == NULL ? 0 : read_names(operands, names_from, error);
}

void operands_release(struct operands *operands)
{
	for (size_t i = 0; i < operands->below_count; i++)
		free((char *)(uintptr_t)operands->below[i].data);
	free(operands->below);
	free(operands->queries);
	free(operands->names);
}

/* The path relative to the DIR that contains it. */
static char *relative_path(const struct operands *operands, char *path)
{
	for (size_t i = 0; i < operands->below_count; i++)
		if (path_is_at_or_below(bytes_of(path), operands->below[i]))
			return path + operands->below[i].size;
	return path;
}

bool operands_let_through(const struct operands *operands, const struct exclusions *exclusions,
			  char *path, int64_t size_bytes)
{
	if (exclusions_leave_out_size(exclusions, size_bytes))
		return false;
	return (exclusions->rules.count == 0 && exclusions->extensions.count == 0) ||
	       !exclusions_leave_out_path(exclusions, relative_path(operands, path));
}

bool operands_leave_out(const struct operands *operands, struct bytes directory)
{
	for (size_t i = 0; i < operands->below_count; i++)
		if (path_is_at_or_below(directory, operands->below[i]) ||
		    path_is_at_or_below(operands->below[i], directory))
			return false;
	return operands->below_count > 0;
}

void limiting_add(struct limiting_options *options, bool is_given, const char *name)
{
	size_t used = strlen(options->text);

	if (is_given)
		snprintf(options->text + used, sizeof options->text - used, "%s%s",
			 options->count++ == 0 ? "" : ", ", name);
}

void limiting_add_filters(struct limiting_options *options, const struct exclusions *exclusions)
{
	limiting_add(options, exclusions->extensions.count > 0, "--ext");
	limiting_add(options, exclusions->rules.count > 0, "--exclude");
	limiting_add(options, exclusions->min_size_bytes > 0, "--min-size");
	limiting_add(options, exclusions->max_size_bytes < INT64_MAX, "--max-size");
}

void limiting_say(const struct limiting_options *options, const char *program)
{
	char text[sizeof options->text + 80];

	if (options->count == 0)
		return;
	snprintf(text, sizeof text, "note: nothing was found with %s; without %s there may be more",
		 options->text, options->count == 1 ? "it" : "them");
	say(program, text);
}

bool operands_have_stdin(const struct operands *operands)
{
	for (size_t i = 0; i < operands->query_count; i++)
		if (operands->queries[i] == NULL)
			return true;
	return false;
}

/* ---- Outputs, each of which replaces a file ---- */

static bool is_same_file(const struct stat *x, const struct stat *y)
{
	return x->st_dev == y->st_dev && x->st_ino == y->st_ino;
}

static bool takes_place(const char *path, struct stat *output)
{
	return path != NULL && stat(path, output) == 0 && S_ISREG(output->st_mode);
}

static int check_input(const char *input, const char *what, const char *path,
		       const struct stat *output, struct simhash_error *error)
{
	struct stat file;

	if (input == NULL || stat(input, &file) != 0 || !is_same_file(&file, output))
		return 0;
	return error_set(error, SIMHASH_E_RANGE, "cannot write to %s: %s", path, what);
}

int input_check_output(const char *input, const char *what, const char *path,
		       struct simhash_error *error)
{
	struct stat output;

	return takes_place(path, &output) ? check_input(input, what, path, &output, error) : 0;
}

int operands_check_output(const struct operands *operands, const char *path,
			  struct simhash_error *error)
{
	struct stat output, input;

	if (!takes_place(path, &output))
		return 0;
	if (check_input(operands->names_from, "it is the list of --files0-from", path, &output,
			error) != 0)
		return -1;
	if (fstat(STDIN_FILENO, &input) == 0 && is_same_file(&input, &output))
		return error_set(error, SIMHASH_E_RANGE, "cannot write to %s: it is standard input",
				 path);
	for (size_t i = 0; i < operands->query_count; i++)
		if (check_input(operands->queries[i], "it is one of the FILEs", path, &output,
				error) != 0)
			return -1;
	return 0;
}
