/*
 * Compares two versions: computes their difference, and the evidence that one of them is earlier.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "find/lineage/lineage.h"
#include "find/rule/verify.h"

int64_t lineage_difference(const struct find_file *x, const struct find_file *y)
{
	struct relation relation = {.verification = PAIR_UNVERIFIED};
	double sizes = (double)x->size_bytes + (double)y->size_bytes;
	double counts = sizes == 0 ? 0 : 2 * (double)simhash_distance(&x->table, &y->table) / sizes;

	estimate_resemblance(x, y, &relation);
	counts = counts > 1 ? 1 : counts;
	return (int64_t)(LINEAGE_DIFFERENCE_MAX * (is_by_sketches(&relation)
							   ? (1 - relation.resemblance + counts) / 2
							   : counts));
}

static int evidence_of_name(struct name_order names)
{
	/* A number that may count something weighs less than a time. */
	static const int weights[] = {
		[NAME_NONE] = 0,       [NAME_VERSION] = 400, [NAME_DATE] = 400,
		[NAME_APPENDED] = 400, [NAME_NUMBER] = 150,  [NAME_BACKUP] = 250,
		[NAME_COPY] = 200,     [NAME_ROTATION] = 400};

	return names.order < 0 ? weights[names.reason] : -weights[names.reason];
}

/* Times within one minute come from unpacking, copying or checking out. */
int lineage_evidence_of_time(int64_t x_ns, int64_t y_ns)
{
	static const struct {
		int64_t seconds;
		int weight;
	} steps[] = {{86400, 300}, {3600, 200}, {60, 100}};
	uint64_t apart = x_ns < y_ns ? (uint64_t)y_ns - (uint64_t)x_ns
				     : (uint64_t)x_ns - (uint64_t)y_ns;

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (apart / 1000000000 >= (uint64_t)steps[i].seconds)
			return x_ns < y_ns ? steps[i].weight : -steps[i].weight;
	return 0;
}

/* Files grow more often than they shrink: see docs/lab/quality.md. */
int lineage_evidence_of_size(int64_t x, int64_t y)
{
	double larger = (double)(x > y ? x : y);
	double growth = larger == 0 ? 0 : ((double)y - (double)x) / larger;
	int weight = fabs(growth) < 0.01 ? 60 + (int)(8000 * fabs(growth)) : 140;

	return growth > 0 ? weight : growth < 0 ? -weight : 0;
}

static struct paths_comparison compare_names(const struct lineage_version *x,
					     const struct lineage_version *y)
{
	struct paths_comparison all = {{0, NAME_NONE}, NAMES_OTHER};

	for (size_t i = 0; i < lineage_names(x); i++)
		for (size_t j = 0; j < lineage_names(y); j++) {
			struct paths_comparison two = paths_compare(&x->paths[i], &y->paths[j]);
			if (all.order.order == 0)
				all.order = two.order;
			if (two.relation > all.relation)
				all.relation = two.relation;
		}
	return all;
}

/* Two documents that were created at the same time are one document, and it was saved in between. */
static bool are_revisions(const struct document_dates *x, const struct document_dates *y)
{
	return x->created_ns != 0 && x->created_ns == y->created_ns && x->revision != 0 &&
	       y->revision != 0 && x->revision != y->revision;
}

struct paths_comparison lineage_compare_names(const struct lineage_version *x,
					      const struct lineage_version *y)
{
	struct paths_comparison names;

	/* The result is the same if x and y are swapped. */
	if (find_file_compare(x->files[0], y->files[0]) <= 0) {
		names = compare_names(x, y);
	} else {
		names = compare_names(y, x);
		names.order.order = -names.order.order;
	}
	if (names.relation == NAMES_OTHER &&
	    are_revisions(&x->files[0]->dates, &y->files[0]->dates))
		names.relation = NAMES_ALIKE;
	return names;
}

#define REVISION_WEIGHT 300

/*
 * A document has its own times and counts its revisions. The time of a file may be the time when it
 * was copied, so it only counts if the documents say nothing.
 */
static void compare_times(const struct lineage_version *x, const struct lineage_version *y,
			  struct lineage_evidence *evidence)
{
	const struct document_dates *a = &x->files[0]->dates, *b = &y->files[0]->dates;
	int *time = &evidence->of[REASON_TIME];

	if (a->changed_ns != 0 && b->changed_ns != 0)
		*time = lineage_evidence_of_time(a->changed_ns, b->changed_ns);
	if (are_revisions(a, b))
		evidence->of[REASON_REVISION] = a->revision < b->revision ? REVISION_WEIGHT
									  : -REVISION_WEIGHT;
	else if (*time == 0)
		*time = lineage_evidence_of_time(x->mtime_ns, y->mtime_ns);
}

struct lineage_evidence lineage_compare(const struct lineage_version *x,
					const struct lineage_version *y, struct name_order names)
{
	static const enum lineage_reason reasons[] = {
		[NAME_VERSION] = REASON_VERSION,  [NAME_DATE] = REASON_VERSION,
		[NAME_APPENDED] = REASON_VERSION, [NAME_NUMBER] = REASON_VERSION,
		[NAME_BACKUP] = REASON_BACKUP,	  [NAME_COPY] = REASON_COPY,
		[NAME_ROTATION] = REASON_ROTATION};
	struct lineage_evidence evidence = {{0}};

	if (names.order != 0)
		evidence.of[reasons[names.reason]] = evidence_of_name(names);
	compare_times(x, y, &evidence);
	evidence.of[REASON_SIZE] =
		lineage_evidence_of_size(x->files[0]->size_bytes, y->files[0]->size_bytes);
	return evidence;
}

/*
 * For files with unrelated names, only times that differ by days are evidence, with half the
 * weight.
 */
#define TIME_OF_DAYS 300

void lineage_doubt(struct lineage_evidence *evidence)
{
	int time = evidence->of[REASON_TIME];

	*evidence = (struct lineage_evidence){{0}};
	if (time >= TIME_OF_DAYS || time <= -TIME_OF_DAYS)
		evidence->of[REASON_TIME] = time / 2;
}

int lineage_evidence_sum(const struct lineage_evidence *evidence)
{
	int sum = 0;

	for (int i = 0; i < REASONS; i++)
		sum += evidence->of[i];
	return sum;
}
