/*
 * The default index and the default host name.
 * SPDX-License-Identifier: MIT
 */
#include "store/default_index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"

/* Make every directory above the file, private to the user. */
static int make_directories(char *path, struct simhash_error *error)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		int status;
		*slash = '\0';
		status = mkdir(path, 0700);
		if (status != 0 && errno != EEXIST)
			return error_set_errno(error, "cannot create directory %s", path);
		*slash = '/';
	}
	return 0;
}

/* "sqlite:" and `top`/`below`/simhash/simhash.db */
static int user_url(const char *top, const char *below, bool create, char **url,
		    struct simhash_error *error)
{
	static const char format[] = "sqlite:%s%s/simhash/simhash.db";
	size_t size = sizeof format + strlen(top) + strlen(below);

	*url = malloc(size);
	if (*url == NULL)
		return error_set_memory(error);
	snprintf(*url, size, format, top, below);
	if (create && make_directories(*url + strlen("sqlite:"), error) != 0) {
		free(*url);
		*url = NULL;
		return -1;
	}
	return 0;
}

int default_index_url(const char *given, bool create, char **url, struct simhash_error *error)
{
	const char *data_home = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (given == NULL)
		given = getenv("SIMHASH_DATABASE");
	if (given != NULL && given[0] != '\0') {
		*url = strdup(given);
		return *url == NULL ? error_set_memory(error) : 0;
	}
	/* By the XDG specification relative paths are ignored. */
	if (data_home != NULL && data_home[0] == '/')
		return user_url(data_home, "", create, url, error);
	if (home != NULL && home[0] == '/')
		return user_url(home, "/.local/share", create, url, error);
	*url = NULL;
	return error_set(error, SIMHASH_E_SYNTAX,
			 "no index is named; give --database or set SIMHASH_DATABASE or HOME");
}

bool is_host_character(char c)
{
	return ascii_is_letter(c) || ascii_is_digit(c) || c == '.' || c == '-' || c == '_';
}

int default_host_name(char name[HOST_NAME_SIZE], struct simhash_error *error)
{
	if (gethostname(name, HOST_NAME_SIZE) != 0)
		return error_set_errno(error, "cannot get the name of this host");
	name[HOST_NAME_SIZE - 1] = '\0';
	for (char *c = name; *c != '\0'; c++)
		if (!is_host_character(*c))
			*c = '-';
	if (name[0] == '\0')
		snprintf(name, HOST_NAME_SIZE, "localhost");
	return 0;
}
