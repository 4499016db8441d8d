/*
 * A thread for each transaction: there are few.
 * SPDX-License-Identifier: MIT
 */
#include "index/work/second_writer.h"

#include "store/open/store.h"

void second_writer_open(struct second_writer *second, const struct store *first)
{
	if (!second->was_opened)
		store_open_second(first, &second->store);
	second->was_opened = true;
}

void second_writer_release(struct second_writer *second)
{
	gathered_release(&second->gathered);
	store_close(second->store);
}

static void *write_gathered(void *context)
{
	struct second_writer *second = context;
	struct store_batch changes = gathered_changes(&second->gathered);
	int64_t removed;

	second->status = store_write_in_turn(second->store, &second->scope, &changes, second->turns,
					     second->number, &removed, &second->error);
	atomic_store(&second->is_done, true);
	return NULL;
}

bool second_writer_start(struct second_writer *second, const struct row_scope *scope,
			 struct gathered *gathered, struct turns *turns, uint64_t number)
{
	struct gathered empty = second->gathered;

	if (second->store == NULL || second_writer_is_busy(second))
		return false;
	second->gathered = *gathered;
	*gathered = empty;
	second->scope = *scope;
	second->turns = turns;
	second->number = number;
	atomic_store(&second->is_done, false);
	if (threads_start(&second->thread, 1, write_gathered, second, 0) == 1)
		return true;
	threads_join(&second->thread);
	*gathered = second->gathered;
	second->gathered = empty;
	return false;
}

bool second_writer_is_busy(const struct second_writer *second)
{
	return second->thread.count > 0;
}

bool second_writer_is_done(struct second_writer *second)
{
	return second_writer_is_busy(second) && atomic_load(&second->is_done);
}

int second_writer_wait(struct second_writer *second, struct simhash_error *error)
{
	threads_join(&second->thread);
	if (second->status != 0)
		*error = second->error;
	return second->status;
}
