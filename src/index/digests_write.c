/*
 * From rows to a digest list, a part at a time.
 * SPDX-License-Identifier: MIT
 */
#include "index/digests.h"

#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "index/row_part.h"
#include "scan/digest_text.h"

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

int digests_write(const struct digests_export *export, FILE *out, uint64_t *files,
		  struct simhash_error *error)
{
	struct line_buffer line = {.out = out};
	struct row_part *part = row_part_new();
	uint8_t last[PATH_HASH_SIZE];
	const uint8_t *after = NULL;
	int status = 0;

	*files = 0;
	if (part == NULL)
		return error_set_memory(error);
	digests_put_heading(&line, export->tag_set);
	do {
		status = row_part_read(part, export->store, &export->scope, after, error);
		for (size_t i = 0; status == 0 && i < part->count; i++) {
			if (!is_wanted(export, &part->rows[i]))
				continue;
			digests_put_row(&line, &part->rows[i], export->is_anonymous);
			++*files;
		}
		if (part->count > 0)
			memcpy(last, part->rows[part->count - 1].path_hash, sizeof last);
		after = last;
	} while (status == 0 && part->count == PART_ROWS && !ferror(out) &&
		 !atomic_load(export->stop));
	line_flush(&line);
	row_part_free(part);
	return status;
}
