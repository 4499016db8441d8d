/*
 * Counts how many contents have the same parts of a sketch, and recognizes pairs that have only
 * common content together, such as letters with one letterhead or sources with one licence.
 *
 *     common = common_content_new();
 *     common_content_add(common, &sketch);    // once for each content
 *     common_content_settle(common, contents);
 *     is_common_content(common, &x, &y);
 *     free(common);
 *
 * A part of a sketch is two neighbouring registers, so there are 64 parts. The part of a passage
 * that many contents have is the same in many of their sketches.
 *
 * Any number of threads may ask while no thread adds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_COMMON_CONTENT_H
#define SIMHASH_FIND_COMMON_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "simhash_resemblance.h"

struct common_content;

/* It takes 4 MiB when it is used, and no content is common. Returns NULL without memory. */
struct common_content *common_content_new(void);

/* Forget all contents, so that no content is common. It may be NULL. */
void common_content_clear(struct common_content *common);

void common_content_add(struct common_content *common,
			const struct simhash_resemblance_sketch *sketch);

/* All contents were added; this is their number. */
void common_content_settle(struct common_content *common, uint64_t contents);

/*
 * Do two contents share mainly parts that many contents have, and hardly any other? This is false
 * if `common` is NULL.
 */
bool is_common_content(const struct common_content *common,
		       const struct simhash_resemblance_sketch *x,
		       const struct simhash_resemblance_sketch *y);

#endif
