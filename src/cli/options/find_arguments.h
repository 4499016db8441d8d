/*
 * Holds the parsed command line of simfind.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_ARGUMENTS_H
#define SIMHASH_CLI_FIND_ARGUMENTS_H

#include "cli/options/operands.h"
#include "cli/options/option_table.h"
#include "cli/options/options.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/summary.h"
#include "find/groups/groups.h"
#include "find/rule/find.h"
#include "lists/known_list.h"
#include "report/lists/formatter.h"
#include "report/lists/order.h"
#include "scan/archive/sandbox.h"

/*
 * A file that an option reads, and the end of the message that is written if the output would
 * replace it.
 */
struct find_input {
	const char *path, *what;
};

/* One list of --known. */
struct find_known {
	const char *path;
	enum known_format format;
};

/* Sides that were named. All zero to begin with. */
struct side_list {
	struct find_side *sides; /* owned */
	char **texts;		 /* owned with its items; the sides point into them */
	size_t count, capacity, text_capacity;
};

/* With --quiet, lists are written here. */
#define NO_OUTPUT "/dev/null"

struct find_arguments {
	struct index_choice index;
	struct operands operands;
	const char *output_path;
	struct find_input *inputs; /* owned; the texts are borrowed */
	size_t input_count, input_capacity;
	/* Complete except for the tag set, the host and the measure. */
	struct find_request request;
	struct sandbox_use sandbox;   /* request.sandbox points here, unless no sandbox is used */
	struct exclusions exclusions; /* they choose the files that are listed */
	struct find_resources resources;
	const struct formatter *formatter;
	bool quiet, fail_on_match, compare, thumbnails;
	char *const *words; /* the command line */
	int word_count;
	enum progress_mode progress;
	enum use_of_colours colours;
	enum summary_format summary;
	struct listing_order order;
	bool has_groups, has_format;
	bool lineage; /* groups are listed as trees */
	bool stores;
	size_t stored_pairs_max;
	enum linkage linkage;
	bool has_min_resemblance, has_tolerance; /* whether the options were given */
	const char *against_path;		 /* the file of a digest list */
	struct find_known *known;		 /* owned; the paths are borrowed */
	size_t known_count, known_capacity;
	char *between_text[2]; /* owned; request.between points into them */
	bool update;	       /* index the files first */
	/* For --directories. */
	bool directories;
	double min_shared;
	struct side_list
		tops; /* the operands of --directories, --missing, --damaged and --copies */
	bool missing; /* --missing */
	bool damaged; /* --damaged */
	struct side_list places;	/* the values of --in, except for lists, which are these: */
	struct find_known *place_lists; /* owned; the paths are borrowed */
	size_t place_list_count, place_list_capacity;
	bool has_copies; /* --copies */
	uint64_t least_copies, most_copies;
	bool covers;			   /* --cover */
	bool lists_order, with_references; /* for --order */
};

#endif
