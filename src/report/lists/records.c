/*
 * Pairs and groups as CSV, as JSON, and as paths between zero bytes: the two of a pair one after the
 * other, and the members of a group, with an empty path between groups.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "base/text/decimal.h"
#include "base/text/record.h"
#include "report/lists/formatter.h"

/* ---- Pairs ---- */

struct listed_pair {
	const char *match, *confirmation, *verified;
	uint64_t distance;
	double percent, changed, contained_a, contained_b, resemblance;
	int64_t size_a, size_b;
	struct bytes path_a, path_b;
};

#define PAIR(in, member) RECORD_FIELD(in, struct listed_pair, member)

static const struct field pair_fields[] = {
	PAIR(IN_LISTS, match),	     PAIR(IN_LISTS, distance),	   PAIR(IN_LISTS, percent),
	PAIR(IN_LISTS, changed),     PAIR(IN_LISTS, confirmation), PAIR(IN_LISTS, contained_a),
	PAIR(IN_LISTS, contained_b), PAIR(IN_LISTS, resemblance),  PAIR(IN_JSON, verified),
	PAIR(IN_LISTS, size_a),	     PAIR(IN_LISTS, size_b),	   PAIR(IN_ALL, path_a),
	PAIR(IN_ALL, path_b),	     PAIR(IN_CSV, verified),	   FIELDS_END,
};

static double shown_resemblance(enum verification verification, double resemblance,
				bool is_identical)
{
	return has_resemblance(verification)
		       ? shown_share(resemblance, is_identical, SIMHASH_MILLION)
		       : NAN;
}

static void write_pair(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	bool has_shares = pair->verification == PAIR_READ || pair->is_part;
	const struct listed_pair record = {.match = pair_match(pair),
					   .confirmation = confirmation_name(pair),
					   .verified = verification_name(pair->verification),
					   .distance = pair->distance,
					   .percent = pair_percent(pair),
					   .changed = 100 * estimated_change(pair->a, pair->b),
					   .contained_a = has_shares ? pair->contained_a : NAN,
					   .contained_b = has_shares ? pair->contained_b : NAN,
					   .resemblance = shown_resemblance(pair->verification,
									    pair->resemblance,
									    pair->is_identical),
					   .size_a = pair->a->size_bytes,
					   .size_b = pair->b->size_bytes,
					   .path_a = find_file_display(pair->a),
					   .path_b = find_file_display(pair->b)};

	record_write(out, &how->records, pair_fields, &record);
}

/* Between zero bytes, without the work for what is not written. */
static void write_paths(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	const struct listed_pair record = {.path_a = find_file_display(pair->a),
					   .path_b = find_file_display(pair->b)};

	record_write(out, &how->records, pair_fields, &record);
}

/* ---- Groups ---- */

static const struct field group_fields[] = {
	RECORD_FIELD_AS(FIELD_SIZE, IN_JSON, struct group, number, "group"),
	RECORD_FIELD_AS(FIELD_ID, IN_JSON, struct group, id, "id"),
	RECORD_FIELD_AS(FIELD_SIZE, IN_JSON, struct group, count, "files"),
	RECORD_FIELD(IN_JSON, struct group, bytes),
	RECORD_FIELD(IN_JSON, struct group, copied_bytes),
	FIELDS_END,
};

struct listed_member {
	uint64_t group, distance, id;
	const char *role, *verified;
	double changed, resemblance;
	int64_t size;
	struct bytes path;
};

#define MEMBER(in, member) RECORD_FIELD(in, struct listed_member, member)

static const struct field member_fields[] = {
	MEMBER(IN_CSV, group),
	MEMBER(IN_LISTS, role),
	MEMBER(IN_LISTS, distance),
	MEMBER(IN_LISTS, changed),
	MEMBER(IN_LISTS, size),
	MEMBER(IN_CSV | IN_NULL, path),
	MEMBER(IN_LISTS, resemblance),
	MEMBER(IN_LISTS, verified),
	MEMBER(IN_JSON, path),
	RECORD_FIELD_AS(FIELD_ID, IN_CSV, struct listed_member, id, "id"),
	FIELDS_END,
};

static void begin_object(FILE *out, const struct group *group, const struct presentation *how)
{
	(void)how;
	fputc('{', out);
	record_write_members(out, group_fields, group);
	fputs(",\"members\":[", out);
}

/* The end of a group is written before the next, which knows where it goes. */
static void end_paths(FILE *out, const struct group *group, const struct presentation *how)
{
	if (group->number > 1)
		fputc(how->records.is_terminal ? '\n' : '\0', out);
}

static void write_member(FILE *out, const struct group *group, const struct group_member *member,
			 const struct presentation *how)
{
	const struct find_file *first = group->representative, *file = member->file;
	bool is_json = how->records.format == RECORD_JSON || how->records.format == RECORD_LINES;
	const struct listed_member record = {
		.group = group->number,
		.distance = member->distance,
		.id = group->id,
		.role = role_name(member->role),
		.verified = verification_name(member->verification),
		.changed = 100 * estimated_change(first, file),
		.resemblance = shown_resemblance(member->verification, member->resemblance,
						 are_identical(first, file)),
		.size = file->size_bytes,
		.path = find_file_display(file)};

	if (!is_json) {
		record_write(out, &how->records, member_fields, &record);
		return;
	}
	fputs(member->role == ROLE_REPRESENTATIVE ? "{" : ",{", out);
	record_write_members(out, member_fields, &record);
	fputc('}', out);
}

/* ---- Formats ---- */

const struct formatter formatter_csv = {
	.name = "csv",
	.format = RECORD_CSV,
	.pairs = {.heading = pair_fields},
	.groups = {.heading = member_fields},
	.pair = write_pair,
	.member = write_member,
};

const struct formatter formatter_json = {
	.name = "json",
	.format = RECORD_JSON,
	.pairs = ARRAY_FRAME,
	.groups = ARRAY_FRAME,
	.pair = write_pair,
	.group = begin_object,
	.member = write_member,
	.end_group = "]}",
};

const struct formatter formatter_jsonl = {
	.name = "jsonl",
	.format = RECORD_LINES,
	.is_stream = true,
	.pair = write_pair,
	.group = begin_object,
	.member = write_member,
	.end_group = "]}\n",
};

const struct formatter formatter_null = {
	.name = "null",
	.format = RECORD_NULL,
	.pair = write_paths,
	.group = end_paths,
	.member = write_member,
};
