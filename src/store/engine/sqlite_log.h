/*
 * Sharing of an SQLite index between connections: the write-ahead log, its absence on network file
 * systems, and waiting for locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_SQLITE_LOG_H
#define SIMHASH_STORE_SQLITE_LOG_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "simhash.h"

/* Waiting of one connection, which it points to. */
struct sqlite_wait {
	const atomic_bool *stop; /* ends it; or NULL */
	int64_t limit_ns, began_ns;
};

/* Have a connection wait for locks of others. */
void sqlite_wait_begin(sqlite3 *handle, struct sqlite_wait *wait);

/* Without a log readers and the writer wait for each other, and so they wait longer. */
void sqlite_wait_longer(struct sqlite_wait *wait);

/* Change to the write-ahead log, and keep that short. */
int sqlite_log_use(sqlite3 *handle, const char *path, struct sqlite_wait *wait,
		   struct simhash_error *error);

/* Is the database one with a write-ahead log? Does not lock it. */
bool sqlite_log_is_used(sqlite3 *handle);

/*
 * Before the first access of a connection: have the database alone, or fail then. Without others no
 * memory is shared for the log.
 */
int sqlite_log_take(sqlite3 *handle, const char *path, struct simhash_error *error);

/* Write the log of a database that was taken into it, and change to a rollback journal. */
int sqlite_log_leave(sqlite3 *handle, const char *path, struct simhash_error *error);

#endif
