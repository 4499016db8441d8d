/*
 * Computes the resemblance sketch of a content that arrives in pieces: holds back bytes until they
 * fill a block, and reads whole blocks in place.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "core/resemblance.h"

/* The first bytes wait until the level is known, and later ones until they fill a block. */
struct simhash_resemblance_scanner {
	struct resemblance_registers registers;
	uint64_t offset; /* the offset of `held` in the content */
	size_t held_size;
	uint8_t held[RESEMBLANCE_LEVEL_KNOWN];
};

int simhash_resemblance_scanner_new(struct simhash_resemblance_scanner **scanner,
				    struct simhash_error *error)
{
	*scanner = malloc(sizeof **scanner);
	if (*scanner == NULL)
		return error_set_memory(error);
	simhash_resemblance_scanner_begin(*scanner);
	return 0;
}

void simhash_resemblance_scanner_free(struct simhash_resemblance_scanner *scanner)
{
	free(scanner);
}

void simhash_resemblance_scanner_begin(struct simhash_resemblance_scanner *scanner)
{
	resemblance_begin(&scanner->registers);
	scanner->offset = 0;
	scanner->held_size = 0;
}

static void hold(struct simhash_resemblance_scanner *scanner, const uint8_t *bytes, size_t size)
{
	memcpy(scanner->held + scanner->held_size, bytes, size);
	scanner->held_size += size;
}

/* Add all whole blocks of the next bytes. Returns their size. */
static size_t add_blocks(struct simhash_resemblance_scanner *scanner, const uint8_t *bytes,
			 size_t size)
{
	size_t blocks = size - SHINGLE_OVERLAP;

	blocks -= blocks % RESEMBLANCE_BLOCK;
	resemblance_add(&scanner->registers, RESEMBLANCE_LEVEL_MAX, scanner->offset, bytes,
			blocks + SHINGLE_OVERLAP);
	scanner->offset += blocks;
	return blocks;
}

/* Return the number of bytes that make a block with its overlap. */
static size_t wanted(const struct simhash_resemblance_scanner *scanner)
{
	return scanner->offset == 0 ? RESEMBLANCE_LEVEL_KNOWN : RESEMBLANCE_BLOCK + SHINGLE_OVERLAP;
}

/* Fill `held` and add it. Returns the number of bytes that are done. */
static size_t add_held(struct simhash_resemblance_scanner *scanner, const uint8_t *bytes)
{
	size_t taken = wanted(scanner) - scanner->held_size, added;

	hold(scanner, bytes, taken);
	added = add_blocks(scanner, scanner->held, scanner->held_size);
	if (taken >= SHINGLE_OVERLAP) {
		scanner->held_size = 0;
		return taken - SHINGLE_OVERLAP;
	}
	memmove(scanner->held, scanner->held + added, SHINGLE_OVERLAP);
	scanner->held_size = SHINGLE_OVERLAP;
	return taken;
}

void simhash_resemblance_scanner_update(struct simhash_resemblance_scanner *scanner,
					const void *bytes, size_t size_bytes)
{
	const uint8_t *next = bytes;

	while (scanner->held_size + size_bytes >= wanted(scanner)) {
		size_t done = scanner->held_size > 0 ? add_held(scanner, next)
						     : add_blocks(scanner, next, size_bytes);
		next += done;
		size_bytes -= done;
	}
	if (size_bytes > 0)
		hold(scanner, next, size_bytes);
}

void resemblance_scanner_merge(struct simhash_resemblance_scanner *scanner,
			       const struct resemblance_registers *registers)
{
	resemblance_merge(&scanner->registers, registers);
}

void simhash_resemblance_scanner_finish(const struct simhash_resemblance_scanner *scanner,
					struct simhash_resemblance_sketch *sketch)
{
	struct resemblance_registers registers = scanner->registers;

	resemblance_add(&registers, resemblance_level(scanner->offset + scanner->held_size),
			scanner->offset, scanner->held, scanner->held_size);
	resemblance_finish(&registers, sketch);
}
