/*
 * Declares the functions that the files of this room share: they convert a row to a file and decide
 * which rows a search includes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FINDER_H
#define SIMHASH_FIND_FINDER_H

#include "base/data/arena.h"
#include "find/rule/find.h"
#include "store/rows/folder_rows.h"
#include "store/rows/row_reader.h"

/*
 * TAKING_COLUMNS: the columns that finder_takes needs. FINDING_COLUMNS: the columns that the
 * functions below need to convert a row to a file, except for a key.
 */
enum {
	TAKING_COLUMNS = ROW_HOST | ROW_DIRECTORY | ROW_NAME | ROW_SIZE | ROW_CONTENT_HASH |
			 ROW_CONTENTS,
	FINDING_COLUMNS = TAKING_COLUMNS | ROW_PATH_HASH | ROW_NAME | ROW_SIZE | ROW_MTIME |
			  ROW_COMPRESSED_SIZE | ROW_DEVICE | ROW_INODE | ROW_TABLE | ROW_UNIFORM |
			  ROW_CHECKED
};

/* Convert a row to a file, except for its displayed name. Error: the row contradicts itself. */
int finder_convert(const struct finder *finder, const struct file_row *row, struct find_file *file,
		   struct simhash_error *error);

/* Put the displayed name of a row into the arena. */
int finder_show(const struct finder *finder, const struct file_row *row, struct arena *arena,
		struct find_file *file, struct simhash_error *error);

/* finder_convert and finder_show. */
int finder_read(const struct finder *finder, const struct file_row *row, struct arena *arena,
		struct find_file *file, struct simhash_error *error);

/* Return the key that --candidates named, which is read in addition to uniform; or uniform. */
enum simhash_key finder_read_key(const struct finder *finder);

/* The number of bytes of memory that the search may use. */
size_t finder_memory(const struct finder *finder);

/* Are documents compared by their texts? */
bool finder_uses_texts(const struct finder *finder);

/*
 * Begin a search of all files, and read the texts of documents. If progress is reported, set the
 * number of rows to read. Count the empty files that the request covers but leaves out; with
 * --between, and for parts of the key space after the first, count none.
 */
int finder_begin(struct finder *finder, struct simhash_error *error);

/*
 * Does the request include this row? It does if the row is at or below its directories and is not
 * left out.
 */
bool finder_takes(const struct finder *finder, const struct file_row *row);

/* Is a file left out because of its content, path or size? */
bool finder_leaves_out(const struct finder *finder, const struct file_row *row);

/* The same as folder_rows_next, without the files that are left out. */
int finder_next_folder_row(const struct finder *finder, struct folder_cursor *cursor,
			   struct folder_row *row, struct simhash_error *error);

/* May files on these sides of --between be a pair? */
bool finder_crosses(const struct finder *finder, unsigned sides_x, unsigned sides_y);

/* Error: the index has no files in this side. */
int finder_check_side(const struct finder *finder, const struct find_side *side,
		      struct simhash_error *error);

/* Error: the index has no files of this host at or below this absolute path of a directory. */
int finder_check_below(const struct finder *finder, struct bytes directory,
		       struct simhash_error *error);

#endif
