/*
 * Implements the queue as a ring under one mutex. Its items are batches of files, so the queue
 * takes little time.
 * SPDX-License-Identifier: MIT
 */
#include "base/threads/queue.h"

#include "base/basic/clock.h"

void queue_init(struct queue *queue, unsigned producers, size_t capacity)
{
	pthread_mutex_init(&queue->mutex, NULL);
	clock_condition_init(&queue->not_empty);
	pthread_cond_init(&queue->not_full, NULL);
	queue->first = queue->count = 0;
	queue->producers = producers;
	queue->capacity = capacity;
}

void queue_release(struct queue *queue)
{
	pthread_cond_destroy(&queue->not_full);
	pthread_cond_destroy(&queue->not_empty);
	pthread_mutex_destroy(&queue->mutex);
}

void queue_push(struct queue *queue, void *item)
{
	pthread_mutex_lock(&queue->mutex);
	while (queue->count == queue->capacity)
		pthread_cond_wait(&queue->not_full, &queue->mutex);
	queue->items[(queue->first + queue->count++) % queue->capacity] = item;
	pthread_cond_signal(&queue->not_empty);
	pthread_mutex_unlock(&queue->mutex);
}

static void *take_first(struct queue *queue)
{
	void *item = NULL;

	if (queue->count > 0) {
		item = queue->items[queue->first];
		queue->first = (queue->first + 1) % queue->capacity;
		queue->count--;
		pthread_cond_signal(&queue->not_full);
	}
	return item;
}

void *queue_pop(struct queue *queue)
{
	void *item;

	pthread_mutex_lock(&queue->mutex);
	while (queue->count == 0 && queue->producers > 0)
		pthread_cond_wait(&queue->not_empty, &queue->mutex);
	item = take_first(queue);
	pthread_mutex_unlock(&queue->mutex);
	return item;
}

void *queue_pop_until(struct queue *queue, int64_t deadline_ns, bool *timed_out)
{
	void *item;
	bool is_late = false;

	pthread_mutex_lock(&queue->mutex);
	while (queue->count == 0 && queue->producers > 0 && !is_late)
		is_late = clock_condition_wait(&queue->not_empty, &queue->mutex, deadline_ns);
	*timed_out = queue->count == 0 && queue->producers > 0;
	item = take_first(queue);
	pthread_mutex_unlock(&queue->mutex);
	return item;
}

void queue_producer_leaves(struct queue *queue)
{
	pthread_mutex_lock(&queue->mutex);
	queue->producers--;
	pthread_cond_broadcast(&queue->not_empty);
	pthread_mutex_unlock(&queue->mutex);
}
