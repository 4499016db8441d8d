/*
 * Writes an output file that replaces the old file only when it is complete. A regular file is
 * first written under a temporary name. So a run that fails or is interrupted leaves the old file.
 *
 *     if (output_open(&output, path, 0666, store, &error) == 0) {
 *             fputs("...", output.stream);
 *             if (output_close(&output, &error) == 0)
 *                     status = output_publish(&output, &error);
 *     }
 *     output_release(&output);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_OUTPUT_FILE_H
#define SIMHASH_REPORT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "simhash.h"

struct store;

struct output_file {
	FILE *stream;	  /* NULL after it is closed */
	const char *name; /* the name for messages, which must stay valid */
	/* The file to replace; NULL if the output is written directly. */
	char *target;
	char *temporary;
	mode_t mode; /* the final permissions of the target */
};

/*
 * Open `path` for writing; it must stay valid. NULL and "-" are standard output, and so is any
 * other name of it. Paths that are not regular files are written directly, and so are files in a
 * directory that is not writable. For a symbolic link, its target is replaced. An existing file
 * keeps its permissions; a new one gets the permissions `mode` reduced by the umask. The files of the
 * index itself are refused; `store` is NULL without an index. A regular file is also refused, unless
 * it is empty or begins like an output of these programs. Call it while no other thread runs,
 * because a signal could otherwise leave the temporary file.
 */
int output_open(struct output_file *output, const char *path, mode_t mode,
		const struct store *store, struct simhash_error *error);

/* Write the rest of the stream, and close it; closing may reveal that the disk is full. */
int output_close(struct output_file *output, struct simhash_error *error);

/* Move a closed output to its place. */
int output_publish(struct output_file *output, struct simhash_error *error);

/* Remove the output if it is not published. `output` may be all zero, or already released. */
void output_release(struct output_file *output);

/* Remove all unpublished outputs. For signal handlers of a program that is about to end. */
void outputs_remove(void);

#endif
