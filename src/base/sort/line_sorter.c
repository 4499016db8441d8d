/*
 * Sorts lines in two buffers in memory and writes full buffers to a file as runs. A line is stored
 * as one text whose byte order is the order of the lines: its key, the text before it, the second
 * key, and the line. While one thread sorts a full buffer and writes it as a run, other threads
 * fill the second buffer. With a limit, lines that cannot be among the first are dropped from
 * memory before they make a run.
 * SPDX-License-Identifier: MIT
 */
#include "base/sort/line_sorter.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/byte_order.h"
#include "base/basic/error.h"
#include "base/sort/runs.h"

#define KEY_BYTES 8
#define PRUNED_MIN 1024 /* the least number of lines worth pruning, for a low limit */

/* The header of a line's text, in memory and in the file. */
struct head {
	/* `size` bytes of text, which begin with `text` bytes that are only for sorting */
	uint32_t text, size;
};

/* Lines at the front of the memory, and the place of each line at the back. */
struct buffer {
	char *bytes; /* NULL until it is needed */
	size_t capacity, used, count;
};

struct line_sorter {
	pthread_mutex_t lock;
	pthread_cond_t is_written;
	size_t budget; /* bytes of a buffer */
	struct buffer filling, spare;
	bool spare_is_away; /* a thread sorts it */
	struct runs runs;   /* runs in the file; one thread uses it at a time */
	bool reverse;
	uint64_t limit, added; /* limit 0: no limit */
	/*
	 * With a limit: the place of the last line in memory that is needed. Later lines are
	 * dropped.
	 */
	size_t last;
	bool has_last;
};

/* A buffer takes 9 of 20 parts of the memory: two buffers, and room to sort the places of one. */
#define BUFFER_PARTS 9

int line_sorter_new(size_t memory_bytes, struct line_sorter **sorter, struct simhash_error *error)
{
	*sorter = calloc(1, sizeof **sorter);
	if (*sorter == NULL)
		return error_set_memory(error);
	pthread_mutex_init(&(*sorter)->lock, NULL);
	pthread_cond_init(&(*sorter)->is_written, NULL);
	(*sorter)->budget = memory_bytes / 20 * BUFFER_PARTS;
	return 0;
}

void line_sorter_free(struct line_sorter *sorter)
{
	if (sorter == NULL)
		return;
	runs_release(&sorter->runs);
	free(sorter->filling.bytes);
	free(sorter->spare.bytes);
	pthread_cond_destroy(&sorter->is_written);
	pthread_mutex_destroy(&sorter->lock);
	free(sorter);
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

/* ---- Lines as texts ---- */

/* Write a key as bytes of the same order. */
static char *put_key(char *at, double key)
{
	write_big_endian((uint8_t *)at, KEY_BYTES, sort_number(key));
	return at + KEY_BYTES;
}

static char *put(char *at, const char *bytes, size_t size)
{
	memcpy(at, bytes, size);
	return at + size;
}

static size_t size_of(const struct line_key *key)
{
	return sizeof(struct head) + 2 * KEY_BYTES + key->size;
}

static void put_line(char *at, const struct line_key *key, const char *bytes)
{
	const struct head head = {(uint32_t)(KEY_BYTES + key->text),
				  (uint32_t)(2 * KEY_BYTES + key->size)};

	at = put(at, (const char *)&head, sizeof head);
	at = put_key(at, key->key);
	at = put(at, bytes, key->text);
	at = put_key(at, key->then);
	put(at, bytes + key->text, key->size - key->text);
}

static struct head head_at(const char *at)
{
	struct head head;

	memcpy(&head, at, sizeof head);
	return head;
}

static struct bytes text_at(const char *at)
{
	return (struct bytes){at + sizeof(struct head), head_at(at).size};
}

static struct bytes text_of(uint64_t place, const void *bytes)
{
	return text_at((const char *)bytes + place);
}

static bool comes_before(const struct line_sorter *sorter, struct bytes x, struct bytes y)
{
	int order = bytes_compare(x, y);

	return sorter->reverse ? order > 0 : order < 0;
}

/* ---- Buffers ---- */

/* Return the places of the lines, in the opposite order of their addition. */
static struct sort_item *items_of(const struct buffer *buffer)
{
	return (struct sort_item *)(void *)(buffer->bytes + buffer->capacity) - buffer->count;
}

static size_t room_in(const struct buffer *buffer)
{
	return buffer->capacity - buffer->used - buffer->count * sizeof(struct sort_item);
}

/* Enlarge an empty buffer for a line of `size` bytes if necessary. */
static int make_buffer(struct buffer *buffer, size_t budget, size_t size,
		       struct simhash_error *error)
{
	size_t item = sizeof(struct sort_item), capacity = size + 2 * item;

	if (capacity < budget)
		capacity = budget;
	capacity = capacity / item * item; /* aligns the places of lines */
	if (buffer->capacity >= capacity)
		return 0;
	free(buffer->bytes);
	*buffer = (struct buffer){.bytes = malloc(capacity)};
	if (buffer->bytes == NULL)
		return error_set_memory(error);
	buffer->capacity = capacity;
	return 0;
}

static void append(struct buffer *buffer, const struct line_key *key, const char *bytes)
{
	size_t place = buffer->used;

	put_line(buffer->bytes + place, key, bytes);
	buffer->used += size_of(key);
	buffer->count++;
	*items_of(buffer) = (struct sort_item){.number = place};
}

static int sort_buffer(const struct line_sorter *sorter, const struct buffer *buffer,
		       struct simhash_error *error)
{
	struct sort_item *items = items_of(buffer);
	struct sort_item *scratch = malloc((buffer->count + 1) * sizeof *scratch);

	if (scratch == NULL)
		return error_set_memory(error);
	sort_texts(items, scratch, buffer->count, text_of, buffer->bytes);
	free(scratch);
	for (size_t i = 0; sorter->reverse && i < buffer->count / 2; i++) {
		struct sort_item swapped = items[i];
		items[i] = items[buffer->count - 1 - i];
		items[buffer->count - 1 - i] = swapped;
	}
	return 0;
}

/* ---- Runs ---- */

static size_t line_size(const void *at)
{
	return sizeof(struct head) + head_at(at).size;
}

static int write_run(struct runs *runs, const struct buffer *buffer, struct simhash_error *error)
{
	const struct sort_item *items = items_of(buffer);

	for (size_t i = 0; i < buffer->count; i++) {
		const char *line = buffer->bytes + items[i].number;
		if (runs_put(runs, line, line_size(line), error) != 0)
			return -1;
	}
	return runs_end_put(runs, error);
}

/*
 * Sort the full buffer and write it to the file as a run. The caller holds the lock. The lock is
 * released meanwhile, and other threads fill the second buffer.
 */
static int spill(struct line_sorter *sorter, struct simhash_error *error)
{
	struct buffer full = sorter->filling;
	int status;

	sorter->filling = sorter->spare;
	sorter->spare = (struct buffer){.bytes = NULL};
	sorter->spare_is_away = true;
	sorter->has_last = false;
	pthread_mutex_unlock(&sorter->lock);
	status = sort_buffer(sorter, &full, error);
	if (status == 0)
		status = write_run(&sorter->runs, &full, error);
	full.used = full.count = 0;
	pthread_mutex_lock(&sorter->lock);
	sorter->spare = full;
	sorter->spare_is_away = false;
	pthread_cond_broadcast(&sorter->is_written);
	return status;
}

/* ---- Adding ---- */

/* Sort the lines in memory and keep the first `limit`. */
static int prune(struct line_sorter *sorter, struct simhash_error *error)
{
	struct buffer *buffer = &sorter->filling;
	struct sort_item *items = items_of(buffer), *kept;
	size_t count = (size_t)sorter->limit, last;

	if (sort_buffer(sorter, buffer, error) != 0)
		return -1;
	last = (size_t)items[count - 1].number;
	kept = malloc(2 * count * sizeof *kept);
	if (kept == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < count; i++)
		kept[i] = (struct sort_item){items[i].number, items[i].number};
	sort_items(kept, kept + count, count, 64); /* sorted by place */
	buffer->used = 0;
	buffer->count = count;
	for (size_t i = 0; i < count; i++) {
		const char *line = buffer->bytes + kept[i].number;
		size_t size = line_size(line);
		if (kept[i].number == last)
			sorter->last = buffer->used;
		memmove(buffer->bytes + buffer->used, line, size);
		items_of(buffer)[i] = (struct sort_item){.number = buffer->used};
		buffer->used += size;
	}
	free(kept);
	sorter->has_last = true;
	return 0;
}

/* Is the last added line unnecessary, because enough lines come before it? */
static bool is_behind_last(const struct line_sorter *sorter)
{
	const struct buffer *buffer = &sorter->filling;

	return sorter->has_last &&
	       !comes_before(sorter, text_at(buffer->bytes + items_of(buffer)->number),
			     text_at(buffer->bytes + sorter->last));
}

/*
 * Make room for a line of `size` bytes and its place. A larger line gets an empty buffer of its
 * size.
 */
static int make_room(struct line_sorter *sorter, size_t size, struct simhash_error *error)
{
	const struct buffer *filling = &sorter->filling;
	bool is_full = room_in(filling) < size;

	if (sorter->limit > 0 && filling->count > sorter->limit &&
	    (is_full || filling->count / 2 >= sorter->limit + PRUNED_MIN)) {
		if (prune(sorter, error) != 0)
			return -1;
		is_full = room_in(filling) < size + filling->capacity / 2;
	}
	while (is_full && filling->count > 0) {
		if (sorter->spare_is_away) {
			pthread_cond_wait(&sorter->is_written, &sorter->lock);
			is_full = room_in(filling) < size;
			continue;
		}
		return spill(sorter, error) != 0 ? -1 : make_room(sorter, size, error);
	}
	return filling->count > 0 ? 0 : make_buffer(&sorter->filling, sorter->budget, size, error);
}

static int add(struct line_sorter *sorter, const struct line_key *key, const char *bytes,
	       struct simhash_error *error)
{
	struct buffer *buffer = &sorter->filling;
	size_t size = size_of(key);

	sorter->added++;
	if (key->size >= UINT32_MAX || size > UINT32_MAX)
		return error_set_memory(error);
	if (make_room(sorter, size + sizeof(struct sort_item), error) != 0)
		return -1;
	append(buffer, key, bytes);
	if (is_behind_last(sorter)) {
		buffer->used -= size;
		buffer->count--;
	}
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

/* ---- Merging ---- */

static int hand_on(const char *at, line_fn *each, void *context, struct simhash_error *error)
{
	struct head head = head_at(at);
	size_t before = (size_t)head.text + KEY_BYTES;

	return each(context, at + sizeof head + before, head.size - before, error);
}

static bool run_comes_before(const void *a, const void *b, const void *sorter)
{
	const struct run_reader *x = a, *y = b;

	return comes_before(sorter, text_at(x->record), text_at(y->record));
}

static int step(struct run_reader *reader, struct simhash_error *error)
{
	return run_reader_step(reader, sizeof(struct head), line_size, error);
}

/* Write the lines in memory as the last run, so that reading the runs can use their memory. */
static int spill_rest(struct line_sorter *sorter, struct simhash_error *error)
{
	int status = 0;

	pthread_mutex_lock(&sorter->lock);
	if (sorter->filling.count > 0)
		status = spill(sorter, error);
	pthread_mutex_unlock(&sorter->lock);
	free(sorter->filling.bytes);
	free(sorter->spare.bytes);
	sorter->filling = sorter->spare = (struct buffer){.bytes = NULL};
	return status == 0 ? runs_spill(&sorter->runs, error) : status;
}

static int write_runs(struct line_sorter *sorter, line_fn *each, void *context,
		      struct simhash_error *error)
{
	uint64_t left = sorter->limit > 0 ? sorter->limit : UINT64_MAX;
	struct run_cursor cursor;
	int status;

	if (spill_rest(sorter, error) != 0)
		return -1;
	status = run_cursor_open(&cursor, &sorter->runs, sorter->budget, error);
	if (status == 0)
		status = run_cursor_start(&cursor, step, run_comes_before, sorter, error);
	while (status == 0 && left-- > 0) {
		status = run_cursor_next(&cursor, step, run_comes_before, sorter, error);
		if (status != 1)
			break;
		status = hand_on(run_cursor_first(&cursor)->record, each, context, error) != 0 ? -1
											       : 0;
	}
	run_cursor_close(&cursor);
	return status;
}

int line_sorter_write(struct line_sorter *sorter, line_fn *each, void *context,
		      struct simhash_error *error)
{
	const struct buffer *buffer = &sorter->filling;
	const struct sort_item *items;

	if (sorter->runs.spilled > 0)
		return write_runs(sorter, each, context, error);
	if (buffer->count == 0)
		return 0;
	if (sort_buffer(sorter, buffer, error) != 0)
		return -1;
	items = items_of(buffer);
	for (size_t i = 0; i < buffer->count && (sorter->limit == 0 || i < sorter->limit); i++)
		if (hand_on(buffer->bytes + items[i].number, each, context, error) != 0)
			return -1;
	return 0;
}
