/*
 * Replaces the reader of mail in a build without GMime.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>

#include "scan/mail/mail.h"

const char *mail_library(void)
{
	return NULL;
}

void mail_prepare(void)
{
}

struct mail *mail_new(bool is_mailbox, ssize_t (*read)(void *context, void *buffer, size_t size),
		      void *context)
{
	(void)is_mailbox;
	(void)read;
	(void)context;
	errno = ENOTSUP;
	return NULL;
}

void mail_free(struct mail *mail)
{
	(void)mail;
}

int mail_next(struct mail *mail, struct bytes *name)
{
	(void)mail;
	(void)name;
	return 0;
}

bool mail_is_message(const struct mail *mail)
{
	(void)mail;
	return false;
}

ssize_t mail_read(struct mail *mail, void *buffer, size_t size)
{
	(void)mail;
	(void)buffer;
	(void)size;
	return 0;
}

int mail_failure(struct mail *mail)
{
	(void)mail;
	return 0;
}
