/*
 * Reads the pieces of a whole file with their places: in its bytes and, because it may contain
 * texts, in the normal form of its bytes as if they were a text.
 *
 *     status = file_pieces_read(&pieces, fd, memory_bytes, &why, &error);
 *     if (status == 1)
 *             found = file_form_find(&pieces.forms[0], value, &count);
 *     file_pieces_release(&pieces);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FILE_PIECES_H
#define SIMHASH_FIND_FILE_PIECES_H

#include "base/data/arena.h"
#include "base/sort/sort.h"
#include "core/piece_collector.h"
#include "simhash.h"

/*
 * A form of a file. A unit is the shingles that begin within UNIT_BYTES of it; more if the file is
 * so large that it needs a higher level. A unit of random bytes has two pieces, on average.
 */
#define UNIT_BYTES 256
struct file_form {
	unsigned level;
	/* The pieces by value, then by unit: `key` is the value, and `number` is the unit. */
	struct sort_item *pieces;
	size_t count, capacity;
	int64_t *begins; /* of each unit in the file, and the end of the last one */
	size_t units, unit_capacity;
	/* Of each level: the number of pieces before each unit; NULL until it is needed. */
	uint32_t *before[PIECE_LEVEL_MAX + 1];
	uint32_t *buckets; /* where the values begin, by their highest bits */
	unsigned bucket_bits;
};

enum { FORM_BYTES, FORM_TEXT, FORMS };

/* All zero to begin with. */
struct file_pieces {
	int64_t size_bytes;
	struct file_form forms[FORMS];
	/* A bit for each UNIT_BYTES of the file: are they one repeated byte, such as zero? */
	uint64_t *blank;
	size_t blank_capacity;
};

/*
 * Read an open file from its current place to its end. The larger the file and the less memory, the
 * higher the levels. Pieces that a file has in many places are left out. Returns 1, or 0 with the
 * errno *why if the file cannot be read.
 */
int file_pieces_read(struct file_pieces *pieces, int fd, size_t memory_bytes, int *why,
		     struct simhash_error *error);
void file_pieces_release(struct file_pieces *pieces);

/*
 * Collect the pieces of a file in its other form: of the bytes of a text, or of the normal form of
 * other bytes. *stored is their stored form in the arena; it stays empty if the file cannot be read
 * again. Error: memory is short.
 */
int file_other_pieces(const char *path, bool is_text, const struct piece_levels *levels,
		      struct arena *arena, struct bytes *stored, struct simhash_error *error);

/* Return the pieces with this value, which is below the bound of the level, or NULL; *count may be 0. */
const struct sort_item *file_form_find(const struct file_form *form, uint64_t value, size_t *count);

/*
 * Return the numbers of pieces at a level before each unit, and after the last one. NULL: memory is
 * short.
 */
const uint32_t *file_form_before(struct file_form *form, unsigned level);

#endif
