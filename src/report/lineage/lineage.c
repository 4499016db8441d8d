/*
 * Writes lists of lineages, and has the functions that their formats share.
 * SPDX-License-Identifier: MIT
 */
#include "report/lineage/lineage.h"

#include <string.h>

#include "base/basic/error.h"

/* Graphviz, of lineages alone. */
const struct formatter formatter_dot = {
	.name = "dot",
	.groups = {.begin = "digraph lineage {\n\trankdir=LR;\n\tnode [shape=box];\n",
		   .end = "}\n"},
};

/* Of identical files alone there is nothing to order. */
static bool has_versions(const struct group *group, const struct group_member *members)
{
	for (size_t m = 1; m < group->count; m++)
		if (!are_identical(members[m].file, group->representative))
			return true;
	return false;
}

const char *lineage_reason_name(enum lineage_reason reason)
{
	static const char *const names[] = {
		[REASON_VERSION] = "number", [REASON_BACKUP] = "backup", [REASON_COPY] = "copy",
		[REASON_TIME] = "time",	     [REASON_SIZE] = "size",
	};

	return names[reason];
}

char *lineage_reasons(const struct lineage_version *version, char text[REASONS_SIZE])
{
	size_t size = 0;

	if (!lineage_is_clear(version))
		return strcpy(text, "unclear");
	text[0] = '\0';
	for (unsigned r = 0; r < REASONS; r++)
		if (lineage_has_reason(version, r))
			size += (size_t)snprintf(text + size, REASONS_SIZE - size, "%s%s",
						 size == 0 ? "" : ", ", lineage_reason_name(r));
	/* The others of its tree tell. */
	return size == 0 ? strcpy(text, "others") : text;
}

unsigned lineage_percent(const struct lineage_version *version)
{
	double percent = 100 * version->confidence;

	return percent >= 99 ? 99 : (unsigned)percent;
}

static lineage_write_fn *writer_of(const struct formatter *formatter)
{
	if (formatter == &formatter_dot)
		return lineage_write_dot;
	if (formatter == &formatter_null)
		return lineage_write_null;
	return formatter->is_text ? lineage_write_text : lineage_write_json;
}

static int write_lineage(struct listing *listing, const struct group *group,
			 const struct group_member *members, struct simhash_error *error)
{
	const struct formatter *formatter = listing->formatter;
	struct lineage lineage;

	if (lineage_make(group, members, &lineage, error) != 0)
		return -1;
	frame_next(listing->file, &formatter->groups, group->number - 1);
	writer_of(formatter)(listing->file, group, &lineage, &listing->how);
	if (formatter->end_group != NULL)
		fputs(formatter->end_group, listing->file);
	lineage_release(&lineage);
	return listing_check(listing, error);
}

int listing_write_lineages(struct listing *listing, const struct group_sorter *groups,
			   struct simhash_error *error)
{
	uint64_t limit = listing->order.limit > 0 ? listing->order.limit : UINT64_MAX, count = 0;
	struct group_cursor cursor;
	int status = group_cursor_begin(&cursor, groups, error);

	listing->left_out = 0;
	frame_begin(listing->file, &listing->formatter->groups);
	while (status == 0 && (status = group_cursor_next(&cursor, error)) == 1) {
		status = 0;
		if (!has_versions(&cursor.group, cursor.members))
			continue;
		if (count == limit) {
			listing->left_out++;
			continue;
		}
		cursor.group.number = ++count;
		status = write_lineage(listing, &cursor.group, cursor.members, error);
	}
	group_cursor_release(&cursor);
	if (status != 0)
		return -1;
	frame_end(listing->file, &listing->formatter->groups, count);
	return listing_check(listing, error);
}
