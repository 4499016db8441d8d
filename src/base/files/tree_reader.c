/*
 * Keeps the paths of the directories that must still be read on a stack.
 * SPDX-License-Identifier: MIT
 */
#include "base/files/tree_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/path.h"

struct waiting {
	const struct tree_reader *reader;
	char **paths;
	size_t count, capacity;
	struct simhash_error *error;
};

/* Takes ownership of the path, which may be NULL. */
static int push(struct waiting *waiting, char *path)
{
	if (path == NULL)
		return error_set_memory(waiting->error);
	if (array_reserve(&waiting->paths, &waiting->capacity, waiting->count + 1,
			  sizeof *waiting->paths, waiting->error) != 0) {
		free(path);
		return -1;
	}
	waiting->paths[waiting->count++] = path;
	return 0;
}

/* Pass the entries on. Returns 0, -1, or 1 with errno if they could not be read. */
static int read_entries(struct waiting *waiting, const char *path, int fd)
{
	const struct tree_reader *reader = waiting->reader;
	struct entry_reader entries = {0};
	struct entry entry;
	int read = entry_reader_begin(&entries, fd) == 0 ? 1 : -1, status = 0, system_errno;

	while (status == 0 && read > 0 && (read = entry_reader_next(&entries, &entry)) == 1) {
		status = reader->entry(reader->context, path, fd, &entry);
		if (status == 1)
			status = push(waiting, path_join(bytes_of(path), bytes_of(entry.name)));
	}
	system_errno = errno;
	entry_reader_end(&entries);
	entry_reader_release(&entries);
	errno = system_errno;
	return status != 0 ? -1 : read < 0 ? 1 : 0;
}

static int read_directory(struct waiting *waiting, const char *path)
{
	const struct tree_reader *reader = waiting->reader;
	int fd = open_path_directly(path, O_RDONLY | O_DIRECTORY), status = 0, system_errno = errno;

	if (fd >= 0) {
		if (reader->begin != NULL)
			status = reader->begin(reader->context, path);
		if (status == 0)
			status = read_entries(waiting, path, fd);
		system_errno = status == 1 ? errno : 0;
		close(fd);
	}
	return status < 0 ? -1 : reader->end(reader->context, path, system_errno);
}

int tree_read(const struct tree_reader *reader, struct bytes top, struct simhash_error *error)
{
	struct waiting waiting = {.reader = reader, .error = error};
	int status = push(&waiting, top.size == 0 ? strdup("/") : strndup(top.data, top.size));

	while (waiting.count > 0) {
		char *path = waiting.paths[--waiting.count];
		if (status == 0)
			status = read_directory(&waiting, path);
		free(path);
	}
	free(waiting.paths);
	return status;
}
