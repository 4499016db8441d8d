/*
 * Defines the state of a scanning thread, which is created once and used for all of its files.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_FILE_SCANNER_H
#define SIMHASH_SCAN_FILE_SCANNER_H

#include <stdatomic.h>

#include "core/piece_collector.h"
#include "scan/file/outcome.h"
#include "scan/file/sketching.h"
#include "store/row/file_row.h"

struct store;
struct sandbox;

/* The state of a scanning thread; each thread has one. */
struct file_scanner {
	const struct simhash_tag_set *tag_set;
	bool follow;		 /* open through a symbolic link */
	const atomic_bool *stop; /* if set, a scan ends early */
	const struct store *own; /* an index whose own files are not scanned; or NULL */
	void *buffer;		 /* FILE_SCANNER_ROOM bytes, aligned; content_add may change it */
	/* The limit for one compressed file, or for all members of one container. */
	int64_t max_inflated_bytes;
	atomic_llong *inflated_left; /* bytes that the run may still inflate; NULL: no limit */
	struct sandbox *sandbox;     /* owned; reads containers; NULL: this process reads them */
	void (*free_sandbox)(struct sandbox *sandbox); /* see sandbox_isolate */
	unsigned containers;	   /* the kinds to look for: see container_kind.h */
	unsigned max_depth;	   /* the limit for containers in containers */
	bool has_kind;		   /* is the kind of the last file known? */
	unsigned kind;		   /* the kind of the last file, if requested; 0: not a container */
	bool was_cached;	   /* was the last file in the page cache before its scan? */
	bool is_others;		   /* see is_others_file; false if unknown */
	bool has_filter;	   /* will a filter read the file after its scan? */
	bool has_rest;		   /* did other bytes follow the last gzip file? */
	atomic_llong *bytes_read;  /* a running total of the bytes read; or NULL */
	struct XXH3_state_s *hash; /* the state of the hash of the content */
	struct sketching sketching; /* empty unless measures are requested */
	bool no_resemblance;	    /* make no resemblance sketches */
	struct simhash_resemblance_scanner *resemblance;
	bool has_pieces; /* collect the pieces of contents, see file_scanner_collect */
	struct piece_levels piece_levels;
	struct piece_collector *pieces;
};

int file_scanner_init(struct file_scanner *scanner, const struct simhash_tag_set *tag_set,
		      bool follow, const atomic_bool *stop, struct simhash_error *error);
/* Also make sketches by these measures, which are borrowed, and hashes; see sketching_init. */
int file_scanner_measure(struct file_scanner *scanner, struct simhash_measure *const *measures,
			 unsigned count, unsigned hashes, struct simhash_error *error);
/* From the next file on, also collect the pieces of contents that get a resemblance sketch. */
void file_scanner_collect(struct file_scanner *scanner, struct piece_levels levels);
void file_scanner_release(struct file_scanner *scanner);

#endif
