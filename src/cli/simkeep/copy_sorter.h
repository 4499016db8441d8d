/*
 * Sorts any number of files that have copies into the order of plans, content by content: the
 * largest first, then by the hash of the content, then by path. Files that do not fit into memory
 * are in temporary files. At the end, only the files of one content are in memory at a time.
 *
 *     copy_sorter_new(32 << 20, false, &sorter, &error);
 *     copy_sorter_add(sorter, file, &error);      // for each file of identical pairs
 *     copy_sorter_each(sorter, take_content, context, &error);
 *     copy_sorter_free(sorter);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_COPY_SORTER_H
#define SIMHASH_CLI_COPY_SORTER_H

#include "find/rule/file.h"
#include "keep/keep.h"

struct copy_sorter;

/* The share of the memory for these files: an eighth. */
#define COPIES_SHARE 8

/*
 * Files use at most about `memory_bytes`. `with_members`: members of archives are taken, and not
 * left out.
 */
int copy_sorter_new(size_t memory_bytes, bool with_members, struct copy_sorter **sorter,
		    struct simhash_error *error);
void copy_sorter_free(struct copy_sorter *sorter); /* also accepts NULL */

/*
 * Add a file of an identical pair if its content can be compared and its name can be changed on
 * this host. The same file may be added again. Any thread may call it.
 */
int copy_sorter_add(struct copy_sorter *sorter, const struct find_file *file,
		    struct simhash_error *error);

/*
 * Receives all files of one content, each once; the files and their paths are valid during this
 * call.
 */
typedef int copies_fn(void *context, struct keep_file *files, size_t count,
		      struct simhash_error *error);

/*
 * Pass the files on, one content at a time. Call it once, in one thread, after all files were
 * added.
 */
int copy_sorter_each(struct copy_sorter *sorter, copies_fn *each, void *context,
		     struct simhash_error *error);

#endif
