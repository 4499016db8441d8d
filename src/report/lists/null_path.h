/*
 * Paths ended by zero bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_NULL_PATH_H
#define SIMHASH_REPORT_NULL_PATH_H

#include <stdbool.h>
#include <stdio.h>

#include "base/basic/bytes.h"

/* On a terminal it is only to look at: escaped, a line each. */
void null_write_path(FILE *out, struct bytes path, bool is_terminal);

#endif
