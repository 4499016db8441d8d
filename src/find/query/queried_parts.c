/*
 * Finds parts by pieces. The pieces of all requested files are sorted once. Each piece of the index
 * is looked up among them, after a small filter that most pieces of other contents do not pass.
 * SPDX-License-Identifier: MIT
 */
#include "find/query/queried_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"

#define FILTER_BITS_MIN 12
#define FILTER_BITS_MAX 27
#define FILTER_BITS_PER_PIECE 4 /* as a power of two */

/* A piece of a requested file. */
struct asked_piece {
	uint64_t value;
	uint32_t file;
};

#define FORMS_MAX 2 /* see struct queried_file */

/* The numbers of pieces of a file, in one form, below each possible bound. */
struct asked_file {
	uint32_t reach; /* the number of the requested file */
	unsigned level;
	uint32_t below[PIECE_LEVEL_MAX + 1];
	uint32_t shared; /* with the content that is compared */
};

struct part_search {
	struct queried_parts *parts;
	const struct queried_reach *reaches;
	double min_share;
	struct asked_piece *pieces;
	size_t count, capacity;
	struct asked_file *files;
	size_t file_count;
	uint32_t *touched; /* the files that share pieces with the content */
	size_t touched_count;
	uint64_t *filter;
	unsigned filter_bits;
	uint64_t *values; /* room for the pieces of one content */
};

/* ---- The requested files ---- */

static void count_below(struct asked_file *file, const struct content_pieces *pieces)
{
	size_t count = pieces->count;

	file->level = pieces->level;
	for (unsigned level = pieces->level; level <= PIECE_LEVEL_MAX; level++) {
		while (count > 0 && pieces->values[count - 1] >= piece_bound(level))
			count--;
		file->below[level] = (uint32_t)count;
	}
}

static int take_form(struct part_search *search, uint32_t reach, struct bytes stored,
		     struct simhash_error *error)
{
	uint32_t number = (uint32_t)search->file_count;
	struct content_pieces pieces;

	if (stored.size == 0 ||
	    !content_pieces_load(stored.data, stored.size, search->values, &pieces))
		return 0;
	if (array_reserve(&search->pieces, &search->capacity, search->count + pieces.count,
			  sizeof *search->pieces, error) != 0)
		return -1;
	for (size_t i = 0; i < pieces.count; i++)
		search->pieces[search->count++] = (struct asked_piece){pieces.values[i], number};
	search->files[number].reach = reach;
	count_below(&search->files[search->file_count++], &pieces);
	return 0;
}

static int take_file(struct part_search *search, uint32_t reach, struct simhash_error *error)
{
	const struct queried_file *queried = search->reaches[reach].queried;

	if (queried->sketches == NULL)
		return 0;
	return take_form(search, reach, queried->sketches->pieces, error) != 0 ||
			       take_form(search, reach, queried->other_pieces, error) != 0
		       ? -1
		       : 0;
}

static int compare_asked(const void *a, const void *b)
{
	const struct asked_piece *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->file > y->file) - (x->file < y->file);
}

static uint64_t filter_bit(const struct part_search *search, uint64_t value)
{
	return value * UINT64_C(0x9e3779b97f4a7c15) >> (64 - search->filter_bits);
}

static int make_filter(struct part_search *search, struct simhash_error *error)
{
	unsigned bits = FILTER_BITS_MIN;

	while (bits < FILTER_BITS_MAX && search->count > (size_t)1 << bits >> FILTER_BITS_PER_PIECE)
		bits++;
	search->filter_bits = bits;
	search->filter = calloc(((size_t)1 << bits) / 64, sizeof *search->filter);
	if (search->filter == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < search->count; i++) {
		uint64_t bit = filter_bit(search, search->pieces[i].value);
		search->filter[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	return 0;
}

static int take_files(struct part_search *search, size_t count, struct simhash_error *error)
{
	search->files = calloc(count * FORMS_MAX, sizeof *search->files);
	search->touched = malloc(count * FORMS_MAX * sizeof *search->touched);
	search->values = malloc(PIECES_MAX * sizeof *search->values);
	if (search->files == NULL || search->touched == NULL || search->values == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < count; i++)
		if (take_file(search, (uint32_t)i, error) != 0)
			return -1;
	if (search->count == 0)
		return 0;
	qsort(search->pieces, search->count, sizeof *search->pieces, compare_asked);
	return make_filter(search, error);
}

/* ---- Comparing ---- */

static void count_shared(struct part_search *search, uint64_t value)
{
	size_t low = 0, high = search->count;
	uint64_t bit = filter_bit(search, value);

	if ((search->filter[bit / 64] >> bit % 64 & 1) == 0)
		return;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (search->pieces[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < search->count && search->pieces[low].value == value; low++) {
		uint32_t number = search->pieces[low].file;
		if (search->files[number].shared++ == 0)
			search->touched[search->touched_count++] = number;
	}
}

static size_t pieces_below(const struct content_pieces *pieces, unsigned level)
{
	size_t count = pieces->count;

	while (count > 0 && pieces->values[count - 1] >= piece_bound(level))
		count--;
	return count;
}

/* The part of the requested file and this content that was noted for its other form, or NULL. */
static struct queried_part *other_form(const struct queried_parts *parts, size_t first,
				       uint32_t reach)
{
	for (size_t i = first; i < parts->count; i++)
		if (parts->items[i].reach == reach)
			return &parts->items[i];
	return NULL;
}

/*
 * Note that a file and a content are a part if one of them is mostly in the other. The parts of this
 * content begin with number `first`.
 */
static int note_part(struct part_search *search, const struct piece_row *row,
		     const struct content_pieces *pieces, uint32_t number, size_t first,
		     struct simhash_error *error)
{
	const struct asked_file *file = &search->files[number];
	struct queried_parts *parts = search->parts;
	unsigned level = file->level > pieces->level ? file->level : pieces->level;
	double in_content = pieces_share(search->min_share, file->shared, file->below[level]);
	double in_queried =
		pieces_share(search->min_share, file->shared, pieces_below(pieces, level));
	struct queried_part *part = other_form(parts, first, file->reach);

	if (in_content == 0 && in_queried == 0)
		return 0;
	if (part != NULL) {
		part->in_content = in_content > part->in_content ? in_content : part->in_content;
		part->in_queried = in_queried > part->in_queried ? in_queried : part->in_queried;
		return 0;
	}
	if (array_reserve(&parts->items, &parts->capacity, parts->count + 1, sizeof *parts->items,
			  error) != 0)
		return -1;
	parts->items[parts->count] =
		(struct queried_part){*row, file->reach, in_content, in_queried};
	parts->items[parts->count++].content.value = (struct bytes){NULL, 0};
	key_bounds_extend(&parts->bounds,
			  &(struct key_bounds){{0, INT64_MAX}, {row->size_bytes, row->size_bytes}});
	return 0;
}

static int compare_content(struct part_search *search, const struct piece_row *row,
			   struct simhash_error *error)
{
	size_t first = search->parts->count;
	struct content_pieces pieces;
	int status = 0;

	if (!piece_row_load(row, search->values, &pieces))
		return 0;
	search->touched_count = 0;
	for (size_t i = 0; i < pieces.count; i++)
		count_shared(search, pieces.values[i]);
	for (size_t i = 0; i < search->touched_count; i++) {
		uint32_t number = search->touched[i];
		if (status == 0)
			status = note_part(search, row, &pieces, number, first, error);
		search->files[number].shared = 0;
	}
	return status;
}

/* Compare the contents of the index until there are more than `max` parts. */
static int compare_all(struct part_search *search, const struct finder *finder, size_t max,
		       struct simhash_error *error)
{
	struct piece_row row;
	struct query query;
	int status = 0;

	if (piece_rows_begin(&query, finder->store, finder->tag_set, error) != 0)
		return -1;
	while (search->parts->count <= max && (status = piece_rows_next(&query, &row, error)) == 1)
		if (compare_content(search, &row, error) != 0) {
			status = -1;
			break;
		}
	piece_rows_end(&query);
	return status < 0 ? -1 : 0;
}

static int compare_parts(const void *a, const void *b)
{
	const struct queried_part *x = a, *y = b;
	int order = compare_piece_rows(&x->content, &y->content);

	return order != 0 ? order : (x->reach > y->reach) - (x->reach < y->reach);
}

int queried_parts_find(struct queried_parts *parts, const struct queried_reach *reaches,
		       size_t count, const struct finder *finder, size_t max,
		       struct simhash_error *error)
{
	struct part_search search = {.parts = parts,
				     .reaches = reaches,
				     .min_share =
					     verify_part_min_share(&finder->request->rule.verify)};
	int status;

	parts->count = 0;
	parts->bounds = (struct key_bounds){{INT64_MAX, 0}, {INT64_MAX, INT64_MIN}};
	status = take_files(&search, count, error);
	if (count == 1)
		max = SIZE_MAX;
	if (status == 0 && search.count > 0)
		status = compare_all(&search, finder, max, error);
	if (status == 0 && parts->count > 1 && parts->count <= max)
		qsort(parts->items, parts->count, sizeof *parts->items, compare_parts);
	free(search.pieces);
	free(search.files);
	free(search.touched);
	free(search.filter);
	free(search.values);
	return status < 0 ? -1 : parts->count <= max;
}

const struct queried_part *queried_parts_of(const struct queried_parts *parts,
					    const struct find_file *file,
					    const struct queried_part **end)
{
	struct piece_row key = {.is_text = file->document_bytes > 0,
				.size_bytes = file->size_bytes};
	size_t low = 0, high = parts->count;

	*end = parts->items;
	if (parts->count == 0)
		return parts->items;
	memcpy(key.content_hash, file->content_hash, CONTENT_HASH_SIZE);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_piece_rows(&parts->items[middle].content, &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low;
	     high < parts->count && compare_piece_rows(&parts->items[high].content, &key) == 0;)
		high++;
	*end = parts->items + high;
	return parts->items + low;
}

bool queried_part_is_pair(const struct queried_part *part, const struct find_rule *rule,
			  const struct find_file *queried, const struct find_file *file,
			  struct relation *relation)
{
	return !rule_matches_by_counts(rule, queried, file, relation) &&
	       !verify_by_keys(&rule->verify, false, queried, file, relation) &&
	       verify_by_pieces(&rule->verify, queried, file, part->in_content, part->in_queried,
				relation);
}

void queried_parts_release(struct queried_parts *parts)
{
	free(parts->items);
	*parts = (struct queried_parts){.items = NULL};
}
