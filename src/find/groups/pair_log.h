/*
 * A log of the pairs that one thread finds, and of the rows of their files, in the order of
 * discovery. It is in memory, and beyond a budget in a temporary file.
 *
 *     log = (struct pair_log){.budget = bytes};
 *     pair_log_add(&log, &pair, &error);      // for each pair
 *     pair_log_end(&log, &error);
 *     pair_log_read(&log, &reader, &error);
 *     while ((status = pair_reader_next(&reader, &error)) == 1)
 *             ... reader.record, reader.rows ...
 *     pair_reader_release(&reader);
 *     pair_log_release(&log);
 *
 * A row has a number in its log, from 0, and comes before the first pair with this number. It may
 * come again under another number, because only the most recent rows are remembered.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_PAIR_LOG_H
#define SIMHASH_FIND_PAIR_LOG_H

#include "base/files/temporary.h"
#include "find/rows/packed_row.h"

/* A pair, followed by the rows that are new: of a, and of b. */
struct pair_record {
	uint32_t size; /* of all, in bytes: a multiple of 8 */
	uint32_t rows[2];
	bool is_new[2];
	struct relation relation;
};

/* A row that was added of late. */
struct recent_row;

struct pair_log {
	size_t budget; /* bytes of memory */
	uint64_t pairs;
	uint32_t rows;
	uint64_t size; /* of all records, in bytes */
	struct recent_row *recent;
	char *bytes; /* of the records that are not in the file */
	size_t used, capacity;
	FILE *file; /* NULL: all are in memory */
};

int pair_log_add(struct pair_log *log, const struct file_pair *pair, struct simhash_error *error);

/* No more pairs are to come. */
int pair_log_end(struct pair_log *log, struct simhash_error *error);

void pair_log_release(struct pair_log *log);

/* Goes through records that lie one behind another. */
struct pair_reader {
	const struct pair_record *record; /* lives until the next one */
	const struct packed_row *rows[2]; /* of a and of b; NULL: it came before */
	const char *bytes;		  /* where they are in memory, else NULL */
	struct temporary_window window;	  /* of the file, or of the bytes */
};

/* To be released whatever these return. The records of a log, and those of a part of a file. */
int pair_log_read(const struct pair_log *log, struct pair_reader *reader,
		  struct simhash_error *error);
int pair_reader_begin(struct pair_reader *reader, const char *bytes, FILE *file, off_t begin,
		      off_t end, struct simhash_error *error);

/* The next record: 1, 0 behind the last, -1. */
int pair_reader_next(struct pair_reader *reader, struct simhash_error *error);

void pair_reader_release(struct pair_reader *reader);

#endif
