/*
 * Writes templates, and the origin of a page.
 * SPDX-License-Identifier: MIT
 */
#include "report/page/html_page.h"

#include <string.h>
#include <time.h>

#include "base/basic/bytes.h"
#include "report/page/html_text.h"

/* src/report/page/page.css and page.js. */
extern const char page_style[], page_script[];

static const char style_mark[] = "@STYLE@", script_mark[] = "@SCRIPT@", data_mark[] = "@DATA@";

/* Write up to a mark; returns what comes after it. */
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

static void write_made(FILE *out)
{
	time_t now = time(NULL);
	struct tm utc;
	char made[32] = "";

	if (gmtime_r(&now, &utc) != NULL)
		strftime(made, sizeof made, "%Y-%m-%dT%H:%M:%SZ", &utc);
	fprintf(out, "\"made\":\"%s\",\"version\":\"%s\"", made, SIMHASH_VERSION);
}

int page_write_origin(FILE *out, const struct page_origin *origin, struct simhash_error *error)
{
	write_made(out);
	fputs(",\"index\":", out);
	if (html_write_path(out, bytes_of(origin->index), error) != 0)
		return -1;
	fputs(",\"host\":", out);
	if (html_write_path(out, bytes_of(origin->host), error) != 0)
		return -1;
	fputs(",\"command\":[", out);
	for (int i = 0; i < origin->word_count; i++) {
		fputs(i == 0 ? "" : ",", out);
		if (html_write_path(out, bytes_of(origin->words[i]), error) != 0)
			return -1;
	}
	fputs("]", out);
	return 0;
}
