/*
 * Passes the work that a walker finds to the scanners: files to scan, and rows to remove or change,
 * in batches. Each walker has its own feed.
 *
 * A feed holds back a batch that is not full. Others may wait for this batch: a scanner for the
 * other names of a file, or a thread that needs the descriptors of its directories. So it is
 * flushed before its walker waits for anything but room in the queue.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_FEED_H
#define SIMHASH_INDEX_FEED_H

#include "index/work/batch.h"
#include "store/write/batch.h"

struct scanners;

struct feed {
	struct scanners *scanners;
	struct batch *batch; /* with room for the largest, or NULL */
};

/* A file to scan: with others in a batch, or alone when it is large. */
int feed_scan(struct feed *feed, struct directory *directory, const struct found_file *file,
	      struct simhash_error *error);

/*
 * A file that has moved here from another path, to whose row it is entitled. Where `left` is not
 * NULL, the row of that path is removed.
 */
int feed_move(struct feed *feed, struct directory *directory, const struct found_file *file,
	      const struct file_row *row, const uint8_t *left, struct simhash_error *error);

/* A row to remove; a row of which only the number of links has changed. */
int feed_remove(struct feed *feed, const uint8_t hash[PATH_HASH_SIZE], struct simhash_error *error);
int feed_relink(struct feed *feed, const struct relinked_file *file, struct simhash_error *error);

/* Hand over what was gathered; free the room for it. */
void feed_flush(struct feed *feed);
void feed_release(struct feed *feed); /* flushed */

/*
 * All feeds have been flushed, and no more is found: pass on the largest files, which were kept,
 * after a mark for the writer.
 */
void feed_end(struct scanners *scanners);

/* Where too many directories are open, have the scanners finish with theirs. */
void feed_limit_directories(struct feed *feed, unsigned max);

#endif
