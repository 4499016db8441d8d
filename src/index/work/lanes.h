/*
 * Queues the batches that the walkers pass to the scanners. Batches of files on a rotating disk have
 * their own lane, which sorts the files by their places on this disk. All other batches are in one
 * queue, in the order in which they were pushed.
 *
 *     lane = lanes_find(&lanes, directory_fd, device);     // a walker; NULL: the queue
 *     lanes_push(&lanes, lane, batch);
 *     ...
 *     while ((batch = lanes_pop(&lanes)) != NULL) {        // a scanner
 *             ... read the files
 *             lanes_leave(&lanes, batch);
 *             lanes_count_out(&lanes);
 *     }
 *
 * A lane works like an elevator. It collects files in a window, while nothing is read from the disk
 * except directories and inodes. When the window is full, its files are read in one pass over the
 * disk, by few scanners at a time, and the walkers do not enter other directories of the disk. Each
 * disk has a lane, so disks are read in parallel.
 *
 * While the files of a disk are in the page cache, its batches go through the queue.
 *
 * Any thread may call these functions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_LANES_H
#define SIMHASH_INDEX_LANES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LANES_QUEUE_MAX 64 /* batches that wait, because their directories stay open */

/* The memory of the tasks in a window: some 100,000 files. */
#ifndef LANE_WINDOW_BYTES
#define LANE_WINDOW_BYTES ((size_t)64 << 20)
#endif

struct batch;
struct lane; /* a disk */
struct lane_device;

struct lanes {
	int disk_threads; /* see index_request */
	pthread_mutex_t mutex;
	pthread_cond_t work;	/* signals that a scanner may find a batch */
	pthread_cond_t changed; /* signals room, or that all batches were scanned */
	pthread_cond_t left;	/* signals that a scanner has left a lane */
	struct batch *queue[LANES_QUEUE_MAX];
	size_t first, count;
	struct lane *list;
	struct lane_device *devices; /* the known file systems */
	size_t device_count, device_capacity;
	unsigned in_flight;  /* the number of batches that were pushed and not yet scanned */
	unsigned waiting;    /* the number of threads in lanes_wait */
	atomic_uint reading; /* the number of lanes that read a window */
	bool has_ended;	     /* nothing more is pushed */
};

/* `disk_threads`: see index_request. */
void lanes_init(struct lanes *lanes, int disk_threads);
void lanes_release(struct lanes *lanes); /* all batches must have been taken */

/*
 * Find the lane of the files of a file system with this st_dev. NULL: they are not read in the order
 * of a disk, or memory is short. A lane lives as long as `lanes`.
 */
struct lane *lanes_find(struct lanes *lanes, int directory_fd, uint64_t device);

/*
 * Is this the first file of the lane? Then the caller finds out whether it is in the page cache, and
 * says by lane_expect whether the next files are expected there. Other threads wait for the answer.
 */
bool lane_is_new(struct lane *lane);
void lane_expect(struct lane *lane, bool are_cached);

/* Record whether a file was in the page cache when it was read. */
void lane_note(struct lane *lane, bool was_cached);

/* Are the files in the page cache, as far as is known? */
bool lane_is_cached(const struct lane *lane);

/*
 * Push a batch, with the places of its tasks. Waits until the queue or the window has room. NULL is
 * the queue.
 */
void lanes_push(struct lanes *lanes, struct lane *lane, struct batch *batch);

/* Read what all lanes except one (NULL: all) have collected, although more files may follow. */
void lanes_flush(struct lanes *lanes, const struct lane *except);

/* Flush, and wait until all pushed batches were scanned. */
void lanes_wait(struct lanes *lanes);

/* The walkers push nothing more. */
void lanes_end(struct lanes *lanes);

/* Is a window of this file system's disk being read? The answer may be late. */
bool lanes_are_reading(void *lanes, uint64_t device);

/* Does any lane have a batch? */
bool lanes_have_files(struct lanes *lanes);

/* Take a batch, and wait for one. NULL at the end. */
struct batch *lanes_pop(struct lanes *lanes);

/* The files of a batch that lanes_pop returned have been read. Call this before the batch is freed. */
void lanes_leave(struct lanes *lanes, struct batch *batch);

/*
 * While the scanner of a batch does not read from the disk of its lane, another scanner can. Returns
 * true if it must resume before it reads again.
 */
bool lanes_pause(struct lanes *lanes, const struct batch *batch);
void lanes_resume(struct lanes *lanes, struct lane *lane);

/* A batch was scanned. */
void lanes_count_out(struct lanes *lanes);

#endif
