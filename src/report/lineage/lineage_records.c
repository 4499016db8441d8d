/*
 * A lineage for programs. In JSON it is an object, whose versions are numbered from 1 in each group,
 * parents first. Between zero bytes it is the path of each file and of the file that it comes from,
 * or is identical to; the second is empty for the first version. A file comes after the one that it
 * comes from, so patches can be made and applied in this order.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "base/text/decimal.h"
#include "base/text/record.h"
#include "report/lineage/lineage.h"

static const struct field group_fields[] = {
	RECORD_FIELD_AS(FIELD_SIZE, IN_JSON, struct group, number, "group"),
	RECORD_FIELD_AS(FIELD_ID, IN_JSON, struct group, id, "id"),
	RECORD_FIELD_AS(FIELD_SIZE, IN_JSON, struct group, count, "files"),
	RECORD_FIELD(IN_JSON, struct group, bytes),
	FIELDS_END,
};

/* Of the first version all but its number and size is absent. */
struct version_record {
	int64_t version, parent, distance, size;
	const char *order, *reasons;
	double confidence, resemblance;
};

#define FIELD(member) RECORD_FIELD(IN_JSON, struct version_record, member)

static const struct field version_fields[] = {
	FIELD(version),
	FIELD(parent),
	FIELD(order),
	FIELD(confidence),
	RECORD_FIELD_AS(FIELD_PLAIN, IN_JSON, struct version_record, reasons, "reasons"),
	FIELD(distance),
	FIELD(resemblance),
	FIELD(size),
	FIELDS_END,
};

struct path_record {
	int64_t modified_ns;
	struct bytes path, from;
};

static const struct field file_fields[] = {
	RECORD_FIELD_AS(FIELD_TIME, IN_JSON, struct path_record, modified_ns, "modified"),
	RECORD_FIELD(IN_JSON | IN_NULL, struct path_record, path),
	RECORD_FIELD(IN_NULL, struct path_record, from),
	FIELDS_END,
};

static void write_file(FILE *out, const struct find_file *file, const struct find_file *from,
		       const struct record_style *style)
{
	const struct path_record record = {.modified_ns = file->mtime_ns,
					   .path = find_file_display(file),
					   .from = from == NULL ? NO_TEXT
								: find_file_display(from)};

	record_write(out, style, file_fields, &record);
}

void lineage_write_null(FILE *out, const struct group *group, const struct lineage *lineage,
			const struct presentation *how)
{
	(void)group;
	for (size_t v = 0; v < lineage->count; v++) {
		const struct lineage_version *version = &lineage->versions[v];
		bool is_first = version->parent == NO_PARENT;
		write_file(out, version->files[0], is_first ? NULL : version->pair.b,
			   &how->records);
		for (size_t i = 1; i < version->file_count; i++)
			write_file(out, version->files[i], version->files[0], &how->records);
	}
}

/* ---- JSON ---- */

/* An array of their names. */
static const char *reasons_of(const struct lineage_version *version, char text[REASONS_SIZE])
{
	size_t size = 0;

	for (unsigned r = 0; r < REASONS; r++)
		if (lineage_has_reason(version, r))
			size += (size_t)snprintf(text + size, REASONS_SIZE - size, "%s\"%s\"",
						 size == 0 ? "[" : ",", lineage_reason_name(r));
	snprintf(text + size, REASONS_SIZE - size, size == 0 ? "[]" : "]");
	return text;
}

static void write_version(FILE *out, const struct lineage_version *version, size_t number)
{
	const struct file_pair *pair = &version->pair;
	char reasons[REASONS_SIZE];
	struct version_record record = {.version = (int64_t)number + 1,
					.parent = NO_NUMBER,
					.distance = NO_NUMBER,
					.size = version->files[0]->size_bytes,
					.confidence = NAN,
					.resemblance = NAN};

	if (version->parent != NO_PARENT) {
		record.parent = (int64_t)version->parent + 1;
		record.order = lineage_is_clear(version) ? "clear" : "unclear";
		record.confidence = version->confidence;
		record.reasons = reasons_of(version, reasons);
		record.distance = (int64_t)pair->distance;
		if (has_resemblance(pair->verification))
			record.resemblance = shown_share(pair->resemblance,
							 are_identical(pair->a, pair->b),
							 SIMHASH_MILLION);
	}
	record_write_members(out, version_fields, &record);
}

void lineage_write_json(FILE *out, const struct group *group, const struct lineage *lineage,
			const struct presentation *how)
{
	const struct record_style style = {.format = RECORD_JSON};

	(void)how;
	fputc('{', out);
	record_write_members(out, group_fields, group);
	fputs(",\"versions\":[", out);
	for (size_t v = 0; v < lineage->count; v++) {
		const struct lineage_version *version = &lineage->versions[v];
		fputs(v == 0 ? "{" : ",{", out);
		write_version(out, version, v);
		fputs(",\"files\":[", out);
		for (size_t i = 0; i < version->file_count; i++) {
			fputs(i == 0 ? "" : ",", out);
			write_file(out, version->files[i], NULL, &style);
		}
		fputs("]}", out);
	}
}
