/*
 * Makes the names of members from the names of the archives around them and their own names.
 * SPDX-License-Identifier: MIT
 */
#include <archive_entry.h>
#include <errno.h>
#include <iconv.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "scan/archive/unpacker_state.h"
#include "scan/image/image.h"
#include "scan/mail/mail.h"

/* A locale with UTF-8 names, for the life of the process; 0 if the system has none. */
static locale_t utf8_names;
static bool is_short_of_memory;
static pthread_once_t utf8_names_once = PTHREAD_ONCE_INIT;

static void make_utf8_names(void)
{
	utf8_names = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	is_short_of_memory = utf8_names == (locale_t)0 && errno == ENOMEM;
}

bool unpacker_names_are_ready(void)
{
	pthread_once(&utf8_names_once, make_utf8_names);
	return !is_short_of_memory;
}

locale_t unpacker_names_begin(void)
{
	return utf8_names == (locale_t)0 ? (locale_t)0 : uselocale(utf8_names);
}

void unpacker_names_end(locale_t before)
{
	if (before != (locale_t)0)
		uselocale(before);
}

void unpacker_prepare(unsigned kinds)
{
	iconv_t conversion = iconv_open("UTF-8", "UTF-16BE");

	if (conversion != (iconv_t)-1)
		iconv_close(conversion);
	tzset();
	(void)unpacker_names_are_ready();
	image_prepare(kinds);
	if ((kinds & CONTAINER_MAIL) != 0)
		mail_prepare();
}

struct bytes unpacker_outer_name(struct unpacker *unpacker)
{
	size_t prefix_size = unpacker_top(unpacker)->prefix_size;

	return prefix_size == 0 ? unpacker->request.file_name
				: (struct bytes){unpacker->name, prefix_size - 2};
}

/* Name the content of a compressed file that does not store a name. */
static size_t name_raw(struct unpacker *unpacker, char *name)
{
	struct bytes outer = unpacker_outer_name(unpacker);

	for (size_t i = outer.size; i > 0; i--)
		if (outer.data[i - 1] == '/') {
			outer = (struct bytes){outer.data + i, outer.size - i};
			break;
		}
	return outer.size > CONTAINER_NAME_MAX - 4
		       ? SIZE_MAX
		       : container_plain_name(outer.data, outer.size, name);
}

bool unpacker_name_member(struct unpacker *unpacker, struct archive_entry *entry, bool is_raw)
{
	struct container_level *level = unpacker_top(unpacker);
	size_t prefix_size = level->prefix_size, size;
	const char *path = archive_entry_pathname(entry);
	char *name = unpacker->name + prefix_size, number[24];

	if (is_raw) {
		size = name_raw(unpacker, name);
	} else {
		/*
		 * libarchive returns no bytes of a name that is not text; a number distinguishes
		 * these names.
		 */
		if (path == NULL || path[0] == '\0') {
			snprintf(number, sizeof number, "?%u", ++level->unnamed);
			path = number;
		}
		size = strnlen(path, CONTAINER_NAME_MAX + 1);
		if (prefix_size + size <= CONTAINER_NAME_MAX)
			memcpy(name, path, size);
	}
	if (size > CONTAINER_NAME_MAX || prefix_size + size > CONTAINER_NAME_MAX)
		return false;
	unpacker->name_size = prefix_size + size;
	return true;
}
