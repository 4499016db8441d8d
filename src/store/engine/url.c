/*
 * Parses, decodes and compares the URLs of indexes. The drivers open the indexes.
 * SPDX-License-Identifier: MIT
 */
#include "store/engine/url.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/text/decimal.h"

#define EXPECTED "expected sqlite:/path/to/index.db or mysql://user@host:port/database"

static int copy(const char *text, size_t length, char **out, struct simhash_error *error)
{
	*out = strndup(text, length);
	return *out == NULL ? error_set_memory(error) : 0;
}

/* Copy a part of a URL and decode %XX. An empty part becomes NULL. */
static int decode(const char *text, size_t length, char **out, struct simhash_error *error)
{
	char *write;

	if (length == 0)
		return 0;
	if (copy(text, length, out, error) != 0)
		return -1;
	write = *out;
	for (size_t i = 0; i < length; i++) {
		int byte;
		if (text[i] != '%') {
			*write++ = text[i];
			continue;
		}
		byte = i + 2 < length ? hex_byte(text + i + 1) : -1;
		if (byte <= 0)
			return error_set(
				error, SIMHASH_E_SYNTAX,
				"database URL: expected two hexadecimal digits after '%%'");
		*write++ = (char)byte;
		i += 2;
	}
	*write = '\0';
	return 0;
}

static int parse_port(const char *text, size_t length, unsigned *port, struct simhash_error *error)
{
	int64_t value;

	if (length == 0)
		return 0;
	/* An invalid port may be the beginning of a password that contains a slash. */
	if (decimal_parse(text, length, 0, 65535, &value) != DECIMAL_OK || value == 0)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "database URL: expected a port from 1 to 65535 after the host");
	*port = (unsigned)value;
	return 0;
}

/* Parse host, host:port or [IPv6 address]:port. */
static int parse_host(const char *text, size_t length, struct store_url *url,
		      struct simhash_error *error)
{
	const char *end = text + length;
	const char *colon;

	if (length > 0 && text[0] == '[') {
		const char *bracket = memchr(text, ']', length);
		if (bracket == NULL || (bracket + 1 < end && bracket[1] != ':'))
			return error_set(error, SIMHASH_E_SYNTAX,
					 "database URL: expected [address] or [address]:port");
		if (bracket + 1 < end &&
		    parse_port(bracket + 2, (size_t)(end - bracket - 2), &url->port, error) != 0)
			return -1;
		return decode(text + 1, (size_t)(bracket - text - 1), &url->host, error);
	}
	colon = memchr(text, ':', length);
	if (colon != NULL) {
		if (parse_port(colon + 1, (size_t)(end - colon - 1), &url->port, error) != 0)
			return -1;
		end = colon;
	}
	return decode(text, (size_t)(end - text), &url->host, error);
}

/*
 * Parse the parameters after the database. Messages do not repeat a wrong parameter, because it may
 * be a password.
 */
static int parse_parameters(const char *text, struct store_url *url, struct simhash_error *error)
{
	static const char option[] = "?defaults-file=";
	const char *file = text + strlen(option);

	if (text[0] == '\0')
		return 0;
	if (strncmp(text, option, strlen(option)) != 0 || file[0] == '\0' ||
	    strpbrk(file, "&#") != NULL)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "database URL: expected nothing but ?defaults-file=FILE after the "
				 "database; write %%26 for & in FILE, and %%23 for #");
	return decode(file, strlen(file), &url->defaults_file, error);
}

/* Parse the part after "mysql://". */
static int parse_mysql(const char *text, struct store_url *url, struct simhash_error *error)
{
	size_t authority = strcspn(text, "/?"), name;
	const char *database = text + authority;
	const char *at = NULL;

	for (size_t i = 0; i < authority; i++)
		if (text[i] == '@')
			at = text + i;
	if (at != NULL) {
		if (memchr(text, ':', (size_t)(at - text)) != NULL)
			return error_set(error, SIMHASH_E_SYNTAX,
					 "database URL: expected no password, because other users "
					 "could read it there; put it into the group [client] or "
					 "[simhash] of ~/.my.cnf");
		if (decode(text, (size_t)(at - text), &url->user, error) != 0)
			return -1;
		authority -= (size_t)(at + 1 - text);
		text = at + 1;
	}
	if (parse_host(text, authority, url, error) != 0)
		return -1;
	name = database[0] == '/' ? strcspn(database + 1, "/?#") : 0;
	if (name == 0 || database[name + 1] == '/' || database[name + 1] == '#')
		return error_set(error, SIMHASH_E_SYNTAX,
				 "database URL: expected the name of a database at its end, as in "
				 "mysql://user@host/database");
	if (decode(database + 1, name, &url->database, error) != 0)
		return -1;
	return parse_parameters(database + 1 + name, url, error);
}

int store_url_parse(const char *text, struct store_url *url, struct simhash_error *error)
{
	size_t scheme = strcspn(text, ":");
	int status;

	memset(url, 0, sizeof *url);
	if (strncmp(text, "sqlite:", 7) == 0) {
		if (text[7] == '\0')
			return error_set(error, SIMHASH_E_SYNTAX,
					 "database URL: expected a file after 'sqlite:'");
		status = copy(text + 7, strlen(text + 7), &url->path, error);
	} else if (strncmp(text, "mysql://", 8) == 0) {
		status = parse_mysql(text + 8, url, error);
	} else if (memchr(text, '@', strlen(text)) != NULL) {
		/* The text may contain a password, so do not show it. */
		return error_set(error, SIMHASH_E_SYNTAX, "database URL: " EXPECTED);
	} else {
		return error_set(error, SIMHASH_E_SYNTAX,
				 "database URL '%s': " EXPECTED
				 "; a file of SQLite is named sqlite:%s",
				 text, strchr(text, ':') == NULL ? text : "FILE");
	}
	if (status == 0)
		status = copy(text, scheme, &url->scheme, error);
	if (status != 0)
		store_url_release(url);
	return status;
}

void store_url_release(struct store_url *url)
{
	free(url->scheme);
	free(url->path);
	free(url->user);
	free(url->host);
	free(url->database);
	free(url->defaults_file);
	memset(url, 0, sizeof *url);
}

static bool is_same_file(const char *x, const char *y)
{
	struct stat a, b;

	return stat(x, &a) == 0 && stat(y, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool is_same_option_file(const char *x, const char *y)
{
	return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0 || is_same_file(x, y);
}

static bool is_same_host(const char *x, const char *y)
{
	return x == NULL || y == NULL ? x == y : strcasecmp(x, y) == 0;
}

int store_url_compare(const char *first, const char *second, bool *is_same,
		      struct simhash_error *error)
{
	struct store_url x, y;

	if (store_url_parse(first, &x, error) != 0)
		return -1;
	if (store_url_parse(second, &y, error) != 0) {
		store_url_release(&x);
		return -1;
	}
	if (strcmp(x.scheme, y.scheme) != 0)
		*is_same = false;
	else if (x.path != NULL)
		*is_same = is_same_file(x.path, y.path);
	else
		*is_same = is_same_host(x.host, y.host) && x.port == y.port &&
			   strcmp(x.database, y.database) == 0 &&
			   is_same_option_file(x.defaults_file, y.defaults_file);
	store_url_release(&x);
	store_url_release(&y);
	return 0;
}
