/*
 * The journal: a record of each act, on the disk before the act is done, and of its outcome.
 * docs/apply.md has its fields.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_JOURNAL_H
#define SIMHASH_ACT_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/data/arena.h"
#include "keep/keep.h"

#define TEMPORARY_SIZE 64

enum journal_outcome {
	OUTCOME_NONE, /* the program ended before it was known */
	OUTCOME_DONE,
	OUTCOME_LEFT
};

/* What is restored by. */
struct journal_file {
	uint64_t device, inode, links;
	int64_t size_bytes, mtime_ns, atime_ns;
	uint32_t mode, owner, group;
};

struct journal_act {
	uint64_t number; /* from 1 */
	enum keep_action action;
	const char *path;		/* of the copy */
	const char *kept;		/* NULL: none */
	const char *to;			/* of a move; NULL: none */
	char temporary[TEMPORARY_SIZE]; /* a name beside the copy; "": none */
	uint8_t hash[KEEP_HASH_SIZE];	/* of the bytes that were compared */
	bool has_hash, same_attributes; /* the extended attributes of both were the same */
	struct journal_file copy;
	struct journal_file kept_file; /* where `kept` is there */
	enum journal_outcome outcome;
};

struct journal {
	FILE *stream;
	const char *path;
	uint64_t acts;
	off_t complete_bytes; /* lines that are whole in the file */
	bool has_failed;      /* nothing more is written */
};

void journal_file_set(struct journal_file *file, const struct stat *status);

/* Make a journal, which must not exist yet. */
int journal_create(struct journal *journal, const char *path, const char *host,
		   struct simhash_error *error);

/* Write what is about to be done. Sets the number. */
int journal_begin(struct journal *journal, struct journal_act *act, struct simhash_error *error);

/* Wait until all that was written is on the disk. Then the acts can be done. */
int journal_sync(struct journal *journal, struct simhash_error *error);

/* What came of an act; `why` it was left, or NULL. */
int journal_end(struct journal *journal, const struct journal_act *act, const char *why,
		struct simhash_error *error);

/* Write the last line, which says how many acts there are. If a line failed, only whole lines stay. */
int journal_close(struct journal *journal, struct simhash_error *error);

/* How a journal ends. */
enum journal_ending {
	JOURNAL_ENDED,	 /* with its end mark; or of version 1, which has none, with an outcome */
	JOURNAL_STOPPED, /* the run was stopped, or the file was cut */
};

/* The acts of a journal. A last line that was not written to its end is not among them. */
struct journal_list {
	struct arena arena;
	struct journal_act *acts; /* by number */
	size_t count, capacity;
	enum journal_ending ending;
	uint64_t missing; /* acts whose lines are not there, though later lines are */
};

/*
 * A descriptor by which nobody else acts by this journal, or undoes it, until it is closed; it may be -1
 * where files cannot be locked. -1 is returned if somebody does.
 */
int journal_lock(const char *path, int *fd, struct simhash_error *error);

/* `host` is this host, on which it must have been made. The caller releases the list on 0. */
int journal_read(const char *path, const char *host, struct journal_list *list,
		 struct simhash_error *error);
void journal_list_release(struct journal_list *list);

const char *action_name(enum keep_action action);

#endif
