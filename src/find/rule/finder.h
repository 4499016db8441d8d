/*
 * The functions of a finder that the files of this room share: they convert a row to a file and
 * decide which rows a search includes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FINDER_H
#define SIMHASH_FIND_FINDER_H

#include "base/data/arena.h"
#include "find/rule/find.h"
#include "store/rows/folder_rows.h"
#include "store/rows/row_reader.h"

/* What finder_takes needs of a row; and what the functions that make it a file need, but for a key. */
enum {
	TAKING_COLUMNS = ROW_HOST | ROW_DIRECTORY | ROW_NAME | ROW_SIZE | ROW_CONTENT_HASH,
	FINDING_COLUMNS = TAKING_COLUMNS | ROW_PATH_HASH | ROW_NAME | ROW_SIZE | ROW_MTIME |
			  ROW_COMPRESSED_SIZE | ROW_DEVICE | ROW_INODE | ROW_TABLE | ROW_UNIFORM |
			  ROW_CHECKED
};

/* All of a row but what is displayed. Error: the row contradicts itself. */
int finder_convert(const struct finder *finder, const struct file_row *row, struct find_file *file,
		   struct simhash_error *error);

/* What is displayed of a row, which is put into the arena. */
int finder_show(const struct finder *finder, const struct file_row *row, struct arena *arena,
		struct find_file *file, struct simhash_error *error);

/* Both. */
int finder_read(const struct finder *finder, const struct file_row *row, struct arena *arena,
		struct find_file *file, struct simhash_error *error);

/* The key to read beside uniform: where candidates are not found by the one named, uniform again. */
enum simhash_key finder_read_key(const struct finder *finder);

/* The bytes of memory that the search may take. */
size_t finder_memory(const struct finder *finder);

/*
 * Begin a search of all files: note how many rows there are to read, where progress is kept, and
 * count the empty files that the request is about and leaves out. With --between, and for parts of
 * the key space after the first, none are counted.
 */
int finder_begin(struct finder *finder, struct simhash_error *error);

/* Is a row one of those that the request is about: at or below its directories, and not left out? */
bool finder_takes(const struct finder *finder, const struct file_row *row);

/* Is a file left out because its content is known, or by its path or size? */
bool finder_leaves_out(const struct finder *finder, const struct file_row *row);

/* folder_rows_next, without files that are left out. */
int finder_next_folder_row(const struct finder *finder, struct folder_cursor *cursor,
			   struct folder_row *row, struct simhash_error *error);

/* May files on these sides of --between be a pair? */
bool finder_crosses(const struct finder *finder, unsigned sides_x, unsigned sides_y);

/* Error: the index has no files of this host at or below a directory, which is absolute. */
int finder_check_below(const struct finder *finder, struct bytes directory,
		       struct simhash_error *error);

#endif
