/*
 * Opens the connection of a URL, and opens it again after a loss.
 * SPDX-License-Identifier: MIT
 */
#include "store/open/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "store/open/query.h"
#include "store/open/schema.h"

#define STATEMENT_BYTES_MIN 16384 /* the longest statement has 5,000 bytes without values */

static const struct database_driver *const drivers[] = {
	&sqlite_driver,
#ifdef SIMHASH_HAVE_MYSQL
	&mysql_driver,
#endif
};

static const struct database_driver *find_driver(const char *scheme)
{
	for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
		if (strcmp(drivers[i]->scheme, scheme) == 0)
			return drivers[i];
	return NULL;
}

bool store_has_engine(const char *scheme)
{
	return find_driver(scheme) != NULL;
}

static int find_url_driver(const struct store_url *url, const char *name,
			   const struct database_driver **driver, struct simhash_error *error)
{
	*driver = find_driver(url->scheme);
	if (*driver == NULL)
		return error_set(error, SIMHASH_E_DATABASE,
				 "cannot open index %s: mysql:// was not built in; build with the "
				 "MariaDB or MySQL client library (Debian: libmariadb-dev)",
				 name);
	return 0;
}

static void drop(const struct database_driver *driver, struct database *database,
		 struct statement *kept[KEPT_STATEMENTS])
{
	for (int i = 0; i < KEPT_STATEMENTS; i++) {
		driver->finalize(kept[i]);
		kept[i] = NULL;
	}
	driver->close(database);
}

static void disconnect(struct store *store)
{
	if (store->database != NULL)
		drop(store->driver, store->database, store->kept);
	store->database = NULL;
}

static int read_statement_size(struct store *store, struct simhash_error *error)
{
	int64_t *size = &store->max_statement_bytes;
	const char *sql = store->driver->max_statement_bytes;

	if (sql == NULL)
		return 0;
	if (store_read_integer(store, sql, NULL, 0, size, error) != 0)
		return -1;
	if (*size < STATEMENT_BYTES_MIN)
		return error_set(error, SIMHASH_E_DATABASE,
				 "cannot use index %s: the server's max_allowed_packet is %lld "
				 "bytes; expected at least %d",
				 store->location.url, (long long)*size, STATEMENT_BYTES_MIN);
	return 0;
}

int store_rows_are_own(struct store *store, bool *are_own, struct simhash_error *error)
{
	const char *sql = store->driver->rows_are_own;
	int64_t value = 1;

	if (sql != NULL && store_read_integer(store, sql, NULL, 0, &value, error) != 0)
		return -1;
	*are_own = value != 0;
	return 0;
}

static int prepare_to_write(struct store *store, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	bool are_own;

	if (read_statement_size(store, error) != 0 ||
	    store_rows_are_own(store, &are_own, error) != 0)
		return -1;
	store->array_rows =
		are_own && driver->array_rows != NULL ? driver->array_rows(store->database) : 0;
	store->counts_commits = are_own && driver->count_commit != NULL;
	return 0;
}

/* Connect without a second try. */
static int connect_once(struct store *store, const struct store_url *url, enum open_mode mode,
			const struct store *beside, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	int status = driver->open(url, &store->location, mode,
				  beside == NULL ? NULL : beside->database, &store->database,
				  error);

	store->location.warning = NULL; /* One warning is enough, also for later connections. */
	if (status != 0)
		return -1;
	if (schema_open(store, mode, error) == 0 &&
	    (!store->writes || prepare_to_write(store, error) == 0))
		return 0;
	disconnect(store);
	return -1;
}

bool store_is_stopped(const struct store *store)
{
	return store->location.stop != NULL && atomic_load(store->location.stop);
}

#define PAUSES_MAX 10 /* the maximum pause between two tries, in tenths of a second */

/*
 * Connect. While the server does not answer, try again until `end_s`. With `has_failed`, `error` is
 * the error of a lost connection, and this waits before the first try.
 */
static int try_to_connect(struct store *store, const struct store_url *url, enum open_mode mode,
			  const struct store *beside, double end_s, bool has_failed,
			  bool *is_waiting, struct simhash_error *error)
{
	const struct store_location *where = &store->location;
	int pauses = 1;

	for (;;) {
		if (!has_failed && connect_once(store, url, mode, beside, error) == 0)
			return 0;
		if (error->code != SIMHASH_E_CONNECTION || clock_monotonic_s() >= end_s)
			return -1;
		if (!store->has_told && where->waiting != NULL) {
			struct simhash_error told;
			error_set(&told, error->code, "%s; trying again for %.0f s", error->message,
				  end_s - clock_monotonic_s());
			where->waiting(where->context, told.message);
		}
		store->has_told = true;
		has_failed = false;
		if (!*is_waiting && where->is_waiting != NULL)
			where->is_waiting(where->context, true);
		*is_waiting = true;
		for (int i = 0; i < pauses && !store_is_stopped(store); i++)
			clock_sleep_ns(NS_PER_S / 10);
		if (pauses < PAUSES_MAX)
			pauses++;
		if (store_is_stopped(store))
			return error_set(error, ERROR_STOPPED, "stopped");
	}
}

static int connect_waiting(struct store *store, const struct store_url *url, enum open_mode mode,
			   const struct store *beside, double end_s, bool has_failed,
			   struct simhash_error *error)
{
	const struct store_location *where = &store->location;
	bool is_waiting = false;
	int status =
		try_to_connect(store, url, mode, beside, end_s, has_failed, &is_waiting, error);

	if (is_waiting && where->is_waiting != NULL)
		where->is_waiting(where->context, false);
	return status;
}

/* ---- Files of the index ---- */

/*
 * Read the inodes of the index file and of SQLite's files next to it. Returns the number of files
 * that exist.
 */
static size_t find_own_inodes(const struct store *store, struct own_inode inodes[OWN_FILES_MAX])
{
	static const char *const endings[OWN_FILES_MAX] = {"", "-wal", "-shm", "-journal"};
	size_t count = 0;

	for (size_t i = 0; i < OWN_FILES_MAX; i++) {
		struct stat status;
		char *path;
		if (asprintf(&path, "%s%s", store->own_file, endings[i]) < 0)
			break;
		if (stat(path, &status) == 0)
			inodes[count++] = (struct own_inode){(uint64_t)status.st_dev,
							     (uint64_t)status.st_ino};
		free(path);
	}
	return count;
}

/*
 * SQLite keeps these files next to the database while it is open, so it is enough to read their
 * inodes once.
 */
static void note_own_files(struct store *store)
{
	store->own_file = store->driver->file(store->database);
	if (store->own_file != NULL)
		store->own_inode_count = find_own_inodes(store, store->own_inodes);
}

static bool has_inode(const struct own_inode *inodes, size_t count, uint64_t device, uint64_t inode)
{
	for (size_t i = 0; i < count; i++)
		if (inodes[i].device == device && inodes[i].inode == inode)
			return true;
	return false;
}

bool store_is_own_file(const struct store *store, const char *name, uint64_t device, uint64_t inode)
{
	struct own_inode now[OWN_FILES_MAX];
	const char *base;

	if (store->own_file == NULL)
		return false;
	if (has_inode(store->own_inodes, store->own_inode_count, device, inode))
		return true;
	/* If one of SQLite's files was created later, it has one of these names. */
	base = strrchr(store->own_file, '/');
	base = base == NULL ? store->own_file : base + 1;
	return (name == NULL || strncmp(name, base, strlen(base)) == 0) &&
	       has_inode(now, find_own_inodes(store, now), device, inode);
}

/* ---- Opening ---- */

static int open_store(const struct store_location *where, enum open_mode mode,
		      const struct store *beside, struct store **store, struct simhash_error *error)
{
	struct store_url parts;
	int status;

	*store = NULL;
	if (store_url_parse(where->url, &parts, error) != 0)
		return -1;
	*store = calloc(1, sizeof **store);
	if (*store == NULL) {
		status = error_set_memory(error);
	} else {
		(*store)->location = *where;
		(*store)->writes = mode != OPEN_TO_READ;
		(*store)->max_statement_bytes = INT64_MAX;
		status = find_url_driver(&parts, where->url, &(*store)->driver, error);
	}
	if (status == 0)
		status = connect_waiting(*store, &parts, mode, beside,
					 clock_monotonic_s() + (double)where->wait_s, false, error);
	if (status == 0)
		note_own_files(*store);
	store_url_release(&parts);
	if (status != 0) {
		store_close(*store);
		*store = NULL;
	}
	return status;
}

int store_open(const struct store_location *where, enum open_mode mode, struct store **store,
	       struct simhash_error *error)
{
	return open_store(where, mode, NULL, store, error);
}

int store_open_beside(const struct store *first, struct store **store, struct simhash_error *error)
{
	return open_store(&first->location, OPEN_TO_READ, first, store, error);
}

void store_open_another(const struct store *first, struct store **store)
{
	struct store_location at_once = first->location;
	struct simhash_error ignored;

	/* Do not wait: the connection is useful only if it is available now. */
	at_once.wait_s = 0;
	if (open_store(&at_once, OPEN_TO_READ, first, store, &ignored) == 0)
		(*store)->location.wait_s = first->location.wait_s;
}

int store_open_to_write(const struct store *first, struct store **store,
			struct simhash_error *error)
{
	struct store_location to_write = first->location;

	/* The server's user for simfind may only have the privilege to read. */
	to_write.group = NULL;
	return open_store(&to_write, OPEN_TO_WRITE, NULL, store, error);
}

int store_recover(struct store *store, struct simhash_error *error)
{
	struct statement *kept[KEPT_STATEMENTS];
	struct database *lost = store->database;
	struct store_url url;
	double end_s;
	int status;

	if (error->code != SIMHASH_E_CONNECTION || store->location.wait_s == 0)
		return -1;
	if (store->lost_since_s == 0)
		store->lost_since_s = clock_monotonic_s();
	end_s = store->lost_since_s + (double)store->location.wait_s;
	if (store_url_parse(store->location.url, &url, error) != 0)
		return -1;
	memcpy(kept, store->kept, sizeof kept);
	memset(store->kept, 0, sizeof store->kept);
	/* The schema is up to date, so a connection that is opened to read can also write. */
	status = connect_waiting(store, &url, OPEN_TO_READ, NULL, end_s, true, error);
	store_url_release(&url);
	if (status == 0) {
		store->has_view = false;
		drop(store->driver, lost, kept);
	} else {
		store->database = lost;
		memcpy(store->kept, kept, sizeof kept);
	}
	return status;
}

void store_went_well(struct store *store)
{
	store->lost_since_s = 0;
	store->has_told = false;
}

void store_close(struct store *store)
{
	if (store == NULL)
		return;
	disconnect(store);
	free(store);
}

/* ---- Requirements of a run for each file ---- */

void store_want_measures(struct store *store, const int64_t *ids, unsigned count)
{
	store->measure_count = count;
	memcpy(store->measures, ids, count * sizeof *ids);
}

void store_want_pieces(struct store *store)
{
	store->wants_pieces = true;
}

void store_want_containers(struct store *store, unsigned kinds)
{
	store->containers = kinds;
}

void store_want_filters(struct store *store, wanted_filter_fn *wanted, const void *filters)
{
	store->wanted_filter = wanted;
	store->filters = filters;
}
