/*
 * Writes the parts that all report pages have: a template, with a common style and script in place of
 * @STYLE@ and @SCRIPT@, and data in place of @DATA@.
 *
 *     const char *rest = page_begin(out, report_template);
 *     ... write the data ...
 *     page_end(out, rest);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_HTML_PAGE_H
#define SIMHASH_REPORT_HTML_PAGE_H

#include <stdio.h>

/*
 * If there are more files than this, the page leaves out groups or the files of two folders, and
 * says so.
 */
#define REPORT_FILES_MAX 300000

/* How a page was made, and which files it covers. */
struct page_origin {
	/* The URL of the index, which has no password, and the name of this host. */
	const char *index, *host;
	char *const *words; /* the words of the command line */
	int word_count;
	char **directories; /* the searched directories, as "HOST:PATH" if they are on another host */
	size_t directory_count, directory_capacity;
};

/* Write the part of a template before the data. Returns the rest of the template. */
const char *page_begin(FILE *out, const char *template);
void page_end(FILE *out, const char *rest);

/* Write the first fields of the object with the data. */
void page_write_origin(FILE *out, const struct page_origin *origin);

#endif
