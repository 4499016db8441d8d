/*
 * Lists pairs of folders: each folder with its partner, except for pairs inside a pair of higher
 * folders.
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/threads/threads.h"
#include "find/folders/folder_partners.h"
#include "find/folders/folder_read.h"
#include "store/names/names.h"

#define FOLDERS_AT_ONCE 16

/* The data that all threads share. */
struct pairing {
	const struct folder_tree *tree;
	/* For each folder: one on disk, and one in an archive. */
	struct folder_partner (*partners)[2];
	atomic_size_t next;
	struct first_error failed;
};

struct pairing_thread {
	struct pairing *pairing;
	struct partner_search search;
	struct folder_pair *pairs; /* the pairs found by the thread */
	size_t count, capacity;
};

/* ---- The highest pairs ---- */

static bool has_partner(const struct pairing *pairing, uint32_t folder, uint32_t partner)
{
	return pairing->partners[folder][is_in_archive(pairing->tree, partner)].folder == partner;
}

static bool are_partners(const struct pairing *pairing, uint32_t x, uint32_t y)
{
	return has_partner(pairing, x, y) || has_partner(pairing, y, x);
}

/* Is there a pair of a folder that is x or contains x, and a folder that is y or contains y? */
static bool is_inside_pair(const struct pairing *pairing, uint32_t x, uint32_t y)
{
	const struct folder *folders = pairing->tree->folders;

	for (uint32_t i = x; i != NO_FOLDER; i = folders[i].parent)
		for (uint32_t k = y; k != NO_FOLDER; k = folders[k].parent)
			if ((i != x || k != y) && are_partners(pairing, i, k))
				return true;
	return false;
}

/* Does the partner of a higher folder have at least as much of this folder as its own partner? */
static bool is_shared_above(struct pairing_thread *thread, uint32_t folder, int kind)
{
	const struct folder_tree *tree = thread->pairing->tree;
	struct folder_partner(*partners)[2] = thread->pairing->partners;

	for (uint32_t i = tree->folders[folder].parent; i != NO_FOLDER;
	     i = tree->folders[i].parent) {
		struct folder_share here = {.bytes = 0}, there = {.bytes = 0};
		if (partners[i][kind].folder == NO_FOLDER)
			continue;
		share_measure(tree, &thread->search.marks, range_of(tree, folder),
			      range_of(tree, partners[i][kind].folder), &here, &there);
		if (here.shared_bytes >= partners[folder][kind].shared_bytes)
			return true;
	}
	return false;
}

static bool is_listed(struct pairing_thread *thread, uint32_t folder, int kind)
{
	uint32_t partner = thread->pairing->partners[folder][kind].folder;

	/* If two folders are each other's partner, only the first one makes the pair. */
	if (partner == NO_FOLDER ||
	    (has_partner(thread->pairing, partner, folder) && partner < folder))
		return false;
	return !is_inside_pair(thread->pairing, folder, partner) &&
	       !is_shared_above(thread, folder, kind);
}

/* ---- Properties of a pair ---- */

static enum folder_kind kind_of(const struct folder_pair *pair)
{
	if (pair->a.same < pair->a.files)
		return FOLDERS_SIMILAR;
	return pair->b.same < pair->b.files ? FOLDERS_CONTAINED : FOLDERS_IDENTICAL;
}

/*
 * If two folders are each other's partner, the folder with the larger share in the other one comes
 * first; if both shares are equal, the later folder does.
 */
static bool goes_first(uint32_t x, const struct folder_share *of_x, uint32_t y,
		       const struct folder_share *of_y)
{
	double share_x = folder_shared(of_x), share_y = folder_shared(of_y);
	bool all_x = of_x->same == of_x->files, all_y = of_y->same == of_y->files;

	if (all_x != all_y)
		return all_x;
	return share_x != share_y ? share_x > share_y : x > y;
}

static bool is_archive_range(const struct folder_tree *tree, struct folder_range range)
{
	return range.first < range.end && is_in_archive(tree, range.first);
}

/* The bytes of the files whose contents the other folder does not have. */
static int64_t other_bytes(const struct folder_share *share)
{
	return share->bytes - (share->shared_bytes - share->alike_bytes);
}

/*
 * Many versions of one file can be similar to one file of the other folder. Together they share at
 * most its bytes.
 */
static void limit_alike(struct folder_share *share, int64_t most_bytes)
{
	if (share->alike_bytes <= most_bytes)
		return;
	share->shared_bytes -= share->alike_bytes - most_bytes;
	share->alike_bytes = most_bytes;
}

int folder_pair_measure(const struct folder_tree *tree, struct share_marks *marks,
			struct folder_range range_a, struct folder_range range_b,
			struct folder_pair *pair, struct simhash_error *error)
{
	int64_t most_of_a, most_of_b;

	share_measure(tree, marks, range_a, range_b, &pair->a, &pair->b);
	most_of_a = other_bytes(&pair->b);
	most_of_b = other_bytes(&pair->a);
	limit_alike(&pair->a, most_of_a);
	limit_alike(&pair->b, most_of_b);
	pair->kind = kind_of(pair);
	pair->a_in_archive = is_archive_range(tree, range_a);
	pair->b_in_archive = is_archive_range(tree, range_b);
	/*
	 * Files in an archive cannot be removed, and a file whose only copy is in an archive should
	 * stay.
	 */
	if (pair->a_in_archive || pair->b_in_archive)
		return 0;
	pair->saved_bytes = share_saved(tree, marks, range_a, range_b);
	return pair->saved_bytes < 0 ? error_set_memory(error) : 0;
}

static struct folder_share share_of(const struct folder *folder)
{
	return (struct folder_share){.bytes = folder->bytes, .files = folder->files};
}

/*
 * Folders that share only one file and also contain others do not count as a pair; the list of
 * files shows that file.
 */
static bool is_of_folders(const struct folder_tree *tree, const struct folder_pair *pair)
{
	/* This is probably one archive that exists twice. */
	if (pair->kind == FOLDERS_IDENTICAL && pair->a_in_archive && pair->b_in_archive &&
	    tree->folders[pair->folder_a].archive_bytes ==
		    tree->folders[pair->folder_b].archive_bytes)
		return false;
	return pair->kind != FOLDERS_SIMILAR || pair->a.same + pair->a.changed > 1;
}

/* Add the pair of a folder and its partner. */
static int add_pair(struct pairing_thread *thread, uint32_t x, uint32_t y,
		    struct simhash_error *error)
{
	const struct folder_tree *tree = thread->pairing->tree;
	struct share_marks *marks = &thread->search.marks;
	uint32_t a = x, b = y;
	struct folder_share of_x = share_of(&tree->folders[x]), of_y = share_of(&tree->folders[y]);
	struct folder_pair *pair;

	if (array_reserve(&thread->pairs, &thread->capacity, thread->count + 1,
			  sizeof *thread->pairs, error) != 0)
		return -1;
	if (has_partner(thread->pairing, y, x)) {
		share_measure(tree, marks, range_of(tree, x), range_of(tree, y), &of_x, &of_y);
		a = goes_first(x, &of_x, y, &of_y) ? x : y;
		b = a == x ? y : x;
	}
	pair = &thread->pairs[thread->count];
	*pair = (struct folder_pair){.folder_a = a,
				     .folder_b = b,
				     .a = share_of(&tree->folders[a]),
				     .b = share_of(&tree->folders[b])};
	if (folder_pair_measure(tree, marks, range_of(tree, a), range_of(tree, b), pair, error) !=
	    0)
		return -1;
	thread->count += is_of_folders(tree, pair);
	return 0;
}

/* ---- Threads ---- */

/* Take the next folders that no thread has taken. Returns their number. */
static size_t take_folders(struct pairing *pairing, size_t *first)
{
	size_t count = pairing->tree->count;

	*first = atomic_fetch_add(&pairing->next, FOLDERS_AT_ONCE);
	if (*first >= count || first_error_is_set(&pairing->failed))
		return 0;
	return count - *first < FOLDERS_AT_ONCE ? count - *first : FOLDERS_AT_ONCE;
}

static void *find_partners(void *context)
{
	struct pairing_thread *thread = context;
	size_t first, count;

	while ((count = take_folders(thread->pairing, &first)) > 0)
		for (size_t i = first; i < first + count; i++)
			partner_search_find(&thread->search, (uint32_t)i,
					    thread->pairing->partners[i]);
	return NULL;
}

static void *list_pairs(void *context)
{
	struct pairing_thread *thread = context;
	struct pairing *pairing = thread->pairing;
	struct simhash_error error;
	size_t first, count;

	while ((count = take_folders(pairing, &first)) > 0)
		for (uint32_t i = (uint32_t)first; i < first + count; i++)
			for (int kind = 0; kind < 2; kind++)
				if (is_listed(thread, i, kind) &&
				    add_pair(thread, i, pairing->partners[i][kind].folder,
					     &error) != 0)
					first_error_set(&pairing->failed, &error);
	return NULL;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct folder_pair *x = a, *y = b;

	if (x->saved_bytes != y->saved_bytes)
		return x->saved_bytes > y->saved_bytes ? -1 : 1;
	if (x->a.shared_bytes != y->a.shared_bytes)
		return x->a.shared_bytes > y->a.shared_bytes ? -1 : 1;
	if (x->folder_a != y->folder_a)
		return x->folder_a < y->folder_a ? -1 : 1;
	return (x->folder_b > y->folder_b) - (x->folder_b < y->folder_b);
}

static int join_pairs(struct folder_pairs *found, const struct pairing_thread *threads,
		      unsigned count, struct simhash_error *error)
{
	for (unsigned i = 0; i < count; i++) {
		if (array_reserve(&found->pairs, &found->capacity,
				  found->count + threads[i].count + 1, sizeof *found->pairs,
				  error) != 0)
			return -1;
		if (threads[i].count > 0)
			memcpy(found->pairs + found->count, threads[i].pairs,
			       threads[i].count * sizeof *found->pairs);
		found->count += threads[i].count;
		found->passed_over += threads[i].search.passed_over;
	}
	if (found->count > 1)
		qsort(found->pairs, found->count, sizeof *found->pairs, compare_pairs);
	return 0;
}

static int find_pairs(struct folder_pairs *found, double min_shared, unsigned threads,
		      struct simhash_error *error)
{
	const struct folder_tree *tree = &found->tree;
	struct pairing pairing = {.tree = tree,
				  .partners = malloc((tree->count + 1) * sizeof *pairing.partners)};
	struct pairing_thread *own = calloc(threads, sizeof *own);
	unsigned ready = 0;
	int status = own == NULL || pairing.partners == NULL ? error_set_memory(error) : 0;

	first_error_init(&pairing.failed, error);
	for (; status == 0 && ready < threads; ready++) {
		own[ready].pairing = &pairing;
		status = partner_search_init(&own[ready].search, tree, min_shared, error);
	}
	if (status == 0) {
		threads_run(threads, find_partners, own, sizeof *own);
		atomic_store(&pairing.next, 0);
		threads_run(threads, list_pairs, own, sizeof *own);
		status = first_error_is_set(&pairing.failed)
				 ? -1
				 : join_pairs(found, own, threads, error);
	}
	for (unsigned i = 0; i < ready; i++) {
		partner_search_release(&own[i].search);
		free(own[i].pairs);
	}
	free(own);
	free(pairing.partners);
	return status;
}

/* ---- All pairs ---- */

int folder_tree_build(struct finder *finder, const struct folder_request *wanted,
		      struct folder_tree *tree, struct simhash_error *error)
{
	struct group_parts groups = {.count = 0};
	int status = 0;

	*tree = (struct folder_tree){.count = 0};
	/* The search needs its memory before the tree exists. */
	if (wanted->with_similar)
		status = group_parts_find(&groups, finder, LINK_REPRESENTATIVE, error);
	if (status == 0)
		status = folder_tree_read(tree, finder, wanted->sides, wanted->side_count, error);
	if (status == 0 && wanted->with_similar)
		status = folder_tree_relate(tree, &groups,
					    finder->request->rule.verify.min_resemblance,
					    finder->resources->threads, error);
	group_parts_release(&groups);
	return status == 0 ? folder_tree_settle(tree, error) : status;
}

int finder_folders(struct finder *finder, const struct folder_request *wanted,
		   struct folder_pairs *found, struct simhash_error *error)
{
	int status;

	*found = (struct folder_pairs){.local_host = finder->local_host};
	status = store_read_hosts(finder->store, &found->hosts, error);
	if (status == 0)
		status = folder_tree_build(finder, wanted, &found->tree, error);
	if (status == 0)
		status = find_pairs(found, wanted->min_shared, finder->resources->threads, error);
	if (status != 0)
		folder_pairs_release(found);
	return status;
}

void folder_pairs_release(struct folder_pairs *found)
{
	free(found->pairs);
	folder_tree_release(&found->tree);
	name_list_release(&found->hosts);
	*found = (struct folder_pairs){.count = 0};
}
