/*
 * Finds pairs by the sketches of another measure, which defines how similar they are. Sizes,
 * extensions and keys do not matter. To find all pairs, it reads the sketches of all files into
 * memory, and the measure proposes pairs; several files with the same content are compared once.
 * For requested files, it reads the sketches of the index one by one and compares each with all
 * requested files.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs/sketch_join.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/array.h"
#include "base/data/slots.h"
#include "find/pairs/pair_reporter.h"
#include "store/names/names.h"
#include "store/rows/totals.h"
#include "store/write/sketch_table.h"

#define ASKED_MAX 4096 /* the number of files that are compared in one pass */

static int read_measure_id(const struct finder *finder, int64_t *id, struct simhash_error *error)
{
	const char *text = simhash_measure_text(finder->request->measure);

	if (store_measure_id(finder->store, text, false, id, error) != 0)
		return -1;
	if (*id != 0)
		return 0;
	return error_set(error, SIMHASH_E_RANGE,
			 "the index has no sketches by %s; run simhash --measure=%s first (simhash "
			 "--status lists the measures of the index)",
			 text, finder->request->measure_text);
}

/* Counts the rows of a cursor that the request covers, and ends the cursor. */
static int count_taken(const struct finder *finder, struct row_cursor *cursor, int64_t *count,
		       struct simhash_error *error)
{
	struct file_row row = {.host = 0};
	int status;

	*count = 0;
	while ((status = store_rows_next(cursor, &row, error)) == 1)
		*count += finder_takes(finder, &row);
	store_rows_end(cursor);
	return status;
}

/* Counts rows below the requested directories; the counts in the index include all directories. */
static int count_below(const struct finder *finder, int64_t measure, int64_t *rows,
		       int64_t *sketches, struct simhash_error *error)
{
	const struct row_filter filter = {
		.columns = TAKING_COLUMNS, .tag_set = finder->tag_set, .with_empty = true};
	struct row_cursor cursor;

	if (store_rows_lying(&cursor, finder->store, &filter, NULL, error) != 0 ||
	    count_taken(finder, &cursor, rows, error) != 0 ||
	    store_rows_sketched(&cursor, finder->store, &filter, measure, error) != 0)
		return -1;
	return count_taken(finder, &cursor, sketches, error);
}

/* Files without a sketch of the measure cannot be found. */
static int count_unsketched(struct finder *finder, int64_t measure, struct simhash_error *error)
{
	int64_t rows, sketches;

	if (finder->request->below != NULL || finder->request->takes != NULL) {
		if (count_below(finder, measure, &rows, &sketches, error) != 0)
			return -1;
		finder->counts.unsketched = rows > sketches ? (uint64_t)(rows - sketches) : 0;
		return 0;
	}
	if (store_count_rows(finder->store, finder->tag_set, &rows, error) != 0 ||
	    store_count_sketches(finder->store, finder->tag_set, measure, &sketches, error) != 0)
		return -1;
	finder->counts.unsketched = rows > sketches ? (uint64_t)(rows - sketches) : 0;
	return 0;
}

static struct file_pair measured_pair(const struct find_file *a, const struct find_file *b,
				      double similarity)
{
	return (struct file_pair){.a = a,
				  .b = b,
				  .relation = {.distance = simhash_distance(&a->table, &b->table),
					       .verification = PAIR_MEASURED,
					       .resemblance = similarity}};
}

static int begin_sketched(const struct finder *finder, int64_t measure, struct row_cursor *cursor,
			  struct simhash_error *error)
{
	const struct find_request *request = finder->request;
	const struct row_filter filter = {.columns = FINDING_COLUMNS | ROW_KEY(request->rule.key),
					  .tag_set = finder->tag_set,
					  .with_empty = request->with_empty};

	return store_rows_sketched(cursor, finder->store, &filter, measure, error);
}

/* The files of one content: the first file represents all, and has a sketch. */
struct file_chain {
	size_t first, last; /* numbers of files; the files between them follow by `next` */
};

struct sketch_join {
	struct finder *finder;
	struct pair_reporter reporter;
	struct arena arena;
	struct find_file *files;
	size_t *next; /* the next file with the same content; 0 after the last one */
	size_t file_count, file_capacity, next_capacity;
	struct file_chain *contents;
	uint8_t *sketches; /* the sketches of all contents, in the same order */
	size_t sketch_size, content_count, content_capacity, sketch_capacity;
	struct slots slots; /* contents by their hash */
};

/* The file that is searched for. */
struct chain_key {
	const struct sketch_join *join;
	const struct find_file *file;
};

static bool is_content(const void *key, uint32_t number)
{
	const struct chain_key *wanted = key;
	const struct sketch_join *join = wanted->join;

	return has_same_content(&join->files[join->contents[number - 1].first], wanted->file);
}

static int make_room(struct sketch_join *join, struct simhash_error *error)
{
	if (array_reserve(&join->files, &join->file_capacity, join->file_count + 1,
			  sizeof *join->files, error) != 0 ||
	    array_reserve(&join->next, &join->next_capacity, join->file_count + 1,
			  sizeof *join->next, error) != 0 ||
	    array_reserve(&join->contents, &join->content_capacity, join->content_count + 1,
			  sizeof *join->contents, error) != 0 ||
	    array_reserve(&join->sketches, &join->sketch_capacity, join->content_count + 1,
			  join->sketch_size, error) != 0)
		return -1;
	return slots_reserve(&join->slots, error);
}

static int take_row(struct sketch_join *join, const struct file_row *row,
		    const struct row_sketch *sketch, struct simhash_error *error)
{
	size_t number = join->file_count;
	struct find_file *file;
	struct slot *slot;
	uint64_t hash;

	if (make_room(join, error) != 0)
		return -1;
	file = &join->files[number];
	if (finder_read(join->finder, row, &join->arena, file, error) != 0)
		return -1;
	join->next[number] = 0;
	join->file_count++;
	hash = hash_seeded_bytes(file->content_hash);
	slot = slots_find(&join->slots, hash, is_content, &(struct chain_key){join, file});
	if (slot->number != NO_ITEM) {
		struct file_chain *content = &join->contents[slot->number - 1];
		join->next[content->last] = number;
		content->last = number;
		return 0;
	}
	join->contents[join->content_count] = (struct file_chain){number, number};
	memcpy(join->sketches + join->content_count * join->sketch_size, sketch->value.data,
	       join->sketch_size);
	slots_add(&join->slots, slot, hash, (uint32_t)++join->content_count);
	return 0;
}

static int read_rows(struct sketch_join *join, int64_t measure, struct simhash_error *error)
{
	struct find_progress *progress = join->finder->resources->progress;
	struct file_row row = {.host = 0};
	struct row_cursor cursor;
	struct row_sketch sketch;
	int status;

	if (begin_sketched(join->finder, measure, &cursor, error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1) {
		if (finder_takes(join->finder, &row) &&
		    (store_sketch_of(&cursor, join->sketch_size, &sketch, error) != 0 ||
		     take_row(join, &row, &sketch, error) != 0)) {
			status = -1;
			break;
		}
		if (progress != NULL)
			atomic_fetch_add_explicit(&progress->rows, 1, memory_order_relaxed);
	}
	store_rows_end(&cursor);
	return status;
}

static int report(struct sketch_join *join, size_t x, size_t y, double similarity,
		  struct simhash_error *error)
{
	const struct find_file *a = &join->files[x], *b = &join->files[y];

	if (!finder_crosses(join->finder, a->sides, b->sides))
		return 0;
	return report_pair(&join->reporter, measured_pair(a, b, similarity), error);
}

/* Report the pairs of files with one content: each with the first one, or all with each other. */
static int report_same_content(struct sketch_join *join, const struct file_chain *content,
			       struct simhash_error *error)
{
	bool expand = join->finder->request->expand;

	for (size_t x = content->first; join->next[x] != 0; x = join->next[x]) {
		for (size_t y = join->next[x]; y != 0; y = join->next[y])
			if (report(join, x, y, 1, error) != 0)
				return -1;
		if (!expand)
			break;
	}
	return 0;
}

static int report_similar_contents(void *context, size_t a, size_t b, double similarity,
				   struct simhash_error *error)
{
	struct sketch_join *join = context;
	bool expand = join->finder->request->expand;
	size_t x = join->contents[a].first;

	do {
		size_t y = join->contents[b].first;
		do {
			if (report(join, x, y, similarity, error) != 0)
				return -1;
			y = join->next[y];
		} while (expand && y != 0);
		x = join->next[x];
	} while (expand && x != 0);
	return 0;
}

static int report_all(struct sketch_join *join, struct simhash_error *error)
{
	const struct find_request *request = join->finder->request;

	for (size_t i = 0; i < join->content_count; i++)
		if (report_same_content(join, &join->contents[i], error) != 0)
			return -1;
	return simhash_sketch_pairs(request->measure, join->sketches, join->content_count,
				    request->min_similarity, report_similar_contents, join, error);
}

int sketch_join_all(struct finder *finder, struct simhash_error *error)
{
	struct sketch_join join = {.finder = finder,
				   .reporter = {.finder = finder},
				   .sketch_size =
					   simhash_measure_sketch_size(finder->request->measure)};
	int64_t measure;
	int status = -1;

	if (read_measure_id(finder, &measure, error) == 0 &&
	    count_unsketched(finder, measure, error) == 0 && read_rows(&join, measure, error) == 0)
		status = report_all(&join, error);
	join.reporter.counts.rows = join.file_count;
	find_counts_add(&finder->counts, &join.reporter.counts);
	slots_release(&join.slots);
	free(join.sketches);
	free(join.contents);
	free(join.next);
	free(join.files);
	arena_release(&join.arena);
	return status;
}

/* ---- Requested files ---- */

int sketch_pass_init(struct sketch_pass *pass, struct finder *finder, struct simhash_error *error)
{
	*pass = (struct sketch_pass){.finder = finder};
	if (finder->request->measure == NULL)
		return 0;
	pass->sketch_size = simhash_measure_sketch_size(finder->request->measure);
	return read_measure_id(finder, &pass->measure, error) != 0
		       ? -1
		       : count_unsketched(finder, pass->measure, error);
}

int sketch_pass_add(struct sketch_pass *pass, struct queried_file *queried,
		    struct simhash_error *error)
{
	if (queried->sketches->sketch[0].features == 0) {
		queried_file_release(queried);
		return 0;
	}
	if (array_reserve(&pass->queried, &pass->capacity, pass->count + 1, sizeof *pass->queried,
			  error) != 0) {
		queried_file_release(queried);
		return -1;
	}
	pass->queried[pass->count++] = *queried;
	return 0;
}

bool sketch_pass_is_full(const struct sketch_pass *pass)
{
	return pass->count >= ASKED_MAX;
}

int sketch_pass_begin(struct sketch_pass *pass, struct simhash_error *error)
{
	pass->next = pass->count;
	if (pass->count == 0)
		return 0;
	return begin_sketched(pass->finder, pass->measure, &pass->cursor, error);
}

static int next_row(struct sketch_pass *pass, struct simhash_error *error)
{
	int status;

	do
		status = store_rows_next(&pass->cursor, &pass->row, error);
	while (status == 1 && !finder_takes(pass->finder, &pass->row));
	if (status != 1)
		return status;
	pass->rows++;
	pass->next = 0;
	pass->has_file = false;
	return store_sketch_of(&pass->cursor, pass->sketch_size, &pass->sketch, error) != 0 ? -1
											    : 1;
}

/* Is the row similar enough to a requested file, and not the row of that file? */
static bool is_similar(const struct sketch_pass *pass, const struct queried_file *queried,
		       double *similarity)
{
	const struct find_request *request = pass->finder->request;
	const uint8_t *ours = (const uint8_t *)queried->sketches->sketch[0].value.data;
	const uint8_t *theirs = (const uint8_t *)pass->sketch.value.data;

	*similarity = simhash_sketch_similarity(request->measure, ours, theirs, NULL);
	return *similarity >= request->min_similarity &&
	       (pass->row.host != queried->file.host || queried->file.is_stream ||
		memcmp(pass->row.path_hash, queried->file.path_hash, PATH_HASH_SIZE) != 0);
}

int sketch_pass_next(struct sketch_pass *pass, struct file_pair *pair, struct simhash_error *error)
{
	for (;;) {
		int status;
		while (pass->next < pass->count) {
			const struct queried_file *queried = &pass->queried[pass->next++];
			double similarity;
			if (!is_similar(pass, queried, &similarity))
				continue;
			if (!pass->has_file) {
				arena_clear(&pass->arena);
				if (finder_read(pass->finder, &pass->row, &pass->arena, &pass->file,
						error) != 0)
					return -1;
				pass->has_file = true;
			}
			*pair = measured_pair(&queried->file, &pass->file, similarity);
			return 1;
		}
		status = next_row(pass, error);
		if (status != 1)
			return status;
	}
}

void sketch_pass_end(struct sketch_pass *pass)
{
	store_rows_end(&pass->cursor);
	while (pass->count > 0)
		queried_file_release(&pass->queried[--pass->count]);
}

void sketch_pass_release(struct sketch_pass *pass)
{
	sketch_pass_end(pass);
	free(pass->queried);
	arena_release(&pass->arena);
}
