/*
 * Writes and copies rows of the table filter_command.
 * SPDX-License-Identifier: MIT
 */
#include "store/names/filter_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/arena.h"
#include "base/data/array.h"
#include "store/names/ids.h"
#include "store/open/query.h"
#include "store/open/transaction.h"

/* The caller has begun a transaction. */
static int enter(struct store *store, const struct filter_entry *entry, struct simhash_error *error)
{
	struct query query;
	int64_t found = 0;

	if (store_read_integer(store, "SELECT COUNT(*) FROM filter_command WHERE number = ?",
			       &entry->number, 1, &found, error) != 0)
		return -1;
	if (found > 0)
		return 0;
	if (query_begin(&query, store,
			"INSERT INTO filter_command(number, command, version) VALUES (?, ?, ?)",
			error) != 0)
		return -1;
	query_bind_integer(&query, entry->number);
	query_bind_bytes(&query, entry->command);
	query_bind_bytes(&query, entry->version);
	return query_run(&query, error) != 0 ? duplicate_is_retry(error) : 0;
}

int store_filter_enter(struct store *store, const struct filter_entry *entry,
		       struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	while (transaction_next(&transaction, &status, error))
		status = enter(store, entry, error);
	return status;
}

/* ---- Copying ---- */

struct filter_rows {
	struct filter_entry *items;
	size_t count, capacity;
	struct arena texts;
};

static int keep_text(struct filter_rows *entries, struct bytes text, struct bytes *kept,
		     struct simhash_error *error)
{
	char *copy = arena_take(&entries->texts, text.size + 1);

	if (copy == NULL)
		return error_set_memory(error);
	if (text.size > 0)
		memcpy(copy, text.data, text.size);
	*kept = (struct bytes){copy, text.size};
	return 0;
}

static int keep_entry(void *context, struct query *query, struct simhash_error *error)
{
	struct filter_rows *entries = context;
	struct filter_entry *entry;

	if (array_reserve(&entries->items, &entries->capacity, entries->count + 1,
			  sizeof *entries->items, error) != 0)
		return -1;
	entry = &entries->items[entries->count++];
	entry->number = query_integer(query, 0);
	if (keep_text(entries, query_bytes(query, 1), &entry->command, error) != 0)
		return -1;
	return keep_text(entries, query_bytes(query, 2), &entry->version, error);
}

int store_filters_copy(struct store *from, struct store *to, struct simhash_error *error)
{
	struct filter_rows entries = {.items = NULL};
	struct query query;
	int status = query_begin(&query, from,
				 "SELECT number, command, version FROM filter_command "
				 "ORDER BY number",
				 error);

	if (status == 0)
		status = query_each(&query, keep_entry, &entries, error);
	for (size_t i = 0; status == 0 && i < entries.count; i++)
		status = store_filter_enter(to, &entries.items[i], error);
	arena_release(&entries.texts);
	free(entries.items);
	return status;
}
