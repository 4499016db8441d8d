/*
 * Allocates and frees the state of a scanning thread.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/file_scanner.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "core/resemblance.h"
#include "scan/file/content_hash.h"

int file_scanner_init(struct file_scanner *scanner, const struct simhash_tag_set *tag_set,
		      bool follow, const atomic_bool *stop, struct simhash_error *error)
{
	scanner->tag_set = tag_set;
	scanner->follow = follow;
	scanner->stop = stop;
	scanner->own = NULL;
	scanner->max_inflated_bytes = INT64_MAX;
	scanner->inflated_left = NULL;
	scanner->sandbox = NULL;
	scanner->containers = 0;
	scanner->max_depth = 0;
	scanner->has_kind = false;
	scanner->was_cached = true;
	scanner->is_others = false;
	scanner->has_filter = false;
	scanner->has_rest = false;
	scanner->bytes_read = NULL;
	scanner->buffer = aligned_alloc(SCAN_BUFFER_ALIGNMENT, FILE_SCANNER_ROOM);
	scanner->hash = XXH3_createState();
	scanner->sketching = (struct sketching){.count = 0};
	scanner->no_resemblance = false;
	scanner->has_pieces = false;
	scanner->pieces = calloc(1, sizeof *scanner->pieces);
	if (simhash_resemblance_scanner_new(&scanner->resemblance, error) == 0 &&
	    scanner->buffer != NULL && scanner->hash != NULL && scanner->pieces != NULL)
		return 0;
	file_scanner_release(scanner);
	return error_set_memory(error);
}

int file_scanner_measure(struct file_scanner *scanner, struct simhash_measure *const *measures,
			 unsigned count, unsigned hashes, struct simhash_error *error)
{
	return sketching_init(&scanner->sketching, measures, count, hashes, error);
}

void file_scanner_collect(struct file_scanner *scanner, struct piece_levels levels)
{
	scanner->has_pieces = true;
	scanner->piece_levels = levels;
	resemblance_scanner_collect(scanner->resemblance, scanner->pieces, levels);
}

void file_scanner_release(struct file_scanner *scanner)
{
	if (scanner->sandbox != NULL)
		scanner->free_sandbox(scanner->sandbox);
	sketching_release(&scanner->sketching);
	simhash_resemblance_scanner_free(scanner->resemblance);
	if (scanner->pieces != NULL)
		piece_collector_release(scanner->pieces);
	free(scanner->pieces);
	free(scanner->buffer);
	XXH3_freeState(scanner->hash);
	scanner->sandbox = NULL;
	scanner->resemblance = NULL;
	scanner->pieces = NULL;
	scanner->buffer = NULL;
	scanner->hash = NULL;
}
