/*
 * The groups of all files by way of their pairs, as long as those are few. Most trees have few: then
 * the search for pairs, which compares blocks, does less work than looking up each file. When there
 * turn out to be many, it is given up and the groups are found without pairs, by the same rule.
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "find/groups.h"

#define PAIRS_PER_FILE 16
#define PAIRS_ALWAYS 16384 /* a few files may have more */
#define PAIRS_MAX 4000000  /* of some 130 bytes */

/* Each thread has a list of its own. */
struct few_pairs {
	struct pair_list *lists;
	unsigned count;
	atomic_bool are_too_many;
};

static int few_pairs_init(struct few_pairs *few, unsigned threads, struct simhash_error *error)
{
	*few = (struct few_pairs){.lists = malloc(threads * sizeof *few->lists)};
	if (few->lists == NULL)
		return error_set_memory(error);
	for (few->count = 0; few->count < threads; few->count++)
		pair_list_init(&few->lists[few->count]);
	return 0;
}

static void few_pairs_release(struct few_pairs *few)
{
	for (unsigned i = 0; i < few->count; i++)
		pair_list_release(&few->lists[i]);
	free(few->lists);
}

static int take_pair(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *error)
{
	struct few_pairs *few = context;
	struct pair_list *list = &few->lists[thread];

	if (list->count >= PAIRS_MAX / few->count ||
	    list->count >= PAIRS_ALWAYS + PAIRS_PER_FILE * list->file_count)
		atomic_store(&few->are_too_many, true);
	return atomic_load_explicit(&few->are_too_many, memory_order_relaxed)
		       ? error_set(error, SIMHASH_E_RANGE, "there are many pairs")
		       : pair_list_append(list, pair, error);
}

/* What was counted is to be counted again. */
static void begin_again(struct finder *finder)
{
	struct find_progress *progress = finder->resources->progress;

	finder->counts = (struct find_counts){.rows = 0};
	if (progress == NULL)
		return;
	atomic_store(&progress->rows, 0);
	atomic_store(&progress->pairs, 0);
}

/* The pairs of all threads in the first list. Every file that is in a pair is in one of them. */
static int find_pairs(struct finder *finder, struct few_pairs *few, struct simhash_error *error)
{
	const struct find_sink sink = {.context = few, .pair = take_pair};
	struct find_request request = *finder->request;
	struct finder searching = *finder;
	int status;

	request.expand = false;
	request.hard_links = true;
	request.keeps_extensions = true;
	searching.request = &request;
	searching.sink = &sink;
	status = finder_all(&searching, error);
	finder->counts = searching.counts;
	for (unsigned i = 1; status == 0 && i < few->count; i++)
		status = pair_list_join(&few->lists[0], &few->lists[i], error);
	pair_list_end(&few->lists[0]);
	return status;
}

static int find_groups_few(struct finder *finder, enum linkage linkage, struct group_list *groups,
			   bool *are_few, struct simhash_error *error)
{
	struct find_request request = *finder->request;
	struct few_pairs few;
	int status = few_pairs_init(&few, finder->resources->threads, error);

	request.keeps_extensions = true;
	if (status == 0)
		status = find_pairs(finder, &few, error);
	if (status == 0)
		status = group_pairs(&few.lists[0], &request, linkage, groups, error);
	for (unsigned i = 0; status == 0 && i < few.count; i++)
		arena_join(&groups->files, &few.lists[i].arena);
	*are_few = few.lists == NULL || !atomic_load(&few.are_too_many);
	few_pairs_release(&few);
	return status;
}

/* What is told of the groups: how many files are copies, and how many are similar to others. */
static void count_members(struct finder *finder, const struct group_list *groups)
{
	finder->counts.identical = finder->counts.similar = 0;
	for (size_t m = 0; m < groups->member_count; m++) {
		finder->counts.identical += groups->members[m].role == ROLE_COPY;
		finder->counts.similar += groups->members[m].role == ROLE_MEMBER;
	}
}

/*
 * Not where pairs are read, since then fewer are better. Nor where files of the same content may be
 * in no pair: those on the same side, and where the rule looks at extensions even names of one file.
 */
static bool tries_pairs(const struct find_request *request)
{
	const struct find_rule *rule = &request->rule;

	return rule->verify.mode < VERIFY_READ && !request->has_between &&
	       rule->candidates == CANDIDATES_EXACT && rule->extension_count == 0 &&
	       !rule->verify.same_extension && !rule_is_by_extension(rule);
}

int finder_groups(struct finder *finder, enum linkage linkage, struct group_list *groups,
		  struct simhash_error *error)
{
	bool are_few = tries_pairs(finder->request);
	int status = 0;

	*groups = (struct group_list){.count = 0};
	if (are_few) {
		status = find_groups_few(finder, linkage, groups, &are_few, error);
		if (!are_few)
			begin_again(finder);
	}
	if (!are_few)
		status = finder_groups_without_pairs(finder, linkage, groups, error);
	if (status == 0)
		count_members(finder, groups);
	return status;
}
