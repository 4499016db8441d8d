/*
 * An output file that replaces the old file only when it is complete. A regular file is first
 * written under a temporary name. So a run that fails or is interrupted leaves the old file.
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
	FILE *stream;	  /* NULL once it is closed */
	const char *name; /* borrowed, for messages */
	/* NULL where the file is written directly. */
	char *target;
	char *temporary;
	mode_t mode; /* of the target in the end */
};

/*
 * Open `path`, borrowed, to write to. NULL and "-" are standard output, and so is another name of
 * it. What is no regular file is written directly, and so is a file whose directory cannot be
 * written to. Through a symbolic link, what it leads to is replaced. An existing file keeps its
 * permissions; a new one gets those of `mode` that the umask leaves. The files of the index are
 * refused; `store` NULL: there is none. Call it while no other thread runs: a signal in between
 * could leave the temporary file.
 */
int output_open(struct output_file *output, const char *path, mode_t mode,
		const struct store *store, struct simhash_error *error);

/*
 * Refuse to replace a file that the index has as one of `host`, under this name or another one. An
 * empty file may be replaced, and so may one that begins as an output of simhash and simfind does.
 * `path` as output_open takes it; NULL is fine. Call it before output_open.
 */
int output_check_index(const char *path, struct store *store, const char *host,
		       struct simhash_error *error);

/* Write what the stream still holds, and close it; closing may be what shows that the disk is full. */
int output_close(struct output_file *output, struct simhash_error *error);

/* Put a closed output in its place. */
int output_publish(struct output_file *output, struct simhash_error *error);

/* Remove what is not published. `output` may be all zeros, or released already. */
void output_release(struct output_file *output);

/* Remove what no output has published. For signal handlers of a program that is about to end. */
void outputs_remove(void);

#endif
