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
};

struct asked_pieces {
	double min_share;
	struct asked_piece *pieces;
	size_t count, capacity;
	struct asked_file *files;
	size_t file_count;
	uint64_t *filter;
	unsigned filter_bits;
	/*
	 * Of each level: if a content of this level has no piece of any file up to here, it contains
	 * none of the files.
	 */
	uint64_t stop[PIECE_LEVEL_MAX + 1];
};

/* The state of one thread. */
struct part_search {
	const struct asked_pieces *asked;
	struct queried_parts *parts;
	uint32_t *shared;  /* the number of pieces that each file shares with the content */
	uint32_t *touched; /* the files that share some */
	size_t touched_count;
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

/* The least number of pieces that are not shared, of `count` pieces, that leaves too small a share. */
static size_t misses_that_decide(double min_share, size_t count)
{
	size_t misses = (size_t)((1 - min_share) * (double)count);

	while (misses > 0 && pieces_share(min_share, count - (misses - 1), count) == 0)
		misses--;
	while (misses < count && pieces_share(min_share, count - misses, count) != 0)
		misses++;
	return misses;
}

static void note_stops(struct asked_pieces *asked, const struct asked_file *file,
		       const struct content_pieces *pieces)
{
	for (unsigned level = 0; level <= PIECE_LEVEL_MAX; level++) {
		size_t count = file->below[level > file->level ? level : file->level];
		size_t misses = misses_that_decide(asked->min_share, count);
		if (misses > 0 && pieces->values[misses - 1] > asked->stop[level])
			asked->stop[level] = pieces->values[misses - 1];
	}
}

static int take_form(struct asked_pieces *asked, uint32_t reach, struct bytes stored,
		     uint64_t *values, struct simhash_error *error)
{
	uint32_t number = (uint32_t)asked->file_count;
	struct content_pieces pieces;

	if (stored.size == 0 || !content_pieces_load(stored.data, stored.size, values, &pieces))
		return 0;
	if (array_reserve(&asked->pieces, &asked->capacity, asked->count + pieces.count,
			  sizeof *asked->pieces, error) != 0)
		return -1;
	for (size_t i = 0; i < pieces.count; i++)
		asked->pieces[asked->count++] = (struct asked_piece){pieces.values[i], number};
	asked->files[number].reach = reach;
	count_below(&asked->files[number], &pieces);
	note_stops(asked, &asked->files[number], &pieces);
	asked->file_count++;
	return 0;
}

static int compare_asked(const void *a, const void *b)
{
	const struct asked_piece *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->file > y->file) - (x->file < y->file);
}

static uint64_t filter_bit(const struct asked_pieces *asked, uint64_t value)
{
	return value * UINT64_C(0x9e3779b97f4a7c15) >> (64 - asked->filter_bits);
}

static int make_filter(struct asked_pieces *asked, struct simhash_error *error)
{
	unsigned bits = FILTER_BITS_MIN;

	while (bits < FILTER_BITS_MAX && asked->count > (size_t)1 << bits >> FILTER_BITS_PER_PIECE)
		bits++;
	asked->filter_bits = bits;
	asked->filter = calloc(((size_t)1 << bits) / 64, sizeof *asked->filter);
	if (asked->filter == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < asked->count; i++) {
		uint64_t bit = filter_bit(asked, asked->pieces[i].value);
		asked->filter[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	return 0;
}

static int take_files(struct asked_pieces *asked, const struct queried_reach *reaches, size_t count,
		      struct simhash_error *error)
{
	uint64_t *values = malloc(PIECES_MAX * sizeof *values);
	int status = 0;

	asked->files = calloc(count * FORMS_MAX, sizeof *asked->files);
	if (values == NULL || asked->files == NULL)
		status = error_set_memory(error);
	for (size_t i = 0; status == 0 && i < count; i++) {
		const struct queried_file *queried = reaches[i].queried;
		if (queried->sketches != NULL &&
		    (take_form(asked, (uint32_t)i, queried->sketches->pieces, values, error) != 0 ||
		     take_form(asked, (uint32_t)i, queried->other_pieces, values, error) != 0))
			status = -1;
	}
	free(values);
	return status;
}

int asked_pieces_make(struct asked_pieces **made, const struct queried_reach *reaches, size_t count,
		      const struct verify_rule *rule, struct simhash_error *error)
{
	struct asked_pieces *asked = calloc(1, sizeof *asked);

	*made = asked;
	if (asked == NULL)
		return error_set_memory(error);
	asked->min_share = verify_part_min_share(rule);
	if (take_files(asked, reaches, count, error) != 0)
		return -1;
	if (asked->count == 0)
		return 0;
	qsort(asked->pieces, asked->count, sizeof *asked->pieces, compare_asked);
	return make_filter(asked, error) == 0 ? 1 : -1;
}

void asked_pieces_free(struct asked_pieces *asked)
{
	if (asked == NULL)
		return;
	free(asked->pieces);
	free(asked->files);
	free(asked->filter);
	free(asked);
}

/* ---- Comparing ---- */

static void count_shared(struct part_search *search, uint64_t value)
{
	const struct asked_pieces *asked = search->asked;
	size_t low = 0, high = asked->count;
	uint64_t bit = filter_bit(asked, value);

	if ((asked->filter[bit / 64] >> bit % 64 & 1) == 0)
		return;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (asked->pieces[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < asked->count && asked->pieces[low].value == value; low++) {
		uint32_t number = asked->pieces[low].file;
		if (search->shared[number]++ == 0)
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
	const struct asked_file *file = &search->asked->files[number];
	double min_share = search->asked->min_share;
	struct queried_parts *parts = search->parts;
	unsigned level = file->level > pieces->level ? file->level : pieces->level;
	uint32_t shared = search->shared[number];
	double in_content = pieces_share(min_share, shared, file->below[level]);
	double in_queried = pieces_share(min_share, shared, pieces_below(pieces, level));
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
	return 0;
}

static void count_all_shared(struct part_search *search, const struct content_pieces *pieces,
			     size_t first)
{
	for (size_t i = first; i < pieces->count; i++)
		count_shared(search, pieces->values[i]);
}

/*
 * Read the first pieces of a content, and count those that are in the files. If there are none, the
 * content cannot be in a file, nor a file in the content. True if there are some.
 */
static bool count_first(struct part_search *search, struct bytes value,
			struct pieces_reader *reader)
{
	size_t most;

	search->touched_count = 0;
	if (!pieces_reader_begin(reader, value.data, value.size, search->values))
		return false;
	most = pieces_reader_most(reader);
	/* More than can be missing, also if the product is rounded down. */
	pieces_reader_next(reader, (size_t)((1 - search->asked->min_share) * (double)most) + 2,
			   search->asked->stop[reader->pieces.level]);
	count_all_shared(search, &reader->pieces, 0);
	return search->touched_count > 0;
}

static void forget_shared(struct part_search *search)
{
	for (size_t i = 0; i < search->touched_count; i++)
		search->shared[search->touched[i]] = 0;
}

/* A struct row_test: can the content be a part? */
static bool may_be_part(void *context, int64_t is_text, int64_t size_bytes, struct bytes value)
{
	struct part_search *search = context;
	struct pieces_reader reader;
	bool passes = count_first(search, value, &reader);

	(void)is_text;
	(void)size_bytes;
	forget_shared(search);
	return passes;
}

static int compare_content(struct part_search *search, const struct piece_row *row,
			   struct simhash_error *error)
{
	size_t first = search->parts->count, counted;
	struct pieces_reader reader;
	int status = 0;

	if (!count_first(search, row->value, &reader))
		return 0;
	counted = reader.pieces.count;
	if (pieces_reader_next(&reader, SIZE_MAX, UINT64_MAX) == PIECES_END) {
		count_all_shared(search, &reader.pieces, counted);
		for (size_t i = 0; status == 0 && i < search->touched_count; i++)
			status = note_part(search, row, &reader.pieces, search->touched[i], first,
					   error);
	}
	forget_shared(search);
	return status;
}

static int compare_all(struct part_search *search, struct store *store, int64_t tag_set,
		       const struct piece_range *range, size_t max, struct simhash_error *error)
{
	struct row_test test = {may_be_part, search};
	struct piece_row row;
	struct query query;
	int status = 0;

	if (piece_rows_begin_tested(&query, store, tag_set, range, &test, error) != 0)
		return -1;
	while (search->parts->count <= max && (status = piece_rows_next(&query, &row, error)) == 1)
		if (compare_content(search, &row, error) != 0) {
			status = -1;
			break;
		}
	piece_rows_end(&query);
	return status < 0 ? -1 : 0;
}

int queried_parts_find(struct queried_parts *parts, const struct asked_pieces *asked,
		       struct store *store, int64_t tag_set, const struct piece_range *range,
		       size_t max, struct simhash_error *error)
{
	struct part_search search = {
		.asked = asked,
		.parts = parts,
		.shared = calloc(asked->file_count, sizeof *search.shared),
		.touched = malloc(asked->file_count * sizeof *search.touched),
		.values = malloc(PIECES_MAX * sizeof *search.values),
	};
	int status = search.shared == NULL || search.touched == NULL || search.values == NULL
			     ? error_set_memory(error)
			     : compare_all(&search, store, tag_set, range, max, error);

	free(search.shared);
	free(search.touched);
	free(search.values);
	return status;
}

static int compare_parts(const void *a, const void *b)
{
	const struct queried_part *x = a, *y = b;
	int order = compare_piece_rows(&x->content, &y->content);

	return order != 0 ? order : (x->reach > y->reach) - (x->reach < y->reach);
}

int queried_parts_join(struct queried_parts *parts, const struct queried_parts *others,
		       struct simhash_error *error)
{
	if (others->count > 0) {
		if (array_reserve(&parts->items, &parts->capacity, parts->count + others->count,
				  sizeof *parts->items, error) != 0)
			return -1;
		memcpy(parts->items + parts->count, others->items,
		       others->count * sizeof *parts->items);
		parts->count += others->count;
	}
	if (parts->count > 1)
		qsort(parts->items, parts->count, sizeof *parts->items, compare_parts);
	return 0;
}

static int compare_sizes(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sort, and keep one of each. Returns their number. */
static size_t sort_sizes(int64_t *sizes, size_t count)
{
	size_t kept = 0;

	qsort(sizes, count, sizeof *sizes, compare_sizes);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || sizes[i] != sizes[kept - 1])
			sizes[kept++] = sizes[i];
	return kept;
}

/* Read the keys for some sizes, from *first on. */
static int read_keys(struct queried_keys *keys, struct store *store, int64_t tag_set,
		     const int64_t *sizes, size_t count, size_t *first, struct simhash_error *error)
{
	struct queried_key key = {.reach = NO_REACH};
	struct query query;
	int64_t size;
	int status;

	if (store_sized_begin(&query, store, tag_set, sizes, count, first, error) != 0)
		return -1;
	while ((status = store_sized_next(&query, &key.row, &size, error)) == 1)
		if (bsearch(&size, sizes, count, sizeof *sizes, compare_sizes) != NULL &&
		    queried_keys_add(keys, &key, error) != 0) {
			status = -1;
			break;
		}
	query_end(&query);
	return status;
}

int queried_parts_keys(const struct queried_parts *parts, const struct finder *finder,
		       struct store *store, struct queried_keys *keys, struct simhash_error *error)
{
	size_t count, first = 0;
	int64_t *sizes;
	int status = 0;

	if (parts->count == 0)
		return 0;
	sizes = malloc(parts->count * sizeof *sizes);
	if (sizes == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < parts->count; i++)
		sizes[i] = parts->items[i].content.size_bytes;
	count = sort_sizes(sizes, parts->count);
	while (status == 0 && first < count)
		status = read_keys(keys, store, finder->tag_set, sizes, count, &first, error);
	free(sizes);
	return status;
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

/* Do the sketches propose this pair? A wide text may be outside of the bounds of its copies in UTF-8. */
static bool is_by_keys(const struct verify_rule *rule, const struct find_file *queried,
		       const struct find_file *file, struct relation *relation)
{
	const struct key_bounds bounds = verify_bounds_by_keys(rule, queried);
	int64_t uniform = find_file_tags(file);

	return file->size_bytes >= bounds.sizes[0] && file->size_bytes <= bounds.sizes[1] &&
	       uniform >= bounds.uniform[0] && uniform <= bounds.uniform[1] &&
	       verify_by_keys(rule, false, queried, file, relation);
}

bool queried_part_is_pair(const struct queried_part *part, const struct find_rule *rule,
			  const struct find_file *queried, const struct find_file *file,
			  struct relation *relation)
{
	return !rule_matches_by_counts(rule, queried, file, relation) &&
	       !is_by_keys(&rule->verify, queried, file, relation) &&
	       verify_by_pieces(&rule->verify, queried, file, part->in_content, part->in_queried,
				relation);
}

void queried_parts_release(struct queried_parts *parts)
{
	free(parts->items);
	*parts = (struct queried_parts){.items = NULL};
}
