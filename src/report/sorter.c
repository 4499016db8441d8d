/*
 * Runs of sorted lines, merged. A run in a file is a sequence of key, size, bytes.
 * SPDX-License-Identifier: MIT
 */
#include "report/sorter.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"

struct line {
	double key;
	size_t size;
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

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	order = memcmp(x->bytes, y->bytes, x->size < y->size ? x->size : y->size);
	return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

static const char *temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder == NULL || folder[0] == '\0' ? "/tmp" : folder;
}

static int no_room(struct simhash_error *error)
{
	return error_set_errno(error, "cannot write a temporary file in %s", temporary_folder());
}

static int cannot_read(struct simhash_error *error)
{
	return error_set_errno(error, "cannot read a temporary file in %s", temporary_folder());
}

/* $TMPDIR is where they go, as for other programs; tmpfile() does not look at it. */
static FILE *temporary_file(void)
{
	char *name;
	FILE *file = NULL;
	int fd;

	if (asprintf(&name, "%s/simfind.XXXXXX", temporary_folder()) < 0)
		return NULL;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0) {
		unlink(name);
		file = fdopen(fd, "w+b");
	}
	free(name);
	return file;
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
		qsort(sorter->lines, sorter->count, sizeof *sorter->lines, compare_lines);
}

/* Move what is in memory to a file. */
static int spill(struct line_sorter *sorter, struct simhash_error *error)
{
	FILE *file = temporary_file();

	if (file == NULL)
		return no_room(error);
	sort_memory(sorter);
	for (size_t i = 0; i < sorter->count; i++) {
		const struct line *line = &sorter->lines[i];
		fwrite(&line->key, sizeof line->key, 1, file);
		fwrite(&line->size, sizeof line->size, 1, file);
		fwrite(line->bytes, 1, line->size, file);
	}
	if (fflush(file) != 0 || ferror(file) || fseeko(file, 0, SEEK_SET) != 0) {
		no_room(error);
		fclose(file);
		return -1;
	}
	sorter->count = 0;
	sorter->used = 0;
	return add_run(sorter, file, error);
}

static int add(struct line_sorter *sorter, double key, const char *bytes, size_t size,
	       struct simhash_error *error)
{
	if (sorter->used + size > sorter->capacity && sorter->count > 0 &&
	    spill(sorter, error) != 0)
		return -1;
	if (array_reserve(&sorter->bytes, &sorter->capacity, size, 1, error) != 0 ||
	    array_reserve(&sorter->lines, &sorter->line_capacity, sorter->count + 1,
			  sizeof *sorter->lines, error) != 0)
		return -1;
	memcpy(sorter->bytes + sorter->used, bytes, size);
	sorter->lines[sorter->count++] = (struct line){key, size, sorter->bytes + sorter->used};
	sorter->used += size;
	return 0;
}

int line_sorter_add_all(struct line_sorter *sorter, const char *bytes, const struct line_key *lines,
			size_t count, struct simhash_error *error)
{
	int status = 0;

	pthread_mutex_lock(&sorter->lock);
	for (size_t i = 0; status == 0 && i < count; i++) {
		status = add(sorter, lines[i].key, bytes, lines[i].size, error);
		bytes += lines[i].size;
	}
	pthread_mutex_unlock(&sorter->lock);
	return status;
}

int line_sorter_add(struct line_sorter *sorter, double key, const char *line, size_t size,
		    struct simhash_error *error)
{
	struct line_key one = {key, size};

	return line_sorter_add_all(sorter, line, &one, 1, error);
}

/* Read a run's next line: 1, 0 at its end, -1. */
static int advance(struct run *run, struct simhash_error *error)
{
	if (fread(&run->line.key, sizeof run->line.key, 1, run->file) != 1)
		return ferror(run->file) ? cannot_read(error) : 0;
	if (fread(&run->line.size, sizeof run->line.size, 1, run->file) != 1)
		return cannot_read(error);
	if (array_reserve(&run->buffer, &run->capacity, run->line.size, 1, error) != 0)
		return -1;
	run->line.bytes = run->buffer;
	if (fread(run->buffer, 1, run->line.size, run->file) != run->line.size)
		return cannot_read(error);
	return 1;
}

/* Move the run at `at` down to where it belongs among those above it; a heap. */
static void sift(struct run *runs, size_t count, size_t at)
{
	for (;;) {
		size_t first = at, child = 2 * at + 1;
		struct run swapped;
		for (size_t c = child; c < child + 2 && c < count; c++)
			if (compare_lines(&runs[c].line, &runs[first].line) < 0)
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

static int merge(struct line_sorter *sorter, line_fn *each, void *context,
		 struct simhash_error *error)
{
	struct run *runs = sorter->runs;
	int status;

	for (size_t i = sorter->run_count; i-- > 0;) {
		status = advance(&runs[i], error);
		if (status < 0)
			return -1;
		if (status == 0)
			drop_run(sorter, i);
	}
	for (size_t i = sorter->run_count; i-- > 0;)
		sift(runs, sorter->run_count, i);
	while (sorter->run_count > 0) {
		if (each(context, runs[0].line.bytes, runs[0].line.size, error) != 0)
			return -1;
		status = advance(&runs[0], error);
		if (status < 0)
			return -1;
		if (status == 0)
			drop_run(sorter, 0);
		sift(runs, sorter->run_count, 0);
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
	for (size_t i = 0; i < sorter->count; i++)
		if (each(context, sorter->lines[i].bytes, sorter->lines[i].size, error) != 0)
			return -1;
	return 0;
}
