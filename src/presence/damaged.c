/*
 * Lists damaged files with intact copies of their contents.
 * SPDX-License-Identifier: MIT
 */
#include "presence/damaged.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "find/rule/finder.h"

static bool is_on_host_of(const struct finder *finder, const struct find_side *side,
			  const struct file_row *row)
{
	return row->host ==
	       (side->host == NULL ? finder->local_host : name_list_id(&finder->hosts, side->host));
}

static bool is_asked(const struct finder *finder, const struct find_side *tops, size_t count,
		     const struct file_row *row)
{
	for (size_t i = 0; i < count; i++)
		if (is_on_host_of(finder, &tops[i], row) &&
		    (row_is_below(row->directory, row->name, tops[i].directory) ||
		     row_is_at(row->directory, row->name, tops[i].directory)))
			return true;
	return count == 0;
}

static int add(const struct finder *finder, struct damaged_list *found, const struct file_row *row,
	       const struct damage *damage, struct simhash_error *error)
{
	struct damaged_item *item;
	struct find_file shown;

	if (array_reserve(&found->items, &found->capacity, found->count + 1, sizeof *found->items,
			  error) != 0 ||
	    finder_show(finder, row, &found->arena, &shown, error) != 0)
		return -1;
	item = &found->items[found->count++];
	*item = (struct damaged_item){.scope = {finder->tag_set, row->host},
				      .display = {shown.display, shown.display_size},
				      .size_bytes = row->size_bytes,
				      .mtime_ns = row->mtime_ns,
				      .path = find_file_path(&shown),
				      .is_local = row->host == finder->local_host,
				      .inode = (uint64_t)row->inode,
				      .damage = *damage};
	return 0;
}

static int read_damage(const struct finder *finder, const struct find_side *tops, size_t count,
		       struct damaged_list *found, struct simhash_error *error)
{
	struct file_row row = {.host = 0};
	struct damage damage;
	struct row_cursor cursor;
	int status;

	if (damage_rows_begin(&cursor, finder->store, finder->tag_set, error) != 0)
		return -1;
	while ((status = damage_rows_next(&cursor, &row, &damage, error)) == 1)
		if (is_asked(finder, tops, count, &row) &&
		    add(finder, found, &row, &damage, error) != 0) {
			status = -1;
			break;
		}
	store_rows_end(&cursor);
	return status;
}

/* ---- Copies ---- */

static int rank_of(const struct finder *finder, const struct file_row *row)
{
	return row_is_inside(row->compressed_size_bytes) ? 2 : row->host != finder->local_host;
}

/* The names of copies by rank. */
struct names {
	const char *items[3][COPIES_NAMED];
	struct damaged_source sources[3][COPIES_NAMED]; /* without a path: on another host */
	size_t counts[3];
};

static int note_copy(const struct finder *finder, struct damaged_list *found, struct names *names,
		     const struct file_row *row, struct simhash_error *error)
{
	int rank = rank_of(finder, row);
	struct find_file shown;

	if (names->counts[rank] == COPIES_NAMED)
		return 0;
	if (finder_show(finder, row, &found->arena, &shown, error) != 0)
		return -1;
	names->sources[rank][names->counts[rank]] = (struct damaged_source){
		.path = row->host == finder->local_host ? find_file_path(&shown) : NULL,
		.size_bytes = row->size_bytes,
		.mtime_ns = row->mtime_ns,
		.archive_bytes = row->compressed_size_bytes};
	names->items[rank][names->counts[rank]++] = shown.display;
	return 0;
}

static int keep_names(struct damaged_list *found, struct damaged_item *item,
		      const struct names *names, struct simhash_error *error)
{
	item->names = arena_take(&found->arena, COPIES_NAMED * sizeof *item->names);
	item->sources = arena_take(&found->arena, 3 * COPIES_NAMED * sizeof *item->sources);
	if (item->names == NULL || item->sources == NULL)
		return error_set_memory(error);
	for (int rank = 0; rank < 3; rank++)
		for (size_t i = 0; i < names->counts[rank]; i++) {
			if (item->name_count < COPIES_NAMED)
				item->names[item->name_count++] = names->items[rank][i];
			if (names->sources[rank][i].path != NULL)
				item->sources[item->source_count++] = names->sources[rank][i];
		}
	return 0;
}

static int find_copies(const struct finder *finder, const struct damaged_files *damaged,
		       struct damaged_list *found, struct damaged_item *item,
		       struct simhash_error *error)
{
	struct names names = {.counts = {0}};
	struct file_row row = {.host = 0};
	struct row_cursor cursor;
	int status;

	if (store_rows_same(&cursor, finder->store,
			    ROW_PATH_HASH | ROW_DIRECTORY | ROW_NAME | ROW_COMPRESSED_SIZE |
				    ROW_SIZE | ROW_MTIME,
			    &item->scope, item->damage.path_hash, error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1) {
		if (damaged_files_have(damaged, &row))
			continue;
		item->copies++;
		if (note_copy(finder, found, &names, &row, error) != 0) {
			status = -1;
			break;
		}
	}
	store_rows_end(&cursor);
	return status == 0 && item->copies > 0 ? keep_names(found, item, &names, error) : status;
}

static int compare_paths(const void *a, const void *b)
{
	const struct damaged_item *x = a, *y = b;

	return path_compare(x->display, y->display);
}

int finder_damaged(struct finder *finder, const struct find_side *tops, size_t top_count,
		   struct damaged_list *found, struct simhash_error *error)
{
	struct damaged_files damaged;
	int status;

	*found = (struct damaged_list){.count = 0};
	if (damaged_files_read(&damaged, finder->store, finder->tag_set, error) != 0)
		return -1;
	status = read_damage(finder, tops, top_count, found, error);
	for (size_t i = 0; status == 0 && i < found->count; i++)
		status = find_copies(finder, &damaged, found, &found->items[i], error);
	if (found->count > 0)
		qsort(found->items, found->count, sizeof *found->items, compare_paths);
	damaged_files_release(&damaged);
	if (status != 0)
		damaged_list_release(found);
	return status;
}

void damaged_list_release(struct damaged_list *found)
{
	free(found->items);
	arena_release(&found->arena);
	*found = (struct damaged_list){.count = 0};
}
