/*
 * Writes groups in a short form: the first members of each, and the number of further ones.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/decimal.h"
#include "report/lists/listing.h"

#define SHOWN_MAX \
	4 /* members; where there are more, the line that counts them takes the place of one */

static size_t shown_of(const struct group *group)
{
	size_t others = group->count - 1;

	return others <= SHOWN_MAX ? others : SHOWN_MAX - 1;
}

static int note_shown(struct listing *listing, const struct group *group,
		      const struct group_member *members, struct simhash_error *error)
{
	for (size_t m = 0; m <= shown_of(group); m++)
		if (listing_note(listing, members[m].file, false, error) != 0)
			return -1;
	return 0;
}

static int write_folded(struct listing *listing, const struct group *group,
			const struct group_member *members, struct simhash_error *error)
{
	size_t shown = shown_of(group), others = group->count - 1;
	char count[32];

	if (group->number > 1)
		fputc('\n', listing->file);
	for (size_t m = 0; m <= shown; m++)
		if (listing_write_member(listing, group, &members[m], text_write_folded, error) !=
		    0)
			return -1;
	if (shown < others)
		fprintf(listing->file, "%*sand %s more (--group)\n", LABEL_COLUMNS + 2, "",
			format_count(others - shown, count));
	return listing_check(listing, error);
}

int listing_write_folded(struct listing *listing, const struct group_sorter *groups,
			 struct simhash_error *error)
{
	if (listing_each_group(listing, groups, note_shown, error) != 0)
		return -1;
	listing_begin_marked(listing);
	return listing_each_group(listing, groups, write_folded, error);
}
