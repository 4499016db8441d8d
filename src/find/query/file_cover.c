/*
 * Finds the ranges of a file that each content of the index has, and chooses contents: always the
 * one that adds most bytes.
 * SPDX-License-Identifier: MIT
 */
#include "find/query/file_cover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/data/heap.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "find/pairs/archives.h"
#include "find/pairs/content_files.h"
#include "find/query/file_pieces.h"

/*
 * A range gains a point for each piece that the content has, and loses points for each other piece.
 * It ends where it has lost DROP points, and has at least SCORE_MIN.
 */
#define LOSS 2
#define DROP 16
#define SCORE_MIN 5
/*
 * A part adds at least this many bytes, and a share of its own ranges or, if it adds more than edges
 * are wrong by, of the file.
 */
#define ADDED_MIN 512
#define ADDED_OF_OWN 4	 /* a quarter */
#define ADDED_OF_ALL 100 /* one percent */
#define ADDED_SURELY 16384
/* Of two contents that add about the same, the one with the larger share of itself is better. */
#define WHOLE_BONUS 0.05

/* A content that has ranges of the file. */
struct candidate {
	struct cover_part part;
	uint32_t content; /* its number in the set */
	double most;	  /* no smaller than its score is now */
	bool is_out;	  /* its files may not be named */
};

struct covering {
	struct finder *finder;
	struct file_cover *cover;
	struct file_pieces pieces;
	struct content_set contents;
	struct candidate *candidates;
	size_t count, capacity;
	uint64_t *values; /* room for the pieces of one content */
	uint64_t *units;  /* of the pieces that it shares */
	size_t unit_count, unit_capacity;
	uint64_t *covered; /* a bit for each UNIT_BYTES */
	size_t unit_total;
	struct find_file own; /* the path of the covered file */
};

/* ---- Ranges ---- */

static int compare_units(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Collect the units of the shared pieces, in order. */
static int share_units(struct covering *covering, const struct file_form *form,
		       const struct content_pieces *pieces, unsigned level, size_t *below,
		       size_t *shared, struct simhash_error *error)
{
	covering->unit_count = *below = *shared = 0;
	for (; *below < pieces->count && pieces->values[*below] < piece_bound(level); ++*below) {
		size_t count;
		const struct sort_item *found =
			file_form_find(form, pieces->values[*below], &count);
		*shared += count > 0;
		if (array_reserve(&covering->units, &covering->unit_capacity,
				  covering->unit_count + count, sizeof *covering->units,
				  error) != 0)
			return -1;
		for (size_t i = 0; i < count; i++)
			covering->units[covering->unit_count++] = found[i].number;
	}
	if (covering->unit_count > 1)
		qsort(covering->units, covering->unit_count, sizeof *covering->units,
		      compare_units);
	return 0;
}

/* Makes the ranges of a content in one form of the file. */
struct range_maker {
	const struct file_form *form;
	unsigned level;
	const uint32_t *before; /* the numbers of pieces of this level before each unit */
	struct cover_part *part;
	size_t capacity;
	/* The range that is followed, and the last unit of its best part. */
	uint64_t first, last;
	int64_t score, best;
};

/*
 * The true edges are between the outermost shared pieces and the next other pieces: in the middle,
 * on average, but not further away than pieces usually are.
 */
static struct cover_range range_of(const struct range_maker *maker)
{
	const struct file_form *form = maker->form;
	const struct cover_part *part = maker->part;
	int64_t most = INT64_C(1) << maker->level, begin = form->begins[maker->first];
	int64_t end = form->begins[maker->last + 1], from = begin, to = end;
	int64_t least = part->range_count == 0 ? 0 : part->ranges[part->range_count - 1].end;

	for (uint64_t unit = maker->first; unit > 0 && from > begin - 2 * most; unit--) {
		if (maker->before[unit] > maker->before[unit - 1])
			break;
		from = form->begins[unit - 1];
	}
	for (uint64_t unit = maker->last + 1; unit < form->units && to < end + 2 * most; unit++) {
		if (maker->before[unit + 1] > maker->before[unit])
			break;
		to = form->begins[unit + 1];
	}
	begin -= (begin - from) / 2;
	return (struct cover_range){begin > least ? begin : least, end + (to - end) / 2};
}

static int add_range(struct range_maker *maker, struct simhash_error *error)
{
	struct cover_part *part = maker->part;
	struct cover_range range;

	if (maker->best < SCORE_MIN)
		return 0;
	if (array_reserve(&part->ranges, &maker->capacity, part->range_count + 1,
			  sizeof *part->ranges, error) != 0)
		return -1;
	range = range_of(maker);
	part->ranges[part->range_count++] = range;
	part->bytes += range.end - range.begin;
	return 0;
}

/* Follow the shared pieces in the units of `covering`. */
static int make_ranges(struct range_maker *maker, const struct covering *covering,
		       struct simhash_error *error)
{
	const uint32_t *before = maker->before;
	const uint64_t *units = covering->units;
	size_t count = covering->unit_count, end;

	for (size_t i = 0; i < count; i = end) {
		int64_t others = 0, shared, all = (int64_t)before[units[i] + 1] - before[units[i]];
		for (end = i + 1; end < count && units[end] == units[i];)
			end++;
		shared = (int64_t)(end - i);
		if (i > 0)
			others = (int64_t)before[units[i]] - before[units[i - 1] + 1];
		maker->score -= LOSS * others;
		if (maker->score <= 0 || maker->score < maker->best - DROP) {
			if (add_range(maker, error) != 0)
				return -1;
			maker->first = units[i];
			maker->score = maker->best = 0;
		}
		maker->score += shared - LOSS * (all - shared);
		if (maker->score > maker->best) {
			maker->best = maker->score;
			maker->last = units[i];
		}
	}
	return add_range(maker, error);
}

/* Find the ranges of a content in one form of the file in which most pieces are shared. */
static int cover_form(struct covering *covering, struct file_form *form,
		      const struct content_pieces *pieces, struct cover_part *part,
		      struct simhash_error *error)
{
	struct range_maker maker = {.form = form, .part = part};
	size_t below, shared;

	maker.level = form->level > pieces->level ? form->level : pieces->level;
	if (share_units(covering, form, pieces, maker.level, &below, &shared, error) != 0)
		return -1;
	if (shared < SCORE_MIN)
		return 0;
	maker.before = file_form_before(form, maker.level);
	if (maker.before == NULL)
		return error_set_memory(error);
	part->share = (double)shared / (double)below;
	return make_ranges(&maker, covering, error);
}

/* ---- Candidates ---- */

static int add_candidate(struct covering *covering, const struct piece_row *row,
			 const struct cover_part *part, struct simhash_error *error)
{
	uint32_t number = content_set_add(&covering->contents, row, error);

	if (number == 0 ||
	    array_reserve(&covering->candidates, &covering->capacity, covering->count + 1,
			  sizeof *covering->candidates, error) != 0)
		return -1;
	covering->candidates[covering->count++] =
		(struct candidate){.part = *part, .content = number};
	return 0;
}

/* Does another form of the file have more of the content? */
static bool is_better(const struct cover_part *part, const struct cover_part *other)
{
	if (part->bytes == 0 || other->bytes == 0 || part->share == other->share)
		return part->bytes > other->bytes;
	return part->share > other->share;
}

/* Take the form of the file that has more of the content. */
static int take_content(struct covering *covering, const struct piece_row *row,
			struct simhash_error *error)
{
	struct cover_part parts[FORMS] = {{.bytes = 0}, {.bytes = 0}};
	struct content_pieces pieces;
	int status = 0, best;

	if (!piece_row_load(row, covering->values, &pieces))
		return 0;
	for (int i = 0; status == 0 && i < FORMS; i++)
		status =
			cover_form(covering, &covering->pieces.forms[i], &pieces, &parts[i], error);
	best = is_better(&parts[FORM_TEXT], &parts[FORM_BYTES]) ? FORM_TEXT : FORM_BYTES;
	if (status == 0 && parts[best].bytes > 0) {
		status = add_candidate(covering, row, &parts[best], error);
		if (status == 0)
			parts[best].ranges = NULL;
	}
	for (int i = 0; i < FORMS; i++)
		free(parts[i].ranges);
	return status;
}

static int find_candidates(struct covering *covering, struct simhash_error *error)
{
	struct piece_row row;
	struct query query;
	int status;

	covering->values = malloc(PIECES_MAX * sizeof *covering->values);
	if (covering->values == NULL)
		return error_set_memory(error);
	if (piece_rows_begin(&query, covering->finder->store, covering->finder->tag_set, error) !=
	    0)
		return -1;
	while ((status = piece_rows_next(&query, &row, error)) == 1)
		if (take_content(covering, &row, error) != 0) {
			status = -1;
			break;
		}
	piece_rows_end(&query);
	return status;
}

static bool is_own(const void *context, const struct find_file *file)
{
	const struct find_file *own = context;

	return own->display_size > 0 && file->is_local &&
	       (bytes_compare(find_file_display(file), find_file_display(own)) == 0 ||
		archive_has_member(own, file) || archive_has_member(file, own));
}

/* Keep the contents of files that may be named, and their files. */
static int find_files(struct covering *covering, struct simhash_error *error)
{
	const struct content_wish wish = {.leaves_out = is_own, .context = &covering->own};
	struct content_files files = {.items = NULL};
	int status =
		content_files_read(&files, covering->finder, &covering->contents, &wish, error);

	for (size_t i = 0; status == 0 && i < covering->count; i++) {
		struct candidate *candidate = &covering->candidates[i];
		const struct content_file *file = content_files_of(&files, candidate->content);
		candidate->is_out = file == NULL;
		if (file != NULL)
			candidate->part.file = file->file;
	}
	arena_join(&covering->cover->arena, &files.arena); /* it has the names */
	content_files_release(&files);
	return status;
}

/* ---- Choosing ---- */

static size_t unit_from(const struct covering *covering, int64_t place)
{
	size_t unit = (size_t)(place / UNIT_BYTES);

	return unit < covering->unit_total ? unit : covering->unit_total;
}

/* Call for each word of the units of a range: the word, and the bits of these units. */
#define EACH_WORD(first, end, word, bits)                                                       \
	for (size_t word = (first) / 64; word * 64 < (end); word++)                             \
		for (uint64_t bits =                                                            \
			     (word == (first) / 64 ? UINT64_MAX << (first) % 64 : UINT64_MAX) & \
			     (word == ((end)-1) / 64 ? UINT64_MAX >> (63 - ((end)-1) % 64)      \
						     : UINT64_MAX);                             \
		     bits != 0; bits = 0)

/* The bytes that no chosen part has; they are covered from now on if the part is chosen. */
static int64_t added_bytes(struct covering *covering, const struct cover_part *part, bool is_chosen)
{
	int64_t units = 0;

	for (size_t i = 0; i < part->range_count; i++) {
		size_t first = unit_from(covering, part->ranges[i].begin);
		size_t end = unit_from(covering, part->ranges[i].end + UNIT_BYTES - 1);
		EACH_WORD(first, end, word, bits)
		{
			uint64_t added = bits & ~covering->covered[word];
			units += __builtin_popcountll(added);
			if (is_chosen)
				covering->covered[word] |= added;
		}
	}
	return units * UNIT_BYTES;
}

static double score_of(const struct candidate *candidate, int64_t added)
{
	return (double)added * (1 + WHOLE_BONUS * candidate->part.share);
}

static bool is_worth(const struct covering *covering, const struct candidate *candidate,
		     int64_t added)
{
	return added >= ADDED_MIN &&
	       (added >= candidate->part.bytes / ADDED_OF_OWN ||
		(added >= ADDED_SURELY && added >= covering->pieces.size_bytes / ADDED_OF_ALL));
}

/* Of equal candidates, the first by name. */
static bool comes_before(const void *x, const void *y, const void *context)
{
	const struct candidate *a = x, *b = y;

	(void)context;
	return a->most != b->most ? a->most > b->most
				  : find_file_compare(&a->part.file, &b->part.file) < 0;
}

/* Take the candidate that adds most out of the heap, or NULL. */
static struct candidate *best_candidate(struct covering *covering, struct heap *heap)
{
	while (heap->count > 0) {
		struct candidate *first = heap->items[0];
		double most = first->most;
		int64_t added = added_bytes(covering, &first->part, false);
		bool is_out = !is_worth(covering, first, added);
		first->most = score_of(first, added);
		if (!is_out && first->most < most) {
			heap_settle_first(heap, comes_before, NULL);
			continue;
		}
		heap_remove_first(heap, comes_before, NULL);
		if (!is_out)
			return first;
	}
	return NULL;
}

/* The candidates whose files may be named. `most` is no smaller than the score will be. */
static int make_heap(struct covering *covering, struct heap *heap, struct simhash_error *error)
{
	heap->items = malloc((covering->count + 1) * sizeof *heap->items);
	if (heap->items == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < covering->count; i++) {
		struct candidate *candidate = &covering->candidates[i];
		const struct cover_part *part = &candidate->part;
		if (candidate->is_out)
			continue;
		candidate->most = score_of(candidate, part->bytes) +
				  score_of(candidate, 2 * UNIT_BYTES) * (double)part->range_count;
		heap->items[heap->count++] = candidate;
	}
	heap_make(heap, comes_before, NULL);
	return 0;
}

static int choose_from(struct covering *covering, struct heap *heap, struct simhash_error *error)
{
	struct file_cover *cover = covering->cover;
	struct candidate *best;

	while ((best = best_candidate(covering, heap)) != NULL) {
		if (array_reserve(&cover->parts, &cover->capacity, cover->count + 1,
				  sizeof *cover->parts, error) != 0)
			return -1;
		best->part.added = added_bytes(covering, &best->part, true);
		cover->parts[cover->count++] = best->part;
		best->part.ranges = NULL;
	}
	return 0;
}

static int choose_parts(struct covering *covering, struct simhash_error *error)
{
	struct heap heap = {.items = NULL};
	int status = -1;

	covering->unit_total =
		(size_t)((covering->pieces.size_bytes + UNIT_BYTES - 1) / UNIT_BYTES);
	covering->covered = calloc(covering->unit_total / 64 + 1, sizeof *covering->covered);
	if (covering->covered == NULL)
		return error_set_memory(error);
	if (make_heap(covering, &heap, error) == 0)
		status = choose_from(covering, &heap, error);
	free(heap.items);
	return status;
}

/* ---- The rest ---- */

static int64_t unit_begin(const struct covering *covering, size_t unit)
{
	int64_t begin = (int64_t)unit * UNIT_BYTES;

	return begin < covering->pieces.size_bytes ? begin : covering->pieces.size_bytes;
}

static int add_gap(struct file_cover *cover, int64_t begin, int64_t end,
		   struct simhash_error *error)
{
	if (cover->gap_count > 0 && cover->gaps[cover->gap_count - 1].end == begin) {
		cover->gaps[cover->gap_count - 1].end = end;
		return 0;
	}
	if (array_reserve(&cover->gaps, &cover->gap_capacity, cover->gap_count + 1,
			  sizeof *cover->gaps, error) != 0)
		return -1;
	cover->gaps[cover->gap_count++] = (struct cover_range){begin, end};
	return 0;
}

/* Measure the bytes that no part has. */
static int measure_rest(struct covering *covering, struct simhash_error *error)
{
	struct file_cover *cover = covering->cover;

	cover->size_bytes = cover->covered_bytes = covering->pieces.size_bytes;
	for (size_t unit = 0; unit < covering->unit_total; unit++) {
		uint64_t bit = UINT64_C(1) << unit % 64;
		int64_t begin = unit_begin(covering, unit), end = unit_begin(covering, unit + 1);
		if ((covering->covered[unit / 64] & bit) != 0)
			continue;
		cover->covered_bytes -= end - begin;
		if ((covering->pieces.blank[unit / 64] & bit) != 0)
			cover->blank_bytes += end - begin;
		else if (add_gap(cover, begin, end, error) != 0)
			return -1;
	}
	return 0;
}

static int cover_pieces(struct covering *covering, struct simhash_error *error)
{
	return covering->finder->tag_set != 0 && (find_candidates(covering, error) != 0 ||
						  find_files(covering, error) != 0)
		       ? -1
	       : choose_parts(covering, error) != 0 ? -1
						    : measure_rest(covering, error);
}

/* Open a file. A pipe or another device may have no end. Returns -1 with errno. */
static int open_covered(const char *path)
{
	int fd = open_path(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat opened;

	if (fd < 0 || fstat(fd, &opened) != 0 || S_ISREG(opened.st_mode) || S_ISBLK(opened.st_mode))
		return fd;
	close_content(fd);
	errno = EISDIR;
	return -1;
}

static int read_pieces(struct covering *covering, const char *path, struct simhash_error *error)
{
	const struct finder *finder = covering->finder;
	int fd = path == NULL ? STDIN_FILENO : open_covered(path);
	int why = errno, status = 0;

	if (fd >= 0) {
		status = file_pieces_read(&covering->pieces, fd, finder_memory(finder) / 2, &why,
					  error);
		if (path != NULL)
			close_content(fd);
	}
	if (status == 0)
		finder->sink->unreadable(finder->sink->context,
					 bytes_of(path == NULL ? "standard input" : path), why);
	return status;
}

int finder_cover(struct finder *finder, const char *path, struct file_cover *cover,
		 struct simhash_error *error)
{
	struct covering covering = {.finder = finder, .cover = cover};
	char *absolute = NULL;
	int status;

	*cover = (struct file_cover){.size_bytes = 0};
	if (path != NULL && (absolute = realpath(path, NULL)) != NULL) {
		covering.own.display = absolute;
		covering.own.display_size = (uint32_t)strlen(absolute);
	}
	status = read_pieces(&covering, path, error);
	if (status == 1 &&
	    (finder_begin(finder, error) != 0 || cover_pieces(&covering, error) != 0))
		status = -1;
	for (size_t i = 0; i < covering.count; i++)
		free(covering.candidates[i].part.ranges);
	free(covering.candidates);
	free(covering.values);
	free(covering.units);
	free(covering.covered);
	content_set_release(&covering.contents);
	file_pieces_release(&covering.pieces);
	free(absolute);
	return status;
}

void file_cover_release(struct file_cover *cover)
{
	for (size_t i = 0; i < cover->count; i++)
		free(cover->parts[i].ranges);
	free(cover->parts);
	free(cover->gaps);
	arena_release(&cover->arena);
	*cover = (struct file_cover){.size_bytes = 0};
}
