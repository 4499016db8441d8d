/*
 * Switches an SQLite index to and from the write-ahead log, empties the log, and waits for locks.
 * With the log, readers and the writer do not wait for each other, and a killed run keeps its
 * committed rows. All connections share memory for the log. Two hosts cannot share memory, so on a
 * network file system SQLite uses a rollback journal.
 * SPDX-License-Identifier: MIT
 */
#include "store/engine/sqlite_log.h"

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "store/engine/sqlite_error.h"

#define WAIT_NS (2 * NS_PER_S)		    /* after this time transaction.c tries again */
#define WAIT_WITHOUT_LOG_NS (60 * NS_PER_S) /* a reader may take that long */
#define LOG_TRIES 250
#define LOG_PAGES 500	    /* from this size on the log is copied into the database */
#define LOG_PAGES_LONG 1500 /* from this size on the log starts again from its beginning */
#define LOG_WAIT_NS (200 * NS_PER_MS) /* the time limit to wait for readers of the log */
#define LOG_LIMIT "16777216" /* a log that became larger because of a reader shrinks to this size */

static int execute(sqlite3 *handle, const char *path, const char *sql, struct simhash_error *error)
{
	return sqlite3_exec(handle, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : sqlite_error_set(handle, path, "cannot use", error);
}

/* ---- Waiting ---- */

static bool is_stopped(const struct sqlite_wait *wait)
{
	return wait->stop != NULL && atomic_load(wait->stop);
}

/* Called again and again while another connection has a lock. Returns 1 to continue waiting. */
static int wait_for_lock(void *context, int times)
{
	struct sqlite_wait *wait = context;
	int64_t now_ns = clock_monotonic_ns();

	if (times == 0)
		wait->began_ns = now_ns;
	if (now_ns - wait->began_ns >= wait->limit_ns || is_stopped(wait))
		return 0;
	sqlite3_sleep(times < 25 ? 1 + times : 25);
	return 1;
}

void sqlite_wait_begin(sqlite3 *handle, struct sqlite_wait *wait)
{
	wait->limit_ns = WAIT_NS;
	sqlite3_busy_handler(handle, wait_for_lock, wait);
}

void sqlite_wait_longer(struct sqlite_wait *wait)
{
	wait->limit_ns = WAIT_WITHOUT_LOG_NS;
}

/* ---- With a log ---- */

/*
 * Copy the log into the database after a commit, as SQLite normally does. If readers are always
 * active, the log becomes long. Then it starts again from its beginning, after a short wait for the
 * current readers. A failure does not matter, because the next commit tries again.
 */
static int empty_log(void *context, sqlite3 *handle, const char *schema, int pages)
{
	struct sqlite_wait *wait = context;
	int64_t limit_ns = wait->limit_ns;

	if (pages < LOG_PAGES)
		return SQLITE_OK;
	if (pages < LOG_PAGES_LONG) {
		sqlite3_wal_checkpoint_v2(handle, schema, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
		return SQLITE_OK;
	}
	wait->limit_ns = LOG_WAIT_NS;
	sqlite3_wal_checkpoint_v2(handle, schema, SQLITE_CHECKPOINT_RESTART, NULL, NULL);
	wait->limit_ns = limit_ns;
	return SQLITE_OK;
}

/* SQLite does not wait for other processes when it switches to the write-ahead log. */
int sqlite_log_use(sqlite3 *handle, const char *path, struct sqlite_wait *wait,
		   struct simhash_error *error)
{
	for (int attempt = 0; execute(handle, path, "PRAGMA journal_mode = WAL", error) != 0;
	     attempt++) {
		if (error->code != ERROR_RETRY || attempt == LOG_TRIES)
			return -1;
		if (is_stopped(wait))
			return error_set(error, ERROR_STOPPED, "stopped");
		sqlite3_sleep(20);
	}
	if (execute(handle, path, "PRAGMA journal_size_limit = " LOG_LIMIT, error) != 0)
		return -1;
	sqlite3_wal_hook(handle, empty_log, wait);
	return execute(handle, path, "PRAGMA synchronous = NORMAL", error);
}

/* ---- Without ---- */

/* The format number for reading is at byte 19 of the file: see "Database File Format". */
bool sqlite_log_is_used(sqlite3 *handle)
{
	sqlite3_file *file = NULL;
	unsigned char version = 0;

	return sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) ==
		       SQLITE_OK &&
	       file != NULL && file->pMethods != NULL &&
	       file->pMethods->xRead(file, &version, 1, 19) == SQLITE_OK && version == 2;
}

int sqlite_log_take(sqlite3 *handle, const char *path, struct simhash_error *error)
{
	return execute(handle, path, "PRAGMA locking_mode = EXCLUSIVE", error);
}

int sqlite_log_leave(sqlite3 *handle, const char *path, struct simhash_error *error)
{
	if (execute(handle, path, "PRAGMA journal_mode = DELETE", error) != 0)
		return -1;
	return execute(handle, path, "PRAGMA locking_mode = NORMAL", error);
}
