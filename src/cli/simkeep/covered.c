/*
 * Finds the directories that a plan covers, and shows the command that indexes them again.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/covered.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/sort/sort.h"
#include "base/text/shell_word.h"
#include "cli/terminal/terminal.h"
#include "store/names/names.h"
#include "store/names/scan_run.h"
#include "store/names/tag_sets.h"
#include "store/open/store.h"

#define PROGRAM "simkeep"
#define TREES_SHOWN 8

static int add_tree(struct covered *covered, struct bytes tree, struct simhash_error *error)
{
	char *text = arena_take(&covered->texts, tree.size + 1);

	if (text == NULL)
		return error_set_memory(error);
	memcpy(text, tree.data, tree.size);
	text[tree.size] = '\0';
	if (array_reserve(&covered->trees, &covered->capacity, covered->count + 1,
			  sizeof *covered->trees, error) != 0)
		return -1;
	covered->trees[covered->count++] = (struct bytes){text, tree.size};
	return 0;
}

static int compare_trees(const void *a, const void *b, void *context)
{
	const struct bytes *x = a, *y = b;

	(void)context;
	return strcmp(x->data, y->data);
}

static bool is_covered(const struct covered *covered, size_t count, struct bytes tree)
{
	for (size_t i = 0; i < count; i++)
		if (path_is_at_or_below(tree, covered->trees[i]))
			return true;
	return false;
}

/* Remove duplicate trees, and trees that are below another one. */
static void settle(struct covered *covered)
{
	size_t kept = 0;

	sort_with(covered->trees, covered->count, sizeof *covered->trees, compare_trees, NULL);
	for (size_t i = 0; i < covered->count; i++)
		if (!is_covered(covered, kept, covered->trees[i]))
			covered->trees[kept++] = covered->trees[i];
	covered->count = kept;
}

/* Was the same tree added last? It has a run for each time that it was indexed. */
static bool is_last(const struct covered *covered, struct bytes tree)
{
	return covered->count > 0 &&
	       strcmp(covered->trees[covered->count - 1].data, tree.data) == 0;
}

static int read_roots(struct covered *covered, struct store *store,
		      const struct simhash_tag_set *tags, const char *host,
		      struct simhash_error *error)
{
	struct row_scope scope;
	struct scan_run_list list;
	int status = 0;

	if (store_tag_set_id(store, tags, false, &scope.tag_set, error) != 0 ||
	    store_host_id(store, host, false, &scope.host, error) != 0 ||
	    store_read_runs(store, &list, error) != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < list.count; i++) {
		const struct scan_run *run = &list.runs[i];
		if (run->scope.host == scope.host && run->scope.tag_set == scope.tag_set &&
		    run->root.size > 0 && run->root.data[0] == '/' && !is_last(covered, run->root))
			status = add_tree(covered, run->root, error);
	}
	scan_run_list_release(&list);
	return status;
}

int covered_read(struct covered *covered, const struct operands *operands, struct store *store,
		 const struct simhash_tag_set *tags, const char *host, struct simhash_error *error)
{
	int status = 0;

	*covered = (struct covered){.is_all = operands->below_count == 0 && !operands->has_files};
	for (size_t i = 0; status == 0 && i < operands->below_count; i++) {
		struct bytes below = operands->below[i];
		status = add_tree(covered, (struct bytes){below.data, outer_path_size(below)},
				  error);
	}
	if (covered->is_all)
		status = read_roots(covered, store, tags, host, error);
	if (status == 0)
		settle(covered);
	return status;
}

int covered_add(struct covered *covered, struct bytes tree, struct simhash_error *error)
{
	if (add_tree(covered, tree, error) != 0)
		return -1;
	settle(covered);
	return 0;
}

void covered_release(struct covered *covered)
{
	free(covered->trees);
	arena_release(&covered->texts);
	*covered = (struct covered){.count = 0};
}

static void write_trees(FILE *out, const struct covered *covered)
{
	for (size_t i = 0; i < covered->count && i < TREES_SHOWN; i++) {
		fputc(' ', out);
		if (needs_encoding(covered->trees[i]))
			fputs("DIR", out);
		else
			write_command_word(out, covered->trees[i]);
	}
}

static void say_trees(const struct covered *covered, const char *before, const char *after)
{
	char *text = NULL, count[32];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return;
	fputs(before, out);
	write_trees(out, covered);
	if (covered->count > TREES_SHOWN)
		fprintf(out, " and %s more", format_count(covered->count - TREES_SHOWN, count));
	fputs(after, out);
	if (close_text(out, &text) == 0)
		say(PROGRAM, text);
	free(text);
}

void say_covered(const struct covered *covered)
{
	if (covered->is_all && covered->count > 0)
		say_trees(covered, "the plan is for the whole index:", "; give DIRs to limit it");
}

void say_how_to_update(const struct covered *covered)
{
	if (covered->count > 0 && covered->count <= TREES_SHOWN)
		say_trees(covered, "to update the index: simhash", "");
	else
		say(PROGRAM, "to update the index, run simhash on the directories of these files");
}
