/*
 * Scans a piece of a stream from a guessed state and appends it to the previous pieces (paper,
 * 4.1). The callers provide the threads.
 * SPDX-License-Identifier: MIT
 */
#include "core/piece.h"

#include <string.h>

#include "core/scan_bytes.h"

void scan_piece(struct scan_piece *piece, const struct simhash_tag_set *tag_set,
		const uint8_t before[2], const uint8_t *bytes, size_t size)
{
	const struct automaton *automaton = tag_set_automaton(tag_set);

	simhash_scanner_init(&piece->scanner, tag_set);
	piece->guess = guess_entry(automaton->entries, before + 2);
	piece->scanner.state[0] = piece->guess;
	simhash_scanner_update(&piece->scanner, bytes, size);
	piece->head_size = size < PIECE_HEAD ? size : PIECE_HEAD;
	memcpy(piece->head, bytes, piece->head_size);
}

bool scan_piece_append(struct simhash_scanner *whole, const struct scan_piece *piece)
{
	const struct automaton *automaton = tag_set_automaton(whole->tag_set);
	struct simhash_sum_table counts = piece->scanner.table;
	uint64_t entry = whole->state[0];
	size_t budget = PIECE_HEAD;

	if (reconcile(automaton->entries, &entry, piece->guess, piece->head, piece->head_size,
		      &budget, &counts) != RECONCILE_MET)
		return false;
	for (int t = 0; t < SIMHASH_TAGS; t++)
		whole->table.count[t] += counts.count[t];
	whole->state[0] = piece->scanner.state[0];
	return true;
}

/*
 * From the second zero byte on, the state is always the same, so scan_periodic stops after a few
 * bytes. The last 7 bits are then zeros. The windows that end in the second byte consist of zeros,
 * so they match no tag but 00, and any other tag was last counted in a window that ends in the first
 * byte at the latest; the 7 windows that it skips end in the second byte. Tag 00 is counted once in
 * 8 windows, that is in each byte, at the same bit.
 */
void scan_zeros(struct simhash_scanner *scanner, size_t size)
{
	static const uint8_t zero = 0;

	scanner->state[0] = scan_periodic(tag_set_automaton(scanner->tag_set)->entries,
					  scanner->state[0], &zero, size, 1, &scanner->table);
}
