/*
 * Lists, binds and reads the columns of the table `file`.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/file_columns.h"

#include <string.h>

#include "base/basic/error.h"
#include "store/row/bucket.h"
#include "store/row/cells.h"

/* clang-format off */
const char *const file_columns[FILE_COLUMNS] = {
	"directory", "name", "extension", "size", "mtime_ns", "device", "inode", "links",
	"compressed_size", "contents", "content_hash", "scanned_at_ns",
	"sum_00", "sum_01", "sum_02", "sum_03", "sum_04", "sum_05", "sum_06", "sum_07",
	"sum_08", "sum_09", "sum_10", "sum_11", "sum_12", "sum_13", "sum_14", "sum_15",
	"uniform", "scatter", "skew", "uniform_ext", "scatter_ext", "skew_ext",
	"bucket", "cell", "signed_1", "signed_2", "outline_00", "outline_08", "resemblance_sketch",
};
/* clang-format on */

/* ---- Resemblance sketches ---- */

/* A sketch without any register in use is stored as an empty value. */
static bool is_blank(const struct simhash_resemblance_sketch *sketch)
{
	static const struct simhash_resemblance_sketch blank;

	return memcmp(sketch, &blank, sizeof blank) == 0;
}

static void bind_resemblance(struct query *query, const struct file_row *row)
{
	const struct simhash_resemblance_sketch *sketch = &row->resemblance;

	if (row->has_resemblance)
		query_bind_data(query, sketch->registers, is_blank(sketch) ? 0 : sizeof *sketch);
	else
		query_bind_null(query);
}

int resemblance_take(struct query *query, unsigned column, struct file_row *row,
		     struct simhash_error *error)
{
	struct simhash_resemblance_sketch *sketch = &row->resemblance;
	struct bytes value = query_bytes(query, column);

	memset(sketch, 0, sizeof *sketch);
	row->has_resemblance = !query_is_null(query, column);
	if (value.size == 0)
		return 0;
	if (value.size != sizeof *sketch)
		return error_set(error, SIMHASH_E_DATABASE,
				 "table file: the resemblance sketch of %.*s/%.*s has %zu bytes "
				 "instead of %zu; scan it again with simhash --force",
				 (int)row->directory.size, row->directory.data, (int)row->name.size,
				 row->name.data, value.size, sizeof *sketch);
	memcpy(sketch, value.data, sizeof *sketch);
	return 0;
}

/* ---- Whole rows ---- */

void file_columns_bind(struct query *query, const struct row_scope *scope,
		       const struct file_row *row)
{
	struct file_cell cell = cell_of(row);

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
	query_bind_integer(query, row->contents);
	query_bind_data(query, row->content_hash, CONTENT_HASH_SIZE);
	query_bind_integer(query, row->scanned_at_ns);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		query_bind_integer(query, (int64_t)row->table.count[t]);
	for (int k = 0; k < SIMHASH_KEYS; k++)
		query_bind_integer(query, row->keys.key[k]);
	query_bind_integer(query, bucket_of(row));
	query_bind_integer(query, cell.cell);
	for (int s = 0; s < SIGNED_SUMS; s++)
		query_bind_integer(query, cell.signed_sum[s]);
	for (int o = 0; o < OUTLINES; o++)
		query_bind_integer(query, cell.outline[o]);
	bind_resemblance(query, row);
}

void file_columns_select(FILE *sql)
{
	fprintf(sql, "SELECT path_hash");
	for (size_t i = 0; i < FILE_COLUMNS; i++)
		fprintf(sql, ", %s", file_columns[i]);
	fprintf(sql, " FROM file");
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
	row->contents = query_integer(query, i++);
	content_hash = i++;
	row->scanned_at_ns = query_integer(query, i++);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		row->table.count[t] = (uint64_t)query_integer(query, i++);
	for (int k = 0; k < SIMHASH_KEYS; k++)
		row->keys.key[k] = query_integer(query, i++);
	if (query_fixed_bytes(query, 0, row->path_hash, PATH_HASH_SIZE, error) != 0)
		return -1;
	if (query_fixed_bytes(query, content_hash, row->content_hash, CONTENT_HASH_SIZE, error) !=
	    0)
		return -1;
	return resemblance_take(query, FILE_COLUMNS, row, error);
}
