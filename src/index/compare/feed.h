/*
 * Passes the work that a walker finds to the scanners: files to scan, and rows to remove or change,
 * in batches. Each walker has its own feed.
 *
 * A feed keeps a batch until it is full. Other threads may need something in this batch: a scanner
 * may need the other names of a file, and a thread may need the descriptors of the batch's
 * directories. So the walker flushes its feed before it waits for anything except room in the
 * queue.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_FEED_H
#define SIMHASH_INDEX_FEED_H

#include "index/work/batch.h"
#include "store/write/batch.h"

struct lane;
struct scanners;

struct feed {
	struct scanners *scanners;
	struct batch *batch; /* has room for the largest batch; or NULL */
	struct lane *lane;   /* the lane of this batch; NULL: the queue */
	uint64_t device;     /* the device of the last file, and its lane: */
	struct lane *device_lane;
	bool has_device;
};

/* Add a file to scan: in a batch with others, or alone if it is large. */
int feed_scan(struct feed *feed, struct directory *directory, const struct found_file *file,
	      struct simhash_error *error);

/*
 * Add a file that was moved here from another path, with its old row. Unless `left` is NULL, the
 * row of the other path is removed.
 */
int feed_move(struct feed *feed, struct directory *directory, const struct found_file *file,
	      const struct file_row *row, const uint8_t *left, struct simhash_error *error);

/* Add a row to remove, or a row whose number of links has changed. */
int feed_remove(struct feed *feed, const uint8_t hash[PATH_HASH_SIZE], struct simhash_error *error);
int feed_relink(struct feed *feed, const struct relinked_file *file, struct simhash_error *error);

/* Pass the collected work to the scanners, and free its memory. */
void feed_flush(struct feed *feed);
void feed_release(struct feed *feed); /* flush first */

/*
 * Call this when all feeds were flushed and the walk has ended. It tells the writer that only the
 * largest files follow, and then passes these files to the scanners.
 */
void feed_end(struct scanners *scanners);

/* If too many directories are open, wait until the scanners close theirs. */
void feed_limit_directories(struct feed *feed, unsigned max);

#endif
