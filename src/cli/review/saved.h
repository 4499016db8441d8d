/*
 * Loads the decisions of an earlier review or of a page, and saves decisions.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_REVIEW_SAVED_H
#define SIMHASH_CLI_REVIEW_SAVED_H

#include "cli/review/marks.h"
#include "keep/decisions.h"

struct review_saved {
	char *path; /* owned */
	/* The decisions about other files, which remain: of this host, and of other hosts as JSON. */
	struct keep_file *elsewhere;
	size_t elsewhere_count, elsewhere_capacity;
	struct bytes *others;
	size_t other_count, other_capacity;
	struct arena texts;
	struct decisions_heading heading;
	bool is_changed; /* are there marks that are not saved? */
};

/*
 * Load `path`, or a file below $XDG_STATE_HOME that belongs to this index and host. A missing file
 * has no decisions. The caller releases it, also after -1.
 */
int review_load(struct review_saved *saved, struct review_model *model, const char *path,
		const struct decisions_heading *heading, struct simhash_error *error);

/*
 * Save all decisions in place of the old file. Files without a mark whose content loses a file are
 * saved as kept, so that one file of each content is known to stay.
 */
int review_save(struct review_saved *saved, const struct review_model *model,
		struct simhash_error *error);
void review_saved_release(struct review_saved *saved);

#endif
