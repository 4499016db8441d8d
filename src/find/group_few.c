/*
 * The groups of all files by way of their pairs, as long as those are few. Most trees have few: then
 * the search for pairs, which compares blocks, does less work than looking up each file. When there
 * turn out to be many, it is given up and the groups are found without pairs, by the same rule.
 * SPDX-License-Identifier: MIT
 */
#include "base/error.h"
#include "find/groups.h"

#define PAIRS_PER_FILE 16
#define PAIRS_ALWAYS 16384 /* a few files may have more */
#define PAIRS_MAX 4000000  /* of some 130 bytes */

struct few_pairs {
	struct pair_list list;
	bool are_too_many;
};

static int take_pair(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *error)
{
	struct few_pairs *few = context;
	struct pair_list *list = &few->list;
	int status;

	(void)thread;
	pthread_mutex_lock(&list->lock);
	few->are_too_many = few->are_too_many || list->count >= PAIRS_MAX ||
			    list->count >= PAIRS_ALWAYS + PAIRS_PER_FILE * list->file_count;
	status = few->are_too_many ? error_set(error, SIMHASH_E_RANGE, "there are many pairs")
				   : pair_list_append(list, pair, error);
	pthread_mutex_unlock(&list->lock);
	return status;
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

static int find_groups_few(struct finder *finder, enum linkage linkage, struct group_list *groups,
			   bool *are_few, struct simhash_error *error)
{
	struct few_pairs few = {.are_too_many = false};
	const struct find_sink sink = {.context = &few, .pair = take_pair};
	struct find_request request = *finder->request;
	struct finder searching = *finder;
	int status;

	/* Every file that is in a pair is in one of these, and so are all names of it. */
	request.expand = false;
	request.hard_links = true;
	request.keeps_extensions = true;
	searching.request = &request;
	searching.sink = &sink;
	pair_list_init(&few.list);
	status = finder_all(&searching, error);
	finder->counts = searching.counts;
	request.hard_links = finder->request->hard_links;
	if (status == 0)
		status = group_pairs(&few.list, &request, linkage, groups, error);
	*are_few = !few.are_too_many;
	pair_list_release(&few.list);
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
