/*
 * The contents of files, in memory as far as it allows. A file too large to be held is read piece by
 * piece for each of its pairs. Any number of threads may use a cache. Files are known by their
 * number, which is small and which no other file has while the cache is there.
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
#include "find/reading/cover.h"
#include "find/rule/find.h"

enum content_state { CONTENT_ABSENT, CONTENT_LOADING, CONTENT_PRESENT, CONTENT_FAILED };

/* A file that some pair needs. */
struct content {
	const struct find_file *file;
	enum content_state state;
	unsigned users;
	uint8_t *bytes; /* NULL for a large file */
	bool has_index, is_indexing;
	struct cover_index index;
	size_t held;		       /* bytes that it takes of the cache */
	struct content *older, *newer; /* unused ones, by their last use */
	bool is_reported;
	/* Of a member of an archive: those of it that are needed, in the order of their names. */
	struct content *first_member, *next_member;
	struct content *next_read; /* in the same passage through the archive */
	bool is_whole;		   /* was read to its end */
	bool was_missed;	   /* in a passage for another one */
};

struct content_cache {
	const struct find_sink *sink;
	struct sandbox_use *sandbox_use; /* in which archives are read; NULL: in this process */
	struct first_error *first_error;
	pthread_mutex_t lock;	   /* of what follows, and of the contents */
	struct content **contents; /* by the number of the file; NULL: not asked for yet */
	size_t capacity;
	pthread_cond_t changed;
	size_t held;
	struct content *oldest, *newest;
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
struct content *content_cache_take(struct content_cache *cache, const struct find_file *file);
void content_cache_return(struct content_cache *cache, struct content *content); /* NULL is fine */

/* A source over a content; one of a large file has a descriptor and a window of its own. */
bool content_open(struct content_cache *cache, struct content *content,
		  struct cover_source *source);
void content_close(struct cover_source *source);

/* Make the index of a content unless it has one. */
bool content_need_index(struct content_cache *cache, struct content *content,
			struct cover_source *source);

/* Report a content that a source failed to read. */
void content_report(struct content_cache *cache, struct content *content, int system_errno);

#endif
