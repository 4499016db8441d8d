/*
 * Writes the report of folders. The files of each pair are in a separate element, which the page
 * reads when the pair is opened.
 * SPDX-License-Identifier: MIT
 */
#include "report/page/html_folders.h"

#include "base/basic/bytes.h"
#include "base/text/record.h"
#include "report/folders/folders.h"

/* src/report/page/directories.html */
extern const char directories_template[];

static void write_pair(FILE *out, const struct folder_report *report, size_t number)
{
	const struct folder_comparison *comparison = &report->comparisons[number];
	const struct bytes names[2] = {bytes_of(report->names[2 * number]),
				       bytes_of(report->names[2 * number + 1])};

	fputs(number == 0 ? "\n{" : ",\n{", out);
	folder_pair_members(out, RECORD_PAGE, &comparison->pair, names);
	fputs(comparison->is_left_out ? "}" : ",\"detailed\":true}", out);
}

/* Return the percentage that the page shows: only copies have 100 %. */
static int64_t percent_of(const struct folder_file *file)
{
	bool is_copy = file->fate == FATE_SAME || file->fate == FATE_MOVED || file->is_copy;
	double share = file->part_of > 0    ? file->part_of
		       : file->contains > 0 ? file->contains
					    : file->resemblance;
	int64_t percent = (int64_t)(100 * share);

	return share < 0 ? NO_NUMBER : percent > 99 && !is_copy ? 99 : percent;
}

static void write_file(FILE *out, const struct folder_file *file)
{
	static const struct record_style as_row = {.format = RECORD_ROW};
	static const struct bytes none = {"", 0};
	bool has_a = file->path_a.size > 0, has_b = file->path_b.size > 0;
	bool is_moved = has_b && (!has_a || bytes_compare(file->path_a, file->path_b) != 0);
	const struct field fields[] = {
		FIELD_UNSIGNED(IN_PAGE, "fate", file->fate),
		FIELD_SIGNED(IN_PAGE | OR_NULL, "percent", percent_of(file)),
		FIELD_SIGNED(IN_PAGE, "size_a", file->size_a_bytes),
		FIELD_SIGNED(IN_PAGE, "size_b", file->size_b_bytes),
		FIELD_TEXT(IN_PAGE, "path_a", has_a ? file->path_a : none),
		/* Empty if path_b is equal to path_a or does not exist. */
		FIELD_TEXT(IN_PAGE, "path_b", is_moved ? file->path_b : none),
		FIELD_TEXT(IN_PAGE, "like",
			   file->like.size > 0			     ? file->like
			   : file->part_of > 0 || file->contains > 0 ? none
								     : NO_TEXT),
		FIELD_TEXT(IN_PAGE, "relation",
			   file->part_of > 0	? bytes_of("part of")
			   : file->contains > 0 ? bytes_of("contains")
						: NO_TEXT),
		FIELDS_END,
	};

	record_write(out, &as_row, fields);
}

static void write_files(FILE *out, const struct folder_comparison *comparison, size_t number)
{
	fprintf(out, "<script type=\"application/json\" id=\"files-%zu\">[", number);
	for (size_t i = 0; i < comparison->count; i++) {
		fputs(i == 0 ? "\n" : ",\n", out);
		write_file(out, &comparison->files[i]);
	}
	fputs("]</script>\n", out);
}

void folder_report_write(FILE *out, const struct folder_report *report)
{
	const char *rest = page_begin(out, directories_template);
	const struct field fields[] = {
		FIELD_UNSIGNED(IN_PAGE, "found", report->pairs),
		FIELD_UNSIGNED(IN_PAGE, "folders", report->folders),
		FIELD_UNSIGNED(IN_PAGE, "files", report->files),
		FIELDS_END,
	};

	fputs("<script type=\"application/json\" id=\"data\">{", out);
	page_write_origin(out, &report->origin);
	fputc(',', out);
	record_write_members(out, RECORD_PAGE, fields);
	fputs(",\"pairs\":[", out);
	for (size_t i = 0; i < report->count; i++)
		write_pair(out, report, i);
	fputs("]}</script>\n", out);
	for (size_t i = 0; i < report->count; i++)
		if (!report->comparisons[i].is_left_out)
			write_files(out, &report->comparisons[i], i);
	page_end(out, rest);
}
