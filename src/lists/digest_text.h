/*
 * Writes digest lists: the rows of an index as text, which can be used without the files.
 * docs/digests.md has the grammar.
 *
 *     digests_put_heading(&line, tag_set, 0);
 *     while ((status = store_rows_next(&cursor, &row, error)) == 1)
 *             digests_put_row(&line, row, pieces, 0, false), files++;
 *     digests_put_end(&line, files);
 *     line_flush(&line);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_DIGEST_TEXT_H
#define SIMHASH_SCAN_DIGEST_TEXT_H

#include <stdbool.h>

#include "base/text/line_buffer.h"
#include "store/row/file_row.h"

/* The first line of a list. */
#define DIGESTS_FIRST_LINE "simhash-digests 5"
/* The first line of older lists without pieces. */
#define DIGESTS_FIRST_LINE_WHOLE "simhash-digests 4"
/*
 * The first lines of still older lists, whose sketches of texts cannot be compared with others: with a
 * last line, and without it, without and with hashes of other programs.
 */
#define DIGESTS_FIRST_LINE_ENDED "simhash-digests 3"
#define DIGESTS_FIRST_LINE_PLAIN "simhash-digests 1"
#define DIGESTS_FIRST_LINE_HASHED "simhash-digests 2"
/* The beginning of the line after the tag set that names the hashes. */
#define DIGESTS_HASHES "hashes"
/* The line before the files. */
#define DIGESTS_FILES_LINE "files"
/* The beginning of the last line, which has the number of files. A list without it was cut off. */
#define DIGESTS_END "end"

/* The beginning of the text that replaces a hidden path. No path begins with it. */
#define DIGESTS_ANONYMOUS '~'
/* After the extension of a document whose text is in the list; and before the size of that document. */
#define DIGESTS_TEXT "//"

/* In the place of pieces: the content has none. "-" means that it is unknown. */
#define DIGESTS_NO_PIECES "0"

/* The directory in an index for files whose paths are hidden. */
#define DIGESTS_NOWHERE "/~"

/* Write the heading. `hashes` has a bit for each enum file_hash of the files. */
void digests_put_heading(struct line_buffer *line, const struct simhash_tag_set *tag_set,
			 unsigned hashes);

/*
 * Remove the mark of a document or of its text from the extension of a row, and set `contents` and
 * `links`. False if the mark is wrong.
 */
bool digests_take_mark(struct file_row *row);

/*
 * Write the line of a file, whose sketches are these hashes; without sketches, all are unknown.
 * `pieces` is the stored form of its pieces, or empty. With `is_anonymous` the time is omitted, and
 * the path is hashed.
 */
void digests_put_row(struct line_buffer *line, const struct file_row *row, struct bytes pieces,
		     unsigned hashes, bool is_anonymous);

/* Write the last line, with the number of files. */
void digests_put_end(struct line_buffer *line, uint64_t files);

#endif
