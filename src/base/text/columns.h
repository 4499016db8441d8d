/*
 * The width of a text on a terminal, and texts shortened to a width.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_COLUMNS_H
#define SIMHASH_BASE_COLUMNS_H

#include <stddef.h>

#include "base/basic/bytes.h"

/* The columns of a valid UTF-8 text; those of control sequences of colour (ECMA-48) are none. */
size_t text_columns(struct bytes text);

/* What stands for the middle of a text that is too wide. */
#define LEFT_OUT "..."

/*
 * The bytes at both ends of an escaped text that fit into `columns` with LEFT_OUT between, one part
 * in three at its beginning. No number is cut, nor a character or an escape, so either may be 0.
 * A text that fits is all `head`.
 */
struct text_ends {
	size_t head, tail;
};
struct text_ends text_shorten(struct bytes text, size_t columns);

#endif
