/*
 * Views: transactions that only read.
 * SPDX-License-Identifier: MIT
 */
#include "store/view.h"

#include "store/query.h"

static int end_view(struct store *store, struct simhash_error *error)
{
	if (store->has_view && store->driver->execute(store->database, "COMMIT", error) != 0)
		return -1;
	store->has_view = false;
	return 0;
}

void store_end_view(struct store *store)
{
	struct simhash_error ignored; /* an error that lasts is found by the next view */

	end_view(store, &ignored);
}

int store_renew_view(struct store *store, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;

	if (driver->begin_reading == NULL)
		return 0;
	if (end_view(store, error) != 0 ||
	    driver->execute(store->database, driver->begin_reading, error) != 0)
		return -1;
	store->has_view = true;
	return 0;
}

#define SHARE_TRIES 100

/* Which state of the database a connection sees; read in a view, it is what the view shows. */
static int read_state(struct store *store, int64_t *state, struct simhash_error *error)
{
	return store_read_integer(store, store->driver->state, NULL, 0, state, error);
}

/*
 * The first connection looks at the state before the other views begin, and again in its own, which
 * begins last: when nothing was committed in between, all of them show the same.
 */
static int try_to_share(struct store *const *stores, unsigned count, bool *is_same,
			struct simhash_error *error)
{
	int64_t before, after, state;

	if (end_view(stores[0], error) != 0 || read_state(stores[0], &before, error) != 0)
		return -1;
	for (unsigned i = 1; i < count; i++)
		if (store_renew_view(stores[i], error) != 0 ||
		    read_state(stores[i], &state, error) != 0)
			return -1;
	if (store_renew_view(stores[0], error) != 0 || read_state(stores[0], &after, error) != 0)
		return -1;
	*is_same = before == after;
	return 0;
}

int store_share_view(struct store *const *stores, unsigned count, bool *is_same,
		     struct simhash_error *error)
{
	*is_same = false;
	if (stores[0]->driver->state == NULL)
		return 0;
	for (unsigned try = 0; try < SHARE_TRIES && !*is_same; try++)
		if (try_to_share(stores, count, is_same, error) != 0)
			return -1;
	for (unsigned i = 0; !*is_same && i < count; i++)
		store_end_view(stores[i]);
	return 0;
}

void store_release_memory(struct store *store)
{
	struct simhash_error ignored; /* nothing depends on it */

	if (store->driver->release_memory != NULL)
		store->driver->execute(store->database, store->driver->release_memory, &ignored);
}
