/*
 * Leaves out copies in version control and build trees, and counts them.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/tool_trees.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/path.h"
#include "cli/terminal/terminal.h"
#include "keep/keep.h"

#define PROGRAM "simkeep"

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int tool_trees_init(struct tool_trees *tools, const struct operands *operands,
		    struct simhash_error *error)
{
	*tools = (struct tool_trees){
		.operands = operands,
		.named = calloc(operands->query_count + 1, sizeof *tools->named)};
	if (tools->named == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < operands->query_count; i++) {
		char *path = path_absolute(operands->queries[i]);
		if (path != NULL && keep_is_in_tool_tree(bytes_of(path)))
			tools->named[tools->named_count++] = path;
		else
			free(path);
	}
	qsort(tools->named, tools->named_count, sizeof *tools->named, compare_paths);
	return 0;
}

void tool_trees_release(struct tool_trees *tools)
{
	for (size_t i = 0; i < tools->named_count; i++)
		free(tools->named[i]);
	free(tools->named);
	*tools = (struct tool_trees){.operands = NULL};
}

static bool is_named(const struct tool_trees *tools, const char *path)
{
	for (size_t i = 0; i < tools->operands->below_count; i++)
		if (keep_is_in_tool_tree(tools->operands->below[i]) &&
		    path_is_at_or_below(bytes_of(path), tools->operands->below[i]))
			return true;
	return bsearch(&path, tools->named, tools->named_count, sizeof *tools->named,
		       compare_paths) != NULL;
}

bool tool_trees_leave_out(struct tool_trees *tools, const char *path)
{
	if (!keep_is_in_tool_tree(bytes_of(path)) || is_named(tools, path))
		return false;
	tools->left_out++;
	return true;
}

void tool_trees_say(const struct tool_trees *tools, bool moves, bool quiet)
{
	char text[200], count[32];
	bool is_one = tools->left_out == 1;

	if (tools->left_out == 0 || quiet)
		return;
	format_count(tools->left_out, count);
	if (moves)
		snprintf(text, sizeof text,
			 "%s file%s to version control or a build tree, and stay%s; move such a "
			 "folder as a whole yourself",
			 count, is_one ? " belongs" : "s belong", is_one ? "s" : "");
	else
		snprintf(text, sizeof text,
			 "%s identical file%s in version control and build trees %s left alone; "
			 "to include such a tree, name it as DIR",
			 count, is_one ? "" : "s", is_one ? "is" : "are");
	say(PROGRAM, text);
}
