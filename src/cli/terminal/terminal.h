/*
 * Messages and the status line on standard error, and numbers in a form for people.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_TERMINAL_H
#define SIMHASH_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/basic/bytes.h"
#include "base/text/decimal.h"
#include "simhash.h"

/* Write "program: text" in one piece, with control bytes of the text escaped. */
void say(const char *program, const char *text);

/*
 * Show a line at the bottom of the terminal on standard error, in place of the one before;
 * messages go above it. `line` has no control bytes and fits the width. NULL erases it. Any thread.
 */
void show_status(const char *line);

/* Is it shown? For signal handlers, which write ERASE_LINE themselves. */
bool has_status(void);
#define ERASE_LINE "\r\x1b[K"

/* The columns of the terminal on standard error; 80 where it is no terminal. */
unsigned terminal_columns(void);

/* Write an escaped path in at most `columns` columns; of a longer one "..." and its end. */
void write_shortened(FILE *out, struct bytes path, unsigned columns);

/*
 * Say what a person can do next: "Next: COMMAND -d URL OPTIONS WHAT". Only if standard output and standard error
 * are terminals. `url`: of the index, NULL if it was not given; `options` and `what` may be NULL.
 */
void say_next(const char *command, const char *url, const char *options, const char *what);

/* Write "program: path: text". */
void say_path(const char *program, struct bytes path, const char *text);

/* Write what standard output still holds. Error: it, or something before it, was not written. */
int finish_output(struct simhash_error *error);

/* Why a file cannot be used. EINVAL: it is not a file; EILSEQ, EBADMSG, EOVERFLOW: scan_inflated. */
const char *explain_errno(int system_errno);

/* Seconds as "0:07" or "2:05:31"; `buffer` has room for 32 bytes. */
const char *format_seconds(double seconds, char *buffer);

#endif
