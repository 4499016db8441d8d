/*
 * Makes malloc return large pieces of freed memory to the system.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_MEMORY_H
#define SIMHASH_BASE_MEMORY_H

#include <stdlib.h> /* which tells the library */

#ifdef __GLIBC__
#include <malloc.h>
#endif

/*
 * Have large pieces go back to the system when they are freed, however many there were before. glibc
 * would take larger and larger ones from what a thread keeps to itself, where they stay. From 1 MiB on
 * it would cost a tenth of the time of finding, for new pages. For a program to call at its begin, and
 * not for a library.
 */
static inline void memory_return_large(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 8 << 20);
#endif
}

#endif
