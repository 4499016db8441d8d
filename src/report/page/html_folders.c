/*
 * Writes the report of directories. The files of each pair are a separate element, which the page
 * reads when the pair is opened.
 * SPDX-License-Identifier: MIT
 */
#include "report/page/html_folders.h"

#include <inttypes.h>

#include "base/basic/bytes.h"
#include "report/folders/folders.h"
#include "report/page/html_text.h"

/* src/report/page/directories.html */
extern const char directories_template[];

/* {"path", "bytes", "shared", "files", "same", "changed", "archive"} */
static int write_side(FILE *out, const char *name, const struct folder_share *share,
		      bool in_archive, struct simhash_error *error)
{
	fputs("{\"path\":", out);
	if (html_write_path(out, bytes_of(name), error) != 0)
		return -1;
	fprintf(out,
		",\"bytes\":%" PRId64 ",\"shared\":%" PRId64 ",\"files\":%" PRIu64
		",\"same\":%" PRIu64 ",\"changed\":%" PRIu64 ",\"archive\":%s}",
		share->bytes, share->shared_bytes, share->files, share->same, share->changed,
		in_archive ? "true" : "false");
	return 0;
}

static int write_pair(FILE *out, const struct folder_report *report, size_t number,
		      struct simhash_error *error)
{
	const struct folder_comparison *comparison = &report->comparisons[number];
	const struct folder_pair *pair = &comparison->pair;

	fprintf(out, "%s\n{\"kind\":\"%s\",\"saves\":%" PRId64 ",\"detailed\":%s,\"a\":",
		number == 0 ? "" : ",", folder_kind_name(pair->kind), pair->saved_bytes,
		comparison->is_left_out ? "false" : "true");
	if (write_side(out, report->names[2 * number], &pair->a, pair->a_in_archive, error) != 0)
		return -1;
	fputs(",\"b\":", out);
	if (write_side(out, report->names[2 * number + 1], &pair->b, pair->b_in_archive, error) !=
	    0)
		return -1;
	fputc('}', out);
	return 0;
}

/*
 * [fate, resemblance in percent or null, size in a, size in b, path in a or 0, path in b, or 0 for the
 * same as in a]; of a file that has no counterpart but is like another one also the path of that.
 */
static int write_file(FILE *out, const struct folder_file *file, struct simhash_error *error)
{
	bool has_a = file->path_a.size > 0, has_b = file->path_b.size > 0;
	bool is_moved = has_b && (!has_a || bytes_compare(file->path_a, file->path_b) != 0);
	unsigned percent = file->resemblance < 0 ? 0 : (unsigned)(100 * file->resemblance);
	bool is_copy = file->fate == FATE_SAME || file->fate == FATE_MOVED || file->is_copy;

	fprintf(out, "[%d,", (int)file->fate);
	if (file->resemblance < 0)
		fputs("null", out);
	else
		fprintf(out, "%u", percent > 99 && !is_copy ? 99 : percent);
	fprintf(out, ",%" PRId64 ",%" PRId64 ",", file->size_a_bytes, file->size_b_bytes);
	if (!has_a)
		fputc('0', out);
	else if (html_write_path(out, file->path_a, error) != 0)
		return -1;
	fputc(',', out);
	if (!is_moved)
		fputc('0', out);
	else if (html_write_path(out, file->path_b, error) != 0)
		return -1;
	if (file->like.size > 0) {
		fputc(',', out);
		if (html_write_path(out, file->like, error) != 0)
			return -1;
	}
	fputc(']', out);
	return 0;
}

static int write_files(FILE *out, const struct folder_comparison *comparison, size_t number,
		       struct simhash_error *error)
{
	fprintf(out, "<script type=\"application/json\" id=\"files-%zu\">[", number);
	for (size_t i = 0; i < comparison->count; i++) {
		fputs(i == 0 ? "\n" : ",\n", out);
		if (write_file(out, &comparison->files[i], error) != 0)
			return -1;
	}
	fputs("]</script>\n", out);
	return 0;
}

int folder_report_write(FILE *out, const struct folder_report *report, struct simhash_error *error)
{
	const char *rest = page_begin(out, directories_template);

	fputs("<script type=\"application/json\" id=\"data\">{", out);
	if (page_write_origin(out, &report->origin, error) != 0)
		return -1;
	fprintf(out,
		",\"found\":%" PRIu64 ",\"folders\":%" PRIu64 ",\"files\":%" PRIu64 ",\"pairs\":[",
		report->pairs, report->folders, report->files);
	for (size_t i = 0; i < report->count; i++)
		if (write_pair(out, report, i, error) != 0)
			return -1;
	fputs("]}</script>\n", out);
	for (size_t i = 0; i < report->count; i++)
		if (!report->comparisons[i].is_left_out &&
		    write_files(out, &report->comparisons[i], i, error) != 0)
			return -1;
	page_end(out, rest);
	return 0;
}
