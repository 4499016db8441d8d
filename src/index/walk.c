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
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/open_file.h"
#include "base/pair_set.h"

#define NAME_SIZE_MAX 1024 /* of names that are looked at for what they end in */
#define INFLATED_NAME_MAX (2 * NAME_SIZE_MAX + 8)
#define LIST_BUFFER 65536
#define FLOORS_UP 16 /* that one parent to be opened again may lie above another */
#define STOP_LOOK_MS 100
#define LISTED_DIRECTORY_FILES 256 /* files of one directory handed over at once */

/* A directory that is yet to be visited: a name in a parent. */
struct pending {
	struct directory *parent;
	char *name;
	bool is_held;		/* the parent stays open; else */
	uint64_t device, inode; /* tell it when it is opened again */
};

/* What the walkers share. */
struct walk {
	const struct walk_options *options;
	pthread_mutex_t mutex; /* of all below */
	pthread_cond_t changed;
	struct pending *pending;
	size_t pending_count, pending_capacity;
	unsigned held; /* parents that stay open for what is pending */
	unsigned busy; /* walkers that may yet add directories */
	int status;    /* -1 once one of them has failed, with its error */
	struct simhash_error *error;
	struct pair_set seen; /* device and inode, when links are followed */
	uint64_t device;      /* of the top */
};

/* One thread's. */
struct walker {
	struct walk *walk;
	const struct walk_visitor *visitor;
	struct simhash_error error;
	struct found_file files[WALK_CHUNK];
	char *names; /* of the files, one behind the other */
	size_t names_size, names_capacity;
	char *path; /* of an entry, relative to the top */
	size_t path_capacity;
	int again_fd; /* a parent that was opened again, or -1 */
};

static atomic_uint open_directories;

unsigned directory_open_count(void)
{
	return atomic_load(&open_directories);
}

/* With `above` NULL the directory is a top. */
static struct directory *directory_new(int fd, unsigned root, const struct directory *above,
				       const char *parent, size_t parent_size, const char *name)
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
	directory->top_size = above != NULL ? above->top_size : size == 1 ? 1 : size + 1;
	directory->ignores = above != NULL ? ignores_hold(above->ignores) : NULL;
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
	if (directory == NULL || atomic_fetch_sub(&directory->references, 1) > 1)
		return;
	ignores_drop(directory->ignores);
	free(directory);
}

static void directory_let_go(struct directory *directory)
{
	directory_end_use(directory);
	directory_drop(directory);
}

/* Report DIRECTORY/NAME. */
static void failed_entry(const struct walker *walker, const struct directory *directory,
			 const char *name, int system_errno)
{
	struct directory *entry = directory_new(-1, directory->root, directory, directory->path,
						directory->path_size, name);

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

/* Hold the parent of something pending open, where there may be one more. */
static void hold_parent(struct walk *walk, struct pending *pending)
{
	struct directory *parent = pending->parent;
	struct stat status;

	atomic_fetch_add(&parent->references, 1);
	if (parent->pending == 0 && walk->held >= walk->options->open_max &&
	    fstat(parent->fd, &status) == 0) {
		pending->device = (uint64_t)status.st_dev;
		pending->inode = (uint64_t)status.st_ino;
		return;
	}
	pending->is_held = true;
	atomic_fetch_add(&parent->uses, 1);
	if (parent->pending++ == 0)
		walk->held++;
}

static void forget_pending(struct walk *walk, const struct pending *pending)
{
	if (pending->is_held) {
		if (--pending->parent->pending == 0)
			walk->held--;
		directory_end_use(pending->parent);
	}
	directory_drop(pending->parent);
	free(pending->name);
}

static int push_pending(struct walker *walker, struct directory *parent, const char *name)
{
	struct walk *walk = walker->walk;
	char *copy = strdup(name);
	bool is_pushed = false;

	pthread_mutex_lock(&walk->mutex);
	if (copy != NULL && has_room(walk)) {
		struct pending *pending = &walk->pending[walk->pending_count++];
		*pending = (struct pending){.parent = parent, .name = copy};
		hold_parent(walk, pending);
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

/* Append a name, ended by a zero. Names move when their buffer grows, so they are set later. */
static int add_name(struct walker *walker, const char *name, size_t size)
{
	if (walker->names_size + size + 1 > walker->names_capacity) {
		size_t capacity = walker->names_capacity * 2 + size + 65536;
		char *grown = realloc(walker->names, capacity);
		if (grown == NULL)
			return error_set_memory(&walker->error);
		walker->names = grown;
		walker->names_capacity = capacity;
	}
	memcpy(walker->names + walker->names_size, name, size);
	walker->names[walker->names_size + size] = '\0';
	walker->names_size += size + 1;
	return 0;
}

/* Gather a regular file, and its inflated content as another where that is asked for. */
static int gather(struct walker *walker, size_t *count, const char *name, const struct stat *status)
{
	struct found_file file = {.name_size = strlen(name),
				  .size_bytes = status->st_size,
				  .mtime_ns = stat_mtime_ns(status),
				  .device = (uint64_t)status->st_dev,
				  .inode = (uint64_t)status->st_ino,
				  .links = (uint64_t)status->st_nlink};
	char inflated[INFLATED_NAME_MAX];

	if (add_name(walker, name, file.name_size) != 0)
		return -1;
	walker->files[(*count)++] = file;
	if (!walker->walk->options->inflate || file.name_size > NAME_SIZE_MAX)
		return 0;
	file.name_size = inflated_name((struct bytes){name, file.name_size}, inflated);
	if (file.name_size == 0)
		return 0;
	if (add_name(walker, inflated, file.name_size) != 0)
		return -1;
	file.is_inflated = true;
	walker->files[(*count)++] = file;
	return 0;
}

/* Does the filter leave this entry out? */
static int is_left_out(struct walker *walker, const struct directory *directory, const char *name,
		       bool is_directory)
{
	bool is_top = directory->path_size + 1 <= directory->top_size;
	size_t above = is_top ? 0 : directory->path_size - directory->top_size;
	size_t size = above + strlen(name) + 2;

	if (size > walker->path_capacity) {
		char *grown = realloc(walker->path, 2 * size);
		if (grown == NULL)
			return error_set_memory(&walker->error);
		walker->path = grown;
		walker->path_capacity = 2 * size;
	}
	if (above > 0) {
		memcpy(walker->path, directory->path + directory->top_size, above);
		walker->path[above++] = '/';
	}
	strcpy(walker->path + above, name);
	return filter_leaves_out(walker->walk->options->filter, directory->ignores, walker->path,
				 walker->path + above, is_directory);
}

/* Read the ignore files of a directory, whose own are at first those above it. */
static int read_ignores(struct walker *walker, struct directory *directory)
{
	bool is_top = directory->path_size + 1 <= directory->top_size;
	struct ignores *above = directory->ignores, *own;
	struct unreadable_ignores unreadable;

	if (!walker->walk->options->filter->ignore_files)
		return 0;
	if (is_top && ignores_read_above(directory->path, &above, &walker->error) != 0)
		return -1;
	if (ignores_read(directory->fd, above, is_top ? "" : directory->path + directory->top_size,
			 &own, &unreadable, &walker->error) != 0) {
		if (is_top)
			ignores_drop(above);
		return -1;
	}
	ignores_drop(above);
	directory->ignores = own;
	if (unreadable.name != NULL)
		failed_entry(walker, directory, unreadable.name, unreadable.system_errno);
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
	enum entry_kind kind;

	while (errno = 0, (entry = readdir(stream)) != NULL) {
		const char *name = entry->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (atomic_load(walker->walk->options->stop))
			return error_set(&walker->error, SIMHASH_E_STOPPED, "stopped");
		kind = kind_of(walker, directory, entry, &status);
		if (kind == ENTRY_DIRECTORY || kind == ENTRY_FILE) {
			int out = is_left_out(walker, directory, name, kind == ENTRY_DIRECTORY);
			if (out < 0)
				return -1;
			if (out > 0 ||
			    (kind == ENTRY_FILE &&
			     filter_leaves_out_size(walker->walk->options->filter, status.st_size)))
				continue;
		}
		switch (kind) {
		case ENTRY_DIRECTORY:
			if (push_pending(walker, directory, name) != 0)
				return -1;
			break;
		case ENTRY_FILE:
			if (count + 2 > WALK_CHUNK) {
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

/*
 * Has this directory been visited through another link, or is it of another file
 * system and those are not asked for? Then it is left out.
 */
static int is_wanted(struct walker *walker, const struct directory *directory)
{
	const struct walk_options *options = walker->walk->options;
	struct stat status;
	int added;

	if ((!options->follow && !options->one_file_system) || fstat(directory->fd, &status) != 0)
		return 1;
	if (options->one_file_system && (uint64_t)status.st_dev != walker->walk->device)
		return 0;
	if (!options->follow)
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
	int wanted = is_wanted(walker, directory);
	int fd, status;
	DIR *stream;

	if (wanted != 1)
		return wanted;
	if (read_ignores(walker, directory) != 0)
		return -1;
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

static bool is_parent(int fd, const struct pending *pending)
{
	struct stat status;

	return fd >= 0 && fstat(fd, &status) == 0 && (uint64_t)status.st_dev == pending->device &&
	       (uint64_t)status.st_ino == pending->inode;
}

/*
 * Open a parent that was closed since, if it is still the same directory: some floors
 * above the one opened so last, or by its path. The walker keeps the descriptor.
 */
static int open_again(struct walker *walker, const struct pending *pending)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, fd = walker->again_fd;

	for (int i = 0; fd >= 0 && i <= FLOORS_UP && !is_parent(fd, pending); i++) {
		walker->again_fd = open_file_at(fd, "..", flags, 0);
		close(fd);
		fd = walker->again_fd;
	}
	if (is_parent(fd, pending))
		return fd;
	if (fd >= 0)
		close(fd);
	walker->again_fd = fd = open_path(pending->parent->path, flags);
	if (fd < 0 || is_parent(fd, pending))
		return fd;
	errno = ENOENT;
	return -1;
}

/* Open what is pending, in its parent and nowhere else. */
static int open_pending(struct walker *walker, const struct pending *pending, int flags)
{
	int above = pending->is_held ? pending->parent->fd : open_again(walker, pending);

	return above < 0 ? -1 : open_file_at(above, pending->name, flags, 0);
}

static int visit_pending(struct walker *walker, const struct pending *pending)
{
	struct directory *parent = pending->parent, *directory;
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC |
		    (walker->walk->options->follow ? 0 : O_NOFOLLOW);
	int fd, status;

	walker->visitor->before_open(walker->visitor->context);
	fd = open_pending(walker, pending, flags);
	if (fd < 0) {
		/* Gone or replaced since it was listed is no failure; nothing is below it. */
		if (errno != ENOENT && errno != ENOTDIR)
			failed_entry(walker, parent, pending->name, errno);
		return 0;
	}
	directory = directory_new(fd, parent->root, parent, parent->path, parent->path_size,
				  pending->name);
	if (directory == NULL) {
		close(fd);
		return error_set_memory(&walker->error);
	}
	status = visit(walker, directory);
	directory_let_go(directory);
	return status;
}

static void be_idle(const struct walker *walker)
{
	if (walker->visitor->idle != NULL)
		walker->visitor->idle(walker->visitor->context);
}

/* Take directories as long as there are any or a walker may add some. */
static void visit_all(struct walker *walker)
{
	struct walk *walk = walker->walk;

	pthread_mutex_lock(&walk->mutex);
	for (;;) {
		struct pending next;
		int status;
		if (walk->status == 0 && walk->pending_count == 0 && walk->busy > 0) {
			pthread_mutex_unlock(&walk->mutex);
			be_idle(walker);
			pthread_mutex_lock(&walk->mutex);
		}
		while (walk->status == 0 && walk->pending_count == 0 && walk->busy > 0)
			pthread_cond_wait(&walk->changed, &walk->mutex);
		if (walk->status != 0 || walk->pending_count == 0)
			break;
		next = walk->pending[--walk->pending_count];
		walk->busy++;
		pthread_mutex_unlock(&walk->mutex);
		status = visit_pending(walker, &next);
		pthread_mutex_lock(&walk->mutex);
		forget_pending(walk, &next);
		walk->busy--;
		if (status != 0 && walk->status == 0) {
			walk->status = status;
			*walk->error = walker->error;
		}
		if (walk->busy == 0 || walk->status != 0)
			pthread_cond_broadcast(&walk->changed);
	}
	pthread_mutex_unlock(&walk->mutex);
	be_idle(walker);
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
		forget_pending(walk, &walk->pending[--walk->pending_count]);
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
	return open_file_at(AT_FDCWD, path, access | O_DIRECTORY, 0);
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
	top = directory_new(fd, number, NULL, path, strlen(path), "");
	if (top == NULL) {
		close(fd);
		return error_set_memory(walk->error);
	}
	if (name == NULL) {
		struct stat device;
		if (fstat(fd, &device) == 0)
			walk->device = (uint64_t)device.st_dev;
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
			if (walkers[i]->again_fd >= 0)
				close(walkers[i]->again_fd);
			free(walkers[i]->names);
			free(walkers[i]->path);
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
		walkers[i]->again_fd = -1;
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

/* ---- Lists ---- */

/* What a list has named last, of one directory. */
struct list_walk {
	struct walker *walker;
	unsigned number;
	char *text; /* the directory as the list has it */
	struct directory *directory;
	size_t count; /* files of it gathered */
	uint64_t directories;
	bool has_zeros;
};

static int list_hand_over(struct list_walk *list)
{
	int status = 0;

	if (list->count > 0)
		status = hand_over(list->walker, list->directory, list->count, WALK_INCOMPLETE);
	list->count = 0;
	return status;
}

static int list_leave_directory(struct list_walk *list)
{
	int status = list_hand_over(list);

	if (list->directory != NULL)
		directory_let_go(list->directory);
	free(list->text);
	list->directory = NULL;
	list->text = NULL;
	return status;
}

static void list_failed(const struct list_walk *list, const char *path, int system_errno)
{
	const struct walk_visitor *visitor = list->walker->visitor;

	visitor->failed(visitor->context, list->number, (struct bytes){path, strlen(path)},
			system_errno);
}

/* Open the directory of a path, given its text; the last one serves again. */
static int list_enter_directory(struct list_walk *list, const char *path, const char *text)
{
	char *resolved;
	int fd;

	if (list->text != NULL && strcmp(list->text, text) == 0)
		return 1;
	if (list_leave_directory(list) != 0)
		return -1;
	list->walker->visitor->before_open(list->walker->visitor->context);
	resolved = realpath(text, NULL);
	fd = resolved == NULL ? -1 : open_root(resolved, false);
	if (fd < 0) {
		list_failed(list, path, errno);
		free(resolved);
		return 0;
	}
	list->directory = directory_new(fd, list->number, NULL, resolved, strlen(resolved), "");
	list->text = strdup(text);
	free(resolved);
	if (list->directory == NULL)
		close(fd);
	if (list->directory == NULL || list->text == NULL)
		return error_set_memory(&list->walker->error);
	return 1;
}

/* Do the patterns leave out this name, as it stands in the list, or a directory in it? */
static bool list_leaves_out(const struct list_walk *list, char *path)
{
	const struct filter *filter = list->walker->walk->options->filter;
	char *name, *end;

	while (path[0] == '/' || (path[0] == '.' && path[1] == '/'))
		path++;
	for (name = path;; name = end + 1) {
		bool is_up = strncmp(name, "../", 3) == 0 || strncmp(name, "./", 2) == 0;
		bool is_out;
		end = strchr(name, '/');
		if (end == NULL)
			return filter_leaves_out(filter, NULL, path, name, false);
		*end = '\0';
		is_out = !is_up && name[0] != '\0' &&
			 filter_leaves_out(filter, NULL, path, name, true);
		*end = '/';
		if (is_out)
			return true;
	}
}

static int list_file(struct list_walk *list, char *path)
{
	const struct walk_options *options = list->walker->walk->options;
	size_t size = strlen(path);
	struct stat status;
	char *name;
	int entered;

	while (size > 1 && path[size - 1] == '/')
		path[--size] = '\0';
	if (lstat(path, &status) != 0 ||
	    (S_ISLNK(status.st_mode) && options->follow && stat(path, &status) != 0)) {
		list_failed(list, path, errno);
		return 0;
	}
	if (S_ISDIR(status.st_mode)) {
		list->directories++;
		return 0;
	}
	if (!S_ISREG(status.st_mode) || filter_leaves_out_size(options->filter, status.st_size) ||
	    list_leaves_out(list, path))
		return 0;
	name = strrchr(path, '/');
	if (name == NULL) {
		entered = list_enter_directory(list, path, ".");
		name = path;
	} else {
		*name = '\0';
		entered = list_enter_directory(list, path, path[0] == '\0' ? "/" : path);
		*name++ = '/';
	}
	if (entered != 1)
		return entered;
	if (gather(list->walker, &list->count, name, &status) != 0)
		return -1;
	return list->count >= LISTED_DIRECTORY_FILES ? list_hand_over(list) : 0;
}

/*
 * Read on, when there is something: whoever writes the list may take his time. Neither
 * what he has named already waits for him, nor to be told to stop. The bytes read, 0 at the end, -1 with the error.
 */
static ssize_t read_list_part(struct list_walk *list, int fd, const char *list_name, char *buffer,
			      size_t size)
{
	struct walker *walker = list->walker;

	for (;;) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		ssize_t got;
		if (atomic_load(walker->walk->options->stop))
			return error_set(&walker->error, SIMHASH_E_STOPPED, "stopped");
		if (poll(&ready, 1, STOP_LOOK_MS) <= 0) {
			if (list_hand_over(list) != 0)
				return -1;
			be_idle(walker);
			continue;
		}
		got = read(fd, buffer, size);
		if (got >= 0)
			return got;
		if (errno != EINTR && errno != EAGAIN)
			return error_set_errno(&walker->error, "cannot read %s", list_name);
	}
}

/* Deal with each name in a buffer that ends in a zero; the bytes dealt with, or -1. */
static ssize_t list_names_in(struct list_walk *list, char *buffer, size_t size,
			     const char *list_name)
{
	struct walker *walker = list->walker;
	size_t at = 0;
	char *end;

	while ((end = memchr(buffer + at, '\0', size - at)) != NULL) {
		if (buffer[at] == '\0')
			return error_set(
				&walker->error, SIMHASH_E_SYNTAX,
				"%s: an empty file name; expected names ended by zero bytes",
				list_name);
		if (atomic_load(walker->walk->options->stop))
			return error_set(&walker->error, SIMHASH_E_STOPPED, "stopped");
		if (list_file(list, buffer + at) != 0)
			return -1;
		at = (size_t)(end - buffer) + 1;
	}
	return (ssize_t)at;
}

/* Hand each name that the descriptor gives on; the last needs no zero. */
static int list_names(struct list_walk *list, int fd, const char *list_name)
{
	size_t room = LIST_BUFFER, size = 0;
	char *buffer = malloc(room + 1);
	int status = buffer == NULL ? error_set_memory(&list->walker->error) : 0;

	while (status == 0) {
		ssize_t got = read_list_part(list, fd, list_name, buffer + size, room - size);
		ssize_t done;
		if (got < 0)
			status = -1;
		if (got == 0 && size > 0 && !list->has_zeros &&
		    memchr(buffer, '\n', size) != NULL) {
			status = error_set(&list->walker->error, SIMHASH_E_SYNTAX,
					   "%s: names ended by newlines; expected zero bytes, as "
					   "from find -print0",
					   list_name);
			break;
		}
		if (got == 0 && size > 0)
			buffer[size++] = '\0';
		else if (got <= 0)
			break;
		else
			size += (size_t)got;
		done = list_names_in(list, buffer, size, list_name);
		list->has_zeros = list->has_zeros || done > 0;
		if (done < 0) {
			status = -1;
			break;
		}
		memmove(buffer, buffer + done, size - (size_t)done);
		size -= (size_t)done;
		if (size == room) { /* a name longer than the buffer */
			char *grown = realloc(buffer, 2 * room + 1);
			if (grown == NULL) {
				status = error_set_memory(&list->walker->error);
				break;
			}
			buffer = grown;
			room *= 2;
		}
	}
	free(buffer);
	return status;
}

int walk_list(int fd, const char *list_name, unsigned number, const struct walk_options *options,
	      const struct walk_visitor *visitor, uint64_t *directories,
	      struct simhash_error *error)
{
	struct walk walk = {.options = options, .error = error};
	struct walker **walkers = walkers_new(&walk, visitor, 1);
	int status = -1;

	if (walkers == NULL) {
		error_set_memory(error);
	} else {
		struct list_walk list = {.walker = walkers[0], .number = number};
		status = list_names(&list, fd, list_name);
		if (list_leave_directory(&list) != 0)
			status = -1;
		*directories = list.directories;
		if (status != 0)
			*error = walkers[0]->error;
	}
	walkers_free(walkers, 1);
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
