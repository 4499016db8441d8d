/*
 * Applies the user's patterns and the ignore files to paths, in order of precedence, and reads
 * ignore files.
 * SPDX-License-Identifier: MIT
 */
#include "index/walk/exclusions.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/files/read_file.h"

#define PATTERN_FILE_MAX (((size_t)1 << 20) - 1) /* a larger file is not a list of patterns */

enum { DOT_IGNORE, DOT_GITIGNORE, IGNORE_KINDS };
static const char *const ignore_names[IGNORE_KINDS] = {".ignore", ".gitignore"};

struct ignores {
	atomic_uint references;
	struct ignores *parent;
	struct glob_list lists[IGNORE_KINDS];
	/*
	 * Makes a path relative to the directory of these files: removes `cut` bytes from it, or
	 * puts `above` before it.
	 */
	size_t cut;
	char above[];
};

void exclusions_init(struct exclusions *exclusions)
{
	*exclusions = (struct exclusions){.max_size_bytes = INT64_MAX};
}

void exclusions_release(struct exclusions *exclusions)
{
	glob_list_release(&exclusions->rules);
	glob_list_release(&exclusions->extensions);
}

/* Does this character have a special meaning in fnmatch? */
static bool is_special(char c)
{
	return strchr("*?[]\\!#", c) != NULL;
}

/* Add a pattern such as "*.c", in which each letter matches both cases. */
static int add_extension(struct exclusions *exclusions, const char *extension, size_t size,
			 struct simhash_error *error)
{
	char *pattern = malloc(4 * size + 4), *write = pattern;
	int status;

	if (pattern == NULL)
		return error_set_memory(error);
	*write++ = '?'; /* a name whose only dot is its first byte has no extension */
	*write++ = '*';
	*write++ = '.';
	for (size_t i = 0; i < size; i++) {
		char c = extension[i];
		if (ascii_is_letter(c)) {
			*write++ = '[';
			*write++ = (char)(c & ~0x20);
			*write++ = (char)(c | 0x20);
			*write++ = ']';
		} else {
			if (is_special(c))
				*write++ = '\\';
			*write++ = c;
		}
	}
	status = glob_list_add(&exclusions->extensions, pattern, (size_t)(write - pattern), error);
	free(pattern);
	return status;
}

int exclusions_add_extensions(struct exclusions *exclusions, const char *list,
			      struct simhash_error *error)
{
	const char *text = list;

	for (;;) {
		size_t size = strcspn(list, ",");
		size_t dot = list[0] == '.' ? 1 : 0; /* ".txt" means "txt" */
		if (size == dot || memchr(list, '/', size) != NULL)
			return error_set(error, SIMHASH_E_SYNTAX,
					 "--ext '%s': expected extensions such as txt,md", text);
		if (add_extension(exclusions, list + dot, size - dot, error) != 0)
			return -1;
		if (list[size] == '\0')
			return 0;
		list += size + 1;
	}
}

static int add_file(struct exclusions *exclusions, const char *path, struct simhash_error *error)
{
	size_t size;
	char *text;
	int status;

	if (read_file(path, PATTERN_FILE_MAX, &text, &size, error) != 0 ||
	    text_decode(path, &text, &size, error) != 0)
		return -1;
	status = glob_list_add_lines(&exclusions->rules, text, size, error);
	free(text);
	return status;
}

int exclusions_add_rules(struct exclusions *exclusions, const char *text,
			 struct simhash_error *error)
{
	bool is_stdin = strcmp(text, "@-") == 0;

	if (text[0] != '@')
		return glob_list_add(&exclusions->rules, text, strlen(text), error);
	if (is_stdin && exclusions->reads_stdin)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--exclude=@- can be given only once, because standard input is "
				 "read once");
	exclusions->reads_stdin |= is_stdin;
	return add_file(exclusions, text + 1, error);
}

/* ---- Ignore files ---- */

struct ignores *ignores_hold(struct ignores *ignores)
{
	if (ignores != NULL)
		atomic_fetch_add(&ignores->references, 1);
	return ignores;
}

void ignores_drop(struct ignores *ignores)
{
	while (ignores != NULL && atomic_fetch_sub(&ignores->references, 1) == 1) {
		struct ignores *parent = ignores->parent;
		for (int i = 0; i < IGNORE_KINDS; i++)
			glob_list_release(&ignores->lists[i]);
		free(ignores);
		ignores = parent;
	}
}

static int read_list(int directory_fd, const char *name, struct glob_list *list,
		     struct unreadable_ignores *unreadable, struct simhash_error *error)
{
	int fd = open_file_at(directory_fd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	int why = fd < 0 ? errno : 0, status = 0;
	size_t size;
	char *text = NULL;

	if (fd >= 0) {
		status = read_descriptor(fd, name, PATTERN_FILE_MAX, &text, &size, error);
		close_content(fd);
		if (status != 0 && error->code == SIMHASH_E_MEMORY)
			return -1;
		if (status != 0)
			why = error->code == SIMHASH_E_RANGE ? EFBIG : error->system_errno;
	}
	/* A directory or a socket with this name is not an ignore file. */
	if (why != 0 && why != ENOENT && why != EISDIR && why != ENXIO)
		*unreadable = (struct unreadable_ignores){name, why};
	status = text == NULL ? 0 : glob_list_add_lines(list, text, size, error);
	free(text);
	return status;
}

static int read_lists(int directory_fd, struct ignores *parent, const char *above, size_t cut,
		      struct ignores **ignores, struct unreadable_ignores *unreadable,
		      struct simhash_error *error)
{
	struct glob_list lists[IGNORE_KINDS] = {{.globs = NULL}};
	struct ignores *made;
	int status = 0;

	for (int i = 0; status == 0 && i < IGNORE_KINDS; i++)
		status = read_list(directory_fd, ignore_names[i], &lists[i], unreadable, error);
	if (status == 0 && lists[DOT_IGNORE].count + lists[DOT_GITIGNORE].count == 0) {
		*ignores = ignores_hold(parent);
		return 0;
	}
	made = status == 0 ? malloc(sizeof *made + strlen(above) + 1) : NULL;
	if (made == NULL) {
		for (int i = 0; i < IGNORE_KINDS; i++)
			glob_list_release(&lists[i]);
		return status == 0 ? error_set_memory(error) : -1;
	}
	made->parent = ignores_hold(parent);
	made->cut = cut;
	atomic_init(&made->references, 1);
	memcpy(made->lists, lists, sizeof lists);
	strcpy(made->above, above);
	*ignores = made;
	return 0;
}

int ignores_read(int directory_fd, struct ignores *parent, const char *path,
		 struct ignores **ignores, struct unreadable_ignores *unreadable,
		 struct simhash_error *error)
{
	*unreadable = (struct unreadable_ignores){NULL, 0};
	return read_lists(directory_fd, parent, "", path[0] == '\0' ? 0 : strlen(path) + 1, ignores,
			  unreadable, error);
}

static bool has_git(int fd)
{
	return faccessat(fd, ".git", F_OK, 0) == 0;
}

/* Read the ignore files of the directories in a path, from its first `from` bytes to its end. */
static int read_down(char *path, size_t from, struct ignores **ignores, struct simhash_error *error)
{
	size_t size = strlen(path);

	for (size_t at = from; at < size;) {
		struct unreadable_ignores unreadable; /* not below the top, so not reported */
		struct ignores *next;
		size_t below = at + 1;
		int fd, status;
		path[at] = '\0';
		fd = open_file_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
		path[at] = '/';
		if (fd < 0)
			break;
		status = read_lists(fd, *ignores, path + below, 0, &next, &unreadable, error);
		close(fd);
		if (status != 0)
			return -1;
		ignores_drop(*ignores);
		*ignores = next;
		at = below + strcspn(path + below, "/");
	}
	return 0;
}

int ignores_read_above(const char *top, struct ignores **ignores, struct simhash_error *error)
{
	char *path = strdup(top);
	int status = 0;

	*ignores = NULL;
	if (path == NULL)
		return error_set_memory(error);
	for (size_t size = strlen(path); size > 1;) {
		int fd = open_file_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
		bool is_repository = fd >= 0 && has_git(fd);
		if (fd >= 0)
			close(fd);
		if (is_repository) {
			strcpy(path, top);
			status = read_down(path, size, ignores, error);
			break;
		}
		while (size > 0 && path[size - 1] != '/')
			size--;
		if (size <= 1)
			break;
		path[--size] = '\0';
	}
	if (status != 0) {
		ignores_drop(*ignores);
		*ignores = NULL;
	}
	free(path);
	return status;
}

static enum glob_verdict match(const struct ignores *ignores, int kind, const char *path,
			       bool is_directory)
{
	const struct glob_list *list = &ignores->lists[kind];
	enum glob_verdict verdict;
	char *whole;

	if (list->count == 0)
		return GLOB_SILENT;
	if (ignores->above[0] == '\0')
		return glob_list_match(list, path + ignores->cut, is_directory);
	whole = path_join(bytes_of(ignores->above), bytes_of(path));
	if (whole == NULL)
		return GLOB_SILENT;
	verdict = glob_list_match(list, whole, is_directory);
	free(whole);
	return verdict;
}

bool exclusions_leave_out(const struct exclusions *exclusions, const struct ignores *ignores,
			  const char *path, const char *name, bool is_directory)
{
	enum glob_verdict verdict = glob_list_match(&exclusions->rules, path, is_directory);

	/* The repository is not part of its tree, unless its own ignore files say so. */
	if (exclusions->ignore_files && verdict == GLOB_SILENT && strcmp(name, ".git") == 0)
		return true;
	for (int kind = 0; verdict == GLOB_SILENT && kind < IGNORE_KINDS; kind++)
		for (const struct ignores *i = ignores; verdict == GLOB_SILENT && i != NULL;
		     i = i->parent)
			verdict = match(i, kind, path, is_directory);
	if (verdict == GLOB_EXCLUDES)
		return true;
	return !is_directory && exclusions->extensions.count > 0 &&
	       glob_list_match(&exclusions->extensions, name, false) == GLOB_SILENT;
}

bool exclusions_leave_out_path(const struct exclusions *exclusions, char *path)
{
	char *name, *end;

	while (path[0] == '/' || (path[0] == '.' && path[1] == '/'))
		path++;
	for (name = path;; name = end + 1) {
		bool is_up = strncmp(name, "../", 3) == 0 || strncmp(name, "./", 2) == 0;
		bool is_out;
		end = strchr(name, '/');
		if (end == NULL)
			return exclusions_leave_out(exclusions, NULL, path, name, false);
		*end = '\0';
		is_out = !is_up && name[0] != '\0' &&
			 exclusions_leave_out(exclusions, NULL, path, name, true);
		*end = '/';
		if (is_out)
			return true;
	}
}

bool exclusions_leave_out_size(const struct exclusions *exclusions, int64_t size_bytes)
{
	return size_bytes < exclusions->min_size_bytes || size_bytes > exclusions->max_size_bytes;
}
