/*
 * Fuzzes URLs of indexes: any text is refused with a message or taken apart, and a URL made from
 * the parts has the same parts.
 * SPDX-License-Identifier: MIT
 */
#include "fuzz.h"
#include "store/engine/url.h"

/* Append a part with every byte as %XX, except for letters and digits. */
static void append_encoded(char *url, const char *part)
{
	char *write = url + strlen(url);

	for (; part != NULL && *part != '\0'; part++) {
		unsigned char c = (unsigned char)*part;
		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
			*write++ = (char)c;
		else
			write += sprintf(write, "%%%02X", c);
	}
	*write = '\0';
}

static char *put_together(const struct store_url *parts, size_t size)
{
	char *url = calloc(1, 3 * size + 64);

	EXPECT(url != NULL);
	if (parts->path != NULL) {
		sprintf(url, "sqlite:%s", parts->path);
		return url;
	}
	strcpy(url, "mysql://");
	if (parts->user != NULL) {
		append_encoded(url, parts->user);
		strcat(url, "@");
	}
	append_encoded(url, parts->host);
	if (parts->port != 0)
		sprintf(url + strlen(url), ":%u", parts->port);
	strcat(url, "/");
	append_encoded(url, parts->database);
	if (parts->defaults_file != NULL) {
		strcat(url, "?defaults-file=");
		append_encoded(url, parts->defaults_file);
	}
	return url;
}

static int same(const char *x, const char *y)
{
	return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
}

static void expect_parts(const struct store_url *parts)
{
	int is_sqlite = same(parts->scheme, "sqlite");

	EXPECT(is_sqlite || same(parts->scheme, "mysql"));
	EXPECT((parts->path != NULL) == is_sqlite);
	EXPECT((parts->database == NULL) == is_sqlite);
	EXPECT(parts->port <= 65535);
	EXPECT(parts->defaults_file == NULL || (!is_sqlite && parts->defaults_file[0] != '\0'));
	/* Empty parts are left to the option files. */
	EXPECT(parts->user == NULL || parts->user[0] != '\0');
	EXPECT(parts->host == NULL || parts->host[0] != '\0');
	EXPECT(parts->database == NULL || parts->database[0] != '\0');
}

/* A possible password is not repeated: other letters in it give the same message. */
static void expect_no_secret(char *text, const char *message)
{
	char *slash = strchr(text + strnlen(text, 8), '/');
	char *end = slash == NULL ? NULL : strchr(slash, '?');
	char *at = end == NULL ? strrchr(text, '@') : memrchr(text, '@', (size_t)(end - text));
	struct simhash_error error;
	struct store_url parts;

	if (strncmp(text, "mysql://", 8) != 0 || at == NULL)
		return;
	for (char *c = text + 8; c < at; c++)
		if ((*c >= 'g' && *c <= 'z') || (*c >= 'G' && *c <= 'Z'))
			*c = 'x';
	EXPECT(store_url_parse(text, &parts, &error) != 0);
	EXPECT(strcmp(error.message, message) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	char *text = take_text(&in, size), *url;
	struct simhash_error error = {.message = ""};
	struct store_url parts, again;

	if (store_url_parse(text, &parts, &error) == 0) {
		expect_parts(&parts);
		url = put_together(&parts, size);
		EXPECT(store_url_parse(url, &again, &error) == 0);
		EXPECT(same(parts.scheme, again.scheme) && same(parts.path, again.path) &&
		       same(parts.user, again.user) && same(parts.host, again.host) &&
		       same(parts.database, again.database) &&
		       same(parts.defaults_file, again.defaults_file) && parts.port == again.port);
		store_url_release(&again);
		store_url_release(&parts);
		free(url);
	} else {
		EXPECT(error.code == SIMHASH_E_SYNTAX && error.message[0] != '\0');
		EXPECT(parts.scheme == NULL && parts.path == NULL && parts.user == NULL &&
		       parts.host == NULL && parts.database == NULL && parts.defaults_file == NULL);
		expect_no_secret(text, error.message);
	}
	free(text);
	return 0;
}
