/*
 * Parses the commands of --filter, finds their programs, and makes their arguments. It splits
 * commands itself and runs no shell, because a shell would interpret parts of file names.
 * SPDX-License-Identifier: MIT
 */
#include "scan/command/filter_commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/read_file.h"

#define FILE_MAX (1 << 20)

/* ---- Words ---- */

/* Copy the quoted part that begins at `text` to `out`. Returns the text after it, or NULL. */
static const char *copy_quoted(const char *text, char **out)
{
	char quote = *text++;

	for (; *text != quote; text++) {
		if (*text == '\\' && quote == '"' && (text[1] == '"' || text[1] == '\\'))
			text++;
		if (*text == '\0')
			return NULL;
		*(*out)++ = *text;
	}
	return text + 1;
}

/*
 * Copy the next word of `text` to `out`, terminated by a zero. Returns the text after it, or NULL.
 */
static const char *copy_word(const char *text, char **out)
{
	while (text != NULL && *text != '\0' && *text != ' ' && *text != '\t') {
		if (*text == '\'' || *text == '"') {
			text = copy_quoted(text, out);
			continue;
		}
		if (*text == '\\' && text[1] != '\0')
			text++;
		*(*out)++ = *text++;
	}
	*(*out)++ = '\0';
	return text;
}

static int split(struct filter_command *command, const char *text, struct simhash_error *error)
{
	size_t size = strlen(text), count = 0;
	/*
	 * Each word has at least one byte of the text, and a zero. All words share one piece of
	 * memory.
	 */
	char *words = malloc(2 * size + 2), *out = words;
	const char *at = text;

	command->words = calloc(size + 2, sizeof *command->words);
	if (words == NULL || command->words == NULL) {
		free(words);
		return error_set_memory(error);
	}
	command->words[0] = words;
	for (;;) {
		at += strspn(at, " \t");
		if (*at == '\0')
			break;
		command->words[count++] = out;
		at = copy_word(at, &out);
		if (at == NULL)
			return error_set(error, SIMHASH_E_SYNTAX, "a quote is not closed");
	}
	*out = '\0';
	return count > 0 && command->words[0][0] != '\0'
		       ? 0
		       : error_set(error, SIMHASH_E_SYNTAX,
				   "expected EXT[,EXT...]:COMMAND, such as 'pdf:pdftotext %% -'");
}

/* Does the word have a % that is not doubled? */
static bool names_file(const char *word)
{
	for (; *word != '\0'; word++)
		if (*word == '%') {
			if (word[1] != '%')
				return true;
			word++;
		}
	return false;
}

static uint32_t number_of(const struct filter_command *command)
{
	XXH64_hash_t hash = 0;

	for (char **word = command->words; *word != NULL; word++)
		hash = XXH3_64bits_withSeed(*word, strlen(*word) + 1, hash + 1);
	hash = XXH3_64bits_withSeed(command->version, strlen(command->version), hash);
	return (uint32_t)(hash & INT32_MAX) | 1;
}

/* ---- The program ---- */

static char *joined(const char *directory, size_t size, const char *name)
{
	char *path = malloc(size + strlen(name) + 3);

	if (path == NULL)
		return NULL;
	memcpy(path, directory, size);
	/* An empty directory in PATH means the current directory. */
	strcpy(path + size, size == 0 ? "./" : "/");
	strcat(path, name);
	return path;
}

/* Search like execvp(3), which must not be called between fork and exec. */
static int find_program(struct filter_command *command, struct simhash_error *error)
{
	const char *name = command->words[0], *path = getenv("PATH");

	if (strchr(name, '/') != NULL)
		path = NULL;
	else if (path == NULL)
		path = "/usr/local/bin:/usr/bin:/bin";
	if (path == NULL && access(name, X_OK) == 0) {
		command->program = strdup(name);
		return command->program == NULL ? error_set_memory(error) : 0;
	}
	while (path != NULL) {
		size_t size = strcspn(path, ":");
		char *program = joined(path, size, name);
		struct stat status;
		if (program == NULL)
			return error_set_memory(error);
		if (stat(program, &status) == 0 && S_ISREG(status.st_mode) &&
		    access(program, X_OK) == 0) {
			command->program = program;
			return 0;
		}
		free(program);
		path = path[size] == '\0' ? NULL : path + size + 1;
	}
	return error_set(error, SIMHASH_E_SYSTEM, "cannot find the program %s", name);
}

/*
 * Programs report their versions in different ways, so use the size and time, which an update
 * changes.
 */
static int set_version(struct filter_command *command, struct simhash_error *error)
{
	size_t size = strlen(command->program) + 100;
	char changed[40] = "";
	struct stat status;
	struct tm utc;

	command->version = malloc(size);
	if (command->version == NULL)
		return error_set_memory(error);
	if (stat(command->program, &status) != 0)
		return error_set_errno(error, "%s", command->program);
	if (gmtime_r(&status.st_mtime, &utc) != NULL)
		strftime(changed, sizeof changed, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(command->version, size, "%s, %" PRId64 " bytes, changed %s.%09" PRIu64 "Z",
		 command->program, (int64_t)status.st_size, changed,
		 (uint64_t)stat_mtime_ns(&status) % 1000000000);
	return 0;
}

/* ---- Commands ---- */

static void command_release(struct filter_command *command)
{
	if (command->words != NULL)
		free(command->words[0]);
	free(command->words);
	free(command->extensions);
	free(command->program);
	free(command->text);
	free(command->version);
}

/* Parse the list before the colon. */
static int take_extensions(struct filter_command *command, const char *text, size_t size,
			   struct simhash_error *error)
{
	char *out = malloc(size + 2);

	if (out == NULL)
		return error_set_memory(error);
	ascii_lower_copy(out, text, size);
	out[size] = out[size + 1] = '\0';
	command->extensions = out;
	for (size_t i = 0; i < size; i++)
		if (out[i] == ',')
			out[i] = '\0';
	for (size_t i = 0; i < size; i++)
		if (out[i] == '.' || (out[i] == '\0' && (i == 0 || out[i - 1] == '\0')))
			size = 0;
	return size > 0 && out[size - 1] != '\0'
		       ? 0
		       : error_set(
				 error, SIMHASH_E_SYNTAX,
				 "expected extensions without dots, such as 'jpg,png:exiftool %%'");
}

static int parse(struct filter_command *command, const char *text, struct simhash_error *error)
{
	const char *colon = strchr(text, ':');

	if (colon == NULL)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "expected EXT[,EXT...]:COMMAND, such as 'pdf:pdftotext %% -'");
	if (take_extensions(command, text, (size_t)(colon - text), error) != 0 ||
	    split(command, colon + 1, error) != 0 || find_program(command, error) != 0 ||
	    set_version(command, error) != 0)
		return -1;
	command->text = strdup(colon + 1);
	if (command->text == NULL)
		return error_set_memory(error);
	for (char **word = command->words; *word != NULL; word++)
		command->names_file |= names_file(*word);
	command->number = number_of(command);
	return 0;
}

static int add(struct filter_commands *list, const char *text, const char *where,
	       struct simhash_error *error)
{
	struct filter_command command = {.words = NULL};
	struct simhash_error inner;

	if (array_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items,
			  error) != 0)
		return -1;
	if (parse(&command, text, &inner) != 0) {
		command_release(&command);
		return error_set(error, inner.code, "%s '%s': %s", where, text, inner.message);
	}
	list->items[list->count++] = command;
	return 0;
}

int filter_commands_add(struct filter_commands *list, const char *text, struct simhash_error *error)
{
	return add(list, text, "--filter", error);
}

int filter_commands_add_file(struct filter_commands *list, const char *path,
			     struct simhash_error *error)
{
	char *text, *line, *end;
	size_t size, number = 1, had = list->count;
	int status = read_text_file(path, FILE_MAX, &text, &size, error);

	if (status != 0)
		return -1;
	for (line = text; status == 0 && line < text + size; line = end + 1, number++) {
		struct simhash_error inner;
		end = line + strcspn(line, "\n");
		if (end > line && end[-1] == '\r')
			end[-1] = '\0';
		*end = '\0';
		if (*line != '\0' && *line != '#' && add(list, line, "filter", &inner) != 0)
			status = error_set(error, inner.code, "%s:%zu: %s", path, number,
					   inner.message);
	}
	free(text);
	if (status == 0 && size > 0 && list->count == had)
		status = error_set(error, SIMHASH_E_SYNTAX, "%s has no filter", path);
	return status;
}

void filter_commands_release(struct filter_commands *list)
{
	for (size_t i = 0; i < list->count; i++)
		command_release(&list->items[i]);
	free(list->items);
	*list = (struct filter_commands){.items = NULL};
}

const struct filter_command *filter_commands_find(const struct filter_commands *list,
						  struct bytes name)
{
	const char *extension;
	size_t size = list->count == 0 ? 0 : simhash_extension(name.data, name.size, &extension);

	for (size_t i = 0; size > 0 && i < list->count; i++)
		for (const char *known = list->items[i].extensions; *known != '\0';
		     known += strlen(known) + 1)
			if (strlen(known) == size && strncasecmp(known, extension, size) == 0)
				return &list->items[i];
	return NULL;
}

uint32_t filter_commands_number(const void *filters, struct bytes name)
{
	const struct filter_command *command = filter_commands_find(filters, name);

	return command == NULL ? 0 : command->number;
}

/* ---- Arguments ---- */

static char *copy_argument(const char *word, const char *path, char *out)
{
	for (; *word != '\0'; word++)
		if (*word != '%') {
			*out++ = *word;
		} else if (word[1] == '%') {
			*out++ = *word++;
		} else {
			strcpy(out, path);
			out += strlen(path);
		}
	*out++ = '\0';
	return out;
}

char **filter_arguments(const struct filter_command *command, const char *path)
{
	size_t count = 0, size = 0, path_size = strlen(path);
	char **arguments, *out;

	for (char **word = command->words; *word != NULL; word++, count++) {
		for (const char *at = *word; *at != '\0'; at++)
			size += *at == '%' ? path_size : 1;
		size++;
	}
	arguments = malloc((count + 1) * sizeof *arguments + size);
	if (arguments == NULL)
		return NULL;
	out = (char *)(arguments + count + 1);
	for (size_t i = 0; i < count; i++) {
		arguments[i] = out;
		out = copy_argument(command->words[i], path, out);
	}
	arguments[count] = NULL;
	return arguments;
}
