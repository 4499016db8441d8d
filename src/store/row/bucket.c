/*
 * Computes the bucket of a file from its size and keys.
 * SPDX-License-Identifier: MIT
 */
#include "store/row/bucket.h"

/*
 * A bucket combines three numbers: the class, and the steps of the default key and of the sum of
 * counts (uniform).
 */
#define STEPS INT64_C(16777216)

/* Return the class of a size, as in size_class, and the maximum difference of keys in it. */
static int64_t find_class(int64_t size, int64_t *reach)
{
	int64_t number = 0, low = 1, next = 2;

	while (next <= size) {
		number++;
		low = next;
		next = low > INT64_MAX / 3 * 2 ? INT64_MAX : low + (low + 1) / 2;
		if (next == INT64_MAX)
			break;
	}
	*reach = next / 100 + 2;
	return number;
}

int64_t bucket_of(const struct file_row *row)
{
	int64_t reach, class = find_class(row->size_bytes, &reach);

	return class * STEPS * STEPS +
	       row->keys.key[SIMHASH_SKEW_EXT] / (2 * reach) % STEPS * STEPS +
	       row->keys.key[SIMHASH_UNIFORM] / (2 * reach) % STEPS;
}
