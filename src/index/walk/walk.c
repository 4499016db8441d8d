/*
 * Walks trees directory by directory: each walker takes the last directory from a stack, and adds
 * the subdirectories that it finds. entries.c reads a directory, and reconcile.c chooses the files
 * to scan.
 * SPDX-License-Identifier: MIT
 */
#include "index/walk/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/data/pair_set.h"
#include "base/files/identity.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "index/walk/level.h"

#define BUSY_NS (20 * NS_PER_MS) /* how often to ask whether a disk is still busy */
#define LEVELS_UP 16 /* how many levels above a reopened parent to look for another parent */

/* A directory whose subdirectories must still be visited. */
struct parent {
	struct directory *directory; /* a reference */
	/*
	 * The number of subdirectories that were not visited yet, plus 1 while the directory is
	 * being read.
	 */
	size_t pending;
	bool is_held;		/* the directory stays open; otherwise: */
	uint64_t device, inode; /* identify it when it is opened again */
};

/* A directory that must still be visited: a name in a parent. */
struct pending {
	struct parent *parent;
	char *name;
};

struct walk {
	const struct walk_options *options;
	const struct root *root;
	char *top_path, *file_name; /* file_name: for a root that is a file; else NULL */
	uint64_t device;	    /* the device of the top */

	pthread_mutex_t mutex; /* for all members below */
	pthread_cond_t changed;
	bool is_begun, is_cancelled;
	struct pending *pending; /* a stack */
	size_t pending_count, pending_capacity;
	unsigned held;	      /* the number of parents that stay open */
	unsigned busy;	      /* the number of walkers that may still add directories */
	struct pair_set seen; /* device and inode, if links are followed */
};

struct walker {
	struct walk *walk;
	struct directory *directory; /* the directory that is being read, or NULL */
	struct parent *parent;	     /* for this directory, if it has subdirectories */
	bool is_idle;		     /* the caller knows that no work is available */
	int again_fd;		     /* a parent that was opened again, or -1 */
	struct entries entries;
};

unsigned walk_walkers_max(const struct root *root, const struct walk_options *options)
{
	/*
	 * If links are followed, two paths may lead to one directory. Only the first path counts,
	 * so one walker must walk in a fixed order.
	 */
	return root->is_directory && !options->follow ? UINT_MAX : 1;
}

struct walk *walk_new(const struct root *root, const struct walk_options *options,
		      struct simhash_error *error)
{
	struct walk *walk = calloc(1, sizeof *walk);

	if (walk == NULL || (walk->top_path = strdup(root->path)) == NULL) {
		free(walk);
		error_set_memory(error);
		return NULL;
	}
	walk->options = options;
	walk->root = root;
	if (!root->is_directory) {
		walk->file_name = strrchr(walk->top_path, '/');
		*walk->file_name++ = '\0';
	}
	pthread_mutex_init(&walk->mutex, NULL);
	clock_condition_init(&walk->changed);
	return walk;
}

struct walker *walker_new(struct walk *walk, struct simhash_error *error)
{
	struct walker *walker = calloc(1, sizeof *walker);

	if (walker == NULL) {
		error_set_memory(error);
		return NULL;
	}
	walker->walk = walk;
	walker->again_fd = -1;
	walker->entries.options = walk->options;
	return walker;
}

void walk_cancel(struct walk *walk)
{
	pthread_mutex_lock(&walk->mutex);
	walk->is_cancelled = true;
	pthread_cond_broadcast(&walk->changed);
	pthread_mutex_unlock(&walk->mutex);
}

/* Report DIRECTORY/NAME. */
static void report(const struct walk *walk, struct bytes directory, const char *name,
		   int system_errno)
{
	if (walk->options->failures != NULL)
		failures_add_unread(walk->options->failures, walk->root->index, directory, name,
				    system_errno);
}

/* ---- The stack (the caller holds the mutex of the walk) ---- */

/* Keep a parent open, unless too many are open. */
static void hold_open(struct walk *walk, struct parent *parent)
{
	struct directory *directory = parent->directory;
	struct stat status;

	if (walk->held >= walk->options->held_max && fstat(directory->fd, &status) == 0) {
		parent->device = (uint64_t)status.st_dev;
		parent->inode = (uint64_t)status.st_ino;
		return;
	}
	parent->is_held = true;
	atomic_fetch_add(&directory->uses, 1);
	walk->held++;
}

static struct parent *parent_new(struct walk *walk, struct directory *directory)
{
	struct parent *parent = calloc(1, sizeof *parent);

	if (parent == NULL)
		return NULL;
	parent->directory = directory;
	parent->pending = 1;
	atomic_fetch_add(&directory->references, 1);
	hold_open(walk, parent);
	return parent;
}

/* Count one subdirectory less, or the end of reading the parent. */
static void parent_drop(struct walk *walk, struct parent *parent)
{
	if (--parent->pending > 0)
		return;
	if (parent->is_held) {
		walk->held--;
		directory_end_use(parent->directory);
	}
	directory_drop(parent->directory);
	free(parent);
}

static int push(struct walker *walker, const char *name, struct simhash_error *error)
{
	struct walk *walk = walker->walk;
	struct pending pending;
	int status = -1;

	pthread_mutex_lock(&walk->mutex);
	if (array_reserve(&walk->pending, &walk->pending_capacity, walk->pending_count + 1,
			  sizeof *walk->pending, error) != 0)
		goto out;
	if (walker->parent == NULL)
		walker->parent = parent_new(walk, walker->directory);
	pending = (struct pending){walker->parent, strdup(name)};
	if (pending.parent == NULL || pending.name == NULL) {
		free(pending.name);
		error_set_memory(error);
		goto out;
	}
	pending.parent->pending++;
	walk->pending[walk->pending_count++] = pending;
	pthread_cond_signal(&walk->changed);
	status = 0;
out:
	pthread_mutex_unlock(&walk->mutex);
	return status;
}

/* Find the last pending directory whose disk is not busy; after a stop, the last. False: none. */
static bool find_pending(const struct walk *walk, size_t *at)
{
	const struct walk_options *options = walk->options;

	for (*at = walk->pending_count; *at > 0;) {
		const struct parent *parent = walk->pending[--*at].parent;
		if (options->is_busy == NULL || atomic_load(options->stop) ||
		    !options->is_busy(options->busy_context,
				      level_device(parent->directory->level)))
			return true;
	}
	return false;
}

/* Wait until another walker changes the stack, or a disk may no longer be busy. */
static void wait_for_work(struct walk *walk)
{
	if (walk->pending_count > 0)
		clock_condition_wait(&walk->changed, &walk->mutex, clock_monotonic_ns() + BUSY_NS);
	else
		pthread_cond_wait(&walk->changed, &walk->mutex);
}

/*
 * Take a directory from the stack: WALK_FILES, WALK_END or WALK_IDLE. A name of NULL means the top.
 * The walker is busy until it leaves the directory.
 */
static int take(struct walker *walker, struct pending *next)
{
	struct walk *walk = walker->walk;
	int status = WALK_FILES;
	size_t at;

	pthread_mutex_lock(&walk->mutex);
	while (walk->is_begun && !find_pending(walk, &at) &&
	       (walk->busy > 0 || walk->pending_count > 0) && !walk->is_cancelled &&
	       walker->is_idle)
		wait_for_work(walk);
	if (walk->is_cancelled) {
		status = WALK_END;
	} else if (!walk->is_begun) {
		walk->is_begun = true;
		*next = (struct pending){NULL, NULL};
	} else if (find_pending(walk, &at)) {
		*next = walk->pending[at];
		walk->pending_count--;
		memmove(&walk->pending[at], &walk->pending[at + 1],
			(walk->pending_count - at) * sizeof *next);
	} else {
		status = walk->busy > 0 || walk->pending_count > 0 ? WALK_IDLE : WALK_END;
	}
	if (status == WALK_FILES)
		walk->busy++;
	walker->is_idle = status == WALK_IDLE;
	pthread_mutex_unlock(&walk->mutex);
	return status;
}

/* Record that the walker has read its directory, or could not open it. */
static void leave(struct walker *walker)
{
	struct walk *walk = walker->walk;

	entries_close(&walker->entries);
	if (walker->directory != NULL && walker->directory->level != NULL)
		level_end(walker->directory->level);
	pthread_mutex_lock(&walk->mutex);
	if (walker->parent != NULL)
		parent_drop(walk, walker->parent);
	if (--walk->busy == 0)
		pthread_cond_broadcast(&walk->changed);
	pthread_mutex_unlock(&walk->mutex);
	if (walker->directory != NULL)
		directory_release(walker->directory);
	walker->directory = NULL;
	walker->parent = NULL;
}

/* ---- Opening ---- */

/* Sets errno to ENOENT for another directory, to distinguish it from a failed fstat. */
static bool is_parent(int fd, const struct parent *parent)
{
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		return false;
	errno = ENOENT;
	return (uint64_t)status.st_dev == parent->device &&
	       (uint64_t)status.st_ino == parent->inode;
}

/*
 * Open a parent again that was closed, if it is still the same directory: as one of the levels
 * above the last reopened parent, or by its path. The walker keeps the descriptor.
 */
static int open_again(struct walker *walker, const struct parent *parent)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, fd = walker->again_fd;

	for (int i = 0; fd >= 0 && i <= LEVELS_UP && !is_parent(fd, parent); i++) {
		walker->again_fd = open_file_at(fd, "..", flags, 0);
		close(fd);
		fd = walker->again_fd;
	}
	if (is_parent(fd, parent))
		return fd;
	if (fd >= 0)
		close(fd);
	walker->again_fd = fd = open_path(parent->directory->path, flags);
	return is_parent(fd, parent) ? fd : -1;
}

/* Is a directory known to be on another file system, and are other file systems excluded? */
static bool is_elsewhere(const struct walk *walk, int above, const char *name)
{
	struct entry_device device;

	return walk->options->one_file_system &&
	       entry_device_read(above, name, walk->options->follow, &device) == 0 &&
	       device.number != walk->device;
}

/*
 * Open a pending directory within its parent. On failure returns NULL; *status is -1 for an error.
 */
static struct directory *open_pending(struct walker *walker, const struct pending *pending,
				      int *status, struct simhash_error *error)
{
	const struct parent *parent = pending->parent;
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC |
		    (walker->walk->options->follow ? 0 : O_NOFOLLOW);
	int above = parent->is_held ? parent->directory->fd : open_again(walker, parent);
	struct directory *directory;
	int fd;

	*status = 0;
	/* Opening it could wait for a server, or fail. */
	if (above >= 0 && is_elsewhere(walker->walk, above, pending->name))
		return NULL;
	fd = above < 0 ? -1 : open_file_at(above, pending->name, flags, 0);
	if (fd < 0) {
		/* If it was removed or replaced, nothing is below it. */
		if ((errno != ENOENT && errno != ENOTDIR) ||
		    walker->walk->options->reports_vanished)
			report(walker->walk, directory_path(parent->directory), pending->name,
			       errno);
		return NULL;
	}
	directory = directory_new_below(fd, parent->directory, pending->name);
	if (directory == NULL) {
		close(fd);
		*status = error_set_memory(error);
	}
	return directory;
}

/* Open the top. If the root is a file, the directory is opened only to reach the file. */
static struct directory *open_top(struct walk *walk, int *status, struct simhash_error *error)
{
	const char *path = walk->top_path[0] == '\0' ? "/" : walk->top_path;
	int fd = open_file_at(AT_FDCWD, path,
			      walk->root->is_directory ? O_RDONLY | O_DIRECTORY : OPEN_TO_REACH, 0);
	struct directory *directory;
	struct stat device;

	*status = 0;
	if (fd < 0) {
		report(walk, bytes_of(walk->root->path), "", errno);
		return NULL;
	}
	directory = directory_new_top(fd, walk->root->index, path);
	if (directory == NULL) {
		close(fd);
		*status = error_set_memory(error);
	} else if (fstat(fd, &device) == 0) {
		walk->device = (uint64_t)device.st_dev;
	}
	return directory;
}

/* ---- Skipping ---- */

/*
 * Returns 1 if the directory was not visited through another link, 0 if it was, or -1 if memory is
 * short.
 */
static int is_new(struct walk *walk, const struct stat *status, struct simhash_error *error)
{
	int added;

	if (!walk->options->follow)
		return 1;
	pthread_mutex_lock(&walk->mutex);
	added = pair_set_add(&walk->seen,
			     (struct pair){(uint64_t)status->st_dev, (uint64_t)status->st_ino});
	pthread_mutex_unlock(&walk->mutex);
	return added < 0 ? error_set_memory(error) : added;
}

/* Is a directory the top of a file system that is skipped? */
static bool is_other_file_system(const struct walk *walk, const struct directory *directory,
				 const struct stat *status)
{
	const struct walk_options *options = walk->options;

	if (options->one_file_system && (uint64_t)status->st_dev != walk->device)
		return true;
	/* Only an explicit PATH leads into a file system that the kernel makes up. */
	if (!level_changes_device(directory->level) || !is_kernel_file_system(directory->fd))
		return false;
	if (options->kernel_file_systems != NULL)
		atomic_fetch_add(options->kernel_file_systems, 1);
	return true;
}

static void refuse(const struct walk *walk, const struct directory *directory, const char *text)
{
	if (walk->options->failures != NULL)
		failures_add_unentered(walk->options->failures, walk->root->index,
				       directory_path(directory), text);
}

/* Would a walk of this directory never end? Then report it. */
static bool is_endless(const struct walk *walk, const struct directory *directory)
{
	struct level_loop loop = level_find_loop(directory->level);
	char text[160];

	if (loop.levels_up == 0 && directory->path_size <= WALK_PATH_MAX)
		return false;
	if (loop.levels_up == 0)
		snprintf(text, sizeof text, "Not entered: its path has more than %d bytes",
			 WALK_PATH_MAX);
	else if (loop.is_certain)
		snprintf(text, sizeof text, "Not entered: it is the directory %u level%s above it",
			 loop.levels_up, loop.levels_up == 1 ? "" : "s");
	else
		snprintf(
			text, sizeof text,
			"Not entered: it and the levels above it are all equal, as if it contained "
			"itself");
	refuse(walk, directory, text);
	return true;
}

/* Must an open directory be read? Returns 1, 0 if it is skipped, or -1 if memory is short. */
static int is_wanted(struct walk *walk, struct directory *directory, struct level *above,
		     struct simhash_error *error)
{
	struct stat status;
	int is_wanted;

	if (fstat(directory->fd, &status) != 0) {
		report(walk, directory_path(directory), "", errno);
		return 0;
	}
	directory->level = level_new(above, &status);
	if (directory->level == NULL)
		return error_set_memory(error);
	if (is_other_file_system(walk, directory, &status))
		return 0;
	is_wanted = is_new(walk, &status, error);
	return is_wanted == 1 && is_endless(walk, directory) ? 0 : is_wanted;
}

/* Open a taken directory and begin to read it. If it cannot be opened, there is nothing to read. */
static int enter(struct walker *walker, const struct pending *next, struct simhash_error *error)
{
	struct walk *walk = walker->walk;
	struct level *above = NULL;
	int status;

	if (next->name == NULL) {
		walker->directory = open_top(walk, &status, error);
	} else {
		walker->directory = open_pending(walker, next, &status, error);
		above = level_hold(next->parent->directory->level);
		free(next->name);
		pthread_mutex_lock(&walk->mutex);
		parent_drop(walk, next->parent);
		pthread_mutex_unlock(&walk->mutex);
	}
	if (walker->directory != NULL && walk->file_name == NULL)
		status = is_wanted(walk, walker->directory, above, error);
	else if (walker->directory != NULL)
		status = 1;
	level_drop(above);
	if (status == 1 && walker->directory != NULL &&
	    entries_open(&walker->entries, walker->directory, walk->file_name, error) != 0)
		return -1;
	return status;
}

/* Get a directory to read: WALK_FILES, WALK_IDLE, WALK_END or -1. */
static int enter_next(struct walker *walker, struct simhash_error *error)
{
	while (walker->directory == NULL) {
		struct pending next;
		int status = take(walker, &next);
		if (status != WALK_FILES)
			return status;
		status = enter(walker, &next, error);
		if (status < 0)
			return -1;
		if (status == 0)
			leave(walker);
	}
	return WALK_FILES;
}

static void add_subdirectory(struct level *level, const char *name)
{
	level_add(level, &(struct level_entry){.name_hash = XXH3_64bits(name, strlen(name))});
}

static void add_files(struct level *level, const struct chunk *chunk)
{
	for (size_t i = 0; level != NULL && i < chunk->count; i++) {
		const struct found_file *file = &chunk->files[i];
		level_add(level, &(struct level_entry){
					 .name_hash = XXH3_64bits(file->name, file->name_size),
					 .size_bytes = file->size_bytes,
					 .mtime_ns = file->mtime_ns,
					 .changed_ns = file->changed_ns,
					 .is_file = true});
	}
}

/* Read the next files of the directory; WALK_END at its end. */
static int read_on(struct walker *walker, struct chunk *chunk, struct simhash_error *error)
{
	struct level *level = walker->directory->level;
	int found;

	while ((found = entries_next(&walker->entries, chunk, error)) == ENTRIES_DIRECTORY) {
		add_subdirectory(level, walker->entries.name);
		if (push(walker, walker->entries.name, error) != 0)
			return -1;
	}
	if (found == ENTRIES_FILES)
		add_files(level, chunk);
	if (found == ENTRIES_END)
		leave(walker);
	return found < 0 ? -1 : found == ENTRIES_FILES ? WALK_FILES : WALK_END;
}

int walk_next(struct walker *walker, struct chunk *chunk, struct simhash_error *error)
{
	int status;

	do {
		status = enter_next(walker, error);
		if (status != WALK_FILES)
			break;
		status = read_on(walker, chunk, error);
	} while (status == WALK_END);
	if (status < 0)
		walk_cancel(walker->walk);
	return status;
}

void walker_free(struct walker *walker)
{
	if (walker == NULL)
		return;
	if (walker->directory != NULL)
		leave(walker);
	if (walker->again_fd >= 0)
		close(walker->again_fd);
	entries_release(&walker->entries);
	free(walker);
}

void walk_free(struct walk *walk)
{
	if (walk == NULL)
		return;
	while (walk->pending_count > 0) {
		struct pending *pending = &walk->pending[--walk->pending_count];
		free(pending->name);
		parent_drop(walk, pending->parent);
	}
	pair_set_release(&walk->seen);
	free(walk->pending);
	pthread_cond_destroy(&walk->changed);
	pthread_mutex_destroy(&walk->mutex);
	free(walk->top_path);
	free(walk);
}
