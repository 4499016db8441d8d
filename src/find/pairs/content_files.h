/*
 * Numbers contents that are compared by their pieces, and finds the files with these contents.
 *
 *     number = content_set_add(&contents, &row, &error);       // from 1; 0: memory is short
 *     status = content_files_read(&files, finder, &contents, &wanted, &error);
 *     for (file = content_files_of(&files, number); file != NULL;
 *          file = content_files_next(&files, file))
 *             use(&file->file);
 *     content_files_release(&files);
 *     content_set_release(&contents);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_CONTENT_FILES_H
#define SIMHASH_FIND_CONTENT_FILES_H

#include "base/data/slots.h"
#include "find/rule/finder.h"
#include "store/rows/piece_rows.h"

/* All zero to begin with. */
struct content_set {
	struct piece_row *keys; /* of the contents, without their values */
	size_t count, capacity;
	struct slots slots;
};

/* Return the number of a content, from 1. 0: it has none or, if it is added, memory is short. */
uint32_t content_set_find(const struct content_set *contents, const struct piece_row *row);
uint32_t content_set_add(struct content_set *contents, const struct piece_row *row,
			 struct simhash_error *error);
void content_set_release(struct content_set *contents);

struct content_file {
	struct find_file file;
	uint32_t next; /* the next file with the same content, from 1 */
};

/* All zero to begin with. */
struct content_files {
	struct content_file *items;
	size_t count, capacity;
	struct {
		uint32_t first, last; /* from 1 */
	} * of;			      /* the files of each content */
	struct arena arena;	      /* their displayed names */
};

/* The files that are wanted. */
struct content_wish {
	/* All files of each content, or one that represents them? */
	bool all;
	const bool *contents; /* of each content; NULL: of all */
	/* Is this file left out? NULL: none is. */
	bool (*leaves_out)(const void *context, const struct find_file *file);
	const void *context;
};

/*
 * Read the rows of the files that the finder's request includes, and keep the wanted files. A
 * document has its text's content if the finder has read the texts (finder_begin). Release the files
 * also after -1.
 */
int content_files_read(struct content_files *files, const struct finder *finder,
		       const struct content_set *contents, const struct content_wish *wish,
		       struct simhash_error *error);
void content_files_release(struct content_files *files);

static inline const struct content_file *content_files_next(const struct content_files *files,
							    const struct content_file *file)
{
	return file->next == 0 ? NULL : &files->items[file->next - 1];
}

static inline const struct content_file *content_files_of(const struct content_files *files,
							  uint32_t number)
{
	uint32_t first = files->of[number - 1].first;

	return first == 0 ? NULL : &files->items[first - 1];
}

#endif
