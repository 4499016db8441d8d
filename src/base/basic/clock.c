/*
 * Reads the clocks, folds times that do not fit into 64 bits, and waits until a time.
 * SPDX-License-Identifier: MIT
 */
#include "base/basic/clock.h"

#include <errno.h>
#include <time.h>

static int64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S),
				 .tv_nsec = (long)(ns % NS_PER_S)};
}

int64_t clock_monotonic_ns(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

int64_t clock_wall_ns(void)
{
	return now_ns(CLOCK_REALTIME);
}

#define BEYOND_S (INT64_MAX / NS_PER_S) /* the first value that does not fit */
#define ORDER_MAX ((INT64_C(1) << 24) - 1)

/* Fold a time that does not fit: 24 bits give its order, and 32 bits distinguish it from others. */
static int64_t folded_ns(int64_t seconds, int64_t nanoseconds)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t mixed = ((uint64_t)seconds * (uint64_t)NS_PER_S + (uint64_t)nanoseconds) * odd;
	int64_t order = (seconds - BEYOND_S) >> 10;

	if (order > ORDER_MAX)
		order = ORDER_MAX;
	return BEYOND_S * NS_PER_S - (INT64_C(1) << 56) + (order << 32 | (int64_t)(mixed >> 32));
}

int64_t clock_ns(int64_t seconds, int64_t nanoseconds)
{
	if (seconds >= BEYOND_S)
		return folded_ns(seconds, nanoseconds);
	if (seconds <= -BEYOND_S)
		return NS_PER_S -
		       folded_ns(seconds == INT64_MIN ? INT64_MAX : -seconds, nanoseconds);
	return seconds * NS_PER_S + nanoseconds;
}

double clock_monotonic_s(void)
{
	return (double)clock_monotonic_ns() / (double)NS_PER_S;
}

void clock_sleep_ns(int64_t duration_ns)
{
	struct timespec rest = timespec_of(duration_ns);

	while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
		;
}

#ifdef __APPLE__
/* Conditions of macOS have no other clock, so they wait for a duration. */
int clock_condition_init(pthread_cond_t *condition)
{
	return pthread_cond_init(condition, NULL);
}

bool clock_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline_ns)
{
	int64_t rest_ns = deadline_ns - clock_monotonic_ns();
	struct timespec rest = timespec_of(rest_ns < 0 ? 0 : rest_ns);

	return pthread_cond_timedwait_relative_np(condition, mutex, &rest) == ETIMEDOUT;
}
#else
int clock_condition_init(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;
	int status = pthread_condattr_init(&attributes);

	if (status != 0)
		return status;
	status = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	if (status == 0)
		status = pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
	return status;
}

bool clock_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline_ns)
{
	struct timespec deadline = timespec_of(deadline_ns);

	return pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT;
}
#endif
