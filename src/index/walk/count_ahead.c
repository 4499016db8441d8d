/*
 * Walks all roots in a thread and counts the files and bytes that it finds.
 * SPDX-License-Identifier: MIT
 */
#include "index/walk/count_ahead.h"

#include "base/basic/clock.h"

#define BEGIN_AFTER_NS (300 * NS_PER_MS)

static void count_chunk(struct index_progress *progress, const struct chunk *chunk)
{
	long long bytes = 0;

	for (size_t i = 0; i < chunk->count; i++)
		bytes += chunk->files[i].size_bytes;
	atomic_fetch_add(&progress->files_found, (long long)chunk->count);
	atomic_fetch_add(&progress->bytes_found, bytes);
}

static int count_root(struct count_ahead *count, const struct root *root)
{
	struct simhash_error error;
	struct walk *walk = walk_new(root, &count->options, &error);
	struct walker *walker = walk == NULL ? NULL : walker_new(walk, &error);
	struct chunk chunk;
	int status = walker == NULL ? -1 : WALK_FILES;

	while (status > 0 && (status = walk_next(walker, &chunk, &error)) > 0)
		if (status == WALK_FILES)
			count_chunk(count->progress, &chunk);
	walker_free(walker);
	walk_free(walk);
	return status;
}

/* Wait before the start. Returns true if the run ends first. */
static bool wait_for_end(struct count_ahead *count)
{
	int64_t deadline_ns = clock_monotonic_ns() + BEGIN_AFTER_NS;
	bool is_late = false;

	pthread_mutex_lock(&count->mutex);
	while (!atomic_load(&count->is_over) && !is_late)
		is_late = clock_condition_wait(&count->ended, &count->mutex, deadline_ns);
	pthread_mutex_unlock(&count->mutex);
	return !is_late;
}

static void *count_main(void *argument)
{
	struct count_ahead *count = argument;
	bool is_whole = true;

	if (wait_for_end(count))
		return NULL;
	for (unsigned i = 0; i < count->roots->count; i++) {
		const struct root *root = &count->roots->items[i];
		if (root->is_skipped)
			continue;
		/* The size of a list is known only after it was read. */
		if (root->is_list || count_root(count, root) != 0)
			is_whole = false;
	}
	atomic_store(&count->progress->is_counting, false);
	atomic_store(&count->progress->is_counted, is_whole);
	return NULL;
}

void count_ahead_start(struct count_ahead *count, const struct roots *roots,
		       const struct walk_options *options, struct index_progress *progress)
{
	*count = (struct count_ahead){.roots = roots, .options = *options, .progress = progress};
	if (progress == NULL)
		return;
	count->options.stop = &count->is_over;
	/* The walk that scans reports unreadable paths. */
	count->options.failures = NULL;
	count->options.kernel_file_systems = NULL;
	pthread_mutex_init(&count->mutex, NULL);
	clock_condition_init(&count->ended);
	count->is_running = pthread_create(&count->thread, NULL, count_main, count) == 0;
	if (!count->is_running) {
		atomic_store(&progress->is_counting, false);
		pthread_cond_destroy(&count->ended);
		pthread_mutex_destroy(&count->mutex);
	}
}

void count_ahead_end(struct count_ahead *count)
{
	if (!count->is_running)
		return;
	pthread_mutex_lock(&count->mutex);
	atomic_store(&count->is_over, true);
	pthread_cond_signal(&count->ended);
	pthread_mutex_unlock(&count->mutex);
	pthread_join(count->thread, NULL);
	pthread_cond_destroy(&count->ended);
	pthread_mutex_destroy(&count->mutex);
	count->is_running = false;
}
