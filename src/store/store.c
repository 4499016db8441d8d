/*
 * From a URL to a store, and the small tables: tag sets, hosts, runs.
 * Leaves the table `file` to file_table.c and the engines to their drivers.
 * SPDX-License-Identifier: MIT
 */
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "base/text_stream.h"
#include "store/connection.h"
#include "store/schema.h"

#define TRIES \
	12 /* of a transaction; the waits between them add up to some 20 s, and
		    * SQLite waits up to 2 s in each */

#define WAIT_STEP_NS 100000000
#define STATEMENT_BYTES_MIN 16384 /* the longest statement has 5,000 without values */

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
	if (store_run(store, sql, NULL, NULL, 0, size, error) != 0)
		return -1;
	if (*size < STATEMENT_BYTES_MIN)
		return error_set(error, SIMHASH_E_DATABASE,
				 "cannot use index %s: the server's max_allowed_packet is %lld "
				 "bytes; expected at least %d",
				 store->location.url, (long long)*size, STATEMENT_BYTES_MIN);
	return 0;
}

static int read_array_rows(struct store *store, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	int64_t they_pay = 0;

	if (driver->arrays_pay != NULL &&
	    store_run(store, driver->arrays_pay, NULL, NULL, 0, &they_pay, error) != 0)
		return -1;
	store->array_rows = they_pay != 0 ? driver->array_rows(store->database) : 0;
	return 0;
}

/* Connect, once. */
static int connect_once(struct store *store, const struct store_url *url, enum open_mode mode,
			const struct store *beside, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;

	if (driver->open(url, store->location.defaults_file, mode,
			 beside == NULL ? NULL : beside->database, &store->database, error) != 0)
		return -1;
	if (schema_open(driver, store->database, mode, store->location.url, error) == 0 &&
	    (!store->writes ||
	     (read_statement_size(store, error) == 0 && read_array_rows(store, error) == 0)))
		return 0;
	disconnect(store);
	return -1;
}

static bool is_told_to_stop(const struct store_location *where)
{
	return where->stop != NULL && atomic_load(where->stop);
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/*
 * Connect; where the server does not answer, again and again until `end_s`. `has_failed`
 * and the error in it: a connection was lost, so that it begins with waiting.
 */
static int connect_waiting(struct store *store, const struct store_url *url, enum open_mode mode,
			   const struct store *beside, double end_s, bool has_failed,
			   struct simhash_error *error)
{
	const struct store_location *where = &store->location;

	for (;;) {
		if (!has_failed && connect_once(store, url, mode, beside, error) == 0)
			return 0;
		if (error->code != SIMHASH_E_CONNECTION || now_s() >= end_s)
			return -1;
		if (!store->has_told && where->waiting != NULL) {
			struct simhash_error told;
			error_set(&told, error->code, "%s; trying again for %.0f s", error->message,
				  end_s - now_s());
			where->waiting(where->context, told.message);
		}
		store->has_told = true;
		has_failed = false;
		for (int i = 0; i < 10 && !is_told_to_stop(where); i++)
			nanosleep(&(struct timespec){0, WAIT_STEP_NS}, NULL);
		if (is_told_to_stop(where))
			return error_set(error, SIMHASH_E_STOPPED, "stopped");
	}
}

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
					 now_s() + (double)where->wait_s, false, error);
	if (status == 0)
		(*store)->own_file = (*store)->driver->file((*store)->database);
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
		store->lost_since_s = now_s();
	end_s = store->lost_since_s + (double)store->location.wait_s;
	if (store_url_parse(store->location.url, &url, error) != 0)
		return -1;
	memcpy(kept, store->kept, sizeof kept);
	memset(store->kept, 0, sizeof store->kept);
	/* The schema is there: a connection that reads it is one that writes. */
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

int store_roles(const struct store_location *where, char **sql, struct simhash_error *error)
{
	static const char placeholder[] = "{database}";
	const struct database_driver *driver;
	struct store_url url;
	size_t size;
	FILE *out;
	int status = -1;

	*sql = NULL;
	if (store_url_parse(where->url, &url, error) != 0)
		return -1;
	if (find_url_driver(&url, where->url, &driver, error) != 0)
		goto out;
	status = 0;
	if (driver->roles == NULL)
		goto out;
	out = open_memstream(sql, &size);
	if (out == NULL) {
		status = error_set_memory(error);
		goto out;
	}
	for (const char *text = driver->roles, *next; text != NULL; text = next) {
		next = strstr(text, placeholder);
		fwrite(text, 1, next == NULL ? strlen(text) : (size_t)(next - text), out);
		if (next == NULL)
			break;
		fputc('`', out);
		for (const char *c = url.database; *c != '\0'; c++) {
			if (*c == '`')
				fputc('`', out);
			fputc(*c, out);
		}
		fputc('`', out);
		next += sizeof placeholder - 1;
	}
	if (close_text(out, sql) != 0)
		status = error_set_memory(error);
out:
	store_url_release(&url);
	return status;
}

void store_close(struct store *store)
{
	if (store == NULL)
		return;
	disconnect(store);
	free(store);
}

bool store_is_own_file(const struct store *store, const char *name, uint64_t device, uint64_t inode)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	const char *file = store->own_file;
	const char *slash = file == NULL ? NULL : strrchr(file, '/');
	const char *base = slash == NULL ? file : slash + 1;

	if (file == NULL || (name != NULL && strncmp(name, base, strlen(base)) != 0))
		return false;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		struct stat status;
		char *path;
		bool same;
		if (asprintf(&path, "%s%s", file, suffixes[i]) < 0)
			return false;
		same = stat(path, &status) == 0 && (uint64_t)status.st_dev == device &&
		       (uint64_t)status.st_ino == inode;
		free(path);
		if (same)
			return true;
	}
	return false;
}

size_t store_batch_rows(const struct store *store)
{
	return store->driver->rows_per_transaction;
}

int store_keep(struct store *store, enum kept_statement which, const char *sql,
	       struct simhash_error *error)
{
	if (store->kept[which] != NULL)
		return 0;
	return store->driver->prepare(store->database, sql, &store->kept[which], error);
}

/* 10, 20, 40 ... ms, at most 5 s. */
static void wait_before(int attempt)
{
	long ms = attempt < 9 ? 10L << attempt : 5000;
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

static int try_transaction(struct store *store, store_work_fn *work, void *context,
			   struct simhash_error *error)
{
	struct simhash_error ignored;

	if (store->driver->execute(store->database, store->driver->begin, error) != 0)
		return -1;
	if (work(store, context, error) == 0 &&
	    store->driver->execute(store->database, "COMMIT", error) == 0)
		return 0;
	store->driver->execute(store->database, "ROLLBACK", &ignored);
	return -1;
}

int store_in_transaction(struct store *store, store_work_fn *work, void *context,
			 struct simhash_error *error)
{
	for (int attempt = 0;; attempt++) {
		if (try_transaction(store, work, context, error) == 0) {
			store_went_well(store);
			return 0;
		}
		/* Whether a COMMIT that lost its connection was carried out is unknown: all work
		   can be done twice. */
		if (error->code == SIMHASH_E_CONNECTION) {
			if (store_recover(store, error) != 0)
				return -1;
			continue;
		}
		if (error->code != SIMHASH_E_RETRY || attempt == TRIES)
			return -1;
		wait_before(attempt);
	}
}

static int end_view(struct store *store, struct simhash_error *error)
{
	if (store->has_view && store->driver->execute(store->database, "COMMIT", error) != 0)
		return -1;
	store->has_view = false;
	return 0;
}

void store_end_view(struct store *store)
{
	struct simhash_error ignored; /* the next view finds it, if it lasts */

	end_view(store, &ignored);
}

int store_renew_view(struct store *store, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;

	if (driver->begin_reading == NULL)
		return 0;
	if (end_view(store, error) != 0)
		return -1;
	if (driver->execute(store->database, driver->begin_reading, error) != 0)
		return -1;
	store->has_view = true;
	return 0;
}

/* ---- Numbered names ---- */

static int read_names(struct store *store, const char *sql, store_name_fn *each, void *context,
		      struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct statement *statement;
	int status;

	if (driver->prepare(store->database, sql, &statement, error) != 0)
		return -1;
	while ((status = driver->step(statement, error)) == 1) {
		status = each(context, driver->column_integer(statement, 0),
			      driver->column_bytes(statement, 1), error);
		if (status != 0)
			break;
	}
	driver->finalize(statement);
	return status;
}

int store_read_tag_sets(struct store *store, store_name_fn *each, void *context,
			struct simhash_error *error)
{
	return read_names(store, "SELECT id, name FROM tag_set ORDER BY id", each, context, error);
}

int store_run(struct store *store, const char *sql, const char *name, const int64_t *integers,
	      unsigned count, int64_t *result, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct statement *statement;
	int status;

	if (driver->prepare(store->database, sql, &statement, error) != 0)
		return -1;
	for (unsigned i = 0; i < count; i++)
		driver->bind_integer(statement, i, integers[i]);
	if (name != NULL)
		driver->bind_text(statement, count, name);
	status = driver->step(statement, error);
	if (result != NULL)
		*result = status == 1 ? driver->column_integer(statement, 0) : 0;
	driver->finalize(statement);
	return status < 0 ? -1 : 0;
}

/*
 * Enter something under the number after the largest. Two at once may take the
 * same number: the second gets SIMHASH_E_DUPLICATE, and is told to try again.
 */
static int next_id(struct store *store, const char *sql, int64_t *id, struct simhash_error *error)
{
	if (store_run(store, sql, NULL, NULL, 0, id, error) != 0)
		return -1;
	if (*id < 0 || *id == INT64_MAX)
		return error_set(error, SIMHASH_E_RANGE,
				 "the index has an entry of number %lld, after which there is none",
				 (long long)*id);
	*id += 1;
	return 0;
}

static int duplicate_is_retry(struct simhash_error *error)
{
	if (error->code == SIMHASH_E_DUPLICATE)
		error->code = SIMHASH_E_RETRY;
	return -1;
}

struct wanted_name {
	const char *name;
	int64_t id;
	/* Of the table. */
	const char *select, *most, *insert;
};

static int match_name(void *context, int64_t id, struct bytes name, struct simhash_error *error)
{
	struct wanted_name *wanted = context;

	(void)error;
	if (name.size == strlen(wanted->name) && memcmp(name.data, wanted->name, name.size) == 0)
		wanted->id = id;
	return 0;
}

static int enter_name(struct store *store, void *context, struct simhash_error *error)
{
	struct wanted_name *wanted = context;

	wanted->id = 0; /* what an attempt entered that was rolled back is not there */
	if (read_names(store, wanted->select, match_name, wanted, error) != 0)
		return -1;
	if (wanted->id != 0)
		return 0;
	if (next_id(store, wanted->most, &wanted->id, error) != 0)
		return -1;
	if (store_run(store, wanted->insert, wanted->name, &wanted->id, 1, NULL, error) != 0) {
		wanted->id = 0;
		return duplicate_is_retry(error);
	}
	return 0;
}

static int find_name(struct store *store, struct wanted_name *wanted, bool create, int64_t *id,
		     struct simhash_error *error)
{
	int status;

	while ((status = read_names(store, wanted->select, match_name, wanted, error)) != 0)
		if (store_recover(store, error) != 0)
			break;
	if (status == 0 && wanted->id == 0 && create)
		status = store_in_transaction(store, enter_name, wanted, error);
	*id = wanted->id;
	return status;
}

#define SELECT_HOSTS "SELECT id, name FROM host ORDER BY id"
#define SELECT_MEASURES "SELECT id, name FROM measure ORDER BY id"

int store_read_hosts(struct store *store, store_name_fn *each, void *context,
		     struct simhash_error *error)
{
	return read_names(store, SELECT_HOSTS, each, context, error);
}

int store_host_id(struct store *store, const char *name, bool create, int64_t *id,
		  struct simhash_error *error)
{
	struct wanted_name wanted = {name, 0, SELECT_HOSTS, "SELECT MAX(id) FROM host",
				     "INSERT INTO host(id, name) VALUES (?, ?)"};

	return find_name(store, &wanted, create, id, error);
}

int store_read_measures(struct store *store, store_name_fn *each, void *context,
			struct simhash_error *error)
{
	return read_names(store, SELECT_MEASURES, each, context, error);
}

int store_measure_id(struct store *store, const char *text, bool create, int64_t *id,
		     struct simhash_error *error)
{
	struct wanted_name wanted = {text, 0, SELECT_MEASURES, "SELECT MAX(id) FROM measure",
				     "INSERT INTO measure(id, name) VALUES (?, ?)"};

	return find_name(store, &wanted, create, id, error);
}

/* The tags of number `id` in their order: pattern, uniform, scatter, skew. */
static int prepare_tags(struct store *store, int64_t id, struct statement **statement,
			struct simhash_error *error)
{
	if (store->driver->prepare(store->database,
				   "SELECT pattern, uniform, scatter, skew FROM tag "
				   "WHERE tag_set = ? ORDER BY position",
				   statement, error) != 0)
		return -1;
	store->driver->bind_integer(*statement, 0, id);
	return 0;
}

/* Does the index hold just these tags under number `id`? */
static int same_tags(struct store *store, int64_t id, const struct simhash_tag *tags, bool *same,
		     struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct statement *statement;
	int status, found = 0;

	if (prepare_tags(store, id, &statement, error) != 0)
		return -1;
	*same = true;
	while ((status = driver->step(statement, error)) == 1) {
		*same = *same && found < SIMHASH_TAGS &&
			driver->column_integer(statement, 0) == tags[found].pattern &&
			driver->column_integer(statement, 1) == tags[found].uniform &&
			driver->column_integer(statement, 2) == tags[found].scatter &&
			driver->column_integer(statement, 3) == tags[found].skew;
		found++;
	}
	driver->finalize(statement);
	*same = *same && found == SIMHASH_TAGS;
	return status;
}

struct tag_set_text {
	int64_t id;
	char name[SIMHASH_TAG_SET_NAME_MAX + 1];
	bool found;
};

static int match_id(void *context, int64_t id, struct bytes name, struct simhash_error *error)
{
	struct tag_set_text *wanted = context;

	(void)error;
	if (id != wanted->id || name.size >= sizeof wanted->name)
		return 0;
	memcpy(wanted->name, name.data, name.size);
	wanted->name[name.size] = '\0';
	wanted->found = true;
	return 0;
}

/* The tag of a row; false where its numbers are those of none, and would be cut off. */
static bool take_tag(const struct database_driver *driver, struct statement *statement,
		     struct simhash_tag *tag)
{
	int64_t numbers[4];

	for (unsigned i = 0; i < 4; i++) {
		numbers[i] = driver->column_integer(statement, i);
		if (numbers[i] < 0 || numbers[i] > (i == 0 ? UINT8_MAX : SIMHASH_WEIGHT_MAX))
			return false;
	}
	*tag = (struct simhash_tag){(uint8_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2],
				    (uint32_t)numbers[3]};
	return true;
}

int store_read_tag_set(struct store *store, int64_t id, struct simhash_tag_set **set,
		       struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct simhash_tag tags[SIMHASH_TAGS] = {{0}};
	struct tag_set_text text = {.id = id};
	struct simhash_error why;
	struct statement *statement;
	bool are_tags = true;
	int status, found = 0;

	*set = NULL;
	if (store_read_tag_sets(store, match_id, &text, error) != 0 ||
	    prepare_tags(store, id, &statement, error) != 0)
		return -1;
	while ((status = driver->step(statement, error)) == 1) {
		if (found < SIMHASH_TAGS)
			are_tags = take_tag(driver, statement, &tags[found]) && are_tags;
		found++;
	}
	driver->finalize(statement);
	if (status < 0)
		return -1;
	if (!text.found || found != SIMHASH_TAGS || !are_tags)
		return error_set(error, SIMHASH_E_RANGE, "the index has no whole tag set %lld",
				 (long long)id);
	if (simhash_tag_set_new(text.name, tags, set, error) == 0)
		return 0;
	why = *error;
	return error_set(error, why.code, "tag set %lld of the index: %s", (long long)id,
			 why.message);
}

struct id_list {
	int64_t *ids;
	size_t count;
};

static int append_id(void *context, int64_t id, struct bytes name, struct simhash_error *error)
{
	struct id_list *list = context;
	int64_t *ids = realloc(list->ids, (list->count + 1) * sizeof *ids);

	(void)name;
	if (ids == NULL)
		return error_set_memory(error);
	list->ids = ids;
	list->ids[list->count++] = id;
	return 0;
}

struct wanted_tag_set {
	const struct simhash_tag_set *set;
	int64_t id;
};

static int find_tag_set(struct store *store, struct wanted_tag_set *wanted,
			struct simhash_error *error)
{
	struct id_list list = {NULL, 0};
	int status = store_read_tag_sets(store, append_id, &list, error);

	wanted->id = 0;
	for (size_t i = 0; status == 0 && wanted->id == 0 && i < list.count; i++) {
		bool same;
		status = same_tags(store, list.ids[i], simhash_tag_set_tags(wanted->set), &same,
				   error);
		if (status == 0 && same)
			wanted->id = list.ids[i];
	}
	free(list.ids);
	return status;
}

static int insert_tags(struct store *store, int64_t id, const struct simhash_tag *tags,
		       struct simhash_error *error)
{
	for (int i = 0; i < SIMHASH_TAGS; i++) {
		int64_t values[] = {
			id, i, tags[i].pattern, tags[i].uniform, tags[i].scatter, tags[i].skew};
		if (store_run(store,
			      "INSERT INTO tag(tag_set, position, pattern, uniform, scatter, skew) "
			      "VALUES (?, ?, ?, ?, ?, ?)",
			      NULL, values, 6, NULL, error) != 0)
			return -1;
	}
	return 0;
}

static int enter_tag_set(struct store *store, void *context, struct simhash_error *error)
{
	struct wanted_tag_set *wanted = context;
	const char *name = simhash_tag_set_name(wanted->set);
	struct wanted_name namesake = {.name = name};
	int64_t id, id_of_tags;

	if (find_tag_set(store, wanted, error) != 0)
		return -1;
	if (wanted->id != 0)
		return 0;
	if (store_read_tag_sets(store, match_name, &namesake, error) != 0)
		return -1;
	if (namesake.id != 0)
		return error_set(error, SIMHASH_E_RANGE,
				 "the index has other tags under the name '%s': give the tag set "
				 "another name",
				 name);
	/* Tags whose set is gone keep their number, or the new set's would be there twice. */
	if (next_id(store, "SELECT MAX(id) FROM tag_set", &id, error) != 0 ||
	    next_id(store, "SELECT MAX(tag_set) FROM tag", &id_of_tags, error) != 0)
		return -1;
	id = id_of_tags > id ? id_of_tags : id;
	if (store_run(store, "INSERT INTO tag_set(id, name) VALUES (?, ?)", name, &id, 1, NULL,
		      error) != 0 ||
	    insert_tags(store, id, simhash_tag_set_tags(wanted->set), error) != 0)
		return duplicate_is_retry(error);
	wanted->id = id;
	return 0;
}

int store_tag_set_id(struct store *store, const struct simhash_tag_set *set, bool create,
		     int64_t *id, struct simhash_error *error)
{
	struct wanted_tag_set wanted = {set, 0};
	int status;

	while ((status = find_tag_set(store, &wanted, error)) != 0)
		if (store_recover(store, error) != 0)
			break;
	if (status == 0 && wanted.id == 0 && create)
		status = store_in_transaction(store, enter_tag_set, &wanted, error);
	*id = wanted.id;
	return status;
}

/* ---- Runs ---- */

struct run_entry {
	const struct row_scope *scope;
	struct scan_run *run;
};

/* The number of a run that begins at the same time at the same root; 0 for none. */
static int find_run(struct store *store, const struct row_scope *scope, const struct scan_run *run,
		    int64_t *id, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct statement *statement;
	int status;

	if (driver->prepare(store->database,
			    "SELECT id FROM scan_run WHERE tag_set = ? AND host = ? "
			    "AND started_at_ns = ? AND root = ?",
			    &statement, error) != 0)
		return -1;
	driver->bind_integer(statement, 0, scope->tag_set);
	driver->bind_integer(statement, 1, scope->host);
	driver->bind_integer(statement, 2, run->started_at_ns);
	driver->bind_bytes(statement, 3, run->root.data, run->root.size);
	status = driver->step(statement, error);
	*id = status == 1 ? driver->column_integer(statement, 0) : 0;
	driver->finalize(statement);
	return status < 0 ? -1 : 0;
}

static int enter_run(struct store *store, void *context, struct simhash_error *error)
{
	struct run_entry *entry = context;
	const struct database_driver *driver = store->driver;
	struct statement *statement;
	int status;

	if (find_run(store, entry->scope, entry->run, &entry->run->id, error) != 0)
		return -1;
	if (entry->run->id != 0) /* a COMMIT was carried out, and the answer lost */
		return 0;
	if (next_id(store, "SELECT MAX(id) FROM scan_run", &entry->run->id, error) != 0 ||
	    driver->prepare(store->database,
			    "INSERT INTO scan_run(id, tag_set, host, root, started_at_ns) "
			    "VALUES (?, ?, ?, ?, ?)",
			    &statement, error) != 0)
		return -1;
	driver->bind_integer(statement, 0, entry->run->id);
	driver->bind_integer(statement, 1, entry->scope->tag_set);
	driver->bind_integer(statement, 2, entry->scope->host);
	driver->bind_bytes(statement, 3, entry->run->root.data, entry->run->root.size);
	driver->bind_integer(statement, 4, entry->run->started_at_ns);
	status = driver->step(statement, error);
	driver->finalize(statement);
	return status < 0 ? duplicate_is_retry(error) : 0;
}

int store_run_start(struct store *store, const struct row_scope *scope, struct scan_run *run,
		    struct simhash_error *error)
{
	struct run_entry entry = {scope, run};

	return store_in_transaction(store, enter_run, &entry, error);
}

static int complete_run(struct store *store, void *context, struct simhash_error *error)
{
	const struct scan_run *run = context;
	int64_t values[] = {run->finished_at_ns, run->files, run->bytes, run->errors, run->id};

	return store_run(store,
			 "UPDATE scan_run SET finished_at_ns = ?, files = ?, bytes = ?, errors = ? "
			 "WHERE id = ?",
			 NULL, values, 5, NULL, error);
}

int store_run_finish(struct store *store, const struct scan_run *run, struct simhash_error *error)
{
	struct scan_run copy = *run;

	return store_in_transaction(store, complete_run, &copy, error);
}

static int read_run(const struct database_driver *driver, struct statement *statement,
		    store_run_fn *each, void *context, struct simhash_error *error)
{
	struct scan_run run = {
		.id = driver->column_integer(statement, 0),
		.scope = {driver->column_integer(statement, 1),
			  driver->column_integer(statement, 2)},
		.root = driver->column_bytes(statement, 3),
		.started_at_ns = driver->column_integer(statement, 4),
		.finished_at_ns = driver->column_integer(statement, 5),
		.files = driver->column_integer(statement, 6),
		.bytes = driver->column_integer(statement, 7),
		.errors = driver->column_integer(statement, 8),
	};

	return each(context, &run, error);
}

int store_read_runs(struct store *store, store_run_fn *each, void *context,
		    struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;
	struct statement *statement;
	int status;

	if (driver->prepare(store->database,
			    "SELECT id, tag_set, host, root, started_at_ns, finished_at_ns, files, "
			    "bytes, errors FROM scan_run ORDER BY id",
			    &statement, error) != 0)
		return -1;
	while ((status = driver->step(statement, error)) == 1)
		if (read_run(driver, statement, each, context, error) != 0) {
			status = -1;
			break;
		}
	driver->finalize(statement);
	return status;
}

int store_index_bytes(struct store *store, int64_t *bytes, struct simhash_error *error)
{
	return store_run(store, store->driver->index_bytes, NULL, NULL, 0, bytes, error);
}
