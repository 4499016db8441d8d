/*
 * Finds which known files a file consists of, such as a disk image or an unknown archive: a small
 * set of files of the index that covers it, by their pieces (greedy set cover).
 *
 *     status = finder_cover(&finder, path, &cover, &error);
 *     for (i = 0; status == 1 && i < cover.count; i++)
 *             show(&cover.parts[i]);
 *     file_cover_release(&cover);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FILE_COVER_H
#define SIMHASH_FIND_FILE_COVER_H

#include "find/rule/finder.h"

struct cover_range {
	int64_t begin, end; /* bytes of the covered file, `end` excluded; exact to some hundreds */
};

/* A known file, and the ranges of the covered file that it has. */
struct cover_part {
	struct find_file file;
	struct cover_range *ranges; /* in order; owned */
	size_t range_count;
	int64_t bytes; /* in the ranges */
	int64_t added; /* the bytes of these that no earlier part has */
	double share;  /* of the known file */
};

struct file_cover {
	int64_t size_bytes;
	int64_t covered_bytes;	  /* at most size_bytes */
	int64_t blank_bytes;	  /* not covered, and one repeated byte, such as zero */
	struct cover_part *parts; /* the largest addition first */
	size_t count, capacity;
	struct cover_range *gaps; /* not covered and not blank */
	size_t gap_count, gap_capacity;
	struct arena arena;
};

/*
 * Cover the file with this path; NULL is standard input. The file's own row and its own members do
 * not count. Takes at most about the memory of the finder. Returns 1; 0 if the file cannot be read,
 * which the sink gets; -1 for an error. Release the cover in each case.
 */
int finder_cover(struct finder *finder, const char *path, struct file_cover *cover,
		 struct simhash_error *error);
void file_cover_release(struct file_cover *cover);

#endif
