/*
 * Runs of sorted lines, merged. They lie one behind another in one file, and each is a sequence of
 * key and bytes. With a limit, lines that are behind so many others are dropped from memory before
 * they make a run.
 * SPDX-License-Identifier: MIT
 */
#include "base/line_sorter.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/temporary.h"

#define PRUNED_MIN 1024		   /* with a low limit, sorting is not worth it for fewer */
#define READ_MIN ((size_t)4 << 10) /* bytes of a run at once */
#define READ_MAX ((size_t)256 << 10)

struct line {
	struct line_key key;
	const char *bytes;
};

struct line_sorter {
	pthread_mutex_t lock;
	size_t budget; /* bytes of memory for lines */
	char *bytes;   /* of all lines in memory */
	size_t used, capacity;
	struct line *lines;
	size_t count, line_capacity;
	FILE *file;  /* NULL: all are in memory */
	off_t *ends; /* of each run in it */
	size_t run_count, run_capacity;
	bool reverse;
	uint64_t limit, added; /* limit 0: none */
	/* With a limit, the last of those in memory that need to be kept: none behind it does. */
	struct line last;
	bool has_last;
};

int line_sorter_new(size_t memory_bytes, struct line_sorter **sorter, struct simhash_error *error)
{
	*sorter = calloc(1, sizeof **sorter);
	if (*sorter == NULL)
		return error_set_memory(error);
	pthread_mutex_init(&(*sorter)->lock, NULL);
	(*sorter)->budget = (*sorter)->capacity = memory_bytes;
	(*sorter)->bytes = malloc(memory_bytes);
	if ((*sorter)->bytes != NULL)
		return 0;
	line_sorter_free(*sorter);
	*sorter = NULL;
	return error_set_memory(error);
}

static void free_memory(struct line_sorter *sorter)
{
	free(sorter->lines);
	free(sorter->bytes);
	sorter->lines = NULL;
	sorter->bytes = NULL;
	sorter->capacity = sorter->line_capacity = 0;
}

void line_sorter_free(struct line_sorter *sorter)
{
	if (sorter == NULL)
		return;
	if (sorter->file != NULL)
		fclose(sorter->file);
	free(sorter->ends);
	free_memory(sorter);
	pthread_mutex_destroy(&sorter->lock);
	free(sorter);
}

static int compare_bytes(const char *x, size_t x_size, const char *y, size_t y_size)
{
	int order = memcmp(x, y, x_size < y_size ? x_size : y_size);

	return order != 0 ? order : (x_size > y_size) - (x_size < y_size);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	const struct line_key *k = &x->key, *l = &y->key;
	int order;

	if (k->key != l->key)
		return k->key < l->key ? -1 : 1;
	order = k->text + l->text == 0 ? 0 : compare_bytes(x->bytes, k->text, y->bytes, l->text);
	if (order != 0)
		return order;
	if (k->then != l->then)
		return k->then < l->then ? -1 : 1;
	return compare_bytes(x->bytes + k->text, k->size - k->text, y->bytes + l->text,
			     l->size - l->text);
}

static int compare_reversed(const void *a, const void *b)
{
	return compare_lines(b, a);
}

static bool comes_before(const struct line_sorter *sorter, const struct line *x,
			 const struct line *y)
{
	int order = compare_lines(x, y);

	return sorter->reverse ? order > 0 : order < 0;
}

void line_sorter_restrict(struct line_sorter *sorter, bool reverse, uint64_t limit)
{
	sorter->reverse = reverse;
	sorter->limit = limit;
}

uint64_t line_sorter_added(const struct line_sorter *sorter)
{
	return sorter->added;
}

static void sort_memory(struct line_sorter *sorter)
{
	if (sorter->count > 0)
		qsort(sorter->lines, sorter->count, sizeof *sorter->lines,
		      sorter->reverse ? compare_reversed : compare_lines);
}

/* Move what is in memory to a run of the file. */
static int spill(struct line_sorter *sorter, struct simhash_error *error)
{
	off_t end = sorter->run_count == 0 ? 0 : sorter->ends[sorter->run_count - 1];

	if (array_reserve(&sorter->ends, &sorter->run_capacity, sorter->run_count + 1,
			  sizeof *sorter->ends, error) != 0)
		return -1;
	if (sorter->file == NULL)
		sorter->file = temporary_file();
	if (sorter->file == NULL)
		return temporary_no_room(error);
	sort_memory(sorter);
	for (size_t i = 0; i < sorter->count; i++) {
		const struct line *line = &sorter->lines[i];
		if (fwrite(&line->key, sizeof line->key, 1, sorter->file) != 1 ||
		    fwrite(line->bytes, 1, line->key.size, sorter->file) != line->key.size)
			return temporary_no_room(error);
		end += (off_t)(sizeof line->key + line->key.size);
	}
	if (fflush(sorter->file) != 0)
		return temporary_no_room(error);
	sorter->ends[sorter->run_count++] = end;
	sorter->count = 0;
	sorter->used = 0;
	sorter->has_last = false;
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Drop from memory what is behind as many lines as are wanted. */
static void prune(struct line_sorter *sorter)
{
	const char *last;

	sort_memory(sorter);
	sorter->count = (size_t)sorter->limit;
	last = sorter->lines[sorter->count - 1].bytes;
	qsort(sorter->lines, sorter->count, sizeof *sorter->lines, compare_places);
	sorter->used = 0;
	for (size_t i = 0; i < sorter->count; i++) {
		struct line *line = &sorter->lines[i];
		bool is_last = line->bytes == last;
		memmove(sorter->bytes + sorter->used, line->bytes, line->key.size);
		line->bytes = sorter->bytes + sorter->used;
		sorter->used += line->key.size;
		if (is_last)
			sorter->last = *line;
	}
	sorter->has_last = true;
}

/* Room for a line of so many bytes, unless it alone has more than there may be. */
static int make_room(struct line_sorter *sorter, size_t size, struct simhash_error *error)
{
	bool is_full = sorter->used + size > sorter->capacity;

	if (sorter->limit > 0 && sorter->count > sorter->limit &&
	    (is_full || sorter->count / 2 >= sorter->limit + PRUNED_MIN)) {
		prune(sorter);
		is_full = sorter->used + size > sorter->capacity / 2;
	}
	return is_full && sorter->count > 0 ? spill(sorter, error) : 0;
}

static int add(struct line_sorter *sorter, const struct line_key *key, const char *bytes,
	       struct simhash_error *error)
{
	size_t size = key->size;

	sorter->added++;
	if (sorter->has_last && !comes_before(sorter, &(struct line){*key, bytes}, &sorter->last))
		return 0;
	if (make_room(sorter, size, error) != 0)
		return -1;
	if (array_reserve(&sorter->bytes, &sorter->capacity, size, 1, error) != 0 ||
	    array_reserve(&sorter->lines, &sorter->line_capacity, sorter->count + 1,
			  sizeof *sorter->lines, error) != 0)
		return -1;
	memcpy(sorter->bytes + sorter->used, bytes, size);
	sorter->lines[sorter->count++] = (struct line){*key, sorter->bytes + sorter->used};
	sorter->used += size;
	return 0;
}

int line_sorter_add_all(struct line_sorter *sorter, const char *bytes, const struct line_key *lines,
			size_t count, struct simhash_error *error)
{
	int status = 0;

	pthread_mutex_lock(&sorter->lock);
	for (size_t i = 0; status == 0 && i < count; i++) {
		status = add(sorter, &lines[i], bytes, error);
		bytes += lines[i].size;
	}
	pthread_mutex_unlock(&sorter->lock);
	return status;
}

int line_sorter_add(struct line_sorter *sorter, double key, const char *line, size_t size,
		    struct simhash_error *error)
{
	struct line_key one = {.key = key, .size = size};

	return line_sorter_add_all(sorter, line, &one, 1, error);
}

static int hand_on(const struct line *line, line_fn *each, void *context,
		   struct simhash_error *error)
{
	return each(context, line->bytes + line->key.text, line->key.size - line->key.text, error);
}

/* ---- Merging ---- */

/* A run that is being merged: its present line, which is in the window. */
struct run {
	struct temporary_window window;
	struct line line;
};

struct merge {
	const struct line_sorter *sorter;
	struct run *runs;
	struct heap heap; /* of those that have a line */
};

/* Read a run's next line: 1, 0 at its end, -1. */
static int advance(struct run *run, struct simhash_error *error)
{
	struct temporary_window *window = &run->window;
	struct line_key *key = &run->line.key;
	const void *bytes;

	if (temporary_is_at_end(window))
		return 0;
	bytes = temporary_peek(window, sizeof *key, error);
	if (bytes == NULL)
		return -1;
	memcpy(key, bytes, sizeof *key);
	window->at += sizeof *key;
	run->line.bytes = temporary_peek(window, key->size, error);
	if (run->line.bytes == NULL)
		return -1;
	window->at += key->size;
	return 1;
}

static bool run_comes_before(const void *a, const void *b, const void *sorter)
{
	const struct run *x = a, *y = b;

	return comes_before(sorter, &x->line, &y->line);
}

/* To be released whatever this returns. */
static int merge_begin(struct merge *merge, const struct line_sorter *sorter,
		       struct simhash_error *error)
{
	size_t count = sorter->run_count, room = sorter->budget / count;

	room = room < READ_MIN ? READ_MIN : room > READ_MAX ? READ_MAX : room;
	*merge = (struct merge){.sorter = sorter,
				.runs = calloc(count, sizeof *merge->runs),
				.heap = {.items = calloc(count, sizeof *merge->heap.items)}};
	if (merge->runs == NULL || merge->heap.items == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < count; i++) {
		struct run *run = &merge->runs[i];
		run->window = (struct temporary_window){.file = sorter->file,
							.next = i == 0 ? 0 : sorter->ends[i - 1],
							.end = sorter->ends[i]};
		if (array_reserve(&run->window.buffer, &run->window.capacity, room, 1, error) !=
			    0 ||
		    advance(run, error) != 1) /* no run is empty */
			return -1;
		merge->heap.items[merge->heap.count++] = run;
	}
	heap_make(&merge->heap, run_comes_before, sorter);
	return 0;
}

/* Hand the first line on, and go to the next one. */
static int merge_step(struct merge *merge, line_fn *each, void *context,
		      struct simhash_error *error)
{
	struct run *first = merge->heap.items[0];
	int status;

	if (hand_on(&first->line, each, context, error) != 0)
		return -1;
	status = advance(first, error);
	if (status < 0)
		return -1;
	if (status == 1)
		heap_settle_first(&merge->heap, run_comes_before, merge->sorter);
	else
		heap_remove_first(&merge->heap, run_comes_before, merge->sorter);
	return 0;
}

static void merge_release(struct merge *merge)
{
	for (size_t i = 0; merge->runs != NULL && i < merge->sorter->run_count; i++)
		free(merge->runs[i].window.buffer);
	free(merge->runs);
	free(merge->heap.items);
}

/* What is in memory becomes the last run, so that the runs may take its room. */
static int write_runs(struct line_sorter *sorter, line_fn *each, void *context,
		      struct simhash_error *error)
{
	uint64_t left = sorter->limit > 0 ? sorter->limit : UINT64_MAX;
	struct merge merge;
	int status;

	if (sorter->count > 0 && spill(sorter, error) != 0)
		return -1;
	free_memory(sorter);
	status = merge_begin(&merge, sorter, error);
	while (status == 0 && merge.heap.count > 0 && left-- > 0)
		status = merge_step(&merge, each, context, error);
	merge_release(&merge);
	return status;
}

int line_sorter_write(struct line_sorter *sorter, line_fn *each, void *context,
		      struct simhash_error *error)
{
	if (sorter->run_count > 0)
		return write_runs(sorter, each, context, error);
	sort_memory(sorter);
	for (size_t i = 0; i < sorter->count && (sorter->limit == 0 || i < sorter->limit); i++)
		if (hand_on(&sorter->lines[i], each, context, error) != 0)
			return -1;
	return 0;
}
