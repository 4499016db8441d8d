/*
 * Reads two clocks in nanoseconds: one only goes forward and measures durations and deadlines, the
 * other is the time of day for stored times. Any thread may call these functions.
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
 * Convert a system time to nanoseconds. 64 bits suffice for 292 years before and after 1970. Times
 * beyond this range keep their order in steps of 17 minutes and use the first or last 2^56 ns (2.3
 * years) of the 64-bit range. Two different times there become equal with a chance of 1 in 2^32.
 */
int64_t clock_ns(int64_t seconds, int64_t nanoseconds);

/* Return clock_monotonic_ns in seconds. */
double clock_monotonic_s(void);

/* Wait for `duration_ns`, even if signals interrupt. */
void clock_sleep_ns(int64_t duration_ns);

/* Make a condition whose timed waits follow the monotonic clock. Returns 0 or an errno. */
int clock_condition_init(pthread_cond_t *condition);

/*
 * Wait on such a condition until `deadline_ns` of the monotonic clock. Returns true after a
 * timeout.
 */
bool clock_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline_ns);

#endif
