/*
 * Writes files in their order, each file with its reference.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/file_order.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/text/decimal.h"
#include "base/text/escape.h"
#include "base/text/record.h"

/* Different files may have equal sketches. Then the label is ">99 %", not "identical". */
static void format_label(const struct ordered_file *file, char label[LABEL_SIZE])
{
	double share = (double)file->shared_bytes / (double)file->size_bytes;

	if (file->is_copy)
		snprintf(label, LABEL_SIZE, "identical");
	else if (share >= 0.995)
		snprintf(label, LABEL_SIZE, ">99 %% in");
	else
		snprintf(label, LABEL_SIZE, "%u %% in", share_in_steps(share, 100));
}

static void write_path(FILE *out, struct bytes path, bool has_marks)
{
	if (has_marks)
		fputc(PATH_MARK, out);
	write_escaped(out, path);
}

/* `reference` is NULL if the file has none. */
static void write_text(FILE *out, const struct ordered_file *file,
		       const struct ordered_file *reference, bool with_references, bool has_marks)
{
	char label[LABEL_SIZE] = "";

	if (reference != NULL)
		format_label(file, label);
	if (with_references)
		fprintf(out, "%-*s  ", LABEL_COLUMNS, label);
	write_path(out, file->display, has_marks);
	if (with_references && reference != NULL) {
		if (has_marks)
			fputc(WIDTH_MARK, out);
		fputs("  ", out);
		write_path(out, reference->display, has_marks);
	}
	fputc('\n', out);
}

static int note_paths(struct listing *listing, const struct file_order *order,
		      struct simhash_error *error)
{
	for (size_t i = 0; i < order->count; i++) {
		const struct bytes display = order->files[i].display;
		const struct find_file file = {.display = display.data,
					       .display_size = (uint32_t)display.size};
		if (listing_note(listing, &file, true, error) != 0)
			return -1;
	}
	listing_begin_marked(listing);
	return 0;
}

/* A list without references is for programs such as tar, so its paths are complete. */
static int write_text_line(struct listing *listing, const struct ordered_file *file,
			   const struct ordered_file *reference, bool with_references,
			   struct simhash_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!listing->how.has_marks || !with_references) {
		write_text(listing->file, file, reference, with_references, false);
		return 0;
	}
	out = open_memstream(&text, &size);
	if (out == NULL)
		return error_set_memory(error);
	write_text(out, file, reference, with_references, true);
	if (close_text(out, &text) != 0)
		return error_set_memory(error);
	listing_write_text(listing, (struct bytes){text, size});
	free(text);
	return 0;
}

static void write_record(FILE *out, const struct record_style *style,
			 const struct ordered_file *file, const struct ordered_file *reference,
			 bool with_references)
{
	const char *match = reference == NULL ? NULL : file->is_copy ? "identical" : "similar";
	int64_t shared = reference == NULL ? NO_NUMBER : file->shared_bytes;
	int64_t depth = reference == NULL ? NO_NUMBER : file->depth;
	struct bytes origin = reference == NULL ? NO_TEXT : reference->display;
	unsigned in_null = with_references ? IN_NULL : 0;
	const struct field fields[] = {
		FIELD_WORD(IN_CSV, "match", match),
		FIELD_SIGNED(IN_LISTS, "size", file->size_bytes),
		FIELD_SIGNED(IN_CSV | OR_ZERO, "shared_bytes", shared),
		FIELD_SIGNED(IN_CSV | OR_ZERO, "depth", depth),
		FIELD_TEXT(IN_ALL, "path", file->display),
		FIELD_WORD(IN_JSON, "match", match),
		FIELD_SIGNED(IN_JSON, "shared_bytes", shared),
		FIELD_SIGNED(IN_JSON, "depth", depth),
		FIELD_TEXT((unsigned char)(IN_LISTS | in_null), "reference", origin),
		FIELDS_END,
	};

	record_write(out, style, fields);
}

static void heading(FILE *out)
{
	static const struct record_style style = {.format = RECORD_HEADING};
	const struct ordered_file none = {.is_copy = false};

	write_record(out, &style, &none, NULL, true);
}

bool formats_orders(const struct formatter *formatter)
{
	return formatter->is_text || formatter->format != RECORD_NONE;
}

int listing_write_order(struct listing *listing, const struct file_order *order,
			bool with_references, struct simhash_error *error)
{
	const struct record_style *style = &listing->how.records;
	const struct frame frame = record_frame(style->format, heading);
	FILE *out = listing->file;

	if (listing->how.has_marks && with_references && note_paths(listing, order, error) != 0)
		return -1;
	frame_begin(out, &frame);
	for (size_t i = 0; i < order->count; i++) {
		const struct ordered_file *file = &order->files[i];
		const struct ordered_file *reference =
			file->reference == NO_REFERENCE ? NULL : &order->files[file->reference];
		frame_next(out, &frame, i);
		if (style->format != RECORD_NONE)
			write_record(out, style, file, reference, with_references);
		else if (write_text_line(listing, file, reference, with_references, error) != 0)
			return -1;
		if (listing_check(listing, error) != 0)
			return -1;
	}
	frame_end(out, &frame, order->count);
	return listing_check(listing, error);
}
