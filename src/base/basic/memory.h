/*
 * Makes malloc return large pieces of freed memory to the system.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_MEMORY_H
#define SIMHASH_BASE_MEMORY_H

#include <stdlib.h> /* defines __GLIBC__ */

#ifdef __GLIBC__
#include <malloc.h>
#endif

/*
 * Make glibc return pieces above 8 MiB to the system when they are freed. Otherwise glibc raises
 * its limit whenever a program frees a larger piece, and later pieces stay in the memory that
 * threads keep. A limit of 1 MiB would make finding a tenth slower, because of new pages. Programs
 * call this at their start; a library must not.
 */
static inline void memory_return_large(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 8 << 20);
#endif
}

#endif
