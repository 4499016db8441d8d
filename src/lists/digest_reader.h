/*
 * Reads digest lists, plain or compressed, which may come from anybody.
 *
 *     if (digest_reader_open("there.digests", &reader, error) != 0)
 *             return -1;
 *     while ((status = digest_reader_next(reader, &row, error)) == 1)
 *             keep(&row);
 *     digest_reader_close(reader);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_DIGEST_READER_H
#define SIMHASH_SCAN_DIGEST_READER_H

#include <stdatomic.h>

#include "store/row/file_row.h"

struct digest_reader;
struct list_lines;

/*
 * Open a list and read its heading; "-" is standard input. `path` is borrowed. Errors:
 * SIMHASH_E_SYSTEM, SIMHASH_E_MEMORY, and SIMHASH_E_SYNTAX for a file that is not a list.
 */
int digest_reader_open(const char *path, struct digest_reader **reader,
		       struct simhash_error *error);

/*
 * The same for opened lines from which nothing was read. The reader takes ownership of the lines,
 * even after a failure.
 */
int digest_reader_begin(struct list_lines *lines, struct digest_reader **reader,
			struct simhash_error *error);

/*
 * Return the kinds of hashes that the files have, with a bit for each enum file_hash: see
 * file_row.sketches.
 */
unsigned digest_reader_hashes(const struct digest_reader *reader);

/* Return the tag set of all files; it lives as long as the reader. */
const struct simhash_tag_set *digest_reader_tag_set(const struct digest_reader *reader);

/* From now on, reading stops with the error ERROR_STOPPED when *stop is set. */
void digest_reader_stop_at(struct digest_reader *reader, const atomic_bool *stop);

/*
 * Read the next file. Returns 1, 0 at the end, or -1 with an error that names the place in the
 * list. A list that was cut off ends with an error. The row is complete except for host, device,
 * inode and links; its bytes live until the next row. A file without a path is in the directory
 * DIGESTS_NOWHERE.
 */
int digest_reader_next(struct digest_reader *reader, struct file_row *row,
		       struct simhash_error *error);

/*
 * After the end: return why the list may be incomplete, a static text, or NULL. Lists of older
 * programs have no end mark.
 */
const char *digest_reader_doubt(const struct digest_reader *reader);

/* Return the line of the last file, which lives as long as its row. */
struct bytes digest_reader_line(const struct digest_reader *reader);

/* Parse such a line again. Returns 1, or -1. */
int digest_reader_again(struct digest_reader *reader, struct bytes line, struct file_row *row,
			struct simhash_error *error);

void digest_reader_close(struct digest_reader *reader); /* NULL is allowed */

#endif
