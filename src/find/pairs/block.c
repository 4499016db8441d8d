/*
 * Makes blocks of rows: combines copies into one row, and cuts the stream when a block is full.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs/block.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/array.h"

#define BLOCK_ROWS 16384       /* the default number of new rows */
#define BLOCK_COPIES_MAX 65536 /* the maximum number of copies that wait to be reported */
#define COPIES_FOR_ROW 6 /* this many copies take as much memory as a row that is searched for */
/* A kept block has room for at most this many times the rows of a block, because arrays double. */
#define CAPACITY_KEPT 2

static struct block *block_new(size_t capacity)
{
	struct block *block = calloc(1, sizeof *block);

	if (block == NULL)
		return NULL;
	block->rows = malloc(capacity * sizeof *block->rows);
	block->capacity = capacity;
	if (block->rows != NULL)
		return block;
	free(block);
	return NULL;
}

void block_free(struct block *block)
{
	if (block == NULL)
		return;
	arena_release(&block->arena);
	free(block->rows);
	free(block);
}

/* Empty a block, but keep its memory. */
static void block_clear(struct block *block)
{
	arena_clear(&block->arena);
	*block = (struct block){
		.rows = block->rows, .capacity = block->capacity, .arena = block->arena};
}

static struct find_file *block_add(struct block *block, struct simhash_error *error)
{
	if (array_reserve(&block->rows, &block->capacity, block->count + 1, sizeof *block->rows,
			  error) != 0)
		return NULL;
	return &block->rows[block->count++];
}

void row_stream_init(struct row_stream *stream, const struct finder *finder, int64_t low,
		     int64_t high)
{
	size_t given = finder->resources->block_rows;

	*stream = (struct row_stream){.finder = finder,
				      .range = {low, high, INT64_MIN},
				      .block_rows = given != 0 ? given : BLOCK_ROWS,
				      .keeps_extensions = finder->request->keeps_extensions};
}

/*
 * Keep the memory of a block for the next block. Free it instead if the next block has already
 * begun, because then it would be unused, or if the many rows of one key made the block too large.
 */
static void keep_block(struct row_stream *stream, struct block *block, size_t block_rows)
{
	if (stream->spare != NULL || stream->next != NULL ||
	    block->capacity / CAPACITY_KEPT > block_rows) {
		block_free(block);
		return;
	}
	block_clear(block);
	stream->spare = block;
}

void row_stream_init_part(struct row_stream *part, const struct row_stream *of,
			  const struct row_range *range)
{
	struct row_stream former = *part;

	row_stream_init(part, of->finder, range->low, range->high);
	part->range = *range;
	part->rows = of->rows;
	part->slots = former.slots;
	part->passed = former.passed;
	part->passed_capacity = former.passed_capacity;
	part->spare = former.spare;
	if (former.next != NULL)
		keep_block(part, former.next, former.block_rows);
}

void row_stream_release(struct row_stream *stream)
{
	sorted_cursor_end(&stream->cursor);
	sorted_rows_release(&stream->own_rows);
	block_free(stream->next);
	block_free(stream->spare);
	slots_release(&stream->slots);
	free(stream->passed);
	stream->next = stream->spare = NULL;
	stream->passed = NULL;
}

void row_stream_end(struct row_stream *part)
{
	sorted_cursor_end(&part->cursor);
}

void row_stream_take_back(struct row_stream *stream, struct block *block)
{
	keep_block(stream, block, stream->block_rows);
}

/* ---- Copies ---- */

static uint64_t content_hash_of(const struct row_stream *stream, const struct find_file *file)
{
	uint64_t hash = hash_seeded_bytes(file->content_hash);

	return stream->keeps_extensions ? hash_seeded(hash, file->extension_hash) : hash;
}

/*
 * Can the extension decide whether this file is in a pair? It can if one of the two files has no
 * sketch. So if every pair of copies is requested, a file does not represent files with another
 * extension.
 */
static bool needs_extension(const struct find_request *request, const struct find_file *file)
{
	const struct find_rule *rule = &request->rule;
	bool verifies = rule->verify.mode != VERIFY_NO;

	if (verifies && (rule->verify.same_extension || !file->has_sketch || request->expand))
		return true;
	return (!verifies || rule->candidates == CANDIDATES_KEY) &&
	       rule->key >= SIMHASH_UNIFORM_EXT;
}

bool rows_are_twins(const struct find_request *request, const struct find_file *x,
		    const struct find_file *y)
{
	return x->size_bytes == y->size_bytes &&
	       memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE) == 0 &&
	       x->tolerance == y->tolerance && x->sides == y->sides &&
	       x->has_sketch == y->has_sketch &&
	       (!needs_extension(request, x) || x->extension_hash == y->extension_hash) &&
	       memcmp(&x->table, &y->table, sizeof x->table) == 0;
}

/* ---- Rows that were passed on ---- */

static uint64_t digest_of(const struct simhash_sum_table *table)
{
	uint64_t digest = 0;

	for (int t = 0; t < SIMHASH_TAGS; t++)
		digest = hash_seeded(digest, table->count[t]);
	return digest;
}

static struct passed_row passed_row_of(const struct find_file *file)
{
	struct passed_row row = {.counts = digest_of(&file->table),
				 .size_bytes = file->size_bytes,
				 .tolerance = file->tolerance,
				 .extension_hash = file->extension_hash,
				 .sides = file->sides,
				 .has_sketch = file->has_sketch};

	memcpy(row.content_hash, file->content_hash, sizeof row.content_hash);
	return row;
}

/* The same as rows_are_twins(). */
static bool is_twin_of_passed(const struct find_request *request, const struct passed_row *passed,
			      const struct find_file *file)
{
	return passed->size_bytes == file->size_bytes &&
	       memcmp(passed->content_hash, file->content_hash, CONTENT_HASH_SIZE) == 0 &&
	       passed->tolerance == file->tolerance && passed->sides == file->sides &&
	       passed->has_sketch == file->has_sketch &&
	       (!needs_extension(request, file) ||
		passed->extension_hash == file->extension_hash) &&
	       passed->counts == digest_of(&file->table);
}

/*
 * Remove the rows with the current key from the returned block, and remember how to recognize their
 * copies.
 */
static int leave_passed_rows(struct row_stream *stream, struct simhash_error *error)
{
	const struct block *block = stream->next;
	size_t count = block->count - stream->run_start;

	if (array_reserve(&stream->passed, &stream->passed_capacity, stream->passed_count + count,
			  sizeof *stream->passed, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		stream->passed[stream->passed_count++] =
			passed_row_of(&block->rows[stream->run_start + i]);
	return 0;
}

/* ---- Finding copies ---- */

#define SLOTS_KEPT 256

/* Forget the rows of the previous key. The rows of the new key begin at row `start`. */
static void begin_run(struct row_stream *stream, size_t start, int64_t key)
{
	slots_clear(&stream->slots, SLOTS_KEPT);
	stream->passed_count = 0;
	stream->run_start = start;
	stream->run_key = key;
}

/* Searches for the twin of a file among the rows of the run. */
struct twin_search {
	const struct row_stream *stream;
	struct find_file *file;
};

/* Return the row of the run with this number, or NULL if its block was returned. */
static struct find_file *row_of_run(const struct row_stream *stream, uint32_t number)
{
	size_t row = number - 1;

	return row < stream->passed_count
		       ? NULL
		       : &stream->next->rows[stream->run_start + row - stream->passed_count];
}

/*
 * Is the row the twin of the file? Notes in the file if the row only has the same content and
 * tolerance.
 */
static bool is_twin(const void *key, uint32_t number)
{
	const struct twin_search *search = key;
	const struct row_stream *stream = search->stream;
	const struct find_request *request = stream->finder->request;
	const struct find_file *row = row_of_run(stream, number);
	struct find_file *file = search->file;
	uint32_t extension_hash = row != NULL ? row->extension_hash
					      : stream->passed[number - 1].extension_hash;
	bool fits = !stream->keeps_extensions || extension_hash == file->extension_hash;

	if (row == NULL)
		return fits && is_twin_of_passed(request, &stream->passed[number - 1], file);
	if (fits && rows_are_twins(request, row, file))
		return true;
	file->repeats = file->repeats ||
			(are_identical(row, file) && row->tolerance == file->tolerance);
	return false;
}

/*
 * Find the row that `file` is a copy of. *twin is NULL if there is none, and then `file` is entered
 * as the next row of the run. *is_of_passed: there is such a row, but its block was returned, so
 * *twin is also NULL.
 */
static int find_twin(struct row_stream *stream, struct find_file *file, struct find_file **twin,
		     bool *is_of_passed, struct simhash_error *error)
{
	uint64_t hash = content_hash_of(stream, file);
	struct slot *slot;

	*twin = NULL;
	*is_of_passed = false;
	if (slots_reserve(&stream->slots, error) != 0)
		return -1;
	slot = slots_find(&stream->slots, hash, is_twin, &(struct twin_search){stream, file});
	if (slot->number == NO_ITEM) {
		slots_add(&stream->slots, slot, hash, (uint32_t)stream->slots.used + 1);
		return 0;
	}
	*twin = row_of_run(stream, slot->number);
	*is_of_passed = *twin == NULL;
	return 0;
}

static int add_copy(struct block *block, struct find_file *twin, const struct find_file *file,
		    struct simhash_error *error)
{
	struct file_copy *copy = arena_take(&block->arena, sizeof *copy);

	if (copy == NULL)
		return error_set_memory(error);
	*copy = (struct file_copy){.next = twin->copies,
				   .host = file->host,
				   .mtime_ns = file->mtime_ns,
				   .device = file->device,
				   .inode = file->inode,
				   .compressed_size_bytes = file->compressed_size_bytes,
				   .display = file->display,
				   .display_size = file->display_size,
				   .path_offset = file->path_offset,
				   .is_local = file->is_local};
	memcpy(copy->path_hash, file->path_hash, PATH_HASH_SIZE);
	twin->copies = copy;
	twin->copy_count++;
	block->new_copies++;
	return 0;
}

static char *keep_bytes(struct arena *arena, const char *bytes, size_t size)
{
	char *kept = arena_take(arena, size + 1);

	if (kept != NULL)
		memcpy(kept, bytes, size + 1);
	return kept;
}

/* Add a file to the next block. Its displayed name is borrowed. */
static int take_file(struct row_stream *stream, struct find_file *file, struct simhash_error *error)
{
	const struct find_request *request = stream->finder->request;
	struct block *block = stream->next;
	struct find_file *added, *twin;
	bool is_of_passed;

	block->rows_read++;
	block->unsketched += !file->has_sketch;
	if (request->has_between && file->sides == 0)
		return 0;
	if (file->uniform != stream->run_key || stream->slots.count == 0)
		begin_run(stream, block->count, file->uniform);
	if (find_twin(stream, file, &twin, &is_of_passed, error) != 0)
		return -1;
	/* The caller does not need copies of a row in a returned block. */
	if (is_of_passed)
		return 0;
	file->display = keep_bytes(&block->arena, file->display, file->display_size);
	if (file->display == NULL)
		return error_set_memory(error);
	if (twin != NULL)
		return add_copy(block, twin, file, error);
	added = block_add(block, error);
	if (added == NULL)
		return -1;
	*added = *file;
	return 0;
}

struct find_file copy_as_file(const struct find_file *twin, const struct file_copy *copy)
{
	struct find_file file = *twin;

	file.host = copy->host;
	file.mtime_ns = copy->mtime_ns;
	file.device = copy->device;
	file.inode = copy->inode;
	file.compressed_size_bytes = copy->compressed_size_bytes;
	file.display = copy->display;
	file.display_size = copy->display_size;
	file.path_offset = copy->path_offset;
	file.is_local = copy->is_local;
	memcpy(file.path_hash, copy->path_hash, PATH_HASH_SIZE);
	file.copies = NULL;
	file.copy_count = 0;
	return file;
}

/* ---- Carrying ---- */

/* Return an empty block. */
static struct block *take_block(struct row_stream *stream, size_t capacity)
{
	struct block *spare = stream->spare;

	if (spare == NULL)
		return block_new(capacity);
	stream->spare = NULL;
	return spare;
}

/* Begin the next block with the rows of this key, because copies of them may follow. */
static int carry(struct row_stream *stream, const struct block *from, int64_t key,
		 struct simhash_error *error)
{
	size_t first = stream->run_key == key ? stream->run_start : from->count;
	struct block *to = take_block(stream, from->count - first + 64);

	stream->next = to;
	if (to == NULL)
		return error_set_memory(error);
	begin_run(stream, 0, key);
	for (size_t i = first; i < from->count; i++) {
		const struct find_file *row = &from->rows[i];
		struct find_file *carried = block_add(to, error), *twin;
		bool is_of_passed;
		if (carried == NULL)
			return -1;
		*carried = *row;
		carried->display = keep_bytes(&to->arena, row->display, row->display_size);
		if (carried->display == NULL)
			return error_set_memory(error);
		carried->copies = NULL;
		carried->copy_count = 0;
		if (find_twin(stream, carried, &twin, &is_of_passed, error) != 0)
			return -1;
	}
	to->first_new = to->count;
	return 0;
}

/* Fill the returned block again. A digest of each row with this key is kept to find its copies. */
static int go_on(struct row_stream *stream, struct simhash_error *error)
{
	struct block *block = stream->next;

	if (stream->waiting.uniform == stream->run_key && leave_passed_rows(stream, error) != 0)
		return -1;
	stream->run_start = 0;
	stream->is_out = false;
	block_clear(block);
	return take_file(stream, &stream->waiting, error);
}

/* Return the full block. `file` is the first row after it. */
static int end_block(struct row_stream *stream, struct find_file *file, struct block **block,
		     struct simhash_error *error)
{
	struct block *full = stream->next;

	if (stream->keeps_blocks) {
		stream->waiting = *file;
		stream->is_out = true;
	} else if (carry(stream, full, file->uniform, error) != 0 ||
		   take_file(stream, file, error) != 0) {
		block_free(full);
		return -1;
	}
	*block = full;
	return 1;
}

/* ---- Rows ---- */

/* Get the next file. Returns 1, 0 after the last one, or -1 for an error. */
static int next_file(struct row_stream *stream, struct find_file *file, struct simhash_error *error)
{
	const struct packed_row *row;
	int status = sorted_cursor_next(&stream->cursor, &row, error);

	if (status == 1)
		packed_row_read(row, file);
	return status;
}

/*
 * Can the extensions of copies matter even if needs_extension() is false? They matter only for
 * pairs with a file without a sketch, if sketches verify pairs. Otherwise all copies are one row,
 * regardless of their names.
 */
static bool tells_extensions(const struct row_stream *stream)
{
	return stream->finder->request->rule.verify.mode != VERIFY_NO &&
	       !sorted_rows_are_sketched(stream->rows);
}

int row_stream_read(struct row_stream *stream, struct simhash_error *error)
{
	const struct row_range *range = &stream->range;

	if (stream->rows != NULL || range->low > range->high)
		return 0;
	stream->rows = &stream->own_rows;
	return sorted_rows_read(&stream->own_rows, stream->finder, stream->finder->store,
				range->low, range->high, stream->looks_up, error);
}

static int begin_stream(struct row_stream *stream, struct simhash_error *error)
{
	static const struct block nothing;

	stream->has_begun = true;
	if (carry(stream, &nothing, INT64_MIN, error) != 0 || row_stream_read(stream, error) != 0)
		return -1;
	if (stream->rows == NULL) {
		stream->has_ended = true; /* this part contains no key */
		return 0;
	}
	stream->next->passed_over = stream->own_rows.passed_over;
	stream->keeps_extensions = stream->keeps_extensions && tells_extensions(stream);
	return sorted_cursor_begin(&stream->cursor, stream->rows, &stream->range, error);
}

/* Does the block have enough rows or copies? */
static bool is_full(const struct row_stream *stream)
{
	const struct block *block = stream->next;

	return block->count - block->first_new + block->new_copies / COPIES_FOR_ROW >=
		       stream->block_rows ||
	       block->new_copies >= BLOCK_COPIES_MAX;
}

static int next_block(struct row_stream *stream, struct block **block, struct simhash_error *error)
{
	struct find_file file;
	int status;

	*block = NULL;
	if (!stream->has_begun && begin_stream(stream, error) != 0)
		return -1;
	if (stream->has_ended)
		return 0;
	if (stream->is_out && go_on(stream, error) != 0)
		return -1;
	while ((status = next_file(stream, &file, error)) == 1) {
		/* If every pair of copies is requested, all rows of a key are in one block. */
		if (is_full(stream) &&
		    (!stream->finder->request->expand || file.uniform != stream->last_key)) {
			stream->last_key = file.uniform;
			return end_block(stream, &file, block, error);
		}
		stream->last_key = file.uniform;
		if (take_file(stream, &file, error) != 0)
			return -1;
	}
	if (status < 0)
		return -1;
	*block = stream->next;
	if (!stream->keeps_blocks)
		stream->next = NULL;
	stream->has_ended = true;
	return 1;
}

int row_stream_next(struct row_stream *stream, struct block **block, struct simhash_error *error)
{
	int status = next_block(stream, block, error);

	/* Threads that share the stream get no block after an error. */
	if (status < 0)
		stream->has_ended = true;
	return status;
}
