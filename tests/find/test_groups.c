/*
 * Compares groups with their definition, by brute force over all pairs, on each engine. Random rows
 * form chains, stars, dense families and clusters, with copies under other extensions, several
 * names of one file, rows without a sketch and tiny rows. Tests both linkages, several rules, and 1
 * to 4 threads.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "defined_groups.h"
#include "engine.h"
#include "find/groups/group_sorter.h"
#include "find/groups/group_stream.h"
#include "find/pairs/block.h"

#define SETS 32
#define RULES 4 /* for each set */

static struct {
	unsigned groups, members, copies, without_pairs, runs;
} compared;

/* ---- Rows ---- */

/* A row similar to `other`. */
static void make_like(int i, int other, uint64_t registers, uint64_t share)
{
	rows[i] = rows[other];
	change_sketch(&rows[i], registers);
	change_counts(&rows[i], share);
	if (random_below(6) == 0)
		rows[i].size_bytes += (int64_t)random_below((uint64_t)rows[i].size_bytes / 4 + 1);
}

static void make_first(int i, int64_t largest_size)
{
	rows[i] = engine_row("/f", names[i], random_below(1u << 30));
	rows[i].size_bytes = 1 + (int64_t)random_below((uint64_t)largest_size);
	random_counts(&rows[i], 8);
	random_sketch(&rows[i]);
}

enum { CHAIN, STAR, DENSE, CLUSTER, ALONE, SHAPES };

/* Rows first .. end - 1. In stars and chains, almost no other rows are similar by chance. */
static void make_shape(int first, int end, int shape, int64_t largest_size)
{
	uint64_t step = 4 + random_below(40);

	for (int i = first; i < end; i++) {
		name_row(i);
		if (i == first || shape == ALONE)
			make_first(i, largest_size);
		else if (shape == CHAIN)
			make_like(i, i - 1, step, 400);
		else if (shape == STAR)
			make_like(i, first, step, 100);
		else if (shape == DENSE)
			make_like(i, first, random_below(4), 2000);
		else
			make_like(i, first, random_below(5) * random_below(24), 60);
		rows[i].has_resemblance = random_below(12) != 0;
		set_content(&rows[i], (uint64_t)i);
	}
}

/* Make some rows copies of others, or other names of them. */
static void make_copies(void)
{
	for (int i = 1; i < ROWS; i++) {
		int other = i - 1 - (int)random_below(i < 8 ? (uint64_t)i : 8);
		bool is_link = random_below(3) == 0;
		if (random_below(5) != 0)
			continue;
		if (is_link &&
		    rows[other].inode == 0) { /* a file system mounted twice, with one link */
			rows[other].links = 1 + (int64_t)random_below(2);
			rows[other].inode = 1000 + other;
		}
		rows[i] = rows[other];
		if (is_link) /* a list of pairs only contains names that are in a pair */
			snprintf(names[i], sizeof names[i], "%d%s", i,
				 names[other] + strcspn(names[other], "."));
		else if (random_below(4) == 0) /* another disk with the same number */
			rows[i].mtime_ns += i;
		else
			rows[i].inode = random_below(2) == 0 ? 0 : 1000 + i;
		if (!is_link && random_below(4) == 0)
			rows[i].has_resemblance = !rows[i].has_resemblance;
	}
}

/*
 * Inode numbers that were used again: files with one inode but different contents are not names of
 * one file.
 */
static void reuse_inodes(void)
{
	for (int i = 0; i < ROWS; i++) {
		int64_t number = 1000 + (int64_t)random_below(ROWS);
		bool is_name = false;
		for (int other = 0; other < ROWS; other++)
			is_name |= rows[other].inode == number &&
				   memcmp(rows[other].content_hash, rows[i].content_hash,
					  CONTENT_HASH_SIZE) == 0;
		if (rows[i].inode == 0 && !is_name && random_below(4) == 0)
			rows[i].inode = number;
	}
}

static void make_rows(void)
{
	static const int64_t largest_sizes[] = {24, 1000, 20000, 20000, 40000000};

	for (int first = 0; first < ROWS;) {
		int end = first + 3 + (int)random_below(50);
		end = end > ROWS ? ROWS : end;
		make_shape(first, end, (int)random_below(SHAPES), largest_sizes[random_below(5)]);
		first = end;
	}
	for (int i = 0; i < ROWS; i++)
		rows[i].inode = 0;
	make_copies();
	reuse_inodes();
	for (int i = 0; i < ROWS; i++)
		complete_row(i);
}

/* ---- The pairs ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct fact fact_of(const struct file_pair *pair, bool is_from_a)
{
	struct fact fact = {.is_pair = true, .relation = pair->relation};

	if (!is_from_a) {
		fact.relation.contained_a = pair->relation.contained_b;
		fact.relation.contained_b = pair->relation.contained_a;
	}
	return fact;
}

static int note_fact(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *ignored)
{
	int a = number_of(pair->a), b = number_of(pair->b);
	int status;

	(void)thread;
	(void)ignored;
	pthread_mutex_lock(&lock);
	facts[a][b] = fact_of(pair, true);
	facts[b][a] = fact_of(pair, false);
	status = pair_list_add(context, pair, &error);
	pthread_mutex_unlock(&lock);
	return status;
}

static void find_pairs(struct store *store, const struct find_request *request,
		       const struct find_resources *resources, struct pair_list *list)
{
	struct find_sink to_facts = {.context = list, .pair = note_fact};
	struct find_request expanded = *request;
	struct finder finder;

	expanded.expand = true;
	memset(facts, 0, sizeof facts);
	assert_int_equal(finder_init(&finder, store, &expanded, &to_facts, resources, &error), 0);
	if (finder_all(&finder, &error) != 0)
		fail_msg("%s", error.message);
	finder_release(&finder);
}

/* ---- Rules ---- */

static void set_rule(struct find_request *request, unsigned number)
{
	static const struct find_side sides[2] = {{"elsewhere", {"/f/g", 4}},
						  {"elsewhere", {"/fg", 3}}};
	struct find_rule *rule = &request->rule;

	switch (number) {
	case 0: /* the default, for every set */
		return;
	case 1:
		rule->verify.mode = VERIFY_NO;
		return;
	case 2:
		rule->verify.min_resemblance = 0.9;
		return;
	case 3:
		rule->verify.same_extension = true;
		return;
	case 4:
		request->hard_links = true;
		return;
	case 5:
		request->has_between = true;
		memcpy(request->between, sides, sizeof sides);
		return;
	case 6:
		assert_int_equal(rule_add_tolerance(rule, ".PS=0.05", &error), 0);
		return;
	case 7:
		rule->tolerance.percent_millionths = 1 * SIMHASH_MILLION;
		return;
	case 8:
		rule->candidates = CANDIDATES_KEY;
		rule->verify.by_keys = false;
		return;
	case 9:
		rule->verify.by_keys = false;
		return;
	case 10:
		rule->tolerance.percent_millionths = 100 * SIMHASH_MILLION;
		rule->verify.min_resemblance = 0.5;
		return;
	case 11:
		rule->verify.mode = VERIFY_NO;
		rule->tolerance.percent_millionths = 3 * SIMHASH_MILLION;
		rule->key = SIMHASH_UNIFORM;
		return;
	case 12:
		rule->verify.min_resemblance = 1;
		return;
	default:
		rule->tolerance.size_ratio_millionths = SIMHASH_MILLION * 11 / 10;
		request->hard_links = true;
		assert_int_equal(rule_add_tolerance(rule, "ps=0.05", &error), 0);
	}
}

static struct find_request request_for(unsigned number)
{
	struct find_request request;

	find_request_init(&request);
	request.tags = sample;
	request.host = "here";
	set_rule(&request, number);
	return request;
}

/* ---- Groups ---- */

static struct {
	unsigned set, rule, threads;
	const char *how;
} about;

static void expect_text(const char *what, int group, const char *expected, const char *found_one)
{
	if (strcmp(expected, found_one) != 0)
		fail_msg("set %u, rule %u, %u threads, %s: group %d: %s is %s instead of %s",
			 about.set, about.rule, about.threads, about.how, group, what, found_one,
			 expected);
}

static void expect_number(const char *what, int group, double expected, double found_one)
{
	if (fabs(expected - found_one) > 1e-9)
		fail_msg("set %u, rule %u, %u threads, %s: group %d: %s is %f instead of %f",
			 about.set, about.rule, about.threads, about.how, group, what, found_one,
			 expected);
}

static void expect_member(int group, const struct group_member *member,
			  const struct defined_member *expected, int representative)
{
	static const char *const roles[] = {"representative", "member", "copy"};
	const struct relation *fact = &expected->fact.relation, *relation = &member->relation;

	expect_text("a file", group, display_of(expected->row), member->file->display);
	expect_text("a role", group, roles[expected->role], roles[member->role]);
	expect_number("a distance", group, (double)distances[expected->row][representative],
		      (double)relation->distance);
	expect_number("a verification", group, fact->verification, relation->verification);
	if (has_resemblance(fact))
		expect_number("a resemblance", group, fact->resemblance, relation->resemblance);
	expect_number("whether one is a part", group, fact->is_part, relation->is_part);
	if (fact->is_part) {
		expect_number("a share", group, fact->contained_a, relation->contained_a);
		expect_number("a share", group, fact->contained_b, relation->contained_b);
	}
	compared.members += member->role == ROLE_MEMBER;
	compared.copies += member->role == ROLE_COPY;
	compared.without_pairs += member->role == ROLE_MEMBER && !expected->fact.is_pair;
}

static void expect_group(int g, const struct group *group, const struct group_member *members,
			 const struct defined_group *expected)
{
	for (int m = 0; m < (int)group->count && m < expected->count; m++)
		expect_member(g, &members[m], &expected->members[m], expected->members[0].row);
	expect_number("the count", g, expected->count, (double)group->count);
	expect_number("the number", g, g + 1, (double)group->number);
	expect_text("the representative", g, members[0].file->display,
		    group->representative->display);
	expect_number("the size", g, (double)expected->bytes, (double)group->bytes);
	expect_number("the size of copies", g, (double)expected->copied_bytes,
		      (double)group->copied_bytes);
	assert_int_equal(group->id, expected->id);
}

static void expect_defined(const struct group_sorter *groups)
{
	struct group_cursor cursor;
	int g = 0, status = group_cursor_begin(&cursor, groups, &error);

	for (; status == 0 && (status = group_cursor_next(&cursor, &error)) == 1; status = 0) {
		if (g < defined_count)
			expect_group(g, &cursor.group, cursor.members, &defined[g]);
		g++;
	}
	assert_int_equal(status, 0);
	assert_int_equal(group_cursor_next(&cursor, &error), 0);
	group_cursor_release(&cursor);
	compared.groups += (unsigned)g;
	expect_number("the last", defined_count, defined_count, g);
	expect_number("the total", defined_count, defined_count, (double)groups->totals.groups);
}

/* The memory for groups: almost no group fits, or all do. */
static void init_sorter(struct group_sorter *groups, const struct find_resources *resources)
{
	static const struct group_order by_copies = {.key = NULL};

	group_sorter_init(groups, resources->memory_bytes == 0 ? 64 << 20 : 4096, &by_copies);
}

/* Groups can be read again, and are only in a file if memory is too small. */
static void end_sorter(struct group_sorter *groups)
{
	bool is_small = groups->runs.budget < 64 << 20;

	assert_int_equal(group_sorter_end(groups, &error), 0);
	assert_true(is_small || groups->runs.file == NULL);
	assert_true(!is_small || groups->totals.files < 100 || groups->runs.spilled > 1);
	compared.runs += (unsigned)groups->runs.spilled;
	for (int pass = 0; pass < 2; pass++)
		expect_defined(groups);
	group_sorter_release(groups);
}

typedef int find_groups_fn(struct finder *finder, enum linkage linkage, struct group_sorter *groups,
			   struct simhash_error *error);

static void compare_found(struct store *store, const struct find_request *request,
			  const struct find_resources *resources, enum linkage linkage,
			  find_groups_fn *find_groups, const char *how)
{
	static const struct find_sink none = {.pair = NULL};
	struct group_sorter groups;
	struct finder finder;

	about.how = how;
	init_sorter(&groups, resources);
	assert_int_equal(finder_init(&finder, store, request, &none, resources, &error), 0);
	if (find_groups(&finder, linkage, &groups, &error) != 0)
		fail_msg("%s", error.message);
	end_sorter(&groups);
	assert_int_equal(finder.counts.rows, ROWS);
	finder_release(&finder);
}

static void compare_grouped(const struct find_request *request,
			    const struct find_resources *resources, const struct pair_list *list,
			    enum linkage linkage)
{
	struct group_list made;
	struct group_sorter groups;

	about.how = linkage == LINK_SINGLE ? "single, of pairs" : "of pairs";
	init_sorter(&groups, resources);
	assert_int_equal(group_pairs(list, request, linkage, &made, &error), 0);
	assert_int_equal(group_sorter_add(&groups, &made, &error), 0);
	group_list_release(&made);
	end_sorter(&groups);
}

static void compare_groups(struct store *store, const struct find_request *request,
			   const struct find_resources *resources, const struct pair_list *list,
			   enum linkage linkage)
{
	define_groups(request, linkage);
	/* A list does not contain copies that are in no pair. */
	if (!request->has_between)
		compare_grouped(request, resources, list, linkage);
	if (finder_finds_groups(request)) {
		compare_found(store, request, resources, linkage, finder_groups,
			      linkage == LINK_SINGLE ? "single, of rows" : "of rows");
		compare_found(store, request, resources, linkage, finder_groups_without_pairs,
			      linkage == LINK_SINGLE ? "single, without pairs" : "without pairs");
	}
}

static void groups_equal_their_definition(void **state)
{
	static const unsigned block_rows[] = {1, 7, 64, 0};
	/* A server only returns rows, but takes long, and so does a sanitizer. */
	unsigned part = IS_SLOW ? 16 : strcmp(getenv("TEST_ENGINE"), "sqlite") != 0 ? 4 : 1;

	(void)state;
	for (about.set = 0; about.set < SETS / part; about.set++) {
		struct store *store;
		make_rows();
		store = store_with_rows();
		for (unsigned r = 0; r < RULES; r++) {
			const struct find_resources resources = {
				.threads = 1 + (about.set + r) % 4,
				.block_rows = block_rows[(about.set / 4 + r) % 4],
				.memory_bytes = r % 2 == 0 ? 0 : SMALL_MEMORY};
			struct pair_list list;
			struct find_request request;
			about.rule = r == 0 ? 0 : 1 + (3 * about.set + r) % 13;
			about.threads = resources.threads;
			request = request_for(about.rule);
			pair_list_init(&list);
			find_pairs(store, &request, &resources, &list);
			for (int linkage = 0; linkage < 2; linkage++)
				compare_groups(store, &request, &resources, &list,
					       (enum linkage)linkage);
			pair_list_release(&list);
			rule_release(&request.rule);
		}
		store_close(store);
	}
	print_message("%u groups, %u members, %u of them no pair, %u copies\n", compared.groups,
		      compared.members, compared.without_pairs, compared.copies);
	assert_true(compared.groups > 10000 / part && compared.members > 10000 / part);
	assert_true(compared.copies > 1000 / part && compared.without_pairs > 100 / part);
	assert_true(compared.runs > 1000 / part);
}

/* One family has more pairs than the limit, so the search starts again. */
static void groups_of_many_pairs_equal_their_definition(void **state)
{
	struct find_request request = request_for(0);
	struct find_progress progress = {0};
	const struct find_resources resources = {.threads = 2, .progress = &progress};
	struct pair_list list;
	struct store *store;

	(void)state;
	about.set = SETS;
	about.threads = resources.threads;
	make_shape(0, ROWS, DENSE, 20000);
	for (int i = 0; i < ROWS; i++)
		complete_row(i);
	store = store_with_rows();
	pair_list_init(&list);
	find_pairs(store, &request, &resources, &list);
	assert_true(list.count > 16384 + 16 * ROWS);
	for (int linkage = 0; linkage < 2; linkage++) {
		define_groups(&request, (enum linkage)linkage);
		atomic_store(&progress.rows, 0);
		compare_found(store, &request, &resources, (enum linkage)linkage, finder_groups,
			      "many pairs");
		assert_int_equal(atomic_load(&progress.rows), ROWS);
	}
	pair_list_release(&list);
	rule_release(&request.rule);
	store_close(store);
}

/*
 * In families with very different sizes, the groups of smaller files do not wait for larger files.
 */
static void groups_come_when_nothing_can_join_them(void **state)
{
	static const struct find_sink none = {.pair = NULL};
	enum { FAMILIES = 6, OF_FAMILY = ROWS / FAMILIES };
	const struct find_resources resources = {.threads = 2, .block_rows = 8};
	struct find_request request = request_for(8);
	struct store *store;

	(void)state;
	for (int f = 0; f < FAMILIES; f++)
		make_shape(f * OF_FAMILY, f < FAMILIES - 1 ? (f + 1) * OF_FAMILY : ROWS, STAR,
			   INT64_C(1) << (6 + 4 * f));
	for (int i = 0; i < ROWS; i++) {
		rows[i].size_bytes += INT64_C(1) << (6 + 4 * (i / OF_FAMILY));
		complete_row(i);
	}
	store = store_with_rows();
	for (int linkage = 0; linkage < 2; linkage++) {
		struct group_stream *stream;
		struct group_list groups;
		struct finder finder;
		size_t lists = 0, files = 0, largest = 0;
		int status;

		assert_int_equal(finder_init(&finder, store, &request, &none, &resources, &error),
				 0);
		assert_int_equal(
			group_stream_begin(&stream, &finder, (enum linkage)linkage, &error), 0);
		while ((status = group_stream_next(stream, &groups, &error)) == 1) {
			assert_true(groups.count > 0);
			lists++;
			files += groups.member_count;
			if (groups.member_count > largest)
				largest = groups.member_count;
			group_list_release(&groups);
		}
		assert_int_equal(status, 0);
		assert_int_equal(group_stream_next(stream, &groups, &error), 0);
		group_stream_free(stream);
		finder_release(&finder);
		print_message("%zu lists of %zu files, at most %zu\n", lists, files, largest);
		assert_true(lists >= FAMILIES - 1 && files > ROWS / 4 && largest < files / 2);
	}
	rule_release(&request.rule);
	store_close(store);
}

/* ---- Order ---- */

static double by_count(const struct group *group, const struct group_member *members)
{
	(void)members;
	return (double)group->count;
}

/* Compares by each criterion of the order, one after another. */
static bool comes_before(const struct group_order *order, const struct group *x,
			 const struct group *y)
{
	if (!order->by_path && order->key != NULL && x->count != y->count)
		return x->count < y->count;
	if (!order->by_path && order->key == NULL && x->copied_bytes != y->copied_bytes)
		return x->copied_bytes > y->copied_bytes;
	if (!order->by_path && x->bytes != y->bytes)
		return x->bytes > y->bytes;
	return strcmp(x->representative->display, y->representative->display) < 0;
}

static void add_groups(struct group_sorter *groups, const struct pair_list *list,
		       const struct find_request *request)
{
	struct group_list made;

	assert_int_equal(group_pairs(list, request, LINK_REPRESENTATIVE, &made, &error), 0);
	assert_int_equal(group_sorter_add(groups, &made, &error), 0);
	group_list_release(&made);
	assert_int_equal(group_sorter_end(groups, &error), 0);
}

/* A cursor over memory and a cursor over runs return the same groups, and in order. */
static size_t compare_cursors(struct group_cursor *x, struct group_cursor *y,
			      const struct group_order *order)
{
	char path[64];
	struct find_file first = {.display = path};
	struct group last = {.count = 0};
	size_t count = 0;

	while (group_cursor_next(x, &error) == 1) {
		assert_int_equal(group_cursor_next(y, &error), 1);
		assert_int_equal(x->group.number, ++count);
		assert_int_equal(y->group.number, count);
		assert_int_equal(x->group.id, y->group.id);
		assert_int_equal(x->group.count, y->group.count);
		for (size_t m = 0; m < x->group.count; m++) {
			const struct find_file *a = x->members[m].file, *b = y->members[m].file;
			assert_string_equal(a->display, b->display);
			assert_memory_equal(&a->table, &b->table, sizeof a->table);
			assert_memory_equal(&a->sketch, &b->sketch, sizeof a->sketch);
			assert_int_equal(a->inode, b->inode);
		}
		if (count > 1)
			assert_true(order->reverse ? comes_before(order, &x->group, &last)
						   : comes_before(order, &last, &x->group));
		snprintf(path, sizeof path, "%s", x->group.representative->display);
		last = x->group;
		last.representative = &first;
	}
	assert_int_equal(group_cursor_next(y, &error), 0);
	return count;
}

static void groups_come_in_any_order(void **state)
{
	struct find_request request = request_for(0);
	const struct find_resources resources = {.threads = 1};
	struct pair_list list;
	struct store *store;

	(void)state;
	make_rows();
	store = store_with_rows();
	pair_list_init(&list);
	find_pairs(store, &request, &resources, &list);
	for (int i = 0; i < 12; i++) {
		const struct group_order order = {.key = i % 3 == 1 ? by_count : NULL,
						  .by_path = i % 3 == 2,
						  .reverse = i / 3 % 2 == 1};
		struct group_sorter large, small;
		struct group_cursor x, y;
		group_sorter_init(&large, 64 << 20, &order);
		group_sorter_init(&small, 1 + (size_t)i * 500, &order);
		large.keeps_sketches = small.keeps_sketches = i < 6;
		add_groups(&large, &list, &request);
		add_groups(&small, &list, &request);
		assert_null(large.runs.file);
		assert_true(small.runs.spilled > 4);
		assert_int_equal(group_cursor_begin(&x, &large, &error), 0);
		assert_int_equal(group_cursor_begin(&y, &small, &error), 0);
		assert_true(compare_cursors(&x, &y, &order) > 10);
		group_cursor_release(&x);
		group_cursor_release(&y);
		group_sorter_release(&large);
		group_sorter_release(&small);
	}
	pair_list_release(&list);
	rule_release(&request.rule);
	store_close(store);
}

/* The number of rows in the search for groups; copies are not counted. */
static size_t count_searched_rows(struct store *store)
{
	static const struct find_sink none = {.pair = NULL};
	const struct find_resources resources = {.threads = 1};
	struct find_request request = request_for(0);
	struct row_stream stream;
	struct finder finder;
	struct block *block;
	size_t count = 0;

	request.keeps_extensions = true;
	assert_int_equal(finder_init(&finder, store, &request, &none, &resources, &error), 0);
	row_stream_init(&stream, &finder, INT64_MIN, INT64_MAX);
	while (row_stream_next(&stream, &block, &error) == 1) {
		count += block->count - block->first_new;
		block_free(block);
	}
	row_stream_release(&stream);
	finder_release(&finder);
	rule_release(&request.rule);
	return count;
}

/* Otherwise half a million copies of one file with 17,576 extensions would take hours. */
static void copies_of_any_extensions_are_searched_as_one(void **state)
{
	struct store *store;

	(void)state;
	for (int without_sketch = 0; without_sketch < 2; without_sketch++) {
		make_first(0, 20000);
		rows[0].has_resemblance = true;
		set_content(&rows[0], 0);
		for (int i = 0; i < ROWS; i++) {
			rows[i] = rows[0];
			snprintf(names[i], sizeof names[i], "%d.%03d", i, i % 200);
			complete_row(i);
		}
		/* This row is similar only to files with the same extension. */
		rows[1].has_resemblance = without_sketch == 0;
		store = store_with_rows();
		assert_int_equal(count_searched_rows(store), without_sketch == 0 ? 1 : 201);
		store_close(store);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_of_any_extensions_are_searched_as_one),
		cmocka_unit_test(groups_come_when_nothing_can_join_them),
		cmocka_unit_test(groups_of_many_pairs_equal_their_definition),
		cmocka_unit_test(groups_come_in_any_order),
		cmocka_unit_test(groups_equal_their_definition),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
