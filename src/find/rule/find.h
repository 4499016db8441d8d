/*
 * Finds similar files for the program simfind (paper, 4.2).
 *
 *     struct find_request request;
 *     struct find_sink sink = {.pair = take_pair, .unreadable = report_unreadable};
 *     struct find_resources resources = {.threads = 4};
 *     struct finder finder;
 *     int status;
 *
 *     find_request_init(&request);
 *     request.tags = tags;
 *     request.host = host;
 *     status = finder_init(&finder, store, &request, &sink, &resources, &error);
 *     if (status == 0) {
 *             status = finder_all(&finder, &error); // or finder_files, for the pairs of some files
 *             finder_release(&finder);
 *     }
 *     rule_release(&request.rule);
 *
 * Both functions report each pair of the rule (rule.h) once. A search includes only one of several
 * files with the same content: their representative, which is the first in the order of the index.
 * It reports the others as copies of the representative, and repeats them in other pairs only if
 * `expand` is set.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FIND_H
#define SIMHASH_FIND_FIND_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "find/rule/file.h"
#include "find/rule/rule.h"
#include "simhash_measures.h"
#include "store/names/name_list.h"

struct against;
struct archives;
struct known_contents;
struct sandbox_use;
struct store;
struct texts;

/*
 * One side of a comparison: a host, or a directory, an archive, or a folder or member in an archive.
 * row_is_below (file_row.h) decides which rows are in it.
 */
struct find_side {
	const char *host;	/* NULL: this host */
	struct bytes directory; /* absolute, without a slash at its end; empty: all directories */
};

enum { CONTENT_MAY_BE_PART = 1, CONTENT_MAY_BE_WHOLE = 2 };

/* Kinds of pairs: identical files, similar ones, and files that are part of others. */
enum { PAIRS_COPIES = 1, PAIRS_SIMILAR = 2, PAIRS_PARTS = 4 };

/* The request of a search. */
struct find_request {
	const struct simhash_tag_set *tags;
	const char *host; /* the name of this host */
	struct find_rule rule;
	/*
	 * NULL: use the rule. Otherwise find pairs with a similarity of at least min_similarity by
	 * the sketches of this measure.
	 */
	struct simhash_measure *measure;
	const char *measure_text; /* the measure as the user wrote it */
	double min_similarity;
	bool with_empty; /* include empty files */
	/* Leave out pairs, or groups, of members of archives that are a pair themselves. */
	enum { FOLD_NOTHING, FOLD_PAIRS, FOLD_GROUPS } folded;
	bool as_files; /* compare documents by their bytes, even if they have texts */
	bool expand;   /* include every pair of copies */
	/*
	 * Search files with the same content as one only if their extensions are also the same.
	 * This is false if all files have sketches, because then extensions do not matter.
	 */
	bool keeps_extensions;
	bool with_dates;  /* the dates of PDFs are needed */
	bool hard_links;  /* include pairs of two names of one file */
	bool has_between; /* only find pairs with one file on each of these sides */
	struct find_side between[2];
	/*
	 * With `has_between`, the sides of each row, instead of `between`: a sum of SIDE_A and
	 * SIDE_B. NULL: `between` counts. Any thread may call it.
	 */
	uint8_t (*sides)(const void *context, const struct file_row *row);
	/*
	 * With `sides`: may this content be part of another one, by its pieces, or contain one? A
	 * sum of CONTENT_MAY_BE_PART and CONTENT_MAY_BE_WHOLE. With 0, its pieces do not count as
	 * common either. The context is the same.
	 */
	unsigned (*piece_roles)(const void *context, const uint8_t *content_hash,
				int64_t size_bytes);
	const void *sides_context;
	/*
	 * With `has_between`, the sides are this list and the index instead; see against.h. NULL:
	 * no list.
	 */
	struct against *against;
	/*
	 * Only include files of the index in one of these sides of this host; see struct
	 * find_side. NULL: all files. The search fails if the index has no files in one of them.
	 */
	const struct bytes *below;
	size_t below_count;
	/*
	 * Leave out files with these contents, but never a requested file. NULL: leave out nothing.
	 */
	const struct known_contents *known;
	/*
	 * Decides whether a file of the index takes part; requested files always do. NULL: all take
	 * part. Any thread may call it.
	 */
	bool (*takes)(const void *context, struct bytes directory, struct bytes name,
		      int64_t size_bytes);
	const void *takes_context;
	unsigned kinds;	      /* the kinds of pairs to find, such as PAIRS_COPIES; 0: all */
	unsigned part, parts; /* search part 0 .. parts - 1 of the key space */
	/*
	 * For finder_files: find this many nearest files for each file, at any distance; 0: use the
	 * rule.
	 */
	size_t nearest;
	bool rereads_stdin; /* standard input is a file that is requested from its beginning */
	bool inflate;	    /* also search for the content of gzip files */
	int64_t max_inflated_bytes;
	struct sandbox_use *sandbox; /* reads archives; NULL: this process reads them */
};

/* Set the default rule and no limits. The caller releases the rule. */
void find_request_init(struct find_request *request);

/* Receives the results. Each function gets `context`. */
struct find_sink {
	void *context;
	/*
	 * Receives a pair, which is valid during the call. Several threads call it at once, each
	 * with its own number below `threads`. If it returns -1 with the error set, the search
	 * ends.
	 */
	int (*pair)(void *context, unsigned thread, const struct file_pair *pair,
		    struct simhash_error *error);
	/*
	 * Called instead of `pair` if pairs are only counted. There are `weight` pairs of files
	 * with the contents of x and y, or with the content of x if y is NULL. Several threads call
	 * it at once.
	 */
	void (*tally)(void *context, unsigned thread, const struct find_file *x,
		      const struct find_file *y, uint64_t distance, uint64_t weight);
	/*
	 * The search for a requested file begins or, if it is not `named`, for the content or a
	 * member of the requested file before it. Before its pairs, by one thread; or NULL.
	 */
	int (*asked)(void *context, const struct find_file *file, bool is_named,
		     struct simhash_error *error);
	/* Receives a requested file that could not be read. */
	void (*unreadable)(void *context, struct bytes path, int system_errno);
	/*
	 * Receives a file of a pair that cannot be read as it was indexed, so that its pairs stay
	 * unconfirmed. The errno is 0 if the file has changed. Any thread calls it, once for each
	 * file.
	 */
	void (*unconfirmed)(void *context, const struct find_file *file, int system_errno);
	/* The same for a file that should be searched for short requested files; or NULL. */
	void (*unsearched)(void *context, const struct find_file *file, int system_errno);
};

/* The progress of a search, for a thread that displays it. */
struct find_progress {
	/* Rows are being read; the search starts after the last one. */
	atomic_bool is_reading;
	atomic_llong read, to_read;    /* rows */
	atomic_llong rows, rows_total; /* searched; rows_total is 0 if unknown */
	atomic_llong pairs;
	atomic_llong confirmed, to_confirm; /* pairs */
};

#define FIND_MEMORY_DEFAULT ((int64_t)512 << 20)

/* The threads and the memory for a search. */
struct find_resources {
	unsigned threads;
	int64_t memory_bytes;		/* the limit for a search of all files; 0: the default */
	unsigned block_rows;		/* new rows in a block; 0: the default */
	struct find_progress *progress; /* updated during the search; or NULL */
};

struct find_counts {
	uint64_t rows, identical, similar;
	/* Files of size 0, which are left out unless the request includes them. */
	uint64_t empty;
	uint64_t folded;     /* pairs or groups of members that were left out */
	uint64_t brief;	     /* requested files that larger files may contain unnoticed */
	uint64_t elsewhere;  /* files of other hosts that could not be searched for these */
	uint64_t unsketched; /* files read without a sketch of the measure, or of resemblance */
};

struct finder {
	struct store *store;
	const struct find_request *request;
	const struct find_sink *sink;
	const struct find_resources *resources;
	int64_t tag_set, local_host; /* 0 if the index does not have it */
	int64_t side_host[2];	     /* the hosts of --between; 0 if the index does not have one */
	struct name_list hosts;
	struct texts *texts;	   /* of a search of all files; or NULL */
	struct archives *archives; /* the same, if pairs of members are left out */
	void (*free_archives)(struct archives *archives);
	struct find_counts counts;
	double bits_for_tag[SIMHASH_TAGS]; /* of random bytes, for one match of each tag */
};

/* All arguments must stay valid until finder_release. */
int finder_init(struct finder *finder, struct store *store, const struct find_request *request,
		const struct find_sink *sink, const struct find_resources *resources,
		struct simhash_error *error);
void finder_release(struct finder *finder);

int finder_all(struct finder *finder, struct simhash_error *error);

/* Search for the files with these paths. NULL is standard input, which has no extension. */
int finder_files(struct finder *finder, const char *const *paths, size_t count,
		 struct simhash_error *error);

/* A content whose counts, size and name are known, and nothing else. */
struct find_content {
	struct simhash_sum_table table; /* no count exceeds the size */
	int64_t size_bytes;
	const char *name; /* the displayed name, whose extension is used */
};

/*
 * Find the files similar to this content. In the pairs it has `is_stream` set, and it is identical
 * to no file.
 */
int finder_content(struct finder *finder, const struct find_content *content,
		   struct simhash_error *error);

#endif
