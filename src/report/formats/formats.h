/*
 * The formats of a list, by name.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_FORMATS_FORMATS_H
#define SIMHASH_REPORT_FORMATS_FORMATS_H

#include "report/lists/formatter.h"

/* NULL when there is none of this name. */
const struct formatter *formatter_find(const char *name);

#endif
