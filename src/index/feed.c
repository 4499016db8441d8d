/*
 * Gathering batches, and calling all scanners to a large file.
 * SPDX-License-Identifier: MIT
 */
#include "index/feed.h"

#include "base/error.h"
#include "index/hard_links.h"
#include "index/scanners.h"
#include "scan/shared_scan.h"

void feed_flush(struct feed *feed)
{
	if (feed->batch != NULL)
		scanners_push(feed->scanners, feed->batch);
	feed->batch = NULL;
}

void feed_limit_directories(struct feed *feed, unsigned max)
{
	if (directory_open_count() < max)
		return;
	feed_flush(feed);
	scanners_wait(feed->scanners);
}

static int need_batch(struct feed *feed, size_t capacity, struct simhash_error *error)
{
	if (feed->batch == NULL)
		feed->batch = batch_new(capacity);
	return feed->batch == NULL ? error_set_memory(error) : 0;
}

static void flush_if_full(struct feed *feed)
{
	if (batch_is_full(feed->batch))
		feed_flush(feed);
}

/*
 * Push the batch, which has one file, and a call to each other thread to help with it. A thread
 * that cannot be called, for lack of memory, does not help.
 */
static void push_shared(struct feed *feed)
{
	unsigned helpers = feed->threads - 1;
	struct shared_scan *shared = shared_scan_new(helpers + 1);

	feed->batch->shared = shared;
	feed_flush(feed);
	for (unsigned i = 0; shared != NULL && i < helpers; i++) {
		struct batch *call = batch_new(0);
		if (call == NULL) {
			shared_scan_drop(shared);
			continue;
		}
		call->shared = shared;
		scanners_push(feed->scanners, call);
	}
}

int feed_scan(struct feed *feed, struct directory *directory, const struct found_file *file,
	      struct simhash_error *error)
{
	bool is_large = file->size_bytes >= BATCH_BYTES;
	struct task *task;

	if (atomic_load_explicit(feed->stop, memory_order_relaxed))
		return error_set(error, ERROR_STOPPED, "stopped");
	if (is_large)
		feed_flush(feed);
	if (need_batch(feed, is_large ? 1 : BATCH_TASKS, error) != 0)
		return -1;
	task = batch_scan(feed->batch, directory, file);
	if (task == NULL)
		return error_set_memory(error);
	hard_links_enter(feed->links, file, task);
	if (file->size_bytes >= SHARED_FROM && feed->threads > 1 && !file->is_inflated &&
	    (task->link == NULL || task->is_leader))
		push_shared(feed);
	else
		flush_if_full(feed);
	return 0;
}

int feed_remove(struct feed *feed, const uint8_t hash[PATH_HASH_SIZE], struct simhash_error *error)
{
	if (need_batch(feed, BATCH_TASKS, error) != 0)
		return -1;
	if (batch_remove(feed->batch, hash) != 0)
		return error_set_memory(error);
	flush_if_full(feed);
	return 0;
}

int feed_relink(struct feed *feed, const struct relinked_file *file, struct simhash_error *error)
{
	if (need_batch(feed, BATCH_TASKS, error) != 0)
		return -1;
	if (batch_relink(feed->batch, file) != 0)
		return error_set_memory(error);
	flush_if_full(feed);
	return 0;
}
