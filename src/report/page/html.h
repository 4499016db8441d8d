/*
 * Writes the report: one page that needs no other file, made of a template with the results as JSON
 * in it. The page's script reads the JSON, and inserts names and lines of files only as text.
 * docs/report.md describes the page, and the decisions that it saves.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_HTML_H
#define SIMHASH_REPORT_HTML_H

#include <stdio.h>

#include "report/page/report.h"

/*
 * Write the page; the caller checks the file's error state. -1: no memory, or groups that wait in a
 * temporary file cannot be read.
 */
int report_write(FILE *out, const struct report *report, struct simhash_error *error);

#endif
