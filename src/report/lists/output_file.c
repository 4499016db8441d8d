/*
 * Writes a temporary file in the directory of the target, and renames it to the target when it is
 * complete.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "report/lists/formatter.h"
#include "store/open/store.h"

#define COVER_SIZE_COLUMNS 9 /* see cover_list.c */

#define LINKS_MAX 40 /* Linux follows the same number of links */
#define PENDING_MAX 4

/* ---- Files that a signal has to remove ---- */

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

/* ---- Paths ---- */

/*
 * Does the path name an open descriptor? Such a path may lead to a file, but it means the
 * descriptor.
 */
static bool names_descriptor(const char *path)
{
	return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/", 6) == 0 ||
	       strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0;
}

static bool is_stdout(const char *path)
{
	return path == NULL || strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

/*
 * Return the path that a symbolic link leads to, which need not exist. The caller frees it. NULL
 * with errno.
 */
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

/* Create a private file in the directory of the target. Return its descriptor, or -1 with errno. */
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

/*
 * Give the new file the owner and the permissions of the old one. If it cannot get the old group,
 * its group gets no permissions.
 */
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

/* Is the old file a mount point, for example a file that was passed to a container? */
static bool is_mounted(const char *target, const struct stat *old)
{
	struct bytes directory = path_directory(target);
	char *text = strndup(directory.data, directory.size);
	struct stat status;
	bool result = text != NULL && stat(text, &status) == 0 && status.st_dev != old->st_dev;

	free(text);
	return result;
}

/*
 * Open a temporary file next to `path`. Return its descriptor, or -1 with errno; errno is 0 if the
 * file must be written directly.
 */
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

/* ---- Files that must not be replaced ---- */

static const char *const beginnings[] = {
	"#!/bin/sh\n# Copies that simkeep found. ",
	"match,distance,",
	"group,role,distance,",
	"match,size,shared_bytes,depth,",
	"match,saved_bytes,share_a,share_b,",
	"match,resemblance,size_a,size_b,",
	"path,begin,end,part_size,added_bytes,",
	"[]\n",
	"[\n{\"covered_bytes\":",
	"{\"covered_bytes\":",
	"[\n{\"match\":\"",
	"[\n{\"size\":",
	"[\n{\"group\":",
	"{\"match\":\"",
	"{\"group\":",
	"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ",
	"digraph lineage {\n\trankdir=LR;",
	"Each version is below the one that it was probably made from, ",
	"simhash-digests ",
};

/* Is it an absolute path, or HOST:PATH? */
static bool is_shown_path(const char *text)
{
	const char *slash = text + strcspn(text, " /\n");

	return *slash == '/' && (slash == text || slash[-1] == ':');
}

/* Is it a line with a label, blanks that fill its column, and a path? */
static bool is_pair_line(const char *text, size_t size)
{
	static const char gap[] = "  ";

	return size > LABEL_COLUMNS + sizeof gap && text[0] != '/' &&
	       memchr(text, '\n', LABEL_COLUMNS) == NULL &&
	       memcmp(text + LABEL_COLUMNS, gap, sizeof gap - 1) == 0 &&
	       is_shown_path(text + LABEL_COLUMNS + sizeof gap - 1);
}

/*
 * Is the text the beginning of a block: a path and a size, and below them a label and a path? Or
 * does it begin with two directories?
 */
static bool is_block(const char *text, size_t size)
{
	static const char first[] = "A  ";
	const char *second = memchr(text, '\n', size);

	if (strncmp(text, first, sizeof first - 1) == 0 && is_shown_path(text + sizeof first - 1))
		return true;
	if (second == NULL || !is_shown_path(text))
		return false;
	second++;
	if ((size_t)(text + size - second) <= BLOCK_INDENT)
		return false;
	return memcmp(second, "  ", 2) == 0 && memchr(second, '\n', BLOCK_INDENT) == NULL &&
	       memcmp(second + BLOCK_INDENT - 2, "  ", 2) == 0 &&
	       is_shown_path(second + BLOCK_INDENT);
}

/*
 * Are these two absolute paths, each with a zero after it? The second one may be incomplete or
 * empty.
 */
static bool are_paths(const char *text, size_t size)
{
	const char *end = memchr(text, '\0', size);

	return text[0] == '/' && end != NULL &&
	       (end + 1 == text + size || end[1] == '/' || end[1] == '\0');
}

/* Does it begin like a comparison: a sentence, an empty line, and the first of two files? */
static bool is_comparison(const char *text, size_t size)
{
	static const char next[] = "\n\nA  ";
	const char *end = memchr(text, '\n', size);

	return end != NULL && end > text && end[-1] == '.' &&
	       strncmp(end, next, sizeof next - 1) == 0;
}

/* Does it begin like a cover: a size, all of it, and a name? */
static bool is_cover(const char *text, size_t size)
{
	static const char all[] = "  100.0 %  ";

	return size > COVER_SIZE_COLUMNS + sizeof all && strspn(text, " 0123456789.") > 0 &&
	       strncmp(text + COVER_SIZE_COLUMNS, all, sizeof all - 1) == 0;
}

/* Does the text begin with a line that is the path of a file? */
static bool begins_with_file(const char *text, size_t size)
{
	const char *end = memchr(text, '\n', size);
	char *path = end == NULL || text[0] != '/' ? NULL : strndup(text, (size_t)(end - text));
	struct stat status;
	bool result = path != NULL && lstat(path, &status) == 0 && S_ISREG(status.st_mode);

	free(path);
	return result;
}

/* Is a file empty, or does it begin like an output of these programs? */
/* Another program may have written the decisions, with other spaces. */
static bool are_decisions(const char *text, size_t size)
{
	static const char format[] = "\"simfind decisions\"";

	return text[0] == '{' && memmem(text, size, format, strlen(format)) != NULL;
}

static bool begins_as_output(const char *path)
{
	char text[PATH_MAX + 1];
	int fd = open_file_at(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	if (size <= 0)
		return size == 0;
	text[size] = '\0';
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return is_pair_line(text, (size_t)size) || are_decisions(text, (size_t)size) ||
	       is_block(text, (size_t)size) || is_comparison(text, (size_t)size) ||
	       is_cover(text, (size_t)size) || are_paths(text, (size_t)size) ||
	       begins_with_file(text, (size_t)size);
}

/* Refuse to replace a regular file that another program wrote. */
static int check_replaced(const char *path, const struct stat *old, struct simhash_error *error)
{
	if (!S_ISREG(old->st_mode) || old->st_size == 0 || names_descriptor(path) ||
	    begins_as_output(path))
		return 0;
	return error_set(error, SIMHASH_E_RANGE,
			 "cannot write to %s: it exists, and is not an earlier output; remove it "
			 "first or write to another file",
			 path);
}

/* ---- Opening ---- */

int output_open(struct output_file *output, const char *path, mode_t mode,
		const struct store *store, struct simhash_error *error)
{
	struct stat old;
	bool is_there;
	int fd;

	*output = (struct output_file){.name = "standard output"};
	if (is_stdout(path)) {
		output->stream = stdout;
		return 0;
	}
	output->name = path;
	is_there = stat(path, &old) == 0;
	if (is_there && store != NULL &&
	    store_is_own_file(store, NULL, (uint64_t)old.st_dev, (uint64_t)old.st_ino))
		return error_set(error, SIMHASH_E_RANGE,
				 "cannot write to %s: it is the index itself", path);
	if (is_there && check_replaced(path, &old, error) != 0)
		return -1;
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
