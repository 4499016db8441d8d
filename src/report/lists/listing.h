/*
 * The list that simfind writes: it takes the pairs that a search finds and writes them in order to
 * a file, by a formatter.
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
	FILE *file; /* of `output`, while it is open */
	struct presentation how;
	uint64_t unreadable; /* of the files whose content is shown */
	unsigned threads;
	size_t memory_bytes; /* for pairs that wait to be written */
	struct listing_order order;
	bool streams;		   /* pairs are written as they are found */
	bool folds;		   /* of large groups only the first files are written */
	bool was_alone;		   /* the last block was a line */
	struct thread_text *texts; /* one for each thread */
	struct line_sorter *sorter;
	uint64_t written, left_out; /* pairs or groups; those beyond the limit */
	pthread_mutex_t lock;	    /* of `file`, while pairs are written as they are found */
	/* Of marked text: what all paths begin with, and the columns of the first of a line. */
	struct common_prefix {
		char *bytes; /* escaped; NULL before the first path */
		size_t size, columns;
	} prefix;
};

/*
 * How text or records are shown in a file that is open. Colours go to terminals that have them,
 * unless the user wants none (no-color.org).
 */
struct presentation presentation_of(FILE *file, const struct formatter *formatter);

/* `path` is that of output_open; `memory_bytes` is for the search too. */
int listing_open(struct listing *listing, const char *path, const struct formatter *formatter,
		 unsigned threads, int64_t memory_bytes, const struct store *store,
		 struct simhash_error *error);

/* Before anything is added: another order than the default one. */
void listing_set_order(struct listing *listing, const struct listing_order *order);

/*
 * Colours for text: COLOURS_AUTO, as from the beginning, is for terminals that have them unless the
 * user wants none (no-color.org).
 */
void listing_set_colours(struct listing *listing, enum use_of_colours use);

/* Have what was written take the place of the files of its names. */
int listing_publish(struct listing *listing, struct simhash_error *error);

/* What is not published is removed. */
void listing_release(struct listing *listing);

/* Of marked text: a line about the whole, before all others. */
void listing_write_head(struct listing *listing, const char *text);

/* Take a pair. Several threads may do so at once, each with its own number. */
int listing_add(struct listing *listing, unsigned thread, const struct file_pair *pair,
		struct simhash_error *error);

/* Write all pairs taken, in order. */
int listing_write(struct listing *listing, struct simhash_error *error);

/* Write pairs that were kept, or groups. */
int listing_write_pairs(struct listing *listing, const struct pair_list *pairs,
			struct simhash_error *error);
int listing_write_groups(struct listing *listing, const struct group_sorter *groups,
			 struct simhash_error *error);

/*
 * Write groups for people, as blocks: the first file, and below it the others, each with its relation
 * to the first. All blocks are noted before the first is written, with listing_begin_marked between.
 * The number of a group is set.
 */
int listing_note_block(struct listing *listing, const struct group *group,
		       const struct group_member *members, struct simhash_error *error);
int listing_write_block(struct listing *listing, const struct group *group,
			const struct group_member *members, struct simhash_error *error);
int listing_note_blocks(struct listing *listing, const struct group_sorter *groups,
			struct simhash_error *error);
int listing_write_blocks(struct listing *listing, const struct group_sorter *groups,
			 struct simhash_error *error);

/* Do so with each of the groups that the limit lets through, until this returns other than 0. */
typedef int listed_group_fn(struct listing *listing, const struct group *group,
			    const struct group_member *members, struct simhash_error *error);
int listing_each_group(struct listing *listing, const struct group_sorter *groups,
		       listed_group_fn *each, struct simhash_error *error);

/*
 * What these are made of. A path is noted before lines are marked, and so is which of two it is;
 * then comes what all have in common, and then lines.
 */
int listing_note(struct listing *listing, const struct find_file *file, bool is_first,
		 struct simhash_error *error);
/* The same with what else is in its column: so many columns more. */
int listing_note_wide(struct listing *listing, const struct find_file *file, int columns,
		      struct simhash_error *error);
void listing_begin_marked(struct listing *listing);

/* What is left out of paths, from then on. */
struct bytes listing_prefix(const struct listing *listing);

/* Write a line, from which marks are taken out. */
void listing_write_text(struct listing *listing, struct bytes text);

/* For what others write to the file: fails when it has an error. */
int listing_check(struct listing *listing, struct simhash_error *error);

#endif
