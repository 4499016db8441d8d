/*
 * Writes templates, and the data that describe how a page was made.
 * SPDX-License-Identifier: MIT
 */
#include "report/page/html_page.h"

#include <string.h>

#include "base/basic/bytes.h"
#include "base/basic/clock.h"
#include "base/text/record.h"
#include "simhash.h"

/* src/report/page/page.css and page.js. */
extern const char page_style[], page_script[];

static const char style_mark[] = "@STYLE@", script_mark[] = "@SCRIPT@", data_mark[] = "@DATA@";

/* Write a template up to a mark. Returns the text after the mark. */
static const char *write_to(FILE *out, const char *text, const char *mark)
{
	const char *at = strstr(text, mark);

	fwrite(text, 1, (size_t)(at - text), out);
	return at + strlen(mark);
}

const char *page_begin(FILE *out, const char *template)
{
	const char *rest = write_to(out, template, style_mark);

	fputs(page_style, out);
	return write_to(out, rest, data_mark);
}

void page_end(FILE *out, const char *rest)
{
	rest = write_to(out, rest, script_mark);
	fputs(page_script, out);
	fputs(rest, out);
}

void page_write_origin(FILE *out, const struct page_origin *origin)
{
	const struct field fields[] = {
		FIELD_TIME(IN_PAGE, "made", clock_wall_ns()),
		FIELD_WORD(IN_PAGE, "version", SIMHASH_VERSION),
		FIELD_TEXT(IN_PAGE, "index", bytes_of(origin->index)),
		FIELD_TEXT(IN_PAGE, "host", bytes_of(origin->host)),
		FIELD_TEXTS(IN_PAGE, "command", (const char *const *)origin->words,
			    (size_t)origin->word_count),
		FIELD_TEXTS(IN_PAGE, "directories", (const char *const *)origin->directories,
			    origin->directory_count),
		FIELDS_END,
	};

	record_write_members(out, RECORD_PAGE, fields);
}
