/*
 * Runs of sorted lines, merged. A run in a file is a sequence of key and bytes. With a limit, lines
 * that are behind so many others are dropped from memory before they make a run.
 * SPDX-License-Identifier: MIT
 */
#include "base/line_sorter.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/temporary.h"

#define PRUNED_MIN 1024 /* with a low limit, sorting is not worth it for fewer */

struct line {
	struct line_key key;
	const char *bytes;
};

/* A run that is being merged: its present line, from memory or from a file. */
struct run {
	FILE *file;
	struct line line;
	char *buffer;
	size_t capacity;
};

struct line_sorter {
	pthread_mutex_t lock;
	char *bytes; /* of all lines in memory */
	size_t used, capacity;
	struct line *lines;
	size_t count, line_capacity;
	struct run *runs;
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
	(*sorter)->capacity = memory_bytes;
	(*sorter)->bytes = malloc(memory_bytes);
	if ((*sorter)->bytes != NULL)
		return 0;
	line_sorter_free(*sorter);
	*sorter = NULL;
	return error_set_memory(error);
}

void line_sorter_free(struct line_sorter *sorter)
{
	if (sorter == NULL)
		return;
	for (size_t i = 0; i < sorter->run_count; i++) {
		if (sorter->runs[i].file != NULL)
			fclose(sorter->runs[i].file);
		free(sorter->runs[i].buffer);
	}
	free(sorter->runs);
	free(sorter->lines);
	free(sorter->bytes);
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

static int add_run(struct line_sorter *sorter, FILE *file, struct simhash_error *error)
{
	if (array_reserve(&sorter->runs, &sorter->run_capacity, sorter->run_count + 1,
			  sizeof *sorter->runs, error) != 0) {
		fclose(file);
		return -1;
	}
	sorter->runs[sorter->run_count++] = (struct run){.file = file};
	return 0;
}

static void sort_memory(struct line_sorter *sorter)
{
	if (sorter->count > 0)
		qsort(sorter->lines, sorter->count, sizeof *sorter->lines,
		      sorter->reverse ? compare_reversed : compare_lines);
}

/* Move what is in memory to a file. */
static int spill(struct line_sorter *sorter, struct simhash_error *error)
{
	FILE *file = temporary_file();

	if (file == NULL)
		return temporary_no_room(error);
	sort_memory(sorter);
	for (size_t i = 0; i < sorter->count; i++) {
		const struct line *line = &sorter->lines[i];
		fwrite(&line->key, sizeof line->key, 1, file);
		fwrite(line->bytes, 1, line->key.size, file);
	}
	if (fflush(file) != 0 || ferror(file) || fseeko(file, 0, SEEK_SET) != 0) {
		temporary_no_room(error);
		fclose(file);
		return -1;
	}
	sorter->count = 0;
	sorter->used = 0;
	sorter->has_last = false;
	return add_run(sorter, file, error);
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

/* Read a run's next line: 1, 0 at its end, -1. */
static int advance(struct run *run, struct simhash_error *error)
{
	if (fread(&run->line.key, sizeof run->line.key, 1, run->file) != 1)
		return ferror(run->file) ? temporary_unreadable(error) : 0;
	if (array_reserve(&run->buffer, &run->capacity, run->line.key.size, 1, error) != 0)
		return -1;
	run->line.bytes = run->buffer;
	if (fread(run->buffer, 1, run->line.key.size, run->file) != run->line.key.size)
		return temporary_unreadable(error);
	return 1;
}

/* Move the run at `at` down to where it belongs among those above it; a heap. */
static void sift(struct line_sorter *sorter, size_t at)
{
	struct run *runs = sorter->runs;
	size_t count = sorter->run_count;

	for (;;) {
		size_t first = at, child = 2 * at + 1;
		struct run swapped;
		for (size_t c = child; c < child + 2 && c < count; c++)
			if (comes_before(sorter, &runs[c].line, &runs[first].line))
				first = c;
		if (first == at)
			return;
		swapped = runs[at];
		runs[at] = runs[first];
		runs[first] = swapped;
		at = first;
	}
}

static void drop_run(struct line_sorter *sorter, size_t at)
{
	fclose(sorter->runs[at].file);
	free(sorter->runs[at].buffer);
	sorter->runs[at] = sorter->runs[--sorter->run_count];
}

static int hand_on(const struct line *line, line_fn *each, void *context,
		   struct simhash_error *error)
{
	return each(context, line->bytes + line->key.text, line->key.size - line->key.text, error);
}

static int merge(struct line_sorter *sorter, line_fn *each, void *context,
		 struct simhash_error *error)
{
	struct run *runs = sorter->runs;
	uint64_t left = sorter->limit > 0 ? sorter->limit : UINT64_MAX;
	int status;

	for (size_t i = sorter->run_count; i-- > 0;) {
		status = advance(&runs[i], error);
		if (status < 0)
			return -1;
		if (status == 0)
			drop_run(sorter, i);
	}
	for (size_t i = sorter->run_count; i-- > 0;)
		sift(sorter, i);
	while (sorter->run_count > 0 && left-- > 0) {
		if (hand_on(&runs[0].line, each, context, error) != 0)
			return -1;
		status = advance(&runs[0], error);
		if (status < 0)
			return -1;
		if (status == 0)
			drop_run(sorter, 0);
		sift(sorter, 0);
	}
	return 0;
}

int line_sorter_write(struct line_sorter *sorter, line_fn *each, void *context,
		      struct simhash_error *error)
{
	if (sorter->run_count > 0) {
		if (sorter->count > 0 && spill(sorter, error) != 0)
			return -1;
		return merge(sorter, each, context, error);
	}
	sort_memory(sorter);
	for (size_t i = 0; i < sorter->count && (sorter->limit == 0 || i < sorter->limit); i++)
		if (hand_on(&sorter->lines[i], each, context, error) != 0)
			return -1;
	return 0;
}
