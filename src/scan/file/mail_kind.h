/*
 * Recognizes mail by its first lines, no matter what the name of the file is.
 *
 * A message begins with header lines only, up to the first empty line, if it is among the
 * first bytes. Among them are From, Date, and one of Message-ID, MIME-Version, Received, Return-Path and
 * Delivered-To. Other texts with header lines, such as answers of web servers and descriptions of
 * packages, lack one of them.
 *
 * A mailbox begins with a line "From SENDER DATE", and then header lines with at least one of
 * these six or Subject. The patches that git writes begin like this, with a fixed date so that
 * programs can recognize them, and are not mail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_MAIL_KIND_H
#define SIMHASH_SCAN_MAIL_KIND_H

#include <stdbool.h>

#include "base/basic/bytes.h"

enum mail_kind { MAIL_NONE, MAIL_MESSAGE, MAIL_BOX };

/* Return the kind of a file that begins with these bytes. */
enum mail_kind mail_kind(struct bytes head);

/* Does this line, without its end, begin a message of a mailbox? */
bool mail_is_from_line(struct bytes line);

#endif
