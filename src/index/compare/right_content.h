/*
 * Recognizes files that are read again although nobody seems to have changed them. If such a file
 * has another content than its row, it is damaged, or a program restored its time.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_RIGHT_CONTENT_H
#define SIMHASH_INDEX_RIGHT_CONTENT_H

#include "index/walk/chunk.h"
#include "store/rows/known_file.h"

/* Does a file have the inode and the modification time of its row, and would both show a change? */
static inline bool seems_unchanged(const struct found_file *file, const struct known_file *known)
{
	return !file->is_inflated && file->mtime_ns == known->mtime_ns && known->is_settled &&
	       known->inode != 0 && known_inode_is(known, file->inode);
}

/*
 * Files to read again as soon as the connection to the index is free. The names of the files are
 * borrowed. All zero to begin with.
 */
struct waiting_files {
	struct waiting_again {
		struct found_file file;
		struct known_file known; /* without its name */
	} * files;
	size_t count, capacity;
};

void waiting_files_release(struct waiting_files *waiting);
int waiting_files_add(struct waiting_files *waiting, const struct found_file *file,
		      const struct known_file *known, struct simhash_error *error);

/*
 * For such a file: get what its row says about the content. *found is false if the size differs and
 * the status time has changed, because then a program has written the file.
 */
int find_right_content(struct store *store, const struct row_scope *scope,
		       const struct found_file *file, struct known_content *right, bool *found,
		       struct simhash_error *error);

#endif
