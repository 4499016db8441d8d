/*
 * The inside of a store, shared by store.c and file_table.c: a driver, its
 * connection, and the statements prepared so far.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_CONNECTION_H
#define SIMHASH_STORE_CONNECTION_H

#include "store/hash_range.h"
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
	KEPT_UPSERT_SKETCH_MANY,
	KEPT_UPSERT_SKETCH_ONE,
	KEPT_REMOVE_SKETCHES,
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
	int64_t measures[SKETCHES_MAX]; /* wanted */
	unsigned measure_count;
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

/* ---- file_table.c and sketch_table.c ---- */

struct upsert {
	const char *table, *key; /* the columns of the primary key */
	unsigned key_count;
	const char *const *columns;
	size_t count; /* of columns beside the key */
};

/* "INSERT INTO table(key, columns) VALUES (?, ...), ... " and what a row that is there does. */
int store_keep_upsert(struct store *store, enum kept_statement which, const struct upsert *upsert,
		      unsigned rows, struct simhash_error *error);

/* The same for many rows at once: by an array of their values, or with all in its text. */
int store_keep_upsert_many(struct store *store, enum kept_statement which,
			   const struct upsert *upsert, struct simhash_error *error);

/* Run a kept statement that yields no rows. */
int store_run_kept(struct store *store, enum kept_statement which, struct simhash_error *error);

/* Bind a scope and a range of its path hashes as four parameters, from `first` on. */
void store_bind_hash_range(const struct database_driver *driver, struct statement *statement,
			   unsigned first, const struct row_scope *scope,
			   const struct hash_range *range);

/* A column that must have `size` bytes, or the row is damaged. */
int store_copy_fixed(const struct database_driver *driver, struct statement *statement,
		     unsigned column, uint8_t *out, size_t size, struct simhash_error *error);

/*
 * A stream of rows of `file f`: `more` columns follow, from column STREAM_COLUMNS on, and
 * `from` is the rest of the statement. The caller binds what is in it.
 */
#define STREAM_COLUMNS (12 + SIMHASH_TAGS)
int store_rows_new(struct store *store, const char *more, const char *from, enum simhash_key key,
		   struct row_cursor **cursor, struct statement **statement,
		   struct simhash_error *error);

/* In a transaction: the sketches of rows that are written, and of those that are removed. */
int store_upsert_sketches(struct store *store, const struct row_scope *scope,
			  const struct file_row *const *rows, size_t count,
			  struct simhash_error *error);
int store_remove_sketches(struct store *store, const struct row_scope *scope,
			  const struct hash_range *range, struct simhash_error *error);

/*
 * Run `work` in a transaction; what fails as SIMHASH_E_RETRY is rolled back
 * and run again, later each time; so is what lost its connection, see store_recover.
 */
typedef int store_work_fn(struct store *store, void *context, struct simhash_error *error);
int store_in_transaction(struct store *store, store_work_fn *work, void *context,
			 struct simhash_error *error);

#endif
