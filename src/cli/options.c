/*
 * Choosing the index, the tag set, the host name and the scan kernel.
 * SPDX-License-Identifier: MIT
 */
#include "cli/options.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/lost_mapping.h"
#include "store/store.h"

/* Make every directory above the file, private to the user. */
static int make_directories(char *path, struct simhash_error *error)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		int status;
		*slash = '\0';
		status = mkdir(path, 0700);
		if (status != 0 && errno != EEXIST)
			return error_set_errno(error, "cannot make directory %s", path);
		*slash = '/';
	}
	return 0;
}

/* "sqlite:" and `top`/`below`/simhash/simhash.db */
static int default_url(const char *top, const char *below, bool create, char **url,
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

static int find_database(const char *option, bool create, char **url, struct simhash_error *error)
{
	const char *data_home = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (option == NULL)
		option = getenv("SIMHASH_DATABASE");
	if (option != NULL && option[0] != '\0') {
		*url = strdup(option);
		return *url == NULL ? error_set_memory(error) : 0;
	}
	/* By the XDG specification relative paths are ignored. */
	if (data_home != NULL && data_home[0] == '/')
		return default_url(data_home, "", create, url, error);
	if (home != NULL && home[0] == '/')
		return default_url(home, "/.local/share", create, url, error);
	*url = NULL;
	return error_set(error, SIMHASH_E_SYNTAX,
			 "no index is named: give --database, or set SIMHASH_DATABASE or HOME");
}

int choose_database(const char *option, bool create, char **url, struct simhash_error *error)
{
	if (find_database(option, create, url, error) != 0)
		return -1;
	name_index(*url);
	return 0;
}

int choose_tag_set(const char *option, struct simhash_tag_set **set, struct simhash_error *error)
{
	return option == NULL ? simhash_tag_set_new_default(set, error)
			      : simhash_tag_set_read(option, set, error);
}

bool is_host_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '-' || c == '_';
}

int choose_host(const char *option, char name[HOST_NAME_SIZE], struct simhash_error *error)
{
	bool is_valid = true;

	if (option == NULL) {
		if (gethostname(name, HOST_NAME_SIZE) != 0)
			return error_set_errno(error, "cannot read the name of this host");
		name[HOST_NAME_SIZE - 1] = '\0';
		for (char *c = name; *c != '\0'; c++)
			if (!is_host_character(*c))
				*c = '-';
		if (name[0] == '\0')
			snprintf(name, HOST_NAME_SIZE, "localhost");
		return 0;
	}
	for (const char *c = option; *c != '\0'; c++)
		is_valid = is_valid && is_host_character(*c);
	if (!is_valid || option[0] == '\0' || strlen(option) >= HOST_NAME_SIZE)
		return error_set(error, SIMHASH_E_RANGE,
				 "--host '%s': expected 1 to %d letters, digits, '.', '-' or '_'",
				 option, HOST_NAME_SIZE - 1);
	snprintf(name, HOST_NAME_SIZE, "%s", option);
	return 0;
}

unsigned processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (unsigned)count;
}

int choose_kernel(struct simhash_error *error)
{
	const char *name = getenv("SIMHASH_KERNEL");

	return name == NULL || name[0] == '\0' ? 0 : simhash_kernel_select(name, error);
}

void ignore_size_signal(void)
{
	signal(SIGXFSZ, SIG_IGN);
}

void print_version(const char *program)
{
	printf("%s %s\nscan kernel: %s\nindexes: sqlite%s\n", program, SIMHASH_VERSION,
	       simhash_kernel_name(),
	       store_has_engine("mysql") ? ", mysql" : " (mysql was not built in)");
}
