/*
 * Writes covers: each known file with the ranges that it has, and then the rest.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/cover_list.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/text/decimal.h"
#include "base/text/escape.h"
#include "base/text/record.h"

#define RANGES_SHOWN 3

bool formats_covers(const struct formatter *formatter)
{
	return formatter->is_text || formatter->format == RECORD_CSV ||
	       formatter->format == RECORD_JSON || formatter->format == RECORD_LINES;
}

/* ---- Text ---- */

static void write_amount(FILE *out, int64_t bytes, int64_t all)
{
	char text[32];

	fprintf(out, "%9s  %5.1f %%  ", format_bytes((double)bytes, text),
		bytes == all ? 100 : 100 * (double)bytes / (double)all);
}

/* Write the first ranges. */
static void write_ranges(FILE *out, const struct cover_range *ranges, size_t count)
{
	char begin[32], end[32], more[32];

	fputs(": bytes ", out);
	for (size_t i = 0; i < count && i < RANGES_SHOWN; i++)
		fprintf(out, "%s%s to %s", i > 0 ? "; " : "",
			format_count((uint64_t)ranges[i].begin, begin),
			format_count((uint64_t)ranges[i].end, end));
	if (count > RANGES_SHOWN)
		fprintf(out, "; %s more", format_count(count - RANGES_SHOWN, more));
}

static void write_part(FILE *out, const struct cover_part *part, int64_t all)
{
	write_amount(out, part->added, all);
	write_escaped(out, find_file_display(&part->file));
	if (part->share < 0.95)
		fprintf(out, " (%.0f %% of it)", 100 * part->share);
	write_ranges(out, part->ranges, part->range_count);
	fputc('\n', out);
}

static void write_text(FILE *out, struct bytes name, const struct file_cover *cover,
		       uint64_t number)
{
	int64_t unknown = cover->size_bytes - cover->covered_bytes - cover->blank_bytes;
	char count[32];

	if (number > 0)
		fputc('\n', out);
	write_amount(out, cover->size_bytes, cover->size_bytes);
	write_escaped(out, name);
	fprintf(out, ": %s known file%s\n",
		cover->count == 0 ? "no" : format_count(cover->count, count),
		cover->count == 1 ? "" : "s");
	for (size_t i = 0; i < cover->count; i++)
		write_part(out, &cover->parts[i], cover->size_bytes);
	if (cover->blank_bytes > 0) {
		write_amount(out, cover->blank_bytes, cover->size_bytes);
		fputs("(one repeated byte, such as zero)\n", out);
	}
	if (unknown > 0) {
		write_amount(out, unknown, cover->size_bytes);
		fputs("(in no known file)", out);
		write_ranges(out, cover->gaps, cover->gap_count);
		fputc('\n', out);
	}
}

/* ---- Records ---- */

static void write_pairs(FILE *out, const char *key, const struct cover_range *ranges, size_t count)
{
	fprintf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s[%" PRId64 ",%" PRId64 "]", i > 0 ? "," : "", ranges[i].begin,
			ranges[i].end);
	fputc(']', out);
}

static void write_object(FILE *out, struct bytes name, const struct file_cover *cover)
{
	const struct field fields[] = {
		FIELD_SIGNED(IN_JSON, "covered_bytes", cover->covered_bytes),
		FIELD_SIGNED(IN_JSON, "blank_bytes", cover->blank_bytes),
		FIELD_SIGNED(IN_JSON, "size", cover->size_bytes),
		FIELD_TEXT(IN_JSON, "path", name),
		FIELDS_END,
	};

	fputc('{', out);
	record_write_members(out, RECORD_JSON, fields);
	fputs(",\"parts\":[", out);
	for (size_t i = 0; i < cover->count; i++) {
		const struct cover_part *part = &cover->parts[i];
		const struct field members[] = {
			FIELD_TEXT(IN_JSON, "path", find_file_display(&part->file)),
			FIELD_SIGNED(IN_JSON, "size", find_file_bytes(&part->file)),
			FIELD_SHARE(IN_JSON, "share", part->share),
			FIELD_SIGNED(IN_JSON, "bytes", part->bytes),
			FIELD_SIGNED(IN_JSON, "added_bytes", part->added),
			FIELDS_END,
		};
		fputs(i > 0 ? ",{" : "{", out);
		record_write_members(out, RECORD_JSON, members);
		write_pairs(out, "ranges", part->ranges, part->range_count);
		fputc('}', out);
	}
	fputc(']', out);
	write_pairs(out, "unknown", cover->gaps, cover->gap_count);
	fputc('}', out);
}

/* A line for each range; `part` is NULL for a range that no known file has. */
static void write_line(FILE *out, const struct record_style *style, struct bytes name,
		       const struct cover_range *range, const struct cover_part *part)
{
	const struct field fields[] = {
		FIELD_TEXT(IN_CSV, "path", name),
		FIELD_SIGNED(IN_CSV, "begin", range->begin),
		FIELD_SIGNED(IN_CSV, "end", range->end),
		FIELD_SIGNED(IN_CSV, "part_size",
			     part == NULL ? NO_NUMBER : find_file_bytes(&part->file)),
		FIELD_SIGNED(IN_CSV, "added_bytes", part == NULL ? NO_NUMBER : part->added),
		FIELD_TEXT(IN_CSV, "part_path",
			   part == NULL ? NO_TEXT : find_file_display(&part->file)),
		FIELDS_END,
	};

	record_write(out, style, fields);
}

static void write_lines(FILE *out, const struct record_style *style, struct bytes name,
			const struct file_cover *cover)
{
	for (size_t i = 0; i < cover->count; i++)
		for (size_t k = 0; k < cover->parts[i].range_count; k++)
			write_line(out, style, name, &cover->parts[i].ranges[k], &cover->parts[i]);
	for (size_t i = 0; i < cover->gap_count; i++)
		write_line(out, style, name, &cover->gaps[i], NULL);
}

static void heading(FILE *out)
{
	static const struct record_style style = {.format = RECORD_HEADING};
	static const struct cover_range none;

	write_line(out, &style, NO_TEXT, &none, NULL);
}

/* ---- Covers ---- */

static struct frame frame_of(const struct listing *listing)
{
	return record_frame(listing->how.records.format, heading);
}

void listing_begin_covers(struct listing *listing)
{
	const struct frame frame = frame_of(listing);

	frame_begin(listing->file, &frame);
}

int listing_write_cover(struct listing *listing, struct bytes name, const struct file_cover *cover,
			uint64_t number, struct simhash_error *error)
{
	const struct record_style *style = &listing->how.records;
	const struct frame frame = frame_of(listing);
	FILE *out = listing->file;

	frame_next(out, &frame, number);
	if (style->format == RECORD_NONE)
		write_text(out, name, cover, number);
	else if (style->format == RECORD_CSV)
		write_lines(out, style, name, cover);
	else
		write_object(out, name, cover);
	if (style->format == RECORD_LINES)
		fputc('\n', out);
	return listing_check(listing, error);
}

int listing_end_covers(struct listing *listing, uint64_t count, struct simhash_error *error)
{
	const struct frame frame = frame_of(listing);

	frame_end(listing->file, &frame, count);
	return listing_check(listing, error);
}
