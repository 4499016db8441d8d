/*
 * The files that were found in one directory, or a part of them: the unit that the walk hands out.
 *
 * A gathering collects them one by one; when it is complete, or full, it is sorted into a chunk and
 * begins again:
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

/* A regular file as it was found, or the content of a gzip file: see inflated_name. */
struct found_file {
	uint8_t path_hash[PATH_HASH_SIZE];
	const char *name; /* of its row; terminated by a zero */
	size_t name_size;
	int64_t size_bytes, mtime_ns, changed_ns; /* see struct file_identity */
	uint64_t device, inode, links;
	bool is_inflated;
	bool is_unchanged; /* and scanned for its resemblance sketch alone */
	bool had_members;  /* by its row, before it was changed */
	bool had_sketch;   /* of resemblance, which is to stay */
	uint32_t filter;   /* that it was given to, if it had members; or 0 */
	unsigned kinds;	   /* of containers that it was looked at for then; 0: not known */
	/* The hash in its row if it had members, and has the size and the time of it; else NULL. */
	const uint8_t *known_content;
	bool moves_only; /* not scanned where it was not moved; see put_aside.h */
	bool looks_only; /* it is unchanged, and looked at for what is in it alone */
};

/* The links that its row has, as scan_file records them: 0 where symbolic links are followed. */
int64_t recorded_links(const struct found_file *file, bool follow);

enum chunk_part {
	CHUNK_WHOLE,	 /* all files of the directory */
	CHUNK_PART,	 /* some of them; more follow */
	CHUNK_LAST_PART, /* the last of several parts; may have no files */
	CHUNK_INCOMPLETE /* some of them; the others are not known */
};

/* Its files live until their gathering is added to. */
struct chunk {
	struct directory *directory; /* borrowed */
	const struct found_file *files;
	size_t count; /* sorted by path hash */
	enum chunk_part part;
};

/* Files; the last may come with its content. Those of larger directories are asked for one by one. */
#ifndef GATHERING_MAX
#define GATHERING_MAX 32768
#endif

struct chunk_gathering {
	struct found_file *files;
	size_t count, capacity;
	char *names; /* of the files, one behind the other, each ended by a zero */
	size_t names_size, names_capacity;
};

void gathering_release(struct chunk_gathering *gathering);

/* Add a file, and its inflated content as another where that is wanted and its name is gzip's. */
int gathering_add(struct chunk_gathering *gathering, const char *name, const struct stat *status,
		  bool with_inflated, struct simhash_error *error);

/* Make a chunk of what was gathered. The next file that is added begins anew. */
void gathering_finish(struct chunk_gathering *gathering, struct directory *directory,
		      enum chunk_part part, struct chunk *chunk);

static inline bool gathering_is_full(const struct chunk_gathering *gathering)
{
	return gathering->count >= GATHERING_MAX;
}

#endif
