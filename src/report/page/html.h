/*
 * Writes the report: one page that needs no other file. It is a template with the results as JSON. The
 * script of the page reads the JSON, and inserts names and lines of files only as text. docs/report.md
 * describes the page and the decisions that it saves.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_HTML_H
#define SIMHASH_REPORT_HTML_H

#include <stdio.h>

#include "report/page/report.h"

/*
 * Write the page. The caller checks the error state of `out`. Returns -1 if memory is short or a
 * temporary file with groups cannot be read.
 */
int report_write(FILE *out, const struct report *report, struct simhash_error *error);

#endif
