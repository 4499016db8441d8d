/*
 * Searches a content for passages, and finds their places in it. Texts are compared by their normal
 * form (core/normal_form.h), and a text with a content that is not a text by their bytes.
 *
 *     passage_set_add(&set, bytes, size, &error);             // for each passage
 *     passage_set_end(&set, &error);
 *     ...
 *     passage_search_init(&search, &set, &error);             // for each thread
 *     source = (struct cover_source){.bytes = NULL, .fd = fd, .size = size};
 *     passage_search_run(&search, &source, &error);
 *     for (size_t i = 0; i < set.count; i++)
 *             if (passage_search_place(&search, i, &place, &share, &error) == 1)
 *                     ; // this share of the passage is in this place
 *     passage_search_release(&search);
 *     passage_set_release(&set);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_PASSAGE_CONTENT_H
#define SIMHASH_FIND_PASSAGE_CONTENT_H

#include "find/reading/cover.h"
#include "find/reading/passages.h"
#include "find/rule/file.h"

/* All zero at the beginning. */
struct passage_set {
	struct passage_form {
		uint8_t *bytes, *normal; /* owned; `normal` is NULL if it is not a text */
		size_t size, normal_size;
	} * forms;
	size_t count, capacity;
	bool has_other;			 /* not all passages are texts */
	struct passages texts, contents; /* for texts and for other contents */
};

/* Takes over `bytes`, also on failure. Error: SIMHASH_E_MEMORY. */
int passage_set_add(struct passage_set *set, uint8_t *bytes, size_t size,
		    struct simhash_error *error);
int passage_set_end(struct passage_set *set, struct simhash_error *error);
void passage_set_release(struct passage_set *set);

/* The number of bytes of a passage that are compared: of its normal form if it is a text. */
size_t passage_form_size(const struct passage_form *form);

struct passage_search {
	const struct passage_set *set;
	struct passage_scan texts, contents;
	struct cover_source *source;
	bool is_text;	 /* the content is a text */
	bool has_texts;	 /* its normal form was scanned */
	uint8_t *buffer; /* the bytes of the content at `buffer_at`, if they are not in memory */
	uint64_t buffer_at;
	size_t buffered;
	/* States of the walk through a text for places, one for each block; made when needed. */
	struct passage_walk *marks;
	size_t mark_count, mark_capacity;
};

/* Error: SIMHASH_E_MEMORY. Release it also after an error. */
int passage_search_init(struct passage_search *search, const struct passage_set *set,
			struct simhash_error *error);
void passage_search_release(struct passage_search *search);

/*
 * Search a content; the source needs no window. Sets `failed` of a source that cannot be read.
 * Error: SIMHASH_E_MEMORY.
 */
int passage_search_run(struct passage_search *search, struct cover_source *source,
		       struct simhash_error *error);

/*
 * Find the place of a passage in the content that was searched last. Returns 1, 0 if the content
 * has too few of its shingles, or -1 without memory. *share, unless NULL, is the share of the
 * passage that is found around this place, as cover.h defines it; or, if that is more, the share of
 * its different shingles in the content.
 */
int passage_search_place(struct passage_search *search, size_t number, struct part_place *place,
			 double *share, struct simhash_error *error);

#endif
