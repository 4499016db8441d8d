/*
 * Writes files and folders that are missing elsewhere.
 * SPDX-License-Identifier: MIT
 */
#include "report/presence/presence_list.h"

#include <math.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/basic/sizes.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/decimal.h"
#include "base/text/escape.h"
#include "base/text/record.h"
#include "report/lists/marked.h"

#define SIZE_COLUMNS 9
/* Below the line of a folder, its files with a similar file elsewhere are shown if they are few. */
#define RELATIVES_SHOWN 8

bool formats_presence(const struct formatter *formatter)
{
	return formatter->is_text || formatter->format == RECORD_CSV ||
	       formatter->format == RECORD_JSON || formatter->format == RECORD_LINES ||
	       formatter->format == RECORD_NULL;
}

static const char *const state_names[PRESENCE_STATES] = {
	"elsewhere", "in archives", "missing", "not indexed", "changed", "unreadable"};

/* ---- Text ---- */

/* The items of one line: one file, or all files of a folder. */
struct presence_line {
	const struct presence_item *items;
	size_t count;
	struct bytes display;
	int64_t bytes;
	uint64_t states[PRESENCE_STATES], relatives;
};

static bool is_in_folder(const struct presence_item *item, const struct presence_item *first)
{
	return item->folder_size == first->folder_size &&
	       bytes_compare((struct bytes){item->display.data, item->folder_size},
			     (struct bytes){first->display.data, first->folder_size}) == 0;
}

/* Gather the items of the line that begins with an item. */
static struct presence_line line_at(const struct presence *found, size_t at)
{
	const struct presence_item *first = &found->items[at];
	struct presence_line line = {.items = first, .display = first->display};

	if (first->folder_size > 0)
		line.display.size = first->folder_size;
	do {
		const struct presence_item *item = &first[line.count++];
		add_size(&line.bytes, item->size_bytes);
		line.states[item->state]++;
		line.relatives += item->relative.size > 0;
	} while (first->folder_size > 0 && at + line.count < found->count &&
		 is_in_folder(&first[line.count], first));
	return line;
}

/* How lines are written. */
struct line_view {
	struct listing *listing;
	struct layout layout;
	bool with_copies;
};

static void write_path(FILE *out, const struct line_view *view, struct bytes path)
{
	if (view->listing->how.has_marks)
		fputc(PATH_MARK, out);
	write_escaped(out, path);
}

static void write_relation(FILE *out, const struct line_view *view,
			   const struct presence_item *item)
{
	const struct find_file none = {.size_bytes = 1};
	const struct file_pair pair = {.a = &none, .b = &none, .relation = item->relation};
	char label[LABEL_SIZE];

	if (view->listing->how.has_marks)
		fputc(WIDTH_MARK, out);
	fprintf(out, "  %s: ", pair_label(&pair, label));
	write_path(out, view, item->relative);
}

/* Write what else is known about one file. */
static void write_file(FILE *out, const struct line_view *view, const struct presence_item *item)
{
	char count[32];

	if (item->state == CONTENT_UNREADABLE)
		fprintf(out, "  cannot be read: %s", item->why);
	else if (item->state > CONTENT_MISSING)
		fprintf(out, "  %s",
			item->state == CONTENT_CHANGED ? "changed since it was indexed"
						       : "not indexed");
	else if (item->relative.size > 0)
		write_relation(out, view, item);
	else if (view->with_copies)
		fprintf(out, "  on %s file system%s", format_count(item->copies, count),
			item->copies == 1 ? "" : "s");
}

static void write_folder(FILE *out, const struct presence_line *line)
{
	char count[32];

	fprintf(out, "/  %s files", format_count(line->count, count));
	if (line->states[CONTENT_NOT_INDEXED] > 0)
		fprintf(out, ", %s not indexed",
			format_count(line->states[CONTENT_NOT_INDEXED], count));
	if (line->states[CONTENT_CHANGED] > 0)
		fprintf(out, ", %s changed", format_count(line->states[CONTENT_CHANGED], count));
	if (line->relatives > RELATIVES_SHOWN)
		fprintf(out, ", %s similar to files elsewhere",
			format_count(line->relatives, count));
}

/* Write one line: a folder with all its files if `line` is not NULL, or a file. */
static int write_line(const struct line_view *view, const struct presence_item *item,
		      const struct presence_line *line, struct simhash_error *error)
{
	struct listing *listing = view->listing;
	int64_t all = line != NULL ? line->bytes : item->size_bytes;
	char bytes[32], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return error_set_memory(error);
	fprintf(out, "%*s  ", SIZE_COLUMNS,
		item->state == CONTENT_UNREADABLE ? "-" : format_bytes((double)all, bytes));
	write_path(out, view, line != NULL ? line->display : item->display);
	if (line != NULL)
		write_folder(out, line);
	else
		write_file(out, view, item);
	if (close_text(out, &text) != 0)
		return error_set_memory(error);
	if (listing->how.has_marks)
		write_marked(listing->file, (struct bytes){text, size}, &view->layout);
	else
		fwrite(text, 1, size, listing->file);
	fputc('\n', listing->file);
	free(text);
	return 0;
}

static int write_lines(const struct line_view *view, const struct presence_line *line,
		       struct simhash_error *error)
{
	bool is_folder = line->items->folder_size > 0;
	bool shows_relatives = line->relatives <= RELATIVES_SHOWN;

	if (write_line(view, line->items, is_folder ? line : NULL, error) != 0)
		return -1;
	for (size_t i = 0; is_folder && shows_relatives && i < line->count; i++)
		if (line->items[i].relative.size > 0 &&
		    write_line(view, &line->items[i], NULL, error) != 0)
			return -1;
	return 0;
}

/* The directory of all lines. It is above a folder that is a line, so that the line has its name. */
static struct bytes common_directory(const struct presence *found)
{
	struct bytes common = path_above(line_at(found, 0).display);

	for (size_t i = 0; i < found->count;) {
		const struct presence_line line = line_at(found, i);
		path_widen(&common, path_above(line.display));
		i += line.count;
	}
	return common;
}

/* Do not all files have the same number of copies? The summary shows a common number. */
static bool copies_differ(const struct presence *found)
{
	for (size_t i = 1; i < found->count; i++)
		if (found->items[i].copies != found->items[0].copies)
			return true;
	return false;
}

static int write_text(struct listing *listing, const struct presence *found, uint64_t limit,
		      bool with_copies, struct simhash_error *error)
{
	struct line_view view = {.listing = listing,
				 .layout = {.columns = listing->how.columns, .folds = true},
				 .with_copies = with_copies && copies_differ(found)};
	int status = 0;

	if (found->count > 0 && listing->how.has_marks) {
		view.layout.prefix = paths_prefix(common_directory(found));
		write_prefix(listing->file, &view.layout);
	}
	for (size_t i = 0; status == 0 && i < found->count;) {
		const struct presence_line line = line_at(found, i);
		i += line.count;
		if (limit > 0 && listing->written == limit) {
			listing->left_out++;
			continue;
		}
		status = write_lines(&view, &line, error);
		listing->written++;
	}
	free((char *)(uintptr_t)view.layout.prefix.data);
	return status;
}

/* ---- Records ---- */

static void write_record(FILE *out, const struct record_style *style,
			 const struct presence_item *item, bool with_copies)
{
	const struct relation *relation = &item->relation;
	bool has_relative = item->relative.size > 0;
	struct bytes folder = {item->display.data, item->folder_size};
	const struct field fields[] = {
		FIELD_WORD(IN_LISTS, "state", with_copies ? NULL : state_names[item->state]),
		FIELD_SIGNED(IN_LISTS, "copies", with_copies ? (int64_t)item->copies : NO_NUMBER),
		FIELD_SIGNED(IN_LISTS, "size",
			     item->state == CONTENT_UNREADABLE ? NO_NUMBER : item->size_bytes),
		FIELD_TIME(IN_LISTS, "modified",
			   item->state == CONTENT_UNREADABLE ? NO_NUMBER : item->mtime_ns),
		FIELD_SHARE(IN_LISTS, "resemblance",
			    has_relative ? shown_resemblance(relation, false) : (double)NAN),
		FIELD_SHARE(IN_LISTS, "contained",
			    has_relative ? shown_containment(relation, relation->contained_a)
					 : (double)NAN),
		FIELD_TEXT(IN_ALL, "path", item->display),
		FIELD_TEXT(IN_LISTS, "folder", folder.size > 0 ? folder : NO_TEXT),
		FIELD_TEXT(IN_LISTS, "relative", has_relative ? item->relative : NO_TEXT),
		FIELD_TEXT(IN_LISTS, "why", item->why == NULL ? NO_TEXT : bytes_of(item->why)),
		FIELDS_END,
	};

	record_write(out, style, fields);
}

static void heading(FILE *out)
{
	static const struct record_style style = {.format = RECORD_HEADING};
	static const struct presence_item none;

	write_record(out, &style, &none, false);
}

static void write_records(struct listing *listing, const struct presence *found, uint64_t limit,
			  bool with_copies)
{
	const struct record_style *style = &listing->how.records;
	const struct frame frame = record_frame(style->format, heading);
	size_t count = limit > 0 && limit < found->count ? (size_t)limit : found->count;

	frame_begin(listing->file, &frame);
	for (size_t i = 0; i < count; i++) {
		frame_next(listing->file, &frame, i);
		write_record(listing->file, style, &found->items[i], with_copies);
	}
	frame_end(listing->file, &frame, count);
	listing->written = count;
	listing->left_out = found->count - count;
}

int listing_write_presence(struct listing *listing, const struct presence *found, uint64_t limit,
			   bool with_copies, struct simhash_error *error)
{
	if (!listing->formatter->is_text)
		write_records(listing, found, limit, with_copies);
	else if (write_text(listing, found, limit, with_copies, error) != 0)
		return -1;
	return listing_check(listing, error);
}
