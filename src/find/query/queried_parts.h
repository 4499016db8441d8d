/*
 * Finds the contents that contain requested files, and the contents that these files contain, by
 * their pieces (core/content_pieces.h), at any ratio of sizes.
 *
 *     if (asked_pieces_make(&asked, reaches, count, rule, &error) == 1) {
 *             queried_parts_find(&found, asked, store, tag_set, NULL, SIZE_MAX, &error);
 *             queried_parts_join(&parts, &found, &error);
 *     }
 *     for (part = queried_parts_of(&parts, &row, &end); part < end; part++)
 *             ; // the content of `row` and a requested file
 *     queried_parts_release(&parts);
 *     asked_pieces_free(asked);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_QUERIED_PARTS_H
#define SIMHASH_FIND_QUERIED_PARTS_H

#include "find/query/queried_keys.h"
#include "store/rows/piece_rows.h"

/* A requested file and a content. One of them contains the other. */
struct queried_part {
	struct piece_row content; /* without the value */
	uint32_t reach;		  /* the number of the requested file */
	/* The shares of the file and of the content; 0 if most of it is not shared. */
	double in_content, in_queried;
};

/* All zero at the beginning. */
struct queried_parts {
	struct queried_part *items; /* sorted by content, then by file */
	size_t count, capacity;
};

/*
 * The pieces of some requested files, which several threads may use. asked_pieces_make returns 1, or
 * 0 if the files have none; free them also after an error.
 */
struct asked_pieces;
int asked_pieces_make(struct asked_pieces **made, const struct queried_reach *reaches, size_t count,
		      const struct verify_rule *rule, struct simhash_error *error);
void asked_pieces_free(struct asked_pieces *asked);

/*
 * Compare the pieces of the contents in a range (NULL: all), and add the parts; not all of them if
 * they become more than `max`. Error: memory is short, or the index cannot be read.
 */
int queried_parts_find(struct queried_parts *parts, const struct asked_pieces *asked,
		       struct store *store, int64_t tag_set, const struct piece_range *range,
		       size_t max, struct simhash_error *error);

/* Add the parts that another thread found in other ranges, and sort all. */
int queried_parts_join(struct queried_parts *parts, const struct queried_parts *others,
		       struct simhash_error *error);

/* Add the keys of all rows that may have such contents, with NO_REACH and in any order. */
int queried_parts_keys(const struct queried_parts *parts, const struct finder *finder,
		       struct store *store, struct queried_keys *keys, struct simhash_error *error);

/* The parts that a row of the index has with requested files: from the returned one to *end. */
const struct queried_part *queried_parts_of(const struct queried_parts *parts,
					    const struct find_file *file,
					    const struct queried_part **end);

/*
 * Is this row a pair with the requested file of the part, and found only by the pieces? Sets the
 * relation, which is all zero before.
 */
bool queried_part_is_pair(const struct queried_part *part, const struct find_rule *rule,
			  const struct find_file *queried, const struct find_file *file,
			  struct relation *relation);

void queried_parts_release(struct queried_parts *parts);

#endif
