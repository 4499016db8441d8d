/*
 * Finds similar files: the work of the program simfind (paper, 4.2).
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
 * Both report each pair that the rule makes (rule.h) once. Files of the same content are searched
 * as one, their representative, which is the first of them in the order of the index. The others
 * are reported as copies of the representative and not again in its other pairs, unless `expand`
 * asks for all pairs.
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
struct known_contents;
struct sandbox_use;
struct store;

/* One side of --between: a host, a directory on it, or both. */
struct find_side {
	const char *host;	/* NULL: this host */
	struct bytes directory; /* absolute, without a slash at its end; empty: all */
};

/* Kinds of pairs: identical files, similar ones, and files that are part of others. */
enum { PAIRS_COPIES = 1, PAIRS_SIMILAR = 2, PAIRS_PARTS = 4 };

/* What to find. */
struct find_request {
	const struct simhash_tag_set *tags;
	const char *host; /* the name of this host */
	struct find_rule rule;
	/* NULL: by the rule. Else by the sketches of this measure, from min_similarity on. */
	struct simhash_measure *measure;
	const char *measure_text; /* as the user gave it */
	double min_similarity;
	bool versions; /* also the pairs that sketches propose; see versions.h */
	int64_t versions_ratio_millionths; /* of their sizes */
	bool with_empty;		   /* include empty files */
	bool expand;			   /* include every pair of copies */
	/* Files of the same content are searched as one only where their extensions are the same; but
	   of any extensions where none can matter, since every file has a sketch. */
	bool keeps_extensions;
	bool hard_links;  /* include pairs of two names of one file */
	bool has_between; /* only pairs with a file on each of these sides */
	struct find_side between[2];
	/* Or, with `has_between`, on these: a list, and the index; see against.h. NULL: no list. */
	struct against *against;
	/*
	 * Only files of the index at or below one of these directories of this host, each as in
	 * struct find_side; NULL: all files. Finding fails where the index has no files below one.
	 */
	const struct bytes *below;
	size_t below_count;
	/* Files of these contents are left out, but not a file that is asked for; or NULL. */
	const struct known_contents *known;
	/*
	 * Files of the index that take part, but not a file that is asked for; NULL: all. Any thread
	 * may ask.
	 */
	bool (*takes)(const void *context, struct bytes directory, struct bytes name,
		      int64_t size_bytes);
	const void *takes_context;
	unsigned kinds;	      /* of pairs, PAIRS_COPIES and others; 0: all */
	unsigned part, parts; /* part 0 .. parts - 1 of the key space */
	/*
	 * For finder_files: this many nearest files of each, whatever their distance; 0: by the
	 * rule.
	 */
	size_t nearest;
	bool inflate; /* search for the content of gzip files too */
	int64_t max_inflated_bytes;
	struct sandbox_use *sandbox; /* in which archives are read; NULL: in this process */
};

/* The default rule, and no limits. The caller releases the rule. */
void find_request_init(struct find_request *request);

/* Where the results go. `context` is handed to each function. */
struct find_sink {
	void *context;
	/*
	 * A pair was found; it is valid during this call. Called by several threads at
	 * once, each with its number below `threads`. -1 with the error filled ends
	 * the search.
	 */
	int (*pair)(void *context, unsigned thread, const struct file_pair *pair,
		    struct simhash_error *error);
	/*
	 * Instead of `pair`, where pairs are only counted: there are `weight` pairs of files
	 * with the contents of x and y, or with the content of x where y is NULL. Called by
	 * several threads at once.
	 */
	void (*tally)(void *context, unsigned thread, const struct find_file *x,
		      const struct find_file *y, uint64_t distance, uint64_t weight);
	/* The search for a file begins, or for a member of one. Before its pairs, by one thread; or NULL. */
	int (*asked)(void *context, const struct find_file *file, struct simhash_error *error);
	/* A file asked for could not be read. */
	void (*unreadable)(void *context, struct bytes path, int system_errno);
	/*
	 * A file of a pair cannot be read as it was indexed, so its pairs stay unconfirmed: with
	 * an errno, or 0 where it has changed. Called once a file, by any thread.
	 */
	void (*unconfirmed)(void *context, const struct find_file *file, int system_errno);
};

/* How far a search is, for a thread that displays it. */
struct find_progress {
	atomic_bool is_reading;	       /* rows, of which nothing is searched before all are there */
	atomic_llong read, to_read;    /* rows */
	atomic_llong rows, rows_total; /* searched; rows_total is 0 where it is not known */
	atomic_llong pairs;
	atomic_llong confirmed, to_confirm; /* pairs */
};

#define FIND_MEMORY_DEFAULT ((int64_t)512 << 20)

/* What to find it with. */
struct find_resources {
	unsigned threads;
	int64_t memory_bytes;		/* that a search of all files may take; 0: the default */
	unsigned block_rows;		/* new rows in a block; 0: the default */
	struct find_progress *progress; /* kept up to date; or NULL */
};

struct find_counts {
	uint64_t rows, identical, similar;
	uint64_t empty;	     /* files of size 0, which are left out unless the request has them */
	uint64_t unsketched; /* files read that have no sketch, by the measure or of resemblance */
};

struct finder {
	struct store *store;
	const struct find_request *request;
	const struct find_sink *sink;
	const struct find_resources *resources;
	int64_t tag_set, local_host; /* 0 where the index knows none */
	int64_t side_host[2];	     /* of --between; 0 where the index knows none */
	struct name_list hosts;
	struct find_counts counts;
};

/* Borrows all its arguments until finder_release. */
int finder_init(struct finder *finder, struct store *store, const struct find_request *request,
		const struct find_sink *sink, const struct find_resources *resources,
		struct simhash_error *error);
void finder_release(struct finder *finder);

int finder_all(struct finder *finder, struct simhash_error *error);

/* Search for the files with these paths; NULL is standard input, which has no extension. */
int finder_files(struct finder *finder, const char *const *paths, size_t count,
		 struct simhash_error *error);

/* A content of which only this is known. */
struct find_content {
	struct simhash_sum_table table; /* no count above the size */
	int64_t size_bytes;
	const char *name; /* for its extension; displayed */
};

/* The files similar to it; it is a pair's file with `is_stream`, and identical to none. */
int finder_content(struct finder *finder, const struct find_content *content,
		   struct simhash_error *error);

#endif
