/*
 * Defines the interface of an engine: connecting, running prepared statements, and classifying the
 * engine's errors. A driver does not know files and tables: their SQL is written once, above the
 * drivers. Only a driver includes the header of its engine.
 *
 * A connection and its statements belong to one thread at a time. On MySQL a statement occupies its
 * connection until all its rows are fetched: reset it before another statement runs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_DATABASE_H
#define SIMHASH_STORE_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "simhash.h"
#include "store/engine/location.h"
#include "store/engine/url.h"

struct database;
struct statement;

/* Decides by three columns of a row whether it is wanted: by two integers, and by bytes. */
struct row_test {
	bool (*passes)(void *context, int64_t first, int64_t second, struct bytes bytes);
	void *context;
};

struct database_driver {
	const char *scheme;

	/* The scripts of sql/, in the order of their versions 1, 2, ...; NULL ends the list. */
	const char *const *migrations;
	/* Creates the views again. */
	const char *views;
	/*
	 * The meaning of "{x}" in `views`: an expression with "{column}" for x; NULL if it has
	 * none.
	 */
	const char *as_text;
	/*
	 * Makes a first load faster, and undoes this. The second runs whenever an index is opened
	 * to write. Both may be NULL.
	 */
	const char *before_load, *after_load;
	/* Counts the tables in the database: one row of one integer. */
	const char *count_tables;
	/* The size of the index in bytes, as far as the engine knows it: one row of one integer. */
	const char *index_bytes;
	const char *begin;
	/* Begins a transaction that only reads, if this makes queries cheaper; or NULL. */
	const char *begin_reading;
	/* Does a reader block writers, so that it should read only for a short time? NULL: no. */
	bool (*readers_block)(const struct database *database);
	/*
	 * Statements that begin a transaction. All its queries see the index as it was at the first
	 * query. NULL ends the list.
	 */
	const char *const *begin_view;
	/*
	 * A number that changes whenever another connection commits, and not within a transaction:
	 * one row of one integer.
	 */
	const char *state;
	bool state_is_of_all; /* the number belongs to the index, not to the connection */
	/*
	 * Changes this number in a transaction that changes files; NULL if each commit changes it.
	 */
	const char *count_commit;
	/* "ON CONFLICT ... excluded.x" (true) or "ON DUPLICATE KEY ... VALUES(x)" (false) */
	bool has_excluded;
	/* Frees memory of the connection that only makes it faster; or NULL. */
	const char *release_memory;
	/*
	 * The number of directories whose rows can be read in order in the time of one separate
	 * query.
	 */
	unsigned question_cost;
	/* The maximum bytes of one statement with its values: one row of one integer; or NULL. */
	const char *max_statement_bytes;
	/*
	 * Does the server itself store the rows of the table `file`? Then arrays of values are
	 * faster, and a view contains all rows. One row: 1 or 0. NULL: yes.
	 */
	const char *rows_are_own;
	/* The numbers and names of the partitions of the table `file`, in order; or NULL. */
	const char *partitions;
	/*
	 * The statements that create users with their privileges, with {database} and others in
	 * place of names; or NULL.
	 */
	const char *roles;
	/*
	 * A condition that begins with AND. It is true for an entry of the index of cells if the
	 * entry's outline is near the parameter, a struct outline_range. NULL: there is no such
	 * condition.
	 */
	const char *outline_is_near;
	/*
	 * The name of a function that is true for a row if it passes a test: the first argument is
	 * the row_test of bind_test, and the others are the three columns. Both are NULL if the
	 * engine cannot call a function of this program.
	 */
	const char *row_passes;
	void (*bind_test)(struct statement *statement, unsigned index, struct row_test *test);
	/* Can rows be read by their numbers (rowid), in the order in which they are stored? */
	bool has_row_numbers;
	/* The number of rows in one INSERT, and in one transaction. */
	unsigned rows_per_insert, rows_per_transaction;

	/*
	 * Open a connection. It uses the option files and `warning` of `where`. `beside` is another
	 * connection of this program to the same database, which is opened in the same way; or
	 * NULL.
	 */
	int (*open)(const struct store_url *url, const struct store_location *where,
		    enum open_mode mode, const struct database *beside, struct database **database,
		    struct simhash_error *error);
	void (*close)(struct database *database);

	/*
	 * Return the file of the database, or NULL for a server. It lives as long as the
	 * connection.
	 */
	const char *(*file)(const struct database *database);

	/* Run one statement without parameters or rows. */
	int (*execute)(struct database *database, const char *sql, struct simhash_error *error);

	/*
	 * The maximum number of rows for set_rows; 0 if the engine or its server does not support
	 * it. NULL: 0.
	 */
	unsigned (*array_rows)(const struct database *database);
	/*
	 * Let one run of a statement without result rows, such as an INSERT, take up to `rows`
	 * rows of values. Parameter i of row r is bound as r * parameters + i, in this order. The
	 * statement runs for all rows that were bound since the last run.
	 */
	int (*set_rows)(struct statement *statement, unsigned rows, struct simhash_error *error);

	/* Prepare a statement. Parameters are written as ?. */
	int (*prepare)(struct database *database, const char *sql, struct statement **statement,
		       struct simhash_error *error);
	/*
	 * Bind parameter `index`, counted from 0. Bytes and text are borrowed until the run ends.
	 */
	void (*bind_integer)(struct statement *statement, unsigned index, int64_t value);
	void (*bind_text)(struct statement *statement, unsigned index, const char *text);
	void (*bind_bytes)(struct statement *statement, unsigned index, const void *data,
			   size_t size);
	/* Bind NULL to a parameter that has bytes or text in other rows. */
	void (*bind_null)(struct statement *statement, unsigned index);
	/* Run, or fetch the next row. Returns 1 for a row, 0 at the end, -1 for an error. */
	int (*step)(struct statement *statement, struct simhash_error *error);
	/*
	 * Return column `index`, counted from 0, of the current row. Bytes live until the next
	 * step.
	 */
	int64_t (*column_integer)(struct statement *statement, unsigned index);
	struct bytes (*column_bytes)(struct statement *statement, unsigned index);
	bool (*column_is_null)(struct statement *statement, unsigned index);
	/* Prepare the statement to be bound and run again. */
	void (*reset)(struct statement *statement);
	void (*finalize)(struct statement *statement); /* NULL is allowed */
};

extern const struct database_driver sqlite_driver;
#ifdef SIMHASH_HAVE_MYSQL
extern const struct database_driver mysql_driver;
#endif

#endif
