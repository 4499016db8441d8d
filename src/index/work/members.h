/*
 * Makes rows of the contents of scanned files: the members of a container become rows of a separate
 * directory. The writer gets these rows in batches before it gets the row of the file itself.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_MEMBERS_H
#define SIMHASH_INDEX_MEMBERS_H

#include "index/work/batch.h"
#include "scan/file/scan_file.h"

struct failures;
struct filter_command;
struct index_request;
struct writer;

/* All members are borrowed. */
struct members_use {
	const struct index_request *request;
	struct failures *failures; /* receives unreadable files */
	struct writer *writer;	   /* receives the rows */
};

/*
 * Return the kinds of containers to look for in the file of a task: the requested kinds and, if the
 * index has members of the file, the kinds that were looked for last time.
 */
unsigned members_kinds(const struct members_use *use, const struct task *task);

/* Return the filter command for the file of a task, or NULL. */
const struct filter_command *members_filter(const struct members_use *use, const struct task *task);

/*
 * Look for members in the file of a task, which was scanned or has `looks_only`. Sets
 * task->result.is_looked and row.contents. Problems are reported; the next run then examines the
 * file again.
 */
void members_look(const struct members_use *use, struct file_scanner *scanner, struct task *task);

#endif
