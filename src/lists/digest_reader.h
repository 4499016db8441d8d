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
 * SIMHASH_E_SYSTEM, SIMHASH_E_MEMORY, and SIMHASH_E_SYNTAX for what is no list.
 */
int digest_reader_open(const char *path, struct digest_reader **reader,
		       struct simhash_error *error);

/* The same of lines of which none is read. The reader takes them over, also where this fails. */
int digest_reader_begin(struct list_lines *lines, struct digest_reader **reader,
			struct simhash_error *error);

/* The hashes that its files come with, a bit for each enum file_hash: see file_row.sketches. */
unsigned digest_reader_hashes(const struct digest_reader *reader);

/* Of all its files; it lives as long as the reader. */
const struct simhash_tag_set *digest_reader_tag_set(const struct digest_reader *reader);

/* From now on reading ends once *stop is set, with the error ERROR_STOPPED. */
void digest_reader_stop_at(struct digest_reader *reader, const atomic_bool *stop);

/*
 * The next file: 1, 0 at the end, -1 for an error, which says where in the list it is. A list that is
 * cut off has no end. The row is
 * complete but for host, device, inode and links; its bytes live until the next one. A file whose
 * path is not told is in the directory DIGESTS_NOWHERE.
 */
int digest_reader_next(struct digest_reader *reader, struct file_row *row,
		       struct simhash_error *error);

/*
 * After the end: why the list may not be whole, a text that lives for ever, or NULL. Lists of older
 * programs do not say where they end.
 */
const char *digest_reader_doubt(const struct digest_reader *reader);

/* The line of the last file, which lives as long as its row. */
struct bytes digest_reader_line(const struct digest_reader *reader);

/* The row of such a line, read once more: 1, or -1. */
int digest_reader_again(struct digest_reader *reader, struct bytes line, struct file_row *row,
			struct simhash_error *error);

void digest_reader_close(struct digest_reader *reader); /* NULL is fine */

#endif
