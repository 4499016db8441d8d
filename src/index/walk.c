/*
 * Walking trees, directory by directory, by several threads: each takes the
 * directory found last and adds those that it finds in it.
 * Leaves the choice of what to scan to reconcile.c.
 * SPDX-License-Identifier: MIT
 */
#include "index/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "index/pair_set.h"

/* A directory that is yet to be visited: a name in a parent that is held open. */
struct pending {
	struct directory *parent;
	char *name;
};

/* What the walkers share. */
struct walk {
	const struct walk_options *options;
	pthread_mutex_t mutex; /* of all below */
	pthread_cond_t changed;
	struct pending *pending;
	size_t pending_count, pending_capacity;
	unsigned busy; /* walkers that may yet add directories */
	int status;    /* -1 once one of them has failed, with its error */
	struct simhash_error *error;
	struct pair_set seen; /* device and inode, when links are followed */
};

/* One thread's. */
struct walker {
	struct walk *walk;
	const struct walk_visitor *visitor;
	struct simhash_error error;
	struct found_file files[WALK_CHUNK];
	char *names; /* of the files, one behind the other */
	size_t names_size, names_capacity;
};

static atomic_uint open_directories;

unsigned directory_open_count(void)
{
	return atomic_load(&open_directories);
}

static struct directory *directory_new(int fd, unsigned root, const char *parent,
				       size_t parent_size, const char *name)
{
	bool needs_slash = parent_size > 0 && parent[parent_size - 1] != '/' && name[0] != '\0';
	size_t name_size = strlen(name);
	size_t size = parent_size + (needs_slash ? 1 : 0) + name_size;
	struct directory *directory = calloc(1, sizeof *directory + size + 1);

	if (directory == NULL)
		return NULL;
	memcpy(directory->path, parent, parent_size);
	if (needs_slash)
		directory->path[parent_size] = '/';
	memcpy(directory->path + size - name_size, name, name_size);
	directory->path_size = size;
	directory->fd = fd;
	directory->root = root;
	atomic_init(&directory->references, 1);
	atomic_init(&directory->uses, 1);
	directory_hash((struct bytes){directory->path, size}, directory->hash);
	atomic_fetch_add(&open_directories, 1);
	return directory;
}

void directory_hold(struct directory *directory)
{
	atomic_fetch_add(&directory->references, 1);
	atomic_fetch_add(&directory->uses, 1);
}

void directory_end_use(struct directory *directory)
{
	if (atomic_fetch_sub(&directory->uses, 1) > 1)
		return;
	close(directory->fd);
	atomic_fetch_sub(&open_directories, 1);
}

void directory_drop(struct directory *directory)
{
	if (directory != NULL && atomic_fetch_sub(&directory->references, 1) == 1)
		free(directory);
}

static void directory_let_go(struct directory *directory)
{
	directory_end_use(directory);
	directory_drop(directory);
}

int64_t stat_mtime_ns(const struct stat *status)
{
#ifdef __APPLE__
	const struct timespec *time = &status->st_mtimespec;
#else
	const struct timespec *time = &status->st_mtim;
#endif
	/* Beyond 292 years from 1970 the clock stands still. */
	if (time->tv_sec > INT64_MAX / 1000000000 - 1)
		return INT64_MAX;
	if (time->tv_sec < INT64_MIN / 1000000000 + 1)
		return INT64_MIN;
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

/* Report DIRECTORY/NAME. */
static void failed_entry(const struct walker *walker, const struct directory *directory,
			 const char *name, int system_errno)
{
	struct directory *entry =
		directory_new(-1, directory->root, directory->path, directory->path_size, name);

	if (entry == NULL)
		return;
	atomic_fetch_sub(&open_directories, 1);
	walker->visitor->failed(walker->visitor->context, directory->root,
				(struct bytes){entry->path, entry->path_size}, system_errno);
	directory_drop(entry);
}

static bool has_room(struct walk *walk)
{
	size_t capacity = walk->pending_capacity == 0 ? 64 : walk->pending_capacity * 2;
	struct pending *grown;

	if (walk->pending_count < walk->pending_capacity)
		return true;
	grown = realloc(walk->pending, capacity * sizeof *grown);
	if (grown == NULL)
		return false;
	walk->pending = grown;
	walk->pending_capacity = capacity;
	return true;
}

static int push_pending(struct walker *walker, struct directory *parent, const char *name)
{
	struct walk *walk = walker->walk;
	char *copy = strdup(name);
	bool is_pushed = false;

	pthread_mutex_lock(&walk->mutex);
	if (copy != NULL && has_room(walk)) {
		directory_hold(parent);
		walk->pending[walk->pending_count++] = (struct pending){parent, copy};
		pthread_cond_signal(&walk->changed);
		is_pushed = true;
	}
	pthread_mutex_unlock(&walk->mutex);
	if (is_pushed)
		return 0;
	free(copy);
	return error_set_memory(&walker->error);
}

static int compare_files(const void *a, const void *b)
{
	const struct found_file *x = a, *y = b;

	return memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE);
}

/* Hand the files gathered so far to the visitor. */
static int hand_over(struct walker *walker, struct directory *directory, size_t count,
		     enum walk_part part)
{
	const char *name = walker->names;

	for (size_t i = 0; i < count; i++) {
		struct found_file *file = &walker->files[i];
		file->name = name;
		name += file->name_size + 1;
		path_hash(directory->hash, (struct bytes){file->name, file->name_size},
			  file->path_hash);
	}
	qsort(walker->files, count, sizeof *walker->files, compare_files);
	walker->names_size = 0;
	return walker->visitor->files(walker->visitor->context, directory, walker->files, count,
				      part, &walker->error);
}

/* Gather one regular file. Names move when their buffer grows, so they are set later. */
static int gather(struct walker *walker, size_t *count, const char *name, const struct stat *status)
{
	size_t size = strlen(name);

	if (walker->names_size + size + 1 > walker->names_capacity) {
		size_t capacity = walker->names_capacity * 2 + size + 65536;
		char *grown = realloc(walker->names, capacity);
		if (grown == NULL)
			return error_set_memory(&walker->error);
		walker->names = grown;
		walker->names_capacity = capacity;
	}
	memcpy(walker->names + walker->names_size, name, size + 1);
	walker->names_size += size + 1;
	walker->files[(*count)++] = (struct found_file){.name_size = size,
							.size_bytes = status->st_size,
							.mtime_ns = stat_mtime_ns(status)};
	return 0;
}

enum entry_kind { ENTRY_OTHER, ENTRY_FILE, ENTRY_DIRECTORY, ENTRY_FAILED };

static enum entry_kind kind_of(const struct walker *walker, const struct directory *directory,
			       const struct dirent *entry, struct stat *status)
{
	bool follow = walker->walk->options->follow;

#ifdef DT_UNKNOWN
	if (entry->d_type == DT_DIR)
		return ENTRY_DIRECTORY;
	if (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN &&
	    !(entry->d_type == DT_LNK && follow))
		return ENTRY_OTHER;
#endif
	if (fstatat(directory->fd, entry->d_name, status, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
		/* Gone since it was read, or a link to nothing: not a file. */
		return errno == ENOENT || errno == ENOTDIR ? ENTRY_OTHER : ENTRY_FAILED;
	if (S_ISDIR(status->st_mode))
		return ENTRY_DIRECTORY;
	return S_ISREG(status->st_mode) ? ENTRY_FILE : ENTRY_OTHER;
}

/* Read a directory to its end: files to the visitor, directories to the stack. */
static int read_entries(struct walker *walker, struct directory *directory, DIR *stream)
{
	enum walk_part last = WALK_WHOLE;
	struct dirent *entry;
	struct stat status;
	size_t count = 0;
	bool is_complete = true;

	while (errno = 0, (entry = readdir(stream)) != NULL) {
		const char *name = entry->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (atomic_load(walker->walk->options->stop))
			return error_set(&walker->error, SIMHASH_E_STOPPED, "stopped");
		switch (kind_of(walker, directory, entry, &status)) {
		case ENTRY_DIRECTORY:
			if (push_pending(walker, directory, name) != 0)
				return -1;
			break;
		case ENTRY_FILE:
			if (count == WALK_CHUNK) {
				if (hand_over(walker, directory, count, WALK_PART) != 0)
					return -1;
				count = 0;
				last = WALK_LAST_PART;
			}
			if (gather(walker, &count, name, &status) != 0)
				return -1;
			break;
		case ENTRY_FAILED:
			/* A loop of links is no file; of anything else, who knows. */
			is_complete = is_complete && errno == ELOOP;
			failed_entry(walker, directory, name, errno);
			break;
		case ENTRY_OTHER:
			break;
		}
	}
	if (errno != 0) {
		failed_entry(walker, directory, "", errno);
		is_complete = false;
	}
	return hand_over(walker, directory, count, is_complete ? last : WALK_INCOMPLETE);
}

/* Has this directory been visited through another link? Then it is left out. */
static int is_first_visit(struct walker *walker, const struct directory *directory)
{
	struct stat status;
	int added;

	if (!walker->walk->options->follow || fstat(directory->fd, &status) != 0)
		return 1;
	pthread_mutex_lock(&walker->walk->mutex);
	added = pair_set_add(&walker->walk->seen,
			     (struct pair){(uint64_t)status.st_dev, (uint64_t)status.st_ino});
	pthread_mutex_unlock(&walker->walk->mutex);
	if (added < 0)
		error_set_memory(&walker->error);
	return added;
}

static int visit(struct walker *walker, struct directory *directory)
{
	int first = is_first_visit(walker, directory);
	int fd, status;
	DIR *stream;

	if (first != 1)
		return first;
	fd = fcntl(directory->fd, F_DUPFD_CLOEXEC, 0);
	stream = fd < 0 ? NULL : fdopendir(fd);
	if (stream == NULL) {
		failed_entry(walker, directory, "", errno);
		if (fd >= 0)
			close(fd);
		return 0;
	}
	status = read_entries(walker, directory, stream);
	closedir(stream);
	return status;
}

static int visit_pending(struct walker *walker, const struct pending *pending)
{
	struct directory *parent = pending->parent, *directory;
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC |
		    (walker->walk->options->follow ? 0 : O_NOFOLLOW);
	int fd, status;

	walker->visitor->before_open(walker->visitor->context);
	fd = openat(parent->fd, pending->name, flags);
	if (fd < 0) {
		/* Gone or replaced since it was listed is no failure; nothing is below it. */
		if (errno != ENOENT && errno != ENOTDIR)
			failed_entry(walker, parent, pending->name, errno);
		return 0;
	}
	directory = directory_new(fd, parent->root, parent->path, parent->path_size, pending->name);
	if (directory == NULL) {
		close(fd);
		return error_set_memory(&walker->error);
	}
	status = visit(walker, directory);
	directory_let_go(directory);
	return status;
}

static void forget_pending(struct pending *pending)
{
	directory_let_go(pending->parent);
	free(pending->name);
}

/* Take directories as long as there are any or a walker may add some. */
static void visit_all(struct walker *walker)
{
	struct walk *walk = walker->walk;

	pthread_mutex_lock(&walk->mutex);
	for (;;) {
		struct pending next;
		int status;
		while (walk->status == 0 && walk->pending_count == 0 && walk->busy > 0)
			pthread_cond_wait(&walk->changed, &walk->mutex);
		if (walk->status != 0 || walk->pending_count == 0)
			break;
		next = walk->pending[--walk->pending_count];
		walk->busy++;
		pthread_mutex_unlock(&walk->mutex);
		status = visit_pending(walker, &next);
		forget_pending(&next);
		pthread_mutex_lock(&walk->mutex);
		walk->busy--;
		if (status != 0 && walk->status == 0) {
			walk->status = status;
			*walk->error = walker->error;
		}
		if (walk->busy == 0 || walk->status != 0)
			pthread_cond_broadcast(&walk->changed);
	}
	pthread_mutex_unlock(&walk->mutex);
}

static void *walker_main(void *argument)
{
	visit_all(argument);
	return NULL;
}

/* The first walker reads the top directory, then all of them the rest. */
static int walk_directory(struct walk *walk, struct walker *const *walkers, unsigned count,
			  struct directory *top)
{
	pthread_t *threads = calloc(count, sizeof *threads);
	unsigned started = 0;
	int status;

	if (threads == NULL)
		return error_set_memory(walk->error);
	status = visit(walkers[0], top);
	if (status != 0) {
		*walk->error = walkers[0]->error;
	} else {
		/* Where a thread cannot be had, there are fewer. */
		while (started + 1 < count && pthread_create(&threads[started], NULL, walker_main,
							     walkers[started + 1]) == 0)
			started++;
		visit_all(walkers[0]);
		for (unsigned i = 0; i < started; i++)
			pthread_join(threads[i], NULL);
		status = walk->status;
	}
	while (walk->pending_count > 0)
		forget_pending(&walk->pending[--walk->pending_count]);
	free(threads);
	return status;
}

/* A root that is a file: its directory's one file of interest. */
static int walk_file(struct walker *walker, struct directory *directory, const char *name)
{
	struct stat status;
	size_t count = 0;

	if (fstatat(directory->fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
		failed_entry(walker, directory, name, errno);
		return 0;
	}
	if (gather(walker, &count, name, &status) != 0)
		return -1;
	return hand_over(walker, directory, count, WALK_INCOMPLETE);
}

/* Open the directory of a root; for a file's only to find the file in it. */
static int open_root(const char *path, bool is_directory)
{
#ifdef O_PATH
	int access = is_directory ? O_RDONLY : O_PATH;
#else
	int access = O_RDONLY;
	(void)is_directory;
#endif
	return open(path, access | O_DIRECTORY | O_CLOEXEC);
}

/* `path` is the directory to open, `name` a file in it or NULL for the whole of it. */
static int walk_opened(struct walk *walk, struct walker *const *walkers, unsigned count,
		       const struct walk_root *root, unsigned number, const char *path,
		       const char *name)
{
	int fd = open_root(path, root->is_directory), status;
	struct directory *top;

	if (fd < 0) {
		walkers[0]->visitor->failed(walkers[0]->visitor->context, number,
					    (struct bytes){root->path, strlen(root->path)}, errno);
		return 0;
	}
	top = directory_new(fd, number, path, strlen(path), "");
	if (top == NULL) {
		close(fd);
		return error_set_memory(walk->error);
	}
	if (name == NULL) {
		status = walk_directory(walk, walkers, count, top);
	} else {
		status = walk_file(walkers[0], top, name);
		*walk->error = walkers[0]->error;
	}
	directory_let_go(top);
	return status;
}

static void walkers_free(struct walker **walkers, unsigned count)
{
	for (unsigned i = 0; walkers != NULL && i < count; i++)
		if (walkers[i] != NULL) {
			free(walkers[i]->names);
			free(walkers[i]);
		}
	free(walkers);
}

static struct walker **walkers_new(struct walk *walk, const struct walk_visitor *visitors,
				   unsigned count)
{
	struct walker **walkers = calloc(count, sizeof *walkers);

	for (unsigned i = 0; walkers != NULL && i < count; i++) {
		walkers[i] = calloc(1, sizeof **walkers);
		if (walkers[i] == NULL) {
			walkers_free(walkers, count);
			return NULL;
		}
		walkers[i]->walk = walk;
		walkers[i]->visitor = &visitors[i];
	}
	return walkers;
}

int walk_tree(const struct walk_root *root, unsigned number, const struct walk_options *options,
	      const struct walk_visitor *visitors, unsigned visitor_count,
	      struct simhash_error *error)
{
	struct walk walk = {.options = options, .error = error};
	/* Of two paths to one directory the first counts, so there must be an order. */
	unsigned count = options->follow ? 1 : visitor_count;
	struct walker **walkers = walkers_new(&walk, visitors, count);
	char *path = strdup(root->path), *name = NULL;
	int status = -1;

	pthread_mutex_init(&walk.mutex, NULL);
	pthread_cond_init(&walk.changed, NULL);
	if (walkers == NULL || path == NULL) {
		error_set_memory(error);
	} else {
		if (!root->is_directory) {
			name = strrchr(path, '/');
			*name++ = '\0';
		}
		status = walk_opened(&walk, walkers, count, root, number,
				     path[0] == '\0' ? "/" : path, name);
	}
	pthread_cond_destroy(&walk.changed);
	pthread_mutex_destroy(&walk.mutex);
	pair_set_release(&walk.seen);
	free(walk.pending);
	walkers_free(walkers, count);
	free(path);
	return status;
}

static bool lies_below(const char *path, const struct walk_root *root)
{
	size_t size = strlen(root->path);

	if (root->is_skipped || !root->is_directory || strncmp(path, root->path, size) != 0)
		return false;
	return size == 1 || path[size] == '/';
}

static int resolve(const char *path, struct walk_root *root)
{
	struct stat status;

	root->path = realpath(path, NULL);
	if (root->path == NULL || stat(root->path, &status) != 0)
		return errno;
	root->is_directory = S_ISDIR(status.st_mode);
	/* A word of its own for what has none among the errors of the system. */
	return root->is_directory || S_ISREG(status.st_mode) ? 0 : EINVAL;
}

void walk_resolve(char *const *paths, unsigned count, const struct walk_visitor *visitor,
		  struct walk_root *roots)
{
	for (unsigned i = 0; i < count; i++) {
		int why = resolve(paths[i], &roots[i]);
		roots[i].is_skipped = why != 0;
		if (why != 0)
			visitor->failed(visitor->context, i,
					(struct bytes){paths[i], strlen(paths[i])}, why);
	}
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = 0; j < count && !roots[i].is_skipped; j++)
			roots[i].is_skipped =
				i != j && !roots[j].is_skipped &&
				(lies_below(roots[i].path, &roots[j]) ||
				 (j < i && strcmp(roots[i].path, roots[j].path) == 0));
}
