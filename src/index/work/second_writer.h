/*
 * A second connection to a server. A thread writes a transaction on it while the caller gathers the
 * next one, or writes it on its own connection. A server uses one thread for each connection, so
 * two are faster, also where they share its processors with simhash.
 *
 *     second_writer_open(&second, store);
 *     if (!second_writer_start(&second, &scope, &gathered, &turns, number))
 *             ... write it here
 *     ...
 *     if (second_writer_is_busy(&second))
 *             status = second_writer_wait(&second, error);
 *             ... count and drop second.gathered
 *     second_writer_release(&second);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_SECOND_WRITER_H
#define SIMHASH_INDEX_SECOND_WRITER_H

#include <stdatomic.h>

#include "base/threads/threads.h"
#include "index/work/gathered.h"
#include "store/open/turns.h"

/* All zero: not opened. */
struct second_writer {
	struct store *store;	    /* of its own, or NULL */
	bool was_opened;	    /* or tried */
	struct gathered gathered;   /* what it writes */
	struct thread_group thread; /* one, while it is busy */
	atomic_bool is_done;
	/* The thread's. */
	struct row_scope scope;
	struct turns *turns;
	uint64_t number;
	int status;
	struct simhash_error error;
};

/* Connect, the first time; where no second connection is to be had, nothing can be started. */
void second_writer_open(struct second_writer *second, const struct store *first);
void second_writer_release(struct second_writer *second); /* not busy */

/*
 * Begin to write what is gathered, which is taken over, with this number in the turns. False, and
 * nothing is done, if it is busy or there is no second writer.
 */
bool second_writer_start(struct second_writer *second, const struct row_scope *scope,
			 struct gathered *gathered, struct turns *turns, uint64_t number);

/* Has it been started, and not been waited for? Need it no longer be waited for? */
bool second_writer_is_busy(const struct second_writer *second);
bool second_writer_is_done(struct second_writer *second);

/* Wait for what it was started for. Whether it was stored or not, the caller drops it. */
int second_writer_wait(struct second_writer *second, struct simhash_error *error);

#endif
