/*
 * For unit tests that run on each engine: the index that on_engine.sh names.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_ENGINE_H
#define TESTS_ENGINE_H

#include <stdbool.h>

#include "scan/archive/sandbox_area.h"
#include "store/engine/location.h"
#include "store/row/file_row.h"

/* A sanitizer makes what is tried a thousand times take minutes. */
#define IS_SLOW HAS_SANITIZER

struct store;

/* Make the index of TEST_URL anew and open it to write. */
struct store *engine_fresh_store(void);

/* Open it once more. */
struct store *engine_open_store(enum open_mode mode);

/* A row with a path and a size; all else is derived from `seed`. Borrows the strings. */
struct file_row engine_row(const char *directory, const char *name, uint64_t seed);

#endif
