/*
 * Whose turn it is to commit.
 * SPDX-License-Identifier: MIT
 */
#include "store/open/turns.h"

#include "base/basic/clock.h"
#include "base/basic/error.h"

void turns_init(struct turns *turns, int64_t wait_ns)
{
	*turns = (struct turns){.wait_ns = wait_ns};
	pthread_mutex_init(&turns->mutex, NULL);
	clock_condition_init(&turns->changed);
}

void turns_release(struct turns *turns)
{
	pthread_cond_destroy(&turns->changed);
	pthread_mutex_destroy(&turns->mutex);
}

/* In the lock. What is not done is not done in time. */
static int outcome(const struct turns *turns, uint64_t number, struct simhash_error *error)
{
	if (turns->has_failed)
		return error_set(error, ERROR_STOPPED, "stopped");
	return turns->done >= number
		       ? 0
		       : error_set(error, ERROR_RETRY, "the transaction before takes too long");
}

static bool is_waiting(const struct turns *turns, uint64_t number)
{
	return turns->done < number && !turns->has_failed;
}

int turns_await(struct turns *turns, uint64_t number, struct simhash_error *error)
{
	int status;

	pthread_mutex_lock(&turns->mutex);
	while (is_waiting(turns, number))
		pthread_cond_wait(&turns->changed, &turns->mutex);
	status = outcome(turns, number, error);
	pthread_mutex_unlock(&turns->mutex);
	return status;
}

int turns_await_or_give_way(struct turns *turns, uint64_t number, struct simhash_error *error)
{
	int64_t deadline_ns = clock_monotonic_ns() + turns->wait_ns;
	bool is_late = false;
	int status;

	pthread_mutex_lock(&turns->mutex);
	while (is_waiting(turns, number) && !is_late)
		is_late = clock_condition_wait(&turns->changed, &turns->mutex, deadline_ns);
	status = outcome(turns, number, error);
	pthread_mutex_unlock(&turns->mutex);
	return status;
}

void turns_end(struct turns *turns, bool has_failed)
{
	pthread_mutex_lock(&turns->mutex);
	if (has_failed)
		turns->has_failed = true;
	else
		turns->done++;
	pthread_cond_broadcast(&turns->changed);
	pthread_mutex_unlock(&turns->mutex);
}
