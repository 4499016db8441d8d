/*
 * Reads rows of the table `damage` together with the rows of their files.
 * SPDX-License-Identifier: MIT
 */
#include "store/rows/damage_rows.h"

#include <string.h>

#define KEY_SIZE (8 + PATH_HASH_SIZE)

/* The rows that still describe their files. */
#define DAMAGE_OF_FILES                                                                 \
	"FROM damage d CROSS JOIN file f ON f.tag_set = d.tag_set AND f.host = d.host " \
	"AND f.path_hash = d.path_hash AND f.content_hash = d.content_hash "            \
	"AND f.scanned_at_ns <= d.found_at_ns AND f.verified_at_ns <= d.found_at_ns "

int damage_rows_begin(struct row_cursor *cursor, struct store *store, int64_t tag_set,
		      struct simhash_error *error)
{
	if (rows_begin(cursor, store, DAMAGED_COLUMNS, NOT_KEPT, error,
		       ", d.found_hash, d.found_size, d.found_at_ns, d.verified_at_ns, "
		       "d.is_unreadable, d.status_moved, COALESCE(d.compared_bytes, -1), "
		       "COALESCE(d.different_bytes, -1), COALESCE(d.first_byte, -1), "
		       "COALESCE(d.last_byte, -1), "
		       "COALESCE(CAST(d.resemblance * 1000000 AS SIGNED), -1) " DAMAGE_OF_FILES
		       "WHERE d.tag_set = ? ORDER BY d.host, d.path_hash") != 0)
		return -1;
	query_bind_integer(&cursor->query, tag_set);
	return 0;
}

int damage_rows_next(struct row_cursor *cursor, struct file_row *row, struct damage *damage,
		     struct simhash_error *error)
{
	struct query *query = &cursor->query;
	unsigned at = cursor->more;
	int status = store_rows_next(cursor, row, error);

	if (status != 1)
		return status;
	*damage = (struct damage){.has_found_hash = !query_is_null(query, at),
				  .found_size_bytes = query_integer(query, at + 1),
				  .found_at_ns = query_integer(query, at + 2),
				  .verified_at_ns = query_integer(query, at + 3),
				  .is_unreadable = query_integer(query, at + 4) != 0,
				  .status_moved = query_integer(query, at + 5) != 0,
				  .compared_bytes = query_integer(query, at + 6),
				  .different_bytes = query_integer(query, at + 7),
				  .first_byte = query_integer(query, at + 8),
				  .last_byte = query_integer(query, at + 9),
				  .resemblance_ppm = query_integer(query, at + 10)};
	memcpy(damage->path_hash, row->path_hash, PATH_HASH_SIZE);
	memcpy(damage->content_hash, row->content_hash, CONTENT_HASH_SIZE);
	if (damage->has_found_hash &&
	    query_fixed_bytes(query, at, damage->found_hash, CONTENT_HASH_SIZE, error) != 0)
		return -1;
	return 1;
}

int damage_rows_count(struct store *store, const struct row_scope *scope, int64_t *count,
		      struct simhash_error *error)
{
	const int64_t values[] = {scope->tag_set, scope->host};

	return store_read_integer(
		store, "SELECT COUNT(*) " DAMAGE_OF_FILES "WHERE d.tag_set = ? AND d.host = ?",
		values, 2, count, error);
}

int store_rows_same(struct row_cursor *cursor, struct store *store, unsigned columns,
		    const struct row_scope *scope, const uint8_t path_hash[PATH_HASH_SIZE],
		    struct simhash_error *error)
{
	const long long is_text = CONTENTS_IS_TEXT;

	/* The index of cells has these values, and rows with the same content have equal ones. */
	if (rows_begin(cursor, store, columns | ROW_HOST, NOT_KEPT, error,
		       " FROM file g CROSS JOIN file f ON f.tag_set = g.tag_set "
		       "AND f.cell = g.cell AND f.uniform = g.uniform AND f.size = g.size "
		       "AND f.content_hash = g.content_hash WHERE g.tag_set = ? AND g.host = ? "
		       "AND g.path_hash = ? AND f.contents & %lld = 0 "
		       "ORDER BY f.host, f.path_hash",
		       is_text) != 0)
		return -1;
	query_bind_scope(&cursor->query, scope);
	query_bind_data(&cursor->query, path_hash, PATH_HASH_SIZE);
	return 0;
}

static void make_key(int64_t host, const uint8_t path_hash[PATH_HASH_SIZE], uint8_t key[KEY_SIZE])
{
	memcpy(key, &host, sizeof host);
	memcpy(key + sizeof host, path_hash, PATH_HASH_SIZE);
}

int damaged_files_read(struct damaged_files *damaged, struct store *store, int64_t tag_set,
		       struct simhash_error *error)
{
	struct file_row row = {.host = 0};
	struct damage damage;
	struct row_cursor cursor;
	uint8_t key[KEY_SIZE];
	int status;

	*damaged = (struct damaged_files){.files = {.width = KEY_SIZE}};
	if (damage_rows_begin(&cursor, store, tag_set, error) != 0)
		return -1;
	while ((status = damage_rows_next(&cursor, &row, &damage, error)) == 1) {
		make_key(row.host, row.path_hash, key);
		if (hash_set_add(&damaged->files, key, error) != 0) {
			status = -1;
			break;
		}
	}
	store_rows_end(&cursor);
	if (status == 0)
		status = hash_set_sort(&damaged->files, error);
	if (status != 0)
		damaged_files_release(damaged);
	return status;
}

void damaged_files_release(struct damaged_files *damaged)
{
	hash_set_release(&damaged->files);
}

/* Compute the path hash of the file with this path, which has a slash. */
static void hash_of_path(struct bytes path, uint8_t hash[PATH_HASH_SIZE])
{
	size_t at = path.size;
	uint8_t directory[DIRECTORY_HASH_SIZE];

	while (at > 1 && path.data[at - 1] != '/')
		at--;
	directory_hash((struct bytes){path.data, at > 1 ? at - 1 : at}, directory);
	path_hash(directory, bytes_after(path, at), hash);
}

static bool have_hash(const struct damaged_files *damaged, int64_t host,
		      const uint8_t hash[PATH_HASH_SIZE])
{
	uint8_t key[KEY_SIZE];

	make_key(host, hash, key);
	return hash_set_has(&damaged->files, key);
}

bool damaged_files_have(const struct damaged_files *damaged, const struct file_row *row)
{
	struct bytes directory = row->directory, own = {row->name.data, own_name_size(row->name)};
	uint8_t upper[DIRECTORY_HASH_SIZE], hash[PATH_HASH_SIZE];

	if (damaged->files.count == 0)
		return false;
	if (!row_is_inside(row->compressed_size_bytes))
		return have_hash(damaged, row->host, row->path_hash);
	if (is_inside_directory(directory)) {
		directory.size--;
		hash_of_path(directory, hash);
	} else {
		directory_hash(directory, upper);
		path_hash(upper, own, hash);
	}
	return have_hash(damaged, row->host, hash);
}

bool damaged_files_have_path(const struct damaged_files *damaged, int64_t host, struct bytes path)
{
	uint8_t hash[PATH_HASH_SIZE];

	if (damaged->files.count == 0)
		return false;
	path.size = outer_path_size(path);
	hash_of_path(path, hash);
	return have_hash(damaged, host, hash);
}
