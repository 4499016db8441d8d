/*
 * Computes the labels, names and percentages that several formatters need.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/formatter.h"

#include "base/text/decimal.h"
#include "base/text/escape.h"
#include "find/rule/estimate.h"

double pair_percent(const struct file_pair *pair)
{
	double sizes = (double)pair->a->size_bytes + (double)pair->b->size_bytes;

	return sizes == 0 ? 0 : 200.0 * (double)pair->distance / sizes;
}

const char *pair_match(const struct file_pair *pair)
{
	return pair->is_identical ? "identical" : "similar";
}

const char *verification_name(enum verification verification)
{
	static const char *const names[] = {
		[PAIR_UNVERIFIED] = "no", [PAIR_HASH] = "hash", [PAIR_SKETCH] = "sketch",
		[PAIR_COUNTS] = "counts", [PAIR_READ] = "read", [PAIR_MEASURED] = "measure",
	};

	return names[verification];
}

const char *confirmation_name(const struct file_pair *pair)
{
	if (pair->is_unreadable)
		return "unconfirmed";
	return pair->verification == PAIR_READ	     ? "confirmed"
	       : pair->verification == PAIR_MEASURED ? "measured"
						     : NULL;
}

double estimated_change(const struct find_file *x, const struct find_file *y)
{
	return estimate_change(&x->table, x->size_bytes, &y->table, y->size_bytes);
}

/* "about 97 %" of an estimate, "97.31 %" of what was measured. */
static void label_resemblance(enum verification verification, double resemblance,
			      char label[LABEL_SIZE])
{
	double percent = 100 * resemblance;

	if (verification == PAIR_SKETCH)
		snprintf(label, LABEL_SIZE, percent < 99.5 ? "about %.0f %%" : "over 99 %%",
			 percent);
	else
		snprintf(label, LABEL_SIZE, percent < 99.995 ? "%.2f %%" : "over 99.99 %%",
			 percent);
}

static void label_distance(double percent, uint64_t distance, char label[LABEL_SIZE])
{
	if (distance == 0)
		snprintf(label, LABEL_SIZE, "same counts");
	else
		snprintf(label, LABEL_SIZE, percent < 10 ? "distance %.2f %%" : "distance %.1f %%",
			 percent < 0.01 ? 0.01 : percent);
}

static void label_part(const struct file_pair *pair, char label[LABEL_SIZE])
{
	bool is_a = pair->contained_a >= pair->contained_b;
	double share = is_a ? pair->contained_a : pair->contained_b;
	const char *what = is_a ? "part of" : "contains";

	if (pair->verification == PAIR_SKETCH)
		snprintf(label, LABEL_SIZE, share < 0.995 ? "%s (~%.0f %%)" : "%s (>99 %%)", what,
			 100 * share);
	else
		snprintf(label, LABEL_SIZE, "%s (%.0f %%)", what,
			 100 * shown_share(share, share >= 1, 100));
}

char *pair_label(const struct file_pair *pair, char label[LABEL_SIZE])
{
	if (pair->is_identical)
		snprintf(label, LABEL_SIZE, "identical");
	else if (pair->is_part)
		label_part(pair, label);
	else if (has_resemblance(pair->verification))
		label_resemblance(pair->verification, pair->resemblance, label);
	else
		label_distance(pair_percent(pair), pair->distance, label);
	return label;
}

struct file_pair member_pair(const struct group *group, const struct group_member *member)
{
	return (struct file_pair){
		.a = member->file,
		.b = group->representative,
		.distance = member->distance,
		.verification = member->verification,
		.resemblance = member->resemblance,
		.is_part = member->is_part,
		.contained_a = member->contained,
		.contained_b = -member->contained,
		.is_identical = member->role == ROLE_COPY || member->verification == PAIR_HASH,
	};
}

char *member_label(const struct group *group, const struct group_member *member,
		   char label[LABEL_SIZE])
{
	struct file_pair pair = member_pair(group, member);

	label[0] = '\0';
	return member->role == ROLE_REPRESENTATIVE ? label : pair_label(&pair, label);
}

const char *role_name(enum member_role role)
{
	static const char *const names[] = {
		[ROLE_REPRESENTATIVE] = "representative",
		[ROLE_MEMBER] = "member",
		[ROLE_COPY] = "copy",
	};

	return names[role];
}
