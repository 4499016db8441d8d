/*
 * Passes pointers between threads in a bounded queue.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_QUEUE_H
#define SIMHASH_BASE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUEUE_CAPACITY_MAX 256

struct queue {
	pthread_mutex_t mutex;
	pthread_cond_t not_empty, not_full;
	void *items[QUEUE_CAPACITY_MAX];
	size_t first, count, capacity;
	unsigned producers; /* the queue ends when the last producer leaves */
};

/* Make room for `capacity` items, at most QUEUE_CAPACITY_MAX. */
void queue_init(struct queue *queue, unsigned producers, size_t capacity);
void queue_release(struct queue *queue);

/* Append an item. Waits while the queue is full. */
void queue_push(struct queue *queue, void *item);

/* Take the first item, and wait for it. NULL if the queue is empty and has ended. */
void *queue_pop(struct queue *queue);

/*
 * The same, but wait at most until a time of the monotonic clock. *timed_out is true if it passed.
 */
void *queue_pop_until(struct queue *queue, int64_t deadline_ns, bool *timed_out);

/* A producer is done. The queue ends when the last producer is done. */
void queue_producer_leaves(struct queue *queue);

#endif
