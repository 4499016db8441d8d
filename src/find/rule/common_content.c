/*
 * Counts the parts of sketches. A family of a few versions is not common, and neither are parts
 * that agree by chance in a large index.
 * SPDX-License-Identifier: MIT
 */
#include "find/rule/common_content.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PARTS (SIMHASH_RESEMBLANCE_REGISTERS / 2)
#define VALUES 65536

/* A part is common if it occurs this often more than by chance. */
#define FAMILY 8
#define DEVIATIONS 4
/* Two contents have something in common that is not common if they share this many other parts. */
#define RARE_PARTS 3

struct common_content {
	unsigned common_from; /* the number of contents from which on a part is common */
	bool is_empty;
	uint8_t count[PARTS][VALUES]; /* at most UINT8_MAX */
};

struct common_content *common_content_new(void)
{
	struct common_content *common = calloc(1, sizeof *common);

	if (common != NULL) {
		common->common_from = UINT8_MAX + 1;
		common->is_empty = true;
	}
	return common;
}

void common_content_clear(struct common_content *common)
{
	if (common == NULL)
		return;
	if (!common->is_empty)
		memset(common->count, 0, sizeof common->count);
	common->common_from = UINT8_MAX + 1;
	common->is_empty = true;
}

/* The values of both registers of a part; 0 if one of them is empty. */
static unsigned part_of(const struct simhash_resemblance_sketch *sketch, unsigned part)
{
	unsigned first = sketch->registers[2 * part], second = sketch->registers[2 * part + 1];

	return first == 0 || second == 0 ? 0 : first << 8 | second;
}

void common_content_add(struct common_content *common,
			const struct simhash_resemblance_sketch *sketch)
{
	common->is_empty = false;
	for (unsigned p = 0; p < PARTS; p++) {
		uint8_t *count = &common->count[p][part_of(sketch, p)];
		*count = (uint8_t)(*count + (*count < UINT8_MAX));
	}
}

void common_content_settle(struct common_content *common, uint64_t contents)
{
	/* Registers have 255 values. */
	double chance = (double)contents / (255.0 * 255.0);
	double from = floor(FAMILY + chance + DEVIATIONS * sqrt(chance));

	common->common_from = from <= UINT8_MAX ? (unsigned)from : UINT8_MAX + 1;
}

bool is_common_content(const struct common_content *common,
		       const struct simhash_resemblance_sketch *x,
		       const struct simhash_resemblance_sketch *y)
{
	unsigned common_parts = 0, rare_parts = 0;

	if (common == NULL || common->common_from > UINT8_MAX)
		return false;
	for (unsigned p = 0; p < PARTS && rare_parts < RARE_PARTS; p++) {
		unsigned part = part_of(x, p);
		if (part == 0 || part != part_of(y, p))
			continue;
		if (common->count[p][part] >= common->common_from)
			common_parts++;
		else
			rare_parts++;
	}
	return rare_parts < RARE_PARTS && common_parts > rare_parts;
}
