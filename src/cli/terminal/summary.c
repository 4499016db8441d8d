/*
 * Writes the parts of a summary that both programs have.
 * SPDX-License-Identifier: MIT
 */
#include "cli/terminal/summary.h"

#include <stdlib.h>

#include "base/basic/clock.h"
#include "base/files/open_file.h"

const char *const summary_words[] = {"text", "json", "none", NULL};

void print_json_summary(const struct run_ending *ending, const struct field *counts)
{
	char seconds[32], *text = NULL;
	struct bytes message = ending->error == NULL ? NO_TEXT : bytes_of(ending->error->message);
	const struct field first[] = {
		FIELD_WORD(IN_JSON, "program", ending->program),
		FIELD_WORD(IN_JSON, "version", SIMHASH_VERSION),
		FIELD_WORD(IN_JSON, "task", ending->task),
		FIELD_WORD(IN_JSON, "result", ending->result),
		FIELD_SIGNED(IN_JSON, "exit", ending->exit),
		FIELD_TIME(IN_JSON, "started",
			   clock_wall_ns() - (int64_t)(ending->seconds * (double)NS_PER_S)),
		FIELD_TEXT(IN_JSON, "host", bytes_of(ending->host)),
		FIELD_TEXTS(IN_JSON, "paths", ending->paths, ending->path_count),
		FIELDS_END,
	};
	const struct field last[] = {FIELD_PLAIN(IN_JSON, "seconds", seconds),
				     FIELD_TEXT(IN_JSON | OR_NULL, "error", message), FIELDS_END};
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return;
	snprintf(seconds, sizeof seconds, "%.3f", ending->seconds);
	fputc('{', out);
	record_write_members(out, RECORD_JSON, first);
	fputc(',', out);
	record_write_members(out, RECORD_JSON, counts);
	fputc(',', out);
	record_write_members(out, RECORD_JSON, last);
	fputs("}\n", out);
	if (close_text(out, &text) == 0)
		fputs(text, stderr);
	free(text);
}
