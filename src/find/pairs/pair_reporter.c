/*
 * Reports pairs. A search includes only one of several files with the same content; this file adds
 * the copies.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs/pair_reporter.h"

#include "find/pairs/archives.h"
#include "find/pairs/block.h"

bool pair_is_wanted(const struct find_request *request, const struct relation *relation)
{
	unsigned kind = relation->is_identical ? PAIRS_COPIES
			: relation->is_part    ? PAIRS_PARTS
					       : PAIRS_SIMILAR;

	return request->kinds == 0 || (request->kinds & kind) != 0;
}

/* If two files are not identical, only reading shows which file is part of the other. */
static bool may_be_wanted(const struct find_request *request, const struct relation *relation)
{
	bool is_open = request->rule.verify.mode >= VERIFY_READ &&
		       verify_proposes(&request->rule.verify) && !relation->is_identical;

	return pair_is_wanted(request, relation) ||
	       (is_open && (request->kinds & (PAIRS_SIMILAR | PAIRS_PARTS)) != 0);
}

/*
 * Is a file the first of its pair? With --between and --against, a file of side A is; if both files
 * are on both sides, and otherwise, the order of files decides.
 */
static bool goes_first(const struct find_request *request, const struct find_file *x,
		       const struct find_file *y)
{
	bool x_is_a = (x->sides & SIDE_A) != 0 && (y->sides & SIDE_B) != 0;
	bool y_is_a = (y->sides & SIDE_A) != 0 && (x->sides & SIDE_B) != 0;

	return request->has_between && x_is_a != y_is_a ? x_is_a : find_file_compare(x, y) < 0;
}

/* Is one of them a member of the other? Another measure may be asked for such pairs. */
static bool is_inside_other(const struct finder *finder, const struct find_file *x,
			    const struct find_file *y)
{
	return finder->request->measure == NULL &&
	       (archive_has_member(x, y) || archive_has_member(y, x));
}

int report_pair(struct pair_reporter *reporter, struct file_pair pair, struct simhash_error *error)
{
	const struct finder *finder = reporter->finder;
	const struct find_file *x = pair.a, *y = pair.b;
	struct find_progress *progress = finder->resources->progress;

	if ((!finder->request->hard_links && are_links(x, y)) || is_inside_other(finder, x, y))
		return 0;
	pair.a = goes_first(finder->request, x, y) ? x : y;
	pair.b = pair.a == x ? y : x;
	if (pair.a != x)
		pair.relation = relation_turned(&pair.relation);
	settle_identity(x, y, &pair.relation);
	if (!may_be_wanted(finder->request, &pair.relation))
		return 0;
	if (finder->request->folded == FOLD_PAIRS && archives_are_pair(finder->archives, x, y)) {
		reporter->counts.folded++;
		return 0;
	}
	if (progress != NULL)
		atomic_fetch_add_explicit(&progress->pairs, 1, memory_order_relaxed);
	if (pair.relation.is_identical)
		reporter->counts.identical++;
	else
		reporter->counts.similar++;
	return finder->sink->pair(finder->sink->context, reporter->thread, &pair, error);
}

static void tally_copies(const struct pair_reporter *reporter, const struct find_file *file)
{
	const struct find_sink *sink = reporter->finder->sink;
	uint64_t files = file->copy_count + 1;

	/* Halve the even one of the two factors, so that the product does not overflow early. */
	sink->tally(sink->context, reporter->thread, file, NULL, 0,
		    files % 2 == 0 ? files / 2 * (files - 1) : (files - 1) / 2 * files);
}

int report_copies(struct pair_reporter *reporter, const struct find_file *file,
		  struct simhash_error *error)
{
	if (reporter->finder->sink->tally != NULL) {
		tally_copies(reporter, file);
		return 0;
	}
	if (!finder_crosses(reporter->finder, file->sides, file->sides))
		return 0;
	for (const struct file_copy *copy = file->copies; copy != NULL; copy = copy->next) {
		struct find_file x = copy_as_file(file, copy);
		if (report_pair(reporter, (struct file_pair){.a = file, .b = &x}, error) != 0)
			return -1;
		if (!reporter->finder->request->expand)
			continue;
		for (const struct file_copy *next = copy->next; next != NULL; next = next->next) {
			struct find_file y = copy_as_file(file, next);
			if (report_pair(reporter, (struct file_pair){.a = &x, .b = &y}, error) != 0)
				return -1;
		}
	}
	return 0;
}

/* Report a pair and, with `expand`, the pairs of its first file with the copies of the second. */
static int report_one_with_copies(struct pair_reporter *reporter, struct file_pair pair,
				  struct simhash_error *error)
{
	const struct find_file *y = pair.b;

	if (report_pair(reporter, pair, error) != 0)
		return -1;
	if (!reporter->finder->request->expand)
		return 0;
	for (const struct file_copy *copy = y->copies; copy != NULL; copy = copy->next) {
		struct find_file file = copy_as_file(y, copy);
		pair.b = &file;
		if (report_pair(reporter, pair, error) != 0)
			return -1;
	}
	return 0;
}

int report_match(struct pair_reporter *reporter, const struct file_pair *pair,
		 struct simhash_error *error)
{
	const struct find_request *request = reporter->finder->request;
	const struct find_sink *sink = reporter->finder->sink;
	const struct find_file *x = pair->a, *y = pair->b;
	struct file_pair of_copy = *pair;

	if (sink->tally != NULL) {
		sink->tally(sink->context, reporter->thread, x, y, pair->relation.distance,
			    (x->copy_count + 1) * (y->copy_count + 1));
		return 0;
	}
	/* Both files are pairs with the first file of their content, which is enough. */
	if (!request->expand && !request->keeps_extensions && x->repeats && y->repeats &&
	    x->tolerance == y->tolerance && pair->relation.distance == 0 && are_identical(x, y))
		return 0;
	if (report_one_with_copies(reporter, *pair, error) != 0)
		return -1;
	if (!request->expand)
		return 0;
	for (const struct file_copy *copy = x->copies; copy != NULL; copy = copy->next) {
		struct find_file file = copy_as_file(x, copy);
		of_copy.a = &file;
		if (report_one_with_copies(reporter, of_copy, error) != 0)
			return -1;
	}
	return 0;
}

int report_archives(struct finder *finder, struct simhash_error *error)
{
	struct pair_reporter reporter = {.finder = finder};
	struct file_pair pair;
	size_t at = 0;
	int status = 0;

	if (finder->request->folded != FOLD_PAIRS)
		return 0;
	while (status == 0 && archives_next_link(finder->archives, &at, &pair))
		status = report_pair(&reporter, pair, error);
	find_counts_add(&finder->counts, &reporter.counts);
	return status;
}
