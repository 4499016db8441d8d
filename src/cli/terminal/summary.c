/*
 * What the summaries of both programs have in common.
 * SPDX-License-Identifier: MIT
 */
#include "cli/terminal/summary.h"

#include <inttypes.h>

#include "base/text/json.h"
#include "simhash.h"

const char *const summary_words[] = {"text", "json", NULL};

void begin_json_summary(FILE *out, const struct run_ending *ending)
{
	fprintf(out,
		"{\"program\":\"%s\",\"version\":\"" SIMHASH_VERSION
		"\",\"task\":\"%s\",\"result\":\"%s\",\"exit\":%d",
		ending->program, ending->task, ending->result, ending->exit);
}

void write_json_number(FILE *out, const char *name, uint64_t number)
{
	fprintf(out, ",\"%s\":%" PRIu64, name, number);
}

void end_json_summary(FILE *out, const struct run_ending *ending)
{
	fprintf(out, ",\"seconds\":%.3f", ending->seconds);
	if (ending->message != NULL)
		write_json_field(out, "error", bytes_of(ending->message));
	else
		fputs(",\"error\":null", out);
	fputs("}\n", out);
}
