/*
 * Releasing a file that was asked for.
 * SPDX-License-Identifier: MIT
 */
#include "find/rule/asked_file.h"

void asked_file_release(struct asked_file *asked)
{
	row_sketches_drop(asked->sketches);
	asked->sketches = NULL;
	arena_release(&asked->arena);
}
