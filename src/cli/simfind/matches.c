/*
 * Sorts pairs into the matches of each FILE.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/matches.h"

#include <stdlib.h>

#include "base/basic/error.h"
#include "base/data/array.h"

struct match {
	size_t asked;
	struct group_member member;
	const struct find_file *first; /* the first match of this content; its copies follow it */
	double key, then;
};

/* ---- FILEs ---- */

int matches_ask(struct matches *matches, const struct find_file *file, bool is_named,
		struct simhash_error *error)
{
	struct find_file *copy = arena_take(&matches->arena, sizeof *copy);
	char *display = arena_take(&matches->arena, (size_t)file->display_size + 1);

	if (copy == NULL || display == NULL)
		return error_set_memory(error);
	if (array_reserve(&matches->asked, &matches->asked_capacity, matches->asked_count + 1,
			  sizeof *matches->asked, error) != 0)
		return -1;
	*copy = *file;
	memcpy(display, file->display, (size_t)file->display_size + 1);
	copy->display = display;
	matches->asked[matches->asked_count++] =
		(struct asked_file){.file = copy, .is_named = is_named};
	return 0;
}

/* ---- Their matches ---- */

static int compare_asked(const void *a, const void *b)
{
	const struct asked_file *const *x = a, *const *y = b;

	return find_file_compare((*x)->file, (*y)->file);
}

static int compare_to_asked(const void *key, const void *item)
{
	const struct asked_file *const *asked = item;

	return find_file_compare(key, (*asked)->file);
}

static int add_match(struct matches *matches, const struct asked_file *asked,
		     const struct find_file *file, struct relation relation,
		     const struct part_place *place, struct simhash_error *error)
{
	if (array_reserve(&matches->items, &matches->capacity, matches->count + 1,
			  sizeof *matches->items, error) != 0)
		return -1;
	matches->items[matches->count++] =
		(struct match){.asked = (size_t)(asked - matches->asked),
			       .member = {.file = file, .relation = relation, .place = place}};
	return 0;
}

/* A pair of two FILEs is a match of both. */
static int add_pair(struct matches *matches, struct asked_file *const *sorted,
		    const struct file_pair *pair, struct simhash_error *error)
{
	const struct find_file *files[2] = {pair->a, pair->b};

	for (int side = 0; side < 2; side++) {
		struct asked_file *const *asked =
			!files[side]->is_local ? NULL
					       : bsearch(files[side], sorted, matches->asked_count,
							 sizeof *sorted, compare_to_asked);
		if (asked != NULL &&
		    add_match(matches, *asked, files[1 - side],
			      side == 1 ? pair->relation : relation_turned(&pair->relation),
			      pair->place, error) != 0)
			return -1;
	}
	return 0;
}

static int add_pairs(struct matches *matches, const struct pair_list *pairs,
		     struct simhash_error *error)
{
	struct asked_file **sorted = malloc((matches->asked_count + 1) * sizeof(void *));
	int status = sorted == NULL ? error_set_memory(error) : 0;

	for (size_t i = 0; sorted != NULL && i < matches->asked_count; i++)
		sorted[i] = &matches->asked[i];
	if (status == 0 && matches->asked_count > 0) {
		qsort(sorted, matches->asked_count, sizeof *sorted, compare_asked);
		for (size_t i = 0; status == 0 && i < pairs->count; i++)
			status = add_pair(matches, sorted, &pairs->pairs[i], error);
	}
	free(sorted);
	return status;
}

/* ---- Their order ---- */

/* Matches of the same content are next to each other. */
static int compare_contents(const void *a, const void *b)
{
	const struct match *x = a, *y = b;
	const struct find_file *file = x->member.file, *other = y->member.file;
	int order = (x->asked > y->asked) - (x->asked < y->asked);

	if (order == 0)
		order = (find_file_bytes(file) > find_file_bytes(other)) -
			(find_file_bytes(file) < find_file_bytes(other));
	if (order == 0)
		order = memcmp(file->content_hash, other->content_hash, CONTENT_HASH_SIZE);
	return order != 0 ? order : find_file_compare(file, other);
}

static int compare_matches(const void *a, const void *b)
{
	const struct match *x = a, *y = b;
	int order = (x->asked > y->asked) - (x->asked < y->asked);

	if (order == 0)
		order = (x->key > y->key) - (x->key < y->key);
	if (order == 0)
		order = (x->then > y->then) - (x->then < y->then);
	if (order == 0)
		order = find_file_compare(x->first, y->first);
	return order != 0 ? order : find_file_compare(x->member.file, y->member.file);
}

static int compare_reversed(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	return x->asked != y->asked || x->first == y->first ? compare_matches(a, b)
							    : -compare_matches(a, b);
}

/* Set the role and the sort keys of each match. */
static void settle(struct matches *matches, const struct listing_order *order)
{
	for (size_t i = 0; i < matches->count; i++) {
		struct match *match = &matches->items[i];
		const struct match *before = i == 0 ? NULL : match - 1;
		struct group_member *member = &match->member;
		struct file_pair pair = {member->file, matches->asked[match->asked].file,
					 member->relation, member->place};
		bool is_copy = before != NULL && before->asked == match->asked &&
			       has_same_content(before->member.file, member->file);
		matches->identical += member->relation.is_identical;
		member->role = is_copy || member->relation.is_identical ? ROLE_COPY : ROLE_MEMBER;
		match->first = is_copy ? before->first : member->file;
		match->key = is_copy ? before->key : pair_sort_key(order, &pair);
		match->then = is_copy ? before->then : pair_similarity_key(&pair);
	}
}

/* Mark copies that already share their blocks with their FILE. */
static int mark_shared(struct matches *matches, struct shared_copies *shared,
		       struct simhash_error *error)
{
	const struct find_file *first = NULL;

	for (size_t i = 0; i < matches->count; i++) {
		const struct find_file *asked = matches->asked[matches->items[i].asked].file;
		struct group_member *member = &matches->items[i].member;
		struct shared_copy taken;
		if (!member->relation.is_identical || member->file->compressed_size_bytes != 0)
			continue;
		if (asked != first)
			shared_copies_begin(shared, asked);
		first = asked;
		if (shared_copies_take(shared, member->file, &taken, error) != 0)
			return -1;
		member->is_shared = taken.is_shared;
		matches->shared += taken.is_shared;
	}
	return 0;
}

/*
 * A member of an archive without matches gets no line. An archive without matches gets no line if
 * one of its members has a match.
 */
static bool is_shown(const struct matches *matches, size_t number)
{
	const struct asked_file *asked = &matches->asked[number];

	if (asked->count > 0)
		return true;
	if (!asked->is_named)
		return false;
	while (++number < matches->asked_count && !(++asked)->is_named)
		if (asked->count > 0)
			return false;
	return true;
}

static void note_ranges(struct matches *matches)
{
	for (size_t i = matches->count; i-- > 0;) {
		struct asked_file *asked = &matches->asked[matches->items[i].asked];
		asked->first = i;
		asked->count++;
	}
	for (size_t i = 0; i < matches->asked_count; i++)
		matches->unmatched += matches->asked[i].count == 0 && is_shown(matches, i);
}

int matches_take(struct matches *matches, const struct pair_list *pairs,
		 const struct listing_order *order, struct shared_copies *shared,
		 struct simhash_error *error)
{
	if (add_pairs(matches, pairs, error) != 0)
		return -1;
	if (matches->count > 0) {
		qsort(matches->items, matches->count, sizeof *matches->items, compare_contents);
		settle(matches, order);
		if (mark_shared(matches, shared, error) != 0)
			return -1;
		qsort(matches->items, matches->count, sizeof *matches->items,
		      order->reverse ? compare_reversed : compare_matches);
	}
	note_ranges(matches);
	matches->limit = order->limit;
	for (size_t i = 0; i < matches->asked_count; i++)
		if (order->limit > 0 && matches->asked[i].count > order->limit)
			matches->left_out += matches->asked[i].count - order->limit;
	return 0;
}

/* ---- Groups ---- */

int matches_each(const struct matches *matches, struct listing *listing, listed_group_fn *each,
		 struct simhash_error *error)
{
	struct group_member *members = NULL;
	size_t capacity = 0, number = 0;
	int status = 0;

	for (size_t i = 0; status == 0 && i < matches->asked_count; i++) {
		const struct asked_file *asked = &matches->asked[i];
		size_t count = asked->count;
		if (!is_shown(matches, i))
			continue;
		if (matches->limit > 0 && count > matches->limit)
			count = (size_t)matches->limit;
		status = array_reserve(&members, &capacity, count + 1, sizeof *members, error);
		if (status != 0)
			break;
		members[0] =
			(struct group_member){.file = asked->file, .role = ROLE_REPRESENTATIVE};
		for (size_t m = 0; m < count; m++)
			members[m + 1] = matches->items[asked->first + m].member;
		status = each(listing,
			      &(struct group){.number = ++number,
					      .count = count + 1,
					      .representative = asked->file},
			      members, error);
	}
	free(members);
	return status;
}

void matches_release(struct matches *matches)
{
	arena_release(&matches->arena);
	free(matches->asked);
	free(matches->items);
	*matches = (struct matches){.count = 0};
}
