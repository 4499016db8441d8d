/*
 * Holds the identical files of a review and their marks in compact arrays: 36 bytes and its name
 * for each file. Knows nothing of the terminal.
 *
 *     struct review_model model = {.names = NULL};
 *     review_add(&model, &file, false, &error);              // for each file, in any order
 *     review_finish(&model, &error);
 *     ... the functions below, and those of marks.h ...
 *     review_release(&model);
 *
 * Files, contents and folders have numbers. Contents that free no space are left out.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_REVIEW_MODEL_H
#define SIMHASH_CLI_REVIEW_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/data/slots.h"
#include "keep/keep.h"

#define REVIEW_NONE UINT32_MAX

enum review_mark { MARK_NONE, MARK_KEEP, MARK_REMOVE };

struct review_file {
	uint32_t folder, content;
	uint32_t name;	    /* where its name begins in `names` */
	uint32_t next_link; /* the next name of the same inode, in a ring */
	int64_t mtime_ns;
	uint8_t mark;	 /* enum review_mark */
	bool is_by_hand; /* a rule does not change the mark */
	bool is_locked;	 /* it is protected, so it stays */
};

struct review_content {
	int64_t size_bytes;
	uint8_t hash[KEEP_HASH_SIZE];
	uint32_t first, count; /* its files, sorted by folder and name */
	uint32_t staying;      /* the files that are not marked for removal; never 0 */
	uint32_t removable;    /* the inodes that can be removed while one file stays */
};

struct review_folder {
	uint32_t parent, name; /* the folder 0 is the root directory, its own parent */
	uint32_t name_size;
	uint32_t first_child, next_sibling; /* the one that frees the most space comes first */
	uint32_t rank, end; /* in the order of the tree; its subtree ends before `end` */
	uint32_t depth;
	uint32_t files;	      /* in its subtree */
	int64_t frees_bytes;  /* the most that its subtree can free */
	int64_t marked_bytes; /* what the marks in its subtree free */
	bool is_open;	      /* is it open on the screen? */
};

struct review_change {
	uint32_t file; /* REVIEW_NONE: one undo takes back the changes after this one */
	uint8_t before;
	bool was_by_hand;
};

struct review_model {
	char *names;
	size_t names_size, names_capacity;
	struct review_file *files;
	size_t count, file_capacity;
	struct review_content *contents; /* the one that frees the most space comes first */
	size_t content_count, content_capacity;
	struct review_folder *folders;
	size_t folder_count, folder_capacity;
	uint32_t *by_rank; /* the folder of each rank */
	uint32_t *in_tree; /* all files, in the order of their folders' ranks */
	uint32_t *starts;  /* where the files of each rank begin in in_tree */
	struct slots folder_slots, content_slots;
	struct review_inode *inodes; /* of the files, until review_finish */
	size_t inode_capacity;
	struct review_change *changes;
	size_t change_count, change_capacity;
	uint32_t top;		/* the deepest folder that has all files */
	uint64_t kept, removed; /* marks */
};

/* Add a file with its size, time, hash, device and inode. */
int review_add(struct review_model *model, const struct keep_file *file, bool is_locked,
	       struct simhash_error *error);

/* Sort all files. Errors: SIMHASH_E_MEMORY. */
int review_finish(struct review_model *model, struct simhash_error *error);
void review_release(struct review_model *model);

/* Return the name of a file or of a folder; borrowed. The root directory has none. */
const char *review_file_name(const struct review_model *model, uint32_t file);
struct bytes review_folder_name(const struct review_model *model, uint32_t folder);

/*
 * Write the path of a folder, or of a file, with a terminating zero, to *path, which grows as
 * needed. Returns its size, or 0 if memory is short.
 */
struct review_path {
	char *text;
	size_t capacity;
};
size_t review_folder_path(const struct review_model *model, uint32_t folder,
			  struct review_path *path);
size_t review_file_path(const struct review_model *model, uint32_t file, struct review_path *path);

/* Find the folder of an absolute path, or REVIEW_NONE. The root directory is "". */
uint32_t review_find_folder(const struct review_model *model, struct bytes path);

/* Find the file with this path, size and hash, or REVIEW_NONE. A size below 0 is any size. */
uint32_t review_find_file(const struct review_model *model, const char *path, int64_t size_bytes,
			  const uint8_t hash[KEEP_HASH_SIZE]);

/* Is the folder of a file at or below this folder? */
bool review_is_in(const struct review_model *model, uint32_t file, uint32_t folder);

/*
 * List the contents with a file at or below a folder in *list, which has room for all contents.
 * Returns their number. The order is the order of the contents.
 */
size_t review_list_contents(const struct review_model *model, uint32_t folder, uint32_t *list,
			    struct simhash_error *error);

/* The nearest folder that has both folders. */
uint32_t review_common_folder(const struct review_model *model, uint32_t x, uint32_t y);

/* Fill in the state of a file, except for its path and its inode. */
void review_describe(const struct review_model *model, uint32_t file, struct keep_file *described);

/* For model_sort.c: the inode of a file; and enter a content in the slots by its hash. */
struct review_inode {
	uint64_t device, inode;
};
int review_note_content(struct review_model *model, uint64_t hash, uint32_t content,
			struct simhash_error *error);

#endif
