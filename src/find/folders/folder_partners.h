/*
 * Finds for each folder the partner that has the most of its content: one partner on disk, and one
 * in an archive.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FOLDER_PARTNERS_H
#define SIMHASH_FIND_FOLDER_PARTNERS_H

#include "find/folders/folder_share.h"

/* Of folders that are no partner of any: NO_FOLDER. */
struct folder_partner {
	uint32_t folder;
	int64_t shared_bytes; /* that it has */
};

/* What a folder that is looked at and another one have of each other, as far as it is added up. */
struct folder_meeting {
	int64_t shared_here, shared_there;
	uint64_t seen; /* by which content of the folder, last */
	bool is_met, is_complete, is_vague, has_deeper;
};

/* Belongs to one thread. */
struct partner_search {
	const struct folder_tree *tree;
	double min_shared;
	struct share_marks marks;
	struct folder_meeting *meetings; /* with each folder; all zero between two searches */
	uint32_t *met, *common;		 /* folders; contents that are common */
	size_t met_count, common_count;
	int64_t common_bytes;
	uint64_t seen;
	uint64_t passed_over; /* folders that have common contents alone */
	uint32_t folder;
};

int partner_search_init(struct partner_search *search, const struct folder_tree *tree,
			double min_shared, struct simhash_error *error);
void partner_search_release(struct partner_search *search);

/* The partners of a folder: [0] on disk, [1] in an archive. */
void partner_search_find(struct partner_search *search, uint32_t folder,
			 struct folder_partner partners[2]);

#endif
