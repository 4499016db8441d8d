/*
 * Reads and writes decisions.json, which the report and --review write: docs/report.md describes
 * the fields.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_KEEP_DECISIONS_H
#define SIMHASH_KEEP_DECISIONS_H

#include <stdio.h>

#include "base/data/arena.h"
#include "keep/keep.h"

struct decisions {
	struct arena arena; /* holds the paths */
	struct keep_file *files;
	size_t count, capacity;
	struct bytes *elsewhere; /* HOST:PATH of files to remove on other hosts */
	size_t elsewhere_count, elsewhere_capacity;
	struct bytes
		*others; /* all decisions of other hosts as JSON objects, if they were requested */
	size_t other_count, other_capacity;
};

/*
 * Read the text of a file; `what` names it in errors, and `host` is the name of this host. The
 * caller releases the decisions on 0.
 */
int decisions_read(struct bytes text, const char *what, const char *host,
		   struct decisions *decisions, struct simhash_error *error);
/* The same, with `others`. */
int decisions_read_all(struct bytes text, const char *what, const char *host,
		       struct decisions *decisions, struct simhash_error *error);
void decisions_release(struct decisions *decisions);

/*
 * Receives a decision about a file of this host, or about one of another host as a JSON object; the
 * other one is NULL. Both are valid during the call.
 */
typedef int decision_fn(void *context, const struct keep_file *file, const struct bytes *other,
			struct simhash_error *error);

/*
 * Pass on all decisions of a file that decisions_begin and the functions after it wrote; it may be
 * much larger than memory. Returns 0, or 1 without a call if the file has another form, or -1.
 * Contradictions are not noticed.
 */
int decisions_each(FILE *file, const char *what, const char *host, decision_fn *each, void *context,
		   struct simhash_error *error);

/*
 * Writes decisions in the form of the page:
 *
 *     decisions_begin(&writer, out, &heading);
 *     decisions_begin_group(&writer, hash);        // for each content
 *     decisions_write_file(&writer, &file);        // for each of its files
 *     decisions_end(&writer);
 *
 * The caller checks the stream for errors.
 */
struct decisions_heading {
	const char *host, *index; /* `index`: the URL of the index */
	char *const *words;	  /* the command line */
	int word_count;
};
struct decisions_writer {
	FILE *out;
	const struct decisions_heading *heading;
	size_t groups, files; /* `files`: of this group */
};
void decisions_begin(struct decisions_writer *writer, FILE *out,
		     const struct decisions_heading *heading);
void decisions_begin_group(struct decisions_writer *writer, const uint8_t hash[KEEP_HASH_SIZE]);
void decisions_write_file(struct decisions_writer *writer, const struct keep_file *file);
/* Write one of `others`. */
void decisions_write_other(struct decisions_writer *writer, struct bytes json);
void decisions_end(struct decisions_writer *writer);

#endif
