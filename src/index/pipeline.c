/*
 * The threads of an indexing run and what passes between them. The calling
 * thread writes; one thread walks and compares with the index; the others scan.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/open_file.h"
#include "base/pair_set.h"
#include "base/queue.h"
#include "index/index.h"
#include "index/links.h"
#include "index/reconcile.h"
#include "scan/scan_file.h"
#include "scan/shared_scan.h"
#include "store/store.h"

#define COMMIT_AFTER_S 2   /* what a killed run can lose at most */
#define FILES_KEPT_FREE 64 /* descriptors for everything but directories */
#define COUNT_AFTER_MS 300
#define WALKERS_MAX 4 /* each has a connection of its own */

/* Fixed-size items in a growing array. */
struct list {
	void *items;
	size_t count, capacity;
};

static int list_append(struct list *list, const void *item, size_t size,
		       struct simhash_error *error)
{
	if (list->count == list->capacity) {
		size_t capacity = list->capacity == 0 ? 64 : list->capacity * 2;
		void *grown = realloc(list->items, capacity * size);
		if (grown == NULL)
			return error_set_memory(error);
		list->items = grown;
		list->capacity = capacity;
	}
	memcpy((char *)list->items + list->count++ * size, item, size);
	return 0;
}

struct root_count {
	atomic_ullong failed;
	struct scan_run run;
};

/* What a walking thread has for itself. */
struct index_walker {
	struct pipeline *pipeline;
	struct reconciler reconciler;
	struct batch *filling;
	struct pair_set visited; /* directory hashes of the present root */
};

struct pipeline {
	const struct index_options *options;
	struct row_scope scope;
	int64_t measures[SKETCHES_MAX]; /* their numbers in the index */
	struct walk_root *roots;
	struct root_count *counts; /* one for each root */

	unsigned root_count;
	struct link_table *links;
	atomic_bool is_over; /* ends the walk that counts */

	struct queue to_scan, to_write;
	pthread_mutex_t mutex;
	pthread_cond_t scanned; /* a batch has left the scanners */
	unsigned in_flight;	/* batches pushed and not yet scanned */
	unsigned directory_limit;

	/* The walkers'. */
	struct index_walker walkers[WALKERS_MAX];
	struct walk_visitor visitors[WALKERS_MAX];
	unsigned walker_count;
	uint64_t listed_directories;
	struct list failed;   /* char *: what could not be read below the root; by the mutex */
	struct list vanished; /* directory hashes gone */
	char *gone;	      /* a path last found to be gone, with all below it */
	struct simhash_error walk_error;
	int walk_status;

	/* The writer's. */
	struct store *store;
	struct list batches;	 /* struct batch *: of the next transaction */
	struct list rows;	 /* const struct file_row * */
	struct list directories; /* struct directory_row */
	struct list removed;	 /* path hashes */
	struct list relinked;	 /* struct relinked_file */
	struct index_summary *summary;
};

static bool stopped(const struct pipeline *pipeline)
{
	return atomic_load_explicit(pipeline->options->stop, memory_order_relaxed);
}

/* ---- The walker ---- */

static void push(struct pipeline *pipeline, struct batch *batch)
{
	pthread_mutex_lock(&pipeline->mutex);
	pipeline->in_flight++;
	pthread_mutex_unlock(&pipeline->mutex);
	queue_push(&pipeline->to_scan, batch);
}

static void push_filling(struct index_walker *walker)
{
	if (walker->filling != NULL)
		push(walker->pipeline, walker->filling);
	walker->filling = NULL;
}

static int need_filling(struct index_walker *walker, size_t capacity, struct simhash_error *error)
{
	if (walker->filling == NULL)
		walker->filling = batch_new(capacity);
	return walker->filling == NULL ? error_set_memory(error) : 0;
}

/*
 * Push the one file of `filling`, and a call to each other thread to help with it.
 * Whom memory is too short to call does not help.
 */
static void push_shared(struct index_walker *walker)
{
	struct pipeline *pipeline = walker->pipeline;
	unsigned helpers = pipeline->options->threads - 1;
	struct shared_scan *shared = shared_scan_new(helpers + 1);

	walker->filling->shared = shared;
	push_filling(walker);
	for (unsigned i = 0; shared != NULL && i < helpers; i++) {
		struct batch *call = batch_new(0);
		if (call == NULL) {
			shared_scan_drop(shared);
			continue;
		}
		call->shared = shared;
		push(pipeline, call);
	}
}

/* A file to scan: with others in a batch, or alone when it is large. */
static int walker_scan(void *context, struct directory *directory, const struct found_file *file,
		       struct simhash_error *error)
{
	struct index_walker *walker = context;
	struct pipeline *pipeline = walker->pipeline;
	bool is_large = file->size_bytes >= BYTES_PER_BATCH;
	struct batch *batch;
	struct task *task;

	if (stopped(pipeline))
		return error_set(error, SIMHASH_E_STOPPED, "stopped");
	if (is_large)
		push_filling(walker);
	if (need_filling(walker, is_large ? 1 : TASKS_PER_BATCH, error) != 0)
		return -1;
	batch = walker->filling;
	if (batch_append(batch, directory, file) != 0)
		return error_set_memory(error);
	task = &batch->tasks[batch->count - 1];
	link_table_enter(pipeline->links, file, task);
	if (file->size_bytes >= SHARED_FROM && pipeline->options->threads > 1 &&
	    !file->is_inflated && (task->link == NULL || task->is_first))
		push_shared(walker);
	else if (batch->count == batch->capacity || batch->size_bytes >= BYTES_PER_BATCH)
		push_filling(walker);
	return 0;
}

static int walker_remove(void *context, const uint8_t hash[PATH_HASH_SIZE],
			 struct simhash_error *error)
{
	struct index_walker *walker = context;
	struct batch *batch;

	if (need_filling(walker, TASKS_PER_BATCH, error) != 0)
		return -1;
	batch = walker->filling;
	if (batch->removed == NULL)
		batch->removed = malloc(TASKS_PER_BATCH * sizeof *batch->removed);
	if (batch->removed == NULL)
		return error_set_memory(error);
	memcpy(batch->removed[batch->removed_count++], hash, PATH_HASH_SIZE);
	if (batch->removed_count == TASKS_PER_BATCH)
		push_filling(walker);
	return 0;
}

static int walker_relink(void *context, const struct relinked_file *file,
			 struct simhash_error *error)
{
	struct index_walker *walker = context;
	struct batch *batch;

	if (need_filling(walker, TASKS_PER_BATCH, error) != 0)
		return -1;
	batch = walker->filling;
	if (batch->relinked == NULL)
		batch->relinked = malloc(TASKS_PER_BATCH * sizeof *batch->relinked);
	if (batch->relinked == NULL)
		return error_set_memory(error);
	batch->relinked[batch->relinked_count++] = *file;
	if (batch->relinked_count == TASKS_PER_BATCH)
		push_filling(walker);
	return 0;
}

static struct pair hash_pair(const uint8_t hash[DIRECTORY_HASH_SIZE])
{
	struct pair pair = {0, 0};

	memcpy(&pair.first, hash, DIRECTORY_HASH_SIZE);
	return pair;
}

static int visit_files(void *context, struct directory *directory, const struct found_file *files,
		       size_t count, enum walk_part part, struct simhash_error *error)
{
	struct index_walker *walker = context;

	if (!walker->reconciler.is_first &&
	    pair_set_add(&walker->visited, hash_pair(directory->hash)) < 0)
		return error_set_memory(error);
	return reconcile_files(&walker->reconciler, directory, files, count, part, error);
}

static void count_failure(struct pipeline *pipeline, unsigned root, struct bytes path,
			  int system_errno)
{
	atomic_fetch_add(&pipeline->counts[root].failed, 1);
	pipeline->options->failed(pipeline->options->context, path, system_errno);
}

/* The walk could not read something: nothing at or below it may be removed. */
static void visit_failed(void *context, unsigned root, struct bytes path, int system_errno)
{
	struct index_walker *walker = context;
	struct pipeline *pipeline = walker->pipeline;
	char *copy = strndup(path.data, path.size);

	pthread_mutex_lock(&pipeline->mutex);
	if (copy == NULL ||
	    list_append(&pipeline->failed, &copy, sizeof copy, &pipeline->walk_error) != 0) {
		free(copy);
		error_set_memory(&pipeline->walk_error);
		pipeline->walk_status = -1;
	}
	pthread_mutex_unlock(&pipeline->mutex);
	count_failure(pipeline, root, path, system_errno);
}

/* Too many directories open: have the scanners finish with theirs. */
static void before_open(void *context)
{
	struct index_walker *walker = context;
	struct pipeline *pipeline = walker->pipeline;

	if (directory_open_count() < pipeline->directory_limit)
		return;
	push_filling(walker);
	pthread_mutex_lock(&pipeline->mutex);
	while (pipeline->in_flight > 0)
		pthread_cond_wait(&pipeline->scanned, &pipeline->mutex);
	pthread_mutex_unlock(&pipeline->mutex);
}

/*
 * Others may be waiting for what this walker holds back; and what it is to wait for, such
 * as the next line of a list, may be long in coming.
 */
static void walker_idle(void *context)
{
	struct index_walker *walker = context;

	push_filling(walker);
	reconciler_rest(&walker->reconciler);
}

static bool lies_at_or_below(struct bytes path, const char *top)
{
	size_t size = strlen(top);

	return path.size >= size && memcmp(path.data, top, size) == 0 &&
	       (path.size == size || size == 1 || path.data[size] == '/');
}

/* Step from an open directory, which is closed, down to one in it; -1 with errno. */
static int step_down(int above, const char *name)
{
#ifdef O_PATH
	int access = O_PATH;
#else
	int access = O_RDONLY;
#endif
	int fd = open_file_at(above, name, access | O_DIRECTORY | O_NOFOLLOW, 0);
	int saved = errno;

	close(above);
	errno = saved;
	return fd;
}

/*
 * Is there, when looked at once more, no directory at this path that a walk
 * would reach? It may have been made, and indexed by another process, since its
 * parent was listed. Name by name, since the path may be longer than the system
 * takes at once. Whether it is there, with what of it is not there, the caller's,
 * in *gone, or NULL where all of it is; -1 with errno where that cannot be told.
 */
static int look_for(struct bytes path, char **gone)
{
	char *copy = strndup(path.data, path.size), *name = copy;
	int fd = copy == NULL ? -1 : open_file_at(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0), saved;

	*gone = NULL;
	while (fd >= 0 && *(name += strspn(name, "/")) != '\0') {
		char *end = name + strcspn(name, "/"), cut = *end;
		*end = '\0';
		fd = step_down(fd, name);
		/* A link is ENOTDIR or ELOOP, depending on the system. */
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

struct recorded {
	struct pipeline *pipeline;
	unsigned root;
};

/* A directory that the index has: is it gone for certain? */
static int check_recorded(void *context, const uint8_t hash[DIRECTORY_HASH_SIZE], struct bytes path,
			  struct simhash_error *error)
{
	const struct recorded *recorded = context;
	struct pipeline *pipeline = recorded->pipeline;
	char *const *failed = pipeline->failed.items;

	for (unsigned i = 0; i < pipeline->walker_count; i++)
		if (pair_set_has(&pipeline->walkers[i].visited, hash_pair(hash)))
			return 0;
	for (size_t i = 0; i < pipeline->failed.count; i++)
		if (lies_at_or_below(path, failed[i]))
			return 0;
	if (pipeline->gone == NULL || !lies_at_or_below(path, pipeline->gone)) {
		char *gone;
		/* Where one may not look, the walk has said so, or was told to leave it out. */
		if (look_for(path, &gone) != 0 && errno != EACCES)
			count_failure(pipeline, recorded->root, path, errno);
		if (gone == NULL)
			return 0;
		free(pipeline->gone);
		pipeline->gone = gone;
	}
	return list_append(&pipeline->vanished, hash, DIRECTORY_HASH_SIZE, error);
}

static void forget_failed(struct pipeline *pipeline)
{
	char **failed = pipeline->failed.items;

	while (pipeline->failed.count > 0)
		free(failed[--pipeline->failed.count]);
}

/* After the walk of a root: find the directories that the index has and it has not. */
static int find_vanished(struct pipeline *pipeline, const struct walk_root *root,
			 struct simhash_error *error)
{
	struct store *store = pipeline->walkers[0].reconciler.store;
	struct bytes path = {root->path, strlen(root->path)};
	struct recorded recorded = {pipeline, (unsigned)(root - pipeline->roots)};

	if (!root->is_directory || pipeline->walkers[0].reconciler.is_first)
		return 0;
	if (store_renew_view(store, error) != 0)
		return -1;
	if (store_read_directories_below(store, &pipeline->scope, path, check_recorded, &recorded,
					 error) != 0)
		return -1;
	store_end_view(store);
	return 0;
}

static struct walk_options walk_options_of(const struct pipeline *pipeline)
{
	const struct index_options *options = pipeline->options;

	return (struct walk_options){
		.follow = options->follow,
		.one_file_system = options->one_file_system,
		.inflate = options->inflate,
		.filter = options->filter,
		/* Half of all for two walks, the other half for the scanners. */
		.open_max = pipeline->directory_limit / 4,
		.stop = options->stop,
	};
}

static int walk_root(struct pipeline *pipeline, unsigned number, struct simhash_error *error)
{
	const struct walk_root *root = &pipeline->roots[number];
	struct walk_options options = walk_options_of(pipeline);
	int status;

	if (root->is_list)
		status = walk_list(pipeline->options->list_fd, root->path, number, &options,
				   &pipeline->visitors[0], &pipeline->listed_directories, error);
	else
		status = walk_tree(root, number, &options, pipeline->visitors,
				   pipeline->walker_count, error);
	if (status == 0)
		status = find_vanished(pipeline, root, error);
	for (unsigned i = 0; i < pipeline->walker_count; i++)
		pair_set_release(&pipeline->walkers[i].visited);
	forget_failed(pipeline);
	free(pipeline->gone);
	pipeline->gone = NULL;
	return status;
}

static int walk_all(struct pipeline *pipeline, struct simhash_error *error)
{
	bool has_rows = false;

	for (unsigned i = 0; i < pipeline->walker_count; i++) {
		struct reconciler *reconciler = &pipeline->walkers[i].reconciler;
		/* Without rows to compare with, one connection is enough to know that. */
		if ((i == 0 || has_rows) &&
		    store_open_beside(pipeline->store, &reconciler->store, error) != 0)
			return -1;
		if (reconciler->store != NULL)
			store_want_measures(reconciler->store, pipeline->measures,
					    pipeline->options->measure_count);
		if (i == 0 &&
		    store_has_rows(reconciler->store, &pipeline->scope, &has_rows, error) != 0)
			return -1;
		reconciler->is_first = !has_rows;
	}
	for (unsigned i = 0; i < pipeline->root_count; i++)
		if (!pipeline->roots[i].is_skipped && walk_root(pipeline, i, error) != 0)
			return -1;
	return 0;
}

static void *walker_main(void *argument)
{
	struct pipeline *pipeline = argument;
	struct simhash_error error;

	if (walk_all(pipeline, &error) != 0) {
		pipeline->walk_error = error;
		pipeline->walk_status = -1;
		if (error.code != SIMHASH_E_STOPPED)
			atomic_store(pipeline->options->stop, true);
	}
	for (unsigned i = 0; i < pipeline->walker_count; i++) {
		push_filling(&pipeline->walkers[i]);
		store_close(pipeline->walkers[i].reconciler.store);
	}
	queue_producer_leaves(&pipeline->to_scan);
	return NULL;
}

/* ---- The walk that counts ---- */

static int count_files(void *context, struct directory *directory, const struct found_file *files,
		       size_t count, enum walk_part part, struct simhash_error *error)
{
	struct index_progress *progress = context;
	long long bytes = 0;

	(void)directory;
	(void)part;
	(void)error;
	for (size_t i = 0; i < count; i++)
		bytes += files[i].size_bytes;
	atomic_fetch_add(&progress->files_found, (long long)count);
	atomic_fetch_add(&progress->bytes_found, bytes);
	return 0;
}

/* The walk that scans will say the same. */
static void count_nothing(void *context, unsigned root, struct bytes path, int system_errno)
{
	(void)context;
	(void)root;
	(void)path;
	(void)system_errno;
}

static void count_on(void *context)
{
	(void)context;
}

/* Runs ahead of the walkers, which wait for the scanners, to say what there is to do. */
static void *counter_main(void *argument)
{
	struct pipeline *pipeline = argument;
	struct index_progress *progress = pipeline->options->progress;
	struct walk_options options = walk_options_of(pipeline);
	struct walk_visitor visitor = {
		.files = count_files,
		.failed = count_nothing,
		.before_open = count_on,
		.context = progress,
	};
	struct simhash_error error;
	bool is_whole = true;

	options.stop = &pipeline->is_over;
	/* What is over before anybody could read of it needs no second walk. */
	for (int i = 0; i < COUNT_AFTER_MS / 20 && !atomic_load(&pipeline->is_over); i++)
		nanosleep(&(struct timespec){0, 20000000}, NULL);
	for (unsigned i = 0; i < pipeline->root_count; i++) {
		const struct walk_root *root = &pipeline->roots[i];
		if (root->is_skipped)
			continue;
		/* How much is in a list shows when it has been read. */
		if (root->is_list || walk_tree(root, i, &options, &visitor, 1, &error) != 0)
			is_whole = false;
	}
	atomic_store(&progress->is_counted, is_whole);
	return NULL;
}

/* ---- The scanners ---- */

static void report_task(struct pipeline *pipeline, const struct task *task, int system_errno)
{
	const struct directory *directory = task->directory;
	size_t slash = directory->path_size == 1 ? 0 : 1;
	size_t size = directory->path_size + slash + task->row.name.size;
	char *path = malloc(size);

	if (path != NULL) {
		memcpy(path, directory->path, directory->path_size);
		path[directory->path_size - 1 + slash] = '/';
		memcpy(path + directory->path_size + slash, task->name, task->row.name.size);
	}
	count_failure(pipeline, directory->root,
		      path == NULL ? task->row.name : (struct bytes){path, size}, system_errno);
	free(path);
}

/* A batch is no longer with the scanners. */
static void leave_scanners(struct pipeline *pipeline)
{
	pthread_mutex_lock(&pipeline->mutex);
	pipeline->in_flight--;
	pthread_cond_broadcast(&pipeline->scanned);
	pthread_mutex_unlock(&pipeline->mutex);
}

/* Whoever ends the last part of a batch hands it to the writer. */
static void end_part(struct pipeline *pipeline, struct batch *batch)
{
	if (atomic_fetch_sub(&batch->unfinished, 1) > 1)
		return;
	leave_scanners(pipeline);
	queue_push(&pipeline->to_write, batch);
}

/* A task's scan is over, one way or another. */
static void end_task(struct pipeline *pipeline, struct task *task)
{
	struct batch *batch = task->batch;

	directory_end_use(task->directory);
	end_part(pipeline, batch);
}

static enum scan_outcome scan_content(struct pipeline *pipeline, struct file_scanner *scanner,
				      struct shared_scan *shared, struct task *task)
{
	struct index_progress *progress = pipeline->options->progress;
	int fd = task->directory->fd;

	if (stopped(pipeline))
		return SCAN_STOPPED;
	if (progress != NULL)
		index_progress_set_path(progress, task->row.directory, task->row.name);
	return task->is_inflated ? scan_inflated(scanner, fd, task->open_name, &task->row)
				 : scan_file(scanner, fd, task->open_name, shared, &task->row);
}

/* Count a task as done: what was not counted as it was read. */
static void count_done(struct pipeline *pipeline, const struct task *task,
		       enum scan_outcome outcome)
{
	struct index_progress *progress = pipeline->options->progress;
	bool was_read = outcome == SCAN_DONE && !task->is_inflated;

	if (progress != NULL)
		index_progress_add(progress, 1, was_read ? 0 : task->size_bytes);
}

/* Read a task's file. */
static void scan_task(struct pipeline *pipeline, struct file_scanner *scanner,
		      struct shared_scan *shared, struct task *task)
{
	enum scan_outcome outcome = scan_content(pipeline, scanner, shared, task);

	task->is_scanned = outcome == SCAN_DONE;
	if (outcome == SCAN_FAILED)
		report_task(pipeline, task, errno);
	count_done(pipeline, task, outcome);
}

/* A task has its row from another name of its file, and needs only keys for its own. */
static void take_copy(struct pipeline *pipeline, struct task *task)
{
	struct bytes name = inner_name(task->row.name);

	simhash_keys_compute(pipeline->options->tag_set, &task->row.table, name.data, name.size,
			     &task->row.keys);
	task->is_scanned = true;
	task->is_copied = true;
	count_done(pipeline, task, SCAN_GONE);
}

/* Scan the first task of a link and finish all that are parked with it. */
static void scan_linked(struct pipeline *pipeline, struct file_scanner *scanner,
			struct shared_scan *shared, struct task *task)
{
	while (task != NULL) {
		struct task *parked, *next;
		bool was_scanned;
		scan_task(pipeline, scanner, shared, task);
		was_scanned = task->is_scanned;
		parked = link_finish(pipeline->links, task);
		end_task(pipeline, task);
		shared = NULL; /* of that one file */
		for (task = parked; was_scanned && task != NULL; task = next) {
			next = task->next_parked;
			take_copy(pipeline, task);
			end_task(pipeline, task);
		}
	}
}

static void deal_with(struct pipeline *pipeline, struct file_scanner *scanner,
		      struct shared_scan *shared, struct task *task)
{
	if (task->link != NULL && !task->is_first) {
		switch (link_take(pipeline->links, task)) {
		case LINK_COPIED:
			take_copy(pipeline, task);
			end_task(pipeline, task);
			return;
		case LINK_PARKED:
			return;
		case LINK_SCAN:
			break;
		}
	}
	if (task->link != NULL) {
		scan_linked(pipeline, scanner, shared, task);
	} else {
		scan_task(pipeline, scanner, shared, task);
		end_task(pipeline, task);
	}
}

/* Without a scanner of its own, for want of memory, a thread can only say so. */
static void refuse(struct pipeline *pipeline, struct task *task)
{
	report_task(pipeline, task, ENOMEM);
	if (task->link != NULL && task->is_first) {
		struct task *parked = link_finish(pipeline->links, task);
		if (parked != NULL)
			refuse(pipeline, parked);
	}
	end_task(pipeline, task);
}

static void *scanner_main(void *argument)
{
	struct pipeline *pipeline = argument;
	struct file_scanner scanner;
	struct simhash_error error;
	struct batch *batch;
	bool is_ready = file_scanner_init(&scanner, pipeline->options->tag_set,
					  pipeline->options->follow, pipeline->options->stop,
					  &error) == 0;

	if (is_ready && file_scanner_measure(&scanner, pipeline->options->measures,
					     pipeline->options->measure_count, &error) != 0) {
		file_scanner_release(&scanner);
		is_ready = false;
	}
	if (is_ready) {
		scanner.own = pipeline->store;
		scanner.max_inflated_bytes = pipeline->options->max_inflated_bytes;
		if (pipeline->options->progress != NULL)
			scanner.bytes_read = &pipeline->options->progress->bytes_done;
	}
	while ((batch = queue_pop(&pipeline->to_scan)) != NULL) {
		if (batch->shared != NULL && batch->count == 0) {
			if (is_ready)
				shared_scan_help(batch->shared, &scanner);
			leave_scanners(pipeline);
			batch_free(batch);
			continue;
		}
		atomic_init(&batch->unfinished, batch->count + 1);
		for (size_t i = 0; i < batch->count; i++)
			if (is_ready)
				deal_with(pipeline, &scanner, batch->shared, &batch->tasks[i]);
			else
				refuse(pipeline, &batch->tasks[i]);
		if (batch->shared != NULL)
			shared_scan_cancel(batch->shared);
		end_part(pipeline, batch);
	}
	if (is_ready)
		file_scanner_release(&scanner);
	queue_producer_leaves(&pipeline->to_write);
	return NULL;
}

/* ---- The writer ---- */

static int take_batch(struct pipeline *pipeline, struct batch *batch, struct simhash_error *error)
{
	if (list_append(&pipeline->batches, &batch, sizeof batch, error) != 0) {
		batch_free(batch);
		return -1;
	}
	for (size_t i = 0; i < batch->removed_count; i++)
		if (list_append(&pipeline->removed, batch->removed[i], PATH_HASH_SIZE, error) != 0)
			return -1;
	for (size_t i = 0; i < batch->relinked_count; i++)
		if (list_append(&pipeline->relinked, &batch->relinked[i], sizeof *batch->relinked,
				error) != 0)
			return -1;
	for (size_t i = 0; i < batch->count; i++) {
		struct task *task = &batch->tasks[i];
		struct directory *directory = task->directory;
		const struct file_row *row = &task->row;
		if (!task->is_scanned)
			continue;
		if (list_append(&pipeline->rows, &row, sizeof row, error) != 0)
			return -1;
		if (!directory->is_recorded) {
			struct directory_row entry = {.path = row->directory};
			memcpy(entry.hash, directory->hash, sizeof entry.hash);
			if (list_append(&pipeline->directories, &entry, sizeof entry, error) != 0)
				return -1;
			directory->is_recorded = true;
		}
	}
	return 0;
}

/* Count what a transaction has stored. */
static void count_rows(struct pipeline *pipeline)
{
	struct batch **batches = pipeline->batches.items;

	for (size_t i = 0; i < pipeline->batches.count; i++)
		for (size_t k = 0; k < batches[i]->count; k++) {
			const struct task *task = &batches[i]->tasks[k];
			struct scan_run *run = &pipeline->counts[task->directory->root].run;
			if (!task->is_scanned)
				continue;
			run->files++;
			pipeline->summary->scanned++;
			if (task->is_copied)
				continue;
			run->bytes += task->row.size_bytes;
			pipeline->summary->bytes += (uint64_t)task->row.size_bytes;
		}
}

static void forget_batches(struct pipeline *pipeline)
{
	struct batch **batches = pipeline->batches.items;

	for (size_t i = 0; i < pipeline->batches.count; i++)
		batch_free(batches[i]);
	pipeline->batches.count = pipeline->rows.count = 0;
	pipeline->directories.count = pipeline->removed.count = pipeline->relinked.count = 0;
}

static int flush(struct pipeline *pipeline, struct simhash_error *error)
{
	struct store_batch batch = {
		.removed_files = pipeline->removed.items,
		.removed_file_count = pipeline->removed.count,
		.relinked = pipeline->relinked.items,
		.relinked_count = pipeline->relinked.count,
		.directories = pipeline->directories.items,
		.directory_count = pipeline->directories.count,
		.rows = pipeline->rows.items,
		.row_count = pipeline->rows.count,
	};
	int64_t removed = 0;
	int status = 0;

	if (batch.row_count > 0 || batch.removed_file_count > 0 || batch.relinked_count > 0)
		status = store_write(pipeline->store, &pipeline->scope, &batch, &removed, error);
	if (status == 0) {
		count_rows(pipeline);
		pipeline->summary->removed += (uint64_t)removed;
	}
	forget_batches(pipeline);
	return status;
}

/* Remove the directories that are gone, a part at a time. */
static int flush_vanished(struct pipeline *pipeline, struct simhash_error *error)
{
	const uint8_t(*hashes)[DIRECTORY_HASH_SIZE] = pipeline->vanished.items;
	size_t count = pipeline->vanished.count, part = 1000;

	for (size_t i = 0; i < count; i += part) {
		struct store_batch batch = {
			.removed_directories = hashes + i,
			.removed_directory_count = count - i < part ? count - i : part,
		};
		int64_t removed = 0;
		if (store_write(pipeline->store, &pipeline->scope, &batch, &removed, error) != 0)
			return -1;
		pipeline->summary->removed += (uint64_t)removed;
	}
	return 0;
}

/* Collect batches to transactions until the scanners end; -1 once writing failed. */
static int write_all(struct pipeline *pipeline, struct simhash_error *error)
{
	size_t full = store_batch_rows(pipeline->store);
	int64_t deadline_ns = 0;
	int status = 0;

	for (;;) {
		bool timed_out = false;
		struct batch *batch =
			pipeline->batches.count == 0
				? queue_pop(&pipeline->to_write)
				: queue_pop_until(&pipeline->to_write, deadline_ns, &timed_out);
		if (batch == NULL && !timed_out)
			break;
		if (batch != NULL && status != 0) {
			batch_free(batch);
			continue;
		}
		if (pipeline->batches.count == 0)
			deadline_ns = clock_monotonic_ns() + COMMIT_AFTER_S * NS_PER_S;
		if (batch != NULL)
			status = take_batch(pipeline, batch, error);
		if (status == 0 &&
		    (timed_out || pipeline->rows.count >= full || pipeline->removed.count >= full ||
		     pipeline->relinked.count >= full))
			status = flush(pipeline, error);
		if (status != 0) {
			atomic_store(pipeline->options->stop, true);
			forget_batches(pipeline);
		}
	}
	return status == 0 ? flush(pipeline, error) : -1;
}

/* ---- Starting and ending ---- */

static int start_runs(struct pipeline *pipeline, struct simhash_error *error)
{
	for (unsigned i = 0; i < pipeline->root_count; i++) {
		struct scan_run *run = &pipeline->counts[i].run;
		if (pipeline->roots[i].is_skipped)
			continue;
		run->root =
			(struct bytes){pipeline->roots[i].path, strlen(pipeline->roots[i].path)};
		run->started_at_ns = clock_wall_ns();
		if (store_run_start(pipeline->store, &pipeline->scope, run, error) != 0)
			return -1;
	}
	return 0;
}

static int finish_runs(struct pipeline *pipeline, struct simhash_error *error)
{
	for (unsigned i = 0; i < pipeline->root_count; i++) {
		struct root_count *count = &pipeline->counts[i];
		if (pipeline->roots[i].is_skipped)
			continue;
		count->run.errors = (int64_t)atomic_load(&count->failed);
		count->run.finished_at_ns = clock_wall_ns();
		if (store_run_finish(pipeline->store, &count->run, error) != 0)
			return -1;
	}
	return 0;
}

/* Start the threads, write until they end, and gather what they say. */
static int run_threads(struct pipeline *pipeline, struct simhash_error *error)
{
	unsigned threads = pipeline->options->threads, started = 0;
	pthread_t walker, counter, *scanners = calloc(threads, sizeof *scanners);
	bool counts = false;
	int status;

	if (scanners == NULL)
		return error_set_memory(error);
	queue_init(&pipeline->to_scan, 1);
	while (started < threads &&
	       pthread_create(&scanners[started], NULL, scanner_main, pipeline) == 0)
		started++;
	queue_init(&pipeline->to_write, started);
	if (started == 0 || pthread_create(&walker, NULL, walker_main, pipeline) != 0) {
		queue_producer_leaves(&pipeline->to_scan);
		status = error_set(error, SIMHASH_E_SYSTEM, "cannot start threads");
	} else {
		counts = pipeline->options->progress != NULL &&
			 pthread_create(&counter, NULL, counter_main, pipeline) == 0;
		status = write_all(pipeline, error);
		pthread_join(walker, NULL);
	}
	atomic_store(&pipeline->is_over, true);
	if (counts)
		pthread_join(counter, NULL);
	for (unsigned i = 0; i < started; i++)
		pthread_join(scanners[i], NULL);
	queue_release(&pipeline->to_write);
	queue_release(&pipeline->to_scan);
	free(scanners);
	/* The writer was told to stop by what failed there. */
	if (status != 0 && error->code == SIMHASH_E_STOPPED && pipeline->walk_status != 0)
		*error = pipeline->walk_error;
	if (status == 0 && pipeline->walk_status != 0) {
		if (pipeline->walk_error.code == SIMHASH_E_STOPPED)
			pipeline->summary->is_interrupted = true;
		else {
			*error = pipeline->walk_error;
			status = -1;
		}
	} else if (status == 0 && stopped(pipeline)) {
		pipeline->summary->is_interrupted = true;
	}
	return status;
}

static unsigned directory_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	    limit.rlim_cur > 65536)
		return 32768;
	return limit.rlim_cur > 2 * FILES_KEPT_FREE
		       ? (unsigned)(limit.rlim_cur - FILES_KEPT_FREE) / 2
		       : FILES_KEPT_FREE / 2;
}

static void prepare_walk(struct pipeline *pipeline)
{
	const struct index_options *options = pipeline->options;

	pipeline->walker_count = options->threads < WALKERS_MAX ? options->threads : WALKERS_MAX;
	for (unsigned i = 0; i < pipeline->walker_count; i++) {
		struct index_walker *walker = &pipeline->walkers[i];
		walker->pipeline = pipeline;
		walker->reconciler = (struct reconciler){
			.scope = pipeline->scope,
			.force = options->force,
			.follow = options->follow,
			.progress = options->progress,
			.scan = walker_scan,
			.relink = walker_relink,
			.remove = walker_remove,
			.context = walker,
		};
		pipeline->visitors[i] = (struct walk_visitor){visit_files, visit_failed,
							      before_open, walker_idle, walker};
	}
	pipeline->directory_limit = directory_limit();
	walk_resolve(options->paths, options->path_count, &pipeline->visitors[0], pipeline->roots);
	if (options->list_name != NULL) {
		struct walk_root *list = &pipeline->roots[options->path_count];
		list->path = strdup(options->list_name);
		list->is_list = true;
		list->is_skipped = list->path == NULL;
	}
	forget_failed(pipeline); /* paths as named; the run begins with none */
}

static int run(struct pipeline *pipeline, struct simhash_error *error)
{
	const struct index_options *options = pipeline->options;

	if (store_open(&options->location, OPEN_TO_WRITE, &pipeline->store, error) != 0 ||
	    store_tag_set_id(pipeline->store, options->tag_set, true, &pipeline->scope.tag_set,
			     error) != 0 ||
	    store_host_id(pipeline->store, options->host, true, &pipeline->scope.host, error) != 0)
		return -1;
	for (unsigned i = 0; i < options->measure_count; i++)
		if (store_measure_id(pipeline->store, simhash_measure_text(options->measures[i]),
				     true, &pipeline->measures[i], error) != 0)
			return -1;
	store_want_measures(pipeline->store, pipeline->measures, options->measure_count);
	prepare_walk(pipeline);
	if (start_runs(pipeline, error) != 0 || store_begin_load(pipeline->store, error) != 0 ||
	    run_threads(pipeline, error) != 0)
		return -1;
	if (pipeline->summary->is_interrupted)
		return 0;
	if (flush_vanished(pipeline, error) != 0 || store_end_load(pipeline->store, error) != 0)
		return -1;
	return finish_runs(pipeline, error);
}

static void release(struct pipeline *pipeline)
{
	for (unsigned i = 0; pipeline->roots != NULL && i < pipeline->root_count; i++)
		free(pipeline->roots[i].path);
	forget_failed(pipeline);
	free(pipeline->failed.items);
	free(pipeline->vanished.items);
	free(pipeline->batches.items);
	free(pipeline->rows.items);
	free(pipeline->directories.items);
	free(pipeline->removed.items);
	free(pipeline->relinked.items);
	link_table_free(pipeline->links);
	free(pipeline->counts);
	free(pipeline->roots);
	store_close(pipeline->store);
	pthread_cond_destroy(&pipeline->scanned);
	pthread_mutex_destroy(&pipeline->mutex);
}

int index_trees(const struct index_options *options, struct index_summary *summary,
		struct simhash_error *error)
{
	struct pipeline pipeline = {.options = options, .summary = summary};
	unsigned roots = options->path_count + (options->list_name == NULL ? 0 : 1);
	int64_t start = clock_monotonic_ns();
	int status = -1;

	memset(summary, 0, sizeof *summary);
	pthread_mutex_init(&pipeline.mutex, NULL);
	pthread_cond_init(&pipeline.scanned, NULL);
	pipeline.root_count = roots;
	pipeline.roots = calloc(roots, sizeof *pipeline.roots);
	pipeline.counts = calloc(roots, sizeof *pipeline.counts);
	pipeline.links = link_table_new();
	if (pipeline.roots == NULL || pipeline.counts == NULL || pipeline.links == NULL)
		error_set_memory(error);
	else
		status = run(&pipeline, error);
	if (status != 0 && error->code == SIMHASH_E_STOPPED) {
		summary->is_interrupted = true;
		status = 0;
	}
	for (unsigned i = 0; pipeline.counts != NULL && i < roots; i++)
		summary->failed += atomic_load(&pipeline.counts[i].failed);
	for (unsigned i = 0; i < pipeline.walker_count; i++)
		summary->unchanged += pipeline.walkers[i].reconciler.unchanged;
	summary->listed_directories = pipeline.listed_directories;
	release(&pipeline);
	summary->seconds = (double)(clock_monotonic_ns() - start) / 1e9;
	return status;
}
