/*
 * The inside of a store, shared by store.c and file_table.c: a driver, its
 * connection, and the statements prepared so far.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_CONNECTION_H
#define SIMHASH_STORE_CONNECTION_H

#include "store/store.h"

/* Statements that are prepared once and kept. */
enum kept_statement {
	KEPT_KNOWN_FILES,
	KEPT_UPSERT_MANY,
	KEPT_UPSERT_ONE,
	KEPT_UPSERT_DIRECTORY,
	KEPT_COUNT_FILES,
	KEPT_REMOVE_FILE,
	KEPT_RELINK_FILE,
	KEPT_REMOVE_DIRECTORY_FILES,
	KEPT_REMOVE_DIRECTORY,
	KEPT_STATEMENTS
};

struct store {
	const struct database_driver *driver;
	struct database *database;
	struct store_location location;
	int64_t max_statement_bytes;
	unsigned array_rows; /* that one statement is run for; 0: none */
	bool writes;
	const char *own_file; /* that the database is; or NULL */
	bool has_told;	      /* that it waits for a server */
	double lost_since_s;  /* when a connection was lost, and nothing went well since; or 0 */
	struct statement *kept[KEPT_STATEMENTS];
	bool has_view;	    /* in a transaction that only reads */
	bool is_first_load; /* see store_begin_load */
};

/* Prepare `sql` as a kept statement, unless it is there. */
int store_keep(struct store *store, enum kept_statement which, const char *sql,
	       struct simhash_error *error);

/*
 * Run a statement with integers, then at most one name (else NULL), as its parameters.
 * *result, unless it is NULL, is the first column of the first row, or 0.
 */
int store_run(struct store *store, const char *sql, const char *name, const int64_t *integers,
	      unsigned count, int64_t *result, struct simhash_error *error);

/*
 * After a failure: where it is a lost connection, and the location says to wait, connect
 * again, for the caller to begin what it did again. 0, or -1 with the error that stays.
 */
int store_recover(struct store *store, struct simhash_error *error);

/* Something went well: what fails after it may be recovered from as often again. */
void store_went_well(struct store *store);

/*
 * Run `work` in a transaction; what fails as SIMHASH_E_RETRY is rolled back
 * and run again, later each time; so is what lost its connection, see store_recover.
 */
typedef int store_work_fn(struct store *store, void *context, struct simhash_error *error);
int store_in_transaction(struct store *store, store_work_fn *work, void *context,
			 struct simhash_error *error);

#endif
