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

struct known_content;

/* A regular file, or the content of a gzip file: see inflated_name. */
struct found_file {
	uint8_t path_hash[PATH_HASH_SIZE];
	const char *name; /* the name in its row, terminated by a zero */
	size_t name_size;
	int64_t size_bytes, mtime_ns, changed_ns; /* see struct file_identity */
	uint64_t device, inode, links;
	bool is_inflated;
	bool is_others;	   /* see is_others_file */
	bool is_unchanged; /* scanned only for its resemblance sketch */
	bool had_members;  /* its row had members before the file changed */
	bool had_sketch;   /* the row keeps its resemblance sketch */
	uint32_t filter;   /* the number of the filter that read it, if it had members; or 0 */
	unsigned kinds;	   /* the kinds of containers that were looked for then; 0: unknown */
	bool lacked_text;  /* see CONTENTS_LACKS_TEXT */
	int64_t lacks;	   /* see CONTENTS_LACKS */
	/*
	 * The hash in its row, if it had members and still has the row's size and time; otherwise
	 * NULL.
	 */
	const uint8_t *known_content;
	/*
	 * The file seems unchanged, or changed without its times, and is read nevertheless: what its
	 * row says. If the content differs, the file is damaged and its row stays. Otherwise NULL.
	 */
	const struct known_content *right;
	bool moves_only; /* the file is used only if it was moved; see put_aside.h */
	bool looks_only; /* the file is unchanged, and only its members are looked for */
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
	size_t count; /* the files are sorted by path hash */
	enum chunk_part part;
};

/*
 * The maximum number of files in a chunk. The last file may be followed by its inflated content. In
 * larger directories the rows are looked up one by one.
 */
#ifndef GATHERING_MAX
#define GATHERING_MAX 32768
#endif

struct chunk_gathering {
	struct found_file *files;
	size_t count, capacity;
	char *names; /* the names of the files, one after another, each terminated by a zero */
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
