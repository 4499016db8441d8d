/*
 * Hashes keys that come from outside, such as names or an index that somebody else made. The hashes
 * differ in each process, so nobody can make keys that all have one slot. No reported result may
 * depend on them.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_SEED_H
#define SIMHASH_BASE_SEED_H

#include <stdint.h>

/* All bits of the hash are usable. Calls can be nested: hash_seeded(hash_seeded(a, b), c). */
uint64_t hash_seeded(uint64_t first, uint64_t second);

/* Hash 16 bytes. */
uint64_t hash_seeded_bytes(const uint8_t bytes[16]);

#endif
