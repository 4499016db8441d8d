/*
 * Runs a query: a statement with its parameters and its rows.
 *
 *     if (query_begin(&query, store, "SELECT id, root FROM scan_run WHERE host = ?", error) != 0)
 *             return -1;
 *     query_bind_integer(&query, host);
 *     while ((status = query_next(&query, error)) == 1)
 *             show(query_integer(&query, 0), query_bytes(&query, 1));
 *     query_end(&query);
 *     return status;
 *
 * Parameters are bound in their order; bytes and texts are borrowed until the query ends. Columns
 * are numbered from 0, and their bytes live until the next row. On a server an open query occupies
 * its connection: end it before another one begins.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_QUERY_H
#define SIMHASH_STORE_QUERY_H

#include "store/open/connection.h"
#include "store/row/hash_range.h"

struct query {
	const struct database_driver *driver;
	struct statement *statement;
	unsigned bound; /* the number of bound parameters */
	bool is_kept;	/* the store keeps the statement for the next query */
};

int query_begin(struct query *query, struct store *store, const char *sql,
		struct simhash_error *error);

/* The same with a formatted statement. */
__attribute__((format(printf, 4, 5))) int query_begin_format(struct query *query,
							     struct store *store,
							     struct simhash_error *error,
							     const char *format, ...);

/* The same for a statement that is prepared once for each connection. */
int query_begin_kept(struct query *query, struct store *store, enum kept_statement which,
		     const char *sql, struct simhash_error *error);

/* Return the query of a statement between two of its rows. NULL gives an ended query. */
static inline struct query query_of(const struct store *store, struct statement *statement)
{
	return (struct query){.driver = store->driver, .statement = statement};
}

/* End a query. A query of zeros is allowed. */
void query_end(struct query *query);

/* Prepare the query to be bound and run again. */
static inline void query_again(struct query *query)
{
	query->driver->reset(query->statement);
	query->bound = 0;
}

/* Run a statement without result rows, and end it. */
int query_run(struct query *query, struct simhash_error *error);

/*
 * Get the first column of the first row, and end the query. Returns 1, 0 if there is no row (then
 * *value does not change), or -1.
 */
int query_first(struct query *query, int64_t *value, struct simhash_error *error);

/* Pass on every row until one fails, and end the query. */
typedef int query_row_fn(void *context, struct query *query, struct simhash_error *error);
int query_each(struct query *query, query_row_fn *each, void *context, struct simhash_error *error);

/* Run a statement without result rows, with integers as its parameters. */
int store_run(struct store *store, const char *sql, const int64_t *values, unsigned count,
	      struct simhash_error *error);

/* Get the first column of the first row of a statement with integers as its parameters, or 0. */
int store_read_integer(struct store *store, const char *sql, const int64_t *values, unsigned count,
		       int64_t *result, struct simhash_error *error);

/* Get a column of `size` bytes. Another size is an error: the row is damaged. */
int query_fixed_bytes(struct query *query, unsigned column, uint8_t *out, size_t size,
		      struct simhash_error *error);

static inline void query_bind_integer(struct query *query, int64_t value)
{
	query->driver->bind_integer(query->statement, query->bound++, value);
}

static inline void query_bind_text(struct query *query, const char *text)
{
	query->driver->bind_text(query->statement, query->bound++, text);
}

static inline void query_bind_data(struct query *query, const void *data, size_t size)
{
	query->driver->bind_bytes(query->statement, query->bound++, data, size);
}

static inline void query_bind_bytes(struct query *query, struct bytes bytes)
{
	query_bind_data(query, bytes.data, bytes.size);
}

static inline void query_bind_scope(struct query *query, const struct row_scope *scope)
{
	query_bind_integer(query, scope->tag_set);
	query_bind_integer(query, scope->host);
}

static inline void query_bind_test(struct query *query, struct row_test *test)
{
	query->driver->bind_test(query->statement, query->bound++, test);
}

static inline void query_bind_null(struct query *query)
{
	query->driver->bind_null(query->statement, query->bound++);
}

/* Bind the two parameters of "path_hash BETWEEN ? AND ?". */
static inline void query_bind_range(struct query *query, const struct hash_range *range)
{
	query_bind_data(query, range->low, PATH_HASH_SIZE);
	query_bind_data(query, range->high, PATH_HASH_SIZE);
}

/* Get the next row. Returns 1, 0 at the end, -1 for an error. */
static inline int query_next(struct query *query, struct simhash_error *error)
{
	return query->driver->step(query->statement, error);
}

static inline int64_t query_integer(struct query *query, unsigned column)
{
	return query->driver->column_integer(query->statement, column);
}

static inline struct bytes query_bytes(struct query *query, unsigned column)
{
	return query->driver->column_bytes(query->statement, column);
}

static inline bool query_is_null(struct query *query, unsigned column)
{
	return query->driver->column_is_null(query->statement, column);
}

#endif
