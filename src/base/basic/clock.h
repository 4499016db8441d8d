/*
 * Two clocks in nanoseconds: one only goes forward and serves durations and deadlines, the other is
 * the time of day for stored times. Any thread may call these functions.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_CLOCK_H
#define SIMHASH_BASE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

int64_t clock_monotonic_ns(void);
int64_t clock_wall_ns(void); /* since 1970 */

/*
 * A time of the system in nanoseconds, which 64 bits hold for 292 years before and after 1970. Times
 * beyond that differ if they differ, but for one chance in 2^32, and come in order of 17 minutes:
 * they are among the first, or the last, 2^56 ns of what 64 bits hold, which are 2.3 years.
 */
int64_t clock_ns(int64_t seconds, int64_t nanoseconds);

/* clock_monotonic_ns in seconds. */
double clock_monotonic_s(void);

/* Wait for `duration_ns`, also where signals interrupt. */
void clock_sleep_ns(int64_t duration_ns);

/* Make a condition whose timed waits follow the monotonic clock. 0, or an errno. */
int clock_condition_init(pthread_cond_t *condition);

/* Wait on such a condition at most until `deadline_ns` of the monotonic clock. True: timed out. */
bool clock_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline_ns);

#endif
