/*
 * Describes what a search reads, keeps, groups, lists and stores. The plan is computed once, when
 * the arguments are parsed and the index and the output are open, and does not change afterwards.
 * The other files of simfind use the plan and do not decide this from the arguments.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_PLAN_H
#define SIMHASH_CLI_FIND_PLAN_H

#include "cli/options/find_options.h"
#include "find/reading/confirm.h"
#include "report/lists/listing.h"

enum find_list {
	LIST_PAIRS,
	LIST_MATCHES, /* the matches of each FILE, for people */
	LIST_GROUPS,
	LIST_FOLDED,   /* groups for people: only the first files of large groups */
	LIST_LINEAGES, /* groups as trees */
	LIST_REPORT,   /* groups as an HTML page */
	LIST_FOLDERS,
	LIST_PRESENCE, /* missing files, or files by their copies */
	LIST_DAMAGED,
	LIST_COVER,
	LIST_ORDER
};

struct find_plan {
	const struct find_arguments *arguments; /* the arguments of the command line */
	const struct find_request *request;	/* complete */
	const char *index_url;
	enum find_list list;
	/* Are FILEs searched for? Is the content of files read? */
	bool has_files, reads_files;
	struct confirm_request confirming; /* how pairs are read */
	/*
	 * Are groups listed? Does the list have blocks? Are groups found without pairs? Does the
	 * JSON summary count groups?
	 */
	bool lists_groups, shows_blocks, finds_groups, counts_groups;
	bool folds_members;  /* pairs of members of archives that are a pair are left out */
	size_t groups_bytes; /* the memory for groups that wait */
	bool keeps_pairs;    /* pairs are kept until all are found */
	bool stops_at_match; /* the first pair decides the exit status; there is no list */
	bool stores_early;   /* pairs are stored while they are found */
	bool is_page;	     /* the list is a page: groups or folders */
	bool shows_progress, shows_summary, has_pager;
};

/* All arguments are borrowed. */
struct find_plan find_plan_of(const struct find_arguments *arguments,
			      const struct find_request *request, const char *index_url,
			      const struct listing *listing);

#endif
