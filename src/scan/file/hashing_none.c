/*
 * Replaces hashing.c in a build without Nettle, which makes no additional hashes.
 * SPDX-License-Identifier: MIT
 */
#include "base/basic/error.h"
#include "scan/file/hashing.h"

const char *hashing_library(void)
{
	return NULL;
}

int hashing_new(unsigned wanted, struct hashing **hashing, struct simhash_error *error)
{
	(void)wanted;
	*hashing = NULL;
	return error_set(error, SIMHASH_E_RANGE, "this simhash was built without Nettle");
}

void hashing_free(struct hashing *hashing)
{
	(void)hashing;
}

void hashing_begin(struct hashing *hashing)
{
	(void)hashing;
}

void hashing_add(struct hashing *hashing, const void *bytes, size_t size)
{
	(void)hashing;
	(void)bytes;
	(void)size;
}

void hashing_end(struct hashing *hashing, uint8_t *out)
{
	(void)hashing;
	(void)out;
}
