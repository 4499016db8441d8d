/*
 * One file against the index. The file is scanned now, so it need not be in the
 * index; a row of its own is not reported. Two files that are both asked for are
 * reported once.
 *
 * Rows within a distance R of the file are found by bounds that the index of uniform
 * shows without its rows: with the weights w of a key in thousandths, and any number c,
 * key - c * uniform moves by at most max |w - c| * R and 1 for each tag's rounding. The
 * nearest files are found by a growing R: what is nearer than R has then been seen.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/pair_set.h"
#include "find/alike.h"
#include "find/find.h"
#include "scan/scan_file.h"

__extension__ typedef unsigned __int128 wide;

/* A row that may be among the nearest. */
struct neighbour {
	struct find_file file; /* its display is owned */
	uint64_t distance;
};

/* A file asked for by a measure, kept until the sketches of the index are read. */
struct asked_sketch {
	struct find_file file;
	struct arena arena; /* what it is shown as */
	struct row_sketches *sketches;
};

#define ASKED_MOST 4096 /* files that are compared in one pass */

struct query {
	struct finder *finder;
	struct find_reporter reporter;
	struct file_scanner scanner;
	struct arena arena;	/* of the present file */
	struct arena row_arena; /* of each row in turn */
	struct find_file file;
	struct simhash_keys keys;
	struct row_sketches *sketches; /* by the measure, if there is one */
	int64_t measure;	       /* its number */
	struct asked_sketch *kept;     /* by the measure, too */
	size_t kept_count;
	struct pair_set asked;	  /* hashes of all paths asked for so far and to come */
	struct pair_set reported; /* pairs of two such paths, as two hashes */
	/* The nearest so far, nearest first. */
	struct neighbour *nearest;
	size_t nearest_count, nearest_wanted;
};

static uint64_t hash_path(const char *path)
{
	return XXH3_64bits(path, strlen(path));
}

/* Is this a pair of two files asked for that was reported already? Notes it if not. */
static int is_repeated(struct query *query, const struct find_file *other)
{
	uint64_t x = hash_path(find_file_path(&query->file));
	uint64_t y = hash_path(find_file_path(other));
	int added;

	if (!other->is_local || !pair_set_has(&query->asked, (struct pair){y, 0}))
		return 0;
	added = pair_set_add(&query->reported, x < y ? (struct pair){x, y} : (struct pair){y, x});
	return added < 0 ? -1 : added == 0;
}

static int report(struct query *query, const struct find_file *other, uint64_t distance,
		  struct simhash_error *error)
{
	int repeated = is_repeated(query, other);

	if (repeated != 0)
		return repeated < 0 ? error_set_memory(error) : 0;
	return report_pair(&query->reporter, &query->file, other, distance, error);
}

/* ---- The rows around a file ---- */

/* max |w - c| * distance over the tags, and 1 for each tag, rounded up. */
static int64_t key_moves(const struct simhash_tag_set *set, bool is_skew, uint32_t c_thousandths,
			 int64_t distance)
{
	const struct simhash_tag *tags = simhash_tag_set_tags(set);
	uint32_t most = 0;
	wide moves;

	for (int t = 0; t < SIMHASH_TAGS; t++) {
		uint32_t w = is_skew ? tags[t].skew : tags[t].scatter;
		uint32_t apart = w > c_thousandths ? w - c_thousandths : c_thousandths - w;
		most = apart > most ? apart : most;
	}
	moves = (wide)distance * most / 1000 + SIMHASH_TAGS + 1;
	return moves > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)moves;
}

static void set_bounds(int64_t bounds[2], int64_t middle, int64_t reach)
{
	bounds[0] = middle < INT64_MIN + reach ? INT64_MIN : middle - reach;
	bounds[1] = middle > INT64_MAX - reach ? INT64_MAX : middle + reach;
}

/* Half of the largest weight: nothing else makes the largest |w - c| smaller. */
static uint32_t middle_weight(const struct simhash_tag_set *set)
{
	const struct simhash_tag *tags = simhash_tag_set_tags(set);
	uint32_t largest = 0;

	for (int t = 0; t < SIMHASH_TAGS; t++)
		largest = tags[t].skew > largest ? tags[t].skew : largest;
	return largest / 2000 * 1000;
}

static struct near_range range_around(const struct query *query, int64_t distance)
{
	const struct find_request *request = query->finder->request;
	const struct find_file *file = &query->file;
	const struct simhash_tolerance *t = &request->rule.tolerance;
	const int64_t *keys = query->keys.key;
	bool is_small = file->uniform < INT64_C(1) << 48 && distance < INT64_C(1) << 48;
	uint32_t c = middle_weight(request->tags);
	struct near_range range = {
		.tag_set = query->finder->tag_set,
		.key = request->rule.key,
		.skew_ext = {INT64_MIN, INT64_MAX},
		.scatter_shift = {INT64_MIN, INT64_MAX},
		.skew_shift = {INT64_MIN, INT64_MAX},
	};

	set_bounds(range.uniform, file->uniform, distance);
	range.size[1] = simhash_largest_partner(t, file->size_bytes);
	range.size[0] = (int64_t)((wide)file->size_bytes * SIMHASH_MILLION /
				  (wide)t->size_ratio_millionths);
	if (range.size[0] < 1 && !request->with_empty)
		range.size[0] = 1;
	if (is_small) /* elsewhere a key may have been cut off at the end of 64 bits */
		set_bounds(range.scatter_shift, keys[SIMHASH_SCATTER] - keys[SIMHASH_UNIFORM],
			   key_moves(request->tags, false, 1000, distance));
	if (!rule_is_by_extension(&request->rule) || !is_small)
		return range;
	set_bounds(range.skew_ext, keys[SIMHASH_SKEW_EXT],
		   key_moves(request->tags, true, 0, distance));
	range.skew_factor = c / 1000;
	set_bounds(range.skew_shift,
		   keys[SIMHASH_SKEW_EXT] - range.skew_factor * keys[SIMHASH_UNIFORM],
		   key_moves(request->tags, true, c, distance));
	return range;
}

/* Does what is asked for with one row: 0, or -1 for an error. */
typedef int row_fn(struct query *query, const struct find_file *other, struct simhash_error *error);

static int read_around(struct query *query, int64_t distance, row_fn *each,
		       struct simhash_error *error)
{
	struct near_range range = range_around(query, distance);
	struct file_row row = {.host = 0};
	struct row_cursor *cursor;
	int status;

	if (store_rows_near(query->finder->store, &range, &cursor, error) != 0)
		return -1;
	while ((status = store_rows_next(cursor, &row, error)) == 1) {
		struct shown_path shown;
		struct find_file other;
		if (finder_convert(query->finder, &row, &other, error) != 0)
			status = -1;
		else if (finder_show(query->finder, &row, &query->row_arena, &shown) != 0)
			status = error_set_memory(error);
		if (status == 1) {
			other.display = shown.display;
			other.display_size = shown.display_size;
			other.path_offset = shown.path_offset;
			query->reporter.counts.rows++;
			if ((other.host != query->file.host || query->file.is_stream ||
			     strcmp(find_file_path(&other), find_file_path(&query->file)) != 0) &&
			    each(query, &other, error) != 0)
				status = -1;
		}
		arena_clear(&query->row_arena);
		if (status < 0)
			break;
	}
	store_rows_end(cursor);
	return status;
}

static int report_if_pair(struct query *query, const struct find_file *other,
			  struct simhash_error *error)
{
	uint64_t distance;

	if (!rule_matches(&query->finder->request->rule, &query->file, other, &distance))
		return 0;
	return report(query, other, distance, error);
}

/* ---- The nearest ---- */

/* By distance, then by the bytes shown. */
static bool is_nearer(uint64_t distance, const struct find_file *file, const struct neighbour *than)
{
	if (distance != than->distance)
		return distance < than->distance;
	return strcmp(file->display, than->file.display) < 0;
}

static int keep_nearest(struct query *query, const struct find_file *other,
			struct simhash_error *error)
{
	uint64_t distance = simhash_distance(&query->file.table, &other->table);
	size_t at = query->nearest_count;
	char *display;

	if (!rule_allows(&query->finder->request->rule, &query->file, other))
		return 0;
	if (at == query->nearest_wanted) {
		if (!is_nearer(distance, other, &query->nearest[at - 1]))
			return 0;
	}
	display = malloc((size_t)other->display_size + 1);
	if (display == NULL)
		return error_set_memory(error);
	memcpy(display, other->display, (size_t)other->display_size + 1);
	if (at == query->nearest_wanted) {
		at--;
		free((char *)(uintptr_t)query->nearest[at].file.display);
	} else {
		query->nearest_count++;
	}
	for (; at > 0 && is_nearer(distance, other, &query->nearest[at - 1]); at--)
		query->nearest[at] = query->nearest[at - 1];
	query->nearest[at] = (struct neighbour){*other, distance};
	query->nearest[at].file.display = display;
	return 0;
}

static void forget_nearest(struct query *query)
{
	for (size_t i = 0; i < query->nearest_count; i++)
		free((char *)(uintptr_t)query->nearest[i].file.display);
	query->nearest_count = 0;
}

/* No file that the rule allows is further away than all windows of both. */
static int64_t furthest(const struct query *query)
{
	int64_t partner = simhash_largest_partner(&query->finder->request->rule.tolerance,
						  query->file.size_bytes);

	return partner > INT64_MAX / 32 ? INT64_MAX / 2 : 16 * partner + 1;
}

static int find_nearest(struct query *query, struct simhash_error *error)
{
	int64_t last = furthest(query), distance = query->file.reach;
	int status = 0;

	for (;;) {
		uint64_t worst;
		if (distance > last)
			distance = last;
		forget_nearest(query);
		if (read_around(query, distance, keep_nearest, error) != 0)
			return -1;
		if (distance == last)
			break;
		if (query->nearest_count < query->nearest_wanted) {
			distance *= 4;
			continue;
		}
		worst = query->nearest[query->nearest_count - 1].distance;
		if (worst <= (uint64_t)distance)
			break;
		/* All that can displace one of these is within the last of them. */
		distance = worst < (uint64_t)distance * 4 ? (int64_t)worst : distance * 4;
	}
	for (size_t i = 0; status == 0 && i < query->nearest_count; i++)
		status = report(query, &query->nearest[i].file, query->nearest[i].distance, error);
	return status;
}

/* ---- By another measure ---- */

/* A row with all that is asked for. It is put together when the first is similar to it. */
static int compare_sketch(struct query *query, const struct file_row *row,
			  const struct row_sketch *sketch, struct simhash_error *error)
{
	const struct find_request *request = query->finder->request;
	const uint8_t *theirs = (const uint8_t *)sketch->value.data;
	struct find_file file;
	bool is_converted = false;

	for (size_t i = 0; i < query->kept_count; i++) {
		const struct asked_sketch *asked = &query->kept[i];
		const uint8_t *ours = (const uint8_t *)asked->sketches->sketch[0].value.data;
		double similarity = simhash_sketch_similarity(request->measure, ours, theirs, NULL);
		struct shown_path shown;
		if (similarity < request->min_similarity ||
		    (row->host == asked->file.host && !asked->file.is_stream &&
		     memcmp(row->path_hash, asked->file.path_hash, PATH_HASH_SIZE) == 0))
			continue;
		if (!is_converted) {
			if (finder_convert(query->finder, row, &file, error) != 0)
				return -1;
			arena_clear(&query->row_arena);
			if (finder_show(query->finder, row, &query->row_arena, &shown) != 0)
				return error_set_memory(error);
			file.display = shown.display;
			file.display_size = shown.display_size;
			file.path_offset = shown.path_offset;
			is_converted = true;
		}
		query->file = asked->file;
		query->reporter.similarity = similarity;
		if (report(query, &file, simhash_distance(&asked->file.table, &file.table),
			   error) != 0)
			return -1;
	}
	return 0;
}

static void forget_asked(struct query *query)
{
	for (size_t i = 0; i < query->kept_count; i++) {
		row_sketches_drop(query->kept[i].sketches);
		arena_release(&query->kept[i].arena);
	}
	query->kept_count = 0;
}

/* All sketches of the index are compared with those of the files asked for, in one pass. */
static int find_alike(struct query *query, struct simhash_error *error)
{
	const struct finder *finder = query->finder;
	const struct find_request *request = finder->request;
	struct file_row row = {.host = 0};
	struct row_cursor *cursor;
	struct row_sketch sketch;
	size_t sketch_size;
	int status;

	if (query->kept_count == 0)
		return 0;
	sketch_size = simhash_measure_sketch_size(request->measure);
	if (store_rows_sketched(finder->store, finder->tag_set, query->measure, request->rule.key,
				request->with_empty, &cursor, error) != 0)
		return -1;
	while ((status = store_rows_next(cursor, &row, error)) == 1) {
		query->reporter.counts.rows++;
		if (store_sketch_of(cursor, sketch_size, &sketch, error) != 0 ||
		    compare_sketch(query, &row, &sketch, error) != 0) {
			status = -1;
			break;
		}
	}
	store_rows_end(cursor);
	forget_asked(query);
	return status;
}

/* The file that was scanned, for a pass; one without features is similar to nothing. */
static int keep_asked(struct query *query, struct simhash_error *error)
{
	struct asked_sketch *asked = &query->kept[query->kept_count];

	if (query->sketches->sketch[0].features == 0)
		return 0;
	*asked = (struct asked_sketch){query->file, query->arena, query->sketches};
	query->arena = (struct arena){NULL};
	query->sketches = NULL;
	return ++query->kept_count == ASKED_MOST ? find_alike(query, error) : 0;
}

/* ---- The files asked for ---- */

/* Scan the file, or what is in it, into query->file; 1, or 0 when it cannot be read, which is told. */
static int scan_query(struct query *query, const struct find_query *asked, const char *path,
		      bool is_inflated, struct simhash_error *error)
{
	const struct find_sink *sink = query->finder->sink;
	const char *slash = path == NULL ? NULL : strrchr(path, '/');
	const char *name = path == NULL ? asked->name : slash + 1;
	struct file_row row = {.host = query->finder->local_host};
	enum scan_outcome outcome;
	struct shown_path shown;

	row.name = (struct bytes){name, strlen(name)};
	if (is_inflated) {
		char *inflated = arena_take(&query->arena, 2 * row.name.size + 8);
		if (inflated == NULL)
			return error_set_memory(error);
		row.name.size = inflated_name(row.name, inflated);
		row.name.data = inflated;
		if (row.name.size == 0)
			return 0;
	}
	row.directory = path == NULL
				? (struct bytes){"", 0}
				: (struct bytes){path, slash == path ? 1 : (size_t)(slash - path)};
	outcome = path == NULL	? scan_stream(&query->scanner, STDIN_FILENO, &row)
		  : is_inflated ? scan_inflated(&query->scanner, AT_FDCWD, path, &row)
				: scan_file(&query->scanner, AT_FDCWD, path, NULL, &row);
	if (outcome != SCAN_DONE) {
		/* realpath found it, so it is there, and is no file */
		int why = outcome == SCAN_GONE ? EISDIR : errno;
		sink->unreadable(sink->context,
				 path == NULL ? (struct bytes){"standard input", 14}
					      : (struct bytes){path, strlen(path)},
				 why);
		return 0;
	}
	query->sketches = row.sketches;
	if (path != NULL) {
		uint8_t directory[DIRECTORY_HASH_SIZE];
		directory_hash(row.directory, directory);
		path_hash(directory, row.name, row.path_hash);
	}
	if (finder_convert(query->finder, &row, &query->file, error) != 0)
		return -1;
	if (row.name.size == 0)
		row.name = (struct bytes){"-", 1};
	if (finder_show(query->finder, &row, &query->arena, &shown) != 0)
		return error_set_memory(error);
	query->file.display = shown.display;
	query->file.display_size = shown.display_size;
	query->file.path_offset = shown.path_offset;
	query->file.is_stream = path == NULL;
	query->file.is_local = true;
	query->keys = row.keys;
	return 1;
}

static int query_view(struct query *query, const struct find_query *asked, const char *path,
		      bool is_inflated, struct simhash_error *error)
{
	const struct find_request *request = query->finder->request;
	int status = scan_query(query, asked, path, is_inflated, error);

	if (status == 1 && request->measure != NULL)
		status = keep_asked(query, error);
	else if (status == 1 && (query->file.size_bytes > 0 || request->with_empty))
		status = query->nearest_wanted > 0
				 ? find_nearest(query, error)
				 : read_around(query, query->file.reach, report_if_pair, error);
	row_sketches_drop(query->sketches);
	query->sketches = NULL;
	arena_release(&query->arena);
	return status < 0 ? -1 : 0;
}

static int query_one(struct query *query, const struct find_query *asked, const char *path,
		     struct simhash_error *error)
{
	if (query_view(query, asked, path, false, error) != 0)
		return -1;
	return path == NULL || !query->finder->request->inflate
		       ? 0
		       : query_view(query, asked, path, true, error);
}

/* With the content of gzip files, that is asked for under its own name. */
static int ask_for_content(struct query *query, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct bytes name = {slash + 1, strlen(slash + 1)};
	size_t directory = (size_t)(slash + 1 - path);
	char *inner = malloc(directory + 2 * name.size + 8);
	int added = -1;

	if (inner == NULL)
		return -1;
	memcpy(inner, path, directory);
	added = inflated_name(name, inner + directory) == 0
			? 0
			: pair_set_add(&query->asked, (struct pair){hash_path(inner), 0});
	free(inner);
	return added;
}

/* Standard input stays without a path. A file named twice is asked for once. */
static int resolve(struct query *query, const struct find_query *queries, char **resolved,
		   bool *is_asked, size_t count, struct simhash_error *error)
{
	const struct find_request *request = query->finder->request;
	const struct find_sink *sink = query->finder->sink;

	for (size_t i = 0; i < count; i++) {
		const char *path = queries[i].path;
		int added = 1;
		if (path != NULL) {
			resolved[i] = realpath(path, NULL);
			if (resolved[i] == NULL) {
				sink->unreadable(sink->context, (struct bytes){path, strlen(path)},
						 errno);
				continue;
			}
			added = pair_set_add(&query->asked,
					     (struct pair){hash_path(resolved[i]), 0});
			if (added >= 0 && request->inflate &&
			    ask_for_content(query, resolved[i]) < 0)
				added = -1;
		}
		if (added < 0)
			return error_set_memory(error);
		is_asked[i] = added == 1;
	}
	return 0;
}

static int query_all(struct query *query, const struct find_query *queries, size_t count,
		     struct simhash_error *error)
{
	char **resolved = calloc(count + 1, sizeof *resolved);
	bool *is_asked = calloc(count + 1, sizeof *is_asked);
	int status = resolved == NULL || is_asked == NULL
			     ? error_set_memory(error)
			     : resolve(query, queries, resolved, is_asked, count, error);

	for (size_t i = 0; status == 0 && i < count; i++)
		if (is_asked[i])
			status = query_one(query, &queries[i], resolved[i], error);
	if (status == 0)
		status = find_alike(query, error);
	for (size_t i = 0; resolved != NULL && i < count; i++)
		free(resolved[i]);
	free(resolved);
	free(is_asked);
	return status;
}

int finder_files(struct finder *finder, const struct find_query *queries, size_t count,
		 struct simhash_error *error)
{
	static const atomic_bool never_stop;
	size_t nearest = finder->request->nearest;
	struct query query = {
		.finder = finder, .reporter = {.finder = finder}, .nearest_wanted = nearest};
	int status = 0;

	if (file_scanner_init(&query.scanner, finder->request->tags, true, &never_stop, error) != 0)
		return -1;
	query.scanner.max_inflated_bytes = finder->request->max_inflated_bytes;
	if (finder->request->measure != NULL) {
		query.reporter.is_measured = true;
		query.kept = malloc((count < ASKED_MOST ? 2 * count + 1 : ASKED_MOST) *
				    sizeof *query.kept);
		status = query.kept == NULL
				 ? error_set_memory(error)
				 : file_scanner_measure(&query.scanner, &finder->request->measure,
							1, error);
		if (status == 0)
			status = alike_measure_id(finder, &query.measure, error);
		if (status == 0)
			status = alike_count_unsketched(finder, query.measure, error);
	}
	if (nearest > 0) {
		query.nearest = calloc(nearest, sizeof *query.nearest);
		if (query.nearest == NULL)
			status = error_set_memory(error);
	}
	if (status == 0)
		status = query_all(&query, queries, count, error);
	finder->counts.rows += query.reporter.counts.rows;
	finder->counts.identical += query.reporter.counts.identical;
	finder->counts.similar += query.reporter.counts.similar;
	forget_nearest(&query);
	forget_asked(&query);
	arena_release(&query.row_arena);
	free(query.kept);
	free(query.nearest);
	pair_set_release(&query.reported);
	pair_set_release(&query.asked);
	file_scanner_release(&query.scanner);
	return status;
}
