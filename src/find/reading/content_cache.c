/*
 * Loads contents and keeps them in memory: files and their indexes up to a number of bytes, not
 * counting contents in use. The least recently used contents are freed first.
 * SPDX-License-Identifier: MIT
 */
#include "find/reading/content_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "find/reading/content_members.h"
#include "find/reading/reopen.h"
#include "scan/archive/container.h"
#include "scan/archive/sandbox.h"
#include "scan/command/filter_commands.h"
#include "scan/file/inflating.h"

#define CACHE_BYTES ((size_t)384 << 20)
#define WHOLE_MAX ((int64_t)64 << 20) /* larger files are not loaded completely */

void content_cache_init(struct content_cache *cache, const struct find_sink *sink,
			struct sandbox_use *sandbox_use, struct first_error *first_error)
{
	*cache = (struct content_cache){
		.sink = sink, .sandbox_use = sandbox_use, .first_error = first_error};
	pthread_mutex_init(&cache->lock, NULL);
	pthread_cond_init(&cache->changed, NULL);
}

/* Each file has two places: for its bytes and for its text. */
static struct loaded *add_content(struct content_cache *cache, const struct find_file *file,
				  bool is_text, struct simhash_error *error)
{
	size_t capacity = cache->capacity, number = 2 * (size_t)file->number + is_text;
	struct loaded *content;

	if (array_reserve(&cache->contents, &cache->capacity, number + 1, sizeof(struct loaded *),
			  error) != 0)
		return NULL;
	for (; capacity < cache->capacity; capacity++)
		cache->contents[capacity] = NULL;
	content = cache->contents[number];
	if (content != NULL)
		return content;
	content = calloc(1, sizeof *content);
	if (content == NULL) {
		error_set_memory(error);
		return NULL;
	}
	content->file = file;
	content->is_text = is_text;
	if (is_text && cache->contents[number - 1] != NULL &&
	    cache->contents[number - 1]->state == LOAD_FAILED)
		content->state = LOAD_FAILED; /* this was already reported */
	cache->contents[number] = content;
	return content;
}

/* Returns NULL without memory. The caller holds the lock. */
static struct loaded *find_content(struct content_cache *cache, const struct find_file *file,
				   bool is_text)
{
	struct simhash_error error;
	struct loaded *content = add_content(cache, file, is_text, &error);

	if (content == NULL)
		first_error_set(cache->first_error, &error);
	return content;
}

void content_report(struct content_cache *cache, struct loaded *content, int system_errno)
{
	bool is_new;

	pthread_mutex_lock(&cache->lock);
	is_new = !content->is_reported;
	content->is_reported = true;
	pthread_mutex_unlock(&cache->lock);
	if (is_new)
		cache->sink->unconfirmed(cache->sink->context, content->file, system_errno);
}

/* Open a file if it is still as it was indexed. Returns -1 if it is not, which is reported. */
static int open_unchanged(struct content_cache *cache, struct loaded *content, struct stat *status)
{
	const struct find_file *file = content->file;
	int why = EFBIG, fd = -1;

	if (file->is_stream) {
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		why = fd < 0 || fstat(fd, status) != 0 ? errno : 0;
	} else if (!content_is_inside(content) || loaded_size(content) <= WHOLE_MAX)
		fd = reopen_file(file, status, &why);
	if (fd < 0)
		content_report(cache, content, why);
	return fd;
}

bool content_cache_locate(struct content_cache *cache, const struct find_file *file,
			  uint64_t *device, uint64_t *inode)
{
	struct loaded *content;
	struct stat status;
	int fd;

	pthread_mutex_lock(&cache->lock);
	content = find_content(cache, file, false);
	pthread_mutex_unlock(&cache->lock);
	if (content == NULL)
		return false;
	fd = open_unchanged(cache, content, &status);
	if (fd < 0) {
		content->state = LOAD_FAILED;
		return false;
	}
	*device = (uint64_t)status.st_dev;
	*inode = (uint64_t)status.st_ino;
	close_content(fd);
	return true;
}

int content_cache_link(struct content_cache *cache, struct simhash_error *error)
{
	return content_members_link(cache->contents, cache->capacity, error);
}

/* ---- Loading and freeing ---- */

static void forget_content(struct content_cache *cache, struct loaded *content)
{
	free(content->bytes);
	cover_index_release(&content->index);
	content->bytes = NULL;
	content->has_index = false;
	content->is_whole = false;
	content->state = NOT_LOADED;
	cache->held -= content->held;
	content->held = 0;
}

static void unlink_unused(struct content_cache *cache, struct loaded *content)
{
	*(content->older == NULL ? &cache->oldest : &content->older->newer) = content->newer;
	*(content->newer == NULL ? &cache->newest : &content->newer->older) = content->older;
	content->older = NULL;
	content->newer = NULL;
}

static void link_unused(struct content_cache *cache, struct loaded *content)
{
	content->older = cache->newest;
	content->newer = NULL;
	*(cache->newest == NULL ? &cache->oldest : &cache->newest->newer) = content;
	cache->newest = content;
}

/* The memory for a file and its index. */
static size_t content_bytes(const struct loaded *content)
{
	int64_t size = loaded_size(content);

	return cover_index_bytes((size_t)size) + (size <= WHOLE_MAX ? (size_t)size : 0);
}

static bool read_whole(struct content_cache *cache, struct loaded *content, int fd)
{
	int why;

	if (reread_file(fd, content->bytes, (size_t)loaded_size(content), &why) == 0)
		return true;
	content_report(cache, content, why);
	return false;
}

/* The same for inflated content. Takes over the descriptor. */
static bool inflate_whole(struct content_cache *cache, struct loaded *content, int fd)
{
	size_t size = (size_t)loaded_size(content), got = 0;
	struct inflating *in = inflating_new(fd);
	ssize_t part = -1;
	int why;

	/* Read to the end, because the content may have become longer. */
	while (in != NULL && (part = inflating_read(in, content->bytes + got, size - got + 1)) > 0)
		if ((got += (size_t)part) > size)
			break;
	why = part < 0 ? errno : 0;
	if (in != NULL)
		inflating_free(in);
	if (part == 0 && got == size)
		return true;
	content_report(cache, content, why);
	return false;
}

/* Each sandbox has a process, which the next archive member can also use. */
static struct sandbox *take_sandbox(struct content_cache *cache)
{
	struct sandbox *sandbox = NULL;

	pthread_mutex_lock(&cache->lock);
	if (cache->sandbox_count > 0)
		sandbox = cache->sandboxes[--cache->sandbox_count];
	pthread_mutex_unlock(&cache->lock);
	return sandbox != NULL ? sandbox : sandbox_new(cache->sandbox_use);
}

static void return_sandbox(struct content_cache *cache, struct sandbox *sandbox)
{
	struct simhash_error ignored;

	pthread_mutex_lock(&cache->lock);
	if (array_reserve(&cache->sandboxes, &cache->sandbox_capacity, cache->sandbox_count + 1,
			  sizeof *cache->sandboxes, &ignored) == 0) {
		cache->sandboxes[cache->sandbox_count++] = sandbox;
		sandbox = NULL;
	}
	pthread_mutex_unlock(&cache->lock);
	sandbox_free(sandbox);
}

/*
 * The same for a member of an archive, read together with other members: `first` and the following
 * ones. An error for one member is reported only if the member is read alone.
 */
static bool extract_whole(struct content_cache *cache, struct loaded *content, int fd,
			  const struct stat *status, struct loaded *first)
{
	struct sandbox *sandbox = cache->sandbox_use == NULL ? NULL : take_sandbox(cache);
	const char *name = strstr(find_file_path(content->file), "//");
	struct loaded *next = content->next_read;
	int why = ENOMEM;

	if (sandbox != NULL || cache->sandbox_use == NULL) {
		content_members_read(first, sandbox, fd, status, &why);
		content->next_read = NULL;
		if (!content->is_whole && (next != NULL || first != content))
			content_members_read(content, sandbox, fd, status, &why);
		content->next_read = next;
	}
	if (sandbox != NULL)
		return_sandbox(cache, sandbox);
	if (content->is_whole)
		return true;
	if (name != NULL && strcmp(name + 2, FILTERED_NAME) == 0)
		why = CONTAINER_IS_FILTERED;
	content_report(cache, content, why);
	return false;
}

static bool load_whole(struct content_cache *cache, struct loaded *content, int fd)
{
	struct simhash_error error;

	content->bytes = malloc((size_t)loaded_size(content) + 1);
	if (content->bytes == NULL) {
		error_set_memory(&error);
		first_error_set(cache->first_error, &error);
		close_content(fd);
		return false;
	}
	if (content->file->compressed_size_bytes > 0)
		return inflate_whole(cache, content, fd);
	return read_whole(cache, content, fd);
}

/* `first` is the first member to read from the archive, or the content itself. */
static bool load_content(struct content_cache *cache, struct loaded *content, struct loaded *first)
{
	struct stat status;
	int fd = open_unchanged(cache, content, &status);
	bool loaded = fd >= 0;

	if (!loaded || loaded_size(content) > WHOLE_MAX) {
		if (loaded)
			close_content(fd);
		return loaded;
	}
	if (!content_is_member(content))
		return load_whole(cache, content, fd);
	loaded = extract_whole(cache, content, fd, &status, first);
	close_content(fd);
	return loaded;
}

static void begin_loading(struct content_cache *cache, struct loaded *content)
{
	content->state = LOADING;
	content->held = content_bytes(content);
	cache->held += content->held;
}

/*
 * Begin to load a content and other needed members of the same archive, up to half of the cache.
 * Skip members that could not be read this way before. Returns the first content.
 */
static struct loaded *begin_passage(struct content_cache *cache, struct loaded *content)
{
	struct loaded *first = content, **end = &first;
	size_t bytes = 0;

	begin_loading(cache, content);
	if (content->first_member == NULL || content->was_missed) {
		content->next_read = NULL;
		return content;
	}
	for (struct loaded *next = content->first_member; next != NULL; next = next->next_member) {
		if (next != content) {
			if (next->state != NOT_LOADED || next->was_missed ||
			    loaded_size(next) > WHOLE_MAX ||
			    bytes + content_bytes(next) > CACHE_BYTES / 2)
				continue;
			begin_loading(cache, next);
			bytes += next->held;
		}
		*end = next;
		end = &next->next_read;
	}
	*end = NULL;
	return first;
}

static void end_passage(struct content_cache *cache, const struct loaded *content,
			struct loaded *first)
{
	struct loaded *after;

	for (struct loaded *next = first; next != NULL; next = after) {
		after = next->next_read;
		if (next == content)
			continue;
		if (next->is_whole) {
			next->state = LOADED;
			link_unused(cache, next);
		} else {
			forget_content(cache, next);
			next->was_missed = true;
		}
	}
}

/* Load a content after the oldest unused contents were freed. The caller holds the lock. */
static void load_locked(struct content_cache *cache, struct loaded *content)
{
	struct loaded *first = begin_passage(cache, content);
	bool loaded;

	while (cache->held > CACHE_BYTES && cache->oldest != NULL) {
		struct loaded *oldest = cache->oldest;
		unlink_unused(cache, oldest);
		forget_content(cache, oldest);
	}
	pthread_mutex_unlock(&cache->lock);
	loaded = load_content(cache, content, first);
	pthread_mutex_lock(&cache->lock);
	end_passage(cache, content, first);
	if (!loaded)
		forget_content(cache, content);
	content->state = loaded ? LOADED : LOAD_FAILED;
	pthread_cond_broadcast(&cache->changed);
}

struct loaded *content_cache_take(struct content_cache *cache, const struct find_file *file,
				  bool is_text)
{
	struct loaded *content;

	pthread_mutex_lock(&cache->lock);
	content = find_content(cache, file, is_text);
	if (content == NULL) {
		pthread_mutex_unlock(&cache->lock);
		return NULL;
	}
	while (content->state == LOADING)
		pthread_cond_wait(&cache->changed, &cache->lock);
	if (content->state == NOT_LOADED)
		load_locked(cache, content);
	else if (content->state == LOADED && content->users == 0)
		unlink_unused(cache, content);
	if (content->state == LOADED)
		content->users++;
	else
		content = NULL;
	pthread_mutex_unlock(&cache->lock);
	return content;
}

void content_cache_return(struct content_cache *cache, struct loaded *content)
{
	if (content == NULL)
		return;
	pthread_mutex_lock(&cache->lock);
	if (--content->users == 0)
		link_unused(cache, content);
	pthread_mutex_unlock(&cache->lock);
}

void content_cache_release(struct content_cache *cache)
{
	for (size_t i = 0; i < cache->capacity; i++) {
		if (cache->contents[i] != NULL && cache->contents[i]->state == LOADED)
			forget_content(cache, cache->contents[i]);
		if (cache->contents[i] != NULL)
			free(cache->contents[i]->text_name);
		free(cache->contents[i]);
	}
	free(cache->contents);
	while (cache->sandbox_count > 0)
		sandbox_free(cache->sandboxes[--cache->sandbox_count]);
	free(cache->sandboxes);
	pthread_cond_destroy(&cache->changed);
	pthread_mutex_destroy(&cache->lock);
}

/* ---- Sources and indexes ---- */

bool content_open(struct content_cache *cache, struct loaded *content, struct cover_source *source)
{
	struct simhash_error error;
	struct stat status;

	*source = (struct cover_source){
		.bytes = content->bytes, .fd = -1, .size = (size_t)loaded_size(content)};
	if (source->bytes != NULL)
		return true;
	source->fd = open_unchanged(cache, content, &status);
	if (source->fd < 0)
		return false;
	source->window = malloc(COVER_BUFFER_BYTES);
	if (source->window != NULL)
		return true;
	error_set_memory(&error);
	first_error_set(cache->first_error, &error);
	return false;
}

void content_close(struct cover_source *source)
{
	if (source->fd >= 0)
		close_content(source->fd);
	free(source->window);
}

bool content_need_index(struct content_cache *cache, struct loaded *content,
			struct cover_source *source)
{
	struct simhash_error error;
	bool is_ours;

	pthread_mutex_lock(&cache->lock);
	while (content->is_indexing)
		pthread_cond_wait(&cache->changed, &cache->lock);
	is_ours = !content->has_index;
	content->is_indexing = is_ours;
	pthread_mutex_unlock(&cache->lock);
	if (!is_ours)
		return true;
	if (cover_index_init(&content->index, source, &error) != 0)
		first_error_set(cache->first_error, &error);
	if (source->failed != 0)
		cover_index_release(&content->index); /* it covers only a part of the file */
	pthread_mutex_lock(&cache->lock);
	content->has_index = content->index.slots.count > 0;
	content->is_indexing = false;
	pthread_cond_broadcast(&cache->changed);
	pthread_mutex_unlock(&cache->lock);
	return content->has_index;
}
