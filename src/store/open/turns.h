/*
 * Transactions that several connections write at the same time and commit in a given order, as one
 * connection would have: whatever ends them, those that are stored are the first ones.
 *
 *     turns_init(&turns, TURN_WAIT_NS);
 *     ... in thread n, with a store of its own, for the numbers 0, 1, 2, ...:
 *     store_write_in_turn(store, &scope, &batch, &turns, number, &removed, &error);
 *     ...
 *     turns_release(&turns);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_TURNS_H
#define SIMHASH_STORE_TURNS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "simhash.h"

/*
 * How long a transaction that is written waits for the one before. That one may in turn wait for a
 * lock of this one, of which the server cannot know; so this one gives way and is written again.
 */
#define TURN_WAIT_NS (INT64_C(5) * 1000000000)

struct turns {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int64_t wait_ns;
	uint64_t done;
	bool has_failed;
};

void turns_init(struct turns *turns, int64_t wait_ns);
void turns_release(struct turns *turns);

/* Wait until all before `number` are done: 0, or -1 if one has failed. */
int turns_await(struct turns *turns, uint64_t number, struct simhash_error *error);

/* The same, but gives up with ERROR_RETRY. */
int turns_await_or_give_way(struct turns *turns, uint64_t number, struct simhash_error *error);

/* The one whose turn it is has been committed; or any one has failed, and so do those after it. */
void turns_end(struct turns *turns, bool has_failed);

#endif
