/*
 * Writes and reads records of pairs in sequence.
 * SPDX-License-Identifier: MIT
 */
#include "find/groups/pair_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "find/pairs/pairs.h"

#define RECENT_ROWS 65536
#define READ_BYTES ((size_t)256 << 10)

struct recent_row {
	int64_t host;
	uint8_t path_hash[PATH_HASH_SIZE];
	uint32_t number; /* from 1; 0: none */
};

_Static_assert(sizeof(struct pair_record) % 8 == 0, "rows are aligned");

/* ---- Writing ---- */

/* Was this row written recently? Returns its number, or a new one. */
static bool number_row(struct pair_log *log, const struct find_file *file, uint32_t *number)
{
	struct recent_row *recent = &log->recent[pair_file_hash(file) % RECENT_ROWS];
	bool is_known = recent->number != 0 && recent->host == file->host &&
			memcmp(recent->path_hash, file->path_hash, PATH_HASH_SIZE) == 0;

	if (!is_known) {
		recent->host = file->host;
		memcpy(recent->path_hash, file->path_hash, PATH_HASH_SIZE);
		recent->number = ++log->rows;
	}
	*number = recent->number - 1;
	return is_known;
}

static int write_out(struct pair_log *log, struct simhash_error *error)
{
	if (log->file == NULL)
		log->file = temporary_file();
	if (log->file == NULL || fwrite(log->bytes, 1, log->used, log->file) != log->used)
		return temporary_no_room(error);
	log->used = 0;
	return 0;
}

static void write_record(struct pair_log *log, const struct pair_record *record,
			 const struct find_file *const files[2])
{
	char *write = log->bytes + log->used;

	memcpy(write, record, sizeof *record);
	write += sizeof *record;
	for (int i = 0; i < 2; i++) {
		struct packed_row *row = (void *)write;
		if (!record->is_new[i])
			continue;
		packed_row_write(row, files[i]);
		write += row->size;
	}
	log->used += record->size;
	log->size += record->size;
	log->pairs++;
}

int pair_log_add(struct pair_log *log, const struct file_pair *pair, struct simhash_error *error)
{
	const struct find_file *const files[2] = {pair->a, pair->b};
	struct pair_record record = {.size = sizeof record, .relation = pair->relation};
	size_t size = record.size;

	if (log->recent == NULL)
		log->recent = calloc(RECENT_ROWS, sizeof *log->recent);
	if (log->recent == NULL)
		return error_set_memory(error);
	for (int i = 0; i < 2; i++) {
		record.is_new[i] = !number_row(log, files[i], &record.rows[i]);
		size += record.is_new[i] ? packed_row_size(files[i]) : 0;
	}
	if (size > UINT32_MAX || log->rows > UINT32_MAX - 2)
		return error_set_memory(error);
	record.size = (uint32_t)size;
	if ((log->used > 0 && log->used + size > log->budget && write_out(log, error) != 0) ||
	    array_reserve(&log->bytes, &log->capacity, log->used + size, 1, error) != 0)
		return -1;
	write_record(log, &record, files);
	return 0;
}

int pair_log_end(struct pair_log *log, struct simhash_error *error)
{
	free(log->recent);
	log->recent = NULL;
	if (log->file == NULL)
		return 0;
	if (write_out(log, error) != 0)
		return -1;
	free(log->bytes);
	log->bytes = NULL;
	log->capacity = 0;
	return fflush(log->file) == 0 ? 0 : temporary_no_room(error);
}

void pair_log_release(struct pair_log *log)
{
	if (log->file != NULL)
		fclose(log->file);
	free(log->recent);
	free(log->bytes);
	*log = (struct pair_log){.budget = 0};
}

/* ---- Reading ---- */

int pair_log_read(const struct pair_log *log, struct pair_reader *reader,
		  struct simhash_error *error)
{
	return pair_reader_begin(reader, log->bytes, log->file, 0, (off_t)log->size, error);
}

int pair_reader_begin(struct pair_reader *reader, const char *bytes, FILE *file, off_t begin,
		      off_t end, struct simhash_error *error)
{
	*reader = (struct pair_reader){.bytes = bytes,
				       .window = {.file = file, .next = begin, .end = end}};
	return file == NULL ? 0
			    : array_reserve(&reader->window.buffer, &reader->window.capacity,
					    READ_BYTES, 1, error);
}

static const struct pair_record *take_from_memory(struct pair_reader *reader)
{
	const struct pair_record *record = (const void *)(reader->bytes + reader->window.next);

	reader->window.next += record->size;
	return record;
}

/* Returns NULL with the error set. */
static const struct pair_record *take_from_file(struct pair_reader *reader,
						struct simhash_error *error)
{
	struct temporary_window *window = &reader->window;
	const struct pair_record *record = temporary_peek(window, sizeof *record, error);

	if (record != NULL)
		record = temporary_peek(window, record->size, error);
	if (record != NULL)
		window->at += record->size;
	return record;
}

int pair_reader_next(struct pair_reader *reader, struct simhash_error *error)
{
	const struct temporary_window *window = &reader->window;
	const char *row;

	if (temporary_is_at_end(window))
		return 0;
	reader->record = window->file == NULL ? take_from_memory(reader)
					      : take_from_file(reader, error);
	if (reader->record == NULL)
		return -1;
	row = (const char *)(reader->record + 1);
	for (int i = 0; i < 2; i++) {
		reader->rows[i] = reader->record->is_new[i] ? (const void *)row : NULL;
		if (reader->rows[i] != NULL)
			row += reader->rows[i]->size;
	}
	return 1;
}

void pair_reader_release(struct pair_reader *reader)
{
	free(reader->window.buffer);
	*reader = (struct pair_reader){.record = NULL};
}
