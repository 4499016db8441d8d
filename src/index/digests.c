/*
 * From rows to a digest list, and from a list to rows, a part at a time.
 * SPDX-License-Identifier: MIT
 */
#include "index/digests.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/path.h"
#include "scan/digest_reader.h"
#include "scan/digest_text.h"
#include "store/batch.h"
#include "store/file_copy.h"
#include "store/load.h"

#define PART_ROWS 4096

/* ---- To a list ---- */

static bool is_at(const struct file_row *row, struct bytes path)
{
	struct bytes directory = row->directory, name = {row->name.data, own_name_size(row->name)};
	size_t above = directory.size == 1 ? 0 : directory.size;

	return path.size == above + 1 + name.size &&
	       memcmp(path.data, directory.data, above) == 0 && path.data[above] == '/' &&
	       memcmp(path.data + above + 1, name.data, name.size) == 0;
}

static bool is_wanted(const struct digests_export *export, const struct file_row *row)
{
	for (size_t i = 0; i < export->top_count; i++)
		if (path_is_at_or_below(row->directory, export->tops[i]) ||
		    is_at(row, export->tops[i]))
			return true;
	return export->top_count == 0;
}

/* The rows after a path hash, which becomes that of the last one; *rows counts them. */
static int write_part(const struct digests_export *export, struct line_buffer *line,
		      const uint8_t *after, uint8_t last[PATH_HASH_SIZE], size_t *rows,
		      uint64_t *files, struct simhash_error *error)
{
	struct whole_rows whole;
	const struct file_row *row;
	int status = whole_rows_begin(&whole, export->store, &export->scope, after, NULL, PART_ROWS,
				      error);

	for (*rows = 0; status == 0 && (status = whole_rows_next(&whole, &row, error)) == 1;
	     status = 0, ++*rows) {
		memcpy(last, row->path_hash, PATH_HASH_SIZE);
		if (!is_wanted(export, row))
			continue;
		digests_put_row(line, row, export->is_anonymous);
		++*files;
	}
	whole_rows_end(&whole);
	return status;
}

int digests_write(const struct digests_export *export, FILE *out, uint64_t *files,
		  struct simhash_error *error)
{
	struct line_buffer line = {.out = out};
	uint8_t last[PATH_HASH_SIZE];
	const uint8_t *after = NULL;
	size_t rows = PART_ROWS;
	int status = 0;

	*files = 0;
	digests_put_heading(&line, export->tag_set);
	while (status == 0 && rows == PART_ROWS && !ferror(out) && !atomic_load(export->stop)) {
		status = write_part(export, &line, after, last, &rows, files, error);
		after = last;
	}
	line_flush(&line);
	return status;
}

/* ---- From a list ---- */

struct part {
	struct file_row rows[PART_ROWS];
	const struct file_row *chosen[PART_ROWS];
	struct directory_row directories[PART_ROWS];
	struct arena texts;
	size_t count;
};

static int keep_text(struct arena *texts, struct bytes *text, struct simhash_error *error)
{
	char *kept = arena_take(texts, text->size + 1);

	if (kept == NULL)
		return error_set_memory(error);
	memcpy(kept, text->data, text->size);
	text->data = kept;
	return 0;
}

static int keep_row(struct part *part, const struct file_row *row, struct simhash_error *error)
{
	struct file_row *kept = &part->rows[part->count];

	*kept = *row;
	if (keep_text(&part->texts, &kept->directory, error) != 0 ||
	    keep_text(&part->texts, &kept->name, error) != 0 ||
	    keep_text(&part->texts, &kept->extension, error) != 0)
		return -1;
	kept->scanned_at_ns = clock_wall_ns();
	part->chosen[part->count++] = kept;
	return 0;
}

/* Of the same path the last one of the list comes first. */
static int compare_rows(const void *a, const void *b)
{
	const struct file_row *const *x = a, *const *y = b;
	int order = memcmp((*x)->path_hash, (*y)->path_hash, PATH_HASH_SIZE);

	return order != 0 ? order : (*x < *y) - (*x > *y);
}

static int write_rows(const struct digests_import *import, struct part *part, uint64_t *files,
		      struct simhash_error *error)
{
	struct store_batch batch = {.rows = part->chosen};
	int64_t removed;

	qsort(part->chosen, part->count, sizeof *part->chosen, compare_rows);
	for (size_t i = 0; i < part->count; i++) {
		const struct file_row *row = part->chosen[i];
		if (batch.row_count == 0 || memcmp(part->chosen[batch.row_count - 1]->path_hash,
						   row->path_hash, PATH_HASH_SIZE) != 0)
			store_batch_append(&batch, part->directories, row);
	}
	if (batch.row_count > 0 &&
	    store_write(import->store, &import->scope, &batch, &removed, error) != 0)
		return -1;
	*files += batch.row_count;
	part->count = 0;
	arena_clear(&part->texts);
	return 0;
}

static int store_list(const struct digests_import *import, struct part *part, uint64_t *files,
		      struct simhash_error *error)
{
	struct simhash_error later;
	struct file_row row;
	int status = 0;

	while (!atomic_load(import->stop) &&
	       (status = digest_reader_next(import->reader, &row, error)) == 1) {
		status = keep_row(part, &row, error);
		if (status == 0 && part->count == PART_ROWS)
			status = write_rows(import, part, files, error);
		if (status != 0)
			break;
	}
	/* What came before a line that is refused is stored, and the first error is told. */
	if (write_rows(import, part, files, status == 0 ? error : &later) != 0)
		status = -1;
	return status;
}

int digests_store(const struct digests_import *import, uint64_t *files, struct simhash_error *error)
{
	struct part *part = calloc(1, sizeof *part);
	struct simhash_error later;
	int status;

	*files = 0;
	if (part == NULL)
		return error_set_memory(error);
	status = store_begin_load(import->store, error);
	if (status == 0) {
		status = store_list(import, part, files, error);
		if (store_end_load(import->store, status == 0 ? error : &later) != 0)
			status = -1;
	}
	arena_release(&part->texts);
	free(part);
	return status;
}
