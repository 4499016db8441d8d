/*
 * Writes the list of simfind: it collects the pairs that a search finds, and writes them in order
 * to a file, in the chosen format.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_LISTING_H
#define SIMHASH_REPORT_LISTING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/sort/line_sorter.h"
#include "find/groups/group_sorter.h"
#include "find/pairs/pairs.h"
#include "report/lists/formatter.h"
#include "report/lists/order.h"
#include "report/lists/output_file.h"

struct store;

struct listing {
	const struct formatter *formatter;
	struct output_file output;
	FILE *file; /* the stream of `output`, while it is open */
	struct presentation how;
	uint64_t unreadable; /* the number of unreadable files whose content should be shown */
	unsigned threads;
	size_t memory_bytes; /* the memory for pairs that wait to be written */
	struct listing_order order;
	bool streams;		   /* pairs are written as they are found */
	bool folds;		   /* only the first files of large groups are written */
	bool by_file;		   /* blocks have matches of FILEs, also if those are copies */
	bool was_alone;		   /* the last block was a single line */
	struct thread_text *texts; /* one text for each thread */
	struct line_sorter *sorter;
	/* The number of pairs or groups that were written, and of those beyond the limit. */
	uint64_t written, left_out;
	pthread_mutex_t lock; /* protects `file` while pairs are written as they are found */
	/* For marked text: the beginning of all paths, and the width of the first column. */
	struct common_prefix {
		char *bytes; /* escaped; NULL before the first path */
		size_t size, columns;
	} prefix;
};

/*
 * Return how text or records are presented in an open file. Colours are for terminals that have
 * colours, unless the user wants none (no-color.org).
 */
struct presentation presentation_of(FILE *file, const struct formatter *formatter);

/* Open the output; `path` is the path for output_open. The search also uses `memory_bytes`. */
int listing_open(struct listing *listing, const char *path, const struct formatter *formatter,
		 unsigned threads, int64_t memory_bytes, const struct store *store,
		 struct simhash_error *error);

/* Set another order than the default. Call it before anything is added. */
void listing_set_order(struct listing *listing, const struct listing_order *order);

/*
 * Set the colours of text. COLOURS_AUTO is the default: colours for terminals that have colours,
 * unless the user wants none (no-color.org).
 */
void listing_set_colours(struct listing *listing, enum use_of_colours use);

/* Replace the target files by the outputs. */
int listing_publish(struct listing *listing, struct simhash_error *error);

/* Release the listing, and remove an output that is not published. */
void listing_release(struct listing *listing);

/* For marked text: write a line above the list. */
void listing_write_head(struct listing *listing, const char *text);

/* Add a pair. Several threads may call this at the same time, each with its own number. */
int listing_add(struct listing *listing, unsigned thread, const struct file_pair *pair,
		struct simhash_error *error);

/* Write all added pairs in order. */
int listing_write(struct listing *listing, struct simhash_error *error);

/* Write kept pairs, or groups. */
int listing_write_pairs(struct listing *listing, const struct pair_list *pairs,
			struct simhash_error *error);
int listing_write_groups(struct listing *listing, const struct group_sorter *groups,
			 struct simhash_error *error);

/*
 * Write groups for people, as blocks: the first file, and below it each other file with its
 * relation to the first. First note all blocks, then call listing_begin_marked, then write the
 * blocks. The number of a group is set.
 */
int listing_note_block(struct listing *listing, const struct group *group,
		       const struct group_member *members, struct simhash_error *error);
int listing_write_block(struct listing *listing, const struct group *group,
			const struct group_member *members, struct simhash_error *error);
int listing_note_blocks(struct listing *listing, const struct group_sorter *groups,
			struct simhash_error *error);
int listing_write_blocks(struct listing *listing, const struct group_sorter *groups,
			 struct simhash_error *error);

/* Call `each` with each group up to the limit, until it returns a value other than 0. */
typedef int listed_group_fn(struct listing *listing, const struct group *group,
			    const struct group_member *members, struct simhash_error *error);
int listing_each_group(struct listing *listing, const struct group_sorter *groups,
		       listed_group_fn *each, struct simhash_error *error);

/*
 * These functions write other marked text. First note all paths, each as the first or second path
 * of its line; then call listing_begin_marked; then write the lines.
 */
int listing_note(struct listing *listing, const struct find_file *file, bool is_first,
		 struct simhash_error *error);
/* As listing_note, for a first column that is `columns` wider than the path. */
int listing_note_wide(struct listing *listing, const struct find_file *file, int columns,
		      struct simhash_error *error);
void listing_begin_marked(struct listing *listing);

/* Return the prefix that is omitted from all paths after listing_begin_marked. */
struct bytes listing_prefix(const struct listing *listing);

/* Write a line without its marks. */
void listing_write_text(struct listing *listing, struct bytes text);

/* For callers that write to the file themselves: fail if the file has an error. */
int listing_check(struct listing *listing, struct simhash_error *error);

#endif
