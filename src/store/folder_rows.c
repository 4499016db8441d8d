/*
 * Rows of the table `file` for comparing whole directories.
 * SPDX-License-Identifier: MIT
 */
#include "store/folder_rows.h"

#include <stdlib.h>

#include "base/error.h"
#include "store/query.h"

struct folder_cursor {
	struct query query;
};

int store_folder_rows(struct store *store, int64_t tag_set, struct folder_cursor **cursor,
		      struct simhash_error *error)
{
	*cursor = malloc(sizeof **cursor);
	if (*cursor == NULL)
		return error_set_memory(error);
	if (query_begin(&(*cursor)->query, store,
			"SELECT host, directory, name, size, device, inode, links, content_hash "
			"FROM file WHERE tag_set = ? AND size > 0 AND compressed_size = 0",
			error) != 0) {
		free(*cursor);
		*cursor = NULL;
		return -1;
	}
	query_bind_integer(&(*cursor)->query, tag_set);
	return 0;
}

int folder_rows_next(struct folder_cursor *cursor, struct folder_row *row,
		     struct simhash_error *error)
{
	struct query *query = &cursor->query;
	int status = query_next(query, error);

	if (status != 1)
		return status;
	row->host = query_integer(query, 0);
	row->directory = query_bytes(query, 1);
	row->name = query_bytes(query, 2);
	row->size_bytes = query_integer(query, 3);
	row->device = query_integer(query, 4);
	row->inode = query_integer(query, 5);
	row->links = query_integer(query, 6);
	while (row->directory.size > 0 && row->directory.data[row->directory.size - 1] == '/')
		row->directory.size--;
	return query_fixed_bytes(query, 7, row->content_hash, CONTENT_HASH_SIZE, error) != 0 ? -1
											     : 1;
}

void folder_rows_end(struct folder_cursor *cursor)
{
	if (cursor == NULL)
		return;
	query_end(&cursor->query);
	free(cursor);
}
