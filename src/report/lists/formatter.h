/*
 * The interface of the formats of pairs and groups: one table of formatters, with one file for
 * each.
 *
 *     frame_begin(out, &formatter->pairs);
 *     for (uint64_t i = 0; i < count; i++) {
 *             frame_next(out, &formatter->pairs, i);
 *             formatter->pair(out, &pairs[i], &how);
 *     }
 *     frame_end(out, &formatter->pairs, count);
 *
 * The caller checks the error state of the file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_FORMATTER_H
#define SIMHASH_REPORT_FORMATTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text/record.h"
#include "find/groups/groups.h"

/* Of text for people. */
enum use_of_colours { COLOURS_AUTO, COLOURS_ALWAYS, COLOURS_NEVER };

/* Where the lines go. */
struct presentation {
	struct record_style records; /* also of text: whether they go to a terminal */
	bool has_colours;
	/* Put PATH_MARK before each path, and WIDTH_MARK after the first of a line. */
	bool has_marks;
	unsigned columns; /* of the terminal */
};

/*
 * Bytes that an escaped path never holds. They show where a path begins, so that what all paths
 * have in common can be left out, and where blanks go that align what comes after. See
 * marked.h.
 */
#define PATH_MARK '\x01'
#define WIDTH_MARK '\x02'

typedef void member_fn(FILE *out, const struct group *group, const struct group_member *member,
		       const struct presentation *how);

/*
 * Pairs may be written ahead, by several threads and to several `out`, and put in order later:
 * so a pair does not know its number. Groups come one after another with their members.
 */
struct formatter {
	const char *name;
	enum record_format format;
	struct frame pairs, groups;
	bool is_stream; /* pairs are written as they are found, in no order */
	bool is_text;	/* for people: marks are understood; groups are blocks, see listing.h */
	bool is_report; /* written by report_write, from all that was found; no functions */
	void (*pair)(FILE *out, const struct file_pair *pair, const struct presentation *how);
	/* What stands before the members of a group; NULL: nothing. */
	void (*group)(FILE *out, const struct group *group, const struct presentation *how);
	member_fn *member;
	const char *end_group; /* what stands after them; NULL: nothing */
};

extern const struct formatter formatter_text, formatter_csv, formatter_json, formatter_jsonl,
	formatter_null, formatter_html, formatter_dot;

/* Colours of ECMA-48; text for people has no others. */
#define GREEN "\x1b[32m"
#define YELLOW "\x1b[33m"
#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"

/* The distance of the counts in percent of the mean size; 0 for two empty files. */
double count_difference(const struct file_pair *pair);

/* What made a pair one: "hash", "sketch", "read", "counts", "measure" or "no". */
const char *verification_name(enum verification verification);

/* "confirmed" for a pair that was read, "unconfirmed" for one that could not be, "measured", or NULL. */
const char *confirmation_name(const struct file_pair *pair);

/*
 * What two files are to each other, for people: "identical", "about 97 %", "97.31 %", "same counts",
 * "part of (~93 %)". Files that differ are never 100 % the same.
 */
#define LABEL_SIZE 24
#define LABEL_COLUMNS 16
#define BLOCK_INDENT 13 /* columns before the path of a member below the first file of its group */
char *pair_label(const struct file_pair *pair, char label[LABEL_SIZE]);
/* "(95 %)": how much of one file is in the other. */
char *share_label(const struct relation *relation, char label[LABEL_SIZE]);
/* A member as a pair with the representative of its group, which is b. */
struct file_pair member_pair(const struct group *group, const struct group_member *member);

/* The label of that pair; "" for the representative itself. */
char *member_label(const struct group *group, const struct group_member *member,
		   char label[LABEL_SIZE]);

/* "representative", "member" or "copy" */
const char *role_name(enum member_role role);

const char *pair_match(const struct file_pair *pair); /* "identical" or "similar" */

#endif
