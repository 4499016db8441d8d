/*
 * Writes lists of lineages, and implements the functions that their formats share.
 * SPDX-License-Identifier: MIT
 */
#include "report/lineage/lineage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/sizes.h"

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
		[REASON_VERSION] = "number",	[REASON_ROTATION] = "rotation",
		[REASON_BACKUP] = "backup",	[REASON_COPY] = "copy",
		[REASON_REVISION] = "revision", [REASON_TIME] = "time",
		[REASON_SIZE] = "size",
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
	/* In JSON, it has six decimal places. */
	unsigned percent = (unsigned)lround(1000000 * version->confidence) / 10000;

	return percent >= 99 ? 99 : percent;
}

static lineage_write_fn *writer_of(const struct formatter *formatter)
{
	return formatter == &formatter_dot    ? lineage_write_dot
	       : formatter == &formatter_null ? lineage_write_null
					      : lineage_write_json;
}

/* ---- Trees ---- */

/* Called with one tree, whose first version is the first of the lineage. */
typedef int tree_fn(struct listing *listing, const struct group *group, const struct lineage *tree,
		    struct simhash_error *error);

static int write_tree(struct listing *listing, const struct group *group,
		      const struct lineage *tree, struct simhash_error *error)
{
	const struct formatter *formatter = listing->formatter;
	int status = 0;

	if (formatter->is_text && group->number == 1) {
		lineage_write_legend(listing);
		listing_begin_marked(listing);
	}
	frame_next(listing->file, &formatter->groups, group->number - 1);
	if (formatter->is_text)
		status = lineage_write_text(listing, group, tree, error);
	else
		writer_of(formatter)(listing->file, group, tree, &listing->how);
	if (formatter->end_group != NULL)
		fputs(formatter->end_group, listing->file);
	return status != 0 ? -1 : listing_check(listing, error);
}

static int note_paths(struct listing *listing, const struct group *group,
		      const struct lineage *tree, struct simhash_error *error)
{
	(void)group;
	for (size_t v = 0; v < tree->count; v++)
		for (size_t i = 0; i < tree->versions[v].file_count; i++)
			if (listing_note(listing, tree->versions[v].files[i], false, error) != 0)
				return -1;
	return 0;
}

/* The files of a tree as a group. */
static int group_of(const struct lineage *tree, struct group *group, struct simhash_error *error)
{
	uint8_t(*hashes)[CONTENT_HASH_SIZE] = malloc(tree->count * sizeof *hashes);

	if (hashes == NULL)
		return error_set_memory(error);
	group->count = 0;
	group->bytes = 0;
	for (size_t v = 0; v < tree->count; v++) {
		const struct lineage_version *version = &tree->versions[v];
		memcpy(hashes[v], version->files[0]->content_hash, CONTENT_HASH_SIZE);
		group->count += version->file_count;
		for (size_t i = 0; i < version->file_count; i++)
			add_size(&group->bytes, version->files[i]->size_bytes);
	}
	group->id = group_id(hashes, tree->count);
	free(hashes);
	return 0;
}

/* Call `each` with each tree of a group, up to the limit. Add their number to *count. */
static int each_tree(struct listing *listing, const struct lineage *lineage, tree_fn *each,
		     uint64_t *count, struct simhash_error *error)
{
	uint64_t limit = listing->order.limit > 0 ? listing->order.limit : UINT64_MAX;
	int status = 0;

	for (size_t first = 0, end; status == 0 && first < lineage->count; first = end) {
		struct lineage tree = {.versions = lineage->versions + first};
		struct group group = {.number = *count + 1};
		end = lineage_tree_end(lineage, first);
		if (*count == limit) {
			listing->left_out++;
			continue;
		}
		tree.count = end - first;
		for (size_t v = 1; v < tree.count; v++)
			tree.versions[v].parent -= first;
		status = group_of(&tree, &group, error);
		if (status == 0)
			status = each(listing, &group, &tree, error);
		++*count;
	}
	return status;
}

static int each_lineage(struct listing *listing, const struct group_sorter *groups, tree_fn *each,
			uint64_t *count, struct simhash_error *error)
{
	struct group_cursor cursor;
	int status = group_cursor_begin(&cursor, groups, error);

	*count = listing->left_out = 0;
	while (status == 0 && (status = group_cursor_next(&cursor, error)) == 1) {
		struct lineage lineage;
		status = 0;
		if (!has_versions(&cursor.group, cursor.members))
			continue;
		status = lineage_make(&cursor.group, cursor.members, &lineage, error);
		if (status != 0)
			break;
		status = each_tree(listing, &lineage, each, count, error);
		lineage_release(&lineage);
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
	if (each_lineage(listing, groups, write_tree, &count, error) != 0)
		return -1;
	frame_end(listing->file, &listing->formatter->groups, count);
	return listing_check(listing, error);
}
