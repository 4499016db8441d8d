/*
 * Writes files in their order, each with its reference.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/file_order.h"

#include "base/text/escape.h"
#include "base/text/record.h"

/* Sketches may be equal where files are not, and then no file is shown as the same. */
static unsigned shared_percent(const struct ordered_file *file)
{
	double percent = 100 * (double)file->shared_bytes / (double)file->size_bytes;

	return percent >= 99 ? 99 : (unsigned)percent;
}

/* `reference` NULL: there is none. */
static void write_text(FILE *out, const struct ordered_file *file,
		       const struct ordered_file *reference, bool with_references)
{
	char label[LABEL_SIZE] = "";

	if (reference != NULL && file->is_copy)
		snprintf(label, sizeof label, "identical");
	else if (reference != NULL)
		snprintf(label, sizeof label, "%u %% in", shared_percent(file));
	if (with_references)
		fprintf(out, "%-*s  ", LABEL_COLUMNS, label);
	write_escaped(out, file->display);
	if (with_references && reference != NULL) {
		fputs("  ", out);
		write_escaped(out, reference->display);
	}
	fputc('\n', out);
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

	frame_begin(out, &frame);
	for (size_t i = 0; i < order->count; i++) {
		const struct ordered_file *file = &order->files[i];
		const struct ordered_file *reference =
			file->reference == NO_REFERENCE ? NULL : &order->files[file->reference];
		frame_next(out, &frame, i);
		if (style->format == RECORD_NONE)
			write_text(out, file, reference, with_references);
		else
			write_record(out, style, file, reference, with_references);
		if (listing_check(listing, error) != 0)
			return -1;
	}
	frame_end(out, &frame, order->count);
	return listing_check(listing, error);
}
