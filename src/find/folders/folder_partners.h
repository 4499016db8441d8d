/*
 * Finds two partners of each folder, one on disk and one in an archive: the folders that contain
 * the largest part of it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FOLDER_PARTNERS_H
#define SIMHASH_FIND_FOLDER_PARTNERS_H

#include "find/folders/folder_share.h"

/* The partner of a folder; NO_FOLDER if there is none. */
struct folder_partner {
	uint32_t folder;
	int64_t shared_bytes; /* the bytes of the folder that the partner has */
};

/* The bytes that the searched folder and another folder share, as far as they are added up. */
struct folder_meeting {
	int64_t shared_here, shared_there;
	uint64_t seen; /* the last content of the searched folder that was added */
	bool is_met, is_complete, is_vague, has_deeper;
};

/* Belongs to one thread. */
struct partner_search {
	const struct folder_tree *tree;
	double min_shared;
	struct share_marks marks;
	struct folder_meeting *meetings; /* for each other folder; all zero between two searches */
	/* met: folders; common: contents that are in too many folders */
	uint32_t *met, *common;
	size_t met_count, common_count;
	int64_t common_bytes;
	uint64_t seen;
	uint64_t passed_over; /* the number of folders with only common contents */
	uint32_t folder;
};

int partner_search_init(struct partner_search *search, const struct folder_tree *tree,
			double min_shared, struct simhash_error *error);
void partner_search_release(struct partner_search *search);

/* The partners of a folder: [0] on disk, [1] in an archive. */
void partner_search_find(struct partner_search *search, uint32_t folder,
			 struct folder_partner partners[2]);

#endif
