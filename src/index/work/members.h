/*
 * Makes rows of the contents of scanned files: a container's members become rows of their own
 * directory. The rows go to the writer in batches before the row of the file itself.
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

/* All borrowed. */
struct members_use {
	const struct index_request *request;
	struct failures *failures; /* gets what cannot be read */
	struct writer *writer;	   /* gets the rows */
};

/*
 * The kinds of containers for which the file of a task is looked into: those that the run asks for,
 * and where the index has members of it, those for which it was looked into before.
 */
unsigned members_kinds(const struct members_use *use, const struct task *task);

/* The command that the file of a task is given to, or NULL. */
const struct filter_command *members_filter(const struct members_use *use, const struct task *task);

/*
 * Look into the file of a task, which was scanned, or which `looks_only`. Sets task->result.is_looked and
 * row.contents. What cannot be read is reported; then the file is looked into by the next run too.
 */
void members_look(const struct members_use *use, struct file_scanner *scanner, struct task *task);

#endif
