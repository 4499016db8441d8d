/*
 * Describes the journal: a record of each act, which is on the disk before the act is done, and of
 * its outcome. docs/apply.md describes its fields.
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
	OUTCOME_NONE, /* the program ended before the outcome was known */
	OUTCOME_DONE,
	OUTCOME_LEFT
};

/* The data for restoring a file. */
struct journal_file {
	uint64_t device, inode, links;
	int64_t size_bytes, mtime_ns, atime_ns;
	uint32_t mode, owner, group;
};

struct journal_act {
	uint64_t number; /* from 1 */
	enum keep_action action;
	const char *path; /* the path of the copy */
	const char *kept; /* NULL: none */
	/*
	 * The target of a move or of a copy, also of the deletion after a copy. For another name of a
	 * healed file: the name that is healed, by a later act. NULL: none.
	 */
	const char *to;
	/* A name in the directory of the copy, or for ACTION_COPY in the directory of `to`; "": none. */
	char temporary[TEMPORARY_SIZE];
	uint8_t hash[KEEP_HASH_SIZE]; /* the hash of the compared bytes */
	/* same_attributes: both files had the same extended attributes */
	bool has_hash, same_attributes;
	struct journal_file copy;
	struct journal_file kept_file; /* if `kept` is set */
	/*
	 * For ACTION_HEAL, whose `hash` is the right one: the hash of the content that undo restores,
	 * the place of the saved bytes in JOURNAL.bytes, and the number of bytes that could not be
	 * read.
	 */
	uint8_t damaged_hash[KEEP_HASH_SIZE];
	int64_t bytes_at, bytes, unreadable_bytes;
	enum journal_outcome outcome;
};

struct journal {
	FILE *stream;
	const char *path;
	uint64_t acts;
	off_t complete_bytes; /* the bytes of complete lines in the file */
	bool has_failed;      /* nothing more can be written */
};

void journal_file_set(struct journal_file *file, const struct stat *status);

/* Create a journal, which must not exist yet. */
int journal_create(struct journal *journal, const char *path, const char *host,
		   struct simhash_error *error);

/* Write an act before it is done. Sets its number. */
int journal_begin(struct journal *journal, struct journal_act *act, struct simhash_error *error);

/* Wait until everything is on the disk. Then the acts can be done. */
int journal_sync(struct journal *journal, struct simhash_error *error);

/* Write the outcome of an act; `why` is the reason if the file was left, or NULL. */
int journal_end(struct journal *journal, const struct journal_act *act, const char *why,
		struct simhash_error *error);

/* Write the last line with the number of acts. If a line failed, only complete lines stay. */
int journal_close(struct journal *journal, struct simhash_error *error);

/* How a journal ends. */
enum journal_ending {
	JOURNAL_ENDED,	 /* it has an end mark or, in version 1 without end marks, a last outcome */
	JOURNAL_STOPPED, /* the run was stopped, or the file was truncated */
};

/* The acts of a journal, without an incomplete last line. */
struct journal_list {
	struct arena arena;
	struct journal_act *acts; /* sorted by number */
	size_t count, capacity;
	enum journal_ending ending;
	uint64_t missing; /* acts without lines, although later lines exist */
};

/*
 * Lock a journal so that nobody else can act with it or undo it until *fd is closed. *fd may be -1
 * if files cannot be locked. -1 is returned if somebody else uses it.
 */
int journal_lock(const char *path, int *fd, struct simhash_error *error);

/*
 * The journal must have been written on `host`, which is this host. The caller releases the list on
 * 0.
 */
int journal_read(const char *path, const char *host, struct journal_list *list,
		 struct simhash_error *error);
void journal_list_release(struct journal_list *list);

/*
 * A second name derived from a temporary name. Undo finds it after a kill, because it knows the
 * first name.
 */
void second_temporary(const char *temporary, char name[TEMPORARY_SIZE]);

const char *action_name(enum keep_action action);

#endif
