/*
 * Implements the queue as a ring, and each lane as two lists of batches: the window that is being
 * collected, and the window that is being read. All are under one mutex.
 * SPDX-License-Identifier: MIT
 */
#include "index/work/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/data/array.h"
#include "base/files/disk.h"
#include "index/work/batch.h"

/*
 * More threads do not read faster from a rotating disk: their requests are near each other, but
 * each thread's read-ahead moves the head.
 */
#define THREADS_DEFAULT 1

/* After this many cached files in succession, the next files are expected to be cached. */
#define CACHED_FROM 64
#define CACHED_UNKNOWN UINT32_MAX

struct window {
	struct batch **batches;
	size_t count, capacity;
	size_t bytes;
};

struct lane {
	struct lane *next;
	uint64_t disk;
	int threads;		 /* the maximum number of scanners that read at once */
	pthread_mutex_t asking;	 /* held while one thread looks at the first file */
	atomic_uint cached;	 /* cached files in succession, up to CACHED_FROM */
	struct window collected; /* this window grows */
	struct window read;	 /* and this is being read: */
	struct task **sorted;	 /* its tasks in the order of the disk; or NULL */
	size_t sorted_count, sorted_next, batch_next;
	bool is_reading;
	int readers; /* the number of scanners that read */
};

struct lane_device {
	uint64_t device;
	struct lane *lane; /* or NULL */
};

void lanes_init(struct lanes *lanes, int disk_threads)
{
	memset(lanes, 0, sizeof *lanes);
	lanes->disk_threads = disk_threads;
	pthread_mutex_init(&lanes->mutex, NULL);
	pthread_cond_init(&lanes->work, NULL);
	pthread_cond_init(&lanes->changed, NULL);
	pthread_cond_init(&lanes->left, NULL);
	atomic_init(&lanes->reading, 0);
}

void lanes_release(struct lanes *lanes)
{
	while (lanes->list != NULL) {
		struct lane *lane = lanes->list;
		lanes->list = lane->next;
		free(lane->collected.batches);
		free(lane->read.batches);
		pthread_mutex_destroy(&lane->asking);
		free(lane);
	}
	free(lanes->devices);
	pthread_cond_destroy(&lanes->left);
	pthread_cond_destroy(&lanes->changed);
	pthread_cond_destroy(&lanes->work);
	pthread_mutex_destroy(&lanes->mutex);
}

/* ---- Finding a lane ---- */

/* Return the number of threads that read a disk; 0: no limit, and no order. */
static int disk_threads(const struct lanes *lanes, const struct disk *disk)
{
	if (!disk->is_local)
		return 0;
	if (lanes->disk_threads >= 0)
		return lanes->disk_threads;
	return disk->is_rotating ? THREADS_DEFAULT : 0;
}

/* Return the lane of a disk, and make it if it is new. NULL if memory is short. */
static struct lane *find_disk(struct lanes *lanes, const struct disk *disk, int threads)
{
	struct lane *lane = lanes->list;

	while (lane != NULL && lane->disk != disk->number)
		lane = lane->next;
	if (lane != NULL || (lane = calloc(1, sizeof *lane)) == NULL)
		return lane;
	lane->disk = disk->number;
	lane->threads = threads;
	pthread_mutex_init(&lane->asking, NULL);
	atomic_init(&lane->cached, CACHED_UNKNOWN);
	lane->next = lanes->list;
	lanes->list = lane;
	return lane;
}

static const struct lane_device *known_device(const struct lanes *lanes, uint64_t device)
{
	for (size_t i = 0; i < lanes->device_count; i++)
		if (lanes->devices[i].device == device)
			return &lanes->devices[i];
	return NULL;
}

struct lane *lanes_find(struct lanes *lanes, int directory_fd, uint64_t device)
{
	const struct lane_device *known;
	struct simhash_error ignored;
	struct lane *lane = NULL;
	struct disk disk;

	pthread_mutex_lock(&lanes->mutex);
	known = known_device(lanes, device);
	if (known != NULL) {
		lane = known->lane;
	} else if (array_reserve(&lanes->devices, &lanes->device_capacity, lanes->device_count + 1,
				 sizeof *lanes->devices, &ignored) == 0) {
		int threads;
		disk_find(directory_fd, device, &disk);
		threads = disk_threads(lanes, &disk);
		if (threads > 0)
			lane = find_disk(lanes, &disk, threads);
		lanes->devices[lanes->device_count++] = (struct lane_device){device, lane};
	}
	pthread_mutex_unlock(&lanes->mutex);
	return lane;
}

bool lane_is_new(struct lane *lane)
{
	if (atomic_load(&lane->cached) != CACHED_UNKNOWN)
		return false;
	pthread_mutex_lock(&lane->asking);
	if (atomic_load(&lane->cached) == CACHED_UNKNOWN)
		return true;
	pthread_mutex_unlock(&lane->asking);
	return false;
}

void lane_expect(struct lane *lane, bool are_cached)
{
	atomic_store(&lane->cached, are_cached ? CACHED_FROM : 0);
	pthread_mutex_unlock(&lane->asking);
}

void lane_note(struct lane *lane, bool was_cached)
{
	unsigned cached = atomic_load_explicit(&lane->cached, memory_order_relaxed);

	if (!was_cached && cached != 0)
		atomic_store_explicit(&lane->cached, 0, memory_order_relaxed);
	else if (was_cached && cached < CACHED_FROM)
		/* If another thread's note comes first, one of both is enough. */
		atomic_compare_exchange_strong(&lane->cached, &cached, cached + 1);
}

bool lane_is_cached(const struct lane *lane)
{
	return atomic_load_explicit(&lane->cached, memory_order_relaxed) == CACHED_FROM;
}

/* ---- Windows (the caller holds the mutex) ---- */

static int compare_places(const void *a, const void *b)
{
	const struct task *x = *(struct task *const *)a, *y = *(struct task *const *)b;
	const struct task_place *p = &x->found.place, *q = &y->found.place;

	if (p->device != q->device)
		return p->device < q->device ? -1 : 1;
	if (p->offset != q->offset)
		return p->offset < q->offset ? -1 : 1;
	return p->inode < q->inode ? -1 : p->inode > q->inode;
}

/* Sort the tasks of the window to read. If memory is short, they keep their order. */
static void sort_window(struct lane *lane)
{
	size_t count = 0;

	for (size_t i = 0; i < lane->read.count; i++)
		count += lane->read.batches[i]->count;
	lane->sorted_count = lane->sorted_next = 0;
	lane->sorted = malloc((count + 1) * sizeof(struct task *));
	if (lane->sorted == NULL)
		return;
	for (size_t i = 0; i < lane->read.count; i++)
		for (size_t k = 0; k < lane->read.batches[i]->count; k++)
			lane->sorted[lane->sorted_count++] = &lane->read.batches[i]->tasks[k];
	qsort(lane->sorted, lane->sorted_count, sizeof(struct task *), compare_places);
}

/* If nothing of the lane is being read, begin with the window that was collected. */
static void begin_reading(struct lanes *lanes, struct lane *lane)
{
	struct window empty = lane->read;

	if (lane->is_reading || lane->collected.count == 0)
		return;
	lane->read = lane->collected;
	empty.count = empty.bytes = 0;
	lane->collected = empty;
	lane->batch_next = 0;
	sort_window(lane);
	lane->is_reading = true;
	atomic_fetch_add(&lanes->reading, 1);
	pthread_cond_broadcast(&lanes->work);
}

static bool window_is_full(const struct lane *lane)
{
	return lane->collected.bytes >= LANE_WINDOW_BYTES;
}

static void begin_all_except(struct lanes *lanes, const struct lane *except)
{
	for (struct lane *lane = lanes->list; lane != NULL; lane = lane->next)
		if (lane != except)
			begin_reading(lanes, lane);
}

/*
 * Is there a reason to read now? If the walkers cannot go on with one disk, they may find nothing for
 * the others, so all disks are read.
 */
static void consider_reading(struct lanes *lanes, struct lane *lane)
{
	if (window_is_full(lane))
		begin_all_except(lanes, NULL);
	else if (lanes->has_ended || lanes->waiting > 0)
		begin_reading(lanes, lane);
}

/* Are there batches to take from the window that is being read? */
static bool has_more(const struct lane *lane)
{
	return lane->is_reading &&
	       (lane->sorted_next < lane->sorted_count || lane->batch_next < lane->read.count);
}

/* The end of a batch may be the end of its window. */
static void end_reading_if_done(struct lanes *lanes, struct lane *lane)
{
	if (!lane->is_reading || has_more(lane) || lane->readers > 0)
		return;
	lane->is_reading = false;
	atomic_fetch_sub(&lanes->reading, 1);
	free(lane->sorted);
	lane->sorted = NULL;
	lane->sorted_count = lane->sorted_next = 0;
	lane->read.count = 0;
	consider_reading(lanes, lane);
	pthread_cond_broadcast(&lanes->changed);
	pthread_cond_broadcast(&lanes->work);
}

/* Return how many of the next tasks in the order of the disk make a batch. */
static size_t next_count(const struct lane *lane)
{
	size_t left = lane->sorted_count - lane->sorted_next, count = 0;
	int64_t bytes = 0;

	while (count < left && count < BATCH_TASKS && bytes < BATCH_BYTES)
		bytes += lane->sorted[lane->sorted_next + count++]->found.size_bytes;
	return count;
}

/* Move the next tasks in the order of the disk to a new batch. NULL if memory is short. */
static struct batch *take_sorted(struct lanes *lanes, struct lane *lane)
{
	size_t count = next_count(lane);
	struct batch *batch = batch_new(count);

	if (batch == NULL) {
		lane->sorted_next = lane->sorted_count;
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		struct task *task = lane->sorted[lane->sorted_next++];
		batch->tasks[i] = *task;
		batch->tasks[i].batch = batch;
		batch->size_bytes += task->found.size_bytes;
		task->batch = NULL;
	}
	batch->count = count;
	lanes->in_flight++;
	return batch;
}

/* Remove the tasks that were moved. Returns false if nothing is left. */
static bool keep_rest(struct batch *batch)
{
	size_t count = 0;

	for (size_t i = 0; i < batch->count; i++)
		if (batch->tasks[i].batch != NULL)
			batch->tasks[count++] = batch->tasks[i];
	batch->count = count;
	return count > 0 || batch->removed_count > 0 || batch->relinked_count > 0;
}

/* Take the rest of a batch of the window: usually only rows to remove or change. NULL: none. */
static struct batch *take_rest(struct lanes *lanes, struct lane *lane)
{
	while (lane->batch_next < lane->read.count) {
		struct batch *batch = lane->read.batches[lane->batch_next++];
		if (keep_rest(batch))
			return batch;
		batch_free(batch);
		lanes->in_flight--;
	}
	return NULL;
}

static bool may_read(const struct lane *lane)
{
	return lane->readers < lane->threads || lane_is_cached(lane);
}

/* Take a batch from a lane. NULL: it has none now. */
static struct batch *take_from(struct lanes *lanes, struct lane *lane)
{
	while (has_more(lane) && may_read(lane)) {
		struct batch *batch = NULL;
		if (lane->sorted_next < lane->sorted_count)
			batch = take_sorted(lanes, lane);
		if (batch == NULL)
			batch = take_rest(lanes, lane);
		if (batch != NULL) {
			batch->lane = lane;
			batch->is_reader = true;
			lane->readers++;
			return batch;
		}
		/* This may begin the next window. */
		end_reading_if_done(lanes, lane);
	}
	return NULL;
}

/* ---- Pushing ---- */

static void push_to_queue(struct lanes *lanes, struct batch *batch)
{
	while (lanes->count == LANES_QUEUE_MAX)
		pthread_cond_wait(&lanes->changed, &lanes->mutex);
	lanes->queue[(lanes->first + lanes->count++) % LANES_QUEUE_MAX] = batch;
	pthread_cond_signal(&lanes->work);
}

/* Return the memory of a batch in a window. */
static size_t batch_bytes(const struct batch *batch)
{
	return sizeof *batch + batch->capacity * sizeof *batch->tasks;
}

/* Add a batch to the window. -1 if memory is short. */
static int collect(struct lanes *lanes, struct lane *lane, struct batch *batch)
{
	struct window *window = &lane->collected;
	struct simhash_error ignored;

	while (window_is_full(lane))
		pthread_cond_wait(&lanes->changed, &lanes->mutex);
	if (array_reserve(&window->batches, &window->capacity, window->count + 1,
			  sizeof *window->batches, &ignored) != 0)
		return -1;
	window->batches[window->count++] = batch;
	window->bytes += batch_bytes(batch);
	consider_reading(lanes, lane);
	return 0;
}

void lanes_push(struct lanes *lanes, struct lane *lane, struct batch *batch)
{
	batch->lane = lane;
	pthread_mutex_lock(&lanes->mutex);
	lanes->in_flight++;
	if (lane == NULL || lane_is_cached(lane) || collect(lanes, lane, batch) != 0)
		push_to_queue(lanes, batch);
	pthread_mutex_unlock(&lanes->mutex);
}

void lanes_flush(struct lanes *lanes, const struct lane *except)
{
	pthread_mutex_lock(&lanes->mutex);
	begin_all_except(lanes, except);
	pthread_mutex_unlock(&lanes->mutex);
}

void lanes_wait(struct lanes *lanes)
{
	pthread_mutex_lock(&lanes->mutex);
	lanes->waiting++;
	begin_all_except(lanes, NULL);
	while (lanes->in_flight > 0)
		pthread_cond_wait(&lanes->changed, &lanes->mutex);
	lanes->waiting--;
	pthread_mutex_unlock(&lanes->mutex);
}

void lanes_end(struct lanes *lanes)
{
	pthread_mutex_lock(&lanes->mutex);
	lanes->has_ended = true;
	begin_all_except(lanes, NULL);
	pthread_cond_broadcast(&lanes->work);
	pthread_mutex_unlock(&lanes->mutex);
}

bool lanes_are_reading(void *context, uint64_t device)
{
	struct lanes *lanes = context;
	const struct lane_device *known;
	bool is_reading;

	if (atomic_load_explicit(&lanes->reading, memory_order_relaxed) == 0)
		return false;
	pthread_mutex_lock(&lanes->mutex);
	known = known_device(lanes, device);
	is_reading = known != NULL && known->lane != NULL && known->lane->is_reading;
	pthread_mutex_unlock(&lanes->mutex);
	return is_reading;
}

static bool lane_has_files(const struct lane *lane)
{
	return lane->collected.count > 0 || lane->is_reading;
}

static bool any_has_files(const struct lanes *lanes)
{
	for (const struct lane *lane = lanes->list; lane != NULL; lane = lane->next)
		if (lane_has_files(lane))
			return true;
	return false;
}

bool lanes_have_files(struct lanes *lanes)
{
	bool have;

	pthread_mutex_lock(&lanes->mutex);
	have = any_has_files(lanes);
	pthread_mutex_unlock(&lanes->mutex);
	return have;
}

/* ---- For the scanners ---- */

/* Take a batch of a disk first: few scanners read it, and it takes longest. NULL: none now. */
static struct batch *take_any(struct lanes *lanes)
{
	struct batch *batch = NULL;

	for (struct lane *lane = lanes->list; lane != NULL; lane = lane->next)
		if ((batch = take_from(lanes, lane)) != NULL)
			return batch;
	if (lanes->count > 0) {
		batch = lanes->queue[lanes->first];
		lanes->first = (lanes->first + 1) % LANES_QUEUE_MAX;
		if (lanes->count-- == LANES_QUEUE_MAX)
			pthread_cond_broadcast(&lanes->changed);
	}
	return batch;
}

struct batch *lanes_pop(struct lanes *lanes)
{
	struct batch *batch;

	pthread_mutex_lock(&lanes->mutex);
	while ((batch = take_any(lanes)) == NULL && !(lanes->has_ended && !any_has_files(lanes)))
		pthread_cond_wait(&lanes->work, &lanes->mutex);
	pthread_mutex_unlock(&lanes->mutex);
	return batch;
}

/* Another scanner may read from the lane now. */
static void leave(struct lanes *lanes, struct lane *lane)
{
	lane->readers--;
	pthread_cond_signal(&lanes->work);
	pthread_cond_broadcast(&lanes->left);
}

void lanes_leave(struct lanes *lanes, struct batch *batch)
{
	if (batch->lane == NULL)
		return;
	pthread_mutex_lock(&lanes->mutex);
	if (batch->is_reader) {
		batch->is_reader = false;
		leave(lanes, batch->lane);
		end_reading_if_done(lanes, batch->lane);
	}
	pthread_mutex_unlock(&lanes->mutex);
}

bool lanes_pause(struct lanes *lanes, const struct batch *batch)
{
	bool is_reader;

	if (batch->lane == NULL)
		return false;
	pthread_mutex_lock(&lanes->mutex);
	is_reader = batch->is_reader;
	if (is_reader)
		leave(lanes, batch->lane);
	pthread_mutex_unlock(&lanes->mutex);
	return is_reader;
}

void lanes_resume(struct lanes *lanes, struct lane *lane)
{
	pthread_mutex_lock(&lanes->mutex);
	while (!may_read(lane))
		pthread_cond_wait(&lanes->left, &lanes->mutex);
	lane->readers++;
	pthread_mutex_unlock(&lanes->mutex);
}

void lanes_count_out(struct lanes *lanes)
{
	pthread_mutex_lock(&lanes->mutex);
	if (--lanes->in_flight == 0)
		pthread_cond_broadcast(&lanes->changed);
	pthread_mutex_unlock(&lanes->mutex);
}
