/*
 * Computes the labels, names and percentages that several formatters need.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/formatter.h"

#include <inttypes.h>
#include <string.h>

#include "base/text/decimal.h"
#include "base/text/escape.h"

#define DAMAGE_SHOWN 2 /* the number of ranges that a line names */

double count_difference(const struct file_pair *pair)
{
	double sizes = (double)pair->a->size_bytes + (double)pair->b->size_bytes;

	return sizes == 0 ? 0 : 200.0 * (double)pair->relation.distance / sizes;
}

const char *pair_match(const struct file_pair *pair)
{
	return pair->relation.is_identical		  ? "identical"
	       : pair->relation.verification == PAIR_TEXT ? "same text"
							  : "similar";
}

const char *verification_name(enum verification verification)
{
	static const char *const names[] = {
		[PAIR_UNVERIFIED] = "no",    [PAIR_HASH] = "hash",     [PAIR_SKETCH] = "sketch",
		[PAIR_TEXT] = "text",	     [PAIR_COUNTS] = "counts", [PAIR_READ] = "read",
		[PAIR_MEASURED] = "measure",
	};

	return names[verification];
}

const char *confirmation_name(const struct file_pair *pair)
{
	if (pair->relation.is_unreadable)
		return "unconfirmed";
	return pair->relation.verification == PAIR_READ	      ? "confirmed"
	       : pair->relation.verification == PAIR_MEASURED ? "measured"
							      : NULL;
}

/*
 * Write "97 %" for an estimate, or "97.31 %" for a measured resemblance. Shares are rounded down, and
 * different files never have 100 %.
 */
static void label_resemblance(const struct relation *relation, char label[LABEL_SIZE])
{
	double share = relation->resemblance;

	if (relation->verification == PAIR_SKETCH)
		snprintf(label, LABEL_SIZE, share < 0.995 ? "%u %%" : ">99 %%",
			 share_in_steps(share, 100));
	else
		snprintf(label, LABEL_SIZE, share < 0.99995 ? "%.2f %%" : ">99.99 %%",
			 share_in_steps(share, 10000) / 100.0);
}

char *share_label(const struct relation *relation, char label[LABEL_SIZE])
{
	double share = larger_containment(relation);

	if (relation->verification == PAIR_SKETCH)
		snprintf(label, LABEL_SIZE, share < 0.995 ? "(%u %%)" : "(>99 %%)",
			 share_in_steps(share, 100));
	else
		snprintf(label, LABEL_SIZE, "(%u %%)",
			 share >= 1 ? 100 : share_in_steps(share, 100));
	return label;
}

char *place_label(const struct part_place *place, char label[PLACE_SIZE])
{
	bool has_lines = place != NULL && place->first_line > 0;
	int64_t first, last;

	label[0] = '\0';
	if (place == NULL)
		return label;
	first = has_lines ? place->first_line : place->begin;
	last = has_lines ? place->last_line : place->end - 1;
	if (first == last)
		snprintf(label, PLACE_SIZE, "%s %" PRId64, has_lines ? "line" : "byte", first);
	else
		snprintf(label, PLACE_SIZE, "%s %" PRId64 "-%" PRId64,
			 has_lines ? "lines" : "bytes", first, last);
	return label;
}

const char *damage_label(const struct copy_damage *damage)
{
	return damage->is_bit && damage->may_be_edit ? "one bit differs" : "damaged copy?";
}

char *damage_place(const struct copy_damage *damage, const char *a, const char *b,
		   char text[DAMAGE_SIZE])
{
	unsigned shown = damage->count <= DAMAGE_SHOWN ? damage->count : DAMAGE_SHOWN;
	const char *file = damage->lost_in == 'a' ? a : b;
	size_t size = 0;

	for (unsigned i = 0; i < shown; i++) {
		struct part_place place = {.begin = damage->ranges[i].begin,
					   .end = damage->ranges[i].end};
		char range[PLACE_SIZE];
		place_label(&place, range);
		/* One "bytes" for all ranges. */
		size += (size_t)snprintf(text + size, DAMAGE_SIZE - size, "%s%s",
					 i == 0 ? "" : ", ",
					 i == 0 ? range : strchr(range, ' ') + 1);
	}
	if (damage->count > shown)
		size += (size_t)snprintf(text + size, DAMAGE_SIZE - size, " and %u more",
					 damage->count - shown);
	if (damage->lost_in != 0 && damage->value == 0)
		snprintf(text + size, DAMAGE_SIZE - size, ": zeros in %s", file);
	else if (damage->lost_in != 0)
		snprintf(text + size, DAMAGE_SIZE - size, ": only 0x%02x in %s", damage->value,
			 file);
	return text;
}

static void label_part(const struct relation *relation, char label[LABEL_SIZE])
{
	char share[LABEL_SIZE];

	snprintf(label, LABEL_SIZE, "%s %.12s",
		 relation->contained_a >= relation->contained_b ? "part of" : "contains",
		 share_label(relation, share));
}

char *pair_label(const struct file_pair *pair, char label[LABEL_SIZE])
{
	const struct relation *relation = &pair->relation;

	if (relation->is_identical)
		snprintf(label, LABEL_SIZE, "identical");
	else if (relation->verification == PAIR_TEXT)
		snprintf(label, LABEL_SIZE, "same text");
	else if (relation->is_part)
		label_part(relation, label);
	else if (has_resemblance(relation))
		label_resemblance(relation, label);
	else
		snprintf(label, LABEL_SIZE, "similar");
	return label;
}

struct file_pair member_pair(const struct group *group, const struct group_member *member)
{
	struct file_pair pair = {member->file, group->representative, member->relation,
				 member->place};

	pair.relation.is_identical = member->role == ROLE_COPY ||
				     pair.relation.verification == PAIR_HASH;
	return pair;
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
