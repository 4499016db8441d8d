/*
 * Confirming: a cache of files in memory, and threads that take pair after pair. A
 * file too large for the cache is read piece by piece for each of its pairs.
 * SPDX-License-Identifier: MIT
 */
#include "find/confirm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/open_file.h"
#include "find/cover.h"
#include "scan/inflating.h"

#define CACHE_BYTES ((size_t)384 << 20)
#define WHOLE_MAX ((int64_t)64 << 20) /* larger files are not held in memory */

enum content_state { ABSENT, LOADING, PRESENT, FAILED };

/* A file that some pair needs. */
struct content {
	const struct find_file *file;
	enum content_state state;
	unsigned users;
	uint8_t *bytes; /* NULL for a large file */
	bool has_index, is_indexing;
	struct cover_index index;
	size_t held;		       /* bytes of the cache's */
	struct content *older, *newer; /* unused ones, by their last use */
	bool is_needed, is_told;
	uint64_t device, inode;
	uint32_t root; /* of the connected files that it is one of */
};

struct confirming {
	struct pair_list *list;
	const struct confirm_request *request;
	const struct find_sink *sink;
	const struct find_resources *resources;
	struct content *contents; /* one for each file of the list */
	uint32_t *rank;		  /* of each file, in the order of reading */
	struct file_pair **order; /* of the pairs to read */
	size_t order_count;
	atomic_size_t next;
	pthread_mutex_t lock; /* of what follows, and of the contents */
	pthread_cond_t changed;
	size_t held;
	struct content *oldest, *newest;
	bool has_failed;
	struct simhash_error *error;
};

static void fail(struct confirming *c, const struct simhash_error *error)
{
	pthread_mutex_lock(&c->lock);
	if (!c->has_failed)
		*c->error = *error;
	c->has_failed = true;
	pthread_mutex_unlock(&c->lock);
}

/* Say once why a file is not read; nothing for one that cannot be read here at all. */
static void tell(struct confirming *c, struct content *content, int system_errno)
{
	bool is_new;

	pthread_mutex_lock(&c->lock);
	is_new = !content->is_told;
	content->is_told = true;
	pthread_mutex_unlock(&c->lock);
	if (is_new)
		c->sink->unconfirmed(c->sink->context, content->file, system_errno);
}

/* Open a file that is still what was indexed; -1 when it is not, which is told. */
static int open_content(struct confirming *c, struct content *content, struct stat *status)
{
	const struct find_file *file = content->file;
	bool is_inflated = file->compressed_size_bytes > 0;
	const char *path = find_file_path(file);
	/* What is inflated is shown as FILE//NAME. */
	const char *end = is_inflated ? strstr(path, "//") : NULL;
	char *own = strndup(path, end == NULL ? strlen(path) : (size_t)(end - path));
	int64_t size_bytes = is_inflated ? file->compressed_size_bytes : file->size_bytes;
	int fd = own == NULL ? -1 : open_path(own, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	free(own);
	if (is_inflated && file->size_bytes > WHOLE_MAX)
		tell(c, content, EFBIG);
	else if (fd < 0 || fstat(fd, status) != 0)
		tell(c, content, errno);
	else if (!S_ISREG(status->st_mode) || status->st_size != size_bytes ||
		 stat_mtime_ns(status) != file->mtime_ns)
		tell(c, content, 0);
	else
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* ---- The cache ---- */

static void forget_content(struct confirming *c, struct content *content)
{
	free(content->bytes);
	cover_index_release(&content->index);
	content->bytes = NULL;
	content->has_index = false;
	content->state = ABSENT;
	c->held -= content->held;
	content->held = 0;
}

static void unlink_unused(struct confirming *c, struct content *content)
{
	*(content->older == NULL ? &c->oldest : &content->older->newer) = content->newer;
	*(content->newer == NULL ? &c->newest : &content->newer->older) = content->older;
	content->older = NULL;
	content->newer = NULL;
}

static void link_unused(struct confirming *c, struct content *content)
{
	content->older = c->newest;
	content->newer = NULL;
	*(c->newest == NULL ? &c->oldest : &c->newest->newer) = content;
	c->newest = content;
}

/* What a file may take: itself, and its index. */
static size_t content_bytes(const struct content *content)
{
	int64_t size = content->file->size_bytes;

	return cover_index_bytes((size_t)size) + (size <= WHOLE_MAX ? (size_t)size : 0);
}

static bool read_whole(struct confirming *c, struct content *content, int fd)
{
	size_t size = (size_t)content->file->size_bytes, got = 0;

	while (got < size) {
		ssize_t part = pread(fd, content->bytes + got, size - got, (off_t)got);
		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0) {
			tell(c, content, part < 0 ? errno : 0);
			return false;
		}
		got += (size_t)part;
	}
	return true;
}

/* The same of inflated content; takes over the descriptor. */
static bool inflate_whole(struct confirming *c, struct content *content, int fd)
{
	size_t size = (size_t)content->file->size_bytes, got = 0;
	struct inflating *in = inflating_new(fd);
	ssize_t part = -1;
	int why;

	/* To its end, for it may have become longer. */
	while (in != NULL && (part = inflating_read(in, content->bytes + got, size - got + 1)) > 0)
		if ((got += (size_t)part) > size)
			break;
	why = part < 0 ? errno : 0;
	if (in != NULL)
		inflating_free(in);
	if (part == 0 && got == size)
		return true;
	tell(c, content, why);
	return false;
}

static bool load_content(struct confirming *c, struct content *content)
{
	struct simhash_error error;
	struct stat status;
	bool is_whole = content->file->size_bytes <= WHOLE_MAX;
	int fd = open_content(c, content, &status);
	bool loaded = fd >= 0;

	if (loaded && is_whole) {
		content->bytes = malloc((size_t)content->file->size_bytes + 1);
		if (content->bytes == NULL) {
			error_set_memory(&error);
			fail(c, &error);
			loaded = false;
		} else if (content->file->compressed_size_bytes > 0) {
			loaded = inflate_whole(c, content, fd);
			fd = -1;
		} else {
			loaded = read_whole(c, content, fd);
		}
	}
	if (fd >= 0)
		close(fd);
	return loaded;
}

/* The content of a file, loaded and held until it is let go; NULL when it cannot be. */
static struct content *take_content(struct confirming *c, uint32_t number)
{
	struct content *content = &c->contents[number];
	bool loaded;

	pthread_mutex_lock(&c->lock);
	while (content->state == LOADING)
		pthread_cond_wait(&c->changed, &c->lock);
	if (content->state == ABSENT) {
		content->state = LOADING;
		content->held = content_bytes(content);
		c->held += content->held;
		while (c->held > CACHE_BYTES && c->oldest != NULL) {
			struct content *oldest = c->oldest;
			unlink_unused(c, oldest);
			forget_content(c, oldest);
		}
		pthread_mutex_unlock(&c->lock);
		loaded = load_content(c, content);
		pthread_mutex_lock(&c->lock);
		if (!loaded)
			forget_content(c, content);
		content->state = loaded ? PRESENT : FAILED;
		pthread_cond_broadcast(&c->changed);
	} else if (content->state == PRESENT && content->users == 0) {
		unlink_unused(c, content);
	}
	if (content->state == PRESENT)
		content->users++;
	else
		content = NULL;
	pthread_mutex_unlock(&c->lock);
	return content;
}

static void let_go(struct confirming *c, struct content *content)
{
	if (content == NULL)
		return;
	pthread_mutex_lock(&c->lock);
	if (--content->users == 0)
		link_unused(c, content);
	pthread_mutex_unlock(&c->lock);
}

/* ---- Measuring a pair ---- */

/* A source over a content; a large one has a descriptor and a window of its own. */
static bool open_source(struct confirming *c, struct content *content, struct cover_source *source)
{
	struct simhash_error error;
	struct stat status;

	*source = (struct cover_source){
		.bytes = content->bytes, .fd = -1, .size = (size_t)content->file->size_bytes};
	if (source->bytes != NULL)
		return true;
	source->fd = open_content(c, content, &status);
	if (source->fd < 0)
		return false;
	source->window = malloc(COVER_BUFFER_BYTES);
	if (source->window != NULL)
		return true;
	error_set_memory(&error);
	fail(c, &error);
	return false;
}

static void close_source(struct cover_source *source)
{
	if (source->fd >= 0)
		close(source->fd);
	free(source->window);
}

/* Make the index of a content where it has none; others wait for it. */
static bool need_index(struct confirming *c, struct content *content, struct cover_source *source)
{
	struct simhash_error error;
	bool is_ours;

	pthread_mutex_lock(&c->lock);
	while (content->is_indexing)
		pthread_cond_wait(&c->changed, &c->lock);
	is_ours = !content->has_index;
	content->is_indexing = is_ours;
	pthread_mutex_unlock(&c->lock);
	if (!is_ours)
		return true;
	if (cover_index_init(&content->index, source, &error) != 0)
		fail(c, &error);
	if (source->failed != 0)
		cover_index_release(&content->index); /* of a part of the file */
	pthread_mutex_lock(&c->lock);
	content->has_index = content->index.slots != NULL;
	content->is_indexing = false;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	return content->has_index;
}

static void set_shares(struct file_pair *pair, double a, double b, double a_found, double b_found)
{
	double both = (a_found + b_found) / 2;

	pair->verification = PAIR_CONFIRMED;
	pair->contained_a = a > 0 ? a_found / a : 1;
	pair->contained_b = b > 0 ? b_found / b : 1;
	pair->resemblance = a + b - both > 0 ? both / (a + b - both) : 1;
}

/* The least that must be found in a file of `size` bytes, all of the other being found. */
static double least_cover(double size, double other, double resemblance)
{
	return 2 * resemblance / (1 + resemblance) * (size + other) - other;
}

static bool measure(struct confirming *c, struct file_pair *pair, struct content *a,
		    struct content *b, struct cover_source *sa, struct cover_source *sb)
{
	double a_size = (double)sa->size, b_size = (double)sb->size;
	double least = c->request->min_resemblance;
	double b_least = least_cover(b_size, a_size, least);
	size_t a_found, b_found;

	if (sa->size == sb->size && cover_equal(sa, sb)) {
		pair->is_identical = true;
		set_shares(pair, a_size, b_size, a_size, b_size);
		return true;
	}
	if (sa->failed != 0 || sb->failed != 0)
		return false;
	pair->is_identical = false;
	if (!need_index(c, a, sa) || !need_index(c, b, sb))
		return false;
	b_found = cover_measure(&a->index, sa, sb, b_least);
	/* Where that is too little, all of a would not be enough. */
	a_found = b_found < sa->size ? b_found : sa->size;
	if ((double)b_found >= b_least)
		a_found = cover_measure(&b->index, sb, sa, least_cover(a_size, b_size, least));
	set_shares(pair, a_size, b_size, (double)a_found, (double)b_found);
	return sa->failed == 0 && sb->failed == 0;
}

static void tell_failed(struct confirming *c, struct content *content,
			const struct cover_source *source)
{
	if (source->failed != 0)
		tell(c, content, source->failed > 0 ? source->failed : 0);
}

static void confirm_pair(struct confirming *c, struct file_pair *pair)
{
	struct cover_source sa = {.fd = -1}, sb = {.fd = -1};
	struct content *a = take_content(c, pair->a->number);
	struct content *b = a == NULL ? NULL : take_content(c, pair->b->number);

	pair->verification = PAIR_UNCONFIRMED;
	if (b != NULL && open_source(c, a, &sa) && open_source(c, b, &sb) &&
	    !measure(c, pair, a, b, &sa, &sb)) {
		pair->verification = PAIR_UNCONFIRMED;
		tell_failed(c, a, &sa);
		tell_failed(c, b, &sb);
	}
	close_source(&sa);
	close_source(&sb);
	let_go(c, a);
	let_go(c, b);
}

static void *run_confirming(void *argument)
{
	struct confirming *c = argument;

	for (;;) {
		size_t next = atomic_fetch_add(&c->next, 1);
		bool has_failed;
		pthread_mutex_lock(&c->lock);
		has_failed = c->has_failed;
		pthread_mutex_unlock(&c->lock);
		if (next >= c->order_count || has_failed)
			return NULL;
		confirm_pair(c, c->order[next]);
		if (c->resources->progress != NULL)
			atomic_fetch_add(&c->resources->progress->confirmed, 1);
	}
}

/* ---- What to read, and in which order ---- */

/* Can this file be read here at all? */
static bool is_within_reach(const struct find_file *file)
{
	return file->is_local && !file->is_stream;
}

/* Set what needs no reading; choose the rest. */
static void choose_pairs(struct confirming *c)
{
	for (size_t i = 0; i < c->list->count; i++) {
		struct file_pair *pair = &c->list->pairs[i];
		if (c->request->mode == CONFIRM_DOUBTFUL &&
		    (pair->is_identical || pair->is_trusted)) {
			pair->verification = PAIR_TRUSTED;
			continue;
		}
		pair->verification = PAIR_UNCONFIRMED;
		if (!is_within_reach(pair->a) || !is_within_reach(pair->b))
			continue;
		c->order[c->order_count++] = pair;
		c->contents[pair->a->number].is_needed = true;
		c->contents[pair->b->number].is_needed = true;
	}
}

static uint32_t root_of(struct content *contents, uint32_t number)
{
	while (contents[number].root != number) {
		contents[number].root = contents[contents[number].root].root;
		number = contents[number].root;
	}
	return number;
}

static bool is_before(const struct content *x, const struct content *y)
{
	return x->device != y->device ? x->device < y->device : x->inode < y->inode;
}

/* qsort has no context; one list at a time is confirmed by a thread. */
static _Thread_local const struct confirming *sorted;

/* Connected files together, and both those sets and the files in them by inode. */
static int compare_files(const void *a, const void *b)
{
	const struct content *x = &sorted->contents[*(const uint32_t *)a];
	const struct content *y = &sorted->contents[*(const uint32_t *)b];

	if (x->root != y->root) {
		const struct content *x_root = &sorted->contents[x->root];
		const struct content *y_root = &sorted->contents[y->root];
		if (is_before(x_root, y_root) || is_before(y_root, x_root))
			return is_before(x_root, y_root) ? -1 : 1;
		return x->root < y->root ? -1 : 1;
	}
	return is_before(x, y) ? -1 : is_before(y, x);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct file_pair *x = *(struct file_pair *const *)a;
	const struct file_pair *y = *(struct file_pair *const *)b;
	const uint32_t *rank = sorted->rank;
	uint32_t x_low = rank[x->a->number] < rank[x->b->number] ? rank[x->a->number]
								 : rank[x->b->number];
	uint32_t y_low = rank[y->a->number] < rank[y->b->number] ? rank[y->a->number]
								 : rank[y->b->number];
	uint32_t x_high = rank[x->a->number] + rank[x->b->number] - x_low;
	uint32_t y_high = rank[y->a->number] + rank[y->b->number] - y_low;

	if (x_low != y_low)
		return x_low < y_low ? -1 : 1;
	return (x_high > y_high) - (x_high < y_high);
}

static int order_pairs(struct confirming *c, struct simhash_error *error)
{
	struct content *contents = c->contents;
	size_t count = c->list->file_count;
	uint32_t *files = malloc((count + 1) * sizeof *files);

	if (files == NULL)
		return error_set_memory(error);
	for (uint32_t i = 0; i < count; i++) {
		files[i] = i;
		contents[i].root = i;
		if (contents[i].is_needed) {
			/* Where it lies on the disk; what is not as it was is told now. */
			struct stat status;
			int fd = open_content(c, &contents[i], &status);
			if (fd < 0) {
				contents[i].state = FAILED;
				continue;
			}
			contents[i].device = (uint64_t)status.st_dev;
			contents[i].inode = (uint64_t)status.st_ino;
			close(fd);
		}
	}
	for (size_t i = 0; i < c->order_count; i++) {
		uint32_t a = root_of(contents, c->order[i]->a->number);
		uint32_t b = root_of(contents, c->order[i]->b->number);
		contents[a].root = b;
	}
	for (uint32_t i = 0; i < count; i++)
		contents[i].root = root_of(contents, i);
	sorted = c;
	qsort(files, count, sizeof *files, compare_files);
	for (uint32_t i = 0; i < count; i++)
		c->rank[files[i]] = i;
	qsort(c->order, c->order_count, sizeof(struct file_pair *), compare_pairs);
	sorted = NULL;
	free(files);
	return 0;
}

static void run_threads(struct confirming *c)
{
	unsigned count = c->resources->threads, started = 0;
	pthread_t *threads = calloc(count, sizeof *threads);

	/* Where a thread cannot be had, fewer do the work. */
	while (threads != NULL && started + 1 < count &&
	       pthread_create(&threads[started], NULL, run_confirming, c) == 0)
		started++;
	run_confirming(c);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void drop_pairs(struct pair_list *list, double min_resemblance)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->pairs[i].verification != PAIR_CONFIRMED ||
		    list->pairs[i].resemblance >= min_resemblance)
			list->pairs[kept++] = list->pairs[i];
	list->count = kept;
}

int confirm_pairs(struct pair_list *list, const struct confirm_request *request,
		  const struct find_sink *sink, const struct find_resources *resources,
		  struct simhash_error *error)
{
	struct confirming c = {.list = list,
			       .request = request,
			       .sink = sink,
			       .resources = resources,
			       .error = error};
	int status = -1;

	if (request->mode == CONFIRM_NONE)
		return 0;

	pthread_mutex_init(&c.lock, NULL);
	pthread_cond_init(&c.changed, NULL);
	c.contents = calloc(list->file_count + 1, sizeof *c.contents);
	c.rank = calloc(list->file_count + 1, sizeof *c.rank);
	c.order = malloc((list->count + 1) * sizeof(struct file_pair *));
	if (c.contents == NULL || c.rank == NULL || c.order == NULL) {
		error_set_memory(error);
		goto out;
	}
	for (size_t i = 0; i < list->file_count; i++)
		c.contents[i].file = list->files[i];
	choose_pairs(&c);
	if (resources->progress != NULL)
		atomic_store(&resources->progress->to_confirm, (long long)c.order_count);
	if (order_pairs(&c, error) != 0)
		goto out;
	run_threads(&c);
	status = c.has_failed ? -1 : 0;
	if (status == 0)
		drop_pairs(list, request->min_resemblance);
out:
	for (size_t i = 0; c.contents != NULL && i < list->file_count; i++)
		if (c.contents[i].state == PRESENT)
			forget_content(&c, &c.contents[i]);
	free(c.order);
	free(c.rank);
	free(c.contents);
	pthread_cond_destroy(&c.changed);
	pthread_mutex_destroy(&c.lock);
	return status;
}
