/*
 * Reads hosts and measures from their tables of ids and names, and adds new ones.
 * SPDX-License-Identifier: MIT
 */
#include "store/names/names.h"

#include "store/names/ids.h"
#include "store/open/connection.h"
#include "store/open/transaction.h"

struct name_table {
	const char *select, *highest, *insert;
};

static const struct name_table host_table = {
	"SELECT id, name FROM host ORDER BY id",
	"SELECT MAX(id) FROM host",
	"INSERT INTO host(id, name) VALUES (?, ?)",
};

static const struct name_table measure_table = {
	"SELECT id, name FROM measure ORDER BY id",
	"SELECT MAX(id) FROM measure",
	"INSERT INTO measure(id, name) VALUES (?, ?)",
};

int store_read_hosts(struct store *store, struct name_list *hosts, struct simhash_error *error)
{
	return name_list_read(store, host_table.select, hosts, error);
}

int store_read_measures(struct store *store, struct name_list *measures,
			struct simhash_error *error)
{
	return name_list_read(store, measure_table.select, measures, error);
}

static int find_name(struct store *store, const struct name_table *table, const char *name,
		     int64_t *id, struct simhash_error *error)
{
	struct name_list list;

	*id = 0;
	if (name_list_read(store, table->select, &list, error) != 0)
		return -1;
	*id = name_list_id(&list, name);
	name_list_release(&list);
	return 0;
}

/* The caller has begun a transaction. */
static int enter_name(struct store *store, const struct name_table *table, const char *name,
		      int64_t *id, struct simhash_error *error)
{
	int64_t next;

	if (find_name(store, table, name, id, error) != 0)
		return -1;
	if (*id != 0)
		return 0;
	if (next_id(store, table->highest, &next, error) != 0)
		return -1;
	if (name_insert(store, table->insert, next, name, error) != 0)
		return duplicate_is_retry(error);
	*id = next;
	return 0;
}

static int name_id(struct store *store, const struct name_table *table, const char *name,
		   bool create, int64_t *id, struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	while (find_name(store, table, name, id, error) != 0)
		if (store_recover(store, error) != 0)
			return -1;
	if (*id != 0 || !create)
		return 0;
	while (transaction_next(&transaction, &status, error))
		status = enter_name(store, table, name, id, error);
	if (status != 0)
		*id = 0;
	return status;
}

int store_host_id(struct store *store, const char *name, bool create, int64_t *id,
		  struct simhash_error *error)
{
	return name_id(store, &host_table, name, create, id, error);
}

int store_measure_id(struct store *store, const char *text, bool create, int64_t *id,
		     struct simhash_error *error)
{
	return name_id(store, &measure_table, text, create, id, error);
}
