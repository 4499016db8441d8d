/*
 * Checks lists of names that are terminated by zero bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_ZERO_LIST_H
#define SIMHASH_BASE_ZERO_LIST_H

#include "base/basic/bytes.h"
#include "simhash.h"

/*
 * A list without a zero byte is one name. If it has newlines, they were meant to terminate names.
 * Then return -1 with an error that shows the beginning of the list. `from` names the list.
 */
int refuse_lines(const char *from, struct bytes list, struct simhash_error *error);

#endif
