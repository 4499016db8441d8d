/*
 * The state of the full screen: three lists, the cursor in each, and the text that is shown over
 * them. view.c draws it, and keys.c changes it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_REVIEW_VIEW_H
#define SIMHASH_CLI_REVIEW_VIEW_H

#include "cli/review/compare.h"
#include "cli/review/saved.h"
#include "cli/review/source.h"

enum view_list {
	LIST_FOLDERS, /* the tree */
	LIST_GROUPS,  /* the contents of the folder under the cursor */
	LIST_FILES,   /* the files of the content under the cursor */
	LIST_RELATED, /* the files related to the file under the cursor */
	LIST_TEXT,    /* a comparison, or the help */
	LISTS
};

struct view_cursor {
	size_t at, top, count;
};

struct view {
	struct review_model *model;
	struct review_saved *saved;
	bool acts;			 /* does the caller act when the review ends? */
	bool has_earlier_marks;		 /* were files marked for removal before it began? */
	enum view_list list, under_text; /* under_text: the list that comes after the text */
	struct view_cursor cursors[LISTS];
	uint32_t *folders; /* the folders of the open tree */
	uint32_t *groups;  /* the contents of listed_folder */
	uint32_t listed_folder;
	uint32_t compared; /* the file to compare with; or REVIEW_NONE */
	const struct review_source *source;
	struct review_relatives relatives; /* of the file with the path text_titles[0] */
	struct comparison text;
	char *text_titles[2]; /* owned */
	bool is_beside, is_help;
	char message[1200]; /* escaped when it is drawn */
	char typed[512];    /* what is typed after a prompt */
	const char *prompt; /* NULL: nothing is typed */
	char search[512];
	struct review_path path;
	bool is_done;
};

/* The smallest screen. */
#define VIEW_ROWS_MIN 10
#define VIEW_COLUMNS_MIN 40

int view_init(struct view *view, struct simhash_error *error);
void view_release(struct view *view);

/* List the folders that are open. */
void view_list_folders(struct view *view);

/* List the groups of the folder under the cursor, unless they are listed. */
int view_list_groups(struct view *view, struct simhash_error *error);

/* The path of a file, which the caller frees. NULL: memory is short. */
char *view_path_of(struct view *view, uint32_t file);

/* The folder, content or file under the cursor; REVIEW_NONE if there is none. */
uint32_t view_folder(const struct view *view);
uint32_t view_content(const struct view *view);
uint32_t view_file(const struct view *view);

/* The rows of a list on the screen. */
size_t view_height(void);

/* Are texts shown next to each other? */
bool view_has_room_for_two(void);

void view_draw(struct view *view);

/* List the files that are related to the file under the cursor; or compare it with one of them. */
void view_list_relatives(struct view *view);
void view_compare_relative(struct view *view);

/* Compare the two files whose paths are the titles. */
void view_show_comparison(struct view *view);

/* Do what a key means. */
void view_press(struct view *view, unsigned key);

extern const char view_help[];

#endif
