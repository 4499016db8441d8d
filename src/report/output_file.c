/*
 * Writing beside a file and taking its place.
 * SPDX-License-Identifier: MIT
 */
#include "report/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/open_file.h"
#include "base/path.h"
#include "store/store.h"

#define LINKS_MAX 40 /* as Linux follows */
#define PENDING_MAX 4

/* ---- What a signal has to remove ---- */

static _Atomic(char *) pending[PENDING_MAX];

static void add_pending(char *path)
{
	for (size_t i = 0; i < PENDING_MAX; i++) {
		char *none = NULL;
		if (atomic_compare_exchange_strong(&pending[i], &none, path))
			return;
	}
}

static void drop_pending(char *path)
{
	for (size_t i = 0; i < PENDING_MAX; i++) {
		char *expected = path;
		atomic_compare_exchange_strong(&pending[i], &expected, NULL);
	}
}

void outputs_remove(void)
{
	for (size_t i = 0; i < PENDING_MAX; i++) {
		char *path = atomic_load(&pending[i]);
		if (path != NULL)
			unlink(path);
	}
}

/* ---- Opening ---- */

/* Names of open descriptors lead to files, but what they stand for is the descriptor. */
static bool names_descriptor(const char *path)
{
	return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/", 6) == 0 ||
	       strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0;
}

static bool is_stdout(const char *path)
{
	return path == NULL || strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

/* Where a symbolic link leads, whether or not that exists: for the caller to free; NULL with errno. */
static char *follow_links(const char *path)
{
	char *at = strdup(path), text[PATH_MAX];
	ssize_t size;

	for (int links = 0; at != NULL && (size = readlink(at, text, sizeof text)) >= 0; links++) {
		char *next = text[0] == '/' ? strndup(text, (size_t)size)
					    : path_join(path_directory(at),
							(struct bytes){text, (size_t)size});
		free(at);
		at = next;
		if (links == LINKS_MAX) {
			free(at);
			errno = ELOOP;
			return NULL;
		}
	}
	return at;
}

/* A private file in the directory of the target: its descriptor, or -1 with errno. */
static int make_temporary(struct output_file *output)
{
	static const char name[] = ".simfind.XXXXXX";
	sigset_t all, before;
	int fd;

	output->temporary =
		path_join(path_directory(output->target), (struct bytes){name, sizeof name - 1});
	if (output->temporary == NULL)
		return -1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	fd = mkostemp(output->temporary, O_CLOEXEC);
	if (fd >= 0)
		add_pending(output->temporary);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (fd < 0) {
		free(output->temporary);
		output->temporary = NULL;
	}
	return fd;
}

/* As the file that will be replaced; a group that cannot be kept has no rights to the new one. */
static void keep_owner(struct output_file *output, int fd, const struct stat *old)
{
	struct stat now;

	output->mode = old->st_mode & 0777;
	if (fchown(fd, old->st_uid, old->st_gid) != 0 && fchown(fd, (uid_t)-1, old->st_gid) != 0 &&
	    (fstat(fd, &now) != 0 || now.st_gid != old->st_gid))
		output->mode &= ~(mode_t)S_IRWXG;
}

static mode_t without_umask(mode_t mode)
{
	mode_t mask = umask(0);

	umask(mask);
	return mode & ~mask;
}

/* Is what is there a file of its own file system, such as one that a container was given? */
static bool is_mounted(const char *target, const struct stat *old)
{
	struct bytes directory = path_directory(target);
	char *text = strndup(directory.data, directory.size);
	struct stat status;
	bool result = text != NULL && stat(text, &status) == 0 && status.st_dev != old->st_dev;

	free(text);
	return result;
}

/* A descriptor of what is to be written beside `path`; -1 with errno, 0 in it: write it directly. */
static int open_beside(struct output_file *output, const char *path, mode_t mode)
{
	struct stat old;
	bool is_there = stat(path, &old) == 0;
	int fd;

	errno = 0;
	if (is_there && (!S_ISREG(old.st_mode) || names_descriptor(path)))
		return -1;
	output->target = follow_links(path);
	if (output->target == NULL || (is_there && access(output->target, W_OK) != 0))
		return -1;
	errno = 0;
	if (is_there && is_mounted(output->target, &old))
		return -1;
	fd = make_temporary(output);
	if (fd < 0 && is_there &&
	    (errno == EACCES || errno == EPERM || errno == EROFS || errno == ENAMETOOLONG))
		errno = 0;
	if (fd < 0)
		return -1;
	if (is_there)
		keep_owner(output, fd, &old);
	else
		output->mode = without_umask(mode);
	return fd;
}

int output_open(struct output_file *output, const char *path, mode_t mode,
		const struct store *store, struct simhash_error *error)
{
	struct stat status;
	int fd;

	*output = (struct output_file){.name = "standard output"};
	if (is_stdout(path)) {
		output->stream = stdout;
		return 0;
	}
	output->name = path;
	if (store != NULL && stat(path, &status) == 0 &&
	    store_is_own_file(store, NULL, (uint64_t)status.st_dev, (uint64_t)status.st_ino))
		return error_set(error, SIMHASH_E_RANGE,
				 "cannot write to %s: it is the index itself", path);
	fd = open_beside(output, path, mode);
	if (fd < 0 && errno == 0) {
		free(output->target);
		output->target = NULL;
		fd = open_file_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
	}
	output->stream = fd < 0 ? NULL : fdopen(fd, "wb");
	if (output->stream != NULL)
		return 0;
	error_set_errno(error, "cannot write to %s", path);
	if (fd >= 0)
		close(fd);
	output_release(output);
	return -1;
}

/* ---- Closing ---- */

int output_close(struct output_file *output, struct simhash_error *error)
{
	FILE *stream = output->stream;
	bool is_written;

	if (stream == NULL)
		return 0;
	output->stream = NULL;
	is_written = fflush(stream) == 0 && !ferror(stream) &&
		     (output->temporary == NULL || fchmod(fileno(stream), output->mode) == 0);
	if (!is_written)
		error_set_errno(error, "cannot write to %s", output->name);
	if (stream != stdout && !must_stay_open(fileno(stream)) && fclose(stream) != 0 &&
	    is_written)
		return error_set_errno(error, "cannot write to %s", output->name);
	return is_written ? 0 : -1;
}

int output_publish(struct output_file *output, struct simhash_error *error)
{
	if (output->temporary == NULL)
		return 0;
	if (rename(output->temporary, output->target) != 0)
		return error_set_errno(error, "cannot write to %s", output->name);
	drop_pending(output->temporary);
	free(output->temporary);
	output->temporary = NULL;
	return 0;
}

void output_release(struct output_file *output)
{
	int saved = errno;

	if (output->stream != NULL && output->stream != stdout &&
	    !must_stay_open(fileno(output->stream)))
		fclose(output->stream);
	if (output->temporary != NULL) {
		unlink(output->temporary);
		drop_pending(output->temporary);
	}
	free(output->temporary);
	free(output->target);
	*output = (struct output_file){.stream = NULL};
	errno = saved;
}

/* ---- Two outputs ---- */

static bool is_same_directory(const char *x, const char *y)
{
	struct bytes of[] = {path_directory(x), path_directory(y)};
	struct stat status[2];

	for (int i = 0; i < 2; i++) {
		char *text = strndup(of[i].data, of[i].size);
		int result = text == NULL ? -1 : stat(text, &status[i]);
		free(text);
		if (result != 0)
			return false;
	}
	return status[0].st_dev == status[1].st_dev && status[0].st_ino == status[1].st_ino;
}

bool output_is_same(const struct output_file *x, const struct output_file *y)
{
	if (x->stream == stdout || y->stream == stdout)
		return x->stream == y->stream;
	return x->target != NULL && y->target != NULL &&
	       strcmp(path_name(x->target), path_name(y->target)) == 0 &&
	       is_same_directory(x->target, y->target);
}
