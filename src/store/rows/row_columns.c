/*
 * Binds and decodes rows of the table `file` with one table of its columns.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/row_columns.h"

#include <stddef.h>
#include <string.h>

#include "base/basic/error.h"
#include "core/resemblance.h"
#include "store/row/bucket.h"
#include "store/row/cells.h"

/* clang-format off */
const char *const row_columns[KEY_COLUMNS + FILE_COLUMNS] = {
	"host", "path_hash", "directory", "name", "extension", "size", "mtime_ns", "device",
	"inode", "links", "compressed_size", "contents", "content_hash", "scanned_at_ns",
	"sum_00", "sum_01", "sum_02", "sum_03", "sum_04", "sum_05", "sum_06", "sum_07",
	"sum_08", "sum_09", "sum_10", "sum_11", "sum_12", "sum_13", "sum_14", "sum_15",
	"uniform", "scatter", "skew", "uniform_ext", "scatter_ext", "skew_ext",
	"resemblance_sketch", "pieces", "document_time", "verified_at_ns", "ctime_ns",
	"document_created", "document_revision",
	/* Written only: */
	"bucket", "cell", "signed_1", "signed_2", "outline_00", "outline_08",
};
/* clang-format on */

#define AT(member) offsetof(struct file_row, member)

/* The members of a row in the order of their columns. All hashes have the same size. */
static const struct row_member {
	enum { INTEGERS, BYTES, HASH, RESEMBLANCE } kind;
	unsigned count; /* number of columns */
	size_t at;
} members[] = {
	{INTEGERS, 1, AT(host)},
	{HASH, 1, AT(path_hash)},
	{BYTES, 1, AT(directory)},
	{BYTES, 1, AT(name)},
	{BYTES, 1, AT(extension)},
	{INTEGERS, 1, AT(size_bytes)},
	{INTEGERS, 1, AT(mtime_ns)},
	{INTEGERS, 1, AT(device)},
	{INTEGERS, 1, AT(inode)},
	{INTEGERS, 1, AT(links)},
	{INTEGERS, 1, AT(compressed_size_bytes)},
	{INTEGERS, 1, AT(contents)},
	{HASH, 1, AT(content_hash)},
	{INTEGERS, 1, AT(scanned_at_ns)},
	{INTEGERS, SIMHASH_TAGS, AT(table)},
	{INTEGERS, 1, AT(keys.key[SIMHASH_UNIFORM])},
	{INTEGERS, 1, AT(keys.key[SIMHASH_SCATTER])},
	{INTEGERS, 1, AT(keys.key[SIMHASH_SKEW])},
	{INTEGERS, 1, AT(keys.key[SIMHASH_UNIFORM_EXT])},
	{INTEGERS, 1, AT(keys.key[SIMHASH_SCATTER_EXT])},
	{INTEGERS, 1, AT(keys.key[SIMHASH_SKEW_EXT])},
	{RESEMBLANCE, 1, 0},
	{INTEGERS, 1, AT(pieces_made)},
	{INTEGERS, 1, AT(dates.changed_ns)},
	{INTEGERS, 1, AT(verified_at_ns)},
	{INTEGERS, 1, AT(changed_ns)},
	{INTEGERS, 1, AT(dates.created_ns)},
	{INTEGERS, 1, AT(dates.revision)},
};
#define MEMBERS (sizeof members / sizeof *members)
_Static_assert(1 << MEMBERS == ROW_COLUMNS_END, "a member for each column");
_Static_assert(PATH_HASH_SIZE == CONTENT_HASH_SIZE, "a hash");

/* ---- Resemblance sketches ---- */

/* A sketch with only empty registers is stored as an empty value. */
static bool is_blank(const struct simhash_resemblance_sketch *sketch)
{
	static const struct simhash_resemblance_sketch blank;

	return memcmp(sketch, &blank, sizeof blank) == 0;
}

static void bind_resemblance(struct query *query, const struct file_row *row)
{
	const struct simhash_resemblance_sketch *sketch = &row->resemblance;

	if (row->has_resemblance)
		query_bind_data(query, sketch,
				is_blank(sketch) ? 0 : resemblance_stored_size(sketch));
	else
		query_bind_null(query);
}

static int take_resemblance(struct query *query, unsigned column, struct file_row *row,
			    struct simhash_error *error)
{
	struct simhash_resemblance_sketch *sketch = &row->resemblance;
	struct bytes value = query_bytes(query, column);

	row->has_resemblance = !query_is_null(query, column);
	if (value.size == 0) {
		memset(sketch, 0, sizeof *sketch);
		return 0;
	}
	if (resemblance_load(value.data, value.size, sketch))
		return 0;
	return error_set(error, SIMHASH_E_DATABASE,
			 "table file: the resemblance sketch of %.*s/%.*s is damaged (%zu bytes); "
			 "scan it again with simhash --force",
			 (int)row->directory.size, row->directory.data, (int)row->name.size,
			 row->name.data, value.size);
}

/* ---- Rows ---- */

static void bind_member(struct query *query, const struct row_member *member,
			const struct file_row *row)
{
	const void *value = (const char *)row + member->at;

	switch (member->kind) {
	case INTEGERS:
		for (unsigned i = 0; i < member->count; i++)
			query_bind_integer(query, ((const int64_t *)value)[i]);
		return;
	case BYTES:
		query_bind_bytes(query, *(const struct bytes *)value);
		return;
	case HASH:
		query_bind_data(query, value, PATH_HASH_SIZE);
		return;
	case RESEMBLANCE:
		bind_resemblance(query, row);
	}
}

void row_columns_bind(struct query *query, const struct row_scope *scope,
		      const struct file_row *row)
{
	struct file_cell cell = cell_of(row);

	query_bind_scope(query, scope);
	for (size_t i = 1; i < MEMBERS; i++)
		bind_member(query, &members[i], row);
	query_bind_integer(query, bucket_of(row));
	query_bind_integer(query, cell.cell);
	for (int s = 0; s < SIGNED_SUMS; s++)
		query_bind_integer(query, cell.signed_sum[s]);
	for (int o = 0; o < OUTLINES; o++)
		query_bind_integer(query, cell.outline[o]);
}

void row_columns_select(FILE *sql, unsigned columns)
{
	const char *const *name = row_columns;
	bool is_first = true;

	for (size_t i = 0; i < MEMBERS; name += members[i++].count)
		for (unsigned k = 0; (columns >> i & 1) != 0 && k < members[i].count; k++) {
			fprintf(sql, "%sf.%s", is_first ? "" : ", ", name[k]);
			is_first = false;
		}
}

unsigned row_columns_count(unsigned columns)
{
	unsigned count = 0;

	for (size_t i = 0; i < MEMBERS; i++)
		count += (columns >> i & 1) != 0 ? members[i].count : 0;
	return count;
}

static inline int take_member(struct query *query, unsigned column, const struct row_member *member,
			      struct file_row *row, struct simhash_error *error)
{
	void *value = (char *)row + member->at;

	switch (member->kind) {
	case INTEGERS:
		for (unsigned i = 0; i < member->count; i++)
			((int64_t *)value)[i] = query_integer(query, column + i);
		return 0;
	case BYTES:
		*(struct bytes *)value = query_bytes(query, column);
		return 0;
	case HASH:
		return query_fixed_bytes(query, column, value, PATH_HASH_SIZE, error);
	case RESEMBLANCE:
		return take_resemblance(query, column, row, error);
	}
	return 0;
}

int row_columns_take(struct query *query, unsigned columns, struct file_row *row,
		     struct simhash_error *error)
{
	unsigned column = 0;

	/* Go from one column of the set to the next. */
	for (columns &= ROW_COLUMNS_END - 1; columns != 0; columns &= columns - 1) {
		const struct row_member *member = &members[__builtin_ctz(columns)];
		if (take_member(query, column, member, row, error) != 0)
			return -1;
		column += member->count;
	}
	return 0;
}
