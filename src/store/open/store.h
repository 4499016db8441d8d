/*
 * The index, whatever engine holds it: opening and closing it.
 *
 *     struct store_location where = {.url = "sqlite:index.db"};
 *     store_open(&where, OPEN_TO_WRITE, &store, &error);
 *     store_tag_set_id(store, tags, true, &scope.tag_set, &error);
 *     store_host_id(store, "archive1", true, &scope.host, &error);
 *     store_write(store, &scope, &batch, &removed, &error);
 *     store_close(store);
 *
 * A store is one connection and belongs to one thread at a time; open another one for another
 * thread. What an index holds is read and written by the headers beside this one: tag_sets.h,
 * names.h, batch.h, known_file.h, row_reader.h, ... Each function there that can fail returns 0
 * or -1 with the error.
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

/* Was the engine of this URL scheme built in? */
bool store_has_engine(const char *scheme);

/*
 * Open the index at `where`, whose texts are borrowed until the store is closed.
 * Errors: SIMHASH_E_SYNTAX for the URL, SIMHASH_E_SCHEMA for what is not an index or is
 * too new, SIMHASH_E_CONNECTION, SIMHASH_E_SYSTEM, SIMHASH_E_DATABASE.
 *
 * A connection that is lost later is made again if `where` says to wait, and the function that
 * lost it begins again. Streams of rows fail instead.
 */
int store_open(const struct store_location *where, enum open_mode mode, struct store **store,
	       struct simhash_error *error);

/*
 * Open another connection to read the same index, for another thread. Borrows the texts of the
 * first one's location.
 */
int store_open_beside(const struct store *first, struct store **store, struct simhash_error *error);

/*
 * Open another connection to read the same index at the same time, for another thread; as
 * store_open_beside. *store is NULL where none can be had now.
 */
void store_open_another(const struct store *first, struct store **store);

/*
 * Open another connection to the same index, to write to it; as store_open_beside. On a server it
 * is that of simhash's user, since the one who finds may only read.
 */
int store_open_to_write(const struct store *first, struct store **store,
			struct simhash_error *error);

/*
 * Open another connection to write to the same index at the same time, for another thread, with the
 * measures that the first one wants. *store is NULL where that is no use, as for an index in a file,
 * and where the server gives no other connection now.
 */
void store_open_second(const struct store *first, struct store **store);

void store_close(struct store *store); /* NULL is fine */

/* ---- What a run wants of each file ---- */

/*
 * From now on rows that are written come with sketches by these measures, in this order, and a
 * file is known only if it has all of them. At most SKETCHES_MAX. To be called before the first
 * file is looked up.
 */
void store_want_measures(struct store *store, const int64_t *ids, unsigned count);

/* The kinds of containers that known files are to have been looked at for. */
void store_want_containers(struct store *store, unsigned kinds);

/*
 * The number of the filter that a file of this name is to have been given to; 0: none. Known files
 * lack a look where they were given to another.
 */
typedef uint32_t wanted_filter_fn(const void *filters, struct bytes name);
void store_want_filters(struct store *store, wanted_filter_fn *wanted, const void *filters);

/*
 * Is this file the index, or one that SQLite keeps next to it, under any name? Always false for an
 * index on a server. `name` makes the answer faster; NULL stands for any name. Any thread.
 */
bool store_is_own_file(const struct store *store, const char *name, uint64_t device,
		       uint64_t inode);

#endif
