/*
 * Writes the table `damage` and the times of verification.
 * SPDX-License-Identifier: MIT
 */
#include "store/write/damage_table.h"

#include <inttypes.h>
#include <stdio.h>

#include "store/open/transaction.h"
#include "store/rows/upsert.h"

static const char *const columns[] = {"content_hash", "found_hash",	"found_size",
				      "found_at_ns",  "verified_at_ns", "is_unreadable",
				      "status_moved", "compared_bytes", "different_bytes",
				      "first_byte",   "last_byte",	"resemblance"};
static const struct upsert damage_upsert = {
	.table = "damage",
	.key = "tag_set, host, path_hash",
	.key_count = 3,
	.columns = columns,
	.column_count = sizeof columns / sizeof *columns,
	.one = KEPT_UPSERT_DAMAGE,
	.many = KEPT_UPSERT_DAMAGE,
};

static void bind_known(struct query *query, int64_t number)
{
	if (number == DAMAGE_UNKNOWN)
		query_bind_null(query);
	else
		query_bind_integer(query, number);
}

static int write_damage(struct store *store, const struct row_scope *scope,
			const struct damage *damage, struct simhash_error *error)
{
	struct query query;
	size_t one = 1;
	char share[32];

	if (upsert_begin(&query, store, &damage_upsert, &one, error) != 0)
		return -1;
	query_bind_scope(&query, scope);
	query_bind_data(&query, damage->path_hash, PATH_HASH_SIZE);
	query_bind_data(&query, damage->content_hash, CONTENT_HASH_SIZE);
	if (damage->has_found_hash)
		query_bind_data(&query, damage->found_hash, CONTENT_HASH_SIZE);
	else
		query_bind_null(&query);
	query_bind_integer(&query, damage->found_size_bytes);
	query_bind_integer(&query, damage->found_at_ns);
	query_bind_integer(&query, damage->verified_at_ns);
	query_bind_integer(&query, damage->is_unreadable);
	query_bind_integer(&query, damage->status_moved);
	bind_known(&query, damage->compared_bytes);
	bind_known(&query, damage->different_bytes);
	bind_known(&query, damage->first_byte);
	bind_known(&query, damage->last_byte);
	/* The engine converts the text to a number. */
	snprintf(share, sizeof share, "%" PRId64 ".%06" PRId64, damage->resemblance_ppm / 1000000,
		 damage->resemblance_ppm % 1000000);
	if (damage->resemblance_ppm == DAMAGE_UNKNOWN)
		query_bind_null(&query);
	else
		query_bind_text(&query, share);
	return query_run(&query, error);
}

int damage_rows_write(struct store *store, const struct row_scope *scope,
		      const struct damage *damages, size_t count, struct simhash_error *error)
{
	for (size_t i = 0; i < count; i++)
		if (write_damage(store, scope, &damages[i], error) != 0)
			return -1;
	return 0;
}

static int write_inode(struct store *store, const struct row_scope *scope,
		       const struct verified_file *file, struct simhash_error *error)
{
	struct query query;

	if (query_begin(&query, store,
			"UPDATE file SET inode = ? WHERE tag_set = ? AND host = ? AND "
			"path_hash = ? AND content_hash = ?",
			error) != 0)
		return -1;
	query_bind_integer(&query, file->inode);
	query_bind_scope(&query, scope);
	query_bind_data(&query, file->path_hash, PATH_HASH_SIZE);
	query_bind_data(&query, file->content_hash, CONTENT_HASH_SIZE);
	return query_run(&query, error);
}

static int write_verified(struct store *store, const struct row_scope *scope,
			  const struct verified_file *file, struct simhash_error *error)
{
	struct query query;

	if (query_begin_kept(&query, store, KEPT_VERIFY_FILE,
			     "UPDATE file SET verified_at_ns = ?, ctime_ns = ? WHERE tag_set = ? "
			     "AND host = ? AND path_hash = ? AND content_hash = ?",
			     error) != 0)
		return -1;
	query_bind_integer(&query, file->verified_at_ns);
	query_bind_integer(&query, file->changed_ns);
	query_bind_scope(&query, scope);
	query_bind_data(&query, file->path_hash, PATH_HASH_SIZE);
	query_bind_data(&query, file->content_hash, CONTENT_HASH_SIZE);
	if (query_run(&query, error) != 0 ||
	    (file->inode != 0 && write_inode(store, scope, file, error) != 0))
		return -1;
	if (!file->was_damaged)
		return 0;
	if (query_begin(&query, store,
			"DELETE FROM damage WHERE tag_set = ? AND host = ? AND path_hash = ?",
			error) != 0)
		return -1;
	query_bind_scope(&query, scope);
	query_bind_data(&query, file->path_hash, PATH_HASH_SIZE);
	return query_run(&query, error);
}

int store_write_verified(struct store *store, const struct row_scope *scope,
			 const struct verified_file *verified, size_t verified_count,
			 const struct damage *damages, size_t damage_count,
			 struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int status = 0;

	while (transaction_next(&transaction, &status, error)) {
		status = damage_rows_write(store, scope, damages, damage_count, error);
		for (size_t i = 0; status == 0 && i < verified_count; i++)
			status = write_verified(store, scope, &verified[i], error);
	}
	return status;
}

static int count_replaced(struct store *store, const struct row_scope *scope, int64_t *count,
			  struct simhash_error *error)
{
	const int64_t values[] = {scope->tag_set, scope->host};

	return store_read_integer(
		store,
		"SELECT COUNT(*) FROM damage d CROSS JOIN file f ON f.tag_set = d.tag_set "
		"AND f.host = d.host AND f.path_hash = d.path_hash "
		"AND f.content_hash <> d.content_hash WHERE d.tag_set = ? AND d.host = ?",
		values, 2, count, error);
}

static int remove_ineffective(struct store *store, const struct row_scope *scope,
			      struct simhash_error *error)
{
	const int64_t values[] = {scope->tag_set, scope->host};

	return store_run(
		store,
		"DELETE FROM damage WHERE tag_set = ? AND host = ? AND NOT EXISTS (SELECT 1 "
		"FROM file f WHERE f.tag_set = damage.tag_set AND f.host = damage.host "
		"AND f.path_hash = damage.path_hash AND f.content_hash = damage.content_hash "
		"AND f.scanned_at_ns <= damage.found_at_ns "
		"AND f.verified_at_ns <= damage.found_at_ns)",
		values, 2, error);
}

int store_clean_damage(struct store *store, const struct row_scope *scope, int64_t *replaced,
		       struct simhash_error *error)
{
	struct transaction transaction = {.store = store};
	int64_t count = 0;
	int status = 0;

	*replaced = 0;
	while (transaction_next(&transaction, &status, error)) {
		status = count_replaced(store, scope, &count, error);
		if (status == 0)
			status = remove_ineffective(store, scope, error);
		/* If only the answer of a commit was lost, the second try counts none. */
		*replaced = count > *replaced ? count : *replaced;
	}
	return status;
}
