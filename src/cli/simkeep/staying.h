/*
 * Counts the files that stay in a folder after its copies were removed, because they have no copy elsewhere or because the index does not have them.
 *
 *     staying_settle(&staying, path, &error);              // for each planned file
 *     staying_count(&staying, &policy, arguments, host);
 *     staying_write(stderr, &staying);
 *     staying_release(&staying);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_STAYING_H
#define SIMHASH_CLI_STAYING_H

#include <stdio.h>

#include "base/data/hash_set.h"
#include "cli/options/keep_options.h"

struct staying {
	struct hash_set settled; /* path hashes of the files with acts */
	/* Files in DIRs without a copy, files that the index does not have, unreadable folders. */
	uint64_t only_there, unindexed, unreadable;
};

/* All zero at the beginning. Add a file that has an act, even if the file was left alone. */
int staying_settle(struct staying *staying, const char *path, struct simhash_error *error);

/*
 * Count the files below the DIRs that the rules --keep=in:DIR do not keep. Reads directories and
 * the index. Nothing is counted without such a rule, if a rule names a directory outside the DIRs,
 * or if options exclude files. A failure is no error: then less is counted.
 */
void staying_count(struct staying *staying, const struct keep_policy *policy,
		   const struct keep_arguments *arguments, const char *host);

/* Write "; stay: 3 files without a copy elsewhere", if there are such files. */
void staying_write(FILE *out, const struct staying *staying);
void staying_release(struct staying *staying);

#endif
