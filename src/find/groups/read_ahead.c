/*
 * Reads one block ahead in another thread.
 * SPDX-License-Identifier: MIT
 */
#include "find/groups/read_ahead.h"

static void *run(void *argument)
{
	struct read_ahead *ahead = argument;
	int status;

	do {
		struct block *block = NULL;
		struct simhash_error error;
		status = row_stream_next(ahead->stream, &block, &error);
		pthread_mutex_lock(&ahead->lock);
		while (ahead->is_ready && !ahead->is_ended)
			pthread_cond_wait(&ahead->changed, &ahead->lock);
		if (ahead->is_ended) {
			block_free(block);
			status = 0;
		} else {
			ahead->block = block;
			ahead->status = status;
			if (status < 0)
				ahead->error = error;
			ahead->is_ready = true;
			pthread_cond_signal(&ahead->changed);
		}
		pthread_mutex_unlock(&ahead->lock);
	} while (status == 1);
	return NULL;
}

void read_ahead_begin(struct read_ahead *ahead, struct row_stream *stream, bool with_thread)
{
	*ahead = (struct read_ahead){.stream = stream};
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	ahead->has_thread = with_thread && pthread_create(&ahead->thread, NULL, run, ahead) == 0;
}

int read_ahead_next(struct read_ahead *ahead, struct block **block, struct simhash_error *error)
{
	int status;

	if (!ahead->has_thread)
		return row_stream_next(ahead->stream, block, error);
	pthread_mutex_lock(&ahead->lock);
	while (!ahead->is_ready)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	*block = ahead->block;
	status = ahead->status;
	if (status < 0)
		*error = ahead->error;
	/* There is nothing to wait for after the last block. */
	if (status == 1) {
		ahead->is_ready = false;
		ahead->block = NULL;
		pthread_cond_signal(&ahead->changed);
	}
	pthread_mutex_unlock(&ahead->lock);
	return status;
}

void read_ahead_end(struct read_ahead *ahead)
{
	if (ahead->has_thread) {
		pthread_mutex_lock(&ahead->lock);
		ahead->is_ended = true;
		pthread_cond_signal(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
		pthread_join(ahead->thread, NULL);
	}
	block_free(ahead->block);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
}
