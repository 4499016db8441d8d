/*
 * Reviews identical files in a full-screen program: shows the folders and the space that each could
 * free, and lets a person decide which files stay.
 *
 *     status = review_run(&source, &options, &result, &error);
 *     ... result.files are the decisions ...
 *     review_result_release(&result);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_REVIEW_H
#define SIMHASH_CLI_REVIEW_H

#include "base/data/arena.h"
#include "cli/review/source.h"

struct review_options {
	const char *decisions_path; /* NULL: a file below $XDG_STATE_HOME */
	bool acts;		    /* the caller acts on the decisions when the review ends */
	bool has_colours;
	char *const *words; /* the command line, which the decisions record */
	int word_count;
};

struct review_result {
	struct keep_file *files; /* sorted as plans; all files of each content that loses a file */
	size_t count;
	struct arena paths;
	char *decisions_path; /* the file with the decisions */
	uint64_t removed;     /* files to remove, also of earlier reviews */
	int signal;	      /* the signal that ended the review; the caller must not act; or 0 */
};

/* Is the review built in? */
bool review_is_built_in(void);

/*
 * Error before anything is read: there is no terminal, the review is not built in, or the terminal
 * is unknown.
 */
int review_check(struct simhash_error *error);

/*
 * Read the files, and let the user review them. The decisions are saved when it ends in any way.
 * The caller releases the result, also after -1.
 */
int review_run(const struct review_source *source, const struct review_options *options,
	       struct review_result *result, struct simhash_error *error);
void review_result_release(struct review_result *result);

#endif
