/*
 * Writes lists of lineages, and implements the functions that their formats share.
 * SPDX-License-Identifier: MIT
 */
#include "report/lineage/lineage.h"

#include <string.h>

#include "base/basic/error.h"

/* The format of Graphviz, which is only for lineages. */
const struct formatter formatter_dot = {
	.name = "dot",
	.groups = {.begin = "digraph lineage {\n\trankdir=LR;\n\tnode [shape=box];\n",
		   .end = "}\n"},
};

/* Identical files have no order. */
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
	/* If there is no other reason, the order of the other files in the tree is the reason. */
	return size == 0 ? strcpy(text, "others") : text;
}

unsigned lineage_percent(const struct lineage_version *version)
{
	double percent = 100 * version->confidence;

	return percent >= 99 ? 99 : (unsigned)percent;
}

static lineage_write_fn *writer_of(const struct formatter *formatter)
{
	return formatter == &formatter_dot    ? lineage_write_dot
	       : formatter == &formatter_null ? lineage_write_null
					      : lineage_write_json;
}

static int write_lineage(struct listing *listing, const struct group *group,
			 const struct group_member *members, struct simhash_error *error)
{
	const struct formatter *formatter = listing->formatter;
	struct lineage lineage;
	int status = 0;

	if (lineage_make(group, members, &lineage, error) != 0)
		return -1;
	if (formatter->is_text && group->number == 1) {
		lineage_write_legend(listing);
		listing_begin_marked(listing);
	}
	frame_next(listing->file, &formatter->groups, group->number - 1);
	if (formatter->is_text)
		status = lineage_write_text(listing, group, &lineage, error);
	else
		writer_of(formatter)(listing->file, group, &lineage, &listing->how);
	if (formatter->end_group != NULL)
		fputs(formatter->end_group, listing->file);
	lineage_release(&lineage);
	return status != 0 ? -1 : listing_check(listing, error);
}

static int note_paths(struct listing *listing, const struct group *group,
		      const struct group_member *members, struct simhash_error *error)
{
	for (size_t m = 0; m < group->count; m++)
		if (listing_note(listing, members[m].file, false, error) != 0)
			return -1;
	return 0;
}

/* Call `each` with each group that has versions, up to the limit. Set *count to their number. */
static int each_lineage(struct listing *listing, const struct group_sorter *groups,
			listed_group_fn *each, uint64_t *count, struct simhash_error *error)
{
	uint64_t limit = listing->order.limit > 0 ? listing->order.limit : UINT64_MAX;
	struct group_cursor cursor;
	int status = group_cursor_begin(&cursor, groups, error);

	*count = listing->left_out = 0;
	while (status == 0 && (status = group_cursor_next(&cursor, error)) == 1) {
		status = 0;
		if (!has_versions(&cursor.group, cursor.members))
			continue;
		if (*count == limit) {
			listing->left_out++;
			continue;
		}
		cursor.group.number = ++*count;
		status = each(listing, &cursor.group, cursor.members, error);
	}
	group_cursor_release(&cursor);
	return status != 0 ? -1 : 0;
}

int listing_write_lineages(struct listing *listing, const struct group_sorter *groups,
			   struct simhash_error *error)
{
	uint64_t count;

	if (listing->how.has_marks && each_lineage(listing, groups, note_paths, &count, error) != 0)
		return -1;
	frame_begin(listing->file, &listing->formatter->groups);
	if (each_lineage(listing, groups, write_lineage, &count, error) != 0)
		return -1;
	frame_end(listing->file, &listing->formatter->groups, count);
	return listing_check(listing, error);
}
