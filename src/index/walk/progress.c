/*
 * Stores the path that a run is scanning, and sets the progress of a finished run.
 * SPDX-License-Identifier: MIT
 */
#include "index/walk/progress.h"

#include <string.h>

void index_progress_init(struct index_progress *progress)
{
	memset(progress, 0, sizeof *progress);
	atomic_store(&progress->is_counting, true);
	pthread_mutex_init(&progress->lock, NULL);
}

void index_progress_release(struct index_progress *progress)
{
	pthread_mutex_destroy(&progress->lock);
}

void index_progress_end(struct index_progress *progress)
{
	atomic_store(&progress->files_found, atomic_load(&progress->files_done));
	atomic_store(&progress->bytes_found, atomic_load(&progress->bytes_done));
	atomic_store(&progress->is_counted, true);
}

/* Append bytes; if there is not enough room, keep their end. */
static void append(struct index_progress *progress, struct bytes bytes)
{
	size_t room = sizeof progress->path - progress->path_size;

	if (bytes.size > room) {
		bytes.data += bytes.size - room;
		bytes.size = room;
	}
	memcpy(progress->path + progress->path_size, bytes.data, bytes.size);
	progress->path_size += bytes.size;
}

void index_progress_set_path(struct index_progress *progress, struct bytes directory,
			     struct bytes name)
{
	size_t room = sizeof progress->path - 1024;

	if (pthread_mutex_trylock(&progress->lock) != 0)
		return;
	progress->path_size = 0;
	if (directory.size > room) {
		directory.data += directory.size - room;
		directory.size = room;
	}
	append(progress, directory);
	if (directory.size > 0 && directory.data[directory.size - 1] != '/')
		append(progress, (struct bytes){"/", 1});
	append(progress, name);
	pthread_mutex_unlock(&progress->lock);
}
