/*
 * Shows the changes of a plan folder by folder. A folder whose files all move to one place, or are
 * all deleted, or all stay, is one line. No line is for a folder that contains a source.
 *
 *     changes_begin(&changes, &request, files, count, &error);
 *     changes_stay(&changes, &files[3]);                  // for each file of the plan
 *     changes_done(&changes, &act);                       // for each act
 *     changes_write(&changes, &view, &error);
 *     changes_release(&changes);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_CHANGES_H
#define SIMHASH_CLI_CHANGES_H

#include <stdio.h>

#include "keep/keep.h"
#include "keep/tree.h"

/* CHANGE_COPY: a copy that stays. */
enum change_kind {
	CHANGE_NONE,
	CHANGE_STAY,
	CHANGE_COPY,
	CHANGE_MOVE,
	CHANGE_DELETE,
	CHANGE_KINDS
};

struct change {
	enum change_kind kind;
	const struct keep_file *file, *kept; /* kept: for a deletion */
	const char *to; /* the new path; for a deletion, the path of its copy */
};

struct change_line {
	enum change_kind kind;
	struct bytes path, to; /* `to` without bytes: no place is shown */
	bool is_folder;
	uint64_t files, of_files, bytes; /* of_files: the number of files in the folder */
};

/* All zero at the beginning. */
struct changes {
	const struct tree_request *request;
	const struct keep_file *files;
	struct change *items;
	size_t count;
	struct change_line *lines;
	size_t line_count, line_capacity;
	uint64_t number[CHANGE_KINDS], bytes[CHANGE_KINDS]; /* set by changes_write */
};

/* How the lines are written. */
struct change_view {
	FILE *out;
	unsigned columns; /* the width of a terminal; 0: a file, which gets all lines */
	bool has_colours;
};

/* The request and the files must not move until changes_release. */
int changes_begin(struct changes *changes, const struct tree_request *request,
		  const struct keep_file *files, size_t count, struct simhash_error *error);
void changes_release(struct changes *changes);

/* The file is in the list, but no act changes it. */
void changes_stay(struct changes *changes, const struct keep_file *file);
void changes_copy_stays(struct changes *changes, const struct keep_file *file);

/* This act is done or would be done. */
void changes_done(struct changes *changes, const struct planned_act *act);

/* Is the file changed by an act that was done or would be done? */
bool changes_will(const struct changes *changes, const struct keep_file *file);

/* Is this path one of the files? Call it after changes_sort. */
bool changes_has(const struct changes *changes, const char *path);

/* Sort the files in the list by their paths. No change may follow. */
void changes_sort(struct changes *changes);

/* Add up the lines, and write them unless `view` is NULL. Call it after changes_sort. */
int changes_write(struct changes *changes, const struct change_view *view,
		  struct simhash_error *error);

/*
 * Write "moved 3 files (12 kB), deleted 2 files and freed 1.2 MB; 4 files stay" after
 * changes_write; without `does`, what would be done.
 */
void changes_write_totals(FILE *out, const struct changes *changes, bool does,
			  uint64_t freed_bytes);

/*
 * Read all directories of the sources, and report files that are not in `changes`, which are
 * sorted, and directories that cannot be read. Add their number to *left.
 */
int unindexed_report(const struct tree_request *request, const struct changes *changes,
		     uint64_t *left, struct simhash_error *error);

/* Does a directory exist, and is it not empty? */
bool directory_has_entries(const char *path);

#endif
