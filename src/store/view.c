/*
 * Views: transactions that only read.
 * SPDX-License-Identifier: MIT
 */
#include "store/view.h"

#include "store/connection.h"

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

void store_release_memory(struct store *store)
{
	struct simhash_error ignored; /* nothing depends on it */

	if (store->driver->release_memory != NULL)
		store->driver->execute(store->database, store->driver->release_memory, &ignored);
}
