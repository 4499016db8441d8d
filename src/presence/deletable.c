/*
 * Finds the directories that can be deleted: each alone, and several together.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/basic/sizes.h"
#include "presence/presence.h"

/* Search for the missing files of some of the tops. */
static int search(struct finder *finder, const struct presence_request *wanted,
		  const struct find_side *tops, size_t count, struct deletable *result,
		  struct simhash_error *error)
{
	struct presence_request request = *wanted;
	struct presence found;

	request.tops = tops;
	request.top_count = count;
	request.relatives = 0;
	if (finder_missing(finder, &request, &found, error) != 0)
		return -1;
	*result = (struct deletable){.files = presence_count(&found),
				     .missing = presence_count_missing(&found) + found.unread +
						found.unfinished};
	for (int state = 0; state < PRESENCE_STATES; state++) {
		add_size(&result->bytes, found.bytes[state]);
		if (is_missing((enum presence_state)state))
			add_size(&result->missing_bytes, found.bytes[state]);
	}
	result->is_alone = result->missing == 0 && found.left_out == 0;
	presence_release(&found);
	return 0;
}

/* The largest top that can be deleted alone and was not tried yet; `count`: none. */
static size_t next_largest(const struct deletable *tops, const bool *is_tried, size_t count)
{
	size_t best = count;

	for (size_t i = 0; i < count; i++)
		if (tops[i].is_alone && !is_tried[i] &&
		    (best == count || tops[i].bytes > tops[best].bytes))
			best = i;
	return best;
}

/* Try to add one top after the other to those that are deleted together. */
static int find_together(struct finder *finder, const struct presence_request *wanted,
			 struct deletable *tops, struct find_side *chosen, bool *is_tried,
			 struct simhash_error *error)
{
	size_t count = 0, at;

	while ((at = next_largest(tops, is_tried, wanted->top_count)) < wanted->top_count) {
		struct deletable all = {.is_alone = true};
		is_tried[at] = true;
		chosen[count] = wanted->tops[at];
		if (count > 0 && search(finder, wanted, chosen, count + 1, &all, error) != 0)
			return -1;
		tops[at].is_together = all.is_alone;
		count += all.is_alone;
	}
	return 0;
}

int finder_deletable(struct finder *finder, const struct presence_request *wanted,
		     struct deletable *tops, struct simhash_error *error)
{
	struct find_side *chosen = calloc(wanted->top_count + 1, sizeof *chosen);
	bool *is_tried = calloc(wanted->top_count + 1, sizeof *is_tried);
	int status = chosen == NULL || is_tried == NULL ? error_set_memory(error) : 0;

	for (size_t i = 0; status == 0 && i < wanted->top_count; i++)
		status = search(finder, wanted, &wanted->tops[i], 1, &tops[i], error);
	if (status == 0)
		status = find_together(finder, wanted, tops, chosen, is_tried, error);
	free(chosen);
	free(is_tried);
	return status;
}
