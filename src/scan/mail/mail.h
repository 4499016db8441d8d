/*
 * Reads the messages of a mailbox (mbox), or the parts of one message (eml), one after another in
 * one pass. The parts are decoded: base64, quoted-printable and uuencode.
 *
 *     mail = mail_new(is_mailbox, read, context);
 *     while ((status = mail_next(mail, &name)) > 0)
 *             while ((got = mail_read(mail, buffer, size)) > 0)
 *                     use(name, buffer, got);
 *     mail_free(mail);
 *
 * The messages of a mailbox are 000001.eml, 000002.eml and so on, in their order, so new mail does
 * not rename older messages. A message has the bytes that it had before it was put into the mailbox:
 * without the line before it that begins with "From ", and without the ">" that was put before its
 * own lines that begin with "From ".
 *
 * A part has the base name that the message gives it: bytes after the last "/". A part whose name is
 * missing, "." or "..", longer than 255 bytes, or not readable, is called after its number and its
 * type, such as 1.txt or 2.html. If another part of the message has the name, "-NUMBER" is added.
 *
 * Anybody may have sent the message, so the memory is limited no matter how large it is: about 300
 * KiB, and 8 bytes for each of at most 20,000 parts. Multiparts may be nested to 100 levels, and 64
 * KiB of the headers of a part are read. Mail beyond these limits is a failure, see mail_failure.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_MAIL_H
#define SIMHASH_SCAN_MAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/basic/bytes.h"

struct mail;

/* Return the version of the library that reads mail, or NULL without it. */
const char *mail_library(void);

/* Load the library and all files that reading needs, before the process restricts itself. */
void mail_prepare(void);

/*
 * `read` returns the next bytes of the file: their number, 0 at the end, or -1. The context is
 * borrowed. The first call loads the library. Returns NULL with errno: ENOMEM, or ENOTSUP without
 * the library.
 */
struct mail *mail_new(bool is_mailbox, ssize_t (*read)(void *context, void *buffer, size_t size),
		      void *context);
void mail_free(struct mail *mail); /* NULL is allowed */

/*
 * Go to the next message or part, and skip the rest of the last one. The name lives until the next
 * call. Returns 1, 0 at the end, or -1 if reading failed or memory is short (errno is ENOMEM).
 */
int mail_next(struct mail *mail, struct bytes *name);
/* Is the current member a message, no matter what its first bytes are? */
bool mail_is_message(const struct mail *mail);
/* Read its next bytes: their number, 0 at its end, or -1 if reading failed. */
ssize_t mail_read(struct mail *mail, void *buffer, size_t size);
/* After the end of a member: return an enum container_failure about it, once; or 0. */
int mail_failure(struct mail *mail);

#endif
