/*
 * Compares the sums of the review's model with a brute force over strings, in random trees, and
 * checks that one file of each content always stays.
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

#include "cli/review/marks.h"
#include "keep/decisions.h"
#include "random.h"

#define FILES_MAX 40

static struct simhash_error error;

static const char *const folders[] = {"", "/a", "/a/b", "/a/b/c", "/ab", "/d/e/f/g"};
#define FOLDERS (sizeof folders / sizeof *folders)

struct world {
	char paths[FILES_MAX][48];
	struct keep_file files[FILES_MAX];
	bool is_locked[FILES_MAX];
	enum review_mark marks[FILES_MAX];
	size_t count;
};

static size_t below(size_t limit)
{
	return (size_t)(next_random() % limit);
}

static void make_world(struct world *world, struct review_model *model)
{
	memset(world, 0, sizeof *world);
	*model = (struct review_model){.names = NULL};
	world->count = below(FILES_MAX + 1);
	for (size_t i = 0; i < world->count; i++) {
		struct keep_file *file = &world->files[i];
		snprintf(world->paths[i], sizeof world->paths[i], "%s/%c%02zu",
			 folders[below(FOLDERS)], "xyz"[below(3)], i);
		file->path = world->paths[i];
		file->hash[0] = (uint8_t)below(6);
		file->size_bytes = 10 * (1 + file->hash[0]);
		file->mtime_ns = (int64_t)below(4);
		file->device = 1;
		file->inode = below(2) == 0 ? 0 : 1 + below(3) + 10U * file->hash[0];
		world->is_locked[i] = below(9) == 0;
		assert_int_equal(review_add(model, file, world->is_locked[i], &error), 0);
	}
	assert_int_equal(review_finish(model, &error), 0);
}

/* ---- Brute force ---- */

static bool is_in(const char *path, const char *folder)
{
	size_t size = strlen(folder);

	return strncmp(path, folder, size) == 0 && path[size] == '/';
}

static bool are_one(const struct keep_file *x, const struct keep_file *y)
{
	return x == y || (x->hash[0] == y->hash[0] && x->inode != 0 && x->inode == y->inode);
}

/* Does a file have a name that comes before it in the list? */
static bool is_later_name(const struct world *world, size_t file)
{
	for (size_t i = 0; i < file; i++)
		if (are_one(&world->files[i], &world->files[file]))
			return true;
	return false;
}

static bool all_names_in(const struct world *world, size_t file, const char *folder)
{
	for (size_t i = 0; i < world->count; i++)
		if (are_one(&world->files[i], &world->files[file]) &&
		    (world->is_locked[i] || !is_in(world->paths[i], folder)))
			return false;
	return true;
}

static int64_t brute_frees(const struct world *world, const char *folder)
{
	int64_t sum = 0;

	for (unsigned content = 0; content < 6; content++) {
		int64_t inodes = 0, removable = 0;
		for (size_t i = 0; i < world->count; i++)
			if (world->files[i].hash[0] == content && !is_later_name(world, i)) {
				inodes++;
				removable += all_names_in(world, i, folder);
			}
		removable -= removable > 0 && removable == inodes;
		sum += removable * 10 * (1 + content);
	}
	return sum;
}

static int64_t brute_marked(const struct world *world, const char *folder)
{
	int64_t sum = 0;

	for (size_t i = 0; i < world->count; i++) {
		bool is_freed = !is_later_name(world, i) && all_names_in(world, i, folder);
		for (size_t k = 0; k < world->count; k++)
			if (are_one(&world->files[i], &world->files[k]) &&
			    world->marks[k] != MARK_REMOVE)
				is_freed = false;
		sum += is_freed ? world->files[i].size_bytes : 0;
	}
	return sum;
}

/* The number in the model, or REVIEW_NONE if the content frees nothing. */
static uint32_t number_of(const struct world *world, const struct review_model *model, size_t file)
{
	return review_find_file(model, world->paths[file], world->files[file].size_bytes,
				world->files[file].hash);
}

static void check_sums(const struct world *world, const struct review_model *model)
{
	for (size_t i = 0; i < FOLDERS; i++) {
		uint32_t folder = review_find_folder(model, bytes_of(folders[i]));
		if (folder == REVIEW_NONE)
			continue;
		assert_int_equal(model->folders[folder].frees_bytes,
				 brute_frees(world, folders[i]));
		assert_int_equal(model->folders[folder].marked_bytes,
				 brute_marked(world, folders[i]));
	}
}

/* The marks of the model are those of the world, and one file of each content is not removed. */
static void check_marks(const struct world *world, const struct review_model *model)
{
	for (size_t i = 0; i < world->count; i++) {
		uint32_t number = number_of(world, model, i);
		bool stays = false;
		if (number == REVIEW_NONE) {
			assert_int_equal(world->marks[i], MARK_NONE);
			continue;
		}
		assert_int_equal(model->files[number].mark, world->marks[i]);
		for (size_t k = 0; k < world->count; k++)
			stays = stays || (world->files[k].hash[0] == world->files[i].hash[0] &&
					  world->marks[k] != MARK_REMOVE);
		assert_true(stays);
	}
}

static void read_marks(struct world *world, const struct review_model *model)
{
	for (size_t i = 0; i < world->count; i++) {
		uint32_t number = number_of(world, model, i);
		world->marks[i] = number == REVIEW_NONE
					  ? MARK_NONE
					  : (enum review_mark)model->files[number].mark;
	}
}

/* ---- Tests ---- */

static void folders_free_as_much_as_a_brute_force_counts(void **state)
{
	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct world world;
		struct review_model model;
		make_world(&world, &model);
		check_sums(&world, &model);
		review_release(&model);
	}
}

static size_t others_staying(const struct world *world, size_t file)
{
	size_t count = 0;

	for (size_t k = 0; k < world->count; k++)
		count += k != file && world->files[k].hash[0] == world->files[file].hash[0] &&
			 world->marks[k] != MARK_REMOVE;
	return count;
}

static void one_file_of_each_content_stays(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct world world;
		struct review_model model;
		make_world(&world, &model);
		for (int k = 0; k < 60 && world.count > 0; k++) {
			size_t file = below(world.count);
			uint32_t number = number_of(&world, &model, file);
			enum review_mark mark = (enum review_mark)below(3);
			struct review_marked marked = {0};
			if (number == REVIEW_NONE)
				continue;
			review_begin_change(&model);
			assert_int_equal(review_mark_file(&model, number, mark, &marked, &error),
					 0);
			if (world.marks[file] == mark)
				assert_int_equal(marked.changed + marked.last + marked.locked, 0);
			else if (world.is_locked[file])
				assert_int_equal(marked.locked, 1);
			else if (mark == MARK_REMOVE && others_staying(&world, file) == 0)
				assert_int_equal(marked.last, 1);
			else
				world.marks[file] = mark;
			check_marks(&world, &model);
		}
		check_sums(&world, &model);
		review_release(&model);
	}
}

static void whole_folders_and_rules_can_be_taken_back(void **state)
{
	static const char *const rules[] = {"oldest",  "newest",    "shortest-path",
					    "in:/a/b", "not-in:/a", "match:x*"};

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct world world, before;
		struct review_model model;
		struct review_marked marked = {0};
		make_world(&world, &model);
		for (int k = 0; k < 6; k++) {
			uint32_t folder =
				review_find_folder(&model, bytes_of(folders[below(FOLDERS)]));
			struct keep_rule rule;
			before = world;
			if (folder == REVIEW_NONE)
				continue;
			marked = (struct review_marked){0};
			review_begin_change(&model);
			assert_int_equal(keep_rule_parse(rules[below(6)], &rule, &error), 0);
			assert_int_equal(
				below(2) == 0
					? review_mark_folder(&model, folder, MARK_REMOVE, &marked,
							     &error)
					: review_apply_rule(&model, folder, &rule, &marked, &error),
				0);
			read_marks(&world, &model);
			check_marks(&world, &model);
			check_sums(&world, &model);
			if (below(2) == 0 && marked.changed > 0) {
				assert_int_equal(review_undo(&model), marked.changed);
				check_marks(&before, &model);
				world = before;
				check_sums(&world, &model);
			}
		}
		while (review_undo(&model) > 0)
			;
		memset(world.marks, 0, sizeof world.marks);
		check_marks(&world, &model);
		assert_int_equal(model.kept + model.removed, 0);
		review_release(&model);
	}
}

/* Of /a/1 (old), /b/2 (new) and /c/3, the rule keeps one and removes the others of the folder. */
static void a_rule_keeps_the_best_file(void **state)
{
	static const struct {
		const char *rule, *folder;
		enum review_mark marks[3];
	} cases[] = {
		{"oldest", "", {MARK_KEEP, MARK_REMOVE, MARK_REMOVE}},
		{"newest", "", {MARK_REMOVE, MARK_KEEP, MARK_REMOVE}},
		{"newest", "/a", {MARK_REMOVE, MARK_KEEP, MARK_NONE}},
		{"in:/c", "/b", {MARK_NONE, MARK_REMOVE, MARK_KEEP}},
		{"in:/z", "", {MARK_NONE, MARK_NONE, MARK_NONE}},
		{"match:[0-9]", "/b", {MARK_KEEP, MARK_REMOVE, MARK_NONE}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct keep_file files[3] = {{.path = "/a/1", .size_bytes = 5, .mtime_ns = 1},
					     {.path = "/b/2", .size_bytes = 5, .mtime_ns = 9},
					     {.path = "/c/3", .size_bytes = 5, .mtime_ns = 4}};
		struct review_model model = {.names = NULL};
		struct review_marked marked = {0};
		struct keep_rule rule;
		uint32_t folder;
		for (int k = 0; k < 3; k++)
			assert_int_equal(review_add(&model, &files[k], false, &error), 0);
		assert_int_equal(review_finish(&model, &error), 0);
		assert_int_equal(keep_rule_parse(cases[i].rule, &rule, &error), 0);
		folder = review_find_folder(&model, bytes_of(cases[i].folder));
		assert_int_equal(review_apply_rule(&model, folder, &rule, &marked, &error), 0);
		for (uint32_t k = 0; k < 3; k++)
			assert_int_equal(model.files[k].mark, cases[i].marks[k]);
		review_release(&model);
	}
}

/* Apply a rule to /a/1 (old), /b/2 (new) and /c/3, one of which has a mark by hand. */
static void a_rule_leaves_marks_by_hand(void **state)
{
	static const struct {
		uint32_t file;
		enum review_mark by_hand, marks[3];
	} cases[] = {
		{1, MARK_KEEP, {MARK_KEEP, MARK_KEEP, MARK_REMOVE}},
		{2, MARK_REMOVE, {MARK_KEEP, MARK_REMOVE, MARK_REMOVE}},
		{0, MARK_REMOVE, {MARK_REMOVE, MARK_KEEP, MARK_REMOVE}},
		{1, MARK_NONE, {MARK_KEEP, MARK_REMOVE, MARK_REMOVE}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct keep_file files[3] = {{.path = "/a/1", .size_bytes = 5, .mtime_ns = 1},
					     {.path = "/b/2", .size_bytes = 5, .mtime_ns = 9},
					     {.path = "/c/3", .size_bytes = 5, .mtime_ns = 4}};
		struct review_model model = {.names = NULL};
		struct review_marked marked = {0};
		struct keep_rule rule;
		for (int k = 0; k < 3; k++)
			assert_int_equal(review_add(&model, &files[k], false, &error), 0);
		assert_int_equal(review_finish(&model, &error), 0);
		assert_int_equal(keep_rule_parse("newest", &rule, &error), 0);
		/* A mark that a rule has made is not by hand, unless it is made by hand again. */
		review_begin_change(&model);
		assert_int_equal(review_apply_rule(&model, 0, &rule, &marked, &error), 0);
		review_begin_change(&model);
		assert_int_equal(
			review_mark_file(&model, cases[i].file, cases[i].by_hand, &marked, &error),
			0);
		review_begin_change(&model);
		assert_int_equal(keep_rule_parse("oldest", &rule, &error), 0);
		assert_int_equal(review_apply_rule(&model, 0, &rule, &marked, &error), 0);
		for (uint32_t k = 0; k < 3; k++)
			assert_int_equal(model.files[k].mark, cases[i].marks[k]);
		/* Undo also takes back that it was by hand. */
		review_undo(&model);
		review_undo(&model);
		assert_int_equal(review_apply_rule(&model, 0, &rule, &marked, &error), 0);
		assert_int_equal(model.files[0].mark, MARK_KEEP);
		assert_int_equal(model.files[1].mark, MARK_REMOVE);
		assert_int_equal(model.files[2].mark, MARK_REMOVE);
		review_release(&model);
	}
}

struct passed {
	const struct decisions *expected;
	size_t files, others;
};

static int expect_decision(void *context, const struct keep_file *file, const struct bytes *other,
			   struct simhash_error *unused)
{
	struct passed *passed = context;

	(void)unused;
	if (file == NULL) {
		assert_int_equal(bytes_compare(*other, passed->expected->others[passed->others++]),
				 0);
		return 0;
	}
	assert_string_equal(file->path, passed->expected->files[passed->files].path);
	assert_int_equal(file->decision, passed->expected->files[passed->files++].decision);
	return 0;
}

/* Read line by line, the decisions are the same; a text of another form is not read. */
static void check_lines(char *text, size_t size, const struct decisions *expected)
{
	struct passed passed = {.expected = expected};
	FILE *file = fmemopen(text, size, "r");

	assert_int_equal(decisions_each(file, "it", "here", expect_decision, &passed, &error), 0);
	assert_int_equal(passed.files, expected->count);
	assert_int_equal(passed.others, expected->other_count);
	fclose(file);
	for (size_t cut = 1; cut < size; cut++) {
		file = fmemopen(text, size - cut, "r");
		assert_int_equal(
			decisions_each(file, "it", "here", expect_decision, &passed, &error), 1);
		fclose(file);
	}
}

/* What the writer writes, the reader reads. */
static void decisions_are_read_as_written(void **state)
{
	static const int64_t times[] = {0, 1, -1, INT64_C(1700000000123456789)};
	const char *paths[] = {"/a b", "/\xff\n\"", "/\xe2\x80\xae", "/x"};
	const struct decisions_heading heading = {.host = "here", .index = "sqlite:/x"};
	struct decisions_writer writer;
	struct decisions decisions;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	decisions_begin(&writer, out, &heading);
	for (size_t i = 0; i < 4; i++) {
		struct keep_file file = {.path = paths[i],
					 .size_bytes = i == 3 ? KEEP_SIZE_UNKNOWN : (int64_t)i,
					 .mtime_ns = times[i],
					 .hash = {(uint8_t)i},
					 .decision = i == 1 ? DECIDED_GIVE_UP : DECIDED_KEEP};
		if (i != 1)
			decisions_begin_group(&writer, file.hash);
		decisions_write_file(&writer, &file);
	}
	decisions_write_other(&writer, bytes_of("{\"path\":\"/o\",\"host\":\"there\",\"hash\":"
						"\"00000000000000000000000000000000\","
						"\"decision\":\"keep\"}"));
	decisions_end(&writer);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(
		decisions_read_all((struct bytes){text, size}, "it", "here", &decisions, &error),
		0);
	assert_int_equal(decisions.count, 4);
	assert_int_equal(decisions.other_count, 1);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(decisions.files[i].path, paths[i]);
		assert_int_equal(decisions.files[i].hash[0], i);
		assert_int_equal(decisions.files[i].size_bytes, i == 3 ? -1 : (int64_t)i);
		if (i < 3)
			assert_int_equal(decisions.files[i].mtime_ns, times[i]);
		assert_int_equal(decisions.files[i].decision,
				 i == 1 ? DECIDED_GIVE_UP : DECIDED_KEEP);
	}
	check_lines(text, size, &decisions);
	decisions_release(&decisions);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folders_free_as_much_as_a_brute_force_counts),
		cmocka_unit_test(one_file_of_each_content_stays),
		cmocka_unit_test(whole_folders_and_rules_can_be_taken_back),
		cmocka_unit_test(a_rule_keeps_the_best_file),
		cmocka_unit_test(a_rule_leaves_marks_by_hand),
		cmocka_unit_test(decisions_are_read_as_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
