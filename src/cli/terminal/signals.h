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
 * From now on the first SIGINT or SIGTERM, or SIGHUP that is not ignored, sets stop_requested, and
 * a second one ends the program. After the first one, the program also ends
 * - if a call to a server, counted in server_calls, gets no answer for about half a second: the
 *   server undoes what is not committed;
 * - a little later if the program uses no processor and calls no database: it waits for a file or
 *   a pipe. A call to SQLite, counted in disk_calls, is waited for: it may write to a slow disk.
 */
void catch_signals(void);

/* The status that a shell reports of a program that the caught signal ends. */
int signal_exit_status(void);

/* Write a message, and end as the signal would have, so that whoever started the program sees it. */
void end_by_signal(const char *program, const char *message);

/*
 * For a program that does not catch signals: before a signal of a person or a shell ends it, the
 * progress line is erased and incomplete outputs are removed. If the main thread blocks a signal,
 * or waits in the kernel and cannot take it, the signal waits; it ends the program if the main
 * thread then does nothing for almost a second, or for ten seconds during acts. Call it in the
 * main thread.
 */
void tidy_up_at_signals(void);

/*
 * SQLite maps a file beside the index into memory; where that file cannot be written, since its
 * disk is full, over quota or damaged, using the memory is SIGBUS. From now on a bus error ends
 * the program with status 1 and a message that names the indexes; before an index is named, as it
 * does by default.
 */
void end_at_bus_error(const char *program);

/* An index that the program opens; its URL is copied. Call it before there are threads. */
void name_index(const char *url);

/*
 * Have a write past the limit of file sizes fail, instead of SIGXFSZ ending the program; and know
 * how commands end, though who starts the program may ignore SIGCHLD.
 */
void begin_signals(void);

#endif
