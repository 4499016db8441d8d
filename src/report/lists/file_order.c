/*
 * Files in their order, each with its reference.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/file_order.h"

#include <inttypes.h>

#include "base/text/escape.h"
#include "base/text/json.h"
#include "report/lists/csv_path.h"
#include "report/lists/null_path.h"

/* A file, and the one that it can be a difference from, or NULL. */
struct entry {
	const struct ordered_file *file, *reference;
};

static struct bytes reference_of(const struct entry *entry)
{
	return entry->reference == NULL ? bytes_of("") : entry->reference->display;
}

static const char *match_of(const struct entry *entry)
{
	return entry->reference == NULL ? "" : entry->file->is_copy ? "identical" : "similar";
}

static void write_path(FILE *out, const struct entry *entry, bool is_terminal)
{
	(void)is_terminal;
	write_escaped(out, entry->file->display);
	fputc('\n', out);
}

/* Sketches may be equal where files are not, and then no file is shown as the same. */
static unsigned shared_percent(const struct ordered_file *file)
{
	double percent = 100 * (double)file->shared_bytes / (double)file->size_bytes;

	return percent >= 99 ? 99 : (unsigned)percent;
}

static void write_text(FILE *out, const struct entry *entry, bool is_terminal)
{
	char label[LABEL_SIZE] = "";

	(void)is_terminal;
	if (entry->reference != NULL && entry->file->is_copy)
		snprintf(label, sizeof label, "identical");
	else if (entry->reference != NULL)
		snprintf(label, sizeof label, "about %u %% in", shared_percent(entry->file));
	fprintf(out, "%-*s  ", LABEL_COLUMNS, label);
	write_escaped(out, entry->file->display);
	if (entry->reference != NULL) {
		fputs("  ", out);
		write_escaped(out, entry->reference->display);
	}
	fputc('\n', out);
}

static void write_null_path(FILE *out, const struct entry *entry, bool is_terminal)
{
	null_write_path(out, entry->file->display, is_terminal);
}

static void write_null(FILE *out, const struct entry *entry, bool is_terminal)
{
	null_write_path(out, entry->file->display, is_terminal);
	null_write_path(out, reference_of(entry), is_terminal);
}

static void write_csv(FILE *out, const struct entry *entry, bool is_terminal)
{
	const struct ordered_file *file = entry->file;

	fprintf(out, "%s,%" PRId64 ",%" PRId64 ",%" PRIu32 ",", match_of(entry), file->size_bytes,
		file->shared_bytes, file->depth);
	csv_write_path(out, file->display, is_terminal);
	fputc(',', out);
	csv_write_path(out, reference_of(entry), is_terminal);
	fputs("\r\n", out);
}

static void write_json(FILE *out, const struct entry *entry, bool is_terminal)
{
	const struct ordered_file *file = entry->file;

	(void)is_terminal;
	fprintf(out, "{\"size\":%" PRId64, file->size_bytes);
	write_json_field(out, "path", file->display);
	if (entry->reference != NULL) {
		fprintf(out, ",\"match\":\"%s\",\"shared_bytes\":%" PRId64 ",\"depth\":%" PRIu32,
			match_of(entry), file->shared_bytes, file->depth);
		write_json_field(out, "reference", entry->reference->display);
	}
	fputc('}', out);
}

static void write_json_line(FILE *out, const struct entry *entry, bool is_terminal)
{
	write_json(out, entry, is_terminal);
	fputc('\n', out);
}

static const struct form {
	const struct formatter *formatter;
	struct frame frame;
	void (*path)(FILE *out, const struct entry *entry, bool is_terminal);
	void (*reference)(FILE *out, const struct entry *entry, bool is_terminal);
} forms[] = {
	{&formatter_text, {.begin = NULL}, write_path, write_text},
	{&formatter_null, {.begin = NULL}, write_null_path, write_null},
	{&formatter_csv,
	 {.begin = "match,size,shared_bytes,depth,path,reference\r\n"},
	 write_csv,
	 write_csv},
	{&formatter_json,
	 {.begin = "[", .first = "\n", .separator = ",\n", .last = "\n", .end = "]\n"},
	 write_json,
	 write_json},
	{&formatter_jsonl, {.begin = NULL}, write_json_line, write_json_line},
};

static const struct form *form_of(const struct formatter *formatter)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (forms[i].formatter == formatter)
			return &forms[i];
	return NULL;
}

bool formats_orders(const struct formatter *formatter)
{
	return form_of(formatter) != NULL;
}

int listing_write_order(struct listing *listing, const struct file_order *order,
			bool with_references, struct simhash_error *error)
{
	const struct form *form = form_of(listing->formatter);
	FILE *out = listing->file;

	frame_begin(out, &form->frame);
	for (size_t i = 0; i < order->count; i++) {
		const struct ordered_file *file = &order->files[i];
		const struct entry entry = {file, file->reference == NO_REFERENCE
							  ? NULL
							  : &order->files[file->reference]};
		frame_next(out, &form->frame, i);
		(with_references ? form->reference : form->path)(out, &entry,
								 listing->how.is_terminal);
		if (listing_check(listing, error) != 0)
			return -1;
	}
	frame_end(out, &form->frame, order->count);
	return listing_check(listing, error);
}
