/*
 * Ending a run early, by SIGINT or SIGTERM.
 *
 *     catch_signals();
 *     ... work that ends early once `stop_requested` is set ...
 *     if (is_interrupted)
 *             end_by_signal("simhash", "interrupted; everything scanned so far is stored");
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_STOP_H
#define SIMHASH_CLI_STOP_H

#include <stdatomic.h>

extern atomic_bool stop_requested;

/* From now on the first signal sets stop_requested, and a second one ends the program at once. */
void catch_signals(void);

/* Write a message, and end as the signal would have, so that whoever started the program sees it. */
void end_by_signal(const char *program, const char *message);

#endif
