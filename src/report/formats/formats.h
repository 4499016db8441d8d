/*
 * Finds the format of a list by its name.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_FORMATS_FORMATS_H
#define SIMHASH_REPORT_FORMATS_FORMATS_H

#include "report/lists/formatter.h"

/* Returns NULL if there is no format with this name. */
const struct formatter *formatter_find(const char *name);

#endif
