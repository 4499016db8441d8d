/*
 * Saying things on standard error, safely.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_TERMINAL_H
#define SIMHASH_CLI_TERMINAL_H

#include "simhash.h"
#include "store/bytes.h"

/* "program: text", with control bytes in the text escaped, in one piece. */
void say(const char *program, const char *text);

/* "program: path: what the system said" */
void say_path(const char *program, struct bytes path, const char *text);

/* The words for why a path cannot be used. EINVAL: it is not a file. */
const char *explain_errno(int system_errno);

/* 1234567 as "1,234,567" and bytes as "1.2 GB"; `buffer` has room for 32 bytes. */
const char *format_count(uint64_t count, char *buffer);
const char *format_bytes(double bytes, char *buffer);

#endif
