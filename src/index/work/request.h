/*
 * The request, the resources and the summary of a run of simhash.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_REQUEST_H
#define SIMHASH_INDEX_REQUEST_H

#include <stdatomic.h>
#include <stdbool.h>

#include "index/walk/exclusions.h"
#include "index/walk/failures.h"
#include "index/walk/progress.h"
#include "scan/command/filter_run.h"
#include "simhash.h"
#include "simhash_measures.h"
#include "store/engine/location.h"

struct sandbox_use;

/* What to index, and where to. */
struct index_request {
	struct store_location location;
	const struct simhash_tag_set *tag_set;
	const char *host;
	char *const *paths;
	unsigned path_count;
	/* Also the files in a list, each name ended by a zero byte; NULL for none. */
	const char *list_name;
	int list_fd;
	const struct exclusions *exclusions;
	bool follow;	/* symbolic links */
	bool force;	/* scan unchanged files again */
	bool no_sketch; /* make no resemblance sketches */
	bool one_file_system;
	bool inflate;		    /* the content of gzip files too, and of containers: */
	unsigned containers;	    /* kinds, see scan/file/container_kind.h; only with the above */
	unsigned max_depth;	    /* of containers in containers */
	int64_t max_inflated_bytes; /* of one compressed file or archive */
	int64_t max_inflated_total_bytes; /* of all of them */
	struct sandbox_use *sandbox;	  /* in which containers are read; NULL: in this process */
	const struct filter_commands *filters; /* whose commands are run on files; or NULL */
	struct filter_limits filter_limits;
	/* Sketches by these, at most MEASURES_MAX, are made too. */
	struct simhash_measure *const *measures;
	unsigned measure_count;
	unsigned hashes; /* and these hashes: a bit for each enum file_hash */
};

/* What a run may use, and whom it tells. */
struct index_resources {
	unsigned threads;		 /* that scan */
	struct index_progress *progress; /* kept up to date; or NULL */
	/* Set from outside to end early; set here too when the run fails. */
	atomic_bool *stop;
	failure_fn *failed;	      /* called with every path that could not be read */
	failure_text_fn *failed_text; /* and with every other one, for a reason that is no errno */
	/* Called with each PATH that is gone but has rows at or below it, made absolute; or NULL. */
	void (*gone)(void *context, const char *path);
	void *context;
};

struct index_summary {
	uint64_t scanned, unchanged, removed, failed;
	uint64_t moved;		 /* to other paths, with their rows; neither scanned nor removed */
	uint64_t sketched_again; /* scanned though unchanged, for their resemblance sketches */
	uint64_t bytes;		 /* scanned */
	uint64_t listed_directories;  /* in the list, where they do not count */
	uint64_t listed_others;	      /* in the list: links, pipes and others that are no files */
	uint64_t kernel_file_systems; /* that were left out */
	uint64_t left_out;	      /* by design, in archives: reported, and no failures */
	double seconds;
	bool is_interrupted; /* the outside set `stop` */
	bool is_unwritten;   /* and the index could not take the last files that were scanned */
};

#endif
