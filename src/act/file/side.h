/*
 * Describes one of the two files of an act: the copy or the kept file.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_SIDE_H
#define SIMHASH_ACT_SIDE_H

#include "keep/keep.h"
#include "place/place.h"

/* The file is open from before the comparison until the end of the act. */
struct side {
	struct place place;
	const char *path; /* points into the plan, which must stay valid */
	int fd;		  /* -1: no file */
	bool is_watched;
	bool has_lease; /* the system reports each program that opens it for writing */
	int sync_error; /* the errno of a failed synchronization */
	/* The status when the file was opened, or after the last step of the act. */
	struct stat status;
};

/*
 * Open a regular file that still is as it was indexed. -1 with the reason. Always close the side,
 * also after an error.
 */
int side_open(struct side *side, const struct keep_file *file, const struct guard *guard,
	      struct simhash_error *why);
void side_close(struct side *side);

/* Open the same file a second time, for writing; -1 with errno. */
int side_open_writable(const struct side *side);

/*
 * Notice each store from now on, by a lease if possible. The system refuses a lease if a program
 * has the file open or mapped for writing, which is the reason on -1, and ends the lease when a
 * program wants to write. If there is no lease for another reason, the pages of the file are
 * written to the disk. Then the next store changes the times of the file, even if it is mapped.
 */
int side_watch(struct side *side, struct simhash_error *why);

/* Has no program tried to write to the file since side_watch? Always true without a lease. */
bool side_has_no_writer(const struct side *side);

/* Synchronize the file with the disk. -1 with errno. */
int side_sync(const struct side *side);

/* Synchronize all files of its file system. False if only side_sync is known to work. */
bool side_sync_all(const struct side *side);

/* Does the open file have the same size and times? */
bool side_has_same_times(const struct side *side);

/*
 * Do its name and its path still lead to the open file, with the same size and times? Asks the file
 * system again for attributes and for the name.
 */
bool side_is_unchanged(const struct side *side);

/*
 * A step of the act changed the status time of the file: store the new one. False if the size or
 * the modification time also changed.
 */
bool side_take_status(struct side *side);

/*
 * Are the two sides different files? Inode numbers do not show this: an overlay shows files with
 * other numbers, and a file system that ignores case may have one number for each spelling. But the
 * copy has a new name now. If both sides were the same file, the kept file's name would be missing,
 * its status time would have changed, or its directory would contain the new name `temporary`.
 * NULL: the copy is now in another directory.
 */
bool sides_are_apart(const struct side *copy, const struct side *kept, const char *temporary);

#endif
