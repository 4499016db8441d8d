/*
 * Defines a file in the index: a row of the table `file`.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_FILE_ROW_H
#define SIMHASH_STORE_FILE_ROW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "base/text/document_dates.h"
#include "simhash.h"
#include "simhash_resemblance.h"
#include "store/row/file_hash.h"

#define DIRECTORY_HASH_SIZE 8
#define PATH_HASH_SIZE 16
#define CONTENT_HASH_SIZE 16

/* The two parts of the primary key that are constant for a whole run. */
struct row_scope {
	int64_t tag_set, host;
};

/* The maximum number of measures in one run, and of sketches; a hash is stored as a sketch. */
#define MEASURES_MAX 8
#define SKETCHES_MAX (MEASURES_MAX + FILE_HASHES)

/*
 * The sketches of a content by the requested measures, in their order, its hashes, and its pieces.
 * The rows of all names of a file share them; each row has a reference.
 */
struct row_sketches {
	atomic_uint references;
	struct bytes pieces; /* the stored form; empty if the content has none */
	unsigned count;
	struct row_sketch {
		int64_t features, cluster;
		struct bytes value; /* points into `bytes` */
	} sketch[SKETCHES_MAX];	    /* a sketch without a value is unknown */
	uint8_t bytes[];
};

/* Make sketches with room for `size` bytes and one reference. NULL if memory is short. */
struct row_sketches *row_sketches_new(size_t size);
/*
 * Append a hash, which is not copied. It is stored as a sketch of one feature, because the hash of
 * an empty content also has a meaning. Its first bytes are the cluster, so the index of that column
 * finds it. NULL: the hash is unknown, but its place is reserved.
 */
void row_sketches_add_hash(struct row_sketches *sketches, enum file_hash hash,
			   const uint8_t *bytes);

struct row_sketches *row_sketches_hold(struct row_sketches *sketches); /* NULL is allowed */
void row_sketches_drop(struct row_sketches *sketches);		       /* NULL is allowed */

struct file_row {
	int64_t host;
	uint8_t path_hash[PATH_HASH_SIZE];
	struct bytes directory, name, extension; /* the extension is in lower case */
	int64_t size_bytes, mtime_ns;
	int64_t device, inode; /* the bits of the system's unsigned values */
	int64_t links;	       /* the number of hard links; 0 if unknown */
	/*
	 * For a content inside a file: the size of that file; otherwise 0. See inflated_name,
	 * container.h.
	 */
	int64_t compressed_size_bytes;
	/*
	 * For a file: the kinds of containers that were looked for in it, and CONTENTS_HAS_MEMBERS.
	 */
	int64_t contents;
	uint8_t content_hash[CONTENT_HASH_SIZE];
	int64_t scanned_at_ns;	/* the time when reading began */
	int64_t verified_at_ns; /* when simhash --scrub read the same content again; 0: never */
	int64_t changed_ns;	/* the status time before reading; 0: unknown, or a member */
	struct simhash_sum_table table;
	struct simhash_keys keys;
	struct row_sketches *sketches; /* NULL: none were requested */
	bool has_resemblance;	       /* is the sketch below known? */
	struct simhash_resemblance_sketch resemblance;
	int64_t pieces_made; /* 1: the pieces of the content were made, see piece_rows.h; 0: not */
	struct document_dates dates; /* of a PDF, and of a document for its text; otherwise 0 */
};

/*
 * Copy all values of a row that describe the file and not its path: all except the host, the names,
 * the hash of the path, the links, and the keys, which depend on the name.
 */
void row_take_file(struct file_row *row, const struct file_row *from);

/* In `contents`: this file contains files that have rows, in a directory of that name. */
#define CONTENTS_HAS_MEMBERS (INT64_C(1) << 30)
/* In `contents`: only the text of a document was looked for, and not all of it could be read. */
#define CONTENTS_LACKS_TEXT (INT64_C(1) << 29)
/*
 * `contents` of a row that has the text of a document. Its content hash is the hash of the whole
 * document, so that all files with this content have this text. Its `links` is the size of the
 * document in bytes.
 */
#define CONTENTS_IS_TEXT (INT64_C(1) << 28)
/* In `contents`: this file is a document whose text has a row. */
#define CONTENTS_HAS_TEXT (INT64_C(1) << 27)
/* In `contents` of a member, or of the content of a compressed file: it is an archive itself. */
#define CONTENTS_IS_ARCHIVE (INT64_C(1) << 26)
/*
 * In `contents` of a file: parts of it could not be read, or were left out, so it contains more than
 * its rows show. The second one: the same for an archive in it, which has its own row.
 */
#define CONTENTS_LACKS_MEMBERS (INT64_C(1) << 25)
#define CONTENTS_LACKS_NESTED (INT64_C(1) << 24)
#define CONTENTS_LACKS (CONTENTS_LACKS_MEMBERS | CONTENTS_LACKS_NESTED)
static inline bool row_is_text(int64_t contents)
{
	return (contents & CONTENTS_IS_TEXT) != 0;
}

/*
 * Are there rows of members, besides the text? A document that was examined only for its text is no
 * archive.
 */
#define CONTENTS_ONLY_TEXT (INT64_C(1) << 14) /* the kinds of a file that has only a text */
static inline bool row_is_archive(int64_t contents)
{
	int64_t kinds = contents & (CONTENTS_LACKS_NESTED - 1);

	return (contents & CONTENTS_IS_ARCHIVE) != 0 ||
	       ((contents & CONTENTS_HAS_MEMBERS) != 0 && kinds != CONTENTS_ONLY_TEXT &&
		(contents & CONTENTS_LACKS_TEXT) == 0);
}

/*
 * From bit 32 on, `contents` has the 31-bit number of the filter that read the file; 0: none.
 */
#define CONTENTS_FILTER_AT 32
static inline uint32_t contents_filter(int64_t contents)
{
	return (uint32_t)(contents >> CONTENTS_FILTER_AT);
}

/*
 * Does the index not have all members of an archive, or of an archive in it? Without kinds, the last
 * run could not read it to its end.
 */
static inline bool row_lacks_members(int64_t contents, bool is_nested)
{
	return (contents & (is_nested ? CONTENTS_LACKS : CONTENTS_LACKS_MEMBERS)) != 0 ||
	       ((contents & CONTENTS_HAS_MEMBERS) != 0 &&
		(contents & (CONTENTS_LACKS_NESTED - 1)) == 0 && contents_filter(contents) == 0);
}

/*
 * Is this the row of a content inside a file: a member of an archive, or the content of a
 * compressed file? Such a content cannot be opened by its path, removed or linked.
 */
static inline bool row_is_inside(int64_t compressed_size_bytes)
{
	return compressed_size_bytes > 0;
}

/* Compute 8 bytes that keep a directory's rows together: XXH3-64 of its path, big-endian. */
void directory_hash(struct bytes directory, uint8_t hash[DIRECTORY_HASH_SIZE]);

/* Combine the directory's hash and the hash of the name. */
void path_hash(const uint8_t directory[DIRECTORY_HASH_SIZE], struct bytes name,
	       uint8_t hash[PATH_HASH_SIZE]);

/* For qsort and bsearch. */
int compare_path_hashes(const void *a, const void *b);

/*
 * The inflated content of the gzip file "a.txt.gz" has its own row next to the row of the file,
 * under the name "a.txt.gz//a.txt", which no file can have. Writes that name of at most 2 * size +
 * 6 bytes, and a zero. Returns its length, or 0 if the name is not the name of a gzip file.
 */
size_t inflated_name(struct bytes name, char *inflated);

/* Does the content of a gzip file with this name have its own row? */
bool is_gzip_name(struct bytes name);

/* Is this the name of inflated content, and not the name of a file or an archive member? */
bool is_inflated_name(struct bytes name);

/* Return the part of a name that shows the type of file: the part after the last "//", or all. */
struct bytes inner_name(struct bytes name);

/*
 * The members of the archive "/a/b.zip" are rows of the directory "/a/b.zip/", a name that no real
 * directory has. Their paths are "/a/b.zip//MEMBER". Their names contain the slashes of the
 * archive's names.
 */
static inline bool is_inside_directory(struct bytes directory)
{
	return directory.size > 1 && directory.data[directory.size - 1] == '/';
}

/*
 * Return the name of an archive member within its archive: the part of the path after the first
 * "//". Empty for a file, and for the content of a compressed file, because a file has only one
 * content.
 */
struct bytes name_in_archive(struct bytes path);

/*
 * Return the size of the part of a name that is the file's own name: the part before "//", or all.
 */
size_t own_name_size(struct bytes name);

/*
 * Return the size of the path of the file that a path leads into: the part before the first "//",
 * or all.
 */
size_t outer_path_size(struct bytes path);

/* Does a path lead into an archive or a compressed file? */
static inline bool is_inside_path(struct bytes path)
{
	return outer_path_size(path) < path.size;
}

/*
 * Is a row in a side? A side is the path of a directory, of an archive, or of a folder or member in
 * an archive, without a slash at its end; empty: all directories. An archive has its members, but
 * not its own row. The row's directory is in the form of the index or of folder_rows.h.
 */
bool row_is_below(struct bytes directory, struct bytes name, struct bytes side);

/*
 * Is this the row of the file at a path, or of its inflated content? The path has no slash at its
 * end.
 */
bool row_is_at(struct bytes directory, struct bytes name, struct bytes path);

/* The same as row_is_below for the path of a file or member. */
bool path_is_below(struct bytes path, struct bytes side);

/* Compute the keys from the row's table and name, as scanning does. */
void row_compute_keys(struct file_row *row, const struct simhash_tag_set *tag_set);

#endif
