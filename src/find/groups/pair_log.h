/*
 * Stores the pairs that one thread finds, and the rows of their files, in the order of discovery.
 * The log is in memory up to a budget, and then in a temporary file.
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
 * A row has a number in its log, from 0, and precedes the first pair with this number. It may
 * appear again with another number, because the log remembers only the most recent rows.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_PAIR_LOG_H
#define SIMHASH_FIND_PAIR_LOG_H

#include "base/files/temporary.h"
#include "find/rows/packed_row.h"

/* A pair, followed by the rows of a and of b if they are new. */
struct pair_record {
	uint32_t size; /* the total size in bytes: a multiple of 8 */
	uint32_t rows[2];
	bool is_new[2];
	struct relation relation;
};

/* A row that was added recently. */
struct recent_row;

struct pair_log {
	size_t budget; /* the limit for memory, in bytes */
	uint64_t pairs;
	uint32_t rows;
	uint64_t size; /* the size of all records, in bytes */
	struct recent_row *recent;
	char *bytes; /* the records that are not in the file */
	size_t used, capacity;
	FILE *file; /* NULL: all records are in memory */
};

int pair_log_add(struct pair_log *log, const struct file_pair *pair, struct simhash_error *error);

/* Call it after the last pair. */
int pair_log_end(struct pair_log *log, struct simhash_error *error);

void pair_log_release(struct pair_log *log);

/* Reads records in sequence. */
struct pair_reader {
	const struct pair_record *record; /* valid until the next call */
	const struct packed_row *rows[2]; /* the rows of a and b; NULL: the row came earlier */
	const char *bytes;		  /* the records in memory, or NULL */
	struct temporary_window window;	  /* a window of the file, or of the bytes */
};

/*
 * Read the records of a log, or of one part of a file. Always release the reader, also after an
 * error.
 */
int pair_log_read(const struct pair_log *log, struct pair_reader *reader,
		  struct simhash_error *error);
int pair_reader_begin(struct pair_reader *reader, const char *bytes, FILE *file, off_t begin,
		      off_t end, struct simhash_error *error);

/* Read the next record. Returns 1, 0 after the last one, or -1. */
int pair_reader_next(struct pair_reader *reader, struct simhash_error *error);

void pair_reader_release(struct pair_reader *reader);

#endif
