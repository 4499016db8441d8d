/*
 * Stores the directories that a walk meets, and checks the other directories of the index again.
 * SPDX-License-Identifier: MIT
 */
#include "index/compare/vanished.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/files/identity.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "store/open/view.h"
#include "store/rows/known_file.h"

void vanished_init(struct vanished *vanished)
{
	*vanished = (struct vanished){.gone = NULL};
	pthread_mutex_init(&vanished->mutex, NULL);
}

void vanished_release(struct vanished *vanished)
{
	pair_set_release(&vanished->met);
	free(vanished->found.hashes);
	free(vanished->gone);
	pthread_mutex_destroy(&vanished->mutex);
}

static struct pair hash_pair(const uint8_t hash[DIRECTORY_HASH_SIZE])
{
	struct pair pair = {0, 0};

	memcpy(&pair.first, hash, DIRECTORY_HASH_SIZE);
	return pair;
}

int vanished_meet(struct vanished *vanished, const uint8_t hash[DIRECTORY_HASH_SIZE],
		  struct simhash_error *error)
{
	int added;

	pthread_mutex_lock(&vanished->mutex);
	added = pair_set_add(&vanished->met, hash_pair(hash));
	pthread_mutex_unlock(&vanished->mutex);
	return added < 0 ? error_set_memory(error) : 0;
}

/* ---- Checking again ---- */

static bool is_other_file_system(int above, const char *name)
{
	struct entry_device device;
	struct stat status;

	return entry_device_read(above, name, false, &device) == 0 && fstat(above, &status) == 0 &&
	       device.number != (uint64_t)status.st_dev;
}

/*
 * Is a path below a root on another file system? That file system is not accessed, because it may
 * not answer.
 */
static bool is_elsewhere(struct bytes path, const struct root *root)
{
	size_t top_size = strlen(root->path);
	char *rest = strndup(path.data + top_size, path.size - top_size), *name = rest, *end;
	int fd = rest == NULL ? -1 : open_path(root->path, OPEN_TO_REACH), above;
	bool is_other = false;

	for (; fd >= 0 && !is_other && *(name += strspn(name, "/")) != '\0'; name = end) {
		end = name + strcspn(name, "/");
		if (*end != '\0')
			*end++ = '\0';
		is_other = is_other_file_system(fd, name);
		above = fd;
		fd = is_other ? -1 : open_file_at(above, name, OPEN_TO_REACH | O_NOFOLLOW, 0);
		close(above);
	}
	if (fd >= 0)
		close(fd);
	free(rest);
	return is_other;
}

/*
 * Look for a directory that a walk would reach by this path. It may have been created and indexed
 * by another process after its parent was listed. Goes name by name, because the path may be longer
 * than the system allows. Returns 0; *gone is NULL if the directory exists, or else the shortest
 * missing part of the path, which the caller frees. Returns -1 with errno if this cannot be
 * determined.
 */
static int find_gone(struct bytes path, char **gone)
{
	char *copy = strndup(path.data, path.size), *name = copy;
	int fd = copy == NULL ? -1 : open_file_at(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0), saved;

	*gone = NULL;
	while (fd >= 0 && *(name += strspn(name, "/")) != '\0') {
		char *end = name + strcspn(name, "/"), cut = *end;
		int above = fd;
		*end = '\0';
		fd = open_file_at(above, name, OPEN_TO_REACH | O_NOFOLLOW, 0);
		close_keeping_errno(above);
		/* A link gives ENOTDIR or ELOOP, depending on the system. */
		if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP ||
			       errno == ENAMETOOLONG)) {
			*gone = copy;
			return 0;
		}
		*end = cut;
		name = end;
	}
	saved = errno;
	free(copy);
	errno = saved;
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

/* The same for the archive whose members are the rows of a directory. */
static int find_file_gone(struct bytes directory, bool follow, char **gone)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
	char *path = strndup(directory.data, directory.size - 1);
	struct stat status;
	int fd, result = 0;

	*gone = NULL;
	if (path == NULL)
		return -1;
	fd = follow ? open_path(path, flags) : open_path_directly(path, flags);
	if (fd < 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP &&
	    errno != ENAMETOOLONG && errno != ENXIO)
		result = -1;
	else if (fd < 0 || (fstat(fd, &status) == 0 && !S_ISREG(status.st_mode)))
		*gone = strndup(directory.data, directory.size);
	if (fd >= 0)
		close_keeping_errno(fd);
	free(path);
	return result;
}

/* Was a directory of the index certainly removed? */
static bool is_gone(struct vanished *vanished, const struct known_directory *known,
		    const struct root *root, struct failures *failures)
{
	char *gone;

	if (pair_set_has(&vanished->met, hash_pair(known->hash)) ||
	    failures_cover(failures, known->path))
		return false;
	if (vanished->gone != NULL && path_is_at_or_below(known->path, bytes_of(vanished->gone)))
		return true;
	if (vanished->one_file_system && is_elsewhere(known->path, root))
		return false;
	/*
	 * If permission to search is denied, the walk has reported this, or the directory was
	 * excluded.
	 */
	if ((is_inside_directory(known->path) ? find_file_gone(known->path, vanished->follow, &gone)
					      : find_gone(known->path, &gone)) != 0 &&
	    errno != EACCES)
		failures_report(failures, root->index, known->path, errno);
	if (gone == NULL)
		return false;
	free(vanished->gone);
	vanished->gone = gone;
	return true;
}

int vanished_find(struct vanished *vanished, struct store *store, const struct row_scope *scope,
		  const struct root *root, struct failures *failures, struct simhash_error *error)
{
	struct known_directories directories;
	struct known_directory known;
	int status;

	if (failures->lacks_some)
		return error_set_memory(error);
	if (store_renew_view(store, error) != 0)
		return -1;
	status = known_directories_begin(&directories, store, scope, bytes_of(root->path), error);
	while (status == 0 && (status = known_directories_next(&directories, &known, error)) == 1)
		status = is_gone(vanished, &known, root, failures)
				 ? directory_list_add(&vanished->found, known.hash, error)
				 : 0;
	known_directories_end(&directories);
	store_end_view(store);
	return status;
}

void vanished_forget_met(struct vanished *vanished)
{
	pair_set_release(&vanished->met);
	free(vanished->gone);
	vanished->gone = NULL;
}
