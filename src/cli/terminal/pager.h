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
 * Send stdout, which is a terminal, to $PAGER, or to less if it is not set. Nothing changes if
 * $PAGER is empty or cat, if there is no less, if the terminal cannot move its cursor, or if the
 * pager cannot be run, which is reported.
 */
void pager_start(const char *program);

/* Flush stdout, wait for the pager, and make stdout the terminal again. May always be called. */
void pager_finish(void);

/* Call it before a signal ends the program: waits for the pager, which uses the terminal. */
void pager_wait_at_signal(void);

#endif
