/*
 * Reads the table `damage`: files whose content differs from their row, although their modification
 * time says that it does not. simhash --scrub finds them.
 *
 *     if (damage_rows_begin(&cursor, store, tag_set, error) != 0)
 *             return -1;
 *     while ((status = damage_rows_next(&cursor, &row, &damage, error)) == 1)
 *             show(&row, &damage);
 *     store_rows_end(&cursor);
 *     return status;
 *
 * `row` is the row of the file as it was: its content_hash is the right content. Other rows with
 * this hash, of this and other hosts and of members of archives, are copies: see store_rows_same.
 * Leave out the copies that are damaged themselves, see damaged_files_have. `damage` says what was
 * found. A row of `damage` is left out if the row of its file has another content now, or if the
 * file was read for the index or verified after the damage was found. The file may have changed since
 * then: compare its size and its modification time with `row` before you touch it. After a repair,
 * store_write_verified in store/write/damage_table.h removes its row of `damage`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_DAMAGE_ROWS_H
#define SIMHASH_STORE_DAMAGE_ROWS_H

#include "base/data/hash_set.h"
#include "store/rows/row_reader.h"

#define DAMAGE_UNKNOWN (-1)

struct damage {
	uint8_t path_hash[PATH_HASH_SIZE];
	uint8_t content_hash[CONTENT_HASH_SIZE]; /* the right content */
	bool has_found_hash;
	uint8_t found_hash[CONTENT_HASH_SIZE];
	int64_t found_size_bytes;
	int64_t found_at_ns;
	int64_t verified_at_ns; /* the last time when the content was right */
	bool is_unreadable;	/* the medium could not be read */
	bool status_moved; /* the status time has changed: a program may have restored the time */
	/*
	 * The comparison with an intact copy, or DAMAGE_UNKNOWN: the size of the larger content, how
	 * many of these bytes differ or are missing, and the places of the first and last one. For an
	 * unreadable file, first_byte is the first unreadable block.
	 */
	int64_t compared_bytes, different_bytes, first_byte, last_byte;
	int64_t resemblance_ppm; /* without an intact copy: in millionths, or DAMAGE_UNKNOWN */
};

/* The columns that damage_rows_begin reads of each file. */
enum {
	DAMAGED_COLUMNS = ROW_HOST | ROW_PATH_HASH | ROW_DIRECTORY | ROW_NAME | ROW_SIZE |
			  ROW_MTIME | ROW_DEVICE | ROW_INODE | ROW_CONTENTS | ROW_CONTENT_HASH |
			  ROW_SCANNED_AT
};

/* Read the damaged files of a tag set, in order of host and path hash. */
int damage_rows_begin(struct row_cursor *cursor, struct store *store, int64_t tag_set,
		      struct simhash_error *error);

/* Get the next file. Returns 1, 0 at the end, -1 for an error. Its bytes live until the next one. */
int damage_rows_next(struct row_cursor *cursor, struct file_row *row, struct damage *damage,
		     struct simhash_error *error);

/* Count the damaged files of a scope. */
int damage_rows_count(struct store *store, const struct row_scope *scope, int64_t *count,
		      struct simhash_error *error);

/*
 * Read all rows that have the content of a row, also this row, with ROW_HOST and all columns for
 * which the caller asks. Members of archives are among them, texts of documents are not.
 */
int store_rows_same(struct row_cursor *cursor, struct store *store, unsigned columns,
		    const struct row_scope *scope, const uint8_t path_hash[PATH_HASH_SIZE],
		    struct simhash_error *error);

/* The damaged files of a tag set in memory, by host and path hash. All zero to begin with. */
struct damaged_files {
	struct hash_set files;
};

int damaged_files_read(struct damaged_files *damaged, struct store *store, int64_t tag_set,
		       struct simhash_error *error);
void damaged_files_release(struct damaged_files *damaged);

/*
 * Is the file that has the content of a row damaged? For a member of an archive, the file is the
 * archive. The row needs ROW_HOST, ROW_PATH_HASH, ROW_DIRECTORY, ROW_NAME and ROW_COMPRESSED_SIZE.
 * Any thread may call this.
 */
bool damaged_files_have(const struct damaged_files *damaged, const struct file_row *row);

/* The same for the path of a file or a member on its host. */
bool damaged_files_have_path(const struct damaged_files *damaged, int64_t host, struct bytes path);

#endif
