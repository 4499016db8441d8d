/*
 * Keeps contents of files in memory as far as possible. A file that is too large is read piece by
 * piece for each of its pairs. Any number of threads may use a cache. A number identifies each
 * file; it is small, and unique as long as the cache exists.
 *
 *     content_cache_init(&cache, sink, sandbox, &first_error);
 *     content = content_cache_take(&cache, file, is_text);
 *     if (content != NULL && content_open(&cache, content, &source))
 *             ; // read the source and, after content_need_index, the content's index
 *     content_close(&source);
 *     content_cache_return(&cache, content);
 *     content_cache_release(&cache);
 *
 * A file that cannot be read as it was indexed is reported to the sink once. Missing memory is the
 * only other error, and sets the first error.
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
	struct sandbox_use *sandbox_use; /* reads archives; NULL: this process reads them */
	struct first_error *first_error;
	pthread_mutex_t lock;	  /* for the fields below, and for the contents */
	struct loaded **contents; /* indexed by the number of the file; NULL: not requested yet */
	size_t capacity;
	pthread_cond_t changed;
	size_t held;
	struct loaded *oldest, *newest;
	struct sandbox **sandboxes; /* the sandboxes that no thread uses */
	size_t sandbox_count, sandbox_capacity;
};

void content_cache_init(struct content_cache *cache, const struct find_sink *sink,
			struct sandbox_use *sandbox_use, struct first_error *first_error);
void content_cache_release(struct content_cache *cache);

/*
 * Find the place of a file on its disk. Returns false if the file cannot be read; such a file must
 * not be taken.
 */
bool content_cache_locate(struct content_cache *cache, const struct find_file *file,
			  uint64_t *device, uint64_t *inode);

/*
 * Link the members of each archive. Call it after all needed files were located. Error:
 * SIMHASH_E_MEMORY.
 */
int content_cache_link(struct content_cache *cache, struct simhash_error *error);

/*
 * Load the content of a file, or the text of a document, and keep it until it is returned. NULL if it
 * cannot be read.
 */
struct loaded *content_cache_take(struct content_cache *cache, const struct find_file *file,
				  bool is_text);
/* Also accepts NULL. */
void content_cache_return(struct content_cache *cache, struct loaded *content);

/* Open a source for a content. The source of a large file has its own descriptor and window. */
bool content_open(struct content_cache *cache, struct loaded *content, struct cover_source *source);
void content_close(struct cover_source *source);

/* Build the index of a content if it has none. */
bool content_need_index(struct content_cache *cache, struct loaded *content,
			struct cover_source *source);

/* Report that a source failed to read a content. */
void content_report(struct content_cache *cache, struct loaded *content, int system_errno);

#endif
