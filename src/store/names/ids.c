/*
 * Reads tables of ids and names, inserts names, and chooses new ids.
 * SPDX-License-Identifier: MIT
 */
#include "store/names/ids.h"

#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "store/open/query.h"

static int append_name(struct name_list *list, int64_t id, struct bytes text,
		       struct simhash_error *error)
{
	char *copy;

	if (array_reserve(&list->names, &list->capacity, list->count + 1, sizeof *list->names,
			  error) != 0)
		return -1;
	copy = arena_take(&list->texts, text.size + 1);
	if (copy == NULL)
		return error_set_memory(error);
	memcpy(copy, text.data, text.size);
	copy[text.size] = '\0';
	list->names[list->count++] = (struct name){id, {copy, text.size}};
	return 0;
}

int name_list_read(struct store *store, const char *sql, struct name_list *list,
		   struct simhash_error *error)
{
	struct query query;
	int status;

	*list = (struct name_list){.names = NULL};
	if (query_begin(&query, store, sql, error) != 0)
		return -1;
	while ((status = query_next(&query, error)) == 1)
		if (append_name(list, query_integer(&query, 0), query_bytes(&query, 1), error) !=
		    0) {
			status = -1;
			break;
		}
	query_end(&query);
	if (status != 0)
		name_list_release(list);
	return status;
}

int name_insert(struct store *store, const char *sql, int64_t id, const char *name,
		struct simhash_error *error)
{
	struct query query;

	if (query_begin(&query, store, sql, error) != 0)
		return -1;
	query_bind_integer(&query, id);
	query_bind_text(&query, name);
	return query_run(&query, error);
}

int next_id(struct store *store, const char *sql, int64_t *id, struct simhash_error *error)
{
	if (store_read_integer(store, sql, NULL, 0, id, error) != 0)
		return -1;
	if (*id < 0 || *id == INT64_MAX)
		return error_set(error, SIMHASH_E_RANGE,
				 "cannot add an entry to the index: its highest id is %lld, so the "
				 "index is damaged",
				 (long long)*id);
	*id += 1;
	return 0;
}

int duplicate_is_retry(struct simhash_error *error)
{
	if (error->code == ERROR_DUPLICATE)
		error->code = ERROR_RETRY;
	return -1;
}
