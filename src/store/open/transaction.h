/*
 * Runs a transaction: work that is done completely or not at all. It is repeated after a conflict
 * with another transaction, or if the connection was lost.
 *
 *     struct transaction transaction = {.store = store};
 *     int status = 0;
 *
 *     while (transaction_next(&transaction, &status, error))
 *             status = write_all(store, ..., error);
 *     return status;
 *
 * If the answer of a COMMIT is lost, it is not known whether the COMMIT succeeded. So doing the
 * work twice must have the same result as doing it once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_TRANSACTION_H
#define SIMHASH_STORE_TRANSACTION_H

#include <stdbool.h>

#include "simhash.h"

struct store;

struct transaction {
	struct store *store;
	unsigned attempt;
	bool has_begun;
};

/*
 * Begin the transaction; after the work, end it with a commit if *status is 0, or else with a
 * rollback. Returns true if the work must be done now, for the first time or again. It is repeated
 * after ERROR_RETRY, with longer waits each time, and after a lost connection was opened again.
 * Returns false at the end, with the result in *status.
 */
bool transaction_next(struct transaction *transaction, int *status, struct simhash_error *error);

#endif
