/*
 * Writes and copies the table filter_command: the filter commands that read files. The rows of
 * these files contain the number of the command.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_FILTER_TABLE_H
#define SIMHASH_STORE_FILTER_TABLE_H

#include "base/basic/bytes.h"
#include "simhash.h"

struct store;

struct filter_entry {
	int64_t number;
	struct bytes command, version;
};

/* Add a command unless its number exists. Error: SIMHASH_E_DATABASE. */
int store_filter_enter(struct store *store, const struct filter_entry *entry,
		       struct simhash_error *error);

/* Add the commands of another index. Errors: SIMHASH_E_DATABASE, SIMHASH_E_MEMORY. */
int store_filters_copy(struct store *from, struct store *to, struct simhash_error *error);

#endif
