/*
 * Writes rows as a digest list, one part after another, with the hashes that the index has.
 * SPDX-License-Identifier: MIT
 */
#include "transfer/digests.h"

#include <string.h>

#include "base/basic/error.h"
#include "base/files/path.h"
#include "lists/digest_text.h"
#include "store/names/names.h"
#include "store/rows/piece_rows.h"
#include "store/rows/sketch_copy.h"
#include "transfer/row_part.h"

static bool is_wanted(const struct digests_export *export, const struct file_row *row)
{
	for (size_t i = 0; i < export->top_count; i++)
		if (row_is_below(row->directory, row->name, export->tops[i]) ||
		    row_is_at(row->directory, row->name, export->tops[i]))
			return true;
	return export->top_count == 0;
}

/* ---- Hashes ---- */

/* Find the kinds of hashes that the index has: a bit for each kind, and the ids of the measures. */
static int find_hashes(struct store *store, unsigned *hashes, int64_t ids[FILE_HASHES],
		       struct simhash_error *error)
{
	*hashes = 0;
	for (unsigned i = 0; i < FILE_HASHES; i++) {
		if (store_measure_id(store, file_hash_names[i], false, &ids[i], error) != 0)
			return -1;
		*hashes |= ids[i] == 0 ? 0 : 1U << i;
	}
	return 0;
}

/* Make room for the hashes of a row, which are unknown at first. */
static int make_places(struct file_row *row, unsigned hashes, struct simhash_error *error)
{
	row->sketches = row_sketches_new(FILE_HASHES * FILE_HASH_SIZE_MAX);
	if (row->sketches == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < FILE_HASHES; i++)
		if ((hashes & 1U << i) != 0)
			row_sketches_add_hash(row->sketches, (enum file_hash)i, NULL);
	return 0;
}

static void take_hash(struct file_row *row, const struct stored_sketch *sketch,
		      const int64_t ids[FILE_HASHES])
{
	unsigned place = 0, i = 0;
	uint8_t *bytes;

	for (; i < FILE_HASHES && ids[i] != sketch->measure; i++)
		place += ids[i] != 0;
	if (i == FILE_HASHES || sketch->value.size != file_hash_size((enum file_hash)i) ||
	    memcmp(row->content_hash, sketch->content_hash, CONTENT_HASH_SIZE) != 0)
		return;
	bytes = row->sketches->bytes + place * FILE_HASH_SIZE_MAX;
	memcpy(bytes, sketch->value.data, sketch->value.size);
	row->sketches->sketch[place].value =
		(struct bytes){(const char *)bytes, sketch->value.size};
}

/* Add the known hashes to the rows of a part. The part begins after a path hash. */
static int read_hashes(const struct digests_export *export, struct row_part *part,
		       const uint8_t *after, unsigned hashes, const int64_t ids[FILE_HASHES],
		       struct simhash_error *error)
{
	struct stored_sketches sketches;
	struct stored_sketch sketch;
	size_t at = 0;
	int status = 0;

	if (hashes == 0 || part->count == 0)
		return 0;
	for (size_t i = 0; i < part->count; i++)
		if (make_places(&part->rows[i], hashes, error) != 0)
			return -1;
	status = stored_sketches_begin(&sketches, export->store, &export->scope, after,
				       part->rows[part->count - 1].path_hash, error);
	while (status == 0 && (status = stored_sketches_next(&sketches, &sketch, error)) == 1) {
		while (at + 1 < part->count &&
		       memcmp(part->rows[at].path_hash, sketch.path_hash, PATH_HASH_SIZE) < 0)
			at++;
		if (memcmp(part->rows[at].path_hash, sketch.path_hash, PATH_HASH_SIZE) == 0)
			take_hash(&part->rows[at], &sketch, ids);
		status = 0;
	}
	stored_sketches_end(&sketches);
	return status;
}

/* ---- The list ---- */

/* Write the line of a row, with the pieces of its content. */
static int write_row(const struct digests_export *export, const struct file_row *row,
		     unsigned hashes, struct line_buffer *line, struct simhash_error *error)
{
	struct piece_row pieces;
	struct query query = {.statement = NULL};
	int found = 0;

	piece_row_of(row, &pieces);
	if (row->pieces_made != 0)
		found = piece_rows_find(&query, export->store, export->scope.tag_set, &pieces,
					error);
	if (found < 0)
		return -1;
	digests_put_row(line, row, pieces.value, hashes, export->is_anonymous);
	if (found == 1)
		piece_rows_end(&query);
	return 0;
}

int digests_write(const struct digests_export *export, FILE *out, uint64_t *files,
		  struct simhash_error *error)
{
	struct line_buffer line = {.out = out};
	struct row_part *part = row_part_new();
	int64_t ids[FILE_HASHES];
	uint8_t last[PATH_HASH_SIZE];
	const uint8_t *after = NULL;
	unsigned hashes;
	int status;

	*files = 0;
	if (part == NULL)
		return error_set_memory(error);
	status = find_hashes(export->store, &hashes, ids, error);
	if (status == 0)
		digests_put_heading(&line, export->tag_set, hashes);
	while (status == 0 && (after == NULL || part->count == PART_ROWS) && !ferror(out) &&
	       !atomic_load(export->stop)) {
		status = row_part_read(part, export->store, &export->scope, after, error);
		if (status == 0)
			status = read_hashes(export, part, after, hashes, ids, error);
		for (size_t i = 0; status == 0 && i < part->count; i++) {
			if (!is_wanted(export, &part->rows[i]))
				continue;
			status = write_row(export, &part->rows[i], hashes, &line, error);
			*files += status == 0;
		}
		if (part->count > 0)
			memcpy(last, part->rows[part->count - 1].path_hash, sizeof last);
		after = last;
	}
	/* A list that was stopped gets no end mark. */
	if (status == 0 && !atomic_load(export->stop))
		digests_put_end(&line, *files);
	line_flush(&line);
	row_part_free(part);
	return status;
}
