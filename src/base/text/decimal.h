/*
 * Exact decimals: converts a text to an integer number of 10^-places. Also formats counts, sizes
 * and shares for display.
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
 * Read `length` bytes such as "12", "1.5" or ".25" as an unsigned decimal with
 * at most `places` digits after the point, in units of 10^-places.
 */
enum decimal_status decimal_parse(const char *text, size_t length, unsigned places, int64_t largest,
				  int64_t *value);

/* The size of a text without "%" or " %" at its end. */
size_t decimal_size(const char *text, bool *has_percent);

/*
 * A share of 0 to 1 as it can be shown in so many steps: all of it, or nothing, only where that is
 * exactly so. `is_whole`: what it is the share of is identical.
 */
double shown_share(double share, bool is_whole, unsigned steps);

/* 1234567 as "1,234,567" and bytes as "1.2 GB"; `buffer` has room for 32 bytes. */
const char *format_count(uint64_t count, char *buffer);
const char *format_bytes(double bytes, char *buffer);

#endif
