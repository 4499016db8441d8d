/*
 * Writes the report of folders: pairs of folders. Each pair can be opened to show the tree of its
 * files. docs/report.md describes the page.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_HTML_FOLDERS_H
#define SIMHASH_REPORT_HTML_FOLDERS_H

#include "find/folders/folders.h"
#include "report/page/html_page.h"

struct folder_report {
	struct page_origin origin;
	uint64_t pairs;		 /* the number of found pairs */
	uint64_t folders, files; /* all compared folders and files; 0: two folders were given */
	char *const *names;	 /* the names to show, two for each pair */
	const struct folder_comparison *comparisons;
	size_t count;
};

/* Write the page. The caller checks the error state of `out`. */
void folder_report_write(FILE *out, const struct folder_report *report);

#endif
