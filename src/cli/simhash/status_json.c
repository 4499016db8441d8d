/*
 * Writes the status of an index as JSON, for simhash --status --format=json.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/record.h"
#include "cli/simhash/status.h"

/* The type of every member: null if it is unknown. */
#define IN IN_JSON | OR_NULL

/* An id without a name is null. */
static struct bytes name_of(const struct name_list *names, int64_t id)
{
	const struct name *known = name_list_find(names, id);

	return known == NULL ? NO_TEXT : known->text;
}

/* An event that has not happened yet is null. */
static int64_t time_of(int64_t time_ns)
{
	return time_ns == 0 ? NO_NUMBER : time_ns;
}

static void write_total(FILE *out, const struct index_status *status, size_t i)
{
	const struct scope_total *total = &status->totals[i];
	const struct field fields[] = {
		FIELD_SIGNED(IN, "files", total->rows),
		FIELD_SIGNED(IN, "sketches", total->resemblances),
		FIELD_SIGNED(IN, "bytes", total->bytes),
		FIELD_SIGNED(IN, "damaged", status->damaged[i]),
		FIELD_TIME(IN, "oldest_verified", time_of(total->oldest_ns)),
		FIELD_TEXT(IN, "host", name_of(&status->hosts, total->scope.host)),
		FIELD_TEXT(IN, "tag_set", name_of(&status->tag_sets, total->scope.tag_set)),
		FIELDS_END,
	};

	record_write_members(out, RECORD_JSON, fields);
}

static void write_measure(FILE *out, const struct index_status *status, size_t i)
{
	const struct field fields[] = {
		FIELD_SIGNED(IN, "sketches", status->measure_files[i]),
		FIELD_TEXT(IN, "measure", status->measures.names[i].text),
		FIELDS_END,
	};

	record_write_members(out, RECORD_JSON, fields);
}

static void write_run(FILE *out, const struct index_status *status, size_t i)
{
	const struct scan_run *run = &status->runs.runs[i];
	const struct field fields[] = {
		FIELD_SIGNED(IN, "runs", run->id),
		FIELD_TIME(IN, "started", time_of(run->started_at_ns)),
		FIELD_TIME(IN, "finished", time_of(run->finished_at_ns)),
		FIELD_SIGNED(IN, "scanned", run->files),
		FIELD_SIGNED(IN, "bytes", run->bytes),
		FIELD_SIGNED(IN, "errors", run->errors),
		FIELD_TEXT(IN, "host", name_of(&status->hosts, run->scope.host)),
		FIELD_TEXT(IN, "tag_set", name_of(&status->tag_sets, run->scope.tag_set)),
		FIELD_TEXT(IN, "path", run->root),
		FIELDS_END,
	};

	record_write_members(out, RECORD_JSON, fields);
}

static void write_answer(FILE *out, const struct index_status *status, size_t i)
{
	const struct find_run *run = &status->answers.runs[i];
	bool is_counted = run->pairs != PAIRS_UNKNOWN;
	const struct field fields[] = {
		FIELD_SIGNED(IN, "groups", run->groups),
		FIELD_SIGNED(IN, "files", run->files),
		FIELD_SIGNED(IN, "stored_pairs", run->stored_pairs),
		FIELD_SIGNED(IN, "pairs", is_counted ? run->pairs : NO_NUMBER),
		FIELD_TIME(IN, "started", time_of(run->started_at_ns)),
		FIELD_TIME(IN, "finished", time_of(run->finished_at_ns)),
		FIELD_TEXT(IN, "tag_set", name_of(&status->tag_sets, run->tag_set)),
		FIELD_TEXT(IN, "host", bytes_of(run->host)),
		FIELD_TEXT(IN, "command", run->options),
		FIELDS_END,
	};

	record_write_members(out, RECORD_JSON, fields);
}

static void write_list(FILE *out, const char *name, const struct index_status *status,
		       void (*write)(FILE *out, const struct index_status *status, size_t i),
		       size_t count)
{
	fprintf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++) {
		fputs(i == 0 ? "\n{" : ",\n{", out);
		write(out, status, i);
		fputc('}', out);
	}
	fputc(']', out);
}

void write_status_json(FILE *out, const struct index_status *status)
{
	const struct field fields[] = {FIELD_SIGNED(IN, "bytes", status->bytes),
				       FIELD_TEXT(IN, "index", bytes_of(status->url)), FIELDS_END};

	fputc('{', out);
	record_write_members(out, RECORD_JSON, fields);
	write_list(out, "totals", status, write_total, status->total_count);
	write_list(out, "measures", status, write_measure, status->measures.count);
	write_list(out, "runs", status, write_run, status->runs.count);
	write_list(out, "answers", status, write_answer, status->answers.count);
	fputs("}\n", out);
}
