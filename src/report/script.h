/*
 * A shell script of what could be done about identical files: it does nothing until
 * somebody takes the comment signs from the lines wanted, and then compares each two
 * files once more before it touches one.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_SCRIPT_H
#define SIMHASH_REPORT_SCRIPT_H

#include <stdio.h>

#include "find/pairs.h"

/*
 * Write the script for the identical pairs of a list: those of files of this host as they
 * are. Of each content the first path is kept. *copies is the number of the others. The
 * caller checks the file's error state.
 */
int script_write(FILE *out, const struct pair_list *pairs, uint64_t *copies,
		 struct simhash_error *error);

/* Write a word that a POSIX shell takes for these bytes; `is_encoded` for printf's %b. */
void write_shell_word(FILE *out, struct bytes text, bool is_encoded);

/* Does a text need to be encoded, lest a line ends in it or a terminal is harmed by it? */
bool needs_encoding(struct bytes text);

#endif
