/*
 * Decides whether two files are close: computes the limits of keys, sizes and sum tables (paper,
 * 4.2). All values are integers, so every floor is exact. The search is in src/find.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/basic/error.h"
#include "base/text/decimal.h"
#include "simhash.h"

__extension__ typedef unsigned __int128 wide;

/* T percent of x is x * percent_millionths / HUNDRED_PERCENT. */
#define HUNDRED_PERCENT (100 * SIMHASH_MILLION)

/* The first `size` bytes of a text. */
static int parse(const char *text, size_t size, const char *what, int64_t minimum, int64_t maximum,
		 int64_t *value, struct simhash_error *error)
{
	enum decimal_status status = decimal_parse(text, size, 6, INT64_MAX, value);

	if (status == DECIMAL_OK && *value >= minimum && *value <= maximum)
		return 0;
	return error_set(error,
			 status == DECIMAL_SYNTAX || status == DECIMAL_PLACES ? SIMHASH_E_SYNTAX
									      : SIMHASH_E_RANGE,
			 "%s '%s': expected a number from %d to %d with at most six decimal places",
			 what, text, (int)(minimum / SIMHASH_MILLION),
			 (int)(maximum / SIMHASH_MILLION));
}

int simhash_tolerance_from_percent(double percent, struct simhash_tolerance *tolerance,
				   struct simhash_error *error)
{
	*tolerance = (struct simhash_tolerance)SIMHASH_TOLERANCE_DEFAULT;
	/* This form also rejects not-a-number. */
	if (!(percent >= 0 && percent <= 100))
		return error_set(error, SIMHASH_E_RANGE,
				 "tolerance %g: expected a number from 0 to 100", percent);
	tolerance->percent_millionths = (int64_t)(percent * (double)SIMHASH_MILLION + 0.5);
	return 0;
}

int simhash_tolerance_parse(const char *text, int64_t *percent_millionths,
			    struct simhash_error *error)
{
	bool has_percent;

	return parse(text, decimal_size(text, &has_percent), "tolerance", 0, HUNDRED_PERCENT,
		     percent_millionths, error);
}

int simhash_size_ratio_parse(const char *text, int64_t *ratio_millionths,
			     struct simhash_error *error)
{
	return parse(text, strlen(text), "size ratio", SIMHASH_MILLION,
		     SIMHASH_MILLION * SIMHASH_MILLION, ratio_millionths, error);
}

int64_t simhash_key_reach(const struct simhash_tolerance *tolerance, int64_t larger_size_bytes)
{
	wide reach = (wide)larger_size_bytes * (wide)tolerance->percent_millionths /
		     (wide)HUNDRED_PERCENT;

	return reach < 1 ? 1 : (int64_t)reach;
}

/*
 * An integer is at most floor(x) if and only if it is at most x, so the limits need no division: d
 * <= floor(T/100 * s) is d * HUNDRED_PERCENT <= T_millionths * s.
 */
bool simhash_key_hit(const struct simhash_tolerance *tolerance, const struct simhash_file *a,
		     const struct simhash_file *b)
{
	uint64_t apart = a->key > b->key ? (uint64_t)a->key - (uint64_t)b->key
					 : (uint64_t)b->key - (uint64_t)a->key;
	int64_t larger = a->size_bytes > b->size_bytes ? a->size_bytes : b->size_bytes;

	return apart <= 1 || (wide)apart * (wide)HUNDRED_PERCENT <=
				     (wide)larger * (wide)tolerance->percent_millionths;
}

bool simhash_sum_table_hit(const struct simhash_tolerance *tolerance, uint64_t distance,
			   int64_t size_a_bytes, int64_t size_b_bytes)
{
	wide sizes = (wide)size_a_bytes + (wide)size_b_bytes;
	wide twice_hundred_percent = 2 * (uint64_t)HUNDRED_PERCENT;

	return distance <= 1 ||
	       distance * twice_hundred_percent <= sizes * (uint64_t)tolerance->percent_millionths;
}

bool simhash_sizes_agree(const struct simhash_tolerance *tolerance, int64_t size_a_bytes,
			 int64_t size_b_bytes)
{
	int64_t larger = size_a_bytes > size_b_bytes ? size_a_bytes : size_b_bytes;
	int64_t smaller = size_a_bytes > size_b_bytes ? size_b_bytes : size_a_bytes;

	return (wide)larger * (wide)SIMHASH_MILLION <=
	       (wide)smaller * (wide)tolerance->size_ratio_millionths;
}

int64_t simhash_largest_partner(const struct simhash_tolerance *tolerance, int64_t size_bytes)
{
	wide largest =
		(wide)size_bytes * (wide)tolerance->size_ratio_millionths / (wide)SIMHASH_MILLION;

	return largest > INT64_MAX ? INT64_MAX : (int64_t)largest;
}

uint64_t simhash_distance(const struct simhash_sum_table *a, const struct simhash_sum_table *b)
{
	uint64_t distance = 0;

	for (int i = 0; i < SIMHASH_TAGS; i++) {
		uint64_t x = a->count[i], y = b->count[i];
		uint64_t difference = x > y ? x - y : y - x;
		uint64_t sum = distance + difference;
		distance = sum < difference ? UINT64_MAX : sum;
	}
	return distance;
}
