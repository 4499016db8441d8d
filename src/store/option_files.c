/*
 * The option ssl-mode, and those like it, in the option files of MySQL.
 * SPDX-License-Identifier: MIT
 */
#include "store/option_files.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

#define INCLUDES_MAX 10 /* one in another */

struct reading {
	enum tls_mode mode;
	unsigned depth;
	struct simhash_error *error;
};

static int read_file(struct reading *reading, const char *path);

static bool is_our_group(const char *group)
{
	static const char *const groups[] = {"client", "client-server", "client-mariadb",
					     "simhash"};

	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (strcmp(group, groups[i]) == 0)
			return true;
	return false;
}

/* Take off the white space and quotes around a text. */
static char *trimmed(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	if (end - text >= 2 && (*text == '"' || *text == '\'') && end[-1] == *text) {
		end[-1] = '\0';
		text++;
	}
	return text;
}

static int take_mode(struct reading *reading, const char *path, const char *value)
{
	static const struct {
		const char *name;
		enum tls_mode mode;
	} modes[] = {{"DISABLED", TLS_DISABLED},
		     {"PREFERRED", TLS_UNSAID},
		     {"REQUIRED", TLS_REQUIRED},
		     {"VERIFY_CA", TLS_VERIFIED},
		     {"VERIFY_IDENTITY", TLS_VERIFIED}};

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (strcasecmp(value, modes[i].name) == 0) {
			reading->mode = modes[i].mode;
			return 0;
		}
	return error_set(reading->error, SIMHASH_E_RANGE,
			 "%s: ssl-mode '%s': expected DISABLED, PREFERRED, REQUIRED, VERIFY_CA or "
			 "VERIFY_IDENTITY",
			 path, value);
}

static bool is_one_of(const char *key, const char *const names[2])
{
	return strcmp(key, names[0]) == 0 || strcmp(key, names[1]) == 0;
}

/* End a line where a comment begins, outside quotes. */
static void cut_comment(char *line)
{
	char quote = '\0';

	for (; *line != '\0'; line++) {
		if (quote != '\0') {
			if (*line == quote)
				quote = '\0';
		} else if (*line == '"' || *line == '\'') {
			quote = *line;
		} else if (*line == '#') {
			*line = '\0';
			return;
		}
	}
}

/* "key", "key=value"; '-' and '_' are one in a key. */
static int take_option(struct reading *reading, const char *path, char *line)
{
	char *equals;
	const char *value, *key;
	bool is_off;

	cut_comment(line);
	equals = strchr(line, '=');
	value = equals == NULL ? "1" : trimmed(equals + 1);
	if (equals != NULL)
		*equals = '\0';
	key = trimmed(line);
	for (char *c = line; *c != '\0'; c++)
		if (*c == '_')
			*c = '-';
	if (strncmp(key, "loose-", 6) == 0)
		key += 6;
	if (strcmp(key, "ssl-mode") == 0)
		return take_mode(reading, path, value);
	is_off = strcmp(value, "0") == 0 || strcasecmp(value, "off") == 0 ||
		 strcasecmp(value, "false") == 0;
	if (is_one_of(key, (const char *const[]){"ssl-verify-server-cert", "tls-verify-peer"})) {
		if (!is_off)
			reading->mode = TLS_VERIFIED;
	} else if (is_one_of(key, (const char *const[]){"ssl-enforce", "tls-enforce"})) {
		if (!is_off && reading->mode < TLS_REQUIRED)
			reading->mode = TLS_REQUIRED;
	} else if (strcmp(key, "ssl") == 0)
		reading->mode = is_off ? TLS_DISABLED : TLS_REQUIRED;
	else if (strcmp(key, "skip-ssl") == 0 || strcmp(key, "disable-ssl") == 0)
		reading->mode = TLS_DISABLED;
	return 0;
}

static bool is_option_file(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL && strcmp(dot, ".cnf") == 0;
}

static int read_directory(struct reading *reading, const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort), status = 0;

	for (int i = 0; i < count; i++) {
		char *file = NULL;
		if (status == 0 && is_option_file(entries[i]->d_name)) {
			status = asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0
					 ? error_set_memory(reading->error)
					 : read_file(reading, file);
			free(file);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return status;
}

/* A line of a file; `in_group` is kept from one to the next. */
static int take_line(struct reading *reading, const char *path, char *line, bool *in_group)
{
	line = trimmed(line);
	switch (line[0]) {
	case '\0':
	case '#':
	case ';':
		return 0;
	case '[':
		line[strcspn(line, "]")] = '\0';
		*in_group = is_our_group(trimmed(line + 1));
		return 0;
	case '!':
		if (strncmp(line, "!includedir", 11) == 0)
			return read_directory(reading, trimmed(line + 11));
		return strncmp(line, "!include", 8) == 0 ? read_file(reading, trimmed(line + 8))
							 : 0;
	default:
		return *in_group ? take_option(reading, path, line) : 0;
	}
}

static int read_file(struct reading *reading, const char *path)
{
	FILE *file = reading->depth < INCLUDES_MAX ? fopen(path, "re") : NULL;
	char *line = NULL;
	size_t size = 0;
	bool in_group = false;
	int status = 0;

	if (file == NULL)
		return 0;
	reading->depth++;
	while (status == 0 && getline(&line, &size, file) >= 0)
		status = take_line(reading, path, line, &in_group);
	reading->depth--;
	free(line);
	fclose(file);
	return status;
}

/* `name` in the directory that a variable of the environment names. */
static int read_below(struct reading *reading, const char *variable, const char *name)
{
	const char *directory = getenv(variable);
	char *path;
	int status;

	if (directory == NULL)
		return 0;
	/* A file that asks for TLS must not be passed over because memory is short. */
	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return error_set_memory(reading->error);
	status = read_file(reading, path);
	free(path);
	return status;
}

int option_files_tls_mode(const char *defaults_file, enum tls_mode *mode,
			  struct simhash_error *error)
{
	struct reading reading = {TLS_UNSAID, 0, error};
	int status;

	if (defaults_file != NULL)
		status = read_file(&reading, defaults_file);
	else if ((status = read_file(&reading, "/etc/my.cnf")) == 0 &&
		 (status = read_file(&reading, "/etc/mysql/my.cnf")) == 0 &&
		 (status = read_below(
			  &reading, getenv("MARIADB_HOME") != NULL ? "MARIADB_HOME" : "MYSQL_HOME",
			  "my.cnf")) == 0)
		status = read_below(&reading, "HOME", ".my.cnf");
	*mode = reading.mode;
	return status;
}
