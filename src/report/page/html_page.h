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

/* If there are more, the page leaves out groups, or the files of two folders, and says so. */
#define REPORT_FILES_MAX 300000

/* How a page was made, and the files that it is about. */
struct page_origin {
	const char *index, *host; /* the URL, which has no password, and this host's name */
	char *const *words;	  /* of the command line */
	int word_count;
	char **directories; /* the searched ones; "HOST:PATH" on another host */
	size_t directory_count, directory_capacity;
};

/* Write the part before the data. Returns the beginning of the rest. */
const char *page_begin(FILE *out, const char *template);
void page_end(FILE *out, const char *rest);

/* Write the first fields of the object with the data. */
void page_write_origin(FILE *out, const struct page_origin *origin);

#endif
