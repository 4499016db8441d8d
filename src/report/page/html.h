/*
 * Writes the report: a single page, made from a template and the results as JSON. The page's script
 * reads the JSON, and inserts names and lines of files only as text. docs/report.md describes the
 * page and the decisions that it saves.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_HTML_H
#define SIMHASH_REPORT_HTML_H

#include <stdio.h>

#include "report/page/report.h"

/*
 * Write the page; the caller checks the error state of the file. -1: no memory, or groups in a
 * temporary file cannot be read.
 */
int report_write(FILE *out, const struct report *report, struct simhash_error *error);

#endif
