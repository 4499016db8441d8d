/*
 * Writes a shell script that can replace, delete or move files. All its commands are comments. When a
 * person removes the comment sign of a command, simkeep carries it out; the shell only passes it on
 * (keep/commands.h).
 *
 *     script_begin(out, &head);
 *     script_write_content(out, 4096);
 *     script_write_command(out, SCRIPT_HARDLINK, &command);
 *     script_write_refusal(out, SCRIPT_REFLINK, "it is on another file system");
 *     script_end(out, 1);
 *
 * The caller chooses the copies and the kept file, and checks the error state of the stream.
 * docs/apply.md describes the format.
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
	bool host_is_given; /* --host was given, so the system may have another name */
	const struct bytes *protected;
	size_t protected_count;
	/* Directories that are removed at or below these when they become empty. */
	const struct bytes *emptied;
	size_t emptied_count;
	bool moves; /* the commands move and delete files, and belong together */
};

struct script_command {
	const char *kept, *copy;
	int64_t size_bytes; /* negative: the size and both times are unknown */
	int64_t kept_mtime_ns, copy_mtime_ns;
	const char
		*moved; /* the path of the kept file before an earlier command moves it; or NULL */
};

struct script_move {
	const char *file, *to;
	int64_t size_bytes, mtime_ns;
};

void script_begin(FILE *out, const struct script_head *head);

/* End the script with the number of its commands, so that a truncated script is recognized. */
void script_end(FILE *out, uint64_t commands);

/* The following copies have another content; its size is negative if unknown. */
void script_write_content(FILE *out, int64_t size_bytes);

/* Write the command for the copy as a comment. It takes effect if the comment sign is removed. */
void script_write_command(FILE *out, enum script_way way, const struct script_command *command);

/* Write the command that moves a file, in the same way. */
void script_write_move(FILE *out, const struct script_move *move);

/* Write the reason why there is no command. */
void script_write_refusal(FILE *out, enum script_way way, const char *why);

#endif
