/*
 * Digest lists: what an index knows of files, as text that travels without them. docs/digests.md
 * has the grammar.
 *
 *     digests_put_heading(&line, tag_set, 0);
 *     while ((status = store_rows_next(&cursor, &row, error)) == 1)
 *             digests_put_row(&line, row, 0, false), files++;
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
#define DIGESTS_FIRST_LINE "simhash-digests 3"
/* Of older lists, which have no last line: those without hashes of other programs, and with them. */
#define DIGESTS_FIRST_LINE_PLAIN "simhash-digests 1"
#define DIGESTS_FIRST_LINE_HASHED "simhash-digests 2"
/* The line after the tag set of a list with hashes begins so, and names them. */
#define DIGESTS_HASHES "hashes"
/* The line before the files. */
#define DIGESTS_FILES_LINE "files"
/* The last line begins so, and has the number of files: a list without it was cut off. */
#define DIGESTS_END "end"

/* What stands for a path that is not told begins with it, as no path does. */
#define DIGESTS_ANONYMOUS '~'

/* The directory that files have in an index whose paths were not told. */
#define DIGESTS_NOWHERE "/~"

/* `hashes` has a bit for each enum file_hash that the files come with. */
void digests_put_heading(struct line_buffer *line, const struct simhash_tag_set *tag_set,
			 unsigned hashes);

/*
 * The line of a file, whose sketches are these hashes; without any, none is known. With
 * `is_anonymous` its time is left out, and its path is hashed.
 */
void digests_put_row(struct line_buffer *line, const struct file_row *row, unsigned hashes,
		     bool is_anonymous);

/* The last line, after so many files. */
void digests_put_end(struct line_buffer *line, uint64_t files);

#endif
