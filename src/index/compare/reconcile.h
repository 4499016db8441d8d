/*
 * Decides which files of a directory must be scanned and which of its rows must be removed.
 *
 * A file is unchanged if its row has the same size and modification time, and the row was made long
 * enough after that time: if a file changes within the clock's step of its scan, its time does not
 * show it. Its inode must also be the same, unless the file system makes up inode numbers: see
 * inode_shows_exchange. Such file systems may also make up the status time.
 *
 * A file may have another size but the same modification and status time, or seem unchanged and be
 * read for another reason, such as a new hash. If its content then differs from its row, it is
 * damaged: its row stays, and the damage is stored, see store/rows/damage_rows.h. With `force`, the
 * new content counts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_RECONCILE_H
#define SIMHASH_INDEX_RECONCILE_H

#include "index/compare/feed.h"
#include "index/compare/put_aside.h"
#include "index/compare/right_content.h"
#include "index/walk/chunk.h"
#include "index/walk/progress.h"
#include "store/row/file_row.h"

struct known_table;
struct store;

struct reconciler {
	struct store *store;	   /* for reading; only this thread uses it */
	struct known_table *table; /* the rows read ahead, shared by all threads; or NULL */
	struct row_scope scope;
	bool has_rows; /* the index has rows of this scope */
	bool force;    /* also scan unchanged files */
	bool resemble; /* also scan files without a resemblance sketch */
	bool inflates; /* the walk also finds the content of gzip files */
	bool follow;
	int64_t begun_ns;	   /* when the run began */
	struct put_aside *aside;   /* the lists of this thread; NULL: do not look for moved files */
	struct failures *failures; /* receives files whose status cannot be read */
	struct index_progress *progress; /* or NULL */
	uint64_t unchanged;		 /* the number of unchanged files so far */
	bool has_view;			 /* a view of the index was begun by the last query */
	unsigned decided;		 /* the number of chunks since then */
	bool inodes_last;		 /* the result for the device checked last: */
	uint64_t inodes_device;
	bool is_asking; /* the rows of a directory are being read */
	struct waiting_files waiting;
};

/*
 * Compare the files of a chunk with their rows, and pass files to scan and rows to remove or change
 * to the feed.
 */
int reconcile_chunk(struct reconciler *reconciler, const struct chunk *chunk, struct feed *feed,
		    struct simhash_error *error);

/* End the view of the index while there is nothing to decide. */
void reconciler_rest(struct reconciler *reconciler);

#endif
