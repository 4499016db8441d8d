/*
 * Writes words of a POSIX shell, for commands in messages.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_SHELL_WORD_H
#define SIMHASH_BASE_SHELL_WORD_H

#include <stdbool.h>
#include <stdio.h>

#include "base/basic/bytes.h"

/* Does a text have bytes that end a line, act on a terminal or are not UTF-8? */
bool needs_encoding(struct bytes text);

/*
 * Write bytes as one shell word, with quotes only if necessary. It uses no backslash, because
 * messages with control bytes escape backslashes.
 */
void write_command_word(FILE *out, struct bytes text);

#endif
