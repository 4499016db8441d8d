/*
 * Determines the URL of the default index, makes its directories, and determines the default host
 * name.
 * SPDX-License-Identifier: MIT
 */
#include "store/engine/default_index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"

/*
 * No other directory has this mode. So if another directory replaces the new one, its owner is not
 * changed.
 */
#define NEW_MODE (S_ISVTX | 0700)

static int hand_over(int parent_fd, const char *name)
{
	struct stat status;
	int result = -1, fd = open_file_at(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);

	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0)
		result =
			status.st_uid != 0 || (status.st_mode & 07777) != NEW_MODE ||
					(fchmod(fd, 0700) == 0 && give_to_owner(parent_fd, fd) == 0)
				? 0
				: -1;
	close_keeping_errno(fd);
	return result;
}

/* Make a directory. If root makes it in the home of another user, that user becomes its owner. */
static int make_directory(const char *path)
{
	const char *name;
	int fd, status;

	if (geteuid() != 0)
		return mkdir(path, 0700);
	fd = open_parent(path, &name);
	if (fd < 0)
		return -1;
	status = mkdirat(fd, name, NEW_MODE);
	if (status == 0)
		status = hand_over(fd, name);
	close_keeping_errno(fd);
	return status;
}

/* Make all directories above the file, private to the user. */
static int make_directories(char *path, struct simhash_error *error)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		int status;
		if (slash[-1] == '/')
			continue;
		*slash = '\0';
		status = make_directory(path);
		if (status != 0 && errno != EEXIST)
			return error_set_errno(error, "cannot create directory %s", path);
		*slash = '/';
	}
	return 0;
}

/* Return the URL "sqlite:`top`/`below`/simhash/simhash.db". */
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
	/* The XDG specification says to ignore relative paths. */
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
