/*
 * Defines a scan kernel: a way to count the tags of consecutive bytes, to sample their shingles,
 * and to replace white space. * The result is exact for every input and every division into calls. scan.c chooses a kernel for
 * the machine.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_SCAN_KERNEL_H
#define SIMHASH_CORE_SCAN_KERNEL_H

#include <stdbool.h>

#include "simhash.h"

struct resemblance_registers;

struct scan_kernel {
	const char *name;
	bool (*is_supported)(void); /* can the processor run it? */
	/*
	 * scanner->state is zero before the first call. For all kernels, state[0] is an entry of
	 * the automaton. Each kernel may use state[1].
	 */
	void (*update)(struct simhash_scanner *scanner, const uint8_t *bytes, size_t size_bytes);
	/*
	 * Add the shingles at `positions` bytes; SHINGLE_OVERLAP more bytes must be readable. The
	 * first position is the beginning of a block.
	 */
	void (*add_shingles)(struct resemblance_registers *registers, unsigned level,
			     const uint8_t *bytes, size_t positions);
	/*
	 * Copy bytes, but a run of white space as one blank. *is_after_white: was the byte before
	 * them white space? It is updated. Returns the number of bytes written; SQUEEZE_SLACK more
	 * may be changed.
	 */
	size_t (*squeeze)(uint8_t *out, const uint8_t *bytes, size_t size, bool *is_after_white);
};

/* Return the kernel in use. */
const struct scan_kernel *scan_kernel(void);

/* The automaton in eight lanes of portable C. */
extern const struct scan_kernel scan_kernel_portable;

/* lanes_template.h for each instruction set. */
extern const struct scan_kernel scan_kernel_avx2;
extern const struct scan_kernel scan_kernel_avx512;
extern const struct scan_kernel scan_kernel_avx512vbmi;
extern const struct scan_kernel scan_kernel_neon;

/* resemblance_template.h for each instruction set. */
void add_shingles_portable(struct resemblance_registers *registers, unsigned level,
			   const uint8_t *bytes, size_t positions);
void add_shingles_avx2(struct resemblance_registers *registers, unsigned level,
		       const uint8_t *bytes, size_t positions);
void add_shingles_avx512(struct resemblance_registers *registers, unsigned level,
			 const uint8_t *bytes, size_t positions);
void add_shingles_neon(struct resemblance_registers *registers, unsigned level,
		       const uint8_t *bytes, size_t positions);

/* For the bytes after the last whole vector, the others call the first. */
size_t squeeze_portable(uint8_t *out, const uint8_t *bytes, size_t size, bool *is_after_white);
size_t squeeze_avx2(uint8_t *out, const uint8_t *bytes, size_t size, bool *is_after_white);
size_t squeeze_neon(uint8_t *out, const uint8_t *bytes, size_t size, bool *is_after_white);

#endif
