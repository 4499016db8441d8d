/*
 * The options of simfind.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_OPTIONS_H
#define SIMHASH_CLI_FIND_OPTIONS_H

#include "cli/progress.h"
#include "find/find.h"
#include "find/groups.h"
#include "report/formatter.h"

enum confirm_mode { CONFIRM_NOT, CONFIRM_ALL, CONFIRM_DOUBTFUL };

struct find_settings {
	struct store_location location; /* the URL as it was given, or NULL */
	const char *tag_file, *host, *output_path;
	struct find_rule rule;
	const struct formatter *formatter;
	bool with_empty, quiet, expand, hard_links, inflate, fail_on_match;
	int64_t max_inflated_bytes;
	enum progress_mode progress;
	const char *script_path; /* NULL: no script */
	const char *measure;	 /* its text; NULL: the rule */
	double min_similarity;	 /* 0: the measure's own */
	bool compare;
	unsigned threads, part, parts;
	bool has_groups;
	enum linkage linkage;
	enum confirm_mode confirm;
	double min_resemblance, max_change;
	bool has_min_resemblance; /* was it given? */
	bool has_between;
	struct find_side between[2];
	char *between_text[2]; /* owned, what `between` points into */
	struct find_query *queries;
	size_t query_count;
	bool has_files; /* were any asked for, be it by an empty list? */
	char *names;	/* owned, of --files0-from */
	size_t nearest;
	/* Of --stats or --sweep. */
	bool is_sweep;
	int64_t *tolerances;
	size_t tolerance_count;
};

void find_settings_init(struct find_settings *settings);
void find_settings_release(struct find_settings *settings);

/* 0 to go on, 1 when the program is done (help, version), -1 for a wrong option. */
int find_settings_parse(struct find_settings *settings, int argc, char **argv,
			struct simhash_error *error);

#endif
