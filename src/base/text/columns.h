/*
 * Measures the width of a text on a terminal, and shortens texts to a width.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_COLUMNS_H
#define SIMHASH_BASE_COLUMNS_H

#include <stddef.h>

#include "base/basic/bytes.h"

/*
 * Return the columns of a valid UTF-8 text. Control sequences for colour (ECMA-48) take no column.
 */
size_t text_columns(struct bytes text);

/* Replaces the middle of a text that is too wide. */
#define LEFT_OUT "..."

/*
 * Find the beginning and the end of an escaped text that fit into `columns` with LEFT_OUT between
 * them. The beginning gets one third. Numbers, characters and escapes are not cut, so a part may be
 * empty. A text that fits is all `head`.
 */
struct text_ends {
	size_t head, tail;
};
struct text_ends text_shorten(struct bytes text, size_t columns);

#endif
