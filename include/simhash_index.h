/*
 * Declares libsimhash-index, which reads the index of the program simhash and finds similar files
 * in it with the same code as simfind.
 *
 *     static int print_pair(void *context, const struct simhash_index_pair *pair,
 *                           struct simhash_error *error)
 *     {
 *             (void)context;
 *             (void)error;
 *             printf("%s %s\n", pair->a->path, pair->b->path);
 *             return 0;
 *     }
 *
 *     const struct simhash_index_file *file;
 *     struct simhash_index_files *files;
 *     struct simhash_index *index;
 *     struct simhash_error error;
 *     int status;
 *
 *     if (simhash_index_open(NULL, NULL, &index, &error) != 0 ||
 *         simhash_index_files_begin(index, &files, &error) != 0)
 *             errx(1, "%s", error.message);
 *     while ((status = simhash_index_files_next(files, &file, &error)) == 1)
 *             printf("%s %lld\n", file->path, (long long)file->size_bytes);
 *     simhash_index_files_end(files);
 *     if (status != 0 || simhash_index_pairs(index, NULL, print_pair, NULL, &error) != 0)
 *             errx(1, "%s", error.message);
 *     simhash_index_close(index);
 *
 * The library opens an index to read and never writes to it. It does not depend on libsimhash: a
 * program can link either or both, and only plain structs of simhash.h and simhash_resemblance.h
 * pass from one to the other. The conventions of simhash.h apply, with these additions.
 *
 * Threads. An index and its iterators belong to one thread at a time. Open it again for another
 * thread. A search starts its own threads and ends them before it returns.
 * After fork, a child must not use, close or open again an index that was open: SQLite's locks stay
 * with the parent.
 *
 * Structs that the library returns belong to it. They live until the next call of the same
 * iterator, or during one call of a callback. A later version may append fields.
 *
 * An SQLite file may be mapped to memory. If its disk fails, the process then gets SIGBUS.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_H
#define SIMHASH_INDEX_H

#include <simhash_resemblance.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The errors of the functions below, in addition to the errors of simhash.h. */
enum simhash_index_error_code {
	SIMHASH_E_DATABASE = 16,  /* the database rejected a statement, or has damaged rows */
	SIMHASH_E_SCHEMA = 17,	  /* the database is not an index, or has another version */
	SIMHASH_E_CONNECTION = 18 /* a server cannot be reached, or the connection is lost */
};

/* ---- The index -------------------------------------------------------- */

/* An open index. */
struct simhash_index;

/* How to open an index. Texts are copied. The defaults have all fields 0. */
struct simhash_index_options {
	/* The name of the tag set whose files are read. The default is "sample". */
	const char *tag_set;
	/* The host for simhash_index_pairs_of_file. The default is this machine's name. */
	const char *host;
	uint64_t reserved[6];
};

/*
 * Open an index to read. `url` is "sqlite:FILE" or "mysql://USER@HOST/DATABASE". NULL opens the
 * same index as simfind: $SIMHASH_DATABASE, or else the SQLite file of this user. If the URL ends
 * with "?defaults-file=FILE", FILE is the only option file that is read for a server. `options` may
 * be NULL. On success the caller owns *index and closes it. Errors: SIMHASH_E_SYNTAX for the URL,
 * SIMHASH_E_RANGE for a tag set that the index does not have, SIMHASH_E_SCHEMA,
 * SIMHASH_E_CONNECTION, SIMHASH_E_DATABASE, SIMHASH_E_SYSTEM, SIMHASH_E_MEMORY.
 */
SIMHASH_CHECKED int simhash_index_open(const char *url, const struct simhash_index_options *options,
				       struct simhash_index **index, struct simhash_error *error);

/* Close an index. End its iterators first. NULL is allowed. */
SIMHASH_API void simhash_index_close(struct simhash_index *index);

/* Return the 16 tags with which the files were counted. They live as long as the index. */
SIMHASH_API const struct simhash_tag *simhash_index_tags(const struct simhash_index *index);

/* ---- Files ------------------------------------------------------------ */

#define SIMHASH_INDEX_HASH_SIZE 16 /* bytes: XXH3-128 */

/* A file in the index. */
struct simhash_index_file {
	const char *host; /* the host's name */
	/*
	 * The absolute path, any bytes except zero, and its length. The content of a gzip file that
	 * was indexed with --decompress is a separate file, "DIR/A.gz//A".
	 */
	const char *path;
	size_t path_size;
	int64_t size_bytes;
	/* For the content of a gzip file: the size of the gzip file; otherwise 0. */
	int64_t compressed_size_bytes;
	int64_t mtime_ns; /* in nanoseconds since 1970 */
	struct simhash_sum_table table;
	struct simhash_keys keys;
	uint8_t content_hash[SIMHASH_INDEX_HASH_SIZE];
	bool has_sketch; /* false for a file that was indexed without a sketch */
	struct simhash_resemblance_sketch sketch;
};

/* An iterator over the files. */
struct simhash_index_files;

/*
 * Begin with the first file of the index; the hosts follow one after the other. Files that are
 * indexed or removed during the iteration may or may not appear. Other functions of the index may
 * be called during the iteration. On success the caller owns *files and ends it. Errors:
 * SIMHASH_E_MEMORY, SIMHASH_E_DATABASE, SIMHASH_E_CONNECTION.
 */
SIMHASH_CHECKED int simhash_index_files_begin(struct simhash_index *index,
					      struct simhash_index_files **files,
					      struct simhash_error *error);

/* Get the next file. Returns 1, 0 after the last file, or -1 with one of the errors above. */
SIMHASH_CHECKED int simhash_index_files_next(struct simhash_index_files *files,
					     const struct simhash_index_file **file,
					     struct simhash_error *error);

/* End the iteration. NULL is allowed. */
SIMHASH_API void simhash_index_files_end(struct simhash_index_files *files);

/* ---- Pairs ------------------------------------------------------------ */

#define SIMHASH_INDEX_GRADED (-1.0)

/* The conditions that make two files a pair. Begin with simhash_index_search_init. */
struct simhash_index_search {
	/*
	 * With an _EXT key only files with equal extensions are similar. With any other key all
	 * pairs are found.
	 */
	enum simhash_key key;
	/*
	 * The default is 5 %. For a file without a sketch, at most 1 %, and extensions must be
	 * equal.
	 */
	struct simhash_tolerance tolerance;
	/*
	 * The minimum resemblance of a pair, 0 to 1. With SIMHASH_INDEX_GRADED, the default, the
	 * minimum depends on the distance, as in simfind.
	 */
	double min_resemblance;
	/*
	 * Report all files whose counts are close (paper, 4.2), and ignore the sketches. To get the
	 * pairs of the paper, also set SIMHASH_TOLERANCE_DEFAULT and SIMHASH_SKEW_EXT.
	 */
	bool unverified;
	/*
	 * Report each pair of identical files, and report each of these files in pairs with other
	 * files. By default one file represents all files that are identical to it.
	 */
	bool every_copy;
	bool empty_files; /* also report pairs of empty files */
	bool hard_links;  /* also report pairs of two names of one file */
	unsigned threads; /* 0: one for each processor */
	uint64_t reserved[8];
};

/* Set the defaults of simfind. */
SIMHASH_API void simhash_index_search_init(struct simhash_index_search *search);

/* The evidence for a pair. */
enum simhash_index_verified {
	/* The counts only, because a file has no sketch or the search ignores sketches. */
	SIMHASH_INDEX_UNVERIFIED = 0,
	SIMHASH_INDEX_BY_HASH = 1,   /* the content hashes are equal */
	SIMHASH_INDEX_BY_SKETCH = 2, /* the sketches estimate the resemblance */
	/* The counts; the sketches are equal, but too few of their registers are used. */
	SIMHASH_INDEX_BY_COUNTS = 3,
	/* The texts are the same, except for white space. */
	SIMHASH_INDEX_BY_TEXT = 4
};

/* Two similar files. */
struct simhash_index_pair {
	/*
	 * In a search for the files similar to one file, `a` is that file. Otherwise `a` is the
	 * first of the two by host and path; this machine's host is first.
	 */
	const struct simhash_index_file *a, *b;
	uint64_t distance;  /* the distance of the sum tables */
	double resemblance; /* the share of common content, 0 to 1; -1 if it is unknown */
	enum simhash_index_verified verified;
	bool is_identical; /* both files have the same size and content hash */
};

/*
 * Receives a pair. Calls never overlap, but come from several threads. Return 0 to continue. Any
 * other value ends the search, which then returns -1; fill `error`, which is never NULL. The
 * function must not use the index of the search.
 */
typedef int simhash_index_pair_fn(void *context, const struct simhash_index_pair *pair,
				  struct simhash_error *error);

/*
 * Find all pairs of similar files (paper, 4.2), each once, in any order. NULL for `search` means
 * the defaults. Errors: SIMHASH_E_RANGE for an impossible search, SIMHASH_E_MEMORY,
 * SIMHASH_E_SYSTEM, SIMHASH_E_DATABASE, SIMHASH_E_CONNECTION, and any error that `pair` reports.
 */
SIMHASH_CHECKED int simhash_index_pairs(struct simhash_index *index,
					const struct simhash_index_search *search,
					simhash_index_pair_fn *pair, void *context,
					struct simhash_error *error);

/*
 * Find the files that are similar to a file on this machine. The file is read in its current state
 * and need not be in the index. Its own row is not reported. Errors: the errors of
 * simhash_index_pairs; SIMHASH_E_SYSTEM for a file that cannot be read.
 */
SIMHASH_CHECKED int simhash_index_pairs_of_file(struct simhash_index *index,
						const struct simhash_index_search *search,
						const char *path, simhash_index_pair_fn *pair,
						void *context, struct simhash_error *error);

/*
 * Find the files that are similar to a content whose sum table and size are known. The table must
 * be counted with the tags of the index. `name` gives the extension; it is the path of the pair's
 * `a`, whose host is "". No pair is identical, because there is no content hash. There is also no
 * sketch, so the two files of a pair have equal extensions, and their distance is at most 1 %.
 * Errors: the errors of simhash_index_pairs; SIMHASH_E_RANGE for a negative size, and for counts
 * above the size.
 */
SIMHASH_CHECKED int simhash_index_pairs_of_table(struct simhash_index *index,
						 const struct simhash_index_search *search,
						 const struct simhash_sum_table *table,
						 int64_t size_bytes, const char *name,
						 simhash_index_pair_fn *pair, void *context,
						 struct simhash_error *error);

/* ---- Groups ----------------------------------------------------------- */

/* The rule that makes files a group. */
enum simhash_index_linkage {
	SIMHASH_INDEX_BY_REPRESENTATIVE =
		0, /* each file is similar to the representative, as in simfind */
	SIMHASH_INDEX_SINGLE_LINKAGE = 1 /* all files that are connected by pairs */
};

/* The role of a file in its group. */
enum simhash_index_role {
	SIMHASH_INDEX_REPRESENTATIVE = 0,
	SIMHASH_INDEX_MEMBER = 1,
	SIMHASH_INDEX_COPY = 2 /* it is identical to the last representative or member before it */
};

struct simhash_index_member {
	const struct simhash_index_file *file;
	enum simhash_index_role role;
	/* The relation with the representative, as in struct simhash_index_pair. */
	uint64_t distance;
	double resemblance;
	enum simhash_index_verified verified;
};

/* Two or more similar files. */
struct simhash_index_group {
	uint64_t id;	      /* it depends only on the contents of the files */
	int64_t size_bytes;   /* the sum over all its files */
	int64_t copied_bytes; /* the sum over its copies */
	size_t count;
	const struct simhash_index_member *const *members; /* the representative first */
};

/* An iterator over groups. */
struct simhash_index_groups;

/*
 * Find the groups of all files, groups with the most bytes in copies first. All groups are found
 * before this returns. Groups that do not fit into 128 MiB wait in a temporary file in $TMPDIR or
 * /tmp. `search` is the same as for simhash_index_pairs, but every_copy has no effect, because a
 * group has all copies. Other functions of the index may be called while the groups are read. On
 * success the caller owns *groups and ends it before the index is closed. Errors: the errors of
 * simhash_index_pairs.
 */
SIMHASH_CHECKED int simhash_index_groups_begin(struct simhash_index *index,
					       const struct simhash_index_search *search,
					       enum simhash_index_linkage linkage,
					       struct simhash_index_groups **groups,
					       struct simhash_error *error);

/*
 * Get the next group. Returns 1, 0 after the last group, or -1 with SIMHASH_E_MEMORY, or with
 * SIMHASH_E_SYSTEM if the temporary file cannot be read.
 */
SIMHASH_CHECKED int simhash_index_groups_next(struct simhash_index_groups *groups,
					      const struct simhash_index_group **group,
					      struct simhash_error *error);

/* End the iteration. NULL is allowed. */
SIMHASH_API void simhash_index_groups_end(struct simhash_index_groups *groups);

#ifdef __cplusplus
}
#endif
#endif
