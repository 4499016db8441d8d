/*
 * One of the two files of an act: the copy, or the file that is kept.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_SIDE_H
#define SIMHASH_ACT_SIDE_H

#include "act/place.h"
#include "keep/keep.h"

/* Held open from before it is compared until the act is over. */
struct side {
	struct place place;
	const char *path; /* borrowed from the plan */
	int fd;		  /* -1: there is none */
	bool is_watched;
	bool has_lease;	    /* the system reports each program that opens it for writing */
	int sync_error;	    /* errno of writing it to the disk */
	struct stat status; /* as it was opened, or as the last step of the act left it */
};

/* Open a regular file, as it was indexed. -1 with the reason. To be closed whatever this returns. */
int side_open(struct side *side, const struct keep_file *file, const struct guard *guard,
	      struct simhash_error *why);
void side_close(struct side *side);

/* The same file once more, for writing; -1 with errno. */
int side_open_writable(const struct side *side);

/*
 * Notice each store from now on. A lease does that: the system grants none while a program has the
 * file open or mapped for writing, which is the reason of -1, and ends it when one asks to. Where the
 * system grants none for another reason, the pages of the file are written out: then the next store
 * changes the times of the file, also a store through a mapping.
 */
int side_watch(struct side *side, struct simhash_error *why);

/* Has no program asked to write to it since side_watch? True without a lease. */
bool side_has_no_writer(const struct side *side);

/* Write the file to the disk. -1 with errno. */
int side_sync(const struct side *side);

/* The same for all files of its file system. False where only side_sync is known to do it. */
bool side_sync_all(const struct side *side);

/* Has the open file the same size and times? */
bool side_has_same_times(const struct side *side);

/*
 * Is the open file still what its name and its path stand for, with the same size and times? The file
 * system is asked anew, for attributes and for the name.
 */
bool side_is_unchanged(const struct side *side);

/*
 * A step of the act has changed the status time of the file: take the new one. False if the size or
 * the modification time changed as well.
 */
bool side_take_status(struct side *side);

/*
 * Are they two files? Inode numbers do not show it: an overlay shows the files of its layers with
 * other numbers, and a file system that folds case may have a number for each spelling. But the copy
 * has another name now. If it was the file that is kept as well, the name of that is missing, its
 * status time has changed, or its directory shows the new name, which is `temporary`. NULL: the copy is
 * elsewhere.
 */
bool sides_are_apart(const struct side *copy, const struct side *kept, const char *temporary);

#endif
