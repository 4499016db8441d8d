/*
 * Writes groups as trees of versions: for people, as JSON and for Graphviz.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_LINEAGE_H
#define SIMHASH_REPORT_LINEAGE_H

#include "find/lineage/lineage.h"
#include "report/lists/listing.h"

/*
 * Write a tree for each group that has versions, in the format of the listing: text, json, jsonl,
 * null or dot. Requires that `groups` was made with keeps_sketches.
 */
int listing_write_lineages(struct listing *listing, const struct group_sorter *groups,
			   struct simhash_error *error);

/* ---- For the files that write one format ---- */

typedef void lineage_write_fn(FILE *out, const struct group *group, const struct lineage *lineage,
			      const struct presentation *how);
lineage_write_fn lineage_write_json, lineage_write_null, lineage_write_dot;

/* Write text for people: the legend above the first lineage, and one lineage. */
void lineage_write_legend(struct listing *listing);
int lineage_write_text(struct listing *listing, const struct group *group,
		       const struct lineage *lineage, struct simhash_error *error);

/* Return "number", "rotation", "backup", "copy", "time" or "size". */
const char *lineage_reason_name(enum lineage_reason reason);

/* Is this a reason why the parent is earlier? */
static inline bool lineage_has_reason(const struct lineage_version *version,
				      enum lineage_reason reason)
{
	return version->evidence.of[reason] > 0;
}

/* Write "number, time" or "unclear". */
#define REASONS_SIZE 48
char *lineage_reasons(const struct lineage_version *version, char text[REASONS_SIZE]);

/* Return the confidence in whole percent, at most 99. */
unsigned lineage_percent(const struct lineage_version *version);

#endif
