/*
 * Reports pairs and remembers which pairs of requested files were reported.
 * SPDX-License-Identifier: MIT
 */
#include "find/query/queried_report.h"

#include <string.h>
#include <xxhash.h>

#include "base/basic/error.h"

void queried_report_release(struct queried_report *report)
{
	pair_set_release(&report->reported);
	pair_set_release(&report->queried);
}

static uint64_t hash_path(const char *path)
{
	return XXH3_64bits(path, strlen(path));
}

int queried_report_note(struct queried_report *report, const char *path)
{
	return pair_set_add(&report->queried, (struct pair){hash_path(path), 0});
}

/* Is this a pair of two requested files that was reported before? If not, remember it. */
static int is_repeated(struct queried_report *report, const struct file_pair *pair)
{
	uint64_t x = hash_path(find_file_path(pair->a)), y = hash_path(find_file_path(pair->b));
	int added;

	/* It is not known in advance which members of archives are requested. */
	if (!pair->b->is_local || (!row_is_inside(pair->b->compressed_size_bytes) &&
				   !pair_set_has(&report->queried, (struct pair){y, 0})))
		return 0;
	added = pair_set_add(&report->reported, x < y ? (struct pair){x, y} : (struct pair){y, x});
	return added < 0 ? -1 : added == 0;
}

int queried_report_pair(struct queried_report *report, struct file_pair pair,
			struct simhash_error *error)
{
	int repeated;

	if (report->passages != NULL && queried_passages_take(report->passages, &pair))
		return 0;
	repeated = is_repeated(report, &pair);
	if (repeated != 0)
		return repeated < 0 ? error_set_memory(error) : 0;
	return report_pair(&report->reporter, pair, error);
}

int queried_report_passages(struct queried_report *report, struct queried_passages *passages,
			    struct simhash_error *error)
{
	const struct found_passage *found;
	int status = 0;

	report->passages = NULL;
	while (status == 0 && (found = queried_passages_next(passages)) != NULL) {
		struct file_pair pair = {&found->queried, &found->file, found->relation, NULL};
		if (found->relation.is_part)
			pair.place = &found->place;
		status = queried_report_pair(report, pair, error);
	}
	return status;
}
