/*
 * Shows contents in the report: the differences of two texts, and pictures. It reads the files once
 * more, within bounds on the bytes read and on the page's size.
 *
 *     excerpts_init(&excerpts, &report);
 *     for each group, the most important first:
 *             excerpts_begin_group(&excerpts, first);
 *             for each other content:
 *                     excerpt_write(&excerpts, out, other, &error);
 *     excerpts_release(&excerpts);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_EXCERPT_H
#define SIMHASH_REPORT_EXCERPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/page/report.h"

#define EXCERPT_READ_BYTES ((int64_t)128 << 20) /* of all texts, and a page for each file */
#define EXCERPT_FILE_BYTES ((int64_t)1 << 20)	/* larger texts are not compared */
#define EXCERPT_DIFF_BYTES ((size_t)32 << 10)	/* of one comparison; the rest is counted */
#define EXCERPT_PAGE_BYTES ((int64_t)8 << 20)	/* of all of them */
#define EXCERPT_GROUP_DIFFS 100			/* so that one group leaves room for others */
#define PICTURE_FILE_BYTES ((int64_t)512 << 10)
#define PICTURE_PAGE_BYTES ((int64_t)16 << 20)

/* Why there is none. The page has a sentence for each. */
enum excerpt_absence {
	EXCERPT_OF_FIRST,  /* there is nothing to compare it with */
	EXCERPT_ELSEWHERE, /* on another host, in an archive, or standard input */
	EXCERPT_CHANGED,   /* gone, not readable, or no longer as it was indexed */
	EXCERPT_NO_TEXT,
	EXCERPT_LARGE,
	EXCERPT_DIFFERENT, /* too many lines differ */
	EXCERPT_FULL,	   /* a bound is reached */
	EXCERPT_PRESENT
};

struct excerpt_text {
	enum excerpt_absence absence; /* EXCERPT_PRESENT: the text is there */
	char *text;
	size_t size;
};

struct excerpts {
	const struct report *report;
	int64_t left_to_read, left_of_page, left_for_pictures;
	const struct find_file *first; /* of the group */
	bool is_first_read;
	struct excerpt_text first_text;
	unsigned group_diffs;
};

void excerpts_init(struct excerpts *excerpts, const struct report *report); /* borrowed */
void excerpts_release(struct excerpts *excerpts);

void excerpts_begin_group(struct excerpts *excerpts, const struct find_file *first);

/*
 * Write how `other` differs from the first of the group: a string of hunks, or the number of its
 * absence.
 */
int excerpt_write(struct excerpts *excerpts, FILE *out, const struct find_file *other,
		  struct simhash_error *error);

/* Write a picture as the string of a data URL without its scheme, or 0 where there is none. */
int excerpt_write_picture(struct excerpts *excerpts, FILE *out, const struct find_file *file,
			  struct simhash_error *error);

#endif
