/*
 * Carries out plans of one tree from many on lists of paths, and compares them with rules that were
 * written from docs/apply.md.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keep/tree.h"
#include "random.h"

#define FILES_MAX 14
#define ROUNDS 30000

static uint64_t below(uint64_t limit)
{
	return next_random() % limit;
}

static struct simhash_error error;

struct world {
	char paths[FILES_MAX][64];
	struct keep_file files[FILES_MAX]; /* in any order; the paths have the order of creation */
	size_t count;
	struct keep_policy policy;
	struct bytes protected[1];
	struct bytes sources[4];
	struct tree_request request;
};

static bool is_at_or_below(const char *path, const char *top)
{
	size_t size = strlen(top);

	return strncmp(path, top, size) == 0 && (path[size] == '\0' || path[size] == '/');
}

static bool is_protected(const struct world *world, const char *path)
{
	return world->policy.protected_count > 0 && is_at_or_below(path, world->protected[0].data);
}

/* Can both paths be files of one file system? */
static bool can_coexist(const char *x, const char *y)
{
	return !is_at_or_below(x, y) && !is_at_or_below(y, x);
}

static const char *destination_of(const struct world *world)
{
	return world->request.destination.data;
}

/* 0 for the destination, or 1 and more for a source: the longest directory that has the path. */
static size_t tree_of(const struct world *world, const char *path)
{
	size_t best = 99, size = 0;

	for (size_t i = 0; i <= world->request.source_count; i++) {
		const char *top = i == 0 ? destination_of(world) : world->sources[i - 1].data;
		if (is_at_or_below(path, top) && (best == 99 || strlen(top) > size)) {
			best = i;
			size = strlen(top);
		}
	}
	return best;
}

static const char *place_of(const struct world *world, const char *path)
{
	size_t tree = tree_of(world, path);

	return path + 1 + strlen(tree == 0 ? destination_of(world) : world->sources[tree - 1].data);
}

static bool is_same(const struct world *world, const struct keep_file *x, const struct keep_file *y)
{
	return x->size_bytes == y->size_bytes && x->hash[0] == y->hash[0] &&
	       (x->size_bytes != 0 ||
		strcmp(place_of(world, x->path), place_of(world, y->path)) == 0);
}

static void add_file(struct world *world)
{
	static const char *const tops[] = {"/a", "/b", "/p", "/p/x", "/p/d", "/a/m"};
	static const char *const places[] = {"f.t",   "f (2).t", "d",	  "d/f.t", "d/g",
					     "d/e/g", "e",	 "e/f.t", "x",	   "m/h"};
	struct keep_file *file = &world->files[world->count];
	char *path = world->paths[world->count];

	snprintf(path, sizeof world->paths[0], "%s/%s", tops[below(6)], places[below(10)]);
	if (tree_of(world, path) == 99)
		return;
	for (size_t i = 0; i < world->count; i++)
		if (!can_coexist(path, world->paths[i]))
			return;
	for (size_t i = 0; i <= world->request.source_count; i++)
		if (is_at_or_below(i == 0 ? destination_of(world) : world->sources[i - 1].data,
				   path))
			return;
	*file = (struct keep_file){.path = path, .mtime_ns = (int64_t)below(4)};
	file->hash[0] = (uint8_t)below(6);
	file->size_bytes = file->hash[0] == 0 ? 0 : 1 + file->hash[0] % 2;
	file->is_excluded = below(20) == 0;
	if (below(3) == 0)
		file->inode = 100 + file->hash[0]; /* names of one file have one content */
	/* Files of one tree may be on several file systems, which use the same inode numbers. */
	file->device = below(3);
	world->count++;
}

static const char *const rules[] = {"newest", "in:/b", "longest-name", "shortest-path"};

static void make_world(struct world *world, bool merges)
{
	static const char *const destinations[] = {"/p", "/a/m", "/a", "/new", "/p/x"};
	static const char *const tops[] = {"/a", "/b", "/p/x", "/p/d"};
	static const char *const protected[] = {"/b/d", "/p/d/e", "/new/d"};

	memset(world, 0, sizeof *world);
	world->request = (struct tree_request){.policy = &world->policy,
					       .sources = world->sources,
					       .merges = merges,
					       .destination = bytes_of(destinations[below(5)])};
	for (size_t i = 0; i < 4; i++)
		if (below(3) > 0)
			world->sources[world->request.source_count++] = bytes_of(tops[i]);
	world->policy.action = below(3) == 0 ? ACTION_REPORT : ACTION_DELETE;
	if (below(2) == 0)
		keep_rule_parse(rules[below(4)], &world->policy.rules[world->policy.rule_count++],
				&error);
	world->policy.protected = world->protected;
	if (below(6) == 0)
		world->protected[world->policy.protected_count++] = bytes_of(protected[below(3)]);
	for (size_t i = 1 + below(FILES_MAX); i > 0; i--)
		add_file(world);
}

/* ---- Carrying out ---- */

static struct keep_file *find_path(struct world *world, const char *path)
{
	for (size_t i = 0; i < world->count; i++)
		if (strcmp(world->files[i].path, path) == 0)
			return &world->files[i];
	return NULL;
}

/* No other file, and no directory that existed at the beginning, has the new name. */
static void check_target(const struct world *before, const struct world *now, const char *to)
{
	for (size_t i = 0; i < now->count; i++)
		assert_true(can_coexist(now->files[i].path, to));
	for (size_t i = 0; i < before->count; i++)
		assert_false(is_at_or_below(before->files[i].path, to));
	for (size_t i = 0; i < before->request.source_count; i++)
		assert_false(is_at_or_below(before->sources[i].data, to));
	assert_int_equal(tree_of(before, to), 0);
	assert_false(is_protected(before, to));
}

static void do_act(const struct world *before, struct world *now, const struct planned_act *act)
{
	struct keep_file *file = find_path(now, act->file->path), *kept;
	size_t tree = tree_of(before, act->file->path);

	assert_non_null(file);
	assert_false(file->is_excluded);
	assert_false(is_protected(before, file->path));
	if (act->action == ACTION_DELETE) {
		bool is_link = file->inode != 0 && file->inode == act->kept->inode &&
			       file->device == act->kept->device;
		/* A copy on another file system is kept for other names, and it is there already. */
		kept = find_path(now, is_link ? act->to : act->kept->path);
		assert_non_null(kept);
		assert_true(kept != file && is_same(before, kept, file) && !kept->is_excluded);
		assert_true(is_link == (act->to != NULL));
		assert_true(!is_link || file->device != before->request.device);
		*file = now->files[--now->count];
		return;
	}
	assert_int_equal(act->action, ACTION_MOVE);
	assert_true(tree > 0);
	check_target(before, now, act->to);
	file->path = strdup(act->to);
	assert_non_null(file->path);
}

/* The world after all acts. Its new paths are not freed before the end of the test. */
static void carry_out(const struct world *before, const struct tree_plan *plan, struct world *after)
{
	*after = *before;
	after->request.policy = &after->policy;
	after->request.sources = after->sources;
	after->policy.protected = after->protected;
	for (size_t i = 0; i < plan->acts.count; i++)
		do_act(before, after, &plan->acts.acts[i]);
}

static void release_world(const struct world *before, struct world *after)
{
	for (size_t i = 0; i < after->count; i++) {
		bool is_old = false;
		for (size_t j = 0; j < before->count; j++)
			is_old = is_old || before->files[j].path == after->files[i].path;
		if (!is_old)
			free((char *)(uintptr_t)after->files[i].path);
	}
}

static size_t copies_of(const struct world *world, const struct keep_file *file, bool only_there)
{
	size_t count = 0;

	for (size_t i = 0; i < world->count; i++)
		count += is_same(world, &world->files[i], file) && !world->files[i].is_excluded &&
			 (!only_there || tree_of(world, world->files[i].path) == 0);
	return count;
}

static bool covers_destination(const struct world *world)
{
	for (size_t i = 0; i < world->request.source_count; i++)
		if (is_at_or_below(destination_of(world), world->sources[i].data))
			return true;
	return false;
}

static bool had_nothing(const struct world *world)
{
	for (size_t i = 0; i < world->count; i++)
		if (tree_of(world, world->files[i].path) == 0)
			return false;
	return true;
}

/* Each content exists; without obstacles, it is in the destination once, and nothing else is left. */
static void check_result(const struct world *before, const struct tree_plan *plan,
			 const struct world *after)
{
	bool is_complete = plan->acts.refusal_count == 0 && plan->acts.protected_count == 0;
	bool deletes = before->policy.action == ACTION_DELETE && !before->request.merges;

	for (size_t i = 0; i < before->count; i++) {
		const struct keep_file *file = &before->files[i];
		if (file->is_excluded)
			continue;
		if (file->size_bytes > 0)
			assert_true(copies_of(after, file, false) > 0);
		if (is_complete && file->size_bytes > 0)
			assert_true(copies_of(after, file, true) > 0);
		if (is_complete && deletes && file->size_bytes > 0 &&
		    (covers_destination(before) || had_nothing(before)))
			assert_true(copies_of(after, file, true) == 1 || file->inode != 0);
	}
	for (size_t i = 0; i < after->count; i++)
		if (is_complete && (deletes || before->request.merges))
			assert_true(tree_of(before, after->files[i].path) == 0 ||
				    after->files[i].is_excluded);
}

static void plans_lose_and_overwrite_nothing(void **state)
{
	size_t acts = 0, refusals = 0, complete = 0, names = 0;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct world world, after;
		struct tree_plan plan, again;
		bool was_refused;
		make_world(&world, round % 3 == 0);
		assert_int_equal(tree_plan(world.files, world.count, &world.request, &plan, &error),
				 0);
		carry_out(&world, &plan, &after);
		check_result(&world, &plan, &after);
		acts += plan.acts.count;
		for (size_t i = 0; i < plan.acts.count; i++)
			names += plan.acts.acts[i].action == ACTION_DELETE &&
				 plan.acts.acts[i].to != NULL;
		refusals += plan.acts.refusal_count;
		was_refused = plan.acts.refusal_count > 0;
		complete += !was_refused && plan.acts.count > 0;
		/* Planning again gives nothing to do. */
		assert_int_equal(
			tree_plan(after.files, after.count, &after.request, &again, &error), 0);
		assert_true(again.acts.count == 0 || was_refused);
		tree_plan_release(&again);
		tree_plan_release(&plan);
		release_world(&world, &after);
	}
	assert_true(acts > ROUNDS && refusals > ROUNDS / 10 && complete > ROUNDS / 4);
	assert_true(names > ROUNDS / 200);
}

/* ---- Which file, and which name ---- */

static bool is_candidate(const struct world *world, const struct keep_file *file)
{
	size_t tree = tree_of(world, file->path);

	return !file->is_excluded && (tree == 0 || !is_protected(world, file->path));
}

/* The directory of a place in `text`. */
static const char *directory_of(const struct world *world, const struct keep_file *file, char *text)
{
	char *slash;

	snprintf(text, 64, "/%s", place_of(world, file->path));
	slash = strrchr(text, '/');
	*slash = '\0';
	return text;
}

/* The first source that has a content. */
static size_t first_tree(const struct world *world, const struct keep_file *file)
{
	size_t first = 99;

	for (size_t i = 0; i < world->count; i++)
		if (is_candidate(world, &world->files[i]) &&
		    is_same(world, &world->files[i], file) &&
		    tree_of(world, world->files[i].path) < first)
			first = tree_of(world, world->files[i].path);
	return first;
}

/* Count the contents that can be in a directory, and the contents that can only be there. */
static void count_directory(const struct world *world, const char *directory, uint64_t *all,
			    uint64_t *only)
{
	char text[64];

	*all = *only = 0;
	for (size_t i = 0; i < world->count; i++) {
		const struct keep_file *file = &world->files[i];
		bool is_first = true, is_only = true;
		size_t tree = first_tree(world, file);
		if (!is_candidate(world, file) || tree_of(world, file->path) != tree ||
		    strcmp(directory_of(world, file, text), directory) != 0)
			continue;
		for (size_t j = 0; j < world->count; j++) {
			const struct keep_file *other = &world->files[j];
			bool is_here = strcmp(directory_of(world, other, text), directory) == 0;
			if (!is_candidate(world, other) || !is_same(world, file, other) ||
			    tree_of(world, other->path) != tree)
				continue;
			is_first = is_first && (j >= i || !is_here);
			is_only = is_only && is_here;
		}
		*all += is_first;
		*only += is_first && is_only;
	}
}

static int sign(int64_t x)
{
	return (x > 0) - (x < 0);
}

/* Positive: the rule prefers x. */
static int by_rule(const struct world *world, const struct keep_file *x, const struct keep_file *y)
{
	enum keep_order order = world->policy.rules[0].order;

	if (world->policy.rule_count == 0)
		return 0;
	if (order == KEEP_NEWEST)
		return sign(x->mtime_ns - y->mtime_ns);
	if (order == KEEP_IN)
		return is_at_or_below(x->path, "/b") - is_at_or_below(y->path, "/b");
	if (order == KEEP_LONGEST_NAME)
		return sign((int64_t)strlen(strrchr(x->path, '/')) -
			    (int64_t)strlen(strrchr(y->path, '/')));
	return sign((int64_t)strlen(y->path) - (int64_t)strlen(x->path));
}

static int by_directory(const struct world *world, const struct keep_file *x,
			const struct keep_file *y)
{
	uint64_t all_x, all_y, only_x, only_y;
	char of_x[64], of_y[64];

	directory_of(world, x, of_x);
	directory_of(world, y, of_y);
	if (strcmp(of_x, of_y) == 0)
		return 0;
	count_directory(world, of_x, &all_x, &only_x);
	count_directory(world, of_y, &all_y, &only_y);
	if (only_x * all_y != only_y * all_x)
		return only_x * all_y > only_y * all_x ? 1 : -1;
	if (all_x != all_y)
		return all_x > all_y ? 1 : -1;
	if (strlen(of_x) != strlen(of_y))
		return strlen(of_x) < strlen(of_y) ? 1 : -1;
	return strcmp(of_x, of_y) < 0 ? 1 : -1;
}

static int prefers(const struct world *world, const struct keep_file *x, const struct keep_file *y)
{
	size_t tree_x = tree_of(world, x->path), tree_y = tree_of(world, y->path);
	int order = (tree_x == 0) - (tree_y == 0);

	if (order == 0)
		order = by_rule(world, x, y);
	if (order == 0)
		order = sign((int64_t)tree_y - (int64_t)tree_x);
	if (order == 0)
		order = by_directory(world, x, y);
	if (order == 0)
		order = sign(y->mtime_ns - x->mtime_ns);
	if (order == 0)
		order = sign((int64_t)strlen(y->path) - (int64_t)strlen(x->path));
	return order != 0 ? order : -sign(strcmp(x->path, y->path));
}

static const struct keep_file *best_of(const struct world *world, const struct keep_file *file)
{
	const struct keep_file *best = NULL;

	for (size_t i = 0; i < world->count; i++)
		if (is_candidate(world, &world->files[i]) &&
		    is_same(world, &world->files[i], file) &&
		    (best == NULL || prefers(world, &world->files[i], best) > 0))
			best = &world->files[i];
	return best;
}

static void the_best_file_of_a_content_is_kept(void **state)
{
	size_t moves = 0;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct world world;
		struct tree_plan plan;
		make_world(&world, false);
		assert_int_equal(tree_plan(world.files, world.count, &world.request, &plan, &error),
				 0);
		for (size_t i = 0; i < plan.acts.count; i++) {
			const struct planned_act *act = &plan.acts.acts[i];
			const struct keep_file *best = best_of(&world, act->file);
			assert_string_equal(best->path,
					    act->kept != NULL ? act->kept->path : act->file->path);
			moves += act->kept == NULL;
		}
		tree_plan_release(&plan);
	}
	assert_true(moves > ROUNDS / 2);
}

/* Does a name have the form "name (2).ext" of another name? */
static bool is_numbered(const char *name, const char *of)
{
	const char *dot = strrchr(of, '.');
	size_t stem = dot == NULL ? strlen(of) : (size_t)(dot - of);
	char *end;

	if (strncmp(name, of, stem) != 0 || strncmp(name + stem, " (", 2) != 0)
		return false;
	return strtol(name + stem + 2, &end, 10) >= 2 && *end == ')' &&
	       strcmp(end + 1, of + stem) == 0;
}

static void check_name(const struct world *world, const struct tree_plan *plan,
		       const struct planned_act *act)
{
	char own[128];
	bool is_taken = false;

	snprintf(own, sizeof own, "%s/%s", destination_of(world), place_of(world, act->file->path));
	for (size_t i = 0; i < plan->acts.count; i++) {
		const struct planned_act *other = &plan->acts.acts[i];
		if (other->action != ACTION_MOVE || other == act)
			continue;
		/* The version that has the name is better. */
		if (strcmp(other->to, own) == 0) {
			int order = by_rule(world, other->file, act->file);
			if (order == 0)
				order = sign(other->file->mtime_ns - act->file->mtime_ns);
			assert_true(order >= 0 && other->file->size_bytes > 0);
		}
		is_taken = is_taken || !can_coexist(own, other->to);
	}
	for (size_t i = 0; i < world->count; i++)
		is_taken = is_taken || !can_coexist(own, world->files[i].path);
	for (size_t i = 0; i < world->request.source_count; i++)
		is_taken = is_taken || is_at_or_below(world->sources[i].data, own);
	if (!is_taken)
		assert_string_equal(act->to, own);
	if (strcmp(act->to, own) == 0)
		return;
	assert_true(act->file->size_bytes > 0);
	assert_int_equal(strrchr(act->to, '/') - act->to, strrchr(own, '/') - own);
	assert_memory_equal(act->to, own, (size_t)(strrchr(own, '/') - own));
	assert_true(is_numbered(strrchr(act->to, '/') + 1, strrchr(own, '/') + 1));
}

static void the_best_version_has_the_name(void **state)
{
	size_t numbered = 0;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct world world;
		struct tree_plan plan;
		make_world(&world, round % 3 == 0);
		assert_int_equal(tree_plan(world.files, world.count, &world.request, &plan, &error),
				 0);
		for (size_t i = 0; i < plan.acts.count; i++) {
			const struct planned_act *act = &plan.acts.acts[i];
			if (act->action != ACTION_MOVE)
				continue;
			check_name(&world, &plan, act);
			numbered += strchr(act->to, '(') != NULL;
		}
		tree_plan_release(&plan);
	}
	assert_true(numbered > ROUNDS / 50);
}

static void a_merge_removes_only_what_the_destination_has(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct world world;
		struct tree_plan plan;
		make_world(&world, true);
		assert_int_equal(tree_plan(world.files, world.count, &world.request, &plan, &error),
				 0);
		for (size_t i = 0; i < plan.acts.count; i++) {
			const struct planned_act *act = &plan.acts.acts[i];
			assert_true(tree_of(&world, act->file->path) > 0);
			assert_true((copies_of(&world, act->file, true) > 0) ==
				    (act->action == ACTION_DELETE));
			assert_true(act->kept == NULL || tree_of(&world, act->kept->path) == 0);
		}
		tree_plan_release(&plan);
	}
}

static void extensions_stay_at_the_end(void **state)
{
	static const char *const names[] = {"a.tar.gz", ".profile", "no extension", "b.jpg"};
	static const char *const expected[] = {"/d/.profile (2)", "/d/a (2).tar.gz", "/d/b (2).jpg",
					       "/d/no extension (2)"};
	const struct keep_policy policy = {.action = ACTION_REPORT};
	const struct bytes source = bytes_of("/s");
	const struct tree_request request = {.policy = &policy,
					     .destination = bytes_of("/d"),
					     .sources = &source,
					     .source_count = 1};
	struct keep_file files[8];
	char paths[8][32];
	struct tree_plan plan;

	(void)state;
	memset(files, 0, sizeof files);
	for (size_t i = 0; i < 8; i++) {
		snprintf(paths[i], sizeof paths[i], "/%s/%s", i < 4 ? "s" : "d", names[i % 4]);
		files[i].path = paths[i];
		files[i].size_bytes = 1 + (int64_t)i;
	}
	assert_int_equal(tree_plan(files, 8, &request, &plan, &error), 0);
	assert_int_equal(plan.acts.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(plan.acts.acts[i].to, expected[i]);
	tree_plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_lose_and_overwrite_nothing),
		cmocka_unit_test(the_best_file_of_a_content_is_kept),
		cmocka_unit_test(the_best_version_has_the_name),
		cmocka_unit_test(a_merge_removes_only_what_the_destination_has),
		cmocka_unit_test(extensions_stay_at_the_end),
	};

	random_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
