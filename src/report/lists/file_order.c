/*
 * Files in their order, each with its reference.
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
		snprintf(label, sizeof label, "about %u %% in", shared_percent(file));
	if (with_references)
		fprintf(out, "%-*s  ", LABEL_COLUMNS, label);
	write_escaped(out, file->display);
	if (with_references && reference != NULL) {
		fputs("  ", out);
		write_escaped(out, reference->display);
	}
	fputc('\n', out);
}

struct order_record {
	const char *match;
	int64_t size, shared_bytes, depth;
	struct bytes path, reference;
};

#define FIELD(in, member) RECORD_FIELD(in, struct order_record, member)

static const struct field fields[] = {
	FIELD(IN_CSV, match),
	FIELD(IN_LISTS, size),
	FIELD(IN_CSV | OR_ZERO, shared_bytes),
	FIELD(IN_CSV | OR_ZERO, depth),
	FIELD(IN_ALL, path),
	FIELD(IN_JSON, match),
	FIELD(IN_JSON, shared_bytes),
	FIELD(IN_JSON, depth),
	FIELD(IN_ALL, reference),
	FIELDS_END,
};

static const struct field path_fields[] = {FIELD(IN_NULL, path), FIELDS_END};

static struct order_record record_of(const struct ordered_file *file,
				     const struct ordered_file *reference)
{
	struct order_record record = {.size = file->size_bytes,
				      .shared_bytes = NO_NUMBER,
				      .depth = NO_NUMBER,
				      .path = file->display};

	if (reference != NULL) {
		record.match = file->is_copy ? "identical" : "similar";
		record.shared_bytes = file->shared_bytes;
		record.depth = file->depth;
		record.reference = reference->display;
	}
	return record;
}

bool formats_orders(const struct formatter *formatter)
{
	return formatter->is_text || formatter->format != RECORD_NONE;
}

static void write_file(struct listing *listing, const struct file_order *order,
		       const struct ordered_file *file, bool with_references)
{
	const struct ordered_file *reference =
		file->reference == NO_REFERENCE ? NULL : &order->files[file->reference];
	const struct order_record record = record_of(file, reference);
	enum record_format format = listing->how.records.format;
	bool is_path = format == RECORD_NULL && !with_references;

	if (format == RECORD_NONE)
		write_text(listing->file, file, reference, with_references);
	else
		record_write(listing->file, &listing->how.records, is_path ? path_fields : fields,
			     &record);
}

int listing_write_order(struct listing *listing, const struct file_order *order,
			bool with_references, struct simhash_error *error)
{
	const struct frame frame = record_frame(listing->formatter->format, fields);

	frame_begin(listing->file, &frame);
	for (size_t i = 0; i < order->count; i++) {
		frame_next(listing->file, &frame, i);
		write_file(listing, order, &order->files[i], with_references);
		if (listing_check(listing, error) != 0)
			return -1;
	}
	frame_end(listing->file, &frame, order->count);
	return listing_check(listing, error);
}
