/*
 * A cache of the contents of files, as far as memory allows. A file that is too large for it is
 * read piece by piece for each of its pairs. Any number of threads may use a cache. A number
 * identifies each file; it is small, and unique as long as the cache exists.
 *
 *     content_cache_init(&cache, sink, sandbox, &first_error);
 *     content = content_cache_take(&cache, file);
 *     if (content != NULL && content_open(&cache, content, &source))
 *             ; // read the source, and by content_need_index the content's index
 *     content_close(&source);
 *     content_cache_return(&cache, content);
 *     content_cache_release(&cache);
 *
 * A file that cannot be read as it was indexed is reported to the sink, once. Other errors, of
 * memory, are the first error.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_CONTENT_CACHE_H
#define SIMHASH_FIND_CONTENT_CACHE_H

#include <pthread.h>

#include "base/threads/threads.h"
#include "find/reading/loaded.h"
#include "find/rule/find.h"

struct content_cache {
	const struct find_sink *sink;
	struct sandbox_use *sandbox_use; /* in which archives are read; NULL: in this process */
	struct first_error *first_error;
	pthread_mutex_t lock;	  /* of what follows, and of the contents */
	struct loaded **contents; /* by the number of the file; NULL: not asked for yet */
	size_t capacity;
	pthread_cond_t changed;
	size_t held;
	struct loaded *oldest, *newest;
	struct sandbox **sandboxes; /* that no thread uses */
	size_t sandbox_count, sandbox_capacity;
};

void content_cache_init(struct content_cache *cache, const struct find_sink *sink,
			struct sandbox_use *sandbox_use, struct first_error *first_error);
void content_cache_release(struct content_cache *cache);

/* Where on its disk a file lies; false, and never taken, where it cannot be read. */
bool content_cache_locate(struct content_cache *cache, const struct find_file *file,
			  uint64_t *device, uint64_t *inode);

/*
 * When the files that are needed were located: link the members of each archive. Error:
 * SIMHASH_E_MEMORY.
 */
int content_cache_link(struct content_cache *cache, struct simhash_error *error);

/* The content of a file, loaded and held until it is returned; NULL when it cannot be read. */
struct loaded *content_cache_take(struct content_cache *cache, const struct find_file *file);
void content_cache_return(struct content_cache *cache, struct loaded *content); /* NULL is fine */

/* A source over a content; one of a large file has a descriptor and a window of its own. */
bool content_open(struct content_cache *cache, struct loaded *content, struct cover_source *source);
void content_close(struct cover_source *source);

/* Make the index of a content unless it has one. */
bool content_need_index(struct content_cache *cache, struct loaded *content,
			struct cover_source *source);

/* Report a content that a source failed to read. */
void content_report(struct content_cache *cache, struct loaded *content, int system_errno);

#endif
