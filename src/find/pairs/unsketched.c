/*
 * Lists the first files that have no sketch.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs/unsketched.h"

#include "find/rule/finder.h"
#include "store/names/names.h"
#include "store/write/sketch_table.h"

int read_unsketched(const struct finder *finder, size_t max, struct arena *arena,
		    struct bytes *files, size_t *count, struct simhash_error *error)
{
	const char *text = simhash_measure_text(finder->request->measure);
	struct file_row row = {.host = 0};
	struct row_cursor cursor;
	int64_t measure;
	int status = 1;

	*count = 0;
	if (store_measure_id(finder->store, text, false, &measure, error) != 0 ||
	    store_rows_unsketched(&cursor, finder->store, TAKING_COLUMNS | ROW_NAME,
				  finder->tag_set, measure, error) != 0)
		return -1;
	while (*count < max && (status = store_rows_next(&cursor, &row, error)) == 1) {
		struct find_file file;
		if (!finder_takes(finder, &row))
			continue;
		if (finder_show(finder, &row, arena, &file, error) != 0) {
			status = -1;
			break;
		}
		files[(*count)++] = find_file_display(&file);
	}
	store_rows_end(&cursor);
	return status < 0 ? -1 : 0;
}
