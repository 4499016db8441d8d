/*
 * Defines the internals of a store: a driver, its connection, and its prepared statements.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_CONNECTION_H
#define SIMHASH_STORE_CONNECTION_H

#include "store/engine/database.h"
#include "store/row/file_row.h"

/* Statements that are prepared once for each connection. */
enum kept_statement {
	KEPT_KNOWN_FILES,
	KEPT_KNOWN_CONTENT,
	KEPT_PICKED_ROWS,
	KEPT_UPSERT_MANY,
	KEPT_UPSERT_ONE,
	KEPT_UPSERT_DIRECTORY,
	KEPT_COUNT_FILES,
	KEPT_READ_PATH_HASHES,
	KEPT_COUNT_COMMIT,
	KEPT_COUNT_RUN,
	KEPT_ENTER_RUN,
	KEPT_REMOVE_FILE,
	KEPT_RELINK_FILE,
	KEPT_VERIFY_FILE,
	KEPT_UPSERT_DAMAGE,
	KEPT_REMOVE_DIRECTORY_FILES,
	KEPT_REMOVE_DIRECTORY,
	KEPT_UPSERT_SKETCH_MANY,
	KEPT_UPSERT_SKETCH_ONE,
	KEPT_REMOVE_SKETCHES,
	KEPT_UPSERT_PIECES_MANY,
	KEPT_UPSERT_PIECES_ONE,
	KEPT_READ_PIECES,
	KEPT_REMOVE_PIECES,
	KEPT_READ_LEFT_ROWS,
	KEPT_FIND_CONTENT,
	KEPT_CURRENT_FIND_RUN,
	KEPT_UPSERT_GROUP_MANY,
	KEPT_UPSERT_GROUP_ONE,
	KEPT_UPSERT_PAIR_MANY,
	KEPT_UPSERT_PAIR_ONE,
	KEPT_REMOVE_GROUP_FILE,
	KEPT_REMOVE_GROUP,
	KEPT_REMOVE_PAIR_A,
	KEPT_REMOVE_PAIR_B,
	KEPT_STATEMENTS,
	NOT_KEPT = KEPT_STATEMENTS
};

/* The database, -wal, -shm and -journal. */
#define OWN_FILES_MAX 4

struct store {
	const struct database_driver *driver;
	struct database *database;
	struct store_location location;
	int64_t max_statement_bytes;
	unsigned array_rows; /* the number of rows for which one statement runs; 0: no arrays */
	bool counts_commits; /* transactions that change files count their commits */
	bool writes;
	const char *own_file; /* the file of the database; or NULL */
	struct own_inode {
		uint64_t device, inode;
	} own_inodes[OWN_FILES_MAX]; /* the inodes of this file and of SQLite's files next to it */
	size_t own_inode_count;
	bool has_told; /* the store has reported that it waits for a server */
	/* the time when the connection was lost, if nothing succeeded since; else 0 */
	double lost_since_s;
	struct statement *kept[KEPT_STATEMENTS];
	int64_t measures[SKETCHES_MAX]; /* the requested measures */
	unsigned measure_count;
	bool wants_pieces; /* see store_want_pieces */
	/* the kinds of containers that must have been looked for, see store_want_containers */
	int64_t containers;
	uint32_t (*wanted_filter)(const void *filters, struct bytes name); /* or NULL */
	const void *filters;
	bool has_view;	    /* a transaction that only reads has begun */
	bool is_first_load; /* see store_begin_load */
};

/* See rows_are_own of the driver. */
int store_rows_are_own(struct store *store, bool *are_own, struct simhash_error *error);

/*
 * After a failure: if the connection was lost and the location says to wait, connect again, so that
 * the caller can start again. Returns 0, or -1 with the remaining error.
 */
int store_recover(struct store *store, struct simhash_error *error);

/* Was the program asked to stop? */
bool store_is_stopped(const struct store *store);

/* Call this after a success: the next lost connection then gets the full waiting time again. */
void store_went_well(struct store *store);

#endif
