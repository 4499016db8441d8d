/*
 * The interface of an engine: connecting, running prepared statements, and reporting which of its
 * errors may be tried again. A driver knows nothing of files and tables: their SQL is written once,
 * above the drivers. Only a driver includes the header of its engine.
 *
 * A connection and its statements belong to one thread at a time. On MySQL a statement whose rows
 * have not all been fetched occupies its connection: reset it before another one runs.
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

struct database_driver {
	const char *scheme;

	/* The scripts of sql/, in the order of their versions 1, 2, ...; NULL ends them. */
	const char *const *migrations;
	/* Makes the views anew. */
	const char *views;
	/* What "{x}" means in it: an expression with "{column}" for x; NULL: it has none. */
	const char *as_text;
	/* What makes a first load faster, and undoes that; every opening to write runs the second.
	   Both may be NULL. */
	const char *before_load, *after_load;
	/* Count of the tables in the database: one row of one integer. */
	const char *count_tables;
	/* The bytes that the index takes, as far as the engine knows: one row of one integer. */
	const char *index_bytes;
	const char *begin;
	/* Begins a transaction that only reads, where that makes queries cheaper; or NULL. */
	const char *begin_reading;
	/* Does whoever reads keep others from writing, so that it must be short? NULL: no. */
	bool (*readers_block)(const struct database *database);
	/* Begin a transaction that shows one moment from its first query on; NULL ends them. */
	const char *const *begin_view;
	/*
	 * A number that changes for a connection whenever another one has committed, and not within a
	 * transaction: one row of one integer.
	 */
	const char *state;
	bool state_is_of_all; /* of the index, and not of the connection */
	/* Changes that number, in a transaction that changes files; NULL: committing does. */
	const char *count_commit;
	/* "ON CONFLICT ... excluded.x" (true) or "ON DUPLICATE KEY ... VALUES(x)" (false) */
	bool has_excluded;
	/* Frees what the connection holds only to be faster; or NULL. */
	const char *release_memory;
	/* How many directories of some files are read in order in the time of a question for one. */
	unsigned question_cost;
	/* The bytes that one statement may have, values included: one row of one integer; or NULL. */
	const char *max_statement_bytes;
	/*
	 * Does the server keep the rows of the table `file` itself, so that arrays of values are
	 * written faster and views are of all rows: 1 or 0. NULL: it does.
	 */
	const char *rows_are_own;
	/* Numbers and names of the partitions of the table `file`, in order; or NULL. */
	const char *partitions;
	/* Users and their rights, with {database} and the like in place of names; or NULL. */
	const char *roles;
	/*
	 * A condition, beginning with AND, that is true for entries of the index of cells whose
	 * outlines are near to the struct outline_range that is its parameter; NULL: there is none.
	 */
	const char *outline_is_near;
	/* How many rows one INSERT takes and one transaction should hold. */
	unsigned rows_per_insert, rows_per_transaction;

	/*
	 * Of `where` the option files matter, and who is warned. `beside` is a connection of this
	 * program to the same database, whose way to read it is taken; or NULL.
	 */
	int (*open)(const struct store_url *url, const struct store_location *where,
		    enum open_mode mode, const struct database *beside, struct database **database,
		    struct simhash_error *error);
	void (*close)(struct database *database);

	/* The file that the database is, or NULL for a server. Lives as long as the connection. */
	const char *(*file)(const struct database *database);

	/* Run one statement without parameters or rows. */
	int (*execute)(struct database *database, const char *sql, struct simhash_error *error);

	/*
	 * How many rows of values one statement can be run with, see set_rows; 0 where the
	 * engine or its server knows no such thing. NULL: 0.
	 */
	unsigned (*array_rows)(const struct database *database);
	/*
	 * Have a statement without rows of its own, such as an INSERT, run for up to
	 * `rows` rows of values at once: parameter i of row r is bound as r * parameters + i,
	 * in this order, and it runs for as many rows as were bound since the last run.
	 */
	int (*set_rows)(struct statement *statement, unsigned rows, struct simhash_error *error);

	/* Parameters are written as ?. */
	int (*prepare)(struct database *database, const char *sql, struct statement **statement,
		       struct simhash_error *error);
	/* Bind parameter `index`, from 0. Bytes and text are borrowed until the run ends. */
	void (*bind_integer)(struct statement *statement, unsigned index, int64_t value);
	void (*bind_text)(struct statement *statement, unsigned index, const char *text);
	void (*bind_bytes)(struct statement *statement, unsigned index, const void *data,
			   size_t size);
	/* NULL where bytes or text are bound in other rows. */
	void (*bind_null)(struct statement *statement, unsigned index);
	/* Run, or fetch the next row: 1 for a row, 0 at the end, -1 for an error. */
	int (*step)(struct statement *statement, struct simhash_error *error);
	/* Column `index`, from 0, of the present row; bytes live until the next step. */
	int64_t (*column_integer)(struct statement *statement, unsigned index);
	struct bytes (*column_bytes)(struct statement *statement, unsigned index);
	bool (*column_is_null)(struct statement *statement, unsigned index);
	/* Make ready to be bound and run again. */
	void (*reset)(struct statement *statement);
	void (*finalize)(struct statement *statement); /* NULL is fine */
};

extern const struct database_driver sqlite_driver;
#ifdef SIMHASH_HAVE_MYSQL
extern const struct database_driver mysql_driver;
#endif

#endif
