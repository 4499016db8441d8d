/*
 * Writes pairs and groups as CSV, as JSON, and as paths that end in zero bytes. In the last format,
 * a pair is its two paths, and a group is the paths of its members; an empty path separates groups.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <math.h>

#include "base/text/record.h"
#include "report/lists/formatter.h"

static const struct find_file no_file;
static const struct presentation as_heading = {.records = {.format = RECORD_HEADING}};

/* ---- Damage ---- */

#define RANGES_SIZE (DAMAGE_RUNS * 44 + 3)

/* A JSON array of the first byte, and the byte after the last one, of each range. */
static const char *ranges_of(const struct copy_damage *damage, char text[RANGES_SIZE])
{
	size_t size = 0;

	if (damage == NULL)
		return NULL;
	for (unsigned i = 0; i < damage->count; i++)
		size += (size_t)snprintf(text + size, RANGES_SIZE - size,
					 "%s[%" PRId64 ",%" PRId64 "]", i == 0 ? "[" : ",",
					 damage->ranges[i].begin, damage->ranges[i].end);
	snprintf(text + size, RANGES_SIZE - size, "]");
	return text;
}

static const char *damage_kind(const struct copy_damage *damage)
{
	return damage == NULL	      ? NULL
	       : damage->is_bit	      ? damage->may_be_edit ? "bit or edit" : "bit"
	       : damage->lost_in != 0 ? "lost"
				      : "blocks";
}

/* The file that has one repeated byte in these ranges. */
static const char *lost_in(const struct copy_damage *damage, const char *a, const char *b)
{
	return damage == NULL || damage->lost_in == 0 ? NULL : damage->lost_in == 'a' ? a : b;
}

/* ---- Pairs ---- */

static void write_pair(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	const struct relation *relation = &pair->relation;
	const char *verified = verification_name(relation->verification);
	static const struct part_place nowhere = {NO_NUMBER, NO_NUMBER, 0, 0};
	const struct part_place *place = pair->place == NULL ? &nowhere : pair->place;
	bool has_lines = place->first_line > 0;
	const struct copy_damage *damage = how->records.format == RECORD_JSON ||
							   how->records.format == RECORD_LINES
						   ? damage_find(how->damages, pair)
						   : NULL;
	char ranges[RANGES_SIZE];
	const struct field fields[] = {
		FIELD_WORD(IN_LISTS, "match", pair_match(pair)),
		FIELD_UNSIGNED(IN_LISTS, "distance", relation->distance),
		FIELD_SHARE(IN_LISTS, "count_difference", count_difference(pair)),
		FIELD_WORD(IN_LISTS, "confirmation", confirmation_name(pair)),
		FIELD_SHARE(IN_LISTS, "contained_a",
			    shown_containment(relation, relation->contained_a)),
		FIELD_SHARE(IN_LISTS, "contained_b",
			    shown_containment(relation, relation->contained_b)),
		FIELD_SHARE(IN_LISTS, "resemblance",
			    shown_resemblance(relation, relation->is_identical)),
		FIELD_WORD(IN_JSON, "verified", verified),
		FIELD_SIGNED(IN_LISTS, "size_a", find_file_bytes(pair->a)),
		FIELD_SIGNED(IN_LISTS, "size_b", find_file_bytes(pair->b)),
		FIELD_TEXT(IN_LISTS, "path_a", find_file_display(pair->a)),
		FIELD_TEXT(IN_LISTS, "path_b", find_file_display(pair->b)),
		FIELD_WORD(IN_CSV, "verified", verified),
		FIELD_SIGNED(IN_JSON, "part_begin", place->begin),
		FIELD_SIGNED(IN_JSON, "part_end", place->end),
		FIELD_SIGNED(IN_JSON, "part_first_line", has_lines ? place->first_line : NO_NUMBER),
		FIELD_SIGNED(IN_JSON, "part_last_line", has_lines ? place->last_line : NO_NUMBER),
		FIELD_WORD(IN_JSON, "damage", damage_kind(damage)),
		FIELD_PLAIN(IN_JSON, "damaged_bytes", ranges_of(damage, ranges)),
		FIELD_WORD(IN_JSON, "lost_in", lost_in(damage, "path_a", "path_b")),
		FIELDS_END,
	};

	record_write(out, &how->records, fields);
}

static void pair_heading(FILE *out)
{
	write_pair(out, &(struct file_pair){.a = &no_file, .b = &no_file}, &as_heading);
}

/* Write only paths. This is fast because the other fields are not computed. */
static void write_paths(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	const struct field fields[] = {FIELD_TEXT(IN_NULL, "path_a", find_file_display(pair->a)),
				       FIELD_TEXT(IN_NULL, "path_b", find_file_display(pair->b)),
				       FIELDS_END};

	record_write(out, &how->records, fields);
}

/* ---- Groups ---- */

static void begin_object(FILE *out, const struct group *group, const struct presentation *how)
{
	const struct field fields[] = {
		FIELD_UNSIGNED(IN_JSON, "group", group->number),
		FIELD_ID(IN_JSON, "id", group->id),
		FIELD_UNSIGNED(IN_JSON, "files", group->count),
		FIELD_SIGNED(IN_JSON, "bytes", group->bytes),
		FIELD_SIGNED(IN_JSON, "copied_bytes", group->copied_bytes),
		FIELDS_END,
	};

	(void)how;
	fputc('{', out);
	record_write_members(out, RECORD_JSON, fields);
	fputs(",\"members\":[", out);
}

/* The end of a group is written before the next group, because that call knows the output. */
static void end_paths(FILE *out, const struct group *group, const struct presentation *how)
{
	if (group->number > 1)
		fputc(how->records.is_terminal ? '\n' : '\0', out);
}

static void write_member(FILE *out, const struct group *group, const struct group_member *member,
			 const struct presentation *how)
{
	const struct find_file *first = group->representative, *file = member->file;
	const struct file_pair pair = member_pair(group, member);
	const struct copy_damage *damage = how->records.format == RECORD_JSON &&
							   member->role == ROLE_MEMBER
						   ? damage_find(how->damages, &pair)
						   : NULL;
	char ranges[RANGES_SIZE];
	const struct field fields[] = {
		FIELD_UNSIGNED(IN_CSV, "group", group->number),
		FIELD_WORD(IN_LISTS, "role", role_name(member->role)),
		FIELD_UNSIGNED(IN_LISTS, "distance", member->relation.distance),
		FIELD_SIGNED(IN_LISTS, "size", find_file_bytes(file)),
		FIELD_TEXT(IN_CSV | IN_NULL, "path", find_file_display(file)),
		FIELD_SHARE(IN_LISTS, "resemblance",
			    shown_resemblance(&member->relation, are_identical(first, file))),
		FIELD_WORD(IN_LISTS, "verified", verification_name(member->relation.verification)),
		FIELD_TEXT(IN_JSON, "path", find_file_display(file)),
		FIELD_WORD(IN_JSON, "damage", damage_kind(damage)),
		FIELD_PLAIN(IN_JSON, "damaged_bytes", ranges_of(damage, ranges)),
		FIELD_WORD(IN_JSON, "lost_in", lost_in(damage, "file", "representative")),
		FIELD_PLAIN(IN_JSON, "shared", member->is_shared ? "true" : NULL),
		FIELD_ID(IN_CSV, "id", group->id),
		FIELDS_END,
	};

	record_write(out, &how->records, fields);
}

static void member_heading(FILE *out)
{
	const struct group group = {.representative = &no_file};

	write_member(out, &group, &(struct group_member){.file = &no_file}, &as_heading);
}

/* Write a member in the array of its group. */
static void write_object(FILE *out, const struct group *group, const struct group_member *member,
			 const struct presentation *how)
{
	struct presentation in_array = *how;

	in_array.records.format = RECORD_JSON;
	fputs(member->role == ROLE_REPRESENTATIVE ? "" : ",", out);
	write_member(out, group, member, &in_array);
}

/* ---- Formats ---- */

const struct formatter formatter_csv = {
	.name = "csv",
	.format = RECORD_CSV,
	.pairs = {.heading = pair_heading},
	.groups = {.heading = member_heading},
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
	.member = write_object,
	.end_group = "]}",
};

const struct formatter formatter_jsonl = {
	.name = "jsonl",
	.format = RECORD_LINES,
	.is_stream = true,
	.pair = write_pair,
	.group = begin_object,
	.member = write_object,
	.end_group = "]}\n",
};

const struct formatter formatter_null = {
	.name = "null",
	.format = RECORD_NULL,
	.pair = write_paths,
	.group = end_paths,
	.member = write_member,
};
