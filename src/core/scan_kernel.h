/*
 * What a scan kernel is: one way to count the tags of a run of bytes, exact on
 * every input and every cut of it. scan.c chooses one for the machine.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_SCAN_KERNEL_H
#define SIMHASH_CORE_SCAN_KERNEL_H

#include <stdbool.h>

#include "simhash.h"

struct scan_kernel {
	const char *name;
	bool (*is_supported)(void); /* by the processor */
	/*
	 * scanner->state is all zero before the first call. state[0] is an entry of the
	 * automaton, for all kernels; state[1] is the kernel's own.
	 */
	void (*update)(struct simhash_scanner *scanner, const uint8_t *bytes, size_t size_bytes);
};

/* The automaton in eight lanes of portable C. */
extern const struct scan_kernel scan_kernel_portable;

/* lanes_template.h in each instruction set. */
extern const struct scan_kernel scan_kernel_avx2;
extern const struct scan_kernel scan_kernel_avx512;
extern const struct scan_kernel scan_kernel_neon;

#endif
