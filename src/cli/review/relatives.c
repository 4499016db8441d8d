/*
 * Lists the files that are similar to a file of the review, contain it or are part of it, and compares
 * them.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "cli/review/screen.h"
#include "cli/review/view.h"

void review_relatives_release(struct review_relatives *relatives)
{
	free(relatives->items);
	arena_release(&relatives->texts);
	*relatives = (struct review_relatives){.items = NULL};
}

/* The search may take a second in a large index. */
static void draw_waiting(struct view *view)
{
	snprintf(view->message, sizeof view->message, "Searching for similar files ...");
	view_draw(view);
	view->message[0] = '\0';
}

void view_list_relatives(struct view *view)
{
	const struct review_source *source = view->source;
	uint32_t file = view_file(view);
	struct simhash_error error;
	char *path;

	if (view->list != LIST_FILES || file == REVIEW_NONE)
		return;
	path = view_path_of(view, file);
	review_relatives_release(&view->relatives);
	draw_waiting(view);
	if (path == NULL ||
	    source->find_relatives(source->context, path, &view->relatives, &error) != 0) {
		snprintf(view->message, sizeof view->message, "%s",
			 path == NULL ? "out of memory" : error.message);
		free(path);
		return;
	}
	free(view->text_titles[0]);
	view->text_titles[0] = path;
	if (view->relatives.count == 0) {
		snprintf(view->message, sizeof view->message,
			 "Apart from its copies, no file of the index is similar, contains it or "
			 "is part of it.");
		return;
	}
	view->list = LIST_RELATED;
	view->cursors[LIST_RELATED] = (struct view_cursor){.count = view->relatives.count};
}

void view_compare_relative(struct view *view)
{
	const struct review_relative *relative =
		&view->relatives.items[view->cursors[LIST_RELATED].at];

	if (relative->path == NULL) {
		snprintf(view->message, sizeof view->message,
			 "Files of other hosts and members of archives are not compared here.");
		return;
	}
	free(view->text_titles[0]);
	free(view->text_titles[1]);
	view->text_titles[0] = view_path_of(view, view_file(view));
	view->text_titles[1] = strdup(relative->path);
	view_show_comparison(view);
}
