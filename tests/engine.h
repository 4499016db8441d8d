/*
 * Opens the index for unit tests that run on each engine. on_engine.sh sets its URL.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_ENGINE_H
#define TESTS_ENGINE_H

#include <stdbool.h>

#include "scan/archive/sandbox_area.h"
#include "store/engine/location.h"
#include "store/row/file_row.h"

/* Under a sanitizer, a thousand repetitions take minutes. */
#define IS_SLOW HAS_SANITIZER

struct store;

/* Create the index of TEST_URL again and open it for writing. */
struct store *engine_fresh_store(void);

/* Open it a second time. */
struct store *engine_open_store(enum open_mode mode);

/*
 * A row with a path and a size; everything else is derived from `seed`. The strings must stay
 * valid.
 */
struct file_row engine_row(const char *directory, const char *name, uint64_t seed);

#endif
