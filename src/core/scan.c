/*
 * The streaming scan (paper, 4.1) and the choice of its kernel.
 * Leaves the counting itself to the kernels.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/scan_kernel.h"

/* Fastest first; the last one runs everywhere. */
static const struct scan_kernel *const kernels[] = {
#ifdef SIMHASH_X86_KERNELS
	&scan_kernel_avx2,
#endif
	&scan_kernel_portable,
};

static const struct scan_kernel *kernel(void)
{
	size_t i = 0;

	while (!kernels[i]->is_supported())
		i++;
	return kernels[i];
}

const char *simhash_kernel_name(void)
{
	return kernel()->name;
}

void simhash_scanner_init(struct simhash_scanner *scanner, const struct simhash_tag_set *tag_set)
{
	memset(scanner, 0, sizeof *scanner);
	scanner->tag_set = tag_set;
}

void simhash_scanner_update(struct simhash_scanner *scanner, const void *bytes, size_t size_bytes)
{
	kernel()->update(scanner, bytes, size_bytes);
}

void simhash_scanner_finish(const struct simhash_scanner *scanner, struct simhash_sum_table *table)
{
	*table = scanner->table;
}
