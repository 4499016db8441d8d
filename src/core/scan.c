/*
 * Runs the streaming scan (paper, 4.1) and chooses its kernel.
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/basic/error.h"
#include "core/scan_kernel.h"

/* Fastest first; the last one runs everywhere. */
static const struct scan_kernel *const kernels[] = {
#ifdef SIMHASH_X86_KERNELS
	&scan_kernel_avx512vbmi, &scan_kernel_avx512, &scan_kernel_avx2,
#endif
#ifdef SIMHASH_ARM_KERNELS
	&scan_kernel_neon,
#endif
	&scan_kernel_portable,
};

#define KERNELS (sizeof kernels / sizeof *kernels)

/* The kernel in use, NULL until the first use. */
static const struct scan_kernel *_Atomic chosen;

const struct scan_kernel *scan_kernel(void)
{
	const struct scan_kernel *known = atomic_load_explicit(&chosen, memory_order_relaxed);
	size_t i = 0;

	if (known != NULL)
		return known;
	while (!kernels[i]->is_supported())
		i++;
	atomic_store_explicit(&chosen, kernels[i], memory_order_relaxed);
	return kernels[i];
}

const char *simhash_kernel_name(void)
{
	return scan_kernel()->name;
}

int simhash_kernel_select(const char *name, struct simhash_error *error)
{
	char names[128] = "";

	for (size_t i = 0; i < KERNELS; i++) {
		size_t length = strlen(names);
		if (!kernels[i]->is_supported())
			continue;
		if (strcmp(kernels[i]->name, name) == 0) {
			atomic_store_explicit(&chosen, kernels[i], memory_order_relaxed);
			return 0;
		}
		snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "",
			 kernels[i]->name);
	}
	return error_set(error, SIMHASH_E_RANGE,
			 "scan kernel '%s': expected one that this machine has: %s", name, names);
}

void simhash_scanner_init(struct simhash_scanner *scanner, const struct simhash_tag_set *tag_set)
{
	memset(scanner, 0, sizeof *scanner);
	scanner->tag_set = tag_set;
}

void simhash_scanner_update(struct simhash_scanner *scanner, const void *bytes, size_t size_bytes)
{
	scan_kernel()->update(scanner, bytes, size_bytes);
}

void simhash_sum_table_compute(const struct simhash_tag_set *tag_set, const void *bytes,
			       size_t size_bytes, struct simhash_sum_table *table)
{
	struct simhash_scanner scanner;

	simhash_scanner_init(&scanner, tag_set);
	simhash_scanner_update(&scanner, bytes, size_bytes);
	simhash_scanner_finish(&scanner, table);
}

void simhash_scanner_finish(const struct simhash_scanner *scanner, struct simhash_sum_table *table)
{
	*table = scanner->table;
}
