/*
 * Finding similar files: what the program simfind does (paper, 4.2).
 *
 *     finder_init(&finder, store, &request, &sink, &resources, &error);
 *     finder_all(&finder, &error);                 // every pair of the index
 *     finder_files(&finder, &queries, n, &error);  // the files similar to each of them
 *     finder_release(&finder);
 *
 * Both report the pairs that the rule makes (rule.h), each once. Files of the
 * same content are compared with others once, by the first of them in the order of
 * the index, their representative: unless all pairs are asked for by `expand`, the
 * others are reported as its copies and not again in its other pairs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FIND_H
#define SIMHASH_FIND_FIND_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "find/file.h"
#include "find/rule.h"
#include "simhash_measures.h"
#include "store/store.h"

/* One side of --between: a host, a directory on it, or both. */
struct find_side {
	const char *host;	/* NULL: this host */
	struct bytes directory; /* absolute, without a slash at its end; empty: all */
};

/* What is asked for. */
struct find_request {
	const struct simhash_tag_set *tags;
	const char *host; /* the name of this host */
	struct find_rule rule;
	/* Instead of the rule: sketches by this measure that are at least so similar; or NULL. */
	struct simhash_measure *measure;
	const char *measure_text; /* as the user gave it */
	double min_similarity;
	double max_change; /* drop pairs whose estimated share of change is above */
	bool with_empty;   /* empty files take part */
	bool expand;	   /* every pair of copies too */
	bool hard_links;   /* pairs of two names of one file too */
	bool has_between;  /* only pairs from one of these sides to the other */
	struct find_side between[2];
	unsigned part, parts; /* part 0 .. parts - 1 of the key space */
	/* Of files asked for: the so many nearest of each, whatever their distance; 0: by the rule. */
	size_t nearest;
	bool inflate; /* the content of gzip files too */
	int64_t max_inflated_bytes;
};

/* The default rule, and no limits: as simfind does without options. The rule is to be released. */
void find_request_init(struct find_request *request);

/* Where it goes. All functions are given `context`. */
struct find_sink {
	void *context;
	/*
	 * A pair was found; it lives for this call. Called from several threads at
	 * once, each with its number below `threads`. -1 with the error filled ends
	 * the search.
	 */
	int (*pair)(void *context, unsigned thread, const struct file_pair *pair,
		    struct simhash_error *error);
	/*
	 * Instead of `pair`, where pairs are only counted: `weight` pairs of files with
	 * the contents of these two, or of x alone where y is NULL. Several threads.
	 */
	void (*tally)(void *context, unsigned thread, const struct find_file *x,
		      const struct find_file *y, uint64_t distance, uint64_t weight);
	/* A file asked for could not be read. */
	void (*unreadable)(void *context, struct bytes path, int system_errno);
	/*
	 * A file of a pair cannot be read as it was indexed, so its pairs stay unconfirmed: with
	 * an errno, or 0 where it has changed. Called once a file, by any thread.
	 */
	void (*unconfirmed)(void *context, const struct find_file *file, int system_errno);
};

/* How far a search is, for whoever shows it meanwhile. */
struct find_progress {
	atomic_llong rows, rows_total; /* rows_total is 0 where it is not known */
	atomic_llong pairs;
	atomic_llong confirmed, to_confirm; /* pairs */
};

/* By what means. */
struct find_resources {
	unsigned threads;
	unsigned block_rows;		/* minimum of new rows in a block; 0: the default */
	struct find_progress *progress; /* kept up to date; or NULL */
};

struct find_counts {
	uint64_t rows, identical, similar;
	uint64_t unsketched; /* files that have no sketch by the measure */
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

/* All are borrowed until finder_release. */
int finder_init(struct finder *finder, struct store *store, const struct find_request *request,
		const struct find_sink *sink, const struct find_resources *resources,
		struct simhash_error *error);
void finder_release(struct finder *finder);

int finder_all(struct finder *finder, struct simhash_error *error);

struct find_query {
	const char *path; /* NULL: standard input */
	const char *name; /* with it: what it is called, for its extension */
};

int finder_files(struct finder *finder, const struct find_query *queries, size_t count,
		 struct simhash_error *error);

#endif
