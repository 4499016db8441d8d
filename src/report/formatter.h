/*
 * How pairs are written: one table of formatters, one file each.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_FORMATTER_H
#define SIMHASH_REPORT_FORMATTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "find/file.h"

/* A file of a group. */
struct member_line {
	uint64_t group; /* from 1 */
	enum member_role { REPRESENTATIVE, MEMBER, COPY } role;
	/* From the representative; of a copy, from its twin. */
	uint64_t distance;
	double changed;
	bool is_measured; /* grouped by another measure, which `changed` knows nothing of */
	int64_t size_bytes;
	struct bytes path;
};

struct group_line {
	uint64_t group, files;
	int64_t bytes; /* of all of them */
};

/* Where the lines go. */
struct presentation {
	bool is_terminal; /* no control byte of a path may be written */
	bool has_colours;
	/* Put PATH_MARK before each path, and WIDTH_MARK after the first of a line. */
	bool has_marks;
};

/*
 * What an escaped path never holds: it shows where a path begins, so that what all paths
 * have in common can be left out, and where blanks go that align what comes after. See
 * write_marked.
 */
#define PATH_MARK '\x01'
#define WIDTH_MARK '\x02'

/*
 * Each function writes to `out`, whose error state the caller checks. Pairs may be
 * written ahead, by several threads and to several `out`, and put in order later: so a
 * pair does not know its number; `first` is written before the first of them and
 * `separator` before all others. Groups come one after another with their members.
 */
struct formatter {
	const char *name;
	const char *first, *separator;
	bool is_stream; /* pairs are written as they are found, in no order */
	bool is_text;	/* for people: marks are understood */
	bool is_report; /* written by report_write, from all that was found; no functions */
	void (*begin)(FILE *out);
	void (*pair)(FILE *out, const struct file_pair *pair, const struct presentation *how);
	void (*end)(FILE *out, uint64_t count);
	void (*begin_groups)(FILE *out);
	void (*group)(FILE *out, const struct group_line *line, const struct presentation *how);
	void (*member)(FILE *out, const struct member_line *line, const struct presentation *how);
	void (*end_group)(FILE *out, const struct group_line *line);
	void (*end_groups)(FILE *out, uint64_t groups);
};

extern const struct formatter formatter_text, formatter_csv, formatter_json, formatter_jsonl,
	formatter_null, formatter_html;

/* By name; NULL when there is none. */
const struct formatter *formatter_find(const char *name);

/* The names of all formats, for messages: "text, csv, json ..." */
extern const char formatter_names[];

/* 100 * distance / mean size; 0 for two empty files. */
double pair_percent(const struct file_pair *pair);

/* "confirmed", "measured", "trusted", "unconfirmed"; "" when nobody looked. */
const char *verification_name(enum verification verification);

/* "representative", "member" or "copy" */
const char *role_name(enum member_role role);

const char *pair_match(const struct file_pair *pair); /* "identical" or "similar" */

/* As printf's "%WIDTH.PLACESf" of a number from 0 to 10^12, but much faster. */
void write_decimal(FILE *out, double value, int width, int places);

/* The length of the valid UTF-8 sequence at the start of `bytes`, or 0. */
size_t utf8_length(struct bytes bytes);

/* The character of a valid sequence. */
uint32_t code_point(const unsigned char *b, size_t length);

/*
 * Would a character act on what shows it, and not be shown: controls (C0, DEL, C1), the marks that
 * have text run the other way (Bidi_Control), by which a name looks like another, and the separators
 * of lines and paragraphs?
 */
bool acts_on_display(uint32_t code);

/*
 * Write bytes so that they can do no harm to a terminal: what acts on it and what
 * is not UTF-8 as \n, \t or \xHH, and a backslash as two.
 */
void write_escaped(FILE *out, struct bytes bytes);

/* The same as a text, ended by a zero, for the caller to free; NULL when memory is short. */
char *escape_text(struct bytes bytes, size_t *size);

/*
 * Write a text with marks: without the marks, without `prefix` where it follows a
 * PATH_MARK, and with what comes before the WIDTH_MARK made `width` columns wide, counted
 * from the path before it.
 */
void write_marked(FILE *out, struct bytes text, struct bytes prefix, size_t width);

/* How many columns a valid UTF-8 text takes, one for each character. */
size_t text_columns(struct bytes text);

/* Write a text as a string of JSON. Returns whether all of it was UTF-8. */
bool write_json_string(FILE *out, struct bytes text);

#endif
