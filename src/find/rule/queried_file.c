/*
 * Releases a requested file.
 * SPDX-License-Identifier: MIT
 */
#include "find/rule/queried_file.h"

void queried_file_release(struct queried_file *queried)
{
	row_sketches_drop(queried->sketches);
	queried->sketches = NULL;
	arena_release(&queried->arena);
}
