/*
 * Begins and ends views, which are transactions that only read.
 * SPDX-License-Identifier: MIT
 */
#include "store/open/view.h"

#include "store/open/query.h"

static int end_view(struct store *store, struct simhash_error *error)
{
	if (store->has_view && store->driver->execute(store->database, "COMMIT", error) != 0)
		return -1;
	store->has_view = false;
	return 0;
}

void store_end_view(struct store *store)
{
	/* ignored, because a lasting error returns in the next view */
	struct simhash_error ignored;

	end_view(store, &ignored);
}

int store_renew_view(struct store *store, struct simhash_error *error)
{
	const struct database_driver *driver = store->driver;

	if (driver->begin_reading == NULL ||
	    (driver->readers_block != NULL && driver->readers_block(store->database)))
		return 0;
	if (end_view(store, error) != 0 ||
	    driver->execute(store->database, driver->begin_reading, error) != 0)
		return -1;
	store->has_view = true;
	return 0;
}

#define SHARE_TRIES 100

/* Read the state of the index, or of the current view. */
static int read_state(struct store *store, int64_t *state, struct simhash_error *error)
{
	return store_read_integer(store, store->driver->state, NULL, 0, state, error);
}

/* Begin a view that stays the same from its first query on, and read its state. */
static int begin_view(struct store *store, int64_t *state, struct simhash_error *error)
{
	const char *const *begin = store->driver->begin_view;

	if (end_view(store, error) != 0)
		return -1;
	for (; *begin != NULL; begin++)
		if (store->driver->execute(store->database, *begin, error) != 0)
			return -1;
	store->has_view = true;
	return read_state(store, state, error);
}

/*
 * The first connection reads the state before the other views begin, and again in its own view,
 * which begins last. If both states are equal, nothing was committed in between, and all views show
 * the same.
 */
static int try_to_share(struct store *const *stores, unsigned count, bool *is_same,
			struct simhash_error *error)
{
	int64_t before, after, state;

	if (end_view(stores[0], error) != 0 || read_state(stores[0], &before, error) != 0)
		return -1;
	*is_same = true;
	for (unsigned i = 1; i < count; i++) {
		if (begin_view(stores[i], &state, error) != 0)
			return -1;
		*is_same = *is_same && (!stores[i]->driver->state_is_of_all || state == before);
	}
	if (begin_view(stores[0], &after, error) != 0)
		return -1;
	*is_same = *is_same && before == after;
	return 0;
}

bool store_share_view(struct store *const *stores, unsigned count)
{
	/* ignored, because a lasting error returns in later queries */
	struct simhash_error ignored;
	bool are_own = false, is_same = false;
	int status = store_rows_are_own(stores[0], &are_own, &ignored);

	for (unsigned try = 0; status == 0 && are_own && try < SHARE_TRIES && !is_same; try++)
		status = try_to_share(stores, count, &is_same, &ignored);
	if (status == 0 && is_same)
		return true;
	for (unsigned i = 0; i < count; i++)
		store_end_view(stores[i]);
	return false;
}

void store_release_memory(struct store *store)
{
	struct simhash_error ignored; /* the caller need not know about a failure */

	if (store->driver->release_memory != NULL)
		store->driver->execute(store->database, store->driver->release_memory, &ignored);
}
