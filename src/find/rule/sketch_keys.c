/*
 * Makes the keys of a sketch from its registers.
 * SPDX-License-Identifier: MIT
 */
#include "find/rule/sketch_keys.h"

#include <string.h>

#define REGISTERS SIMHASH_RESEMBLANCE_REGISTERS

_Static_assert(sizeof(struct sketch_keys) == REGISTERS, "four registers a key");

/*
 * Empty registers get the value of the next register that is not empty, changed by its distance.
 * Otherwise files with few shingles would share no key.
 */
void sketch_keys_make(const struct simhash_resemblance_sketch *sketch, struct sketch_keys *keys)
{
	uint8_t filled[REGISTERS], value = 0;
	unsigned distance = 0;

	if (memchr(sketch->registers, 0, REGISTERS) == NULL) {
		memcpy(keys->key, sketch->registers, REGISTERS);
		return;
	}
	for (unsigned i = 2 * REGISTERS; i-- > 0;) {
		uint8_t own = sketch->registers[i % REGISTERS];
		distance = own != 0 ? 0 : distance + 1;
		value = own != 0 ? own : value;
		filled[i % REGISTERS] = (uint8_t)(value + distance * 37);
	}
	memcpy(keys->key, filled, sizeof filled);
}

bool sketches_share_key(const struct simhash_resemblance_sketch *x,
			const struct simhash_resemblance_sketch *y)
{
	struct sketch_keys keys_x, keys_y;

	sketch_keys_make(x, &keys_x);
	sketch_keys_make(y, &keys_y);
	for (unsigned k = 0; k < SKETCH_KEYS; k++)
		if (keys_x.key[k] == keys_y.key[k])
			return true;
	return false;
}

bool sketch_has_shingles(const struct find_file *file)
{
	static const struct simhash_resemblance_sketch blank;

	return file->has_sketch && memcmp(&file->sketch, &blank, sizeof blank) != 0;
}
