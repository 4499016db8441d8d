/*
 * The columns of the table `file`.
 * SPDX-License-Identifier: MIT
 */
#include "store/file_columns.h"

#include "store/bucket.h"

const char *const file_columns[FILE_COLUMNS] = {
	"directory",   "name",	      "extension",	 "size",	 "mtime_ns",	  "device",
	"inode",       "links",	      "compressed_size", "content_hash", "scanned_at_ns", "sum_00",
	"sum_01",      "sum_02",      "sum_03",		 "sum_04",	 "sum_05",	  "sum_06",
	"sum_07",      "sum_08",      "sum_09",		 "sum_10",	 "sum_11",	  "sum_12",
	"sum_13",      "sum_14",      "sum_15",		 "uniform",	 "scatter",	  "skew",
	"uniform_ext", "scatter_ext", "skew_ext",	 "bucket",
};

void file_columns_bind(struct query *query, const struct row_scope *scope,
		       const struct file_row *row)
{
	query_bind_scope(query, scope);
	query_bind_data(query, row->path_hash, PATH_HASH_SIZE);
	query_bind_bytes(query, row->directory);
	query_bind_bytes(query, row->name);
	query_bind_bytes(query, row->extension);
	query_bind_integer(query, row->size_bytes);
	query_bind_integer(query, row->mtime_ns);
	query_bind_integer(query, row->device);
	query_bind_integer(query, row->inode);
	query_bind_integer(query, row->links);
	query_bind_integer(query, row->compressed_size_bytes);
	query_bind_data(query, row->content_hash, CONTENT_HASH_SIZE);
	query_bind_integer(query, row->scanned_at_ns);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		query_bind_integer(query, (int64_t)row->table.count[t]);
	for (int k = 0; k < SIMHASH_KEYS; k++)
		query_bind_integer(query, row->keys.key[k]);
	query_bind_integer(query, bucket_of(row));
}

int file_columns_take(struct query *query, struct file_row *row, struct simhash_error *error)
{
	unsigned i = 1, content_hash;

	row->directory = query_bytes(query, i++);
	row->name = query_bytes(query, i++);
	row->extension = query_bytes(query, i++);
	row->size_bytes = query_integer(query, i++);
	row->mtime_ns = query_integer(query, i++);
	row->device = query_integer(query, i++);
	row->inode = query_integer(query, i++);
	row->links = query_integer(query, i++);
	row->compressed_size_bytes = query_integer(query, i++);
	content_hash = i++;
	row->scanned_at_ns = query_integer(query, i++);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		row->table.count[t] = (uint64_t)query_integer(query, i++);
	for (int k = 0; k < SIMHASH_KEYS; k++)
		row->keys.key[k] = query_integer(query, i++);
	if (query_fixed_bytes(query, 0, row->path_hash, PATH_HASH_SIZE, error) != 0)
		return -1;
	return query_fixed_bytes(query, content_hash, row->content_hash, CONTENT_HASH_SIZE, error);
}
