/*
 * Computes the confidence in each edge of a lineage.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "find/lineage/lineage.h"
#include "find/rule/verify.h"

/* ---- Relations to parents ---- */

static void relate(const struct lineage *lineage, struct lineage_version *version)
{
	const struct lineage_version *parent = &lineage->versions[version->parent];
	struct paths_comparison names = lineage_compare_names(parent, version);

	version->depth = parent->depth + !version->is_last_child;
	version->evidence = lineage_compare(parent, version, names.order);
	if (names.relation == NAMES_OTHER)
		lineage_doubt(&version->evidence);
	for (int r = 0; r < REASONS; r++)
		if (r != REASON_SIZE)
			version->evidence.of[r] = version->evidence.of[r] *
						  (is_reason_of_time(r) ? version->time_percent
									: version->names_percent) /
						  100;
	version->pair = (struct file_pair){
		.a = version->files[0],
		.b = parent->files[0],
		.relation = {.distance = simhash_distance(&version->files[0]->table,
							  &parent->files[0]->table)}};
	estimate_resemblance(version->pair.a, version->pair.b, &version->pair.relation);
}

/* The share of the odds outside a version and its descendants. */
static int find_shares(const struct lineage *lineage, const int *evidence, double *shares,
		       struct simhash_error *error)
{
	double *logarithms = calloc(lineage->count, sizeof *logarithms);
	double largest;

	if (logarithms == NULL)
		return error_set_memory(error);
	for (size_t first = 0, end; first < lineage->count; first = end) {
		end = lineage_tree_end(lineage, first);
		largest = 0;
		for (size_t v = first + 1; v < end; v++) {
			logarithms[v] =
				logarithms[lineage->versions[v].parent] - evidence[v] / 100.0;
			largest = logarithms[v] > largest ? logarithms[v] : largest;
		}
		for (size_t v = first; v < end; v++)
			shares[v] = exp(logarithms[v] - largest);
		for (size_t v = end; v-- > first + 1;)
			shares[lineage->versions[v].parent] += shares[v];
		for (size_t v = end; v-- > first;)
			shares[v] = 1 - shares[v] / shares[first];
	}
	free(logarithms);
	return 0;
}

/* Sizes alone give no certainty, since complete histories can shrink: see docs/lab/quality.md. */
#define SIZE_CONFIDENCE_MAX 0.75

/* Do names and times improve the odds this much, compared with no evidence? */
static bool tells(double with, double without)
{
	return with * (1 - without) * (1 - SIZE_CONFIDENCE_MAX) >=
	       without * (1 - with) * SIZE_CONFIDENCE_MAX;
}

/* The position of a version in the tree alone is no reason. */
#define NOTHING_CONFIDENCE_MAX 0.6

static double confidence_of(double all, double firm, double none)
{
	double most = all <= none	  ? NOTHING_CONFIDENCE_MAX
		      : tells(firm, none) ? 1
					  : SIZE_CONFIDENCE_MAX;

	return all < most ? all : most;
}

/* Three sums of evidence: all evidence, names and times only, and none. */
enum view { VIEW_ALL, VIEW_FIRM, VIEW_NONE, VIEWS };

static void set_confidence(struct lineage *lineage, double *const shares[VIEWS])
{
	for (size_t v = 0; v < lineage->count; v++) {
		struct lineage_version *version = &lineage->versions[v];
		if (version->parent == NO_PARENT)
			continue;
		version->order = confidence_of(shares[VIEW_ALL][v], shares[VIEW_FIRM][v],
					       shares[VIEW_NONE][v]);
		version->confidence = version->relation * version->order;
	}
}

/*
 * All edges lead away from the first version. If another version is the first, the edges on the way
 * between the two are reversed. So the confidence in an edge is the share of the odds of all
 * versions on the parent's side of it.
 */
int lineage_find_confidence(struct lineage *lineage, struct simhash_error *error)
{
	int *evidence = calloc(lineage->count, sizeof *evidence);
	double *shares[VIEWS];
	int status = evidence == NULL ? error_set_memory(error) : 0;

	for (size_t v = 0; v < lineage->count; v++)
		if (lineage->versions[v].parent != NO_PARENT)
			relate(lineage, &lineage->versions[v]);
	for (int view = 0; view < VIEWS; view++) {
		shares[view] = calloc(lineage->count, sizeof *shares[view]);
		if (status == 0 && shares[view] == NULL)
			status = error_set_memory(error);
		for (size_t v = 0; status == 0 && v < lineage->count; v++) {
			const struct lineage_evidence *own = &lineage->versions[v].evidence;
			int sum = lineage_evidence_sum(own);
			evidence[v] = view == VIEW_ALL	  ? sum
				      : view == VIEW_FIRM ? sum - own->of[REASON_SIZE]
							  : 0;
		}
		if (status == 0)
			status = find_shares(lineage, evidence, shares[view], error);
	}
	if (status == 0)
		set_confidence(lineage, shares);
	for (int view = 0; view < VIEWS; view++)
		free(shares[view]);
	free(evidence);
	return status;
}
