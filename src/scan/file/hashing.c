/*
 * Computes hashes with Nettle, whose functions cannot fail and need no global state.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/hashing.h"

#include <stdbool.h>
#include <stdlib.h>

#include <nettle/nettle-meta.h>
#include <nettle/version.h>

#include "base/basic/error.h"

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor) "nettle " TEXT_OF(major) "." TEXT_OF(minor)

struct hashing {
	void *states[FILE_HASHES]; /* NULL: not requested */
};

static const struct nettle_hash *kind_of(int hash)
{
	const struct nettle_hash *const kinds[] = {&nettle_md5, &nettle_sha1, &nettle_sha256};

	return kinds[hash];
}

const char *hashing_library(void)
{
	return VERSION_TEXT(NETTLE_VERSION_MAJOR, NETTLE_VERSION_MINOR);
}

int hashing_new(unsigned wanted, struct hashing **hashing, struct simhash_error *error)
{
	struct hashing *made = calloc(1, sizeof *made);
	bool is_complete = made != NULL;

	*hashing = NULL;
	for (int i = 0; is_complete && i < FILE_HASHES; i++)
		if ((wanted & 1U << i) != 0) {
			made->states[i] = malloc(kind_of(i)->context_size);
			is_complete = made->states[i] != NULL;
		}
	if (!is_complete) {
		hashing_free(made);
		return error_set_memory(error);
	}
	*hashing = made;
	return 0;
}

void hashing_free(struct hashing *hashing)
{
	for (int i = 0; hashing != NULL && i < FILE_HASHES; i++)
		free(hashing->states[i]);
	free(hashing);
}

void hashing_begin(struct hashing *hashing)
{
	for (int i = 0; i < FILE_HASHES; i++)
		if (hashing->states[i] != NULL)
			kind_of(i)->init(hashing->states[i]);
}

void hashing_add(struct hashing *hashing, const void *bytes, size_t size)
{
	for (int i = 0; i < FILE_HASHES; i++)
		if (hashing->states[i] != NULL)
			kind_of(i)->update(hashing->states[i], size, bytes);
}

void hashing_end(struct hashing *hashing, uint8_t *out)
{
	for (int i = 0; i < FILE_HASHES; i++) {
		if (hashing->states[i] == NULL)
			continue;
#if NETTLE_VERSION_MAJOR >= 4
		kind_of(i)->digest(hashing->states[i], out);
#else
		kind_of(i)->digest(hashing->states[i], file_hash_size((enum file_hash)i), out);
#endif
		out += file_hash_size((enum file_hash)i);
	}
}
