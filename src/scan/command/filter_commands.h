/*
 * The commands of --filter, and the choice of a command for a file. The similar name
 * src/index/walk/exclusions.h is about files that a walk leaves out.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_FILTER_COMMANDS_H
#define SIMHASH_SCAN_FILTER_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "simhash.h"

/* What a command prints is named as a member of its file. */
#define FILTERED_NAME "filtered"

struct filter_command {
	char *extensions; /* in lower case, each ended by a zero, then an empty one */
	char **words;	  /* ended by NULL */
	char *program;	  /* a path */
	char *text;	  /* the command as it was given */
	char *version;	  /* of the program: its path, its size and when it was changed */
	bool names_file;  /* a word has the path of the file; else it is standard input */
	uint32_t number;  /* 31 bits of a hash of the words and the version; not 0 */
};

/* All zero is empty. */
struct filter_commands {
	struct filter_command *items;
	size_t count, capacity;
};

/*
 * Add EXT[,EXT...]:COMMAND. The command is split at blanks. Single quotes keep what is in them as
 * it is; in double quotes and outside of quotes a backslash keeps the next character. In each
 * word % becomes the path of the file, and %% a percent sign.
 */
int filter_commands_add(struct filter_commands *list, const char *text,
			struct simhash_error *error);
/* Add each line of a file that is neither empty nor begins with a #. */
int filter_commands_add_file(struct filter_commands *list, const char *path,
			     struct simhash_error *error);
void filter_commands_release(struct filter_commands *list);

/* The first command for the extension of a name, or NULL. */
const struct filter_command *filter_commands_find(const struct filter_commands *list,
						  struct bytes name);

/* Its number, or 0. `filters` is a list. */
uint32_t filter_commands_number(const void *filters, struct bytes name);

/* The arguments for a file, with one more that is NULL; freed by the caller at once. Or NULL. */
char **filter_arguments(const struct filter_command *command, const char *path);

#endif
