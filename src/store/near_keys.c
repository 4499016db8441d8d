/*
 * Entries of the index of cells, and keys of rows.
 * SPDX-License-Identifier: MIT
 */
#include "store/near_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/open_file.h"

int row_key_compare(const struct row_key *a, const struct row_key *b)
{
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	return memcmp(a->path_hash, b->path_hash, PATH_HASH_SIZE);
}

/* The cells are in the text, as their number varies. */
static char *entries_sql(const int64_t *cells, size_t count)
{
	char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);

	if (sql == NULL)
		return NULL;
	fprintf(sql,
		"SELECT host, path_hash, cell, uniform, size, skew_ext, outline_00, outline_08 "
		"FROM file WHERE tag_set = ? AND cell IN (");
	for (size_t i = 0; i < count; i++)
		fprintf(sql, "%s%lld", i == 0 ? "" : ", ", (long long)cells[i]);
	fprintf(sql, ") AND uniform BETWEEN ? AND ?");
	return close_text(sql, &text) == 0 ? text : NULL;
}

int store_entries_begin(struct cell_entries *entries, struct store *store, int64_t tag_set,
			const int64_t *cells, size_t count, const int64_t uniform[2],
			struct simhash_error *error)
{
	char *sql = entries_sql(cells, count);
	int status = sql == NULL ? error_set_memory(error)
				 : query_begin(&entries->query, store, sql, error);

	free(sql);
	if (status != 0)
		return -1;
	query_bind_integer(&entries->query, tag_set);
	query_bind_integer(&entries->query, uniform[0]);
	query_bind_integer(&entries->query, uniform[1]);
	return 0;
}

int store_entries_next(struct cell_entries *entries, struct cell_entry *entry,
		       struct simhash_error *error)
{
	struct query *query = &entries->query;
	int status = query_next(query, error);

	if (status != 1)
		return status;
	entry->key.host = query_integer(query, 0);
	entry->cell = query_integer(query, 2);
	entry->uniform = query_integer(query, 3);
	entry->size_bytes = query_integer(query, 4);
	entry->skew_ext = query_integer(query, 5);
	for (unsigned i = 0; i < OUTLINES; i++)
		entry->outline[i] = query_integer(query, 6 + i);
	return query_fixed_bytes(query, 1, entry->key.path_hash, PATH_HASH_SIZE, error) == 0 ? 1
											     : -1;
}

void store_entries_end(struct cell_entries *entries)
{
	query_end(&entries->query);
}
