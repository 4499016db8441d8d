/*
 * Writes decisions.json as the page of a report writes it.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "base/basic/clock.h"
#include "base/text/json.h"
#include "base/text/line_buffer.h"
#include "keep/decisions.h"

static void write_string(FILE *out, const char *text)
{
	struct line_buffer line = {.out = out};

	line_put_json_string(&line, bytes_of(text));
	line_flush(&line);
}

/* Times before the year 0 and after 9999 have no form, so the file is accepted at any time. */
static bool format_time(int64_t ns, bool has_fraction, char *text, size_t size)
{
	int64_t fraction = ns % NS_PER_S;
	time_t seconds;
	struct tm parts;
	size_t used;

	if (fraction < 0)
		fraction += NS_PER_S;
	seconds = (time_t)((ns - fraction) / NS_PER_S);
	if (gmtime_r(&seconds, &parts) == NULL || parts.tm_year < -1900 || parts.tm_year > 8099)
		return false;
	used = (size_t)snprintf(text, size, "%04d-%02d-%02dT%02d:%02d:%02d", parts.tm_year + 1900,
				parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
				parts.tm_sec);
	if (has_fraction)
		snprintf(text + used, size - used, ".%09" PRId64 "Z", fraction);
	else
		snprintf(text + used, size - used, "Z");
	return true;
}

void decisions_begin(struct decisions_writer *writer, FILE *out,
		     const struct decisions_heading *heading)
{
	char made[64];

	*writer = (struct decisions_writer){.out = out, .heading = heading};
	fprintf(out,
		"{\n \"format\": \"simfind decisions\",\n \"format_version\": 1,\n \"version\": "
		"\"%s\",\n \"command\": [",
		simhash_version());
	for (int i = 0; i < heading->word_count; i++) {
		fputs(i > 0 ? ",\n  " : "\n  ", out);
		write_string(out, heading->words[i]);
	}
	fputs("\n ],\n \"index\": ", out);
	write_string(out, heading->index);
	if (format_time(clock_wall_ns(), false, made, sizeof made))
		fprintf(out, ",\n \"made\": \"%s\"", made);
	fputs(",\n \"groups\": [", out);
}

static void end_group(struct decisions_writer *writer)
{
	if (writer->groups > 0)
		fputs("\n   ]\n  }", writer->out);
}

void decisions_begin_group(struct decisions_writer *writer, const uint8_t hash[KEEP_HASH_SIZE])
{
	end_group(writer);
	fprintf(writer->out, "%s\n  {\n   \"id\": \"", writer->groups > 0 ? "," : "");
	for (size_t i = 0; i < 8; i++)
		fprintf(writer->out, "%02x", hash[i]);
	fputs("\",\n   \"files\": [", writer->out);
	writer->groups++;
	writer->files = 0;
}

static void begin_file(struct decisions_writer *writer)
{
	fputs(writer->files++ > 0 ? ",\n    " : "\n    ", writer->out);
}

void decisions_write_file(struct decisions_writer *writer, const struct keep_file *file)
{
	FILE *out = writer->out;
	char time[64];

	begin_file(writer);
	fputs("{\"host\":", out);
	write_string(out, writer->heading->host);
	write_json_field(out, "path", bytes_of(file->path));
	if (file->size_bytes != KEEP_SIZE_UNKNOWN &&
	    format_time(file->mtime_ns, true, time, sizeof time))
		fprintf(out, ",\"size\":%" PRId64 ",\"mtime\":\"%s\"", file->size_bytes, time);
	fputs(",\"hash\":\"", out);
	for (size_t i = 0; i < KEEP_HASH_SIZE; i++)
		fprintf(out, "%02x", file->hash[i]);
	fprintf(out, "\",\"decision\":\"%s\"}",
		file->decision == DECIDED_GIVE_UP ? "remove" : "keep");
}

void decisions_write_other(struct decisions_writer *writer, struct bytes json)
{
	begin_file(writer);
	fwrite(json.data, 1, json.size, writer->out);
}

void decisions_end(struct decisions_writer *writer)
{
	end_group(writer);
	fputs("\n ]\n}\n", writer->out);
}
