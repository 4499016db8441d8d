/*
 * Collecting pairs as records; sorting them in chunks of one temporary file, each in its place, by
 * several threads; merging the chunks.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/pair_sorter.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/data/heap.h"
#include "base/files/temporary.h"
#include "base/sort/sort.h"
#include "base/threads/threads.h"
#include "report/lists/line_parts.h"

enum { BATCH = 1024, SORTING_THREADS_MAX = 8, READ_MIN = 1024, LINES_BYTES = 1 << 18 };

/* A pair is a struct sort_item: its key, as a number of the same order, and that of its line. */

struct batch {
	struct sort_item *records; /* BATCH of them, made by its thread */
	size_t count;
};

struct pair_sorter {
	pthread_rwlock_t use; /* by who adds a pair; draining alone */
	pthread_mutex_t lock;
	unsigned threads;
	struct line_parts *parts;
	atomic_bool is_full; /* a pair was refused, and so are all that come later */
	atomic_bool is_drained;
	struct batch *batches;
	struct sort_item *records; /* in memory */
	size_t count, capacity;	   /* capacity records, half of the memory */
	FILE *file;		   /* of those before; NULL: none */
	uint64_t file_count;
};

int pair_sorter_new(unsigned threads, size_t memory_bytes, size_t paths_bytes,
		    struct pair_sorter **sorter, struct simhash_error *error)
{
	struct pair_sorter *made = calloc(1, sizeof *made);

	*sorter = NULL;
	if (made == NULL)
		return error_set_memory(error);
	pthread_rwlock_init(&made->use, NULL);
	pthread_mutex_init(&made->lock, NULL);
	made->threads = threads;
	made->capacity = memory_bytes / 2 / sizeof *made->records;
	if (made->capacity < BATCH)
		made->capacity = BATCH;
	made->batches = calloc(threads, sizeof *made->batches);
	made->records = malloc(made->capacity * sizeof *made->records);
	if (made->batches == NULL || made->records == NULL) {
		pair_sorter_free(made);
		return error_set_memory(error);
	}
	if (line_parts_new(threads, paths_bytes, &made->parts, error) != 0) {
		pair_sorter_free(made);
		return -1;
	}
	*sorter = made;
	return 0;
}

/* Free what pairs take. */
static void release_pairs(struct pair_sorter *sorter)
{
	for (unsigned i = 0; sorter->batches != NULL && i < sorter->threads; i++)
		free(sorter->batches[i].records);
	free(sorter->batches);
	free(sorter->records);
	if (sorter->file != NULL)
		fclose(sorter->file);
	line_parts_free(sorter->parts);
	sorter->batches = NULL;
	sorter->records = NULL;
	sorter->file = NULL;
	sorter->parts = NULL;
	sorter->count = 0;
	sorter->file_count = 0;
}

void pair_sorter_free(struct pair_sorter *sorter)
{
	if (sorter == NULL)
		return;
	release_pairs(sorter);
	pthread_mutex_destroy(&sorter->lock);
	pthread_rwlock_destroy(&sorter->use);
	free(sorter);
}

/* ---- Collecting ---- */

/* Doubles as numbers: the sign bit makes negative ones smaller, and turns their order. */
static uint64_t number_of(double key)
{
	uint64_t bits;

	key += 0.0; /* -0 is 0 */
	memcpy(&bits, &key, sizeof bits);
	return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

static double key_of(uint64_t number)
{
	uint64_t bits = number >> 63 != 0 ? number & ~(UINT64_C(1) << 63) : ~number;
	double key;

	memcpy(&key, &bits, sizeof key);
	return key;
}

/* All that is in memory goes to the end of the file. */
static int spill(struct pair_sorter *sorter, struct simhash_error *error)
{
	if (sorter->file == NULL)
		sorter->file = temporary_file();
	if (sorter->file == NULL)
		return temporary_no_room(error);
	fwrite(sorter->records, sizeof *sorter->records, sorter->count, sorter->file);
	if (fflush(sorter->file) != 0 || ferror(sorter->file))
		return temporary_no_room(error);
	sorter->file_count += sorter->count;
	sorter->count = 0;
	return 0;
}

static int hand_on(struct pair_sorter *sorter, struct batch *batch, struct simhash_error *error)
{
	int status = 0;

	pthread_mutex_lock(&sorter->lock);
	if (sorter->count + batch->count > sorter->capacity)
		status = spill(sorter, error);
	if (status == 0 && batch->count > 0)
		memcpy(sorter->records + sorter->count, batch->records,
		       batch->count * sizeof *batch->records);
	if (status == 0)
		sorter->count += batch->count;
	pthread_mutex_unlock(&sorter->lock);
	batch->count = 0;
	return status;
}

static int add(struct pair_sorter *sorter, unsigned thread, const struct file_pair *pair,
	       double key, struct simhash_error *error)
{
	struct batch *batch = &sorter->batches[thread];
	uint64_t number;
	int status = line_parts_number(sorter->parts, thread, pair, &number, error);

	if (status == 0)
		atomic_store(&sorter->is_full, true);
	if (status != 1)
		return status;
	if (batch->records == NULL)
		batch->records = malloc(BATCH * sizeof *batch->records);
	if (batch->records == NULL)
		return error_set_memory(error);
	batch->records[batch->count++] = (struct sort_item){number_of(key), number};
	return batch->count == BATCH && hand_on(sorter, batch, error) != 0 ? -1 : 1;
}

int pair_sorter_add(struct pair_sorter *sorter, unsigned thread, const struct file_pair *pair,
		    double key, struct simhash_error *error)
{
	int status = 0;

	if (atomic_load(&sorter->is_full))
		return 0;
	pthread_rwlock_rdlock(&sorter->use);
	if (!atomic_load(&sorter->is_full))
		status = add(sorter, thread, pair, key, error);
	pthread_rwlock_unlock(&sorter->use);
	return status;
}

static int hand_on_all(struct pair_sorter *sorter, struct simhash_error *error)
{
	for (unsigned i = 0; i < sorter->threads; i++)
		if (hand_on(sorter, &sorter->batches[i], error) != 0)
			return -1;
	return 0;
}

/* ---- Sorting ---- */

static void swap_words(struct sort_item *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		records[i] = (struct sort_item){records[i].number, records[i].key};
}

/* From numbers as they came to ranks, and in order. */
static void sort_records(const struct line_parts *parts, struct sort_item *records,
			 struct sort_item *scratch, size_t count)
{
	for (size_t i = 0; i < count; i++)
		records[i] = (struct sort_item){line_parts_ranked(parts, records[i].number),
						records[i].key};
	sort_items(records, scratch, count, 64);
	swap_words(records, count);
	sort_items(records, scratch, count, 64);
}

/* Read or write `count` records of the file from record `first` on; any thread. */
static int move_records(FILE *file, bool writes, struct sort_item *records, size_t count,
			uint64_t first, struct simhash_error *error)
{
	size_t size = count * sizeof *records;
	off_t place = (off_t)(first * sizeof *records);

	return writes ? temporary_write_at(file, records, size, place, error)
		      : temporary_read_at(file, records, size, place, error);
}

/* Sorting the chunks of the file: each is taken by one thread. */
struct chunks {
	const struct pair_sorter *sorter;
	size_t chunk; /* records of each but the last */
	atomic_ullong next;
	struct first_error first_error;
};

static int sort_chunk(struct chunks *chunks, uint64_t first, struct sort_item *records,
		      struct simhash_error *error)
{
	const struct pair_sorter *sorter = chunks->sorter;
	uint64_t left = sorter->file_count - first;
	size_t count = left < chunks->chunk ? (size_t)left : chunks->chunk;

	if (move_records(sorter->file, false, records, count, first, error) != 0)
		return -1;
	sort_records(sorter->parts, records, records + chunks->chunk, count);
	return move_records(sorter->file, true, records, count, first, error);
}

static void *sort_some(void *argument)
{
	struct chunks *chunks = argument;
	struct sort_item *records = malloc(2 * chunks->chunk * sizeof *records);
	struct simhash_error error;
	int status = records == NULL ? error_set_memory(&error) : 0;

	while (status == 0 && !first_error_is_set(&chunks->first_error)) {
		uint64_t first = atomic_fetch_add(&chunks->next, 1) * chunks->chunk;
		if (first >= chunks->sorter->file_count)
			break;
		status = sort_chunk(chunks, first, records, &error);
	}
	if (status != 0)
		first_error_set(&chunks->first_error, &error);
	free(records);
	return NULL;
}

static int sort_file(const struct pair_sorter *sorter, unsigned threads, size_t chunk,
		     struct simhash_error *error)
{
	struct chunks chunks = {.sorter = sorter, .chunk = chunk};

	first_error_init(&chunks.first_error, error);
	threads_run(threads, sort_some, &chunks, 0);
	return first_error_is_set(&chunks.first_error) ? -1 : 0;
}

/* ---- Writing ---- */

/* Lines on their way. */
struct lines {
	const struct line_parts *parts;
	write_lines_fn *write;
	void *context;
	char *bytes;
	size_t used, capacity;
	uint64_t count;
};

static int flush_lines(struct lines *lines, struct simhash_error *error)
{
	size_t used = lines->used;

	lines->used = 0;
	return used == 0 ? 0 : lines->write(lines->context, lines->bytes, used, error);
}

static int add_line(struct lines *lines, uint64_t number, struct simhash_error *error)
{
	size_t size = line_parts_size(lines->parts, number);

	if (lines->used + size > lines->capacity) {
		if (flush_lines(lines, error) != 0)
			return -1;
		if (size > lines->capacity) {
			char *grown = realloc(lines->bytes, size);
			if (grown == NULL)
				return error_set_memory(error);
			lines->bytes = grown;
			lines->capacity = size;
		}
	}
	lines->used += line_parts_write(lines->parts, number, lines->bytes + lines->used);
	lines->count++;
	return 0;
}

/* A sorted chunk that is being merged. */
struct run {
	struct sort_item *records; /* those read */
	size_t at, count;
	uint64_t next, end; /* of the file: what is still to be read */
};

static int refill(const struct pair_sorter *sorter, struct run *run, size_t room,
		  struct simhash_error *error)
{
	uint64_t left = run->end - run->next;

	run->at = 0;
	run->count = left < room ? (size_t)left : room;
	if (move_records(sorter->file, false, run->records, run->count, run->next, error) != 0)
		return -1;
	run->next += run->count;
	return 0;
}

static bool comes_before(const void *a, const void *b, const void *unused)
{
	const struct run *run = a, *other = b;
	const struct sort_item *x = &run->records[run->at], *y = &other->records[other->at];

	(void)unused;
	return x->key != y->key ? x->key < y->key : x->number < y->number;
}

static int merge(const struct pair_sorter *sorter, struct heap *heap, size_t room,
		 struct lines *lines, struct simhash_error *error)
{
	heap_make(heap, comes_before, NULL);
	while (heap->count > 0) {
		struct run *run = heap->items[0];
		if (add_line(lines, run->records[run->at++].number, error) != 0)
			return -1;
		if (run->at == run->count && refill(sorter, run, room, error) != 0)
			return -1;
		if (run->count > 0)
			heap_settle_first(heap, comes_before, NULL);
		else
			heap_remove_first(heap, comes_before, NULL);
	}
	return 0;
}

static int merge_file(const struct pair_sorter *sorter, size_t chunk, struct lines *lines,
		      struct simhash_error *error)
{
	size_t count = (size_t)((sorter->file_count + chunk - 1) / chunk);
	size_t room = sorter->capacity / count < READ_MIN ? READ_MIN : sorter->capacity / count;
	struct sort_item *records = malloc(count * room * sizeof *records);
	struct run *runs = calloc(count, sizeof *runs);
	struct heap heap = {.items = calloc(count, sizeof *heap.items)};
	int status = 0;

	if (records == NULL || runs == NULL || heap.items == NULL)
		status = error_set_memory(error);
	for (size_t i = 0; status == 0 && i < count; i++) {
		uint64_t end = (i + 1) * (uint64_t)chunk;
		runs[i] = (struct run){.records = records + i * room,
				       .next = i * (uint64_t)chunk,
				       .end = end < sorter->file_count ? end : sorter->file_count};
		status = refill(sorter, &runs[i], room, error);
		heap.items[heap.count++] = &runs[i];
	}
	if (status == 0)
		status = merge(sorter, &heap, room, lines, error);
	free(heap.items);
	free(runs);
	free(records);
	return status;
}

static int write_memory(struct pair_sorter *sorter, struct lines *lines,
			struct simhash_error *error)
{
	struct sort_item *scratch = malloc((sorter->count + 1) * sizeof *scratch);

	if (scratch == NULL)
		return error_set_memory(error);
	sort_records(sorter->parts, sorter->records, scratch, sorter->count);
	free(scratch);
	for (size_t i = 0; i < sorter->count; i++)
		if (add_line(lines, sorter->records[i].number, error) != 0)
			return -1;
	return 0;
}

static int write_file(struct pair_sorter *sorter, struct lines *lines, struct simhash_error *error)
{
	unsigned threads = sorter->threads < SORTING_THREADS_MAX ? sorter->threads
								 : SORTING_THREADS_MAX;
	size_t chunk = sorter->capacity / threads;

	if (spill(sorter, error) != 0)
		return -1;
	free(sorter->records);
	sorter->records = NULL;
	return sort_file(sorter, threads, chunk, error) != 0
		       ? -1
		       : merge_file(sorter, chunk, lines, error);
}

int pair_sorter_write(struct pair_sorter *sorter, write_lines_fn *write, void *context,
		      uint64_t *count, struct simhash_error *error)
{
	struct lines lines = {.parts = sorter->parts,
			      .write = write,
			      .context = context,
			      .capacity = LINES_BYTES};
	int status;

	if (hand_on_all(sorter, error) != 0)
		return -1;
	status = line_parts_rank(sorter->parts, error);
	if (status != 1)
		return status;
	lines.bytes = malloc(lines.capacity);
	if (lines.bytes == NULL)
		return error_set_memory(error);
	status = sorter->file == NULL ? write_memory(sorter, &lines, error)
				      : write_file(sorter, &lines, error);
	if (status == 0)
		status = flush_lines(&lines, error);
	free(lines.bytes);
	*count = lines.count;
	return status == 0 ? 1 : -1;
}

/* ---- As lines ---- */

static int drain_records(const struct pair_sorter *sorter, const struct sort_item *records,
			 size_t count, keyed_line_fn *each, void *context,
			 struct simhash_error *error)
{
	char *line = NULL;
	size_t capacity = 0;
	int status = 0;

	for (size_t i = 0; status == 0 && i < count; i++) {
		size_t size = line_parts_size(sorter->parts, records[i].number);
		status = array_reserve(&line, &capacity, size, 1, error);
		if (status != 0)
			break;
		line_parts_write(sorter->parts, records[i].number, line);
		status = each(context, key_of(records[i].key), line, size, error);
	}
	free(line);
	return status == 0 ? 0 : -1;
}

static int drain(struct pair_sorter *sorter, keyed_line_fn *each, void *context,
		 struct simhash_error *error)
{
	uint64_t first = 0;

	if (hand_on_all(sorter, error) != 0 ||
	    drain_records(sorter, sorter->records, sorter->count, each, context, error) != 0)
		return -1;
	while (first < sorter->file_count) {
		uint64_t left = sorter->file_count - first;
		size_t count = left < sorter->capacity ? (size_t)left : sorter->capacity;
		if (move_records(sorter->file, false, sorter->records, count, first, error) != 0 ||
		    drain_records(sorter, sorter->records, count, each, context, error) != 0)
			return -1;
		first += count;
	}
	return 0;
}

int pair_sorter_drain(struct pair_sorter *sorter, keyed_line_fn *each, void *context,
		      struct simhash_error *error)
{
	int status = 0;

	/* Whoever adds a pair that is refused drains: after the first, without waiting. */
	if (atomic_load(&sorter->is_drained))
		return 0;
	pthread_rwlock_wrlock(&sorter->use);
	atomic_store(&sorter->is_full, true);
	if (sorter->parts != NULL)
		status = drain(sorter, each, context, error);
	release_pairs(sorter);
	atomic_store(&sorter->is_drained, true);
	pthread_rwlock_unlock(&sorter->use);
	return status;
}
