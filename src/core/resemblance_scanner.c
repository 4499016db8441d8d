/*
 * Computes the resemblance sketch of a content that arrives in pieces: decides whether it is a text,
 * holds back bytes until they fill a block, and reads whole blocks in place, except those of texts.
 * SPDX-License-Identifier: MIT
 */
#define XXH_INLINE_ALL
#include "base/basic/error.h"
#include "core/normal_form.h"
#include "core/resemblance.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* At least 4,096 bytes of normal form are added at once, after the first RESEMBLANCE_LEVEL_KNOWN. */
#define HELD_MAX (RESEMBLANCE_LEVEL_KNOWN + RESEMBLANCE_BLOCK)

_Static_assert(HELD_MAX - RESEMBLANCE_LEVEL_KNOWN >= NORMAL_ROOM_MIN, "room for the normal form");

/*
 * The first bytes wait until it is known whether they are a text, the next ones until the level is
 * known, and later ones until they fill a block. Of a text, only the normal form is held.
 */
struct simhash_resemblance_scanner {
	XXH3_state_t hash; /* of the normal form before `held` */
	struct resemblance_registers registers;
	struct piece_collector *pieces; /* or NULL */
	struct piece_levels piece_levels;
	uint64_t offset; /* the offset of `held` in the content or in its normal form */
	size_t held_size;
	bool is_decided;
	struct normal_form form;
	uint8_t held[HELD_MAX + SQUEEZE_SLACK];
};

int simhash_resemblance_scanner_new(struct simhash_resemblance_scanner **scanner,
				    struct simhash_error *error)
{
	*scanner = aligned_alloc(_Alignof(struct simhash_resemblance_scanner), sizeof **scanner);
	if (*scanner == NULL)
		return error_set_memory(error);
	(*scanner)->pieces = NULL;
	simhash_resemblance_scanner_begin(*scanner);
	return 0;
}

void resemblance_scanner_collect(struct simhash_resemblance_scanner *scanner,
				 struct piece_collector *pieces, struct piece_levels levels)
{
	scanner->pieces = pieces;
	scanner->piece_levels = levels;
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
	scanner->is_decided = false;
	scanner->form.is_text = false;
}

static void hold(struct simhash_resemblance_scanner *scanner, const uint8_t *bytes, size_t size)
{
	memcpy(scanner->held + scanner->held_size, bytes, size);
	scanner->held_size += size;
}

/* ---- Bytes as they are ---- */

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

static void update_bytes(struct simhash_resemblance_scanner *scanner, const uint8_t *bytes,
			 size_t size)
{
	while (scanner->held_size + size >= wanted(scanner)) {
		size_t done = scanner->held_size > 0 ? add_held(scanner, bytes)
						     : add_blocks(scanner, bytes, size);
		bytes += done;
		size -= done;
	}
	if (size > 0)
		hold(scanner, bytes, size);
}

/* ---- The normal form of a text ---- */

/* Add all whole blocks of `held`, which has more bytes than the level of a content needs. */
static void add_normal_form(struct simhash_resemblance_scanner *scanner)
{
	/* The last byte may be a blank at the end of the content, which does not count. */
	size_t added = add_blocks(scanner, scanner->held, scanner->held_size - 1);

	if (scanner->offset == added)
		XXH3_64bits_reset(&scanner->hash);
	XXH3_64bits_update(&scanner->hash, scanner->held, added);
	scanner->held_size -= added;
	memmove(scanner->held, scanner->held + added, scanner->held_size);
}

static void update_text(struct simhash_resemblance_scanner *scanner, const uint8_t *bytes,
			size_t size)
{
	for (size_t done, written; size > 0; bytes += done, size -= done) {
		done = normal_form_add(&scanner->form, bytes, size,
				       scanner->held + scanner->held_size,
				       HELD_MAX - scanner->held_size, &written);
		scanner->held_size += written;
		if (scanner->held_size > RESEMBLANCE_LEVEL_KNOWN)
			add_normal_form(scanner);
	}
}

static uint64_t hash_normal_form(const struct simhash_resemblance_scanner *scanner, size_t held)
{
	XXH3_state_t hash;

	if (scanner->offset == 0)
		return XXH3_64bits(scanner->held, held);
	XXH3_copyState(&hash, &scanner->hash);
	XXH3_64bits_update(&hash, scanner->held, held);
	return XXH3_64bits_digest(&hash);
}

/* ---- Both ---- */

bool resemblance_is_of_text(const void *bytes, size_t size)
{
	struct normal_form form;

	normal_form_begin(&form, bytes, size);
	return form.is_text;
}

static void decide(struct simhash_resemblance_scanner *scanner, const uint8_t *head, size_t size)
{
	const struct piece_levels *levels = &scanner->piece_levels;

	normal_form_begin(&scanner->form, head, size);
	scanner->is_decided = true;
	scanner->registers.pieces = scanner->pieces;
	if (scanner->pieces == NULL)
		return;
	piece_collector_begin(scanner->pieces,
			      scanner->form.is_text ? levels->text : levels->other);
	scanner->pieces->takes_small = levels->small;
}

/* Decide by the held bytes. */
static void decide_by_held(struct simhash_resemblance_scanner *scanner)
{
	uint8_t head[TEXT_HEAD];
	size_t size = scanner->held_size, mark;

	decide(scanner, scanner->held, size);
	if (!scanner->form.is_text)
		return;
	mark = scanner->form.mark_size;
	memcpy(head, scanner->held, size);
	scanner->held_size = 0;
	update_text(scanner, head + mark, size - mark);
}

/* Returns the number of bytes that are done. */
static size_t take_head(struct simhash_resemblance_scanner *scanner, const uint8_t *bytes,
			size_t size)
{
	size_t missing = TEXT_HEAD - scanner->held_size, taken = size < missing ? size : missing;

	if (taken == TEXT_HEAD) { /* no byte is held */
		decide(scanner, bytes, size);
		return scanner->form.is_text ? scanner->form.mark_size : 0;
	}
	hold(scanner, bytes, taken);
	if (taken == missing)
		decide_by_held(scanner);
	return taken;
}

void simhash_resemblance_scanner_update(struct simhash_resemblance_scanner *scanner,
					const void *bytes, size_t size_bytes)
{
	const uint8_t *next = bytes;
	size_t done = scanner->is_decided || size_bytes == 0 ? 0
							     : take_head(scanner, next, size_bytes);

	if (done == size_bytes)
		return;
	if (scanner->form.is_text)
		update_text(scanner, next + done, size_bytes - done);
	else
		update_bytes(scanner, next + done, size_bytes - done);
}

/*
 * If only zeros are held, a shingle that begins in them or in further zeros is never sampled: its
 * rank is A598, and the level is 7, because a block was added. So whole blocks of zeros only move
 * the held bytes. In UTF-16, two zeros become one byte.
 */
void resemblance_scanner_add_zeros(struct simhash_resemblance_scanner *scanner,
				   const uint8_t *zeros, size_t size)
{
	bool is_utf16 = scanner->form.is_text && scanner->form.encoding != TEXT_BYTES;
	bool holds_zeros = scanner->offset > 0 && scanner->held_size <= size &&
			   memcmp(scanner->held, zeros, scanner->held_size) == 0;
	size_t moved = holds_zeros && !is_utf16 ? size - size % RESEMBLANCE_BLOCK : 0;

	if (scanner->form.is_text && moved > 0)
		XXH3_64bits_update(&scanner->hash, zeros, moved);
	scanner->offset += moved;
	simhash_resemblance_scanner_update(scanner, zeros, size - moved);
}

/* A sketch without a register is not the sketch of a text. */
static void finish_text(const struct simhash_resemblance_scanner *scanner, size_t held,
			struct simhash_resemblance_sketch *sketch)
{
	static const struct simhash_resemblance_sketch blank;

	if (memcmp(sketch, &blank, sizeof blank) == 0)
		return;
	write_big_endian(sketch->text, 8, scanner->offset + held);
	write_big_endian(sketch->text + 8, 8, hash_normal_form(scanner, held));
}

static void finish_decided(const struct simhash_resemblance_scanner *scanner,
			   struct simhash_resemblance_sketch *sketch)
{
	struct resemblance_registers registers = scanner->registers;
	size_t held = scanner->held_size;

	if (scanner->form.is_text && held > 0)
		held -= scanner->form.is_after_white;
	resemblance_add(&registers, resemblance_level(scanner->offset + held), scanner->offset,
			scanner->held, held);
	resemblance_finish(&registers, sketch);
	if (scanner->form.is_text)
		finish_text(scanner, held, sketch);
}

void simhash_resemblance_scanner_finish(const struct simhash_resemblance_scanner *scanner,
					struct simhash_resemblance_sketch *sketch)
{
	struct simhash_resemblance_scanner whole;

	if (scanner->is_decided) {
		finish_decided(scanner, sketch);
		return;
	}
	/* All of the content is held. */
	resemblance_scanner_collect(&whole, scanner->pieces, scanner->piece_levels);
	resemblance_scanner_compute(&whole, scanner->held, scanner->held_size, sketch);
}

void resemblance_scanner_compute(struct simhash_resemblance_scanner *scanner, const void *bytes,
				 size_t size_bytes, struct simhash_resemblance_sketch *sketch)
{
	simhash_resemblance_scanner_begin(scanner);
	decide(scanner, bytes, size_bytes);
	if (scanner->form.is_text) {
		size_t mark = scanner->form.mark_size;
		update_text(scanner, (const uint8_t *)bytes + mark, size_bytes - mark);
		finish_decided(scanner, sketch);
		return;
	}
	resemblance_add(&scanner->registers, resemblance_level(size_bytes), 0, bytes, size_bytes);
	resemblance_finish(&scanner->registers, sketch);
}

void simhash_resemblance_sketch_compute(const void *bytes, size_t size_bytes,
					struct simhash_resemblance_sketch *sketch)
{
	struct simhash_resemblance_scanner scanner;

	scanner.pieces = NULL;
	resemblance_scanner_compute(&scanner, bytes, size_bytes, sketch);
}
