/*
 * Splits a mailbox into its messages, and passes a single message on to message.c.
 * SPDX-License-Identifier: MIT
 */
#include "scan/mail/mail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "scan/file/mail_kind.h"
#include "scan/mail/mail_lines.h"
#include "scan/mail/mail_part.h"
#include "scan/mail/message.h"

#define QUOTED "From "

struct mail {
	struct mail_lines lines;
	struct message *message; /* NULL for a mailbox */
	/* The current message of a mailbox: */
	unsigned number;
	bool is_over;
	struct bytes out;      /* bytes to return */
	struct mail_line line; /* the line of these bytes, if has_line */
	bool has_line;
	size_t empty_size; /* the end of an empty line that may belong to the mailbox, or 0 */
	char name[24];
};

const char *mail_library(void)
{
	return mail_part_library();
}

void mail_prepare(void)
{
	mail_part_prepare();
}

struct mail *mail_new(bool is_mailbox, mail_read_fn *read, void *context)
{
	struct mail *mail;

	if (!mail_part_is_ready()) {
		errno = ENOTSUP;
		return NULL;
	}
	mail = calloc(1, sizeof *mail);
	if (mail == NULL || mail_lines_begin(&mail->lines, read, context) != 0) {
		free(mail);
		errno = ENOMEM;
		return NULL;
	}
	mail->is_over = true;
	mail->out = bytes_of("");
	mail->message = is_mailbox ? NULL : message_new(&mail->lines);
	if (is_mailbox || mail->message != NULL)
		return mail;
	mail_free(mail);
	errno = ENOMEM;
	return NULL;
}

void mail_free(struct mail *mail)
{
	if (mail == NULL)
		return;
	message_free(mail->message);
	mail_lines_release(&mail->lines);
	free(mail);
}

/* ---- Mailboxes ---- */

static bool begins_message(const struct mail_line *line)
{
	return line->is_start && mail_is_from_line((struct bytes){line->data, line->size});
}

/* Does the line begin with at least one ">" and "From "? Then remove the first ">". */
static void unquote(struct mail_line *line)
{
	size_t at = 0;

	while (line->is_start && at < line->size && line->data[at] == '>')
		at++;
	if (at == 0 || line->size < at + sizeof QUOTED - 1 ||
	    memcmp(line->data + at, QUOTED, sizeof QUOTED - 1) != 0)
		return;
	line->data++;
	line->size--;
}

/* Go on after the line that was returned last. */
static void finish_line(struct mail *mail)
{
	if (mail->has_line)
		mail_lines_take(&mail->lines, &mail->line);
	mail->has_line = false;
}

/*
 * Get the next bytes of the message, or its end. An empty line before the next message, or at the
 * end of the mailbox, does not belong to the message. -1 if reading failed.
 */
static int read_line(struct mail *mail)
{
	struct mail_line own;
	int status;

	finish_line(mail);
	while ((status = mail_lines_peek(&mail->lines, &mail->line)) > 0 &&
	       !begins_message(&mail->line)) {
		if (mail->empty_size > 0) {
			mail->out = bytes_of(mail->empty_size == 2 ? "\r\n" : "\n");
			mail->empty_size = 0;
			return 0;
		}
		if (!mail->line.is_start || mail->line.size > 0) {
			own = mail->line;
			unquote(&own);
			mail->out = (struct bytes){own.data, own.size + own.end_size};
			mail->has_line = true;
			return 0;
		}
		mail->empty_size = mail->line.end_size;
		mail_lines_take(&mail->lines, &mail->line);
	}
	mail->is_over = true;
	return status < 0 ? -1 : 0;
}

static ssize_t read_lines(struct mail *mail, void *buffer, size_t room)
{
	size_t have = 0;

	while (have < room && (mail->out.size > 0 || !mail->is_over)) {
		size_t size = mail->out.size < room - have ? mail->out.size : room - have;
		if (size > 0)
			memcpy((char *)buffer + have, mail->out.data, size);
		have += size;
		mail->out = bytes_after(mail->out, size);
		if (mail->out.size == 0 && !mail->is_over && read_line(mail) != 0)
			return -1;
	}
	return (ssize_t)have;
}

/* Skip the rest of the last message, and the line before the next one. */
static int next_message(struct mail *mail, struct bytes *name)
{
	struct mail_line line;
	int status;

	finish_line(mail);
	while ((status = mail_lines_peek(&mail->lines, &line)) > 0 && !begins_message(&line))
		mail_lines_take(&mail->lines, &line);
	if (status <= 0)
		return status;
	mail_lines_take(&mail->lines, &line);
	mail->is_over = false;
	mail->empty_size = 0;
	mail->out = bytes_of("");
	snprintf(mail->name, sizeof mail->name, "%06u.eml", ++mail->number);
	*name = bytes_of(mail->name);
	return 1;
}

int mail_next(struct mail *mail, struct bytes *name)
{
	return mail->message != NULL ? message_next(mail->message, name) : next_message(mail, name);
}

bool mail_is_message(const struct mail *mail)
{
	return mail->message == NULL || message_is_message(mail->message);
}

ssize_t mail_read(struct mail *mail, void *buffer, size_t size)
{
	if (mail->message != NULL)
		return message_read(mail->message, buffer, size);
	return read_lines(mail, buffer, size);
}

int mail_failure(struct mail *mail)
{
	return mail->message != NULL ? message_failure(mail->message) : 0;
}
