/*
 * Defines a table that moves the kept bytes of 8 to the front, for the vector instructions that look
 * up bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_SQUEEZE_H
#define SIMHASH_CORE_SQUEEZE_H

#include <stdint.h>

/* The places of the set bits of `m`, one byte each, the lowest place in the lowest byte. */
#define PUT(m, i, places) ((places) << 8 * ((m) >> (i)&1) | (uint64_t)((i) * ((m) >> (i)&1)))
#define PLACES(m)     \
	PUT(m, 0,     \
	    PUT(m, 1, \
		PUT(m, 2, PUT(m, 3, PUT(m, 4, PUT(m, 5, PUT(m, 6, PUT(m, 7, UINT64_C(0)))))))))
#define PLACES_4(m) PLACES(m), PLACES((m) + 1), PLACES((m) + 2), PLACES((m) + 3)
#define PLACES_16(m) PLACES_4(m), PLACES_4((m) + 4), PLACES_4((m) + 8), PLACES_4((m) + 12)
#define PLACES_64(m) PLACES_16(m), PLACES_16((m) + 16), PLACES_16((m) + 32), PLACES_16((m) + 48)

static const uint64_t places_of[256] = {PLACES_64(0u), PLACES_64(64u), PLACES_64(128u),
					PLACES_64(192u)};

#endif
