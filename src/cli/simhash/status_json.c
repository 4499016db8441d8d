/*
 * simhash --status --format=json.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <time.h>

#include "base/basic/clock.h"
#include "base/text/json.h"
#include "cli/simhash/status.h"

/* What stands before an element of an array that has so many already. */
static const char *separator(size_t count)
{
	return count == 0 ? "\n{" : ",\n{";
}

/* An id without a name is null. */
static void write_name(FILE *out, const char *name, const struct name_list *names, int64_t id)
{
	const struct name *known = name_list_find(names, id);

	if (known != NULL)
		write_json_field(out, name, known->text);
	else
		fprintf(out, ",\"%s\":null", name);
}

static void write_scope(FILE *out, const struct index_status *status, const struct row_scope *scope)
{
	write_name(out, "host", &status->hosts, scope->host);
	write_name(out, "tag_set", &status->tag_sets, scope->tag_set);
}

/* By RFC 3339; what has not happened yet is null. */
static void write_time(FILE *out, const char *name, int64_t time_ns)
{
	time_t seconds = (time_t)(time_ns / NS_PER_S);
	struct tm utc;
	char text[32];

	if (time_ns == 0 || gmtime_r(&seconds, &utc) == NULL ||
	    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
		fprintf(out, ",\"%s\":null", name);
	else
		fprintf(out, ",\"%s\":\"%s\"", name, text);
}

static void write_run(FILE *out, const struct index_status *status, const struct scan_run *run)
{
	fprintf(out, "\"runs\":%" PRId64, run->id);
	write_time(out, "started", run->started_at_ns);
	write_time(out, "finished", run->finished_at_ns);
	fprintf(out, ",\"scanned\":%" PRId64 ",\"bytes\":%" PRId64 ",\"errors\":%" PRId64,
		run->files, run->bytes, run->errors);
	write_scope(out, status, &run->scope);
	write_json_field(out, "path", run->root);
	fputc('}', out);
}

/* How many pairs there were is null where they were not counted. */
static void write_answer(FILE *out, const struct index_status *status, const struct find_run *run)
{
	fprintf(out, "\"groups\":%" PRId64 ",\"files\":%" PRId64 ",\"stored_pairs\":%" PRId64,
		run->groups, run->files, run->stored_pairs);
	if (run->pairs == PAIRS_UNKNOWN)
		fputs(",\"pairs\":null", out);
	else
		fprintf(out, ",\"pairs\":%" PRId64, run->pairs);
	write_time(out, "started", run->started_at_ns);
	write_time(out, "finished", run->finished_at_ns);
	write_name(out, "tag_set", &status->tag_sets, run->tag_set);
	write_json_field(out, "host", bytes_of(run->host));
	write_json_field(out, "command", run->options);
	fputc('}', out);
}

void write_status_json(FILE *out, const struct index_status *status)
{
	fprintf(out, "{\"bytes\":%" PRId64, status->bytes);
	write_json_field(out, "index", bytes_of(status->url));
	fputs(",\"totals\":[", out);
	for (size_t i = 0; i < status->total_count; i++) {
		const struct scope_total *total = &status->totals[i];
		fprintf(out, "%s\"files\":%" PRId64 ",\"sketches\":%" PRId64 ",\"bytes\":%" PRId64,
			separator(i), total->rows, total->resemblances, total->bytes);
		write_scope(out, status, &total->scope);
		fputc('}', out);
	}
	fputs("],\"measures\":[", out);
	for (size_t i = 0; i < status->measures.count; i++) {
		fprintf(out, "%s\"sketches\":%" PRId64, separator(i), status->measure_files[i]);
		write_json_field(out, "measure", status->measures.names[i].text);
		fputc('}', out);
	}
	fputs("],\"runs\":[", out);
	for (size_t i = 0; i < status->runs.count; i++) {
		fputs(separator(i), out);
		write_run(out, status, &status->runs.runs[i]);
	}
	fputs("],\"answers\":[", out);
	for (size_t i = 0; i < status->answers.count; i++) {
		fputs(separator(i), out);
		write_answer(out, status, &status->answers.runs[i]);
	}
	fputs("]}\n", out);
}
