/*
 * Reads the parts of one message; mail.h describes them.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_MESSAGE_H
#define SIMHASH_SCAN_MESSAGE_H

#include "scan/mail/mail_lines.h"

struct message;

/* The lines are borrowed. NULL if memory is short. */
struct message *message_new(struct mail_lines *lines);
void message_free(struct message *message); /* NULL is allowed */

/* These are as in mail.h. */
int message_next(struct message *message, struct bytes *name);
bool message_is_message(const struct message *message);
ssize_t message_read(struct message *message, void *buffer, size_t size);
int message_failure(struct message *message);

#endif
