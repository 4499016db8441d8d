/*
 * Writes the report of directories: pairs of folders that open to trees of their files.
 * docs/report.md describes the page.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_HTML_FOLDERS_H
#define SIMHASH_REPORT_HTML_FOLDERS_H

#include "find/folders/folders.h"
#include "report/page/html_page.h"

struct folder_report {
	struct page_origin origin;
	uint64_t pairs;		 /* the number of pairs found */
	uint64_t folders, files; /* the numbers that were compared; 0: two folders only */
	char *const *names;	 /* two for each pair: the displayed names */
	const struct folder_comparison *comparisons;
	size_t count;
};

/* Write the page; the caller checks the error state of the file. */
void folder_report_write(FILE *out, const struct folder_report *report);

#endif
