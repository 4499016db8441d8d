/*
 * A lineage as an object of JSON. Versions are numbered from 1 in each group, parents first.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <time.h>

#include "base/text/decimal.h"
#include "base/text/json.h"
#include "report/lineage/lineage.h"

static void put_time(struct line_buffer *line, int64_t mtime_ns)
{
	time_t seconds = (time_t)(mtime_ns / 1000000000 - (mtime_ns % 1000000000 < 0));
	struct tm date;
	char text[40] = "";

	if (gmtime_r(&seconds, &date) != NULL)
		strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &date);
	line_put(line, "\"modified\":\"");
	line_put(line, text);
	line_put(line, "\"");
}

static void put_edge(struct line_buffer *line, const struct lineage_version *version)
{
	const char *separator = "";

	line_put(line, ",\"parent\":");
	line_put_unsigned(line, version->parent + 1);
	line_put(line, ",\"order\":\"");
	line_put(line, lineage_is_clear(version) ? "clear" : "unclear");
	line_put(line, "\",\"confidence\":");
	line_put_millionths(line, version->confidence);
	line_put(line, ",\"reasons\":[");
	for (unsigned r = 0; r < REASONS; r++)
		if (lineage_has_reason(version, r)) {
			line_put(line, separator);
			line_put(line, "\"");
			line_put(line, lineage_reason_name(r));
			line_put(line, "\"");
			separator = ",";
		}
	line_put(line, "],\"distance\":");
	line_put_unsigned(line, version->pair.distance);
	if (has_resemblance(version->pair.verification)) {
		line_put(line, ",\"resemblance\":");
		line_put_millionths(line,
				    shown_share(version->pair.resemblance,
						are_identical(version->pair.a, version->pair.b),
						SIMHASH_MILLION));
	}
}

static void put_version(struct line_buffer *line, const struct lineage_version *version,
			size_t number)
{
	line_put(line, number == 0 ? "{\"version\":" : ",{\"version\":");
	line_put_unsigned(line, number + 1);
	if (version->parent != NO_PARENT)
		put_edge(line, version);
	line_put(line, ",\"size\":");
	line_put_signed(line, version->files[0]->size_bytes);
	line_put(line, ",\"files\":[");
	for (size_t i = 0; i < version->file_count; i++) {
		line_put(line, i == 0 ? "{" : ",{");
		put_time(line, version->files[i]->mtime_ns);
		line_put_json_field(line, "path", find_file_display(version->files[i]));
		line_put(line, "}");
	}
	line_put(line, "]}");
}

void lineage_write_json(FILE *out, const struct group *group, const struct lineage *lineage,
			const struct presentation *how)
{
	struct line_buffer line = {.out = out};

	(void)how;
	fprintf(out,
		"{\"group\":%zu,\"id\":\"%016" PRIx64 "\",\"files\":%zu,\"bytes\":%" PRId64
		",\"versions\":[",
		group->number, group->id, group->count, group->bytes);
	for (size_t v = 0; v < lineage->count; v++)
		put_version(&line, &lineage->versions[v], v);
	line_flush(&line);
}
