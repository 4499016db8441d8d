/*
 * Paths as fields of CSV.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_CSV_PATH_H
#define SIMHASH_REPORT_CSV_PATH_H

#include <stdbool.h>
#include <stdio.h>

#include "base/basic/bytes.h"

/*
 * Byte for byte, quoted where it needs that; to a terminal escaped. A path that begins with = + - @,
 * a tab, a line break or an apostrophe has an apostrophe before it: to a spreadsheet it is text.
 */
void csv_write_path(FILE *out, struct bytes path, bool is_terminal);

#endif
