/*
 * Sends output for a terminal through the user's pager.
 *
 *     pager_start("simfind");
 *     ... write to stdout ...
 *     pager_finish();
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_PAGER_H
#define SIMHASH_CLI_PAGER_H

/*
 * From now on stdout, which is a terminal, is read by $PAGER, or by less where that is not set. If
 * it is empty or cat, if there is no less, or on a terminal that cannot move its cursor, nothing
 * changes; nor where the pager cannot be run, which is reported.
 */
void pager_start(const char *program);

/* Flush stdout, wait for the pager, and have stdout be the terminal again. May be called always. */
void pager_finish(void);

/* Before a signal ends the program: wait for the pager, which has the terminal. */
void pager_wait_at_signal(void);

#endif
