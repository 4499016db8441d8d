/*
 * A transaction: work that is done completely or not at all. It is done again if another
 * transaction was in its way or the connection was lost.
 *
 *     struct transaction transaction = {.store = store};
 *     int status = 0;
 *
 *     while (transaction_next(&transaction, &status, error))
 *             status = write_all(store, ..., error);
 *     return status;
 *
 * If the answer of a COMMIT is lost, nobody knows whether it was carried out: the work must be such
 * that it can be done twice.
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
 * Begin the transaction, and after the work end it: a commit if *status is 0, else a rollback.
 * True if the work is to be done now, for the first time or again: again after ERROR_RETRY,
 * later each time, and after a connection that was lost and made again. False at the end, with
 * the outcome in *status.
 */
bool transaction_next(struct transaction *transaction, int *status, struct simhash_error *error);

#endif
