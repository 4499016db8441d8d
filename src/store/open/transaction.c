/*
 * Begins, commits and repeats transactions, and decides after which errors to repeat them.
 * SPDX-License-Identifier: MIT
 */
#include "store/open/transaction.h"

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "store/open/connection.h"

/* The waits between the tries add up to 20 s. In each try SQLite waits up to 2 s. */
#define TRIES 12
/* A stop request ends the waiting only after this many tries, which take 0.3 s. */
#define TRIES_TO_STOP 5
#define WAIT_PART_MS 100

/*
 * Wait 10, 20, 40 ... ms, at most 5 s. Returns false if the program was asked to stop, after a few
 * tries.
 */
static bool wait_before(const struct store *store, unsigned attempt, struct simhash_error *error)
{
	int64_t left_ms = attempt < 9 ? INT64_C(10) << attempt : INT64_C(5000);

	if (attempt < TRIES_TO_STOP) {
		clock_sleep_ns(left_ms * NS_PER_MS);
		return true;
	}
	for (; left_ms > 0 && !store_is_stopped(store); left_ms -= WAIT_PART_MS)
		clock_sleep_ns(WAIT_PART_MS * NS_PER_MS);
	if (!store_is_stopped(store))
		return true;
	error_set(error, ERROR_STOPPED, "stopped");
	return false;
}

static int end(struct transaction *transaction, int status, struct simhash_error *error)
{
	const struct store *store = transaction->store;
	struct simhash_error ignored;

	transaction->has_begun = false;
	if (status == 0 && store->driver->execute(store->database, "COMMIT", error) == 0)
		return 0;
	store->driver->execute(store->database, "ROLLBACK", &ignored);
	return -1;
}

/* Should the transaction be repeated after this error? If so, wait or connect first. */
static bool try_again(struct transaction *transaction, struct simhash_error *error)
{
	unsigned attempt = transaction->attempt++;

	if (error->code == SIMHASH_E_CONNECTION)
		return store_recover(transaction->store, error) == 0;
	if (error->code != ERROR_RETRY || attempt >= TRIES)
		return false;
	return wait_before(transaction->store, attempt, error);
}

bool transaction_next(struct transaction *transaction, int *status, struct simhash_error *error)
{
	const struct store *store = transaction->store;

	if (transaction->has_begun) {
		*status = end(transaction, *status, error);
		if (*status == 0)
			store_went_well(transaction->store);
		if (*status == 0 || !try_again(transaction, error))
			return false;
	}
	while ((*status = store->driver->execute(store->database, store->driver->begin, error)) !=
	       0)
		if (!try_again(transaction, error))
			return false;
	transaction->has_begun = true;
	return true;
}
