/*
 * Writes the groups of the report. A group is written as its contents, and a content as its
 * relation to the first of the group and its files: a copy repeats no size, hash or counts.
 * SPDX-License-Identifier: MIT
 */
#include "report/page/html_groups.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/basic/sizes.h"
#include "base/text/escape.h"
#include "report/lineage/lineage.h"
#include "report/lists/formatter.h"
#include "report/page/excerpt.h"
#include "report/page/html_text.h"

#define HISTOGRAM_BINS 40
#define NOT_KNOWN (-1.0)

/* What a file is to the first of its group. The page knows the numbers. */
enum kind { KIND_IDENTICAL, KIND_NEARLY, KIND_SIMILAR, KIND_PART };

static bool has_same_content(const struct find_file *x, const struct find_file *y)
{
	return x->size_bytes == y->size_bytes &&
	       memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE) == 0;
}

static enum kind kind_of(const struct group *group, const struct group_member *member)
{
	if (has_same_content(group->representative, member->file))
		return KIND_IDENTICAL;
	if (member->relation.is_part)
		return KIND_PART;
	return has_resemblance(&member->relation) &&
			       lround(100 * member->relation.resemblance) >= NEARLY_PERCENT
		       ? KIND_NEARLY
		       : KIND_SIMILAR;
}

/* ---- What all groups come to ---- */

struct totals {
	uint64_t groups, files;
	uint64_t identical, nearly, similar; /* files; the first of a group is none */
	uint64_t inside;		     /* of the identical ones: in archives */
	int64_t bytes, copied_bytes, nearly_bytes, similar_bytes;
	uint64_t bins[HISTOGRAM_BINS + 1];
};

static void count_member(struct totals *totals, const struct group *group,
			 const struct group_member *member, double top)
{
	const struct file_pair pair = member_pair(group, member);
	enum kind kind = member->role == ROLE_COPY ? KIND_IDENTICAL : kind_of(group, member);
	double percent = pair_percent(&pair);
	int bin = percent > top ? HISTOGRAM_BINS
		  : top == 0	? 0
				: (int)(percent / top * (HISTOGRAM_BINS - 0.001));

	if (kind == KIND_IDENTICAL) {
		totals->identical++;
		totals->inside += row_is_inside(member->file->compressed_size_bytes);
		return;
	}
	totals->bins[bin]++;
	if (kind == KIND_NEARLY) {
		totals->nearly++;
		add_size(&totals->nearly_bytes, member->file->size_bytes);
	} else {
		totals->similar++;
		add_size(&totals->similar_bytes, member->file->size_bytes);
	}
}

static int count_groups(struct totals *totals, const struct group_sorter *groups, double top,
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
			count_member(totals, group, &cursor.members[m], top);
		status = 0;
	}
	group_cursor_release(&cursor);
	return status;
}

/*
 * The bins tell how many files are how far from the first of their group: steps up to the
 * tolerance, and what is above it, such as a distance of 1 between small files.
 */
static void write_totals(FILE *out, const struct totals *totals)
{
	fprintf(out,
		",\"totals\":{\"groups\":%" PRIu64 ",\"files\":%" PRIu64 ",\"bytes\":%" PRId64
		",\"saves\":%" PRId64 ",\"identical\":%" PRIu64 ",\"inside\":%" PRIu64
		",\"nearly\":%" PRIu64 ",\"nearly_bytes\":%" PRId64 ",\"similar\":%" PRIu64
		",\"similar_bytes\":%" PRId64 ",\"nearly_percent\":%d},\"bins\":[",
		totals->groups, totals->files, totals->bytes, totals->copied_bytes,
		totals->identical, totals->inside, totals->nearly, totals->nearly_bytes,
		totals->similar, totals->similar_bytes, NEARLY_PERCENT);
	for (int i = 0; i <= HISTOGRAM_BINS; i++)
		fprintf(out, "%s%" PRIu64, i == 0 ? "" : ",", totals->bins[i]);
	fputs("]", out);
}

/* ---- A file ---- */

/* Is it a file that a person can keep or give up? */
static bool is_own_file(const struct find_file *file)
{
	return file->compressed_size_bytes == 0 && !file->is_stream;
}

/*
 * [shown, seconds, nanoseconds, host or 0 for this one, 1 for an own file, and the path in
 * hexadecimal where it is not shown as it is]
 */
static int write_file(FILE *out, const struct find_file *file, struct simhash_error *error)
{
	struct bytes shown = find_file_display(file);
	int64_t ns = file->mtime_ns % NS_PER_S;
	size_t size;
	char *text = escape_text(shown, &size);

	if (text == NULL)
		return error_set_memory(error);
	ns += ns < 0 ? NS_PER_S : 0;
	fputc('[', out);
	html_write_text(out, (struct bytes){text, size});
	free(text);
	fprintf(out, ",%" PRId64 ",%" PRId64 ",", (file->mtime_ns - ns) / NS_PER_S, ns);
	if (file->path_offset == 0)
		fputc('0', out);
	else if (html_write_path(out, (struct bytes){shown.data, file->path_offset - 1u}, error) !=
		 0)
		return -1;
	fprintf(out, ",%d", is_own_file(file));
	/* Every escape is longer than what it stands for. */
	if (size != shown.size) {
		fputc(',', out);
		html_write_hex(out, find_file_path(file), shown.size - file->path_offset);
	}
	fputc(']', out);
	return 0;
}

/* ---- A group ---- */

/* [label, resemblance, distance, kind, size, hash, counts, difference, picture, files]; left open */
static int begin_content(FILE *out, const struct group *group, const struct group_member *member,
			 struct excerpts *excerpts, struct simhash_error *error)
{
	const struct find_file *file = member->file;
	bool has_number = has_resemblance(&member->relation);
	char label[LABEL_SIZE];

	fputc('[', out);
	html_write_text(out, bytes_of(member_label(group, member, label)));
	fprintf(out, ",%.6g,%" PRIu64 ",%d,%" PRId64 ",",
		has_number ? member->relation.resemblance : NOT_KNOWN, member->relation.distance,
		kind_of(group, member), file->size_bytes);
	html_write_hex(out, file->content_hash, CONTENT_HASH_SIZE);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		fprintf(out, "%s%" PRIu64, t == 0 ? ",[" : ",", file->table.count[t]);
	fputs("],", out);
	if (member->role == ROLE_REPRESENTATIVE)
		fprintf(out, "%d", EXCERPT_OF_FIRST);
	else if (excerpt_write(excerpts, out, file, error) != 0)
		return -1;
	fputc(',', out);
	if (excerpt_write_picture(excerpts, out, file, error) != 0)
		return -1;
	fputs(",[", out);
	return 0;
}

/* [id, bytes, bytes of copies, contents and then its versions; left open */
static int write_group(FILE *out, const struct group *group, const struct group_member *members,
		       struct excerpts *excerpts, struct simhash_error *error)
{
	const struct find_file *content = NULL;

	fprintf(out, "\n[\"%016" PRIx64 "\",%" PRId64 ",%" PRId64 ",[", group->id, group->bytes,
		group->copied_bytes);
	excerpts_begin_group(excerpts, group->representative);
	for (size_t m = 0; m < group->count; m++) {
		const struct find_file *file = members[m].file;
		bool is_copy = m > 0 && members[m].role == ROLE_COPY &&
			       has_same_content(content, file);
		fputs(m == 0 ? "" : is_copy ? "," : "]],", out);
		if (!is_copy && begin_content(out, group, &members[m], excerpts, error) != 0)
			return -1;
		content = file;
		if (write_file(out, file, error) != 0)
			return -1;
	}
	fputs("]]]", out);
	return 0;
}

/*
 * The tree of versions, each after its parent: [parent's number or -1, depth, how much in common,
 * confidence in percent, reasons, hash]
 */
static int write_lineage(FILE *out, const struct group *group, const struct group_member *members,
			 struct simhash_error *error)
{
	char label[LABEL_SIZE], reasons[REASONS_SIZE];
	struct lineage lineage;

	if (lineage_make(group, members, &lineage, error) != 0)
		return -1;
	for (size_t v = 0; lineage.count > 1 && v < lineage.count; v++) {
		const struct lineage_version *version = &lineage.versions[v];
		bool is_first = version->parent == NO_PARENT;
		fprintf(out, ",[%" PRId64 ",%u,", is_first ? -1 : (int64_t)version->parent,
			version->depth);
		html_write_text(out, bytes_of(is_first ? "" : pair_label(&version->pair, label)));
		fprintf(out, ",%u,", is_first ? 0 : lineage_percent(version));
		html_write_text(out, bytes_of(is_first ? "" : lineage_reasons(version, reasons)));
		fputc(',', out);
		html_write_hex(out, version->files[0]->content_hash, CONTENT_HASH_SIZE);
		fputc(']', out);
	}
	lineage_release(&lineage);
	return 0;
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
		status = write_group(out, group, cursor.members, excerpts, error);
		if (status == 0 && report->with_lineage)
			status = write_lineage(out, group, cursor.members, error);
		fputc(']', out);
	}
	group_cursor_release(&cursor);
	fprintf(out, "],\"left_out\":%zu,\"limit\":%" PRIu64 ",\"sort\":%d,\"reverse\":%s",
		left_out, report->order->limit, report->order->by,
		report->order->reverse ? "true" : "false");
	return status;
}

int html_write_groups(FILE *out, const struct report *report, struct simhash_error *error)
{
	const struct simhash_tolerance *tolerance = &report->rule->tolerance;
	struct totals totals = {.groups = 0};
	struct excerpts excerpts;
	int status;

	if (count_groups(&totals, report->groups,
			 (double)tolerance->percent_millionths / SIMHASH_MILLION, error) != 0)
		return -1;
	write_totals(out, &totals);
	excerpts_init(&excerpts, report);
	status = write_list(out, report, &excerpts, error);
	excerpts_release(&excerpts);
	return status;
}
