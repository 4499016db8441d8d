/*
 * Converts exact decimals to integers in units of 10^-places, and formats counts, sizes and shares
 * for display.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_DECIMAL_H
#define SIMHASH_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum decimal_status {
	DECIMAL_OK,
	DECIMAL_SYNTAX, /* not digits with at most one point */
	DECIMAL_PLACES, /* more than `places` digits after the point */
	DECIMAL_RANGE	/* above `largest` */
};

/*
 * Read `length` bytes, such as "12", "1.5" or ".25", as an unsigned decimal with at most `places`
 * digits after the point, in units of 10^-places.
 */
enum decimal_status decimal_parse(const char *text, size_t length, unsigned places, int64_t largest,
				  int64_t *value);

/* The size of a text without "%" or " %" at its end. */
size_t decimal_size(const char *text, bool *has_percent);

/*
 * Adjust a share, 0 to 1, for a display in `steps` steps. Other shares than 0 and 1 are then never
 * shown as 0 or 1. `is_whole`: the two things whose share it is are identical.
 */
double shown_share(double share, bool is_whole, unsigned steps);

/*
 * Return a share in steps of 1 / `steps`, rounded down, for two things that are not identical: from
 * 0 to steps - 1, and 0 only if the share is exactly 0.
 */
unsigned share_in_steps(double share, unsigned steps);

/* Write 1234567 as "1,234,567", and bytes as "1.2 GB". `buffer` has room for 32 bytes. */
const char *format_count(uint64_t count, char *buffer);
const char *format_bytes(double bytes, char *buffer);

#endif
