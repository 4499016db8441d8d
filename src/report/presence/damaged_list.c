/*
 * Writes damaged files.
 * SPDX-License-Identifier: MIT
 */
#include "report/presence/damaged_list.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/decimal.h"
#include "base/text/escape.h"
#include "base/text/record.h"
#include "report/lists/marked.h"

#define SIZE_COLUMNS 9
#define INDENT "           "
#define COPIES_SHOWN 3

/* ---- Text ---- */

static void write_time(FILE *out, int64_t time_ns)
{
	time_t seconds = (time_t)(time_ns / NS_PER_S);
	struct tm local;
	char text[32];

	if (localtime_r(&seconds, &local) == NULL ||
	    strftime(text, sizeof text, "%Y-%m-%d", &local) == 0)
		snprintf(text, sizeof text, "an unknown time");
	fputs(text, out);
}

static void write_state(FILE *out, const struct damage *damage)
{
	fputs(damage->is_unreadable  ? "unreadable after "
	      : damage->status_moved ? "its bytes changed, its time did not, after "
				     : "damaged after ",
	      out);
	write_time(out, damage->verified_at_ns);
}

static void write_places(FILE *out, const struct damage *damage)
{
	char different[32], first[32];

	if (damage->different_bytes == 0)
		fputs(", but a second reading was right", out);
	else if (damage->different_bytes > 0)
		fprintf(out, ": %s byte%s from byte %s",
			format_count((uint64_t)damage->different_bytes, different),
			damage->different_bytes == 1 ? "" : "s",
			format_count((uint64_t)damage->first_byte, first));
	else if (damage->is_unreadable && damage->first_byte >= 0)
		fprintf(out, ": from byte %s", format_count((uint64_t)damage->first_byte, first));
}

/* Write what else is known about the content that was found. Returns false if nothing is known. */
static bool write_found(FILE *out, const struct damaged_item *item)
{
	const struct damage *damage = &item->damage;
	bool has_size = !damage->is_unreadable && damage->found_size_bytes != item->size_bytes;
	bool is_estimated = damage->resemblance_ppm != DAMAGE_UNKNOWN;
	bool is_near = damage->resemblance_ppm >= 995000;
	char size[32];

	if (has_size)
		fprintf(out, "its size is %s%s",
			format_bytes((double)damage->found_size_bytes, size),
			is_estimated ? "; " : "");
	if (is_estimated)
		fprintf(out, "%s%.0f %% like the right content", is_near ? "over " : "about ",
			is_near ? 99 : (double)damage->resemblance_ppm / 1e4);
	return has_size || is_estimated;
}

/* Write a text of one line that a stream has collected. It has marks. */
static int write_line(struct listing *listing, const struct layout *layout, FILE *out, char **text,
		      size_t *size, struct simhash_error *error)
{
	if (close_text(out, text) != 0)
		return error_set_memory(error);
	if (listing->how.has_marks)
		write_marked(listing->file, (struct bytes){*text, *size}, layout);
	else
		fwrite(*text, 1, *size, listing->file);
	fputc('\n', listing->file);
	free(*text);
	return 0;
}

/* Write a text before a path, and the path unless it is NULL. */
static int write_path(struct listing *listing, const struct layout *layout, const char *before,
		      const char *path, struct simhash_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return error_set_memory(error);
	fputs(before, out);
	if (listing->how.has_marks && path != NULL)
		fputc(PATH_MARK, out);
	if (path != NULL)
		write_escaped(out, bytes_of(path));
	return write_line(listing, layout, out, &text, &size, error);
}

static int write_copies(struct listing *listing, const struct layout *layout,
			const struct damaged_item *item, struct simhash_error *error)
{
	size_t shown = item->name_count < COPIES_SHOWN ? item->name_count : COPIES_SHOWN;
	char more[80], count[32];

	for (size_t i = 0; i < shown; i++)
		if (write_path(listing, layout, INDENT "intact: ", item->names[i], error) != 0)
			return -1;
	if (shown == 0)
		return write_path(listing, layout, INDENT "no intact copy is known", NULL, error);
	if (item->copies == shown)
		return 0;
	snprintf(more, sizeof more, INDENT "and %s more",
		 format_count(item->copies - shown, count));
	return write_path(listing, layout, more, NULL, error);
}

/* Write a line with the state, or with `found` what else is known, if anything. */
static int write_damage(struct listing *listing, const struct layout *layout,
			const struct damaged_item *item, bool found, struct simhash_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return error_set_memory(error);
	fputs(INDENT, out);
	if (!found) {
		write_state(out, &item->damage);
		write_places(out, &item->damage);
	} else if (!write_found(out, item)) {
		fclose(out);
		free(text);
		return 0;
	}
	return write_line(listing, layout, out, &text, &size, error);
}

static int write_item(struct listing *listing, const struct layout *layout,
		      const struct damaged_item *item, struct simhash_error *error)
{
	char head[64], bytes[32];

	snprintf(head, sizeof head, "%*s  ", SIZE_COLUMNS,
		 format_bytes((double)item->size_bytes, bytes));
	if (write_path(listing, layout, head, item->display.data, error) != 0 ||
	    write_damage(listing, layout, item, false, error) != 0 ||
	    write_damage(listing, layout, item, true, error) != 0)
		return -1;
	return write_copies(listing, layout, item, error);
}

/* The directory of all damaged files. */
static struct bytes common_directory(const struct damaged_list *found)
{
	struct bytes common = path_above(found->items[0].display);

	for (size_t i = 1; i < found->count; i++)
		path_widen(&common, path_above(found->items[i].display));
	return common;
}

static int write_text(struct listing *listing, const struct damaged_list *found, size_t count,
		      struct simhash_error *error)
{
	struct layout layout = {.columns = listing->how.columns, .folds = true};
	int status = 0;

	if (found->count > 0 && listing->how.has_marks) {
		layout.prefix = paths_prefix(common_directory(found));
		write_prefix(listing->file, &layout);
	}
	for (size_t i = 0; status == 0 && i < count; i++)
		status = write_item(listing, &layout, &found->items[i], error);
	free((char *)(uintptr_t)layout.prefix.data);
	return status;
}

/* ---- Records ---- */

static int64_t known(int64_t number)
{
	return number == DAMAGE_UNKNOWN ? NO_NUMBER : number;
}

static void write_record(FILE *out, const struct record_style *style,
			 const struct damaged_item *item)
{
	const struct damage *damage = &item->damage;
	double resemblance = damage->resemblance_ppm == DAMAGE_UNKNOWN
				     ? (double)NAN
				     : (double)damage->resemblance_ppm / 1e6;
	const struct field fields[] = {
		FIELD_WORD(IN_LISTS, "state",
			   damage->is_unreadable  ? "unreadable"
			   : damage->status_moved ? "time restored"
						  : "damaged"),
		FIELD_SIGNED(IN_LISTS, "size", item->size_bytes),
		FIELD_SIGNED(IN_LISTS, "found_size", damage->found_size_bytes),
		FIELD_TIME(IN_LISTS, "modified", item->mtime_ns),
		FIELD_TIME(IN_LISTS, "verified", damage->verified_at_ns),
		FIELD_TIME(IN_LISTS, "found", damage->found_at_ns),
		FIELD_SIGNED(IN_LISTS, "different_bytes", known(damage->different_bytes)),
		FIELD_SIGNED(IN_LISTS, "compared_bytes", known(damage->compared_bytes)),
		FIELD_SIGNED(IN_LISTS, "first_byte", known(damage->first_byte)),
		FIELD_SIGNED(IN_LISTS, "last_byte", known(damage->last_byte)),
		FIELD_SHARE(IN_LISTS, "resemblance", resemblance),
		FIELD_UNSIGNED(IN_LISTS, "copies", item->copies),
		FIELD_TEXT(IN_ALL, "path", item->display),
		FIELD_TEXT(IN_CSV, "intact",
			   item->name_count > 0 ? bytes_of(item->names[0]) : NO_TEXT),
		FIELD_TEXTS(IN_JSON, "intact", item->names, item->name_count),
		FIELDS_END,
	};

	record_write(out, style, fields);
}

static void heading(FILE *out)
{
	static const struct record_style style = {.format = RECORD_HEADING};
	static const struct damaged_item none;

	write_record(out, &style, &none);
}

static void write_records(struct listing *listing, const struct damaged_list *found, size_t count)
{
	const struct record_style *style = &listing->how.records;
	const struct frame frame = record_frame(style->format, heading);

	frame_begin(listing->file, &frame);
	for (size_t i = 0; i < count; i++) {
		frame_next(listing->file, &frame, i);
		write_record(listing->file, style, &found->items[i]);
	}
	frame_end(listing->file, &frame, count);
}

int listing_write_damaged(struct listing *listing, const struct damaged_list *found, uint64_t limit,
			  struct simhash_error *error)
{
	size_t count = limit > 0 && limit < found->count ? (size_t)limit : found->count;

	if (!listing->formatter->is_text)
		write_records(listing, found, count);
	else if (write_text(listing, found, count, error) != 0)
		return -1;
	listing->written = count;
	listing->left_out = found->count - count;
	return listing_check(listing, error);
}
