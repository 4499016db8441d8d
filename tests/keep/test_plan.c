/*
 * Compares the files to remove and to keep with a brute force that was written from docs/apply.md.
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

#include "keep/json_fields.h"
#include "keep/keep.h"
#include "random.h"

#define FILES_MAX 24

static uint64_t below(uint64_t limit)
{
	return next_random() % limit;
}

static struct simhash_error error;

static const char *const directories[] = {"/a", "/a/b", "/ab", "/c", "/c/d/e"};
static const char *const rules[] = {"oldest", "newest",	   "shortest-path", "longest-name",
				    "in:/a",  "not-in:/a", "match:x*",	    "match:/c*"};

struct world {
	char paths[FILES_MAX][32];
	struct keep_file files[FILES_MAX];
	size_t count;
	struct keep_policy policy;
	struct bytes protected[2];
};

/* Files with a few contents, some of them twice, with or without decisions. */
static void make_world(struct world *world)
{
	bool has_decisions = below(2) == 0;

	memset(world, 0, sizeof *world);
	world->count = 1 + below(FILES_MAX);
	for (size_t i = 0; i < world->count; i++) {
		struct keep_file *file = &world->files[i];
		snprintf(world->paths[i], sizeof world->paths[i], "%s/%.*s%u",
			 directories[below(5)], (int)below(4), "xyz", (unsigned)below(12));
		file->path = world->paths[i];
		file->size_bytes = 1 + (int64_t)below(2);
		file->hash[0] = (uint8_t)below(2);
		file->mtime_ns = (int64_t)below(4);
		file->inode = below(3) == 0 ? 1 + below(2) : 0;
		file->inode += file->inode == 0
				       ? 0
				       : 10 * (uint64_t)file->size_bytes + 100 * file->hash[0];
		if (has_decisions)
			file->decision = (enum decision)(1 + below(2));
	}
	world->policy.action = (enum keep_action)below(5);
	for (size_t i = below(3); i > 0; i--)
		assert_int_equal(keep_rule_parse(rules[below(8)],
						 &world->policy.rules[world->policy.rule_count++],
						 &error),
				 0);
	world->policy.protected = world->protected;
	for (size_t i = below(3); i > 0; i--)
		world->protected[world->policy.protected_count++] = bytes_of(directories[below(5)]);
}

static bool is_below(const char *path, const char *top)
{
	return strncmp(path, top, strlen(top)) == 0 && path[strlen(top)] == '/';
}

static bool is_protected(const struct world *world, const char *path)
{
	for (size_t i = 0; i < world->policy.protected_count; i++)
		if (is_below(path, world->protected[i].data))
			return true;
	return false;
}

static bool is_same(const struct keep_file *x, const struct keep_file *y)
{
	return x->size_bytes == y->size_bytes && memcmp(x->hash, y->hash, KEEP_HASH_SIZE) == 0;
}

static bool is_decided(const struct world *world, const char *path, enum decision decision)
{
	for (size_t i = 0; i < world->count; i++)
		if (strcmp(world->files[i].path, path) == 0 && world->files[i].decision == decision)
			return true;
	return false;
}

static bool has_act(const struct plan *plan, const char *path, const struct keep_file *content)
{
	for (size_t i = 0; i < plan->count; i++)
		if (strcmp(plan->acts[i].file->path, path) == 0 &&
		    (content == NULL || is_same(plan->acts[i].file, content)))
			return true;
	return false;
}

/* Is any name of a file protected? */
static bool has_protected_name(const struct world *world, const struct keep_file *file)
{
	for (size_t i = 0; i < world->count; i++)
		if (file->inode != 0 && world->files[i].inode == file->inode &&
		    is_protected(world, world->files[i].path))
			return true;
	return is_protected(world, file->path);
}

static void check_act(const struct world *world, const struct plan *plan,
		      const struct planned_act *act)
{
	const char *path = act->file->path;

	assert_false(is_protected(world, path));
	assert_false(is_decided(world, path, DECIDED_KEEP));
	if (act->kept == NULL) {
		assert_int_equal(world->policy.action, ACTION_MOVE);
		assert_true(is_decided(world, path, DECIDED_GIVE_UP));
		return;
	}
	assert_true(is_same(act->file, act->kept));
	assert_string_not_equal(path, act->kept->path);
	assert_true(act->file->inode == 0 || act->file->inode != act->kept->inode);
	assert_false(has_act(plan, act->kept->path, act->file));
	if (world->policy.action == ACTION_HARDLINK) {
		assert_false(has_protected_name(world, act->kept));
		assert_false(has_protected_name(world, act->file));
	}
}

static void no_content_loses_its_last_file(void **state)
{
	size_t acts = 0, moved = 0, refusals = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct world world;
		struct plan plan;
		make_world(&world);
		assert_int_equal(plan_make(world.files, world.count, &world.policy, &plan, &error),
				 0);
		for (size_t i = 0; i < plan.count; i++) {
			check_act(&world, &plan, &plan.acts[i]);
			moved += plan.acts[i].kept == NULL;
		}
		/* At least one file of each content stays, unless files are moved. */
		for (size_t i = 0; i < world.count && world.policy.action != ACTION_MOVE; i++) {
			bool stays = false;
			for (size_t j = 0; j < world.count; j++)
				stays = stays ||
					(is_same(&world.files[i], &world.files[j]) &&
					 !has_act(&plan, world.files[j].path, &world.files[j]));
			assert_true(stays);
		}
		/* A decision is carried out or refused, unless its file is the kept one. */
		for (size_t i = 0; i < plan.refusal_count; i++)
			assert_int_equal(plan.refusals[i].file->decision, DECIDED_GIVE_UP);
		acts += plan.count;
		refusals += plan.refusal_count;
		plan_release(&plan);
	}
	assert_true(acts > 10000 && moved > 1000 && refusals > 1000);
}

/* Which one does a rule prefer: 1 x, -1 y, 0 neither. */
static int prefers(const char *rule, const struct keep_file *x, const struct keep_file *y)
{
	long a = 0, b = 0;

	if (strcmp(rule, "oldest") == 0)
		a = (long)y->mtime_ns, b = (long)x->mtime_ns;
	else if (strcmp(rule, "newest") == 0)
		a = (long)x->mtime_ns, b = (long)y->mtime_ns;
	else if (strcmp(rule, "shortest-path") == 0)
		a = (long)strlen(y->path), b = (long)strlen(x->path);
	else if (strcmp(rule, "longest-name") == 0)
		a = (long)strlen(strrchr(x->path, '/')), b = (long)strlen(strrchr(y->path, '/'));
	else if (strcmp(rule, "in:/a") == 0)
		a = is_below(x->path, "/a"), b = is_below(y->path, "/a");
	else if (strcmp(rule, "not-in:/a") == 0)
		a = !is_below(x->path, "/a"), b = !is_below(y->path, "/a");
	else if (strcmp(rule, "match:x*") == 0)
		a = strrchr(x->path, '/')[1] == 'x', b = strrchr(y->path, '/')[1] == 'x';
	else if (strcmp(rule, "match:/c*") == 0)
		a = strncmp(x->path, "/c", 2) == 0, b = strncmp(y->path, "/c", 2) == 0;
	else
		fail();
	return (a > b) - (a < b);
}

static void rules_decide_in_their_order(void **state)
{

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct world world;
		struct plan plan;
		const char *used[2];
		size_t count = 1 + below(2);
		make_world(&world);
		world.policy.protected_count = world.policy.rule_count = 0;
		for (size_t i = 0; i < count; i++) {
			used[i] = rules[below(8)];
			keep_rule_parse(used[i], &world.policy.rules[world.policy.rule_count++],
					&error);
		}
		for (size_t i = 0; i < world.count; i++)
			world.files[i].decision = DECIDED_BY_RULES;
		assert_int_equal(plan_make(world.files, world.count, &world.policy, &plan, &error),
				 0);
		for (size_t i = 0; i < plan.count; i++) {
			const struct planned_act *act = &plan.acts[i];
			int order = 0;
			for (size_t k = 0; k < count && order == 0; k++)
				order = prefers(used[k], act->kept, act->file);
			if (order == 0)
				order = prefers("shortest-path", act->kept, act->file);
			if (order == 0)
				order = strcmp(act->kept->path, act->file->path) < 0 ? 1 : -1;
			assert_int_equal(order, 1);
		}
		plan_release(&plan);
	}
}

static void a_rule_that_is_none_is_refused(void **state)
{
	static const char *const wrong[] = {"", "old", "in:", "match:", "oldest:", "in", "Newest"};
	struct keep_rule rule;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(keep_rule_parse(wrong[i], &rule, &error), -1);
	assert_string_equal(error.message, "--keep 'Newest': expected " KEEP_RULE_EXPECTED);
}

static json_t *read_json(const char *text)
{
	return fields_read(bytes_of(text), "text", 0, &error);
}

/* Tests the rules for reading fields, which do not depend on the library. */
static void fields_are_what_they_have_to_be(void **state)
{
	static const char *const wrong[] = {"",
					    "{",
					    "[1,]",
					    "{\"a\"}",
					    "{\"a\":1,}",
					    "[01]",
					    "[nul]",
					    "[\"a]",
					    "[\"\\x\"]",
					    "[\"\\ud800\"]",
					    "[\"\\ud800\\u0041\"]",
					    "[\"\t\"]",
					    "[\"\xff\"]",
					    "[1 2]",
					    "[1] 2",
					    "{1:2}",
					    "[9223372036854775808]",
					    "{\"a\":1,\"a\":2}",
					    "[\"a\\u0000b\"]"};
	struct arena arena = {.chunks = NULL};
	uint8_t bytes[2];
	int64_t number;
	json_t *value;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_null(read_json(wrong[i]));
	value = read_json(" {\"a\" : [ ] ,\"s\":\"\\u00e9\\ud83d\\ude00\\n\\/\xc3\xa9\","
			  "\"n\":-9223372036854775808,\"e\":1e3,\"h\":\"fF2\",\"p\":\"\\ufffd\","
			  "\"p_hex\":\"ff2F\",\"z\":\"x\",\"z_hex\":\"6100\"} ");
	assert_non_null(value);
	assert_string_equal(field_text(value, "s"), "\xc3\xa9\xf0\x9f\x98\x80\n/\xc3\xa9");
	assert_int_equal(field_integer(value, "n", &number), 0);
	assert_true(number == INT64_MIN);
	assert_int_equal(field_integer(value, "e", &number), -1);
	assert_int_equal(field_integer(value, "s", &number), -1);
	assert_null(field_text(value, "n"));
	assert_null(field_text(value, "missing"));
	assert_string_equal(field_bytes(value, "p", &arena), "\xff/");
	assert_string_equal(field_bytes(value, "s", &arena), field_text(value, "s"));
	assert_null(field_bytes(value, "z", &arena));
	assert_null(field_bytes(value, "a", &arena));
	assert_int_equal(field_hex(value, "p_hex", bytes, 2), 0);
	assert_int_equal(bytes[0], 0xff);
	assert_int_equal(field_hex(value, "p_hex", bytes, 1), -1);
	assert_int_equal(field_hex(value, "h", bytes, 2), -1);
	json_decref(value);
	arena_release(&arena);
}

static void an_error_names_the_line(void **state)
{
	(void)state;
	assert_null(fields_read(bytes_of("{\n\"a\": }"), "decisions.json", 7, &error));
	assert_non_null(strstr(error.message, "decisions.json, line 9: expected JSON: "));
}

static void nesting_does_not_exhaust_the_stack(void **state)
{
	static char deep[1000001];

	(void)state;
	memset(deep, '[', sizeof deep - 1);
	assert_null(read_json(deep));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_content_loses_its_last_file),
		cmocka_unit_test(rules_decide_in_their_order),
		cmocka_unit_test(a_rule_that_is_none_is_refused),
		cmocka_unit_test(fields_are_what_they_have_to_be),
		cmocka_unit_test(an_error_names_the_line),
		cmocka_unit_test(nesting_does_not_exhaust_the_stack),
	};

	random_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
