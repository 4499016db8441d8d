/*
 * Allocates memory directly between pages that must not be touched, so that reading too far ends
 * the test.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_GUARDED_H
#define TESTS_GUARDED_H

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

struct guarded {
	uint8_t *map, *middle;
	size_t page, room;
};

static inline struct guarded guarded_new(size_t size)
{
	struct guarded g;

	g.page = (size_t)sysconf(_SC_PAGESIZE);
	g.room = (size + g.page - 1) / g.page * g.page;
	g.map = mmap(NULL, g.room + 2 * g.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	assert_true(g.map != MAP_FAILED);
	g.middle = g.map + g.page;
	assert_int_equal(mprotect(g.map, g.page, PROT_NONE), 0);
	assert_int_equal(mprotect(g.middle + g.room, g.page, PROT_NONE), 0);
	return g;
}

static inline void guarded_free(struct guarded g)
{
	munmap(g.map, g.room + 2 * g.page);
}

#endif
