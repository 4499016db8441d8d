/*
 * Writes a lineage for programs. In JSON, it is an object whose versions are numbered from 1 in
 * each group, parents first. Between zero bytes, it is the path of each file and the path of the
 * file that it comes from or is identical to; the second path is empty for the first version. A
 * file follows the file that it comes from, so patches can be made and applied in this order.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "base/text/record.h"
#include "report/lineage/lineage.h"

static void write_file(FILE *out, const struct find_file *file, const struct find_file *from,
		       const struct record_style *style)
{
	const struct field fields[] = {
		FIELD_TIME(IN_JSON, "modified", file->mtime_ns),
		FIELD_TIME(file->dates.changed_ns == 0 ? 0 : IN_JSON, "document_modified",
			   file->dates.changed_ns),
		FIELD_TEXT(IN_JSON | IN_NULL, "path", find_file_display(file)),
		FIELD_TEXT(IN_NULL, "from", from == NULL ? NO_TEXT : find_file_display(from)),
		FIELDS_END,
	};

	record_write(out, style, fields);
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

/* A JSON array of the names of the reasons. */
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

/* The first version of a group has no parent, so fields about both are missing. */
static void write_version(FILE *out, const struct lineage_version *version, size_t number)
{
	const struct file_pair *pair = &version->pair;
	bool is_first = version->parent == NO_PARENT;
	char reasons[REASONS_SIZE];
	const struct field fields[] = {
		FIELD_UNSIGNED(IN_JSON, "version", number + 1),
		FIELD_SIGNED(IN_JSON, "parent",
			     is_first ? NO_NUMBER : (int64_t)version->parent + 1),
		FIELD_WORD(IN_JSON, "order",
			   is_first		       ? NULL
			   : lineage_is_clear(version) ? "clear"
						       : "unclear"),
		FIELD_SHARE(IN_JSON, "confidence", is_first ? NAN : version->confidence),
		FIELD_PLAIN(IN_JSON, "reasons", is_first ? NULL : reasons_of(version, reasons)),
		FIELD_SIGNED(IN_JSON, "distance",
			     is_first ? NO_NUMBER : (int64_t)pair->relation.distance),
		FIELD_SHARE(IN_JSON, "resemblance",
			    is_first ? NAN
				     : shown_resemblance(&pair->relation,
							 are_identical(pair->a, pair->b))),
		FIELD_SIGNED(IN_JSON, "size", find_file_bytes(version->files[0])),
		FIELDS_END,
	};

	record_write_members(out, RECORD_JSON, fields);
}

void lineage_write_json(FILE *out, const struct group *group, const struct lineage *lineage,
			const struct presentation *how)
{
	static const struct record_style style = {.format = RECORD_JSON};
	const struct field fields[] = {
		FIELD_UNSIGNED(IN_JSON, "group", group->number),
		FIELD_ID(IN_JSON, "id", group->id),
		FIELD_UNSIGNED(IN_JSON, "files", group->count),
		FIELD_SIGNED(IN_JSON, "bytes", group->bytes),
		FIELDS_END,
	};

	(void)how;
	fputc('{', out);
	record_write_members(out, RECORD_JSON, fields);
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
