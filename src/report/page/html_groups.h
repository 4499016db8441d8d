/*
 * Writes the groups of the report: their contents, the files of each content, and totals.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_HTML_GROUPS_H
#define SIMHASH_REPORT_HTML_GROUPS_H

#include "report/page/report.h"

/* Files with at least this resemblance, in percent, are nearly identical. */
#define NEARLY_PERCENT 90

/* Write fields of an object, with a comma before each field. */
int html_write_groups(FILE *out, const struct report *report, struct simhash_error *error);

#endif
