/*
 * Finds connected files in the logs, moves their records together, and loads the parts as lists.
 * SPDX-License-Identifier: MIT
 */
#include "find/groups/pair_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/sort/sort.h"

#define WRITE_BYTES ((size_t)32 << 10)
#define PARTS_MAX 512 /* records go to all parts in turn, so each part has a buffer */

/* ---- All logs as one ---- */

/* The records of several logs. Rows are numbered through all logs. */
struct log_walk {
	const struct pair_log *logs;
	unsigned count, next;
	uint32_t base; /* the number of the first row of the current log */
	struct pair_reader reader;
};

static int log_walk_next(struct log_walk *walk, struct simhash_error *error)
{
	int status = walk->next == 0 ? 0 : pair_reader_next(&walk->reader, error);

	while (status == 0 && walk->next < walk->count) {
		if (walk->next > 0)
			walk->base += walk->logs[walk->next - 1].rows;
		pair_reader_release(&walk->reader);
		if (pair_log_read(&walk->logs[walk->next++], &walk->reader, error) != 0)
			return -1;
		status = pair_reader_next(&walk->reader, error);
	}
	return status;
}

/* ---- Connected rows ---- */

/* For each row, by its number. */
struct cutting {
	const struct pair_log *logs;
	unsigned log_count;
	size_t rows;
	uint64_t part_bytes;
	/*
	 * a part of the hash of its content; equal parts of different hashes only connect more rows
	 */
	struct sort_item *contents;
	uint32_t *before; /* a connected row; its own number: it is the first */
	uint64_t *sizes;  /* the size of the records whose first row it is */
	uint32_t *part_of;
};

static uint32_t first_of(uint32_t *before, uint32_t row)
{
	while (before[row] != row)
		row = before[row] = before[before[row]];
	return row;
}

static void connect(uint32_t *before, uint32_t x, uint32_t y)
{
	x = first_of(before, x);
	y = first_of(before, y);
	before[x < y ? y : x] = x < y ? x : y;
}

static void note_content(struct cutting *cutting, uint32_t number, const struct packed_row *row)
{
	struct sort_item *content = &cutting->contents[number];

	memcpy(&content->key, row->content_hash, sizeof content->key);
	content->number = number;
	cutting->before[number] = number;
}

static int connect_pairs(struct cutting *cutting, struct simhash_error *error)
{
	struct log_walk walk = {.logs = cutting->logs, .count = cutting->log_count};
	int status;

	while ((status = log_walk_next(&walk, error)) == 1) {
		const struct pair_record *record = walk.reader.record;
		uint32_t a = walk.base + record->rows[0], b = walk.base + record->rows[1];
		for (int i = 0; i < 2; i++)
			if (walk.reader.rows[i] != NULL)
				note_content(cutting, i == 0 ? a : b, walk.reader.rows[i]);
		cutting->sizes[a] += record->size;
		connect(cutting->before, a, b);
	}
	pair_reader_release(&walk.reader);
	return status;
}

static int connect_contents(struct cutting *cutting, struct simhash_error *error)
{
	const struct sort_item *contents = cutting->contents;
	struct sort_item *scratch = malloc((cutting->rows + 1) * sizeof *scratch);

	if (scratch == NULL)
		return error_set_memory(error);
	sort_items(cutting->contents, scratch, cutting->rows, 64);
	free(scratch);
	for (size_t i = 1; i < cutting->rows; i++)
		if (contents[i].key == contents[i - 1].key)
			connect(cutting->before, (uint32_t)contents[i - 1].number,
				(uint32_t)contents[i].number);
	return 0;
}

/* Reserve space for connected records: in the last part or, if it is full, in a new one. */
static int add_to_parts(struct pair_parts *parts, size_t *capacity, uint64_t size,
			uint64_t part_bytes, struct simhash_error *error)
{
	off_t end = parts->count == 0 ? 0 : parts->ends[parts->count - 1];
	off_t begin = parts->count < 2 ? 0 : parts->ends[parts->count - 2];

	if (parts->count == 0 || (uint64_t)(end - begin) + size > part_bytes) {
		if (array_reserve(&parts->ends, capacity, parts->count + 1, sizeof *parts->ends,
				  error) != 0)
			return -1;
		parts->ends[parts->count++] = end;
	}
	parts->ends[parts->count - 1] += (off_t)size;
	return 0;
}

/* Give each row its part. Records that are found together are stored together. */
static int number_parts(struct cutting *cutting, struct pair_parts *parts,
			struct simhash_error *error)
{
	size_t capacity = 0;

	for (uint32_t row = 0; row < cutting->rows; row++) {
		uint32_t first = first_of(cutting->before, row);
		if (first != row)
			cutting->sizes[first] += cutting->sizes[row];
	}
	for (uint32_t row = 0; row < cutting->rows; row++) {
		uint32_t first = first_of(cutting->before, row);
		if (first == row && add_to_parts(parts, &capacity, cutting->sizes[row],
						 cutting->part_bytes, error) != 0)
			return -1;
		cutting->part_of[row] = first == row ? (uint32_t)parts->count - 1
						     : cutting->part_of[first];
	}
	return 0;
}

static int find_parts(struct cutting *cutting, struct pair_parts *parts,
		      struct simhash_error *error)
{
	size_t rows = cutting->rows + 1;

	cutting->contents = malloc(rows * sizeof *cutting->contents);
	cutting->before = malloc(rows * sizeof *cutting->before);
	cutting->sizes = calloc(rows, sizeof *cutting->sizes);
	if (cutting->contents == NULL || cutting->before == NULL || cutting->sizes == NULL)
		return error_set_memory(error);
	if (connect_pairs(cutting, error) != 0 || connect_contents(cutting, error) != 0)
		return -1;
	free(cutting->contents);
	cutting->contents = NULL;
	cutting->part_of = malloc(rows * sizeof *cutting->part_of);
	if (cutting->part_of == NULL)
		return error_set_memory(error);
	return number_parts(cutting, parts, error);
}

/* ---- Moving records ---- */

/* The records to write to one part. */
struct part_writer {
	char *bytes;
	size_t used;
	off_t next;
};

static int write_out(struct part_writer *writer, FILE *file, struct simhash_error *error)
{
	if (temporary_write_at(file, writer->bytes, writer->used, writer->next, error) != 0)
		return -1;
	writer->next += (off_t)writer->used;
	writer->used = 0;
	return 0;
}

static int write_bytes(struct part_writer *writer, FILE *file, const void *bytes, size_t size,
		       struct simhash_error *error)
{
	const char *read = bytes;

	while (size > 0) {
		size_t room = WRITE_BYTES - writer->used, part = size < room ? size : room;
		memcpy(writer->bytes + writer->used, read, part);
		writer->used += part;
		read += part;
		size -= part;
		if (writer->used == WRITE_BYTES && write_out(writer, file, error) != 0)
			return -1;
	}
	return 0;
}

static int move_records(const struct cutting *cutting, struct pair_parts *parts,
			struct part_writer *writers, struct simhash_error *error)
{
	struct log_walk walk = {.logs = cutting->logs, .count = cutting->log_count};
	int status;

	while ((status = log_walk_next(&walk, error)) == 1) {
		struct pair_record record = *walk.reader.record;
		struct part_writer *writer;
		record.rows[0] += walk.base;
		record.rows[1] += walk.base;
		writer = &writers[cutting->part_of[record.rows[0]]];
		if (write_bytes(writer, parts->file, &record, sizeof record, error) != 0 ||
		    write_bytes(writer, parts->file, walk.reader.record + 1,
				record.size - sizeof record, error) != 0) {
			status = -1;
			break;
		}
	}
	pair_reader_release(&walk.reader);
	for (size_t i = 0; status == 0 && i < parts->count; i++)
		status = write_out(&writers[i], parts->file, error);
	return status;
}

static int write_parts(const struct cutting *cutting, struct pair_parts *parts,
		       struct simhash_error *error)
{
	struct part_writer *writers = calloc(parts->count, sizeof *writers);
	char *bytes = malloc(parts->count * WRITE_BYTES);
	int status = writers == NULL || bytes == NULL ? error_set_memory(error) : 0;

	if (status == 0 && (parts->file = temporary_file()) == NULL)
		status = temporary_no_room(error);
	for (size_t i = 0; status == 0 && i < parts->count; i++)
		writers[i] = (struct part_writer){.bytes = bytes + i * WRITE_BYTES,
						  .next = i == 0 ? 0 : parts->ends[i - 1]};
	if (status == 0)
		status = move_records(cutting, parts, writers, error);
	free(bytes);
	free(writers);
	return status;
}

/* ---- All parts ---- */

static void release_logs(struct pair_parts *parts)
{
	for (unsigned i = 0; i < parts->log_count; i++)
		pair_log_release(&parts->logs[i]);
	free(parts->logs);
	parts->logs = NULL;
	parts->log_count = 0;
}

static int cut(struct pair_parts *parts, size_t rows, size_t part_bytes,
	       struct simhash_error *error)
{
	struct cutting cutting = {.logs = parts->logs,
				  .log_count = parts->log_count,
				  .rows = rows,
				  .part_bytes = part_bytes};
	uint64_t size = 0;
	int status;

	for (unsigned i = 0; i < parts->log_count; i++)
		size += parts->logs[i].size;
	if (cutting.part_bytes < size / PARTS_MAX)
		cutting.part_bytes = size / PARTS_MAX;
	status = find_parts(&cutting, parts, error);

	free(cutting.contents);
	free(cutting.before);
	free(cutting.sizes);
	if (status == 0)
		status = write_parts(&cutting, parts, error);
	free(cutting.part_of);
	release_logs(parts);
	return status;
}

int pair_parts_make(struct pair_parts *parts, struct pair_log *logs, unsigned log_count,
		    size_t part_bytes, struct simhash_error *error)
{
	size_t rows = 0;
	bool is_in_memory = true;

	*parts = (struct pair_parts){.logs = logs, .log_count = log_count};
	for (unsigned i = 0; i < log_count; i++) {
		rows += logs[i].rows;
		is_in_memory = is_in_memory && logs[i].file == NULL;
	}
	if (is_in_memory)
		parts->count = 1;
	else if (rows >= UINT32_MAX)
		return error_set(error, SIMHASH_E_RANGE, "too many files are in pairs");
	return is_in_memory ? 0 : cut(parts, rows, part_bytes, error);
}

void pair_parts_release(struct pair_parts *parts)
{
	release_logs(parts);
	if (parts->file != NULL)
		fclose(parts->file);
	free(parts->ends);
	*parts = (struct pair_parts){.count = 0};
}

/* ---- Loading ---- */

/* A row that is in the list. */
struct kept_row {
	uint32_t number;
	const struct find_file *file;
};

struct loading {
	struct pair_list *list;
	struct kept_row *rows; /* sorted by number */
	size_t count, capacity;
};

static int compare_kept(const void *a, const void *b)
{
	const struct kept_row *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static const struct find_file *find_kept(const struct loading *loading, uint32_t number)
{
	const struct kept_row key = {.number = number};
	const struct kept_row *found =
		bsearch(&key, loading->rows, loading->count, sizeof *loading->rows, compare_kept);

	return found->file;
}

static int load_record(struct loading *loading, const struct pair_reader *reader, uint32_t base,
		       struct simhash_error *error)
{
	const struct pair_record *record = reader->record;
	struct find_file read[2];
	const struct find_file *files[2];
	struct file_pair pair = {.relation = record->relation};

	for (int i = 0; i < 2; i++) {
		if (reader->rows[i] != NULL)
			packed_row_read(reader->rows[i], &read[i]);
		files[i] = reader->rows[i] != NULL ? &read[i]
						   : find_kept(loading, base + record->rows[i]);
	}
	pair.a = files[0];
	pair.b = files[1];
	if (pair_list_append(loading->list, &pair, error) != 0 ||
	    array_reserve(&loading->rows, &loading->capacity, loading->count + 2,
			  sizeof *loading->rows, error) != 0)
		return -1;
	pair = loading->list->pairs[loading->list->count - 1];
	for (int i = 0; i < 2; i++)
		if (reader->rows[i] != NULL)
			loading->rows[loading->count++] =
				(struct kept_row){base + record->rows[i], i == 0 ? pair.a : pair.b};
	return 0;
}

static int load_logs(struct loading *loading, const struct pair_parts *parts,
		     struct simhash_error *error)
{
	struct log_walk walk = {.logs = parts->logs, .count = parts->log_count};
	int status;

	while ((status = log_walk_next(&walk, error)) == 1)
		if (load_record(loading, &walk.reader, walk.base, error) != 0) {
			status = -1;
			break;
		}
	pair_reader_release(&walk.reader);
	return status;
}

static int load_part(struct loading *loading, const struct pair_parts *parts, size_t number,
		     struct simhash_error *error)
{
	struct pair_reader reader;
	int status = pair_reader_begin(&reader, NULL, parts->file,
				       number == 0 ? 0 : parts->ends[number - 1],
				       parts->ends[number], error);

	while (status == 0 && (status = pair_reader_next(&reader, error)) == 1)
		status = load_record(loading, &reader, 0, error);
	pair_reader_release(&reader);
	return status;
}

int pair_parts_load(const struct pair_parts *parts, size_t number, struct pair_list *list,
		    struct simhash_error *error)
{
	struct loading loading = {.list = list};
	int status = parts->file == NULL ? load_logs(&loading, parts, error)
					 : load_part(&loading, parts, number, error);

	free(loading.rows);
	pair_list_end(list);
	return status;
}
