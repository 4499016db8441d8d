/*
 * Tests a plan with different actions: moves to given paths, deletion against files that the same
 * plan moves, and undoing all of it.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "act/acting/act.h"
#include "act/undo/undo.h"
#include "base/files/open_file.h"

#define FILES_MAX 8

static char top[] = "/tmp/test_act.XXXXXX";
static char paths[FILES_MAX][64], targets[FILES_MAX][64];
static struct keep_file files[FILES_MAX];
static struct planned_act acts[FILES_MAX];
static struct act_result results[FILES_MAX];
static struct simhash_error error;

static const char *read_text(const char *path)
{
	static char text[64];
	FILE *in = fopen(path, "r");
	size_t size;

	if (in == NULL)
		return "(none)";
	size = fread(text, 1, sizeof text - 1, in);
	text[size] = '\0';
	fclose(in);
	return text;
}

static void write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

/* File number `i` is as the index describes it. */
static void make(unsigned i, const char *name, const char *text)
{
	struct stat status;

	snprintf(paths[i], sizeof paths[i], "%s/%s", top, name);
	write_text(paths[i], text);
	assert_int_equal(stat(paths[i], &status), 0);
	files[i] = (struct keep_file){
		.path = paths[i], .size_bytes = status.st_size, .mtime_ns = stat_mtime_ns(&status)};
}

static struct planned_act move(unsigned i, const char *name)
{
	snprintf(targets[i], sizeof targets[i], "%s/%s", top, name);
	return (struct planned_act){.file = &files[i], .action = ACTION_MOVE, .to = targets[i]};
}

static struct planned_act removal(unsigned copy, unsigned kept)
{
	return (struct planned_act){
		.file = &files[copy], .kept = &files[kept], .action = ACTION_DELETE};
}

static void carry_out(size_t count, bool does)
{
	struct journal journal = {.stream = NULL};
	struct act_options options = {.journal = does ? &journal : NULL};
	struct actor actor;

	assert_int_equal(actor_init(&actor, &options, &error), 0);
	if (does)
		assert_int_equal(journal_create(&journal, "journal", "host", &error), 0);
	assert_int_equal(actor_act(&actor, acts, count, results, &error), 0);
	assert_int_equal(journal_close(&journal, &error), 0);
	actor_release(&actor);
	for (size_t i = 0; i < count; i++)
		free(results[i].to);
}

static void undo(void)
{
	struct undoer undoer = {.does = true};
	struct journal_list list;
	struct undo_result result;

	assert_int_equal(journal_read("journal", "host", &list, &error), 0);
	for (size_t i = list.count; i-- > 0;)
		assert_true(undo_act(&undoer, &list.acts[i], &result, &error) != UNDO_LEFT);
	undoer_release(&undoer);
	journal_list_release(&list);
	assert_int_equal(unlink("journal"), 0);
}

static void assert_done(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(results[i].why.message, "");
		assert_int_equal(results[i].outcome, ACT_DONE);
	}
}

static void acts_of_one_plan_may_differ(void **state)
{
	(void)state;
	make(0, "kept", "same");
	make(1, "copy", "same");
	make(2, "only", "other");
	acts[0] = removal(1, 0);
	acts[1] = move(0, "new/below/kept");
	acts[2] = move(2, "new/only");
	carry_out(3, false);
	assert_done(3);
	assert_string_equal(read_text(paths[1]), "same");
	carry_out(3, true);
	assert_done(3);
	assert_string_equal(read_text(paths[1]), "(none)");
	assert_string_equal(read_text(targets[0]), "same");
	assert_string_equal(read_text(targets[2]), "other");
	undo();
	assert_string_equal(read_text(paths[0]), "same");
	assert_string_equal(read_text(paths[1]), "same");
	assert_string_equal(read_text(paths[2]), "other");
}

static void an_earlier_act_can_free_a_target(void **state)
{
	(void)state;
	make(0, "kept", "same");
	make(1, "target", "same");
	make(2, "source", "other");
	acts[0] = removal(1, 0);
	acts[1] = move(2, "target");
	carry_out(2, true);
	assert_done(2);
	assert_string_equal(read_text(paths[1]), "other");
	undo();
	assert_string_equal(read_text(paths[1]), "same");
	assert_string_equal(read_text(paths[2]), "other");
}

static void a_taken_target_is_not_overwritten(void **state)
{
	(void)state;
	make(0, "source", "same");
	make(1, "taken", "other");
	acts[0] = move(0, "taken");
	for (unsigned does = 0; does < 2; does++) {
		carry_out(1, does == 1);
		assert_int_equal(results[0].outcome, ACT_LEFT);
		assert_string_equal(results[0].why.message,
				    "the directory to move to has another file with its name");
		assert_string_equal(read_text(paths[0]), "same");
		assert_string_equal(read_text(paths[1]), "other");
	}
	undo();
	assert_string_equal(read_text(paths[0]), "same");
}

/* The kept file has lost its name, so nothing is deleted against it. */
static void a_kept_file_that_has_moved_keeps_its_copies(void **state)
{
	(void)state;
	make(0, "kept", "same");
	make(1, "copy", "same");
	acts[0] = move(0, "elsewhere");
	acts[1] = removal(1, 0);
	carry_out(2, true);
	assert_int_equal(results[0].outcome, ACT_DONE);
	assert_int_equal(results[1].outcome, ACT_LEFT);
	assert_string_equal(read_text(paths[1]), "same");
	undo();
	assert_string_equal(read_text(paths[0]), "same");
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(top) == NULL || chdir(top) != 0;
}

static int end(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof command, "rm -r %s", top);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(acts_of_one_plan_may_differ),
		cmocka_unit_test(an_earlier_act_can_free_a_target),
		cmocka_unit_test(a_taken_target_is_not_overwritten),
		cmocka_unit_test(a_kept_file_that_has_moved_keeps_its_copies),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
