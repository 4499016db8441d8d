/*
 * Stores the commands of --filter, and chooses the command for a file. Do not confuse them with
 * src/index/walk/exclusions.h, which excludes files from a walk.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_FILTER_COMMANDS_H
#define SIMHASH_SCAN_FILTER_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "simhash.h"

/* The output of a command has this name, like a member of the file. */
#define FILTERED_NAME "filtered"

struct filter_command {
	/* The extensions in lower case, each terminated by a zero; an empty one ends the list. */
	char *extensions;
	char **words;	 /* terminated by NULL */
	char *program;	 /* the path of the program */
	char *text;	 /* the command as given */
	char *version;	 /* the version of the program: its path, size and time of change */
	bool names_file; /* a word contains the file's path; otherwise the file is standard input */
	uint32_t number; /* a 31-bit hash of the words and the version; not 0 */
};

/* A list of zeros is empty. */
struct filter_commands {
	struct filter_command *items;
	size_t count, capacity;
};

/*
 * Add EXT[,EXT...]:COMMAND. The command is split at blanks. Single quotes keep their content
 * unchanged. In double quotes and outside of quotes a backslash keeps the next character. In each
 * word % becomes the path of the file, and %% becomes a percent sign.
 */
int filter_commands_add(struct filter_commands *list, const char *text,
			struct simhash_error *error);
/* Add each line of a file, except empty lines and lines that begin with #. */
int filter_commands_add_file(struct filter_commands *list, const char *path,
			     struct simhash_error *error);
void filter_commands_release(struct filter_commands *list);

/* Return the first command for the extension of a name, or NULL. */
const struct filter_command *filter_commands_find(const struct filter_commands *list,
						  struct bytes name);

/* Return the number of this command, or 0. `filters` is a list. */
uint32_t filter_commands_number(const void *filters, struct bytes name);

/*
 * Return the arguments for a file, terminated by NULL, or NULL. The caller frees them with one
 * free(3).
 */
char **filter_arguments(const struct filter_command *command, const char *path);

#endif
