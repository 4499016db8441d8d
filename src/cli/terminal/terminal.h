/*
 * Writes messages and the status line to standard error, and formats numbers for people.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_TERMINAL_H
#define SIMHASH_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/basic/bytes.h"
#include "base/text/decimal.h"
#include "simhash.h"

/*
 * Write "program: text" with one call. If the text has control bytes, these and backslashes are
 * escaped.
 */
void say(const char *program, const char *text);

/*
 * Show a status line at the bottom of the terminal on standard error; it replaces the previous one.
 * Messages appear above it. `line` has no control bytes and fits into the width. NULL erases it.
 * Any thread may call this.
 */
void show_status(const char *line);

/* Is a status line shown? For signal handlers, which write ERASE_LINE themselves. */
bool has_status(void);
#define ERASE_LINE "\r\x1b[K"

/* Return the width of the terminal on standard error, or 80 if it is not a terminal. */
unsigned terminal_columns(void);

/* Write an escaped path in at most `columns` columns. A longer path becomes "..." and its end. */
void write_shortened(FILE *out, struct bytes path, unsigned columns);

/*
 * Suggest the next step: "Next: COMMAND -d URL OPTIONS WHAT". It is written only if standard output
 * and standard error are terminals. `url` is the URL of the index, or NULL if it was not given;
 * `options` and `what` may be NULL.
 */
void say_next(const char *command, const char *url, const char *options, const char *what);

/* Write "program: path: text". */
void say_path(const char *program, struct bytes path, const char *text);

/*
 * Write the buffered rest of standard output. It fails if this or earlier output could not be
 * written.
 */
int finish_output(struct simhash_error *error);

/*
 * Return why a file cannot be used. EINVAL: it is not a file; EILSEQ, EBADMSG, EOVERFLOW: see
 * scan_inflated; FILE_HAS_LARGE_HOLES: see scan_file.
 */
const char *explain_errno(int system_errno);

/* Write seconds as "0:07" or "2:05:31". `buffer` has space for 32 bytes. */
const char *format_seconds(double seconds, char *buffer);

#endif
