/*
 * Starts and joins threads, counts processors, and keeps the first error.
 * SPDX-License-Identifier: MIT
 */
#include "base/threads/threads.h"

#include <stdlib.h>
#include <unistd.h>

unsigned threads_start(struct thread_group *group, unsigned count, thread_fn *run, void *contexts,
		       size_t context_size)
{
	*group = (struct thread_group){.threads = calloc(count, sizeof *group->threads)};
	while (group->threads != NULL && group->count < count &&
	       pthread_create(&group->threads[group->count], NULL, run,
			      (char *)contexts + group->count * context_size) == 0)
		group->count++;
	return group->count;
}

void threads_join(struct thread_group *group)
{
	for (unsigned i = 0; i < group->count; i++)
		pthread_join(group->threads[i], NULL);
	free(group->threads);
	*group = (struct thread_group){NULL, 0};
}

void threads_run(unsigned count, thread_fn *run, void *contexts, size_t context_size)
{
	struct thread_group others = {NULL, 0};

	if (count > 1)
		threads_start(&others, count - 1, run, (char *)contexts + context_size,
			      context_size);
	run(contexts);
	threads_join(&others);
}

unsigned processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (unsigned)count;
}

void first_error_init(struct first_error *first, struct simhash_error *error)
{
	*first = (struct first_error){.is_taken = ATOMIC_FLAG_INIT, .error = error};
}

void first_error_set(struct first_error *first, const struct simhash_error *error)
{
	if (atomic_flag_test_and_set(&first->is_taken))
		return;
	*first->error = *error;
	atomic_store(&first->is_set, true);
}

bool first_error_is_set(struct first_error *first)
{
	return atomic_load(&first->is_set);
}
