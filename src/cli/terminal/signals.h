/*
 * Defines the effects of signals on a run.
 *
 *     catch_signals();
 *     ... work that ends early once `stop_requested` is set ...
 *     if (is_interrupted)
 *             end_by_signal("simhash", "interrupted; everything scanned so far is stored");
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_SIGNALS_H
#define SIMHASH_CLI_SIGNALS_H

#include <stdatomic.h>

#include "store/engine/location.h"

extern atomic_bool stop_requested, acts_are_under_way;
extern struct store_calls server_calls, disk_calls;

/*
 * After this call, the first SIGINT or SIGTERM, or SIGHUP if it is not ignored, sets
 * stop_requested, and a second one ends the program. After the first one, the program also ends
 * - if a call to a server, counted in server_calls, gets no answer for about half a second; the
 *   server then undoes uncommitted changes;
 * - a little later if the program uses no processor and calls no database, because it then waits
 *   for a file or a pipe. A call to SQLite, counted in disk_calls, may take longer, because the
 *   disk may be slow.
 */
void catch_signals(void);

/* The exit status that a shell reports when the caught signal ends a program. */
int signal_exit_status(void);

/* Write a message, and end by the same signal, so that the caller of the program sees it. */
void end_by_signal(const char *program, const char *message);

/*
 * For a program that does not catch signals: erase the progress line and remove incomplete outputs
 * before a signal ends the program. If the main thread blocks a signal, or waits in the kernel and
 * cannot take it, the signal waits; it ends the program if the main thread then does nothing for
 * almost a second, or for ten seconds during acts. Call it in the main thread.
 */
void tidy_up_at_signals(void);

/*
 * SQLite maps a file next to the index into memory. If that file cannot be written because its disk
 * is full, over quota or damaged, using the memory causes SIGBUS. After this call, a bus error ends
 * the program with status 1 and a message that names the indexes. If no index was named yet, the
 * default action stays.
 */
void end_at_bus_error(const char *program);

/* Name an index that the program opens; its URL is copied. Call it before threads are started. */
void name_index(const char *url);

/*
 * Make a write beyond the limit of file sizes fail instead of ending the program by SIGXFSZ. Make
 * the exit status of commands available even if the caller ignores SIGCHLD.
 */
void begin_signals(void);

#endif
