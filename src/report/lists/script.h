/*
 * Writes a shell script that can replace or delete copies. All its commands are comments. simkeep
 * carries out the commands from which a person removed the comment sign; the shell only passes them
 * on (keep/commands.h).
 *
 *     script_begin(out, &head);
 *     script_write_content(out, 4096);
 *     script_write_command(out, SCRIPT_HARDLINK, &command);
 *     script_write_refusal(out, SCRIPT_REFLINK, "it is on another file system");
 *     script_end(out, 1);
 *
 * The caller decides which copies there are and which file is kept, and checks the stream's error
 * state. docs/apply.md has the format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_SCRIPT_H
#define SIMHASH_REPORT_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/basic/bytes.h"

enum script_way { SCRIPT_HARDLINK, SCRIPT_REFLINK, SCRIPT_DELETE, SCRIPT_WAYS };

struct script_head {
	const char *host;
	bool host_is_given; /* by --host, so the system may have another name */
	const struct bytes *protected;
	size_t protected_count;
};

struct script_command {
	const char *kept, *copy;
	int64_t size_bytes; /* below 0: not known, like both times */
	int64_t kept_mtime_ns, copy_mtime_ns;
};

void script_begin(FILE *out, const struct script_head *head);

/* The script ends, with the number of its commands: so one that was cut is recognized. */
void script_end(FILE *out, uint64_t commands);

/* Copies of another content come next; its size may be below 0, which is not known. */
void script_write_content(FILE *out, int64_t size_bytes);

/* What simkeep does to the copy once the line is no comment any more. */
void script_write_command(FILE *out, enum script_way way, const struct script_command *command);

/* Instead of a command: why there is none. */
void script_write_refusal(FILE *out, enum script_way way, const char *why);

#endif
