/*
 * The report of directories: pairs of folders that open to trees of their files. docs/report.md
 * describes the page.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_HTML_FOLDERS_H
#define SIMHASH_REPORT_HTML_FOLDERS_H

#include "find/folders/folders.h"
#include "report/page/html_page.h"

struct folder_report {
	struct page_origin origin;
	uint64_t pairs;		 /* that were found */
	uint64_t folders, files; /* that were compared; 0: two folders alone */
	char *const *names;	 /* two for each pair, which is what they are shown as */
	const struct folder_comparison *comparisons;
	size_t count;
};

/* Write the page; the caller checks the file's error state. */
void folder_report_write(FILE *out, const struct folder_report *report);

#endif
