/*
 * Writes the groups of the report. A group has contents. A content has its files and its relation
 * to the first file of the group. So the size, hash and counts of several copies are written once.
 * SPDX-License-Identifier: MIT
 */
#include "report/page/html_groups.h"

#include <string.h>

#include "base/basic/clock.h"
#include "base/basic/sizes.h"
#include "base/text/escape.h"
#include "base/text/record.h"
#include "report/lineage/lineage.h"
#include "report/lists/formatter.h"
#include "report/page/excerpt.h"

#define HISTOGRAM_BINS 50 /* bins for resemblances; one more bin is for unknown resemblances */
#define NOT_KNOWN (-1.0)

/* The relation of a file to the first file of its group. The page uses the same numbers. */
enum kind { KIND_IDENTICAL, KIND_NEARLY, KIND_SIMILAR, KIND_PART };

static const struct record_style as_row = {.format = RECORD_ROW};

static struct bytes hash_of(const struct find_file *file)
{
	return (struct bytes){(const char *)file->content_hash, CONTENT_HASH_SIZE};
}

static enum kind kind_of(const struct group *group, const struct group_member *member)
{
	if (has_same_content(group->representative, member->file))
		return KIND_IDENTICAL;
	if (member->relation.is_part)
		return KIND_PART;
	return has_resemblance(&member->relation) &&
			       100 * member->relation.resemblance >= NEARLY_PERCENT
		       ? KIND_NEARLY
		       : KIND_SIMILAR;
}

/* ---- Totals ---- */

struct totals {
	uint64_t groups, files;
	/* Numbers of files, without the first file of each group. */
	uint64_t identical, nearly, similar;
	uint64_t inside; /* the number of copies in archives */
	int64_t bytes, copied_bytes, nearly_bytes, similar_bytes;
	uint64_t bins[HISTOGRAM_BINS + 1];
};

static void count_member(struct totals *totals, const struct group *group,
			 const struct group_member *member)
{
	enum kind kind = kind_of(group, member);
	int bin = has_resemblance(&member->relation)
			  ? (int)(member->relation.resemblance * (HISTOGRAM_BINS - 0.001))
			  : HISTOGRAM_BINS;

	if (member->role == ROLE_COPY) {
		totals->identical++;
		totals->inside += row_is_inside(member->file->compressed_size_bytes);
		return;
	}
	totals->bins[bin]++;
	if (kind <= KIND_NEARLY) {
		totals->nearly++;
		add_size(&totals->nearly_bytes, find_file_bytes(member->file));
	} else {
		totals->similar++;
		add_size(&totals->similar_bytes, find_file_bytes(member->file));
	}
}

static int count_groups(struct totals *totals, const struct group_sorter *groups,
			struct simhash_error *error)
{
	struct group_cursor cursor;
	int status = group_cursor_begin(&cursor, groups, error);

	while (status == 0 && (status = group_cursor_next(&cursor, error)) == 1) {
		const struct group *group = &cursor.group;
		totals->groups++;
		totals->files += group->count;
		add_size(&totals->bytes, group->bytes);
		add_size(&totals->copied_bytes, group->copied_bytes);
		for (size_t m = 1; m < group->count; m++)
			count_member(totals, group, &cursor.members[m]);
		status = 0;
	}
	group_cursor_release(&cursor);
	return status;
}

static void write_totals(FILE *out, const struct totals *totals)
{
	const struct field sums[] = {
		FIELD_UNSIGNED(IN_PAGE, "groups", totals->groups),
		FIELD_UNSIGNED(IN_PAGE, "files", totals->files),
		FIELD_SIGNED(IN_PAGE, "bytes", totals->bytes),
		FIELD_SIGNED(IN_PAGE, "saves", totals->copied_bytes),
		FIELD_UNSIGNED(IN_PAGE, "identical", totals->identical),
		FIELD_UNSIGNED(IN_PAGE, "inside", totals->inside),
		FIELD_UNSIGNED(IN_PAGE, "nearly", totals->nearly),
		FIELD_SIGNED(IN_PAGE, "nearly_bytes", totals->nearly_bytes),
		FIELD_UNSIGNED(IN_PAGE, "similar", totals->similar),
		FIELD_SIGNED(IN_PAGE, "similar_bytes", totals->similar_bytes),
		FIELD_UNSIGNED(IN_PAGE, "nearly_percent", NEARLY_PERCENT),
		FIELDS_END,
	};
	const struct field fields[] = {
		FIELD_OBJECT(IN_PAGE, "totals", sums),
		FIELD_NUMBERS(IN_PAGE, "bins", totals->bins, HISTOGRAM_BINS + 1),
		FIELDS_END,
	};

	fputc(',', out);
	record_write_members(out, RECORD_PAGE, fields);
}

/* ---- A file ---- */

/* Can a person keep or remove the file? Archive members and streams are not files. */
static bool is_own_file(const struct find_file *file)
{
	return file->compressed_size_bytes == 0 && !file->is_stream;
}

static void write_file(FILE *out, const struct find_file *file, bool is_shared)
{
	struct bytes shown = find_file_display(file);
	struct bytes path = {find_file_path(file), shown.size - file->path_offset};
	int64_t ns = file->mtime_ns % NS_PER_S;
	const struct field fields[] = {
		FIELD_TEXT(IN_PAGE, "shown", shown),
		FIELD_SIGNED(IN_PAGE, "seconds", file->mtime_ns / NS_PER_S - (ns < 0)),
		FIELD_SIGNED(IN_PAGE, "nanoseconds", ns < 0 ? ns + NS_PER_S : ns),
		/* Empty if it is this host. */
		FIELD_TEXT(IN_PAGE, "host",
			   ((struct bytes){shown.data,
					   file->path_offset > 0 ? file->path_offset - 1u : 0})),
		FIELD_UNSIGNED(IN_PAGE, "is_own", is_shared ? 2 : is_own_file(file)),
		FIELD_HEX(IN_PAGE, "path", is_escaped(shown) ? path : NO_TEXT),
		FIELDS_END,
	};

	record_write(out, &as_row, fields);
}

/* ---- A group ---- */

/*
 * Return the pair of the first file and a member. In this order "part of" means that the first file
 * is part of the member, as in lists.
 */
static struct file_pair pair_from_first(const struct group *group,
					const struct group_member *member)
{
	struct file_pair pair = member_pair(group, member);

	return (struct file_pair){pair.b, pair.a, relation_turned(&pair.relation), pair.place};
}

#define PAGE_LABEL_SIZE (DAMAGE_SIZE + LABEL_SIZE)

/* "damaged copy? (bytes 512-1023: zeros in this file)" */
static char *label_damage(const struct copy_damage *damage, char label[PAGE_LABEL_SIZE])
{
	char bytes[DAMAGE_SIZE];

	snprintf(label, PAGE_LABEL_SIZE, "%s (%s)", damage_label(damage),
		 damage_place(damage, "this file", "the first file", bytes));
	return label;
}

/* Begin a content, but do not end it: the difference, the picture and the files follow. */
static int begin_content(FILE *out, const struct group *group, const struct group_member *member,
			 struct excerpts *excerpts, struct damage_finder *damages,
			 struct simhash_error *error)
{
	const struct relation *relation = &member->relation;
	const struct find_file *file = member->file;
	const struct file_pair pair = pair_from_first(group, member),
			       from_member = member_pair(group, member);
	bool is_first = member->role == ROLE_REPRESENTATIVE;
	const struct copy_damage *damage = is_first ? NULL : damage_find(damages, &from_member);
	char label[PAGE_LABEL_SIZE];
	const struct field fields[] = {
		FIELD_TEXT(IN_PAGE, "label",
			   bytes_of(is_first	     ? ""
				    : damage != NULL ? label_damage(damage, label)
						     : pair_label(&pair, label))),
		FIELD_SHARE(IN_PAGE, "resemblance",
			    has_resemblance(relation)
				    ? shown_resemblance(relation,
							is_first || pair.relation.is_identical)
				    : NOT_KNOWN),
		FIELD_UNSIGNED(IN_PAGE, "kind", kind_of(group, member)),
		FIELD_SIGNED(IN_PAGE, "size", find_file_bytes(file)),
		FIELD_HEX(IN_PAGE, "hash", hash_of(file)),
		FIELD_NUMBERS(IN_PAGE, "counts", file->table.count, SIMHASH_TAGS),
		FIELDS_END,
	};

	fputc('[', out);
	record_write_members(out, RECORD_ROW, fields);
	fputc(',', out);
	if (is_first)
		fprintf(out, "%d", EXCERPT_OF_FIRST);
	else if (excerpt_write(excerpts, out, file, error) != 0)
		return -1;
	fputc(',', out);
	if (excerpt_write_picture(excerpts, out, file, error) != 0)
		return -1;
	fputs(",[", out);
	return 0;
}

/* Write a group, but do not end it: the versions follow the contents. */
static int write_group(FILE *out, const struct group *group, const struct group_member *members,
		       struct excerpts *excerpts, struct damage_finder *damages,
		       struct simhash_error *error)
{
	const struct find_file *content = NULL;
	const struct field fields[] = {
		FIELD_ID(IN_PAGE, "id", group->id),
		FIELD_SIGNED(IN_PAGE, "bytes", group->bytes),
		FIELD_SIGNED(IN_PAGE, "copied_bytes", group->copied_bytes),
		FIELDS_END,
	};

	fputs("\n[", out);
	record_write_members(out, RECORD_ROW, fields);
	fputs(",[", out);
	excerpts_begin_group(excerpts, group->representative);
	for (size_t m = 0; m < group->count; m++) {
		const struct find_file *file = members[m].file;
		bool is_copy = m > 0 && members[m].role == ROLE_COPY &&
			       has_same_content(content, file);
		fputs(m == 0 ? "" : is_copy ? "," : "]],", out);
		if (!is_copy &&
		    begin_content(out, group, &members[m], excerpts, damages, error) != 0)
			return -1;
		content = file;
		write_file(out, file, members[m].is_shared);
	}
	fputs("]]]", out);
	return 0;
}

static void write_version(FILE *out, const struct lineage_version *version)
{
	char label[LABEL_SIZE], reasons[REASONS_SIZE];
	bool is_first = version->parent == NO_PARENT;
	const char *share = is_first ? "" : pair_label(&version->pair, label);
	const struct field fields[] = {
		FIELD_SIGNED(IN_PAGE, "parent", is_first ? -1 : (int64_t)version->parent),
		FIELD_UNSIGNED(IN_PAGE, "depth", version->depth),
		FIELD_TEXT(IN_PAGE, "share", bytes_of(share)),
		FIELD_UNSIGNED(IN_PAGE, "confidence", is_first ? 0 : lineage_percent(version)),
		FIELD_TEXT(IN_PAGE, "reasons",
			   bytes_of(is_first ? "" : lineage_reasons(version, reasons))),
		FIELD_HEX(IN_PAGE, "hash", hash_of(version->files[0])),
		FIELDS_END,
	};

	record_write(out, &as_row, fields);
}

/* Write the versions of a group, each after its parent. */
static int write_lineage(FILE *out, const struct group *group, const struct group_member *members,
			 struct simhash_error *error)
{
	struct lineage lineage;

	if (lineage_make(group, members, &lineage, error) != 0)
		return -1;
	for (size_t v = 0; lineage.count > 1 && v < lineage.count; v++) {
		fputc(',', out);
		write_version(out, &lineage.versions[v]);
	}
	lineage_release(&lineage);
	return 0;
}

/* Write the order of the list, and the number of groups that are left out. */
static void write_order(FILE *out, const struct listing_order *order, size_t left_out)
{
	const struct field fields[] = {
		FIELD_UNSIGNED(IN_PAGE, "left_out", left_out),
		FIELD_UNSIGNED(IN_PAGE, "limit", order->limit),
		FIELD_UNSIGNED(IN_PAGE, "sort", order->by),
		FIELD_PLAIN(IN_PAGE, "reverse", order->reverse ? "true" : "false"),
		FIELDS_END,
	};

	fputs("],", out);
	record_write_members(out, RECORD_PAGE, fields);
}

static int write_list(FILE *out, const struct report *report, struct excerpts *excerpts,
		      struct simhash_error *error)
{
	uint64_t limit = report->order->limit == 0 ? UINT64_MAX : report->order->limit;
	size_t files = 0, left_out = 0;
	struct group_cursor cursor;
	int status = group_cursor_begin(&cursor, report->groups, error);

	fputs(",\"groups\":[", out);
	while (status == 0 && (status = group_cursor_next(&cursor, error)) == 1) {
		const struct group *group = &cursor.group;
		status = 0;
		if (group->number > limit || files + group->count > REPORT_FILES_MAX) {
			left_out++;
			continue;
		}
		fputs(files == 0 ? "" : ",", out);
		files += group->count;
		status = write_group(out, group, cursor.members, excerpts, report->damages, error);
		if (status == 0 && report->with_lineage)
			status = write_lineage(out, group, cursor.members, error);
		fputc(']', out);
	}
	group_cursor_release(&cursor);
	write_order(out, report->order, left_out);
	return status;
}

int html_write_groups(FILE *out, const struct report *report, struct simhash_error *error)
{
	struct totals totals = {.groups = 0};
	struct excerpts excerpts;
	int status;

	if (count_groups(&totals, report->groups, error) != 0)
		return -1;
	write_totals(out, &totals);
	excerpts_init(&excerpts, report);
	status = write_list(out, report, &excerpts, error);
	excerpts_release(&excerpts);
	return status;
}
