/*
 * A shell script that can replace or delete copies. All its commands are commented out,
 * and a command compares both files again before it changes one.
 *
 *     script_begin(out);
 *     script_write_content(out, 4096);
 *     script_write_command(out, SCRIPT_HARDLINK, kept, copy);
 *     script_write_refusal(out, SCRIPT_REFLINK, "it is on another file system");
 *     script_end(out);
 *
 * Which copies there are and what is kept is up to the caller, who also checks the stream's
 * error state.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_SCRIPT_H
#define SIMHASH_REPORT_SCRIPT_H

#include <stdint.h>
#include <stdio.h>

#include "base/bytes.h"

enum script_way { SCRIPT_HARDLINK, SCRIPT_REFLINK, SCRIPT_DELETE, SCRIPT_WAYS };

void script_begin(FILE *out);
void script_end(FILE *out);

/* Copies of another content come next; its size may be below 0, which is not known. */
void script_write_content(FILE *out, int64_t size_bytes);

/* What a shell does to `copy` once the line is no comment any more. */
void script_write_command(FILE *out, enum script_way way, struct bytes kept, struct bytes copy);

/* Instead of a command: why there is none. */
void script_write_refusal(FILE *out, enum script_way way, const char *why);

#endif
