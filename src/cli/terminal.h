/*
 * Saying things on standard error, safely.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_TERMINAL_H
#define SIMHASH_CLI_TERMINAL_H

#include <stdio.h>

#include "base/bytes.h"
#include "simhash.h"

/* "program: text", with control bytes in the text escaped, in one piece. */
void say(const char *program, const char *text);

/*
 * What SQLite keeps beside an index is mapped into memory: where its disk is full, over its
 * quota or breaks, using that is SIGBUS. end_at_bus_error has it said, with the names of the
 * indexes, and the program ended with status 1; without an index it ends as ever. name_index
 * copies the name of one; called before there are threads.
 */
void end_at_bus_error(const char *program);
void name_index(const char *url);

/*
 * A line at the bottom of the terminal on standard error, in place of the one before;
 * what is said goes above it. `line` holds no control bytes and fits the width. NULL
 * takes it away. Any thread.
 */
void show_status(const char *line);

/* The columns of the terminal on standard error; 80 where there is none. */
unsigned terminal_columns(void);

/*
 * Write a path escaped, of at most so many columns: where it is longer, its end after
 * "...". For a status line.
 */
void write_shortened(FILE *out, struct bytes path, unsigned columns);

/* "program: path: what the system said" */
void say_path(const char *program, struct bytes path, const char *text);

/*
 * The words for why a path cannot be used. EINVAL: it is not a file; EILSEQ, EBADMSG,
 * EOVERFLOW: see scan_inflated.
 */
const char *explain_errno(int system_errno);

/* Seconds as "0:07" or "2:05:31"; `buffer` has room for 32 bytes. */
const char *format_seconds(double seconds, char *buffer);

/* 1234567 as "1,234,567" and bytes as "1.2 GB"; `buffer` has room for 32 bytes. */
const char *format_count(uint64_t count, char *buffer);
const char *format_bytes(double bytes, char *buffer);

#endif
