/*
 * Says what a search reads, keeps, groups, lists and stores. It is computed once, when the arguments
 * are parsed and the index and the output are open, and is const from then on: every other file of
 * simfind reads the answers here, and asks no such question of the arguments.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_PLAN_H
#define SIMHASH_CLI_FIND_PLAN_H

#include "cli/options/find_options.h"
#include "find/reading/confirm.h"
#include "report/lists/listing.h"

enum find_list {
	LIST_PAIRS,
	LIST_MATCHES, /* the matches of each FILE, for a person */
	LIST_GROUPS,
	LIST_FOLDED,   /* groups for a person: only the first files of large ones */
	LIST_LINEAGES, /* groups as trees */
	LIST_REPORT,   /* groups as a page */
	LIST_FOLDERS,
	LIST_ORDER
};

struct find_plan {
	const struct find_arguments *arguments; /* as they were given */
	const struct find_request *request;	/* complete */
	const char *index_url;
	enum find_list list;
	/* FILEs are searched for; the content of files is read. */
	bool has_files, reads_files;
	struct confirm_request confirming; /* how pairs are read */
	/* Groups are listed; the list has blocks; groups are found without pairs; JSON counts groups. */
	bool lists_groups, shows_blocks, finds_groups, counts_groups;
	size_t groups_bytes; /* of memory, in which groups wait */
	bool keeps_pairs;    /* until all are found */
	bool stops_at_match; /* the first pair decides the exit status, and nothing is listed */
	bool stores_early;   /* pairs are added to what is stored as they are found */
	bool is_page;	     /* of either kind */
	bool shows_progress, shows_summary, has_pager;
};

/* All that is given is borrowed. */
struct find_plan find_plan_of(const struct find_arguments *arguments,
			      const struct find_request *request, const char *index_url,
			      const struct listing *listing);

#endif
