/*
 * Marks files of a review to be kept or removed, by hand or by a rule, and takes marks back. One
 * file of each content always stays.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_REVIEW_MARKS_H
#define SIMHASH_CLI_REVIEW_MARKS_H

#include "cli/review/model.h"

/* The result of marks. */
struct review_marked {
	size_t changed; /* files */
	size_t last;	/* files that stay as the last ones of their contents */
	size_t locked;	/* files that stay because they are protected */
	size_t by_hand; /* files that a rule leaves as they were marked by hand */
};

/* Begin changes that one undo takes back, unless no mark changes. Call it before the functions below. */
void review_begin_change(struct review_model *model);

/* Mark a file by hand, or all files of a content that are in a folder, or all files in a folder. */
int review_mark_file(struct review_model *model, uint32_t file, enum review_mark mark,
		     struct review_marked *marked, struct simhash_error *error);
int review_mark_content(struct review_model *model, uint32_t content, uint32_t folder,
			enum review_mark mark, struct review_marked *marked,
			struct simhash_error *error);
int review_mark_folder(struct review_model *model, uint32_t folder, enum review_mark mark,
		       struct review_marked *marked, struct simhash_error *error);

/*
 * Decide about the files in a folder by a rule: of each content, the best file by the rule is kept,
 * wherever it is, and its other files in the folder are removed. If no file of a content matches a
 * rule with a directory or a pattern, nothing is decided. Marks by hand stay.
 */
int review_apply_rule(struct review_model *model, uint32_t folder, const struct keep_rule *rule,
		      struct review_marked *marked, struct simhash_error *error);

/* Take back the last changes. Returns the number of files. */
size_t review_undo(struct review_model *model);

/* The bytes that all marks free: a file with several names is free when all are removed. */
int64_t review_marked_bytes(const struct review_model *model);

#endif
