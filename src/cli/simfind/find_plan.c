/*
 * Computes the plan of a search from its arguments.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/find_plan.h"

#include <string.h>

/* Groups take at most a quarter of --limits=memory while they wait to be listed. */
#define GROUPS_SHARE 4

/* A terminal shows blocks, unless options ask for another output. */
static bool shows_blocks(const struct find_arguments *arguments, const struct find_request *request,
			 const struct listing *listing)
{
	return listing->how.has_marks && !arguments->has_format && !request->expand &&
	       request->parts == 1;
}

static enum find_list choose_list(const struct find_arguments *arguments,
				  const struct find_request *request, const struct listing *listing)
{
	if (arguments->directories)
		return LIST_FOLDERS;
	if (arguments->missing || arguments->has_copies)
		return LIST_PRESENCE;
	if (arguments->damaged)
		return LIST_DAMAGED;
	if (arguments->covers)
		return LIST_COVER;
	if (arguments->lists_order)
		return LIST_ORDER;
	if (arguments->formatter->is_report)
		return LIST_REPORT;
	if (arguments->lineage)
		return LIST_LINEAGES;
	if (arguments->has_groups)
		return LIST_GROUPS;
	if (!shows_blocks(arguments, request, listing))
		return LIST_PAIRS;
	return arguments->operands.has_files ? LIST_MATCHES : LIST_FOLDED;
}

/* Is only the exit status wanted? */
static bool lists_nothing(const struct find_arguments *arguments)
{
	return arguments->quiet && strcmp(arguments->output_path, NO_OUTPUT) == 0;
}

static void plan_pairs(struct find_plan *plan)
{
	const struct find_arguments *arguments = plan->arguments;
	bool can_find_groups = finder_finds_groups(plan->request);
	/* Pairs that are stored are read too, and files should be read only once. */
	bool reads_stored = arguments->stores && arguments->stored_pairs_max > 0 &&
			    plan->reads_files;

	plan->lists_groups = plan->list >= LIST_GROUPS && plan->list <= LIST_REPORT;
	plan->shows_blocks = plan->list == LIST_FOLDED || plan->list == LIST_MATCHES ||
			     (plan->list == LIST_GROUPS && arguments->formatter->is_text);
	plan->finds_groups = plan->lists_groups && !reads_stored && !plan->has_files &&
			     can_find_groups;
	plan->counts_groups = plan->list == LIST_FOLDED || plan->finds_groups;
	plan->keeps_pairs = !plan->finds_groups &&
			    (plan->lists_groups || plan->list == LIST_MATCHES ||
			     plan->reads_files || (arguments->stores && !can_find_groups));
	/* People see one line for two archives; programs get all pairs. */
	plan->folds_members = (plan->list == LIST_PAIRS || plan->finds_groups) &&
			      !plan->has_files && plan->list != LIST_LINEAGES &&
			      !arguments->stores && !plan->request->expand &&
			      plan->request->kinds == 0 &&
			      (arguments->formatter->is_text || arguments->formatter->is_report);
	plan->stops_at_match = arguments->fail_on_match && plan->list == LIST_PAIRS &&
			       !plan->keeps_pairs && !arguments->stores && lists_nothing(arguments);
	plan->stores_early = arguments->stores && !plan->reads_files && !plan->finds_groups;
}

static void plan_output(struct find_plan *plan, const struct listing *listing)
{
	const struct find_arguments *arguments = plan->arguments;
	/* A list that grows on the same terminal already shows the progress. */
	bool writes_ahead = listing->streams && listing->how.records.is_terminal;

	plan->is_page = arguments->formatter->is_report;
	plan->shows_progress = (!plan->has_files || plan->reads_files) && !writes_ahead &&
			       progress_is_wanted(arguments->progress, arguments->quiet);
	plan->shows_summary = !arguments->quiet && arguments->summary == SUMMARY_TEXT;
	plan->has_pager = plan->list == LIST_ORDER
				  ? listing->how.records.is_terminal
				  : listing->how.has_marks && arguments->output_path == NULL;
}

struct find_plan find_plan_of(const struct find_arguments *arguments,
			      const struct find_request *request, const char *index_url,
			      const struct listing *listing)
{
	const struct verify_rule *verify = &request->rule.verify;
	struct find_plan plan = {
		.arguments = arguments,
		.request = request,
		.index_url = index_url,
		.list = choose_list(arguments, request, listing),
		.has_files = arguments->operands.has_files,
		.reads_files = verify->mode >= VERIFY_READ,
		.confirming = {.reads_all = verify->mode == VERIFY_ALL || request->measure != NULL,
			       .with_parts = verify_proposes(verify),
			       .min_resemblance = verify->min_resemblance,
			       .sandbox = request->sandbox,
			       .with_places = arguments->operands.has_files &&
					      request->measure == NULL,
			       .rereads_stdin = request->rereads_stdin},
		.groups_bytes = (size_t)arguments->resources.memory_bytes / GROUPS_SHARE,
	};

	plan_pairs(&plan);
	plan_output(&plan, listing);
	return plan;
}
