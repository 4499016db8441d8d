/*
 * The index, whatever engine holds it.
 *
 *     struct store_location where = {.url = "sqlite:index.db"};
 *     store_open(&where, OPEN_TO_WRITE, &store, &error);
 *     store_tag_set_id(store, tags, true, &scope.tag_set, &error);
 *     store_host_id(store, "archive1", true, &scope.host, &error);
 *     store_write(store, &scope, &batch, &removed, &error);
 *     store_close(store);
 *
 * A store is one connection and belongs to one thread at a time; open another
 * for another thread. Functions that take a callback hand it rows that live
 * for that one call; the callback returns 0 to go on, or fills the error and
 * returns -1 to end, and must not use the same store.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_STORE_H
#define SIMHASH_STORE_STORE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "simhash.h"
#include "store/database.h"
#include "store/file_row.h"
#include "store/known_file.h"

struct store;

/* Where an index is, and how to get there. */
struct store_location {
	const char *url;
	/* A server's: the one option file to read, instead of the usual ones; or NULL. */
	const char *defaults_file;
	/* A server's that is gone, or is not there yet: for how long to try again, in seconds. */
	int64_t wait_s;
	/* Told once, with the error, when waiting begins; from any thread. May be NULL. */
	void (*waiting)(void *context, const char *message);
	void *context;
	const atomic_bool *stop; /* ends waiting; or NULL */
};

/* Was the engine of this URL scheme built in? */
bool store_has_engine(const char *scheme);

/*
 * Open the index at `where`, whose texts are borrowed until the store is closed. OPEN_TO_WRITE
 * creates it where there is none yet, OPEN_TO_CREATE the database on a server too.
 * Errors: SIMHASH_E_SYNTAX for the URL, SIMHASH_E_SCHEMA for what is not an index or is
 * too new, SIMHASH_E_CONNECTION, SIMHASH_E_SYSTEM, SIMHASH_E_DATABASE.
 *
 * A connection that is lost later is made again where `where` says to wait: what a
 * function below does then begins again. Streams of rows do not; they fail.
 */
int store_open(const struct store_location *where, enum open_mode mode, struct store **store,
	       struct simhash_error *error);

/*
 * Another connection to read the index by, for another thread: to the same place, and in the same
 * way. Borrows the texts of the first one's location.
 */
int store_open_beside(const struct store *first, struct store **store, struct simhash_error *error);

/*
 * The statements that give users of a server the least rights for their work, with
 * comments; NULL for an engine without users. The caller frees the text.
 */
int store_roles(const struct store_location *where, char **sql, struct simhash_error *error);

void store_close(struct store *store);

/*
 * Is this one of the files that the index itself is made of? Always false for
 * an index on a server. With a name that is quickly seen; NULL stands for any.
 * May be called from any thread.
 */
bool store_is_own_file(const struct store *store, const char *name, uint64_t device,
		       uint64_t inode);

/* How many rows a batch for store_write should have. */
size_t store_batch_rows(const struct store *store);

/*
 * The number of a tag set or host in this index; 0 when it is not there, or it
 * is entered with `create`. A tag set is known by its tags: the same 16 tags
 * and weights are the same set whatever its name, and a name whose tags in the
 * index differ is an error (SIMHASH_E_RANGE).
 */
int store_tag_set_id(struct store *store, const struct simhash_tag_set *set, bool create,
		     int64_t *id, struct simhash_error *error);
int store_host_id(struct store *store, const char *name, bool create, int64_t *id,
		  struct simhash_error *error);

/*
 * The tag set of number `id`; on success *set is the caller's to free. Errors:
 * SIMHASH_E_RANGE for an id that the index has not, and for tags that are none.
 */
int store_read_tag_set(struct store *store, int64_t id, struct simhash_tag_set **set,
		       struct simhash_error *error);

/* All hosts or tag sets by number. */
typedef int store_name_fn(void *context, int64_t id, struct bytes name,
			  struct simhash_error *error);
int store_read_hosts(struct store *store, store_name_fn *each, void *context,
		     struct simhash_error *error);
int store_read_tag_sets(struct store *store, store_name_fn *each, void *context,
			struct simhash_error *error);

/* ---- What simhash reads and writes ---- */

/*
 * Have the queries that follow see the index as it is now, until the next call.
 * Many small queries are cheaper so; but a view held for long keeps an embedded
 * index from reusing the room of its log, so renew it now and then.
 */
int store_renew_view(struct store *store, struct simhash_error *error);

/* Hold no view: before a time that may be long. Each query sees the index as it then is. */
void store_end_view(struct store *store);

struct directory_row {
	uint8_t hash[DIRECTORY_HASH_SIZE];
	struct bytes path;
};

/* A file of which nothing has changed but what it is linked to. */
struct relinked_file {
	uint8_t path_hash[PATH_HASH_SIZE];
	int64_t device, inode, links;
};

/* What one transaction changes, in this order. */
struct store_batch {
	const uint8_t (*removed_directories)[DIRECTORY_HASH_SIZE]; /* and all their rows */
	size_t removed_directory_count;
	const uint8_t (*removed_files)[PATH_HASH_SIZE];
	size_t removed_file_count;
	const struct relinked_file *relinked;
	size_t relinked_count;
	const struct directory_row *directories; /* new ones, before rows name them */
	size_t directory_count;
	const struct file_row **rows; /* sorted here by path hash */
	size_t row_count;
};

/*
 * Around the writes of a run. Into an index without rows many are written faster
 * when its keys are indexed afterwards. A run that is cut off need not end its
 * load: the next opening to write does.
 */
int store_begin_load(struct store *store, struct simhash_error *error);
int store_end_load(struct store *store, struct simhash_error *error);

/*
 * Write a batch in one transaction: all of it or, on failure, nothing.
 * Deadlocks and lock waits are tried again. *removed is the number of rows of
 * `file` removed.
 */
int store_write(struct store *store, const struct row_scope *scope, const struct store_batch *batch,
		int64_t *removed, struct simhash_error *error);

/* ---- Runs ---- */

struct scan_run {
	int64_t id;
	struct row_scope scope; /* set where a run is read */
	struct bytes root;
	int64_t started_at_ns, finished_at_ns;
	int64_t files, bytes, errors;
};

/* Enter a run that begins, which sets its id; complete it when it ends. */
int store_run_start(struct store *store, const struct row_scope *scope, struct scan_run *run,
		    struct simhash_error *error);
int store_run_finish(struct store *store, const struct scan_run *run, struct simhash_error *error);

/* All runs in order of their beginnings; finished_at_ns is 0 for one that has not ended. */
typedef int store_run_fn(void *context, const struct scan_run *run, struct simhash_error *error);
int store_read_runs(struct store *store, store_run_fn *each, void *context,
		    struct simhash_error *error);

/* Rows and the sum of their sizes, of each tag set and host that has rows. Reads all rows. */
typedef int store_total_fn(void *context, const struct row_scope *scope, int64_t rows,
			   int64_t bytes, struct simhash_error *error);
int store_read_totals(struct store *store, store_total_fn *each, void *context,
		      struct simhash_error *error);

/* The bytes that the index takes, as its engine tells. */
int store_index_bytes(struct store *store, int64_t *bytes, struct simhash_error *error);

/* ---- Sketches of other measures ---- */

/*
 * The number of a measure, by its canonical text, in this index; 0 when it is not there, or it
 * is entered with `create`.
 */
int store_measure_id(struct store *store, const char *text, bool create, int64_t *id,
		     struct simhash_error *error);

/* All measures by number. */
int store_read_measures(struct store *store, store_name_fn *each, void *context,
			struct simhash_error *error);

/*
 * From now on rows that are written come with sketches by these measures, in this order, and
 * a file is known only if it has all of them. At most SKETCHES_MAX.
 */
void store_want_measures(struct store *store, const int64_t *ids, unsigned count);

/* One stored sketch, of whatever content. */
struct stored_sketch {
	uint8_t path_hash[PATH_HASH_SIZE], content_hash[CONTENT_HASH_SIZE];
	int64_t measure, features, cluster;
	struct bytes value;
};

/* The sketches of a scope in order of path hash and measure; the limits are those of
   store_read_rows, but that `after` is with all its measures left out. */
typedef int store_sketch_fn(void *context, const struct stored_sketch *sketch,
			    struct simhash_error *error);
int store_read_sketches(struct store *store, const struct row_scope *scope, const uint8_t *after,
			const uint8_t *last, store_sketch_fn *each, void *context,
			struct simhash_error *error);

/* Write sketches as they are, in one transaction. */
int store_write_sketches(struct store *store, const struct row_scope *scope,
			 const struct stored_sketch *sketches, size_t count,
			 struct simhash_error *error);

/* All measures by number, and how many files have a sketch that is still theirs. Reads all. */
typedef int store_measure_fn(void *context, struct bytes text, int64_t files,
			     struct simhash_error *error);
int store_read_measure_totals(struct store *store, store_measure_fn *each, void *context,
			      struct simhash_error *error);

/* How many files of a tag set have a sketch by a measure that is still theirs. */
int store_count_sketches(struct store *store, int64_t tag_set, int64_t measure, int64_t *files,
			 struct simhash_error *error);

/* Remove a measure, and all sketches by it, a part at a time. */
int store_remove_measure(struct store *store, int64_t measure, int64_t *removed,
			 struct simhash_error *error);

struct row_cursor;

/*
 * The rows of a tag set that have a sketch by a measure, which is still theirs, in order of host
 * and path hash; `key` is filled in besides uniform. store_sketch_of gives the sketch of the
 * row that store_rows_next gave last; it lives until the next. Error: a value that has not `size` bytes.
 */
int store_rows_sketched(struct store *store, int64_t tag_set, int64_t measure, enum simhash_key key,
			bool with_empty, struct row_cursor **cursor, struct simhash_error *error);
int store_sketch_of(struct row_cursor *cursor, size_t size, struct row_sketch *sketch,
		    struct simhash_error *error);

/* ---- What a copy of an index reads ---- */

/*
 * The rows of a scope in order of path hash, whole: at most `limit`, from the first on
 * that comes after `after` (NULL: from the first), to `last` at most (NULL: to the last).
 */
typedef int store_row_fn(void *context, const struct file_row *row, struct simhash_error *error);
int store_read_rows(struct store *store, const struct row_scope *scope, const uint8_t *after,
		    const uint8_t *last, int64_t limit, store_row_fn *each, void *context,
		    struct simhash_error *error);

/* ---- What simfind reads ---- */

/* How rows are brought into order. */
enum row_order {
	ORDER_BY_INDEX,	  /* the way for a small part of the rows: each is looked up */
	ORDER_BY_SORTING, /* for most of them: all are read, and sorted by the database */
	ORDER_NONE	  /* as they lie */
};

/* Which rows: a tag set, and a range of a key, both ends included. */
struct key_range {
	int64_t tag_set;
	enum simhash_key key;
	int64_t low, high;
	bool with_empty;       /* files of size 0 too */
	enum simhash_key also; /* a second key to fill in, where `key` is uniform */
	enum row_order order;
};

/*
 * A stream of rows, whatever its length. Of each row are filled: host,
 * path_hash, directory, name, size_bytes, compressed_size_bytes, mtime_ns,
 * content_hash, table, the key uniform, and another of the range; device and inode,
 * which are 0 for a file that has but one link. Its bytes live until the next row.
 */
struct row_cursor;

/*
 * The rows in a range in order of the key, then of host and path hash.
 */
int store_rows_in_order(struct store *store, const struct key_range *range,
			struct row_cursor **cursor, struct simhash_error *error);

/*
 * Of the rows that store_rows_in_order would give, those whose size is at least
 * what it takes to reach the key `target` from below: a row reaches size * up / down
 * + 2 beyond its key. Looks at every entry of the index of uniform in the range,
 * and reads the rows of those alone; `range->key` must be SIMHASH_UNIFORM.
 */
int store_rows_reaching(struct store *store, const struct key_range *range, int64_t target,
			int64_t up, int64_t down, struct row_cursor **cursor,
			struct simhash_error *error);

/*
 * Bounds of what can be near to a file; both ends are included. The last two bound
 * scatter - uniform and skew_ext - `skew_factor` * uniform. All are seen in the
 * index of uniform, so that only rows within all of them are read.
 */
struct near_range {
	int64_t tag_set;
	enum simhash_key key; /* filled in the rows; has no bounds */
	int64_t uniform[2], size[2], skew_ext[2], scatter_shift[2], skew_shift[2];
	int64_t skew_factor;
};
int store_rows_near(struct store *store, const struct near_range *range, struct row_cursor **cursor,
		    struct simhash_error *error);

/*
 * The next row: 1, 0 at the end, -1 for an error. Rows whose numbers cannot be
 * a file's (a negative size, a count above the size) are errors.
 */
int store_rows_next(struct row_cursor *cursor, struct file_row *row, struct simhash_error *error);
void store_rows_end(struct row_cursor *cursor); /* NULL is fine */

/* store_rows_in_order by a callback. */
int store_read_keys(struct store *store, const struct key_range *range, store_row_fn *each,
		    void *context, struct simhash_error *error);

/* How many rows a tag set has. */
int store_count_rows(struct store *store, int64_t tag_set, int64_t *rows,
		     struct simhash_error *error);

/*
 * In the order of uniform, from the first row on whose key is at least `from`: the key of
 * the row that `skip` others come before; INT64_MAX when there are not so many.
 */
int store_key_at(struct store *store, int64_t tag_set, int64_t from, int64_t skip, int64_t *key,
		 struct simhash_error *error);

/* Are several streams, each of a part of the keys, read faster than one? */
bool store_reads_parts(const struct store *store);

#endif
