/*
 * Copies an index in passes. Each pass compares both indexes and writes missing rows, until a pass
 * finds nothing to write.
 * SPDX-License-Identifier: MIT
 */
#include "transfer/copy.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "store/engine/url.h"
#include "store/names/filter_table.h"
#include "store/names/names.h"
#include "store/names/scan_run.h"
#include "store/names/tag_sets.h"
#include "store/open/load.h"
#include "store/open/store.h"
#include "store/rows/totals.h"
#include "store/write/damage_table.h"
#include "transfer/copy_pieces.h"
#include "transfer/copy_sketches.h"
#include "transfer/row_part.h"

#define PASSES_MAX 4

/* A part of the rows of the source. */
struct copy_part {
	struct row_part *rows;
	bool is_same[PART_ROWS];  /* the target has the same row, or a newer one */
	bool is_newer[PART_ROWS]; /* the row of the target is newer */
};

struct copy {
	const struct copy_options *options;
	struct copy_summary *summary;
	struct store *from, *to;
	struct copy_part part;
	struct measure_map measures;
	size_t next; /* the row of the part to compare with the target's next row */
	unsigned pass;
	uint64_t written; /* the number of rows written in this pass */
	uint64_t compared;
	XXH3_state_t *sum_from, *sum_to;
};

/* ---- Rows ---- */

static bool same_bytes(struct bytes x, struct bytes y)
{
	return x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
}

static bool same_row(const struct file_row *x, const struct file_row *y)
{
	return same_bytes(x->directory, y->directory) && same_bytes(x->name, y->name) &&
	       same_bytes(x->extension, y->extension) && x->size_bytes == y->size_bytes &&
	       x->mtime_ns == y->mtime_ns && x->device == y->device && x->inode == y->inode &&
	       x->links == y->links && x->compressed_size_bytes == y->compressed_size_bytes &&
	       x->contents == y->contents &&
	       memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE) == 0 &&
	       x->scanned_at_ns == y->scanned_at_ns && x->verified_at_ns == y->verified_at_ns &&
	       x->changed_ns == y->changed_ns &&
	       memcmp(&x->table, &y->table, sizeof x->table) == 0 &&
	       memcmp(&x->keys, &y->keys, sizeof x->keys) == 0 &&
	       x->has_resemblance == y->has_resemblance && x->pieces_made == y->pieces_made &&
	       memcmp(&x->dates, &y->dates, sizeof x->dates) == 0 &&
	       memcmp(&x->resemblance, &y->resemblance, sizeof x->resemblance) == 0;
}

static void sum_bytes(XXH3_state_t *state, struct bytes bytes)
{
	uint64_t size = bytes.size;

	XXH3_64bits_update(state, &size, sizeof size);
	XXH3_64bits_update(state, bytes.data, bytes.size);
}

static void sum_row(XXH3_state_t *state, const struct file_row *row)
{
	const int64_t numbers[] = {row->size_bytes,
				   row->mtime_ns,
				   row->device,
				   row->inode,
				   row->links,
				   row->compressed_size_bytes,
				   row->scanned_at_ns,
				   row->contents,
				   row->pieces_made,
				   row->verified_at_ns,
				   row->changed_ns,
				   row->dates.changed_ns,
				   row->dates.created_ns,
				   row->dates.revision};

	XXH3_64bits_update(state, row->path_hash, PATH_HASH_SIZE);
	sum_bytes(state, row->directory);
	sum_bytes(state, row->name);
	sum_bytes(state, row->extension);
	XXH3_64bits_update(state, numbers, sizeof numbers);
	XXH3_64bits_update(state, row->content_hash, CONTENT_HASH_SIZE);
	XXH3_64bits_update(state, &row->table, sizeof row->table);
	XXH3_64bits_update(state, &row->keys, sizeof row->keys);
	if (row->has_resemblance)
		XXH3_64bits_update(state, &row->resemblance, sizeof row->resemblance);
}

/* Compare a row of the target with the rows of the part. Both are sorted by path hash. */
static void compare_row(struct copy *copy, const struct file_row *row)
{
	struct copy_part *part = &copy->part;
	const struct row_part *rows = part->rows;
	const struct file_row *ours;
	int order = -1;

	while (copy->next < rows->count && (order = memcmp(rows->rows[copy->next].path_hash,
							   row->path_hash, PATH_HASH_SIZE)) < 0)
		copy->next++;
	if (copy->next == rows->count || order > 0) {
		copy->summary->others++;
		return;
	}
	ours = &rows->rows[copy->next];
	if (same_row(ours, row)) {
		sum_row(copy->sum_from, ours);
		sum_row(copy->sum_to, row);
		part->is_same[copy->next] = true;
	} else if (row->scanned_at_ns > ours->scanned_at_ns ||
		   (row->scanned_at_ns == ours->scanned_at_ns &&
		    row->verified_at_ns > ours->verified_at_ns)) {
		copy->summary->newer++;
		part->is_same[copy->next] = part->is_newer[copy->next] = true;
	}
	copy->next++;
}

/* Compare the part with the rows of the target in a range of path hashes. */
static int compare_part(struct copy *copy, const struct row_scope *to, const uint8_t *after,
			const uint8_t *last, struct simhash_error *error)
{
	struct file_row row = {.host = to->host};
	struct row_cursor cursor;
	int status =
		store_rows_after(&cursor, copy->to, ROW_WHOLE, to, after, last, INT64_MAX, error);

	copy->next = 0;
	memset(copy->part.is_same, 0, sizeof copy->part.is_same);
	memset(copy->part.is_newer, 0, sizeof copy->part.is_newer);
	while (status == 0 && (status = store_rows_next(&cursor, &row, error)) == 1) {
		compare_row(copy, &row);
		status = 0;
	}
	store_rows_end(&cursor);
	return status;
}

/* Write the rows of the part that the target lacks, and the pieces of their contents. */
static int write_part(struct copy *copy, const struct row_scope *from,
		      const struct row_scope *scope, struct simhash_error *error)
{
	struct row_part *rows = copy->part.rows;
	struct store_batch batch = {.rows = rows->chosen};
	int64_t removed;

	for (size_t i = 0; i < rows->count; i++)
		if (!copy->part.is_same[i])
			store_batch_append(&batch, rows->directories, &rows->rows[i]);
	if (copy_pieces(copy->from, from->tag_set, copy->to, scope->tag_set, batch.rows,
			batch.row_count, error) != 0 ||
	    (batch.row_count > 0 && store_write(copy->to, scope, &batch, &removed, error) != 0))
		return -1;
	copy->written += batch.row_count;
	copy->summary->copied += batch.row_count;
	return 0;
}

/* Copy the sketches of a part, except for files with newer rows in the target. */
static int copy_part_sketches(struct copy *copy, const struct row_scope *from,
			      const struct row_scope *to, const uint8_t *after, const uint8_t *last,
			      struct simhash_error *error)
{
	struct row_part *rows = copy->part.rows;
	struct sketch_range range = {from, to, after, last, rows->chosen, 0};

	for (size_t i = 0; i < rows->count; i++)
		if (!copy->part.is_newer[i])
			rows->chosen[range.row_count++] = &rows->rows[i];
	return copy_sketches(copy->from, copy->to, &copy->measures, &range, &copy->written, error);
}

static bool is_told_to_stop(const struct copy *copy)
{
	return copy->options->stop != NULL && atomic_load(copy->options->stop);
}

/* Copy the rows of one tag set on one host. */
static int copy_rows(struct copy *copy, const struct row_scope *from, const struct row_scope *to,
		     uint64_t total, struct simhash_error *error)
{
	struct row_part *part = copy->part.rows;
	uint8_t last[PATH_HASH_SIZE];
	bool is_first = true, has_more = true;
	int status = 0;

	while (status == 0 && has_more && !is_told_to_stop(copy)) {
		const uint8_t *after = is_first ? NULL : last, *end;
		status = row_part_read(part, copy->from, from, after, error);
		if (status != 0)
			break;
		has_more = part->count == PART_ROWS;
		/* The rows of the target after the last row of the source are also counted. */
		end = has_more ? part->rows[part->count - 1].path_hash : NULL;
		status = compare_part(copy, to, after, end, error);
		if (status == 0)
			status = write_part(copy, from, to, error);
		if (status == 0)
			status = copy_part_sketches(copy, from, to, after, end, error);
		if (end != NULL)
			memcpy(last, end, sizeof last);
		copy->compared += part->count;
		is_first = false;
		if (status == 0 && copy->options->progress != NULL)
			copy->options->progress(copy->options->context, copy->pass, copy->compared,
						total);
	}
	return status;
}

/* ---- Scopes and runs ---- */

/* Add a tag set and a host of the source to the target. */
static int map_scope(struct copy *copy, const struct row_scope *from, struct row_scope *to,
		     struct simhash_error *error)
{
	struct simhash_tag_set *set = NULL;
	struct name_list hosts;
	const struct name *host;
	int status = -1;

	if (store_read_hosts(copy->from, &hosts, error) != 0)
		return -1;
	if (store_read_tag_set(copy->from, from->tag_set, &set, error) != 0)
		goto out;
	host = name_list_find(&hosts, from->host);
	if (host == NULL)
		error_set(error, SIMHASH_E_RANGE,
			  "%s is damaged: it has rows of host id %lld, which does not exist",
			  copy->options->from.url, (long long)from->host);
	else if (store_tag_set_id(copy->to, set, true, &to->tag_set, error) == 0)
		status = store_host_id(copy->to, host->text.data, true, &to->host, error);
out:
	simhash_tag_set_free(set);
	name_list_release(&hosts);
	return status;
}

static int compare_runs(const void *a, const void *b)
{
	const struct scan_run *x = a, *y = b;
	const int64_t pairs[][2] = {{x->scope.tag_set, y->scope.tag_set},
				    {x->scope.host, y->scope.host},
				    {x->started_at_ns, y->started_at_ns},
				    {(int64_t)x->root.size, (int64_t)y->root.size}};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (pairs[i][0] != pairs[i][1])
			return pairs[i][0] < pairs[i][1] ? -1 : 1;
	return memcmp(x->root.data, y->root.data, x->root.size);
}

/* Has the target the same data about the end of a run as the source? */
static bool is_same_end(const struct scan_run *x, const struct scan_run *y)
{
	return x->finished_at_ns == 0 ||
	       (x->finished_at_ns == y->finished_at_ns && x->files == y->files &&
		x->bytes == y->bytes && x->errors == y->errors);
}

/* Replace the ids of tag sets and hosts in the runs by their ids in the target. */
static int map_runs(struct copy *copy, struct scan_run_list *list, struct simhash_error *error)
{
	struct row_scope from = {0, 0}, to = {0, 0};

	for (size_t i = 0; i < list->count; i++) {
		struct scan_run *run = &list->runs[i];
		bool is_same = i > 0 && run->scope.tag_set == from.tag_set &&
			       run->scope.host == from.host;
		from = run->scope;
		if (!is_same && map_scope(copy, &from, &to, error) != 0)
			return -1;
		run->scope = to;
	}
	return 0;
}

/* Complete the runs that the target has, and add the others. */
static int copy_missing_runs(struct copy *copy, struct scan_run_list *ours,
			     struct scan_run_list *theirs, struct simhash_error *error)
{
	size_t missing = 0;

	if (theirs->count > 0)
		qsort(theirs->runs, theirs->count, sizeof *theirs->runs, compare_runs);
	for (size_t i = 0; i < ours->count; i++) {
		const struct scan_run *run =
			theirs->count == 0 ? NULL
					   : bsearch(&ours->runs[i], theirs->runs, theirs->count,
						     sizeof *theirs->runs, compare_runs);
		if (run == NULL) {
			ours->runs[missing++] = ours->runs[i];
			continue;
		}
		ours->runs[i].id = run->id;
		if (!is_same_end(&ours->runs[i], run) &&
		    store_run_finish(copy->to, &ours->runs[i], error) != 0)
			return -1;
	}
	return missing == 0 ? 0 : store_runs_enter(copy->to, ours->runs, missing, error);
}

static int copy_runs(struct copy *copy, struct simhash_error *error)
{
	struct scan_run_list ours, theirs;
	int status;

	if (store_read_runs(copy->from, &ours, error) != 0)
		return -1;
	status = map_runs(copy, &ours, error);
	if (status == 0 && (status = store_read_runs(copy->to, &theirs, error)) == 0) {
		status = copy_missing_runs(copy, &ours, &theirs, error);
		scan_run_list_release(&theirs);
	}
	scan_run_list_release(&ours);
	return status;
}

/* ---- Damage ---- */

/* Copy what is known about damaged files. The target ignores it if its row is newer. */
static int copy_damage(struct copy *copy, const struct row_scope *from, const struct row_scope *to,
		       struct simhash_error *error)
{
	struct damage *damages = NULL, damage;
	struct file_row row = {.host = 0};
	size_t count = 0, capacity = 0;
	struct row_cursor cursor;
	int status = damage_rows_begin(&cursor, copy->from, from->tag_set, error);

	if (status != 0)
		return -1;
	while (status == 0 && (status = damage_rows_next(&cursor, &row, &damage, error)) == 1) {
		status = 0;
		if (row.host != from->host)
			continue;
		status = array_reserve(&damages, &capacity, count + 1, sizeof *damages, error);
		if (status == 0)
			damages[count++] = damage;
	}
	store_rows_end(&cursor);
	if (status == 0 && count > 0)
		status = store_write_verified(copy->to, to, NULL, 0, damages, count, error);
	free(damages);
	return status;
}

/* ---- Passes ---- */

static int run_pass(struct copy *copy, const struct scope_total *totals, size_t count,
		    struct simhash_error *error)
{
	struct copy_summary *summary = copy->summary;
	uint64_t rows = 0;

	for (size_t i = 0; i < count; i++)
		rows += (uint64_t)totals[i].rows;
	copy->pass++;
	copy->written = copy->compared = 0;
	summary->rows = summary->newer = summary->others = 0;
	XXH3_64bits_reset(copy->sum_from);
	XXH3_64bits_reset(copy->sum_to);
	for (size_t i = 0; i < count; i++) {
		struct row_scope to;
		if (map_scope(copy, &totals[i].scope, &to, error) != 0 ||
		    copy_rows(copy, &totals[i].scope, &to, rows, error) != 0 ||
		    copy_damage(copy, &totals[i].scope, &to, error) != 0)
			return -1;
	}
	summary->rows = copy->compared;
	summary->checksum_from = XXH3_64bits_digest(copy->sum_from);
	summary->checksum_to = XXH3_64bits_digest(copy->sum_to);
	return 0;
}

static int run_passes(struct copy *copy, struct simhash_error *error)
{
	struct scope_total *totals;
	size_t count;
	int status = store_read_totals(copy->from, &totals, &count, error);

	if (status == 0)
		status = measure_map_make(copy->from, copy->to, &copy->measures, error);
	if (status == 0)
		status = store_filters_copy(copy->from, copy->to, error);
	if (status == 0)
		status = store_begin_load(copy->to, error);
	for (unsigned i = 0; status == 0 && i < PASSES_MAX; i++) {
		status = run_pass(copy, totals, count, error);
		if (status == 0 && i == 0)
			status = store_end_load(copy->to, error);
		if (copy->written == 0 || is_told_to_stop(copy))
			break;
	}
	copy->summary->is_interrupted = is_told_to_stop(copy);
	if (status == 0 && !copy->summary->is_interrupted && copy->written > 0)
		status = error_set(error, SIMHASH_E_RANGE,
				   "%s kept changing while it was copied; its rows are copied but "
				   "not verified; run --copy-to again",
				   copy->options->from.url);
	if (status == 0 && !copy->summary->is_interrupted)
		status = copy_runs(copy, error);
	free(copy->measures.ids);
	free(totals);
	return status;
}

/* A second name of an SQLite file would get a second log, and two logs damage the file. */
static int refuse_same(const struct copy_options *options, struct simhash_error *error)
{
	const char *from = options->from.url, *to = options->to.url;
	bool is_same;

	if (store_url_compare(from, to, &is_same, error) != 0)
		return -1;
	if (!is_same)
		return 0;
	return error_set(error, SIMHASH_E_RANGE,
			 "cannot copy index %s to %s: they are the same index; name another one",
			 from, to);
}

int index_copy(const struct copy_options *options, struct copy_summary *summary,
	       struct simhash_error *error)
{
	struct copy copy = {.options = options, .summary = summary};
	int status = -1;

	memset(summary, 0, sizeof *summary);
	copy.part.rows = row_part_new();
	copy.sum_from = XXH3_createState();
	copy.sum_to = XXH3_createState();
	if (copy.part.rows == NULL || copy.sum_from == NULL || copy.sum_to == NULL)
		error_set_memory(error);
	else if (refuse_same(options, error) == 0 &&
		 store_open(&options->from, OPEN_TO_READ, &copy.from, error) == 0 &&
		 store_open(&options->to, OPEN_TO_CREATE, &copy.to, error) == 0)
		status = run_passes(&copy, error);
	if (status != 0 && error->code == ERROR_STOPPED) {
		summary->is_interrupted = true;
		status = 0;
	}
	store_close(copy.to);
	store_close(copy.from);
	XXH3_freeState(copy.sum_to);
	XXH3_freeState(copy.sum_from);
	row_part_free(copy.part.rows);
	return status;
}
