/*
 * Reads a list of files: splits it into names, opens their directories, and collects chunks.
 * SPDX-License-Identifier: MIT
 */
#include "index/walk/file_list.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/zero_list.h"

#define BUFFER_SIZE 65536
#define WAIT_MS 100	/* the time to wait for more of the list before checking for a stop */
#define CHUNK_FILES 256 /* the maximum number of files of one directory */
#define NAME_MAX_BYTES (1 << 20)

struct file_list {
	int fd;
	const struct root *root;
	const struct walk_options *options;
	uint64_t directories, others;

	char *buffer;
	size_t size, capacity; /* bytes read, and the capacity */
	size_t at;	       /* the next name */
	bool has_names;

	char *path; /* the next file to collect, in the buffer; or NULL */
	struct stat path_status;
	char *text; /* the directory of the collected files, as in the list */
	struct directory *directory;
	struct chunk_gathering gathering;
	int status; /* the status to return after the collected files, unless it is WALK_FILES */
	struct simhash_error error;
};

struct file_list *file_list_new(int fd, const struct root *root, const struct walk_options *options,
				struct simhash_error *error)
{
	struct file_list *list = calloc(1, sizeof *list);

	if (list == NULL ||
	    array_reserve(&list->buffer, &list->capacity, BUFFER_SIZE, 1, error) != 0) {
		free(list);
		error_set_memory(error);
		return NULL;
	}
	list->fd = fd;
	list->root = root;
	list->options = options;
	list->status = WALK_FILES;
	return list;
}

static void leave_directory(struct file_list *list)
{
	if (list->directory != NULL)
		directory_release(list->directory);
	free(list->text);
	list->directory = NULL;
	list->text = NULL;
}

void file_list_free(struct file_list *list)
{
	if (list == NULL)
		return;
	leave_directory(list);
	gathering_release(&list->gathering);
	free(list->buffer);
	free(list);
}

uint64_t file_list_directories(const struct file_list *list)
{
	return list->directories;
}

uint64_t file_list_others(const struct file_list *list)
{
	return list->others;
}

/* ---- Names ---- */

/*
 * Read more of the list, whose last name may lack the zero. Returns WALK_FILES, WALK_END, -1, or
 * WALK_IDLE if nothing came for a while. The writer of the list may be slow, and neither earlier
 * names nor a stop must wait for it.
 */
static int read_more(struct file_list *list)
{
	struct pollfd ready = {.fd = list->fd, .events = POLLIN};
	ssize_t got;

	memmove(list->buffer, list->buffer + list->at, list->size - list->at);
	list->size -= list->at;
	list->at = 0;
	/* A name may be longer than the buffer. Also leave room for a zero after the last name. */
	if (array_reserve(&list->buffer, &list->capacity, list->size + 2, 1, &list->error) != 0)
		return -1;
	if (poll(&ready, 1, WAIT_MS) <= 0)
		return WALK_IDLE;
	got = read(list->fd, list->buffer + list->size, list->capacity - 1 - list->size);
	if (got < 0)
		return errno == EINTR || errno == EAGAIN
			       ? WALK_FILES
			       : error_set_errno(&list->error, "cannot read %s", list->root->path);
	list->size += (size_t)got;
	if (got > 0)
		return WALK_FILES;
	if (list->size == 0)
		return WALK_END;
	if (!list->has_names &&
	    refuse_lines(list->root->path, (struct bytes){list->buffer, list->size},
			 &list->error) != 0)
		return -1;
	list->buffer[list->size++] = '\0';
	return WALK_FILES;
}

/* A name of this length has no end: the list may have lines instead. */
static int refuse_name(struct file_list *list)
{
	struct bytes text = {list->buffer + list->at, list->size - list->at};

	if (!list->has_names && refuse_lines(list->root->path, text, &list->error) != 0)
		return -1;
	return error_set(&list->error, SIMHASH_E_SYNTAX,
			 "%s: expected names of at most 1,048,576 bytes, terminated by zero bytes",
			 list->root->path);
}

/*
 * Get the next name of the list, which lives until the next call. Returns WALK_FILES, or the same
 * as read_more.
 */
static int next_name(struct file_list *list, char **name)
{
	char *end;

	for (;;) {
		int status;
		if (atomic_load(list->options->stop))
			return error_set(&list->error, ERROR_STOPPED, "stopped");
		end = memchr(list->buffer + list->at, '\0', list->size - list->at);
		if (end != NULL)
			break;
		if (list->size - list->at > NAME_MAX_BYTES)
			return refuse_name(list);
		status = read_more(list);
		if (status != WALK_FILES)
			return status;
	}
	*name = list->buffer + list->at;
	if (*name == end)
		return error_set(&list->error, SIMHASH_E_SYNTAX,
				 "%s: empty file name; expected names terminated by zero bytes",
				 list->root->path);
	list->at = (size_t)(end - list->buffer) + 1;
	list->has_names = true;
	return WALK_FILES;
}

static void report(const struct file_list *list, const char *path, int system_errno)
{
	if (list->options->failures != NULL)
		failures_report(list->options->failures, list->root->index, bytes_of(path),
				system_errno);
}

/* Is this the name of a wanted file? Stores its status. */
static bool is_wanted(struct file_list *list, char *path)
{
	const struct walk_options *options = list->options;
	struct stat *status = &list->path_status;
	size_t size = strlen(path);

	while (size > 1 && path[size - 1] == '/')
		path[--size] = '\0';
	if (lstat(path, status) != 0 ||
	    (S_ISLNK(status->st_mode) && options->follow && stat(path, status) != 0)) {
		report(list, path, errno);
		return false;
	}
	if (S_ISDIR(status->st_mode))
		list->directories++;
	else if (!S_ISREG(status->st_mode))
		list->others++;
	return S_ISREG(status->st_mode) &&
	       !exclusions_leave_out_size(options->exclusions, status->st_size) &&
	       !exclusions_leave_out_path(options->exclusions, path);
}

/* ---- Directories ---- */

/* Is this the last opened directory? */
static bool is_entered(const struct file_list *list, struct bytes text)
{
	return list->text != NULL && strlen(list->text) == text.size &&
	       memcmp(list->text, text.data, text.size) == 0;
}

/*
 * Open the directory of list->path. Returns 1; 0 if it cannot be opened, which is reported; or -1.
 */
static int enter_directory(struct file_list *list, struct bytes text)
{
	char *resolved;
	int fd;

	leave_directory(list);
	list->text = strndup(text.data, text.size);
	if (list->text == NULL)
		return error_set_memory(&list->error);
	resolved = realpath(list->text, NULL);
	fd = resolved == NULL ? -1 : open_file_at(AT_FDCWD, resolved, OPEN_TO_REACH, 0);
	if (fd < 0) {
		report(list, list->path, errno);
		leave_directory(list);
		free(resolved);
		return 0;
	}
	list->directory = directory_new_top(fd, list->root->index, resolved);
	free(resolved);
	if (list->directory != NULL)
		return 1;
	close(fd);
	return error_set_memory(&list->error);
}

/* ---- Chunks ---- */

/* Set list->path to the next wanted file. Returns WALK_FILES, or the same as read_more. */
static int find_file(struct file_list *list)
{
	while (list->path == NULL) {
		char *path;
		int status = next_name(list, &path);
		if (status != WALK_FILES)
			return status;
		if (is_wanted(list, path))
			list->path = path;
	}
	return WALK_FILES;
}

/* Collect the files of one directory. Returns the status that ended it. */
static int gather(struct file_list *list)
{
	while (list->gathering.count < CHUNK_FILES) {
		struct bytes text;
		int status = find_file(list);
		if (status != WALK_FILES)
			return status;
		text = path_directory(list->path);
		if (!is_entered(list, text)) {
			if (list->gathering.count > 0)
				break;
			status = enter_directory(list, text);
			if (status < 0)
				return -1;
		}
		if (status != 0 &&
		    gathering_add(&list->gathering, path_name(list->path), &list->path_status,
				  list->options->inflate, &list->error) != 0)
			return -1;
		list->path = NULL;
	}
	return WALK_FILES;
}

int file_list_next(struct file_list *list, struct chunk *chunk, struct simhash_error *error)
{
	int status = list->status;

	if (status == WALK_FILES)
		status = gather(list);
	if (list->gathering.count > 0) {
		gathering_finish(&list->gathering, list->directory, CHUNK_INCOMPLETE, chunk);
		list->status = status;
		return WALK_FILES;
	}
	/* After a pause the list may continue; an end and an error are final. */
	list->status = status == WALK_IDLE ? WALK_FILES : status;
	if (status < 0)
		*error = list->error;
	return status;
}
