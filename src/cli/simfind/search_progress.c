/*
 * Writes the progress line of a search.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/search_progress.h"

#include <stdatomic.h>

#include "cli/terminal/terminal.h"

/*
 * The progress of the search: first rows are read, then they are searched, then pairs are
 * confirmed.
 */
struct search_step {
	const char *verb, *noun;
	uint64_t done, all; /* all: 0 if it is unknown */
	struct time_left *left;
};

static struct search_step present_step(struct search_progress *search)
{
	struct find_progress *progress = &search->done;
	struct search_step step = {.verb = "", .noun = "files"};

	if (atomic_load(&progress->to_confirm) > 0) {
		step.verb = "confirmed ";
		step.noun = "pairs";
		step.done = (uint64_t)atomic_load(&progress->confirmed);
		step.all = (uint64_t)atomic_load(&progress->to_confirm);
		step.left = &search->confirming;
	} else if (atomic_load(&progress->is_reading)) {
		step.verb = "read ";
		step.done = (uint64_t)atomic_load(&progress->read);
		step.all = (uint64_t)atomic_load(&progress->to_read);
		step.left = &search->reading;
	} else {
		step.done = (uint64_t)atomic_load(&progress->rows);
		step.all = (uint64_t)atomic_load(&progress->rows_total);
		step.left = &search->searching;
	}
	if (step.done > step.all)
		step.done = step.all;
	return step;
}

/*
 * Write "45%  1,234 of 5,678 files  90 pairs  0:12 left". Reading and confirming have similar
 * lines.
 */
static void write_progress(void *context, FILE *line, double seconds, unsigned columns)
{
	struct search_progress *search = context;
	struct search_step step = present_step(search);
	struct line_part parts[] = {{.rank = 0}, {.rank = 1}, {.rank = 3}, {.rank = 2}};
	enum { SHARE, DONE, PAIRS, LEFT, PARTS };
	char done[32], all[32], pairs[32];

	if (search->counts_pairs)
		snprintf(parts[PAIRS].text, sizeof parts[PAIRS].text, "%s pairs",
			 format_count((uint64_t)atomic_load(&search->done.pairs), pairs));
	if (step.all == 0) {
		snprintf(parts[SHARE].text, sizeof parts[SHARE].text, "counting");
	} else {
		snprintf(parts[SHARE].text, sizeof parts[SHARE].text, "%3u%%",
			 whole_percent((double)step.done, (double)step.all));
		snprintf(parts[DONE].text, sizeof parts[DONE].text, "%s%s of %s %s", step.verb,
			 format_count(step.done, done), format_count(step.all, all), step.noun);
		write_time_left(step.left, seconds, (double)step.done,
				(double)(step.all - step.done), parts[LEFT].text);
	}
	write_parts(line, parts, PARTS, columns);
}

void search_progress_start(struct search_progress *search, const struct find_plan *plan,
			   struct find_resources *resources)
{
	*search = (struct search_progress){.counts_pairs = !plan->finds_groups &&
							   plan->list != LIST_PRESENCE};
	if (!plan->shows_progress)
		return;
	resources->progress = &search->done;
	progress_start(&search->display, plan->arguments->progress, write_progress, search);
}

void search_progress_stop(struct search_progress *search)
{
	progress_stop(&search->display);
}
