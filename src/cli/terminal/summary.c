/*
 * What the summaries of both programs have in common.
 * SPDX-License-Identifier: MIT
 */
#include "cli/terminal/summary.h"

#include <stdlib.h>

#include "base/files/open_file.h"

const char *const summary_words[] = {"text", "json", NULL};

#define FIELD(in, member) RECORD_FIELD(in, struct run_ending, member)

static const struct field first_fields[] = {
	FIELD(IN_JSON, program), FIELD(IN_JSON, version), FIELD(IN_JSON, task),
	FIELD(IN_JSON, result),	 FIELD(IN_JSON, exit),	  FIELDS_END,
};

static const struct field last_fields[] = {
	RECORD_FIELD_AS(FIELD_SECONDS, IN_JSON, struct run_ending, seconds, "seconds"),
	RECORD_FIELD_NAMED(IN_JSON | OR_NULL, struct run_ending, message, "error"),
	FIELDS_END,
};

void print_json_summary(const struct run_ending *ending, const struct field *fields,
			const void *counts)
{
	struct run_ending whole = *ending;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return;
	whole.version = SIMHASH_VERSION;
	fputc('{', out);
	record_write_members(out, first_fields, &whole);
	fputc(',', out);
	record_write_members(out, fields, counts);
	fputc(',', out);
	record_write_members(out, last_fields, &whole);
	fputs("}\n", out);
	if (close_text(out, &text) == 0)
		fputs(text, stderr);
	free(text);
}
