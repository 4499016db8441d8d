/*
 * Words of a POSIX shell, for the commands that messages advise.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_SHELL_WORD_H
#define SIMHASH_BASE_SHELL_WORD_H

#include <stdbool.h>
#include <stdio.h>

#include "base/basic/bytes.h"

/* Does a text hold bytes that end a line, act on a terminal or are not UTF-8? */
bool needs_encoding(struct bytes text);

/*
 * Write bytes as a word that is quoted only where a shell would not take it as it is; without a
 * backslash, which messages escape.
 */
void write_command_word(FILE *out, struct bytes text);

#endif
