/*
 * Writes pictures, and the lines that differ between two texts. For this it reads the files again,
 * with limits for the bytes that are read and for the size of the page.
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

/* The limit for all texts, and for PAGE_BYTES of each file. */
#define EXCERPT_READ_BYTES ((int64_t)128 << 20)
#define EXCERPT_FILE_BYTES ((int64_t)1 << 20) /* larger texts are not compared */
/* The limit for one comparison; further lines are only counted. */
#define EXCERPT_DIFF_BYTES ((size_t)32 << 10)
#define EXCERPT_PAGE_BYTES ((int64_t)8 << 20) /* the limit for all comparisons */
#define EXCERPT_GROUP_DIFFS 100 /* the maximum for one group, which leaves room for other groups */
#define PICTURE_FILE_BYTES ((int64_t)512 << 10)
#define PICTURE_PAGE_BYTES ((int64_t)16 << 20)

/* The reason why the page shows no lines. The page has a sentence for each reason. */
enum excerpt_absence {
	EXCERPT_OF_FIRST,  /* the first file is not compared */
	EXCERPT_ELSEWHERE, /* the file is on another host, in an archive, or standard input */
	EXCERPT_CHANGED,   /* the file was removed, was changed or cannot be read */
	EXCERPT_NO_TEXT,
	EXCERPT_LARGE,
	EXCERPT_DIFFERENT, /* too many lines differ */
	EXCERPT_FULL,	   /* a limit is reached */
	EXCERPT_PRESENT
};

struct excerpt_text {
	enum excerpt_absence absence; /* EXCERPT_PRESENT: `text` is set */
	char *text;
	size_t size;
};

struct excerpts {
	const struct report *report;
	int64_t left_to_read, left_of_page, left_for_pictures;
	const struct find_file *first; /* the first file of the group */
	bool is_first_read;
	struct excerpt_text first_text;
	unsigned group_diffs;
};

/* The report is borrowed. */
void excerpts_init(struct excerpts *excerpts, const struct report *report);
void excerpts_release(struct excerpts *excerpts);

void excerpts_begin_group(struct excerpts *excerpts, const struct find_file *first);

/* Write the differences between `other` and the first file as a string of hunks, or an excerpt_absence. */
int excerpt_write(struct excerpts *excerpts, FILE *out, const struct find_file *other,
		  struct simhash_error *error);

/* Write a picture as the string of a data URL without its scheme, or 0 if there is none. */
int excerpt_write_picture(struct excerpts *excerpts, FILE *out, const struct find_file *file,
			  struct simhash_error *error);

#endif
