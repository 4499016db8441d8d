/*
 * Computes the keys of a sum table and the extension shift (paper, 4.1 and 5.1).
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <zlib.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "simhash.h"

__extension__ typedef unsigned __int128 wide;

static const char *const key_names[SIMHASH_KEYS] = {
	[SIMHASH_UNIFORM] = "uniform",
	[SIMHASH_SCATTER] = "scatter",
	[SIMHASH_SKEW] = "skew",
	[SIMHASH_UNIFORM_EXT] = "uniform_ext",
	[SIMHASH_SCATTER_EXT] = "scatter_ext",
	[SIMHASH_SKEW_EXT] = "skew_ext",
};

const char *simhash_key_name(enum simhash_key key)
{
	return (unsigned)key < SIMHASH_KEYS ? key_names[key] : NULL;
}

int simhash_key_parse(const char *name, enum simhash_key *key, struct simhash_error *error)
{
	for (int i = 0; i < SIMHASH_KEYS; i++)
		if (strcmp(name, key_names[i]) == 0) {
			*key = (enum simhash_key)i;
			return 0;
		}
	return error_set(error, SIMHASH_E_RANGE,
			 "unknown key '%s': expected uniform, scatter, skew, uniform_ext, "
			 "scatter_ext or skew_ext",
			 name);
}

size_t simhash_extension(const char *name, size_t name_length, const char **extension)
{
	*extension = name + name_length;
	for (size_t i = name_length; i > 1; i--)
		if (name[i - 1] == '.') {
			*extension = name + i;
			return name_length - i;
		}
	return 0;
}

uint32_t simhash_extension_hash(const char *name, size_t name_length)
{
	const char *extension;
	size_t length = simhash_extension(name, name_length, &extension);
	char lower[3];

	if (length > sizeof lower)
		length = sizeof lower;
	ascii_lower_copy(lower, extension, length);
	return length == 0 ? 0 : (uint32_t)crc32(0, (const Bytef *)lower, (uInt)length);
}

static int64_t add_saturating(int64_t sum, wide term)
{
	wide total = (wide)sum + term;

	return total > INT64_MAX ? INT64_MAX : (int64_t)total;
}

void simhash_keys_compute(const struct simhash_tag_set *tag_set,
			  const struct simhash_sum_table *table, const char *name,
			  size_t name_length, struct simhash_keys *keys)
{
	const struct simhash_tag *tags = simhash_tag_set_tags(tag_set);
	/* h * MAX_INT with h = crc / 2^32 and MAX_INT = 2^62. */
	uint64_t shift = (uint64_t)simhash_extension_hash(name, name_length) << 30;
	int64_t uniform = 0, scatter = 0, skew = 0;

	for (int i = 0; i < SIMHASH_TAGS; i++) {
		wide count = table->count[i];
		uniform = add_saturating(uniform, count * tags[i].uniform / 1000);
		scatter = add_saturating(scatter, count * tags[i].scatter / 1000);
		skew = add_saturating(skew, count * tags[i].skew / 1000);
	}
	keys->key[SIMHASH_UNIFORM] = uniform;
	keys->key[SIMHASH_SCATTER] = scatter;
	keys->key[SIMHASH_SKEW] = skew;
	keys->key[SIMHASH_UNIFORM_EXT] = add_saturating(uniform, shift);
	keys->key[SIMHASH_SCATTER_EXT] = add_saturating(scatter, shift);
	keys->key[SIMHASH_SKEW_EXT] = add_saturating(skew, shift);
}
