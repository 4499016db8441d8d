/*
 * Decides whether two files of a group are versions of one file, or strangers that only share a
 * template. docs/algorithm.md describes the rule.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/basic/error.h"
#include "find/lineage/lineage.h"
#include "find/rule/verify.h"

/* ---- The content in common ---- */

/* The larger file has nearly all of the smaller one: probably, the file has grown. */
#define PART_MIN 0.95

static double share_in_common(const struct find_file *x, const struct find_file *y)
{
	struct relation relation = {.verification = PAIR_UNVERIFIED};
	double part;

	estimate_resemblance(x, y, &relation);
	if (relation.verification == PAIR_TEXT)
		return 1;
	if (relation.verification != PAIR_SKETCH)
		return 1 - (double)lineage_difference(x, y) / LINEAGE_DIFFERENCE_MAX;
	if (sizes_differ_clearly(x->size_bytes, y->size_bytes) &&
	    simhash_containment_estimate(&x->sketch, x->size_bytes, &y->sketch, y->size_bytes,
					 &part) &&
	    part >= PART_MIN)
		return part;
	return relation.resemblance;
}

/* Nothing disagrees: the confidence by the share in common alone. */
static double full_relation(double common)
{
	return 1 - (1 - common) * (1 - common);
}

/* ---- Three files ---- */

/* For each of three files, the number of registers in which it differs and the others agree. */
struct singles {
	unsigned x, y, third;
};

static struct singles count_singles(const struct find_file *x, const struct find_file *y,
				    const struct find_file *third)
{
	const uint8_t *a = x->sketch.registers, *b = y->sketch.registers;
	const uint8_t *c = third->sketch.registers;
	uint8_t of_x = 0, of_y = 0, of_third = 0; /* a vector instruction counts many bytes */

	if (!x->has_sketch || !y->has_sketch || !third->has_sketch)
		return (struct singles){0, 0, 0};
	for (size_t i = 0; i < SIMHASH_RESEMBLANCE_REGISTERS; i++) {
		unsigned in_use = (a[i] != 0) & (b[i] != 0) & (c[i] != 0);
		of_x += (uint8_t)(in_use & (b[i] == c[i]) & (a[i] != b[i]));
		of_y += (uint8_t)(in_use & (a[i] == c[i]) & (a[i] != b[i]));
		of_third += (uint8_t)(in_use & (a[i] == b[i]) & (a[i] != c[i]));
	}
	return (struct singles){of_x, of_y, of_third};
}

enum verdict { VERDICT_NONE, VERDICT_VERSIONS, VERDICT_TEMPLATE };

/*
 * Each of several files made from one template has content that the others do not have. Versions do
 * not: one of them is between two others, and nearly all of its content is in one or the other.
 */
#define TEMPLATE_MIN 12
#define TEMPLATE_SHARE 6

static bool is_between(unsigned middle, unsigned end, unsigned other_end)
{
	unsigned least = end < other_end ? end : other_end;

	return 7 * middle + 8 <= 2 * least;
}

static enum verdict judge(unsigned middle, unsigned end, unsigned other_end)
{
	unsigned sum = middle + end + other_end;

	if (is_between(middle, end, other_end))
		return VERDICT_VERSIONS;
	return sum >= TEMPLATE_MIN && TEMPLATE_SHARE * middle >= sum ? VERDICT_TEMPLATE
								     : VERDICT_NONE;
}

/* Is one of the first two between the other and the third? */
static enum verdict judge_pair(const struct singles *singles)
{
	return singles->x < singles->y ? judge(singles->x, singles->y, singles->third)
				       : judge(singles->y, singles->x, singles->third);
}

/* ---- Two versions ---- */

/* By names: the share in common from which an edge is in doubt, and from which it is not. */
static const struct {
	double doubtful_from, full_from;
} minimum[] = {
	[NAMES_OTHER] = {0.7, 2}, /* never */
	[NAMES_COUNTED] = {0.9, 2},
	[NAMES_ALIKE] = {0.5, 0.9},
	[NAMES_MARKED] = {0, 0},
};

double lineage_relation(const struct lineage_version *x, const struct lineage_version *y,
			enum names_relation names, const struct lineage_version *third)
{
	double common = share_in_common(x->files[0], y->files[0]);
	struct singles singles = {0, 0, 0};
	enum verdict verdict;

	if (full_relation(common) < LINEAGE_RELATED)
		return 0;
	if (third != NULL && names != NAMES_MARKED)
		singles = count_singles(x->files[0], y->files[0], third->files[0]);
	verdict = judge_pair(&singles);
	if (verdict == VERDICT_TEMPLATE)
		return 0;
	if (verdict == VERDICT_VERSIONS || common >= minimum[names].full_from)
		return full_relation(common);
	return common >= minimum[names].doubtful_from ? LINEAGE_DOUBTFUL : 0;
}

/* ---- A tree ---- */

static bool is_doubtful(const struct lineage_version *version)
{
	return version->parent != NO_PARENT && version->relation == LINEAGE_DOUBTFUL;
}

/*
 * Three neighbours with few changes have too few registers to judge. So all versions between two
 * others are judged together, if an edge is in doubt. If only one edge is in doubt, it may lead
 * to a stranger, which has much content that the others do not have.
 */
static enum verdict judge_tree(const struct lineage *lineage, size_t first, size_t end)
{
	unsigned middles = 0, parents = 0, children = 0;

	for (size_t v = first + 1; v < end; v++) {
		const struct lineage_version *child = &lineage->versions[v];
		const struct lineage_version *middle = &lineage->versions[child->parent];
		bool are_doubtful = is_doubtful(child) && is_doubtful(middle);
		struct singles singles;
		unsigned least;
		if (middle->parent == NO_PARENT || (!is_doubtful(child) && !is_doubtful(middle)))
			continue;
		singles = count_singles(lineage->versions[middle->parent].files[0],
					middle->files[0], child->files[0]);
		least = singles.x < singles.third ? singles.x : singles.third;
		middles += singles.y;
		parents += are_doubtful ? singles.x : least;
		children += are_doubtful ? singles.third : least;
	}
	return judge(middles, parents, children);
}

/*
 * So many files show a history if there is one. Without it, only equal names keep a version whose
 * relation is in doubt.
 */
#define DOUBTS_MAX 2

static bool is_dropped(const struct lineage *lineage, const struct lineage_version *version,
		       enum verdict verdict, size_t doubts)
{
	return verdict == VERDICT_TEMPLATE ||
	       (verdict == VERDICT_NONE && doubts > DOUBTS_MAX &&
		lineage_compare_names(&lineage->versions[version->parent], version).relation <
			NAMES_ALIKE);
}

static void settle(struct lineage *lineage, size_t first, size_t end)
{
	enum verdict verdict = judge_tree(lineage, first, end);
	size_t doubts = 0;

	for (size_t v = first; v < end; v++)
		doubts += is_doubtful(&lineage->versions[v]);
	for (size_t v = first; v < end; v++) {
		struct lineage_version *version = &lineage->versions[v];
		if (!is_doubtful(version))
			continue;
		if (is_dropped(lineage, version, verdict, doubts))
			version->parent = NO_PARENT;
		else if (verdict == VERDICT_VERSIONS)
			version->relation = full_relation(share_in_common(
				version->files[0], lineage->versions[version->parent].files[0]));
	}
}

/* ---- A template and the files made from it ---- */

/*
 * A file that has hardly any content except a template is between any two files that were made from
 * it. So it has edges to many of them, and the names do not say that these are versions.
 */
#define HUB_MIN 4
#define COPY_MIN 0.95 /* such files are renamed copies with few edits, even if there are many */

/* Is this an edge between names that are not alike, of files that differ clearly? */
static bool is_edge_of_others(const struct lineage *lineage, size_t v)
{
	const struct lineage_version *version = &lineage->versions[v];

	const struct lineage_version *parent;
	struct relation relation = {.resemblance = 0};

	if (version->parent == NO_PARENT)
		return false;
	parent = &lineage->versions[version->parent];
	estimate_resemblance(version->files[0], parent->files[0], &relation);
	return relation.resemblance < COPY_MIN &&
	       lineage_compare_names(parent, version).relation < NAMES_ALIKE;
}

/* Remove such edges of a version that has at least half of all edges of its tree. */
static void drop_hub(struct lineage *lineage, size_t first, size_t end, size_t *edges)
{
	size_t hub = first, all = 0;

	for (size_t v = first; v < end; v++)
		edges[v] = 0;
	for (size_t v = first; v < end; v++) {
		all += lineage->versions[v].parent != NO_PARENT;
		if (is_edge_of_others(lineage, v)) {
			edges[v]++;
			edges[lineage->versions[v].parent]++;
		}
	}
	for (size_t v = first; v < end; v++)
		hub = edges[v] > edges[hub] ? v : hub;
	for (size_t v = first; edges[hub] >= HUB_MIN && 2 * edges[hub] >= all && v < end; v++)
		if ((v == hub || lineage->versions[v].parent == hub) &&
		    is_edge_of_others(lineage, v))
			lineage->versions[v].parent = NO_PARENT;
}

int lineage_settle_doubts(struct lineage *lineage, struct simhash_error *error)
{
	size_t *edges = malloc((lineage->count + 1) * sizeof *edges);

	if (edges == NULL)
		return error_set_memory(error);
	for (size_t first = 0, end; first < lineage->count; first = end) {
		end = lineage_tree_end(lineage, first);
		settle(lineage, first, end);
		drop_hub(lineage, first, end, edges);
	}
	free(edges);
	return 0;
}
