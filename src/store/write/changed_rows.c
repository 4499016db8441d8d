/*
 * Reads the rows of changed files, writes them for their new paths, and removes the old ones.
 * SPDX-License-Identifier: MIT
 */
#include "store/write/changed_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/arena.h"
#include "base/data/slots.h"
#include "base/files/path.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/open/transaction.h"
#include "store/rows/known_file.h"
#include "store/rows/row_reader.h"
#include "store/rows/sketch_rows.h"
#include "store/write/batch.h"

/* Each change needs the row of a file and the row of its inflated content. */
#define CHANGES_AT_ONCE (ROWS_WITH_MAX / 2)
/* The number of rows to write and to remove in one transaction. */
#define CHANGES_MAX 1024

/* An archive whose members need rows in another directory, or no rows. */
struct changed_archive {
	uint8_t from[DIRECTORY_HASH_SIZE];
	struct bytes to; /* the new directory; empty: none */
	const struct row_change *change;
};

struct changing {
	struct store *store;
	struct row_scope scope;
	struct simhash_tag_set *tags;
	bool has_measures;
	/* For each change: was its row found, and is there a row with other values? */
	struct found {
		bool is_known, is_other;
	} * found;
	struct arena arena;
	/* The content of the next transaction. */
	struct file_row *rows[CHANGES_MAX];
	uint8_t row_from[CHANGES_MAX][PATH_HASH_SIZE];
	size_t row_count;
	uint8_t removed[CHANGES_MAX][PATH_HASH_SIZE];
	size_t removed_count;
	struct changed_archive archives[CHANGES_MAX];
	size_t archive_count;
	struct slots written; /* the paths of `rows` */
};

/* ---- Paths ---- */

/* Return the name of the inflated content of a file, or no bytes. */
static int find_inflated(struct arena *arena, const char *path, struct bytes *inflated,
			 struct simhash_error *error)
{
	struct bytes name = bytes_of(path_name(path));
	char *text = arena_take(arena, 2 * name.size + 8);

	if (text == NULL)
		return error_set_memory(error);
	*inflated = (struct bytes){text, inflated_name(name, text)};
	return 0;
}

static int copy_bytes(struct arena *arena, struct bytes *bytes, struct simhash_error *error)
{
	char *copy = arena_take(arena, bytes->size + 1);

	if (copy == NULL)
		return error_set_memory(error);
	memcpy(copy, bytes->data, bytes->size);
	copy[bytes->size] = '\0';
	bytes->data = copy;
	return 0;
}

/* Copy a row for another path. */
static struct file_row *copy_row(const struct changing *changing, struct arena *arena,
				 const struct file_row *row, struct bytes directory,
				 struct bytes name, struct simhash_error *error)
{
	struct file_row *copy = arena_take(arena, sizeof *copy);
	struct bytes inner;
	const char *extension;
	uint8_t hash[DIRECTORY_HASH_SIZE];
	char *lower;

	if (copy == NULL || copy_bytes(arena, &name, error) != 0) {
		error_set_memory(error);
		return NULL;
	}
	*copy = *row;
	copy->directory = directory;
	copy->name = name;
	inner = inner_name(name);
	copy->extension.size = simhash_extension(inner.data, inner.size, &extension);
	lower = arena_take(arena, copy->extension.size + 1);
	if (lower == NULL) {
		error_set_memory(error);
		return NULL;
	}
	ascii_lower_copy(lower, extension, copy->extension.size);
	copy->extension.data = lower;
	directory_hash(directory, hash);
	path_hash(hash, name, copy->path_hash);
	row_compute_keys(copy, changing->tags);
	return copy;
}

/* Set the values of the new file. Members have the times and the inode of their archive. */
static void take_values(struct file_row *row, const struct row_change *change)
{
	row->mtime_ns = change->to_mtime_ns;
	row->changed_ns = 0;
	if (row->inode != 0) {
		row->device = (int64_t)change->to_device;
		row->inode = (int64_t)change->to_inode;
	}
}

/* ---- Members ---- */

static int copy_sketches(struct changing *changing, const uint8_t from[PATH_HASH_SIZE],
			 const uint8_t to[PATH_HASH_SIZE], struct simhash_error *error)
{
	struct transaction transaction = {.store = changing->store};
	const struct hash_range old = hash_range_of_file(to);
	struct query query;
	int status = 0;

	if (!changing->has_measures || memcmp(from, to, PATH_HASH_SIZE) == 0)
		return 0;
	while (transaction_next(&transaction, &status, error)) {
		status = sketch_rows_remove(changing->store, &changing->scope, &old, error);
		if (status != 0 ||
		    (status = query_begin(
			     &query, changing->store,
			     "INSERT INTO sketch (tag_set, host, path_hash, measure, "
			     "content_hash, features, cluster, value) "
			     "SELECT tag_set, host, ?, measure, content_hash, features, "
			     "cluster, value FROM sketch "
			     "WHERE tag_set = ? AND host = ? AND path_hash = ?",
			     error)) != 0)
			continue;
		query_bind_data(&query, to, PATH_HASH_SIZE);
		query_bind_scope(&query, &changing->scope);
		query_bind_data(&query, from, PATH_HASH_SIZE);
		status = query_run(&query, error);
	}
	return status;
}

/* Rows to write, and the path hashes of the rows that they are copies of. */
struct copied_rows {
	struct file_row **rows;
	uint8_t (*from)[PATH_HASH_SIZE];
	size_t count;
};

static int compare_rows(const void *a, const void *b)
{
	const struct file_row *const *x = a, *const *y = b;

	return memcmp((*x)->path_hash, (*y)->path_hash, PATH_HASH_SIZE);
}

/* Write copied rows together with the other changes of a batch. */
static int write_rows(struct changing *changing, const struct copied_rows *copied,
		      struct store_batch *batch, struct simhash_error *error)
{
	struct directory_row *directories = calloc(copied->count + 1, sizeof *directories);
	const struct file_row **sorted = calloc(copied->count + 1, sizeof *sorted);
	int64_t removed;
	int status = 0;

	if (directories == NULL || sorted == NULL)
		status = error_set_memory(error);
	for (size_t i = 0; status == 0 && i < copied->count; i++)
		status =
			copy_sketches(changing, copied->from[i], copied->rows[i]->path_hash, error);
	qsort(copied->rows, copied->count, sizeof *copied->rows, compare_rows);
	batch->rows = sorted;
	for (size_t i = 0; status == 0 && i < copied->count; i++)
		store_batch_append(batch, directories, copied->rows[i]);
	if (status == 0)
		status = store_write(changing->store, &changing->scope, batch, &removed, error);
	free(sorted);
	free(directories);
	return status;
}

/* Write the rows of the next members in a range, which then begins after them. */
static int copy_some_members(struct changing *changing, struct hash_range *range,
			     const struct changed_archive *archive, bool *is_over,
			     struct simhash_error *error)
{
	struct file_row row = {.host = changing->scope.host}, *rows[CHANGES_AT_ONCE];
	uint8_t from[CHANGES_AT_ONCE][PATH_HASH_SIZE];
	struct copied_rows copied = {rows, from, 0};
	struct store_batch batch = {.row_count = 0};
	struct arena arena = {.chunks = NULL};
	struct row_cursor cursor;
	int status;

	if (rows_begin_range(&cursor, changing->store, ROW_WHOLE, NOT_KEPT, &changing->scope, range,
			     CHANGES_AT_ONCE, error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1) {
		memcpy(from[copied.count], row.path_hash, PATH_HASH_SIZE);
		rows[copied.count] = copy_row(changing, &arena, &row, archive->to, row.name, error);
		if (rows[copied.count] == NULL) {
			status = -1;
			break;
		}
		take_values(rows[copied.count++], archive->change);
	}
	store_rows_end(&cursor);
	*range = cursor.rest;
	*is_over = copied.count < CHANGES_AT_ONCE || !hash_range_step(range->low);
	if (status == 0 && copied.count > 0)
		status = write_rows(changing, &copied, &batch, error);
	arena_release(&arena);
	return status;
}

static int copy_members(struct changing *changing, const struct changed_archive *archive,
			struct simhash_error *error)
{
	struct hash_range range = hash_range_of_directory(archive->from);
	bool is_over = archive->to.size == 0;
	int status = 0;

	while (status == 0 && !is_over)
		status = copy_some_members(changing, &range, archive, &is_over, error);
	return status;
}

/* ---- A transaction ---- */

static int flush(struct changing *changing, struct simhash_error *error)
{
	uint8_t gone[CHANGES_MAX][DIRECTORY_HASH_SIZE];
	const struct copied_rows copied = {changing->rows, changing->row_from, changing->row_count};
	struct store_batch batch = {.removed_files = (void *)changing->removed,
				    .removed_file_count = changing->removed_count,
				    .removed_directories = (void *)gone};
	int status = 0;

	for (size_t i = 0; status == 0 && i < changing->archive_count; i++) {
		const struct changed_archive *archive = &changing->archives[i];
		status = copy_members(changing, archive, error);
		if (archive->change->leaves)
			memcpy(gone[batch.removed_directory_count++], archive->from,
			       DIRECTORY_HASH_SIZE);
	}
	if (status == 0 &&
	    changing->row_count + changing->removed_count + batch.removed_directory_count > 0)
		status = write_rows(changing, &copied, &batch, error);
	changing->row_count = changing->removed_count = changing->archive_count = 0;
	slots_clear(&changing->written, SIZE_MAX);
	arena_clear(&changing->arena);
	return status;
}

/* ---- Changes ---- */

/* A change, the hashes of its rows, and the rows that were found. */
struct step {
	const struct row_change *change;
	uint8_t hashes[2][PATH_HASH_SIZE]; /* of the file, and of its inflated content */
	unsigned hash_count;
};

static uint64_t slot_hash(const uint8_t hash[PATH_HASH_SIZE])
{
	return hash_seeded_bytes(hash);
}

struct written_key {
	const struct changing *changing;
	const uint8_t *hash;
};

static bool is_written(const void *key, uint32_t number)
{
	const struct written_key *wanted = key;

	return memcmp(wanted->changing->rows[number - 1]->path_hash, wanted->hash,
		      PATH_HASH_SIZE) == 0;
}

/* Does the next transaction write a row of this path? */
static bool will_write(const struct changing *changing, const uint8_t hash[PATH_HASH_SIZE])
{
	return slots_number(&changing->written, slot_hash(hash), is_written,
			    &(struct written_key){changing, hash}) != NO_ITEM;
}

static int add_row(struct changing *changing, struct file_row *row,
		   const uint8_t from[PATH_HASH_SIZE], struct simhash_error *error)
{
	struct slot *slot;

	if (row == NULL || slots_reserve(&changing->written, error) != 0)
		return -1;
	changing->rows[changing->row_count] = row;
	memcpy(changing->row_from[changing->row_count++], from, PATH_HASH_SIZE);
	slot = slots_find(&changing->written, slot_hash(row->path_hash), is_written,
			  &(struct written_key){changing, row->path_hash});
	if (slot->number == NO_ITEM)
		slots_add(&changing->written, slot, slot_hash(row->path_hash),
			  (uint32_t)changing->row_count);
	else /* the later row counts */
		changing->rows[slot->number - 1] = changing->rows[--changing->row_count];
	return 0;
}

/* The directory of the members of an archive: its path and a slash. */
static int members_directory(struct arena *arena, const char *path, struct bytes *directory,
			     struct simhash_error *error)
{
	size_t size = strlen(path);
	char *text = arena_take(arena, size + 2);

	if (text == NULL)
		return error_set_memory(error);
	memcpy(text, path, size);
	memcpy(text + size, "/", 2);
	*directory = (struct bytes){text, size + 1};
	return 0;
}

static int add_archive(struct changing *changing, const struct row_change *change,
		       struct simhash_error *error)
{
	struct changed_archive *archive = &changing->archives[changing->archive_count];
	struct bytes directory;

	*archive = (struct changed_archive){.change = change};
	if (members_directory(&changing->arena, change->from, &directory, error) != 0 ||
	    (change->to != NULL &&
	     members_directory(&changing->arena, change->to, &archive->to, error) != 0))
		return -1;
	directory_hash(directory, archive->from);
	changing->archive_count += change->to == NULL || strcmp(change->from, change->to) != 0;
	return 0;
}

static bool describes(const struct file_row *row, const struct row_change *change)
{
	int64_t size = row_is_inside(row->compressed_size_bytes) ? row->compressed_size_bytes
								 : row->size_bytes;

	return size == change->size_bytes && row->mtime_ns == change->mtime_ns &&
	       (row->inode == 0 || change->inode == 0 || (uint64_t)row->inode == change->inode);
}

static int write_row(struct changing *changing, const struct row_change *change,
		     const struct file_row *row, bool is_inflated, struct simhash_error *error)
{
	struct bytes name = bytes_of(path_name(change->to)), directory = path_directory(change->to);
	struct file_row *copy;

	if (is_inflated && find_inflated(&changing->arena, change->to, &name, error) != 0)
		return -1;
	if (is_inflated && name.size == 0)
		return 0; /* the new name shows no compression */
	copy = copy_row(changing, &changing->arena, row, directory, name, error);
	if (copy == NULL)
		return -1;
	take_values(copy, change);
	if (row->links != 0)
		copy->links = (int64_t)change->to_links;
	return add_row(changing, copy, row->path_hash, error);
}

/* Use the row of a file, or of its inflated content. */
static int take_row(struct changing *changing, const struct step *step, struct found *found,
		    const struct file_row *row, bool is_inflated, struct simhash_error *error)
{
	const struct row_change *change = step->change;

	if (!describes(row, change)) {
		found->is_other = found->is_other || !is_inflated;
		return 0;
	}
	if (!is_inflated) {
		found->is_known = true;
		if ((row->contents & CONTENTS_HAS_MEMBERS) != 0 &&
		    add_archive(changing, change, error) != 0)
			return -1;
	}
	if (change->leaves)
		memcpy(changing->removed[changing->removed_count++], row->path_hash,
		       PATH_HASH_SIZE);
	return change->to == NULL ? 0 : write_row(changing, change, row, is_inflated, error);
}

static void add_directory(struct changing *changing, const struct row_change *change)
{
	struct changed_archive *archive = &changing->archives[changing->archive_count++];

	*archive = (struct changed_archive){.change = change};
	directory_hash(bytes_of(change->from), archive->from);
}

/* Read the rows of some changes. The rows come in any order. */
static int take_rows(struct changing *changing, const struct step *steps, size_t count,
		     struct found *found, struct simhash_error *error)
{
	uint8_t hashes[ROWS_WITH_MAX][PATH_HASH_SIZE];
	const uint8_t(*wanted)[PATH_HASH_SIZE] = (void *)hashes;
	struct file_row row = {.host = changing->scope.host};
	struct row_cursor cursor = {.columns = 0};
	size_t hash_count = 0;
	int status;

	for (size_t i = 0; i < count; i++)
		for (unsigned j = 0; j < steps[i].hash_count; j++)
			memcpy(hashes[hash_count++], steps[i].hashes[j], PATH_HASH_SIZE);
	for (size_t i = 0; i < count; i++)
		if (steps[i].change->is_directory)
			add_directory(changing, steps[i].change);
	if (hash_count == 0)
		return 0;
	status = store_rows_with(&cursor, changing->store, ROW_WHOLE, &changing->scope, wanted,
				 hash_count, error);
	while (status == 0 && (status = store_rows_next(&cursor, &row, error)) == 1) {
		status = 0;
		for (size_t i = 0; status == 0 && i < count; i++)
			for (unsigned j = 0; status == 0 && j < steps[i].hash_count; j++)
				if (memcmp(steps[i].hashes[j], row.path_hash, PATH_HASH_SIZE) == 0)
					status = take_row(changing, &steps[i], &found[i], &row,
							  j == 1, error);
	}
	store_rows_end(&cursor);
	return status;
}

static int begin_step(struct changing *changing, const struct row_change *change, struct step *step,
		      struct simhash_error *error)
{
	uint8_t directory[DIRECTORY_HASH_SIZE];
	struct bytes inflated;

	*step = (struct step){.change = change, .hash_count = 1};
	if (change->is_directory) {
		step->hash_count = 0;
		return 0;
	}
	directory_hash(path_directory(change->from), directory);
	path_hash(directory, bytes_of(path_name(change->from)), step->hashes[0]);
	if (find_inflated(&changing->arena, change->from, &inflated, error) != 0)
		return -1;
	if (inflated.size > 0)
		path_hash(directory, inflated, step->hashes[step->hash_count++]);
	return 0;
}

/* Does a change need a row that an earlier one of the same transaction writes or reads? */
static bool must_wait(const struct changing *changing, const struct step *steps, size_t count,
		      const struct step *step)
{
	if (step->change->is_directory)
		return false;
	if (will_write(changing, step->hashes[0]))
		return true;
	for (size_t i = 0; i < count; i++)
		if (steps[i].change->to != NULL &&
		    strcmp(steps[i].change->to, step->change->from) == 0)
			return true;
	return false;
}

/* The changes in one tag set. */
static int change_in_scope(struct changing *changing, const struct row_change *changes,
			   size_t count, struct simhash_error *error)
{
	struct step steps[CHANGES_AT_ONCE];
	size_t filled = 0, first = 0;
	int status = 0;

	for (size_t i = 0; status == 0 && i < count; i++) {
		status = begin_step(changing, &changes[i], &steps[filled], error);
		if (status == 0 && must_wait(changing, steps, filled, &steps[filled])) {
			struct step waiting = steps[filled];
			status = take_rows(changing, steps, filled, changing->found + first, error);
			if (status == 0)
				status = flush(changing, error);
			steps[0] = waiting;
			filled = 0;
			first = i;
		}
		filled++;
		if (status == 0 && filled == CHANGES_AT_ONCE) {
			status = take_rows(changing, steps, filled, changing->found + first, error);
			filled = 0;
			first = i + 1;
		}
		/* A change has at most five entries in the lists. */
		if (status == 0 && filled == 0 &&
		    changing->row_count + changing->removed_count + changing->archive_count +
				    5 * CHANGES_AT_ONCE >
			    CHANGES_MAX)
			status = flush(changing, error);
	}
	if (status == 0 && filled > 0)
		status = take_rows(changing, steps, filled, changing->found + first, error);
	return status == 0 ? flush(changing, error) : status;
}

static int change_in_sets(struct changing *changing, const struct name_list *sets,
			  const struct row_change *changes, size_t count,
			  struct simhash_error *error)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < sets->count; i++) {
		bool has_rows = false;
		changing->scope.tag_set = sets->names[i].id;
		status = store_has_rows(changing->store, &changing->scope, &has_rows, error);
		if (status != 0 || !has_rows)
			continue;
		status = store_read_tag_set(changing->store, changing->scope.tag_set,
					    &changing->tags, error);
		if (status == 0)
			status = change_in_scope(changing, changes, count, error);
		simhash_tag_set_free(changing->tags);
		changing->tags = NULL;
	}
	return status;
}

int store_change_rows(struct store *store, int64_t host, const struct row_change *changes,
		      size_t count, uint64_t *unknown, struct simhash_error *error)
{
	struct changing *changing = calloc(1, sizeof *changing);
	struct name_list sets = {.count = 0}, measures = {.count = 0};
	int status = -1;

	*unknown = 0;
	if (changing != NULL)
		changing->found = calloc(count + 1, sizeof *changing->found);
	if (changing == NULL || changing->found == NULL) {
		error_set_memory(error);
		goto out;
	}
	changing->store = store;
	changing->scope.host = host;
	if (store_read_tag_sets(store, &sets, error) != 0 ||
	    store_read_measures(store, &measures, error) != 0)
		goto out;
	changing->has_measures = measures.count > 0;
	status = change_in_sets(changing, &sets, changes, count, error);
	for (size_t i = 0; i < count; i++)
		*unknown += changing->found[i].is_other ||
			    (changes[i].to != NULL && !changing->found[i].is_known);
out:
	name_list_release(&measures);
	name_list_release(&sets);
	if (changing != NULL) {
		slots_release(&changing->written);
		arena_release(&changing->arena);
		free(changing->found);
	}
	free(changing);
	return status;
}
