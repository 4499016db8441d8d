/*
 * Pairs by the sketches of another measure: those of all files are read into memory, and the
 * measure proposes pairs and says how similar they are. Contents that several files have are
 * compared once; sizes, extensions and keys have no say.
 * SPDX-License-Identifier: MIT
 */
#include "find/alike.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

int alike_measure_id(const struct finder *finder, int64_t *id, struct simhash_error *error)
{
	const char *text = simhash_measure_text(finder->request->measure);

	if (store_measure_id(finder->store, text, false, id, error) != 0)
		return -1;
	if (*id != 0)
		return 0;
	return error_set(error, SIMHASH_E_RANGE,
			 "the index has no sketches by %s: run simhash --measure=%s first; "
			 "simhash --status lists the measures that it has",
			 text, finder->request->measure_text);
}

int alike_count_unsketched(struct finder *finder, int64_t measure, struct simhash_error *error)
{
	int64_t rows, sketches;

	if (store_count_rows(finder->store, finder->tag_set, &rows, error) != 0 ||
	    store_count_sketches(finder->store, finder->tag_set, measure, &sketches, error) != 0)
		return -1;
	finder->counts.unsketched = rows > sketches ? (uint64_t)(rows - sketches) : 0;
	return 0;
}

/* Files by content: the first of each stands for all, and has a sketch. */
struct content {
	size_t first, last; /* files; others follow by `next` */
};

struct alike {
	struct finder *finder;
	struct find_reporter reporter;
	struct arena arena;
	struct find_file *files;
	size_t *next; /* file of the same content; 0 after the last */
	size_t file_count, file_room;
	struct content *contents;
	uint8_t *sketches; /* of the contents, in their order */
	size_t sketch_size, content_count, content_room;
	size_t *slots; /* contents by their hash, from 1 */
	size_t slot_count;
};

static int grow(void **items, size_t room, size_t size, struct simhash_error *error)
{
	void *grown = realloc(*items, room * size);

	if (grown == NULL)
		return error_set_memory(error);
	*items = grown;
	return 0;
}

static bool same_content(const struct find_file *x, const struct find_file *y)
{
	return x->size_bytes == y->size_bytes &&
	       memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE) == 0;
}

static size_t *find_slot(const struct alike *alike, const struct find_file *file)
{
	uint64_t hash;
	size_t slot;

	memcpy(&hash, file->content_hash, sizeof hash);
	for (slot = (size_t)hash & (alike->slot_count - 1); alike->slots[slot] != 0;
	     slot = (slot + 1) & (alike->slot_count - 1)) {
		const struct content *content = &alike->contents[alike->slots[slot] - 1];
		if (same_content(&alike->files[content->first], file))
			break;
	}
	return &alike->slots[slot];
}

static int grow_slots(struct alike *alike, struct simhash_error *error)
{
	size_t count = alike->slot_count == 0 ? 1024 : 2 * alike->slot_count;
	size_t *slots = calloc(count, sizeof *slots);

	if (slots == NULL)
		return error_set_memory(error);
	free(alike->slots);
	alike->slots = slots;
	alike->slot_count = count;
	for (size_t i = 0; i < alike->content_count; i++)
		*find_slot(alike, &alike->files[alike->contents[i].first]) = i + 1;
	return 0;
}

static int make_room(struct alike *alike, struct simhash_error *error)
{
	if (alike->file_count == alike->file_room) {
		alike->file_room = alike->file_room == 0 ? 1024 : 2 * alike->file_room;
		if (grow((void **)&alike->files, alike->file_room, sizeof *alike->files, error) !=
			    0 ||
		    grow((void **)&alike->next, alike->file_room, sizeof *alike->next, error) != 0)
			return -1;
	}
	if (alike->content_count == alike->content_room) {
		alike->content_room = alike->content_room == 0 ? 1024 : 2 * alike->content_room;
		if (grow((void **)&alike->contents, alike->content_room, sizeof *alike->contents,
			 error) != 0 ||
		    grow((void **)&alike->sketches, alike->content_room, alike->sketch_size,
			 error) != 0)
			return -1;
	}
	return 2 * alike->content_count >= alike->slot_count ? grow_slots(alike, error) : 0;
}

static int take_row(struct alike *alike, const struct file_row *row,
		    const struct row_sketch *sketch, struct simhash_error *error)
{
	size_t number = alike->file_count, *slot;
	struct find_file *file;
	struct shown_path shown;

	if (make_room(alike, error) != 0)
		return -1;
	file = &alike->files[number];
	if (finder_convert(alike->finder, row, file, error) != 0)
		return -1;
	if (finder_show(alike->finder, row, &alike->arena, &shown) != 0)
		return error_set_memory(error);
	file->display = shown.display;
	file->display_size = shown.display_size;
	file->path_offset = shown.path_offset;
	alike->next[number] = 0;
	alike->file_count++;
	slot = find_slot(alike, file);
	if (*slot != 0) {
		struct content *content = &alike->contents[*slot - 1];
		alike->next[content->last] = number;
		content->last = number;
		return 0;
	}
	alike->contents[alike->content_count] = (struct content){number, number};
	memcpy(alike->sketches + alike->content_count * alike->sketch_size, sketch->value.data,
	       alike->sketch_size);
	*slot = ++alike->content_count;
	return 0;
}

static int read_rows(struct alike *alike, int64_t measure, struct simhash_error *error)
{
	const struct find_request *request = alike->finder->request;
	const struct find_resources *resources = alike->finder->resources;
	struct find_progress *progress = resources->progress;
	struct file_row row = {.host = 0};
	struct row_cursor *cursor;
	struct row_sketch sketch;
	int status;

	if (store_rows_sketched(alike->finder->store, alike->finder->tag_set, measure,
				request->rule.key, request->with_empty, &cursor, error) != 0)
		return -1;
	while ((status = store_rows_next(cursor, &row, error)) == 1) {
		if (store_sketch_of(cursor, alike->sketch_size, &sketch, error) != 0 ||
		    take_row(alike, &row, &sketch, error) != 0) {
			status = -1;
			break;
		}
		if (progress != NULL)
			atomic_fetch_add_explicit(&progress->rows, 1, memory_order_relaxed);
	}
	store_rows_end(cursor);
	return status;
}

static int report(struct alike *alike, size_t x, size_t y, double similarity,
		  struct simhash_error *error)
{
	const struct find_file *a = &alike->files[x], *b = &alike->files[y];

	if (!finder_crosses(alike->finder, a->sides, b->sides))
		return 0;
	alike->reporter.similarity = similarity;
	return report_pair(&alike->reporter, a, b, simhash_distance(&a->table, &b->table), error);
}

/* Files of one content: with the first of them, or all with all. */
static int report_copies(struct alike *alike, const struct content *content,
			 struct simhash_error *error)
{
	bool expand = alike->finder->request->expand;

	for (size_t x = content->first; alike->next[x] != 0; x = alike->next[x]) {
		for (size_t y = alike->next[x]; y != 0; y = alike->next[y])
			if (report(alike, x, y, 1, error) != 0)
				return -1;
		if (!expand)
			break;
	}
	return 0;
}

static int take_pair(void *context, size_t a, size_t b, double similarity,
		     struct simhash_error *error)
{
	struct alike *alike = context;
	bool expand = alike->finder->request->expand;
	size_t x = alike->contents[a].first;

	do {
		size_t y = alike->contents[b].first;
		do {
			if (report(alike, x, y, similarity, error) != 0)
				return -1;
			y = alike->next[y];
		} while (expand && y != 0);
		x = alike->next[x];
	} while (expand && x != 0);
	return 0;
}

static int find_pairs(struct alike *alike, struct simhash_error *error)
{
	const struct find_request *request = alike->finder->request;

	for (size_t i = 0; i < alike->content_count; i++)
		if (report_copies(alike, &alike->contents[i], error) != 0)
			return -1;
	return simhash_sketch_pairs(request->measure, alike->sketches, alike->content_count,
				    request->min_similarity, take_pair, alike, error);
}

int alike_all(struct finder *finder, struct simhash_error *error)
{
	struct alike alike = {.finder = finder,
			      .reporter = {.finder = finder, .is_measured = true},
			      .sketch_size = simhash_measure_sketch_size(finder->request->measure)};
	int64_t measure;
	int status = -1;

	if (alike_measure_id(finder, &measure, error) == 0 &&
	    alike_count_unsketched(finder, measure, error) == 0 &&
	    read_rows(&alike, measure, error) == 0)
		status = find_pairs(&alike, error);
	finder->counts.rows += alike.file_count;
	finder->counts.identical += alike.reporter.counts.identical;
	finder->counts.similar += alike.reporter.counts.similar;
	free(alike.slots);
	free(alike.sketches);
	free(alike.contents);
	free(alike.next);
	free(alike.files);
	arena_release(&alike.arena);
	return status;
}
