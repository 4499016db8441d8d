/*
 * Defines the request, the resources and the summary of a run of simhash.
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

/* The files to index, and the index. */
struct index_request {
	struct store_location location;
	const struct simhash_tag_set *tag_set;
	const char *host;
	char *const *paths;
	unsigned path_count;
	/* Also index the files in a list, each name terminated by a zero byte; NULL: no list. */
	const char *list_name;
	int list_fd;
	const struct exclusions *exclusions;
	bool follow;	/* follow symbolic links */
	bool force;	/* scan unchanged files again */
	bool no_sketch; /* make no resemblance sketches, and no pieces */
	bool no_pieces;
	struct piece_levels piece_levels;
	bool one_file_system;
	bool inflate; /* also index the content of gzip files */
	/* Also index the contents of these kinds, see scan/file/container_kind.h. */
	unsigned containers;
	unsigned max_depth; /* the maximum depth of containers in containers */
	/* The maximum inflated size of one compressed file or archive. */
	int64_t max_inflated_bytes;
	/* The maximum inflated size of all compressed files and archives together. */
	int64_t max_inflated_total_bytes;
	struct sandbox_use *sandbox;	       /* reads containers; NULL: this process reads them */
	const struct filter_commands *filters; /* commands to run on files; or NULL */
	struct filter_limits filter_limits;
	/* Also make sketches by these measures, at most MEASURES_MAX. */
	struct simhash_measure *const *measures;
	unsigned measure_count;
	/*
	 * The number of threads that read one disk, in the order of this disk. 0: any number, in any
	 * order; -1: depends on the disk.
	 */
	int disk_threads;
	unsigned hashes; /* also store these hashes: one bit for each enum file_hash */
};

/* The resources of a run, and the functions that receive its reports. */
struct index_resources {
	unsigned threads;		 /* the number of scanning threads */
	struct index_progress *progress; /* the run updates it; or NULL */
	/* The caller can set it to stop the run early. The run also sets it if it fails. */
	atomic_bool *stop;
	failure_fn *failed;	      /* called with every path that could not be read */
	failure_text_fn *failed_text; /* called instead of `failed` if the reason is not an errno */
	/* Called with each missing PATH, made absolute, that has rows at or below it; or NULL. */
	void (*gone)(void *context, const char *path);
	void *context;
};

struct index_summary {
	uint64_t scanned, unchanged, removed, failed;
	/* Files that were moved to other paths with their rows; neither scanned nor removed. */
	uint64_t moved;
	uint64_t linked; /* moved files with hard links; the paths may be further names only */
	/* Unchanged files that were scanned because they lacked a resemblance sketch. */
	uint64_t sketched_again;
	uint64_t bytes;		     /* the number of scanned bytes */
	uint64_t listed_directories; /* directories in the list; they are skipped */
	/* Links, pipes and other names in the list that are not regular files. */
	uint64_t listed_others;
	uint64_t kernel_file_systems; /* the number of skipped file systems of the kernel */
	/* Archive parts that were left out by design: reported, but not failures. */
	uint64_t left_out;
	uint64_t accepted; /* damaged files whose present content `force` has accepted */
	double seconds;
	bool is_interrupted; /* the caller set `stop` */
	/* The run was interrupted, and the last scanned files could not be written to the index. */
	bool is_unwritten;
};

#endif
