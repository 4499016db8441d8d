/*
 * Shares an SQLite index between connections: switches the write-ahead log on, or off on network
 * file systems, and waits for locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SQLITE_LOG_H
#define SIMHASH_STORE_SQLITE_LOG_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "simhash.h"

/* The waiting state of one connection. The connection has a pointer to it. */
struct sqlite_wait {
	const atomic_bool *stop; /* stops waiting; or NULL */
	int64_t limit_ns, began_ns;
};

/* Make a connection wait for the locks of other connections. */
void sqlite_wait_begin(sqlite3 *handle, struct sqlite_wait *wait);

/* Wait longer, because readers and the writer wait for each other without a log. */
void sqlite_wait_longer(struct sqlite_wait *wait);

/* Switch to the write-ahead log, and limit its size. */
int sqlite_log_use(sqlite3 *handle, const char *path, struct sqlite_wait *wait,
		   struct simhash_error *error);

/* Does the database have a write-ahead log? Does not lock the database. */
bool sqlite_log_is_used(sqlite3 *handle);

/*
 * Before the first access of a connection: take the database exclusively, or fail. Then the log
 * needs no shared memory.
 */
int sqlite_log_take(sqlite3 *handle, const char *path, struct simhash_error *error);

/*
 * Write the log of an exclusively used database into the database, and switch to a rollback
 * journal.
 */
int sqlite_log_leave(sqlite3 *handle, const char *path, struct simhash_error *error);

#endif
