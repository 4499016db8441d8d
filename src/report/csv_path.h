/*
 * Paths as fields of CSV.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_CSV_PATH_H
#define SIMHASH_REPORT_CSV_PATH_H

#include <stdbool.h>
#include <stdio.h>

#include "base/bytes.h"

/* Byte for byte, quoted where it needs that; to a terminal escaped. */
void csv_write_path(FILE *out, struct bytes path, bool is_terminal);

#endif
