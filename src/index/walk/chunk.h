/*
 * Stores the files that were found in one directory, or a part of them: the unit that the walk
 * returns.
 *
 * A gathering collects files one by one; when it is complete, or full, it is sorted into a chunk
 * and begins again:
 *
 *     gathering_add(&gathering, name, &status, with_inflated, error);
 *     ...
 *     gathering_finish(&gathering, directory, CHUNK_WHOLE, &chunk);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_CHUNK_H
#define SIMHASH_INDEX_CHUNK_H

#include <stdbool.h>
#include <sys/stat.h>

#include "index/walk/directory.h"
#include "simhash.h"
#include "store/row/file_row.h"

/* A regular file, or the content of a gzip file: see inflated_name. */
struct found_file {
	uint8_t path_hash[PATH_HASH_SIZE];
	const char *name; /* the name in its row, terminated by a zero */
	size_t name_size;
	int64_t size_bytes, mtime_ns, changed_ns; /* see struct file_identity */
	uint64_t device, inode, links;
	bool is_inflated;
	bool is_unchanged; /* scanned only for its resemblance sketch */
	bool had_members;  /* its row had members, before it was changed */
	bool had_sketch;   /* keep its resemblance sketch */
	uint32_t filter;   /* the filter that received it, if it had members; or 0 */
	unsigned kinds;	   /* the kinds for which it was examined then; 0: unknown */
	/* The hash in its row, if it had members and has the row's size and time; else NULL. */
	const uint8_t *known_content;
	bool moves_only; /* scanned only if it was moved; see put_aside.h */
	bool looks_only; /* unchanged; examined only for members */
};

/* Return the links as scan_file records them in a row: 0 if symbolic links are followed. */
int64_t recorded_links(const struct found_file *file, bool follow);

enum chunk_part {
	CHUNK_WHOLE,	 /* all files of the directory */
	CHUNK_PART,	 /* some of the files; more follow */
	CHUNK_LAST_PART, /* the last of several parts; may be empty */
	CHUNK_INCOMPLETE /* some of the files; the others are unknown */
};

/* The files live until the next file is added to their gathering. */
struct chunk {
	struct directory *directory; /* borrowed */
	const struct found_file *files;
	size_t count; /* sorted by path hash */
	enum chunk_part part;
};

/*
 * The maximum number of files; the last may also have its content. The rows of larger directories
 * are queried one by one.
 */
#ifndef GATHERING_MAX
#define GATHERING_MAX 32768
#endif

struct chunk_gathering {
	struct found_file *files;
	size_t count, capacity;
	char *names; /* of the files, contiguous, each terminated by a zero */
	size_t names_size, names_capacity;
};

void gathering_release(struct chunk_gathering *gathering);

/*
 * Add a file. With `with_inflated`, also add the inflated content of a gzip file, recognized by its
 * name.
 */
int gathering_add(struct chunk_gathering *gathering, const char *name, const struct stat *status,
		  bool with_inflated, struct simhash_error *error);

/* Make a chunk of the collected files. The next added file begins a new chunk. */
void gathering_finish(struct chunk_gathering *gathering, struct directory *directory,
		      enum chunk_part part, struct chunk *chunk);

static inline bool gathering_is_full(const struct chunk_gathering *gathering)
{
	return gathering->count >= GATHERING_MAX;
}

#endif
