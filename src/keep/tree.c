/*
 * Plans one tree from many: chooses a file and a place for each content.
 * SPDX-License-Identifier: MIT
 */
#include "keep/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "base/sort/sort.h"
#include "keep/tree_names.h"

/* A file in its tree. */
struct item {
	const struct keep_file *file;
	const char *place;  /* the path relative to its source */
	uint32_t directory; /* the name of the directory of the place */
	uint32_t source;
	const char *to;		    /* the new path if it moves; or NULL */
	const struct item *follows; /* it is another name of this file, which moves; or NULL */
};

struct planner {
	const struct tree_request *request;
	struct tree_plan *plan;
	struct item *items;
	size_t count;
	bool covers_destination; /* is the destination at or below a source? */
	struct tree_names names;
	struct item **moves;
	size_t move_count, act_capacity, refusal_capacity;
	struct simhash_error *error;
};

/* ---- Files in their trees ---- */

static bool is_below(struct bytes path, struct bytes top)
{
	return path.size > top.size && path_is_at_or_below(path, top);
}

uint32_t tree_source_of(const struct tree_request *request, struct bytes path)
{
	struct bytes deepest = request->destination;
	uint32_t source = is_below(path, deepest) ? TREE_DESTINATION : TREE_NOWHERE;

	for (uint32_t i = 0; i < request->source_count; i++) {
		struct bytes top = request->sources[i];
		if ((source != TREE_NOWHERE && top.size <= deepest.size) || !is_below(path, top))
			continue;
		deepest = top;
		source = i + 1;
	}
	return source;
}

static struct bytes source_path(const struct tree_request *request, uint32_t source)
{
	return source == TREE_DESTINATION ? request->destination : request->sources[source - 1];
}

static int take_file(struct planner *planner, struct keep_file *file)
{
	struct bytes path = bytes_of(file->path);
	uint32_t source = tree_source_of(planner->request, path);
	struct item *item = &planner->items[planner->count++];
	struct bytes above;

	file->is_protected = keep_is_protected(planner->request->policy, file->path);
	*item = (struct item){
		.file = file,
		.source = source,
		.place = file->path + source_path(planner->request, source).size + 1,
	};
	above = path_above(bytes_of(item->place));
	return tree_names_find(&planner->names, above, &item->directory, planner->error);
}

static int take_files(struct planner *planner, struct keep_file *files, size_t count)
{
	const struct tree_request *request = planner->request;
	uint32_t top;

	planner->items = calloc(count + 1, sizeof *planner->items);
	planner->moves = calloc(count + 1, sizeof(void *));
	if (planner->items == NULL || planner->moves == NULL)
		return error_set_memory(planner->error);
	for (size_t i = 0; i < request->source_count; i++)
		if (path_is_at_or_below(request->destination, request->sources[i]))
			planner->covers_destination = true;
	if (tree_names_find(&planner->names, (struct bytes){"", 0}, &top, planner->error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (take_file(planner, &files[i]) != 0)
			return -1;
	return 0;
}

/* Two empty files are only copies of each other if they have the same place. */
static int compare_contents(const struct item *x, const struct item *y)
{
	int64_t size = x->file->size_bytes;

	if (size != y->file->size_bytes)
		return size > y->file->size_bytes ? -1 : 1;
	if (size == 0)
		return strcmp(x->place, y->place);
	return memcmp(x->file->hash, y->file->hash, KEEP_HASH_SIZE);
}

static int compare_items(const void *a, const void *b, void *context)
{
	const struct item *x = a, *y = b;
	int order = compare_contents(x, y);

	(void)context;
	return order != 0 ? order : strcmp(x->file->path, y->file->path);
}

static size_t content_size(const struct planner *planner, size_t first)
{
	size_t end = first + 1;

	while (end < planner->count &&
	       compare_contents(&planner->items[first], &planner->items[end]) == 0)
		end++;
	return end - first;
}

/* Can the file be the one in the new tree? */
static bool is_candidate(const struct item *item)
{
	if (item->file->is_excluded || keep_is_left_over(item->file->path))
		return false;
	return item->source == TREE_DESTINATION || !item->file->is_protected;
}

/* ---- Directories that stay together ---- */

/* Count a content for the directories that it can have in its first source. */
static void count_directories(struct planner *planner, const struct item *items, size_t count,
			      uint32_t number)
{
	struct tree_name *last = NULL;
	uint32_t source = UINT32_MAX;
	size_t places = 0;

	for (size_t i = 0; i < count; i++)
		if (items[i].source < source && is_candidate(&items[i]))
			source = items[i].source;
	for (size_t i = 0; i < count; i++) {
		struct tree_name *directory = tree_names_at(&planner->names, items[i].directory);
		if (items[i].source != source || !is_candidate(&items[i]) ||
		    directory->seen == number)
			continue;
		directory->seen = number;
		directory->contents++;
		last = directory;
		places++;
	}
	if (places == 1)
		last->settled++;
}

static int compare_numbers(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

/*
 * Prefer the directory with the larger share of contents that can be nowhere else. All contents that two directories share then stay together in one of them.
 */
static int compare_directories(const struct planner *planner, uint32_t a, uint32_t b)
{
	const struct tree_name *x = tree_names_at(&planner->names, a);
	const struct tree_name *y = tree_names_at(&planner->names, b);
	uint64_t of_x = (uint64_t)x->settled * y->contents;
	uint64_t of_y = (uint64_t)y->settled * x->contents;

	if (a == b)
		return 0;
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	if (x->contents != y->contents)
		return x->contents > y->contents ? -1 : 1;
	return tree_names_compare(&planner->names, a, b);
}

/* Which of two files with the same content is in the new tree? */
static int compare_candidates(const struct planner *planner, const struct item *x,
			      const struct item *y)
{
	const struct keep_policy *policy = planner->request->policy;
	int order = keep_rules_decide(policy, x->file, y->file);

	if (order == 0)
		order = compare_numbers(x->source, y->source);
	if (order == 0)
		order = compare_directories(planner, x->directory, y->directory);
	if (order == 0)
		order = compare_numbers(x->file->mtime_ns, y->file->mtime_ns);
	if (order == 0)
		order = compare_numbers((int64_t)strlen(x->file->path),
					(int64_t)strlen(y->file->path));
	return order != 0 ? order : strcmp(x->file->path, y->file->path);
}

/* The file of a content that is, or will be, in the destination; NULL: none. */
static const struct item *choose(const struct planner *planner, const struct item *items,
				 size_t count)
{
	const struct item *best = NULL;

	for (size_t i = 0; i < count; i++) {
		bool is_there = items[i].source == TREE_DESTINATION;
		if (!is_candidate(&items[i]) || (planner->request->merges && !is_there))
			continue;
		if (best == NULL || (is_there && best->source != TREE_DESTINATION) ||
		    (is_there == (best->source == TREE_DESTINATION) &&
		     compare_candidates(planner, &items[i], best) < 0))
			best = &items[i];
	}
	return best;
}

/* ---- Deletions ---- */

static int add_act(struct planner *planner, struct planned_act act)
{
	struct plan *plan = &planner->plan->acts;

	if (array_reserve(&plan->acts, &planner->act_capacity, plan->count + 1, sizeof *plan->acts,
			  planner->error) != 0)
		return -1;
	plan->acts[plan->count++] = act;
	return 0;
}

static int refuse(struct planner *planner, const struct item *item, const char *why)
{
	struct plan *plan = &planner->plan->acts;

	if (array_reserve(&plan->refusals, &planner->refusal_capacity, plan->refusal_count + 1,
			  sizeof *plan->refusals, planner->error) != 0)
		return -1;
	plan->refusals[plan->refusal_count++] = (struct planned_refusal){item->file, why};
	return 0;
}

static int drop(struct planner *planner, struct item *item, const struct item *kept)
{
	const struct keep_file *x = item->file, *y = kept->file;
	bool is_same = x->inode != 0 && x->inode == y->inode && x->device == y->device;

	if (planner->request->policy->action != ACTION_DELETE && !planner->request->merges)
		return 0;
	if (is_same && (kept->source == TREE_DESTINATION || y->device == planner->request->device))
		return refuse(planner, item, "it is another name (hard link) of a kept file");
	item->follows = is_same ? kept : NULL;
	if (is_same)
		return 0;
	return add_act(planner,
		       (struct planned_act){.file = x, .kept = y, .action = ACTION_DELETE});
}

static int plan_file(struct planner *planner, struct item *item, const struct item *best)
{
	bool moves = item == best || (planner->request->merges && best == NULL);

	if (item->file->is_excluded ||
	    (item->source == TREE_DESTINATION && (item == best || planner->request->merges ||
						  !planner->covers_destination || best == NULL)))
		return 0;
	if (keep_is_left_over(item->file->path))
		return refuse(planner, item, "an interrupted act left it; see --undo");
	if (item->file->is_protected) {
		planner->plan->acts.protected_count++;
		return 0;
	}
	if (best != NULL && !moves)
		return drop(planner, item, best);
	planner->moves[planner->move_count++] = item;
	return 0;
}

static int plan_contents(struct planner *planner)
{
	uint32_t number = 1;

	sort_with(planner->items, planner->count, sizeof *planner->items, compare_items, NULL);
	for (size_t i = 0, size; i < planner->count; i += size) {
		size = content_size(planner, i);
		count_directories(planner, &planner->items[i], size, number++);
	}
	for (size_t i = 0, size; i < planner->count; i += size) {
		struct item *items = &planner->items[i];
		const struct item *best;
		size = content_size(planner, i);
		best = choose(planner, items, size);
		for (size_t j = 0; j < size; j++)
			if (plan_file(planner, &items[j], best) != 0)
				return -1;
	}
	return 0;
}

/* ---- Places ---- */

/* Note that a name and all names above it are directories. */
static void use_directory(struct planner *planner, uint32_t number)
{
	for (; number != 0 && !tree_names_at(&planner->names, number)->is_directory;
	     number = tree_names_at(&planner->names, number)->parent)
		tree_names_at(&planner->names, number)->is_directory = true;
}

/* Is a name, or a name above it, a file that stays? */
static bool is_blocked(const struct planner *planner, uint32_t number)
{
	while (number != 0 && !tree_names_at(&planner->names, number)->is_file)
		number = tree_names_at(&planner->names, number)->parent;
	return number != 0;
}

/* Take the names of the files and sources that are in the destination now. */
static int take_present(struct planner *planner)
{
	const struct tree_request *request = planner->request;
	size_t top = request->destination.size;
	uint32_t number;

	for (size_t i = 0; i < request->source_count; i++) {
		struct bytes path = request->sources[i];
		if (path.size <= top || !path_is_at_or_below(path, request->destination))
			continue;
		if (tree_names_find(&planner->names, bytes_after(path, top + 1), &number,
				    planner->error) != 0)
			return -1;
		use_directory(planner, number);
	}
	for (size_t i = 0; i < planner->count; i++) {
		const struct item *item = &planner->items[i];
		if (item->source != TREE_DESTINATION)
			continue;
		if (tree_names_find(&planner->names, bytes_of(item->place), &number,
				    planner->error) != 0)
			return -1;
		tree_names_at(&planner->names, number)->is_file = true;
		use_directory(planner, item->directory);
	}
	return 0;
}

/* Join the destination, the directory of an item's place, and a name. NULL if memory is short. */
static char *target_of(const struct planner *planner, const struct item *item, struct bytes name)
{
	struct bytes top = planner->request->destination;
	struct bytes above = path_above(bytes_of(item->place));
	char *text = arena_take(&planner->plan->texts, top.size + above.size + name.size + 3);

	if (text == NULL)
		error_set_memory(planner->error);
	else
		sprintf(text, "%.*s/%.*s%s%.*s", (int)top.size, top.data, (int)above.size,
			above.data, above.size == 0 ? "" : "/", (int)name.size, name.data);
	return text;
}

/* Find the directory of a file. *goes: the file can go there. */
static int take_directory(struct planner *planner, const struct item *item, bool *goes)
{
	const char *to = target_of(planner, item, bytes_of(path_name(item->place)));
	const char *why = "a file in the destination has the name of its directory";

	*goes = false;
	if (to == NULL)
		return -1;
	if (tree_source_of(planner->request, bytes_of(to)) != TREE_DESTINATION)
		return refuse(planner, item, "its place is in one of the directories to empty");
	if (keep_is_protected(planner->request->policy, to))
		return refuse(planner, item, "its place in the destination is protected");
	if (is_blocked(planner, item->directory))
		return refuse(planner, item, why);
	*goes = true;
	return 0;
}

static int add_move(struct planner *planner, struct item *item, const char *to)
{
	item->to = to;
	return to == NULL ? -1
			  : add_act(planner, (struct planned_act){.file = item->file,
								  .action = ACTION_MOVE,
								  .to = to});
}

/* Give a file its own name; *is_taken: another file or a directory has it. */
static int take_name(struct planner *planner, struct item *item, bool *is_taken)
{
	struct bytes name = bytes_of(path_name(item->place));
	uint32_t number = item->directory;
	struct tree_name *own;

	if (tree_names_step(&planner->names, &number, name, planner->error) != 0)
		return -1;
	own = tree_names_at(&planner->names, number);
	*is_taken = own->is_file || own->is_directory;
	if (*is_taken)
		return 0;
	own->is_file = true;
	return add_move(planner, item, target_of(planner, item, name));
}

/* The size of a name without its extension, such as ".jpg" or ".tar.gz". */
static size_t stem_size(const char *name)
{
	const char *dot = strrchr(name, '.');
	size_t size = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);

	return size > 4 && dot != NULL && memcmp(name + size - 4, ".tar", 4) == 0 ? size - 4 : size;
}

/* Give a file a name with a number: "name (2).ext". */
static int take_other_name(struct planner *planner, struct item *item)
{
	const char *name = path_name(item->place);
	size_t stem = stem_size(name);
	uint32_t number = item->directory;
	char *text = arena_take(&planner->plan->texts, strlen(name) + 16);

	/* Usually it is the rest of a failed copy, so a person must decide. */
	if (item->file->size_bytes == 0)
		return refuse(planner, item,
			      "it is empty, and its name in the destination is taken");
	if (text == NULL)
		return error_set_memory(planner->error);
	for (unsigned i = 2;; i++) {
		sprintf(text, "%.*s (%u)%s", (int)stem, name, i, name + stem);
		if (!tree_names_has(&planner->names, item->directory, bytes_of(text)))
			break;
	}
	if (tree_names_step(&planner->names, &number, bytes_of(text), planner->error) != 0)
		return -1;
	tree_names_at(&planner->names, number)->is_file = true;
	return add_move(planner, item, target_of(planner, item, bytes_of(text)));
}

/* Which of two versions keeps its name, if both would get the same path? Never an empty one. */
static int compare_versions(const void *a, const void *b, void *context)
{
	const struct planner *planner = context;
	const struct item *x = *(const struct item *const *)a, *y = *(const struct item *const *)b;
	int order = (x->file->size_bytes == 0) - (y->file->size_bytes == 0);

	if (order == 0)
		order = keep_rules_decide(planner->request->policy, x->file, y->file);
	if (order == 0)
		order = compare_numbers(y->file->mtime_ns, x->file->mtime_ns);
	if (order == 0)
		order = compare_numbers(x->source, y->source);
	return order != 0 ? order : strcmp(x->file->path, y->file->path);
}

static int compare_acts(const void *a, const void *b, void *context)
{
	const struct planned_act *x = a, *y = b;

	(void)context;
	return path_compare(bytes_of(x->file->path), bytes_of(y->file->path));
}

static void sort_acts(struct planner *planner, size_t first)
{
	struct plan *plan = &planner->plan->acts;

	if (plan->count > first)
		sort_with(plan->acts + first, plan->count - first, sizeof *plan->acts, compare_acts,
			  NULL);
}

static int place_moves(struct planner *planner)
{
	size_t first = planner->plan->acts.count, kept = 0;
	bool is_kept;

	if (take_present(planner) != 0)
		return -1;
	for (size_t i = 0; i < planner->move_count; i++) {
		if (take_directory(planner, planner->moves[i], &is_kept) != 0)
			return -1;
		if (is_kept)
			planner->moves[kept++] = planner->moves[i];
	}
	planner->move_count = kept;
	for (size_t i = 0; i < kept; i++)
		use_directory(planner, planner->moves[i]->directory);
	sort_with(planner->moves, kept, sizeof(void *), compare_versions, planner);
	for (size_t i = planner->move_count = 0; i < kept; i++) {
		if (take_name(planner, planner->moves[i], &is_kept) != 0)
			return -1;
		if (is_kept)
			planner->moves[planner->move_count++] = planner->moves[i];
	}
	for (size_t i = 0; i < planner->move_count; i++)
		if (take_other_name(planner, planner->moves[i]) != 0)
			return -1;
	sort_acts(planner, first);
	return 0;
}

/* A copy on another file system does not have the other names of the file, so delete them. */
static int drop_names_of_moves(struct planner *planner)
{
	size_t first = planner->plan->acts.count;

	for (size_t i = 0; i < planner->count; i++) {
		const struct item *item = &planner->items[i], *moved = item->follows;
		if (moved == NULL)
			continue;
		if (moved->to == NULL
			    ? refuse(planner, item,
				     "it is another name (hard link) of a file that does not "
				     "move") != 0
			    : add_act(planner, (struct planned_act){.file = item->file,
								    .kept = moved->file,
								    .action = ACTION_DELETE,
								    .to = moved->to}) != 0)
			return -1;
	}
	sort_acts(planner, first);
	return 0;
}

int tree_plan(struct keep_file *files, size_t count, const struct tree_request *request,
	      struct tree_plan *plan, struct simhash_error *error)
{
	struct planner planner = {.request = request, .plan = plan, .error = error};
	int status;

	*plan = (struct tree_plan){.acts = {.acts = NULL}};
	status = take_files(&planner, files, count);
	if (status == 0)
		status = plan_contents(&planner);
	if (status == 0)
		status = place_moves(&planner);
	if (status == 0)
		status = drop_names_of_moves(&planner);
	tree_names_release(&planner.names);
	free(planner.moves);
	free(planner.items);
	if (status != 0)
		tree_plan_release(plan);
	return status;
}

void tree_plan_release(struct tree_plan *plan)
{
	plan_release(&plan->acts);
	arena_release(&plan->texts);
}
