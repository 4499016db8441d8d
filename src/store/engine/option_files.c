/*
 * Reads the option files of MySQL and sorts their options by rank. mysql_options.c interprets the
 * options.
 * SPDX-License-Identifier: MIT
 */
#include "store/engine/option_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/read_file.h"

#define INCLUDES_MAX 10 /* the maximum depth of nested includes */
#define NOT_OURS 0
#define FILE_MAX (1 << 20) /* the maximum size of an option file in bytes */

struct option_reading {
	struct option_files *files;
	const char *group;
	unsigned depth;
	struct simhash_error *error;
};

static int read_options(struct option_reading *reading, const char *path);

/* Return the rank of a group's options, or NOT_OURS. */
static unsigned rank_of(const struct option_reading *reading, const char *group)
{
	static const char *const of_all[] = {"client", "client-server", "client-mariadb"};

	for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
		if (strcmp(group, of_all[i]) == 0)
			return 1;
	if (strcmp(group, "simhash") == 0)
		return 2;
	return reading->group != NULL && strcmp(group, reading->group) == 0 ? 3 : NOT_OURS;
}

/* Remove the white space around a text. */
static char *trimmed(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

/* Remove a comment from a line: it begins at a '#' after white space, outside of quotes. */
static void cut_comment(char *line)
{
	char quote = '\0';

	for (char *c = line; *c != '\0'; c++) {
		if (*c == '\\' && c[1] != '\0') {
			c++;
		} else if (quote != '\0') {
			if (*c == quote)
				quote = '\0';
		} else if (*c == '"' || *c == '\'') {
			quote = *c;
		} else if (*c == '#' && c > line && isspace((unsigned char)c[-1])) {
			*c = '\0';
			return;
		}
	}
}

/* Remove the quotes of a value and decode its escapes, in place. */
static char *plain_value(char *text)
{
	static const char letters[] = "bnrts\"'\\", meant[] = "\b\n\r\t \"'\\";
	size_t length;
	char *write;

	text = trimmed(text);
	length = strlen(text);
	if (length >= 2 && (*text == '"' || *text == '\'') && text[length - 1] == *text) {
		text[length - 1] = '\0';
		text++;
	}
	write = text;
	for (const char *read = text; *read != '\0'; read++) {
		const char *letter = *read == '\\' && read[1] != '\0' ? strchr(letters, read[1])
								      : NULL;
		if (letter != NULL)
			read++;
		*write++ = letter != NULL ? meant[letter - letters] : *read;
	}
	*write = '\0';
	return text;
}

static char *plain_key(char *text)
{
	char *key = trimmed(text);

	for (char *c = key; *c != '\0'; c++)
		if (*c == '_')
			*c = '-';
	return strncmp(key, "loose-", 6) == 0 ? key + 6 : key;
}

/* Store "key" or "key=value". */
static int take_option(struct option_reading *reading, const char *path, unsigned rank, char *line)
{
	struct option_files *files = reading->files;
	struct option_value *kept;
	char *equals, *value;

	cut_comment(line);
	equals = strchr(line, '=');
	value = equals == NULL ? NULL : plain_value(equals + 1);
	if (equals != NULL)
		*equals = '\0';
	if (array_reserve(&files->values, &files->capacity, files->count + 1, sizeof *files->values,
			  reading->error) != 0)
		return -1;
	kept = &files->values[files->count++];
	*kept = (struct option_value){.rank = rank,
				      .file = strdup(path),
				      .key = strdup(plain_key(line)),
				      .value = value == NULL ? NULL : strdup(value)};
	return kept->file == NULL || kept->key == NULL || (value != NULL && kept->value == NULL)
		       ? error_set_memory(reading->error)
		       : 0;
}

static bool is_option_file(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL && strcmp(dot, ".cnf") == 0;
}

static int read_directory(struct option_reading *reading, const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort), status = 0;

	for (int i = 0; i < count; i++) {
		char *file = NULL;
		if (status == 0 && is_option_file(entries[i]->d_name)) {
			status = asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0
					 ? error_set_memory(reading->error)
					 : read_options(reading, file);
			free(file);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return status;
}

/* Read one line. *rank is the rank of the current group and is kept between lines. */
static int take_line(struct option_reading *reading, const char *path, char *line, unsigned *rank)
{
	line = trimmed(line);
	switch (line[0]) {
	case '\0':
	case '#':
	case ';':
		return 0;
	case '[':
		line[strcspn(line, "]")] = '\0';
		*rank = rank_of(reading, trimmed(line + 1));
		return 0;
	case '!':
		if (strncmp(line, "!includedir", 11) == 0)
			return read_directory(reading, trimmed(line + 11));
		return strncmp(line, "!include", 8) == 0 ? read_options(reading, trimmed(line + 8))
							 : 0;
	default:
		return *rank != NOT_OURS ? take_option(reading, path, *rank, line) : 0;
	}
}

/* Record the first file that exists and cannot be read. */
static int note_unreadable(struct option_reading *reading, const char *path)
{
	char **unreadable = &reading->files->unreadable;
	const char *reason = strerror(errno);

	if (errno == ENOENT || errno == ENOTDIR || *unreadable != NULL)
		return 0;
	if (asprintf(unreadable, "%s cannot be read: %s", path, reason) >= 0)
		return 0;
	*unreadable = NULL;
	return error_set_memory(reading->error);
}

/* Record a file with a password that users outside its owner and group can access. */
static int note_exposed(struct option_reading *reading, const char *path, int fd, size_t first)
{
	struct option_files *files = reading->files;
	bool has_password = false;
	struct stat status;

	for (size_t i = first; i < files->count; i++)
		has_password = has_password || (strcmp(files->values[i].file, path) == 0 &&
						strcmp(files->values[i].key, "password") == 0);
	if (!has_password || files->exposed != NULL || fstat(fd, &status) != 0 ||
	    (status.st_mode & (S_IROTH | S_IWOTH)) == 0)
		return 0;
	files->exposed = strdup(path);
	return files->exposed == NULL ? error_set_memory(reading->error) : 0;
}

/* Open a regular file, without waiting. -1 with errno. */
static int open_options(const char *path)
{
	int fd = open_file_at(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	struct stat status;

	if (fd >= 0 && (fstat(fd, &status) != 0 || S_ISFIFO(status.st_mode))) {
		close_content(fd);
		errno = ESPIPE;
		return -1;
	}
	return fd;
}

static int take_lines(struct option_reading *reading, const char *path, char *text, size_t size)
{
	unsigned rank = NOT_OURS;
	int status = 0;

	for (char *line = text, *end; status == 0 && line < text + size; line = end + 1) {
		end = line + strcspn(line, "\n");
		*end = '\0';
		status = take_line(reading, path, line, &rank);
	}
	return status;
}

static int read_options(struct option_reading *reading, const char *path)
{
	char *text = NULL;
	size_t size = 0, first = reading->files->count;
	struct simhash_error why;
	int fd, status;

	if (reading->depth == INCLUDES_MAX)
		return 0;
	fd = open_options(path);
	if (fd < 0)
		return note_unreadable(reading, path);
	status = read_descriptor(fd, path, FILE_MAX, &text, &size, &why);
	if (status != 0 && why.code == SIMHASH_E_SYSTEM) {
		errno = why.system_errno;
		status = note_unreadable(reading, path);
	} else if (status != 0) {
		status = error_set(reading->error, why.code, "%s", why.message);
	}
	reading->depth++;
	if (status == 0)
		status = take_lines(reading, path, text, size);
	reading->depth--;
	if (status == 0)
		status = note_exposed(reading, path, fd, first);
	free(text);
	close_content(fd);
	return status;
}

/* Read the file `name` in the directory of an environment variable. */
static int read_below(struct option_reading *reading, const char *variable, const char *name)
{
	const char *directory = getenv(variable);
	char *path;
	int status;

	if (directory == NULL)
		return 0;
	/* If memory is short, do not skip the file: it may require TLS. */
	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return error_set_memory(reading->error);
	status = read_options(reading, path);
	free(path);
	return status;
}

/* Sort the few options stably: options of one rank keep their order. */
static void sort_by_rank(struct option_files *files)
{
	for (size_t i = 1; i < files->count; i++) {
		struct option_value value = files->values[i];
		size_t place = i;
		for (; place > 0 && files->values[place - 1].rank > value.rank; place--)
			files->values[place] = files->values[place - 1];
		files->values[place] = value;
	}
}

int option_files_read(const char *defaults_file, const char *group, struct option_files *files,
		      struct simhash_error *error)
{
	struct option_reading reading = {files, group, 0, error};
	int status;

	*files = (struct option_files){.values = NULL};
	if (defaults_file != NULL)
		status = read_options(&reading, defaults_file);
	else if ((status = read_options(&reading, "/etc/my.cnf")) == 0 &&
		 (status = read_options(&reading, "/etc/mysql/my.cnf")) == 0 &&
		 (status = read_below(
			  &reading, getenv("MARIADB_HOME") != NULL ? "MARIADB_HOME" : "MYSQL_HOME",
			  "my.cnf")) == 0)
		status = read_below(&reading, "HOME", ".my.cnf");
	sort_by_rank(files);
	return status;
}

void option_files_release(struct option_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->values[i].file);
		free(files->values[i].key);
		free(files->values[i].value);
	}
	free(files->values);
	free(files->unreadable);
	free(files->exposed);
	*files = (struct option_files){.values = NULL};
}

bool option_is_off(const struct option_value *option)
{
	return option->value != NULL &&
	       (strcmp(option->value, "0") == 0 || strcasecmp(option->value, "off") == 0 ||
		strcasecmp(option->value, "false") == 0);
}
