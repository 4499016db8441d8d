/*
 * Implements simkeep --into and --action=merge: reads the files of the index, plans one tree, shows
 * the plan folder by folder, and carries it out.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/basic/error.h"
#include "base/data/arena.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "cli/simkeep/acting.h"
#include "cli/simkeep/keep_tasks.h"
#include "cli/simkeep/plan_script.h"
#include "cli/terminal/terminal.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/open/store.h"
#include "store/rows/folder_rows.h"
#include "store/rows/known_file.h"

#define PROGRAM "simkeep"

struct one_tree {
	struct acting *acting;
	char *destination; /* owned */
	struct tree_request request;
	struct bytes *sources;
	struct keep_file *files;
	size_t count, capacity;
	struct arena paths;
	char *path; /* room for the path of a row */
	size_t path_capacity;
};

/* ---- Directories ---- */

static const char *option_of(const struct keep_arguments *arguments)
{
	return arguments->merges ? "--action=merge:" : "--into=";
}

static int find_destination(struct one_tree *tree, struct simhash_error *error)
{
	const struct keep_arguments *arguments = tree->acting->arguments;
	const char *text = arguments->into, *option = option_of(arguments);
	struct bytes existing;
	struct stat status;

	tree->destination = realpath(text, NULL);
	if (tree->destination == NULL && !arguments->merges)
		tree->destination = path_absolute(text);
	if (tree->destination == NULL)
		return error_set_errno(error, "%s%s", option, text);
	tree->request.destination = existing = directory_bytes(tree->destination);
	while (existing.size > 0) {
		char *path = strndup(existing.data, existing.size);
		int found = path == NULL ? 0 : stat(path, &status);
		free(path);
		if (path == NULL)
			return error_set_memory(error);
		if (found == 0)
			break;
		existing = path_above(existing);
	}
	if (existing.size == 0 && stat("/", &status) != 0)
		return error_set_errno(error, "%s%s", option, text);
	if (!S_ISDIR(status.st_mode))
		return error_set(error, SIMHASH_E_RANGE, "%s%s: expected a directory", option,
				 text);
	tree->request.device = (uint64_t)status.st_dev;
	return 0;
}

static bool has_source(const struct tree_request *request, struct bytes path)
{
	for (size_t i = 0; i < request->source_count; i++)
		if (bytes_compare(request->sources[i], path) == 0)
			return true;
	return false;
}

static int find_sources(struct one_tree *tree, struct simhash_error *error)
{
	const struct operands *operands = &tree->acting->arguments->operands;
	struct stat status;

	tree->sources = calloc(operands->below_count + 1, sizeof *tree->sources);
	if (tree->sources == NULL)
		return error_set_memory(error);
	tree->request.sources = tree->sources;
	for (size_t i = 0; i < operands->below_count; i++) {
		struct bytes path = operands->below[i];
		char *name = path.size == 0 ? strdup("/") : strndup(path.data, path.size);
		int found = name == NULL ? -1 : stat(name, &status);
		if (name == NULL)
			error_set_memory(error);
		else if (found != 0)
			error_set_errno(error, "%s", name);
		else if (!S_ISDIR(status.st_mode))
			found = error_set(error, SIMHASH_E_RANGE, "%s: expected a directory", name);
		free(name);
		if (found != 0)
			return -1;
		if (!has_source(&tree->request, path))
			tree->sources[tree->request.source_count++] = path;
	}
	return 0;
}

/* ---- Files of the index ---- */

static int add_file(struct one_tree *tree, const struct folder_row *row, bool is_wanted,
		    struct simhash_error *error)
{
	size_t size = strlen(tree->path) + 1;
	char *path = arena_take(&tree->paths, size);
	struct keep_file *file;

	if (path == NULL)
		return error_set_memory(error);
	memcpy(path, tree->path, size);
	if (array_reserve(&tree->files, &tree->capacity, tree->count + 1, sizeof *tree->files,
			  error) != 0)
		return -1;
	file = &tree->files[tree->count++];
	*file = (struct keep_file){.path = path,
				   .size_bytes = row->size_bytes,
				   .mtime_ns = row->mtime_ns,
				   .device = (uint64_t)row->device,
				   .inode = (uint64_t)row->inode,
				   .is_excluded = !is_wanted};
	memcpy(file->hash, row->content_hash, KEEP_HASH_SIZE);
	return 0;
}

static int take_row(struct one_tree *tree, const struct folder_row *row,
		    struct simhash_error *error)
{
	const struct keep_arguments *arguments = tree->acting->arguments;
	size_t size = row->directory.size;
	uint64_t left_out = tree->acting->tools.left_out;
	uint32_t source;
	bool is_wanted;

	if (row->archive_size > 0)
		return 0;
	if (array_reserve(&tree->path, &tree->path_capacity, size + row->name.size + 2, 1, error) !=
	    0)
		return -1;
	memcpy(tree->path, row->directory.data, size);
	tree->path[size++] = '/';
	memcpy(tree->path + size, row->name.data, row->name.size);
	size += row->name.size;
	tree->path[size] = '\0';
	source = tree_source_of(&tree->request, (struct bytes){tree->path, size});
	if (source == TREE_NOWHERE)
		return 0;
	is_wanted = operands_let_through(&arguments->operands, &arguments->exclusions, tree->path,
					 row->size_bytes) &&
		    !tool_trees_leave_out(&tree->acting->tools, tree->path);
	if (source == TREE_DESTINATION)
		tree->acting->tools.left_out = left_out; /* it should stay there */
	return add_file(tree, row, is_wanted, error);
}

static int read_files(struct one_tree *tree, struct store *store,
		      const struct simhash_tag_set *tags, const char *host,
		      struct simhash_error *error)
{
	int64_t tag_set, host_id;
	struct folder_cursor *cursor;
	struct folder_row row;
	int status = 0, got;

	if (store_tag_set_id(store, tags, false, &tag_set, error) != 0 ||
	    store_host_id(store, host, false, &host_id, error) != 0 ||
	    store_folder_rows(store, tag_set, FOLDER_ROWS_EMPTY, &cursor, error) != 0)
		return -1;
	while (status == 0 && (got = folder_rows_next(cursor, &row, error)) != 0)
		status = got < 0 ? -1 : row.host != host_id ? 0 : take_row(tree, &row, error);
	folder_rows_end(cursor);
	return status;
}

static int compare_roots(const void *a, const void *b)
{
	return bytes_compare(*(const struct bytes *)a, *(const struct bytes *)b);
}

static bool is_below_root(const struct bytes *roots, size_t count, struct bytes path)
{
	struct bytes above = path_above(path);

	for (; above.size > 0; above = path_above(above))
		if (bsearch(&above, roots, count, sizeof *roots, compare_roots) != NULL)
			return true;
	return false;
}

static bool is_in_source(const struct one_tree *tree, const struct keep_file *file)
{
	return tree_source_of(&tree->request, bytes_of(file->path)) != TREE_DESTINATION;
}

/* Version control stays, so the files of its work tree stay with it. */
static int leave_work_trees(struct one_tree *tree, struct simhash_error *error)
{
	struct bytes *roots = NULL;
	size_t count = 0, capacity = 0;
	int status = 0;

	for (size_t i = 0; status == 0 && i < tree->count; i++) {
		const struct keep_file *file = &tree->files[i];
		struct bytes root = keep_work_tree(bytes_of(file->path));
		if (root.size == 0 || !file->is_excluded || !is_in_source(tree, file) ||
		    (count > 0 && bytes_compare(roots[count - 1], root) == 0))
			continue;
		status = array_reserve(&roots, &capacity, count + 1, sizeof *roots, error);
		if (status == 0)
			roots[count++] = root;
	}
	if (status == 0 && count > 0)
		qsort(roots, count, sizeof *roots, compare_roots);
	for (size_t i = 0; status == 0 && count > 0 && i < tree->count; i++) {
		struct keep_file *file = &tree->files[i];
		if (!file->is_excluded && is_in_source(tree, file) &&
		    is_below_root(roots, count, bytes_of(file->path))) {
			file->is_excluded = true;
			tree->acting->tools.left_out++;
		}
	}
	free(roots);
	return status;
}

/* Files in the destination that are not in the index are kept, but not recognized as copies. */
static void explain_destination(const struct one_tree *tree)
{
	struct simhash_error error;

	for (size_t i = 0; i < tree->count; i++)
		if (tree_source_of(&tree->request, bytes_of(tree->files[i].path)) ==
		    TREE_DESTINATION)
			return;
	if (tree->acting->arguments->quiet || !directory_has_entries(tree->destination))
		return;
	store_say_not_indexed(bytes_of(tree->destination), &error);
	say(PROGRAM, error.message);
}

/* ---- The plan ---- */

/* Write the commands of the acts that are possible. */
static int write_script(struct one_tree *tree, const struct plan *plan, const char *host,
			const struct changes *changes, struct simhash_error *error)
{
	struct acting *acting = tree->acting;
	const struct script_request request = {.policy = &acting->policy,
					       .host = host,
					       .host_is_given = acting->arguments->index.host !=
								NULL,
					       .emptied = acting->trees,
					       .emptied_count = acting->tree_count,
					       .moves = true};
	struct plan_script script;

	if (plan_script_begin(&script, acting->script.stream, &request, error) != 0)
		return -1;
	for (size_t i = 0; i < plan->count; i++)
		if (changes_will(changes, plan->acts[i].file))
			plan_script_add_act(&script, &plan->acts[i]);
	plan_script_end(&script);
	if (close_plan_script(&acting->script, &script, acting->arguments->quiet, error) != 0)
		return -1;
	return output_publish(&acting->script, error);
}

static int show(struct one_tree *tree, struct changes *changes, struct simhash_error *error)
{
	const struct acting *acting = tree->acting;
	const struct change_view view = {.out = stdout,
					 .columns = acting->lines.how.columns,
					 .has_colours = acting->lines.how.has_colours};
	bool is_shown = !acting->arguments->quiet && !acting->script_is_output;

	changes_sort(changes);
	return changes_write(changes, is_shown ? &view : NULL, error);
}

/*
 * Begin the list with the state of a file without acts: it is a copy, unless the plan refuses it or
 * leaves it out.
 */
static void list_file(const struct one_tree *tree, struct changes *changes,
		      const struct keep_file *file)
{
	if (tree_source_of(&tree->request, bytes_of(file->path)) == TREE_DESTINATION)
		return;
	if (file->is_excluded || file->is_protected)
		changes_stay(changes, file);
	else
		changes_copy_stays(changes, file);
}

static int carry_out(struct one_tree *tree, const struct plan *plan, const char *host,
		     struct simhash_error *error)
{
	struct acting *acting = tree->acting;
	struct changes changes;
	int status;

	if (changes_begin(&changes, &tree->request, tree->files, tree->count, error) != 0)
		return -1;
	for (size_t i = 0; i < tree->count; i++)
		list_file(tree, &changes, &tree->files[i]);
	for (size_t i = 0; i < plan->refusal_count; i++)
		changes_stay(&changes, plan->refusals[i].file);
	acting->changes = &changes;
	status = acting_do(acting, plan, host, error);
	if (status == 0 && acting->script.stream != NULL)
		status = write_script(tree, plan, host, &changes, error);
	if (status == 0)
		status = show(tree, &changes, error);
	if (status == 0)
		status = unindexed_report(&tree->request, &changes, &acting->left, error);
	if (status == 0)
		status = acting_conclude(acting, plan, error);
	acting->changes = NULL;
	changes_release(&changes);
	return status;
}

static int plan_tree(struct one_tree *tree, const char *host, struct simhash_error *error)
{
	struct tree_plan plan;
	int status;

	if (tree_plan(tree->files, tree->count, &tree->request, &plan, error) != 0)
		return -1;
	for (size_t i = 0; i < plan.acts.refusal_count; i++)
		acting_leave(tree->acting, plan.acts.refusals[i].file->path,
			     plan.acts.refusals[i].why);
	status = carry_out(tree, &plan.acts, host, error);
	tree_plan_release(&plan);
	return status;
}

static int read_index(struct one_tree *tree, const char *host, struct simhash_error *error)
{
	struct acting *acting = tree->acting;
	const struct keep_arguments *arguments = acting->arguments;
	struct simhash_tag_set *tags = NULL;
	struct store *store = NULL;
	char *url = NULL;
	bool has_files = false;
	int status = open_chosen_index(&arguments->index, &url, &store, error);

	if (status == 0)
		status = choose_tags(store, &tags, &has_files, error);
	if (status == 0)
		status = acting_open_script(acting, store, error);
	if (status == 0)
		status = tool_trees_init(&acting->tools, &arguments->operands, error);
	if (status == 0 && has_files)
		status = read_files(tree, store, tags, host, error);
	if (status == 0)
		status = leave_work_trees(tree, error);
	if (status == 0)
		status = covered_read(&acting->covered, &arguments->operands, store, tags, host,
				      error);
	if (status == 0)
		status = covered_add(&acting->covered, tree->request.destination, error);
	if (status == 0 && !has_files && !arguments->quiet)
		say(PROGRAM, EMPTY_INDEX);
	tool_trees_say(&acting->tools, true, arguments->quiet);
	if (status == 0)
		explain_destination(tree);
	store_close(store);
	free(url);
	simhash_tag_set_free(tags);
	return status;
}

int make_one_tree(struct acting *acting, const char *host, struct simhash_error *error)
{
	struct one_tree tree = {
		.acting = acting,
		.request = {.policy = &acting->policy, .merges = acting->arguments->merges}};
	int status = find_destination(&tree, error);

	if (status == 0)
		status = find_sources(&tree, error);
	if (status == 0)
		status = read_index(&tree, host, error);
	if (status == 0)
		status = plan_tree(&tree, host, error);
	arena_release(&tree.paths);
	free(tree.path);
	free(tree.files);
	free(tree.sources);
	free(tree.destination);
	return status;
}
