/*
 * Defines the interface of the formats of pairs and groups. Each format is a table of functions.
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
#include "find/reading/copy_damage.h"

/* Colours in text for people. */
enum use_of_colours { COLOURS_AUTO, COLOURS_ALWAYS, COLOURS_NEVER };

/* How lines are presented. */
struct presentation {
	struct record_style records; /* text uses only `is_terminal` */
	bool has_colours;
	/* Write PATH_MARK before each path, and WIDTH_MARK after the first path of a line. */
	bool has_marks;
	unsigned columns;	       /* the width of the terminal */
	struct damage_finder *damages; /* NULL: do not look for damaged copies */
};

/*
 * Bytes that no escaped path contains. PATH_MARK shows where a path begins, so that the common
 * beginning of all paths can be omitted. WIDTH_MARK shows where blanks are inserted to align the
 * text after it. See marked.h.
 */
#define PATH_MARK '\x01'
#define WIDTH_MARK '\x02'

typedef void member_fn(FILE *out, const struct group *group, const struct group_member *member,
		       const struct presentation *how);

/*
 * A format. Several threads may write pairs to several `out`, which are put in order later, so a
 * pair does not know its number. Groups with their members are written in sequence.
 */
struct formatter {
	const char *name;
	enum record_format format;
	struct frame pairs, groups;
	bool is_stream; /* pairs are written as they are found, in any order */
	/* The format is for people: marks are allowed, and groups are blocks; see listing.h. */
	bool is_text;
	/* report_write writes this format when the search has ended; it has no functions. */
	bool is_report;
	void (*pair)(FILE *out, const struct file_pair *pair, const struct presentation *how);
	/* Writes the text before the members of a group; NULL: no text. */
	void (*group)(FILE *out, const struct group *group, const struct presentation *how);
	member_fn *member;
	const char *end_group; /* the text after the members; NULL: no text */
};

extern const struct formatter formatter_text, formatter_csv, formatter_json, formatter_jsonl,
	formatter_null, formatter_html, formatter_dot;

/* Colours of ECMA-48; text for people uses only these. */
#define GREEN "\x1b[32m"
#define YELLOW "\x1b[33m"
#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"

/* The difference of the counts in percent of the mean size; 0 for two empty files. */
double count_difference(const struct file_pair *pair);

/* The reason why two files are a pair: "hash", "sketch", "read", "counts", "measure" or "no". */
const char *verification_name(enum verification verification);

/*
 * "confirmed" for a pair that was read, "unconfirmed" for a pair that could not be read,
 * "measured", or NULL.
 */
const char *confirmation_name(const struct file_pair *pair);

/*
 * The relation of two files, for people: "identical", "about 97 %", "97.31 %", "same counts", "part
 * of (~93 %)". The label is never 100 % if the files differ.
 */
#define LABEL_SIZE 24
#define LABEL_COLUMNS 16
/* The path of a member is indented by this many columns below the first file of its group. */
#define BLOCK_INDENT 13
char *pair_label(const struct file_pair *pair, char label[LABEL_SIZE]);
/* The share of one file that is in the other: "(95 %)". */
char *share_label(const struct relation *relation, char label[LABEL_SIZE]);
/* The place of a part in the file that contains it: "lines 12-34", or "" for NULL. */
#define PLACE_SIZE 56
char *place_label(const struct part_place *place, char label[PLACE_SIZE]);
/* "damaged copy?", or "one bit differs" if that may be an edit. */
const char *damage_label(const struct copy_damage *damage);
/*
 * The damaged bytes: "bytes 512-1023: zeros in the first file". `a` and `b` name the files of the
 * pair.
 */
#define DAMAGE_SIZE 160
char *damage_place(const struct copy_damage *damage, const char *a, const char *b,
		   char text[DAMAGE_SIZE]);
/* Return a member and the representative of its group as a pair; the representative is `b`. */
struct file_pair member_pair(const struct group *group, const struct group_member *member);

/* The label of this pair; "" for the representative itself. */
char *member_label(const struct group *group, const struct group_member *member,
		   char label[LABEL_SIZE]);

/* Return "representative", "member" or "copy". */
const char *role_name(enum member_role role);

/* "identical", "same text" or "similar" */
const char *pair_match(const struct file_pair *pair);

#endif
