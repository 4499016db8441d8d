/*
 * Holds the files in question, their contents and their folders while presence.h finds which are
 * missing.
 *
 *     number = held_content_add(&held, size_bytes, hash, &error);      // from 1
 *     file = held_file_add(&held, folder, name, number, &error);
 *     held_settle(&held, lists, &error);                                  // makes the items
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_PRESENCE_FILES_H
#define SIMHASH_PRESENCE_FILES_H

#include "base/data/arena.h"
#include "base/data/pair_set.h"
#include "base/data/slots.h"
#include "find/rule/finder.h"
#include "presence/presence.h"
#include "store/rows/damage_rows.h"

struct held_content {
	uint8_t hash[CONTENT_HASH_SIZE];
	int64_t size_bytes;
	uint32_t first_file; /* from 1; 0: none */
	uint32_t relative;   /* the most similar file elsewhere, from 1; 0: none */
	/* For finder_copies: the number of one file system that has it, and the number of all. */
	uint32_t system, systems;
	enum presence_state state;
};

/* A directory, with the number of files at or below it. */
struct held_folder {
	struct bytes path; /* on its host; without a slash at its end */
	int64_t host;
	uint32_t parent; /* the number of the folder above, from 1; 0: none, because it is a top */
	uint64_t files, listed;
};

struct held_file {
	const char *name;
	uint32_t name_size, folder;
	uint32_t content; /* from 1; 0: unknown */
	uint32_t next;	  /* the next file with the same content, from 1; 0: none */
	enum presence_state state;
	bool is_met;	  /* it exists: the walk found it, or there is no walk */
	bool is_left_out; /* the request leaves it out */
	int64_t size_bytes, mtime_ns;
	uint64_t device, inode; /* as they are now, if there is a walk */
	int64_t changed_ns;	/* the same; see struct file_identity */
	uint8_t path_hash[PATH_HASH_SIZE];
	const char *why;
};

struct held_relative {
	struct bytes display;
	struct relation relation;
};

/* All zero to begin with, except for the first three members. */
struct held_files {
	struct finder *finder;
	const struct presence_request *wanted;
	struct presence *found; /* its arena has all texts */
	struct damaged_files damaged;
	struct held_content *contents;
	size_t content_count, content_capacity;
	struct slots content_slots;
	struct held_folder *folders;
	size_t folder_count, folder_capacity;
	struct slots folder_slots;
	struct held_file *files;
	size_t count, capacity;
	struct slots file_slots; /* by path hash, for walked files */
	struct held_relative *relatives;
	size_t relative_count, relative_capacity;
	struct walked_top {
		bool walks;	      /* it is a directory, named without its host */
		uint64_t rows, files; /* with content: in the index, and on the disk */
	} * tops;
	struct pair_set walked; /* device and inode of each directory that was walked */
	/* Device and inode, and both times, of the files in question; made when they are needed. */
	struct pair_set inodes, times;
	bool has_inodes;
	char *path; /* a path that was made last */
	size_t path_capacity;
};

void held_files_release(struct held_files *held);

/* Return the number of a content, from 1. held_content_add returns 0 if memory is short. */
uint32_t held_content_find(const struct held_files *held, int64_t size_bytes,
			   const uint8_t hash[CONTENT_HASH_SIZE]);
uint32_t held_content_add(struct held_files *held, int64_t size_bytes,
			  const uint8_t hash[CONTENT_HASH_SIZE], struct simhash_error *error);

/* Return the number of a folder at or below a top, from 1. 0: memory is short. */
uint32_t held_folder_add(struct held_files *held, int64_t host, struct bytes path, struct bytes top,
			 struct simhash_error *error);

/*
 * Add a file, and copy its name. `content` may be 0. The file is valid until the next one is added.
 * NULL: memory is short.
 */
struct held_file *held_file_add(struct held_files *held, uint32_t folder, struct bytes name,
				uint32_t content, struct simhash_error *error);

/* Enter the last file under its path hash, or find the file of a host. NULL: there is none. */
int held_file_enter(struct held_files *held, const uint8_t path_hash[PATH_HASH_SIZE],
		    struct simhash_error *error);
struct held_file *held_file_find(const struct held_files *held, int64_t host,
				 const uint8_t path_hash[PATH_HASH_SIZE]);

/*
 * Call `take` with each row that has a content of its own and is not empty. It is valid during the
 * call. Stops at the first value other than 0, and returns -1 then.
 */
typedef int take_row_fn(struct held_files *held, const struct file_row *row,
			struct simhash_error *error);
int held_each_row(struct held_files *held, take_row_fn *take, struct simhash_error *error);

/*
 * Return the top that has a row, or NULL. Is the row in question? The members of an archive below the top are not, because the archive counts as one file.
 */
const struct find_side *held_top(const struct held_files *held, const struct file_row *row);
bool held_is_asked(const struct find_side *top, const struct file_row *row);

/* Is a row at or below a side, with or without the members of archives? */
bool held_is_in(const struct held_files *held, const struct find_side *side,
		const struct file_row *row);

/* Is a row the file with this path, on the host of a side? */
bool held_has_path(const struct held_files *held, const struct find_side *side,
		   const struct file_row *row, struct bytes path);

/* Is this top a directory of this host, so that it is walked? */
static inline bool held_walks(const struct held_files *held, const struct find_side *top)
{
	return held->tops[top - held->wanted->tops].walks;
}

/*
 * Return the path of the file that has the content of a row: the archive for a member. It is valid
 * until the next call. NULL: memory is short.
 */
const char *held_path(struct held_files *held, const struct file_row *row,
		      struct simhash_error *error);

/* Add the file of a row below a top. NULL: memory is short. */
struct held_file *held_row_add(struct held_files *held, const struct file_row *row,
			       const struct find_side *top, struct simhash_error *error);

/* Count a file in its folder and in all folders above it. */
void held_count(struct held_files *held, uint32_t folder, bool is_listed);

/* The same for the file of a row, which is not stored. */
int held_row_count(struct held_files *held, const struct file_row *row, const struct find_side *top,
		   struct simhash_error *error);

/* Copy "directory/name" of a host, as it is displayed, into the arena. Error: memory is short. */
int held_show(struct held_files *held, int64_t host, struct bytes directory, struct bytes name,
	      struct bytes *display, size_t *path_offset, struct simhash_error *error);

/* Make the items of the files that `lists` selects, and count all. */
typedef bool lists_file_fn(const struct held_files *held, const struct held_file *file);
int held_settle(struct held_files *held, lists_file_fn *lists, struct simhash_error *error);

/*
 * Is a row in a place? If there are no places, every row is in one, with this exception: a file of another host that has the inode and the time of a file in question. It may be this file, indexed when this host had another name. `content` may be NULL.
 */
bool held_is_in_place(const struct held_files *held, const struct held_content *content,
		      const struct file_row *row);

/* In presence_walk.c: compare the files below the tops of this host with their rows. */
int held_walk(struct held_files *held, struct simhash_error *error);

/* In relatives.c: find the most similar file elsewhere for each missing file. */
int held_relatives_find(struct held_files *held, struct simhash_error *error);

#endif
