/*
 * Opens and closes an index with any engine.
 *
 *     struct store_location where = {.url = "sqlite:index.db"};
 *     store_open(&where, OPEN_TO_WRITE, &store, &error);
 *     store_tag_set_id(store, tags, true, &scope.tag_set, &error);
 *     store_host_id(store, "archive1", true, &scope.host, &error);
 *     store_write(store, &scope, &batch, &removed, &error);
 *     store_close(store);
 *
 * A store is one connection and belongs to one thread at a time; open another store for another
 * thread. Other headers of this room read and write the content of an index: tag_sets.h, names.h,
 * batch.h, known_file.h, row_reader.h, ... Each of their functions that can fail returns 0, or -1
 * with the error.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_STORE_H
#define SIMHASH_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "simhash.h"
#include "store/engine/location.h"

struct store;

/* Is the engine of this URL scheme built in? */
bool store_has_engine(const char *scheme);

/*
 * Open the index at `where`, whose texts are borrowed until the store is closed. Errors:
 * SIMHASH_E_SYNTAX for the URL, SIMHASH_E_SCHEMA for a database that is not an index or is too new,
 * SIMHASH_E_CONNECTION, SIMHASH_E_SYSTEM, SIMHASH_E_DATABASE.
 *
 * If a connection is lost later and `where` says to wait, the store connects again, and the
 * interrupted function starts again. Streams of rows fail instead.
 */
int store_open(const struct store_location *where, enum open_mode mode, struct store **store,
	       struct simhash_error *error);

/*
 * Open another connection to read the same index, for another thread. Borrows the texts of the
 * first location.
 */
int store_open_beside(const struct store *first, struct store **store, struct simhash_error *error);

/* The same, but without waiting. *store is NULL if no connection is available now. */
void store_open_another(const struct store *first, struct store **store);

/*
 * Open another connection to write to the same index. Like store_open_beside, but on a server it
 * logs in as simhash's user, because simfind's user may only read.
 */
int store_open_to_write(const struct store *first, struct store **store,
			struct simhash_error *error);

void store_close(struct store *store); /* NULL is allowed */

/* ---- Requirements of a run for each file ---- */

/*
 * From now on, written rows come with sketches by these measures, in this order, and a file is
 * known only if it has all of them. At most SKETCHES_MAX. Call this before the first file is looked
 * up.
 */
void store_want_measures(struct store *store, const int64_t *ids, unsigned count);

/* From now on, a file lacks its resemblance sketch also if the pieces of its content are missing. */
void store_want_pieces(struct store *store);

/* Set the kinds of containers for which known files must have been examined. */
void store_want_containers(struct store *store, unsigned kinds);

/*
 * Set a function that returns the number of the filter for a file of this name; 0: none. An
 * unchanged file that another filter has read must be read again.
 */
typedef uint32_t wanted_filter_fn(const void *filters, struct bytes name);
void store_want_filters(struct store *store, wanted_filter_fn *wanted, const void *filters);

/*
 * Is this file the index, or one of SQLite's files next to it, under any name? Always false for an
 * index on a server. `name` makes the answer faster; NULL means any name. Any thread may call this.
 */
bool store_is_own_file(const struct store *store, const char *name, uint64_t device,
		       uint64_t inode);

#endif
