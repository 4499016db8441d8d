/*
 * Chooses a random seed for the process and hashes with folded 128-bit products.
 * SPDX-License-Identifier: MIT
 */
#include "base/basic/seed.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if __has_include(<sys/random.h>)
#include <sys/random.h> /* getentropy() of macOS */
#endif

__extension__ typedef unsigned __int128 wide;

static uint64_t seed[2];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t fold(uint64_t x, uint64_t y)
{
	wide product = (wide)x * y;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A system without random numbers has times and addresses, which are hard to guess. */
static void choose_without_entropy(void)
{
	struct timespec now = {.tv_sec = 0};

	clock_gettime(CLOCK_REALTIME, &now);
	seed[0] = fold((uint64_t)now.tv_nsec ^ UINT64_C(0x9e3779b97f4a7c15),
		       (uint64_t)(uintptr_t)&now ^ UINT64_C(0xbf58476d1ce4e5b9));
	seed[1] = fold((uint64_t)now.tv_sec ^ seed[0],
		       (uint64_t)getpid() ^ UINT64_C(0x94d049bb133111eb));
}

static void choose_seed(void)
{
	if (getentropy(seed, sizeof seed) != 0)
		choose_without_entropy();
}

uint64_t hash_seeded(uint64_t first, uint64_t second)
{
	uint64_t hash;

	pthread_once(&once, choose_seed);
	/* Low bits of a product depend on few bits of its factors, so fold again. */
	hash = fold(first ^ seed[0], second ^ seed[1]);
	return fold(hash ^ seed[1], UINT64_C(0x9e3779b97f4a7c15));
}

uint64_t hash_seeded_bytes(const uint8_t bytes[16])
{
	uint64_t halves[2];

	memcpy(halves, bytes, sizeof halves);
	return hash_seeded(halves[0], halves[1]);
}
