/*
 * simhash --status --format=json.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/record.h"
#include "cli/simhash/status.h"

/* What the object and each of its lists have. An id without a name is null. */
struct status_record {
	int64_t runs, files, sketches, bytes, errors, groups, stored_pairs, pairs;
	int64_t started_ns, finished_ns;
	struct bytes host, tag_set, measure, path, command;
};

#define FIELD(member) RECORD_FIELD(IN_JSON | OR_NULL, struct status_record, member)
#define TIME(name, member) \
	RECORD_FIELD_AS(FIELD_TIME, IN_JSON | OR_NULL, struct status_record, member, name)

#define NAMED(name, member) RECORD_FIELD_NAMED(IN_JSON, struct status_record, member, name)

static const struct field head_fields[] = {FIELD(bytes), NAMED("index", path), FIELDS_END};

static const struct field total_fields[] = {
	FIELD(files), FIELD(sketches), FIELD(bytes), FIELD(host), FIELD(tag_set), FIELDS_END,
};

static const struct field measure_fields[] = {FIELD(sketches), FIELD(measure), FIELDS_END};

static const struct field run_fields[] = {
	FIELD(runs),
	TIME("started", started_ns),
	TIME("finished", finished_ns),
	NAMED("scanned", files),
	FIELD(bytes),
	FIELD(errors),
	FIELD(host),
	FIELD(tag_set),
	FIELD(path),
	FIELDS_END,
};

static const struct field answer_fields[] = {
	FIELD(groups),
	FIELD(files),
	FIELD(stored_pairs),
	FIELD(pairs),
	TIME("started", started_ns),
	TIME("finished", finished_ns),
	FIELD(tag_set),
	FIELD(host),
	FIELD(command),
	FIELDS_END,
};

static struct bytes name_of(const struct name_list *names, int64_t id)
{
	const struct name *known = name_list_find(names, id);

	return known == NULL ? NO_TEXT : known->text;
}

/* What has not happened yet is null. */
static int64_t time_of(int64_t time_ns)
{
	return time_ns == 0 ? NO_NUMBER : time_ns;
}

static struct status_record total_of(const struct index_status *status, size_t i)
{
	const struct scope_total *total = &status->totals[i];

	return (struct status_record){.files = total->rows,
				      .sketches = total->resemblances,
				      .bytes = total->bytes,
				      .host = name_of(&status->hosts, total->scope.host),
				      .tag_set = name_of(&status->tag_sets, total->scope.tag_set)};
}

static struct status_record measure_of(const struct index_status *status, size_t i)
{
	return (struct status_record){.sketches = status->measure_files[i],
				      .measure = status->measures.names[i].text};
}

static struct status_record run_of(const struct index_status *status, size_t i)
{
	const struct scan_run *run = &status->runs.runs[i];

	return (struct status_record){.runs = run->id,
				      .started_ns = time_of(run->started_at_ns),
				      .finished_ns = time_of(run->finished_at_ns),
				      .files = run->files,
				      .bytes = run->bytes,
				      .errors = run->errors,
				      .host = name_of(&status->hosts, run->scope.host),
				      .tag_set = name_of(&status->tag_sets, run->scope.tag_set),
				      .path = run->root};
}

/* How many pairs there were is null where they were not counted. */
static struct status_record answer_of(const struct index_status *status, size_t i)
{
	const struct find_run *run = &status->answers.runs[i];

	return (struct status_record){.groups = run->groups,
				      .files = run->files,
				      .stored_pairs = run->stored_pairs,
				      .pairs = run->pairs == PAIRS_UNKNOWN ? NO_NUMBER : run->pairs,
				      .started_ns = time_of(run->started_at_ns),
				      .finished_ns = time_of(run->finished_at_ns),
				      .tag_set = name_of(&status->tag_sets, run->tag_set),
				      .host = bytes_of(run->host),
				      .command = run->options};
}

static void write_list(FILE *out, const char *name, const struct index_status *status,
		       struct status_record (*record_of)(const struct index_status *, size_t),
		       const struct field *fields, size_t count)
{
	static const struct record_style style = {.format = RECORD_JSON};

	fprintf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++) {
		const struct status_record record = record_of(status, i);
		fputs(i == 0 ? "\n" : ",\n", out);
		record_write(out, &style, fields, &record);
	}
	fputc(']', out);
}

void write_status_json(FILE *out, const struct index_status *status)
{
	const struct status_record head = {.bytes = status->bytes, .path = bytes_of(status->url)};

	fputc('{', out);
	record_write_members(out, head_fields, &head);
	write_list(out, "totals", status, total_of, total_fields, status->total_count);
	write_list(out, "measures", status, measure_of, measure_fields, status->measures.count);
	write_list(out, "runs", status, run_of, run_fields, status->runs.count);
	write_list(out, "answers", status, answer_of, answer_fields, status->answers.count);
	fputs("}\n", out);
}
