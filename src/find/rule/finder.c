/*
 * Sets up a finder, reads hosts and sides, and converts rows to files. sweep.c, queries.c and
 * sketch_join.c search.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "find/rule/against.h"
#include "find/rule/common_content.h"
#include "find/rule/finder.h"
#include "find/rule/known_contents.h"
#include "find/rule/texts.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/rows/known_file.h"
#include "store/rows/totals.h"

void find_request_init(struct find_request *request)
{
	static const struct simhash_tolerance tolerance = SIMHASH_TOLERANCE_DEFAULT;

	*request = (struct find_request){.parts = 1, .max_inflated_bytes = INT64_MAX};
	rule_init(&request->rule, SIMHASH_SKEW_EXT, &tolerance);
	request->rule.verify.mode = VERIFY_SKETCH;
	request->rule.verify.by_keys = true;
	request->rule.verify.size_ratio_millionths = VERIFY_SIZE_RATIO;
	request->rule.verify.common = common_content_new();
	request->rule.tolerance.percent_millionths = VERIFIED_TOLERANCE_PERCENT * SIMHASH_MILLION;
	request->rule.unverified_percent_millionths = tolerance.percent_millionths;
}

/* Many archives have names such as "./x", which must be written in the same way. */
static int say_not_indexed(const struct finder *finder, const struct row_scope *scope,
			   struct bytes path, struct simhash_error *error)
{
	size_t outer = outer_path_size(path);
	bool has_rows = false;
	char *dotted = NULL;
	int status = 0;

	if (outer < path.size && scope->host > 0 &&
	    asprintf(&dotted, "%.*s//.%.*s", (int)outer, path.data, (int)(path.size - outer - 1),
		     path.data + outer + 1) < 0)
		return error_set_memory(error);
	if (dotted != NULL)
		status = store_has_rows_below(finder->store, scope, bytes_of(dotted), &has_rows,
					      error);
	if (status == 0)
		status = !has_rows ? store_say_not_indexed(path, error)
				   : error_set(error, SIMHASH_E_RANGE,
					       "the index has no files at or below %.*s; the names "
					       "in this archive begin with \"./\": %s",
					       (int)path.size, path.data, dotted);
	free(dotted);
	return status;
}

int finder_check_side(const struct finder *finder, const struct find_side *side,
		      struct simhash_error *error)
{
	const char *host = side->host != NULL ? side->host : finder->request->host;
	struct row_scope scope = {finder->tag_set, name_list_id(&finder->hosts, host)};
	bool has_rows = false;

	if (finder->tag_set == 0)
		return 0;
	if (scope.host > 0 &&
	    store_has_rows_below(finder->store, &scope, side->directory, &has_rows, error) != 0)
		return -1;
	if (has_rows)
		return 0;
	if (side->host == NULL)
		return say_not_indexed(finder, &scope, side->directory, error);
	return error_set(error, SIMHASH_E_RANGE, "the index has no files at or below %s:%.*s", host,
			 side->directory.size == 0 ? 1 : (int)side->directory.size,
			 side->directory.size == 0 ? "/" : side->directory.data);
}

/* A side without files is an error, because the result would look as if no files were similar. */
static int find_side(struct finder *finder, int number, struct simhash_error *error)
{
	const struct find_side *side = &finder->request->between[number];

	finder->side_host[number] = name_list_id(
		&finder->hosts, side->host != NULL ? side->host : finder->request->host);
	return finder_check_side(finder, side, error);
}

int finder_check_below(const struct finder *finder, struct bytes directory,
		       struct simhash_error *error)
{
	const struct row_scope scope = {finder->tag_set, finder->local_host};
	bool has_rows = false;

	if (finder->tag_set == 0)
		return 0;
	if (finder->local_host > 0 &&
	    store_has_rows_below(finder->store, &scope, directory, &has_rows, error) != 0)
		return -1;
	if (has_rows)
		return 0;
	return say_not_indexed(finder, &scope, directory, error);
}

/*
 * The mean number of random bits up to the end of a match. A tag that overlaps itself needs more:
 * 2^n for each n from 1 to 8 whose first n bits are also its last n bits.
 */
static double bits_for_tag(uint8_t tag)
{
	double bits = 0;

	for (unsigned n = 1; n <= 8; n++)
		if ((unsigned)tag >> (8 - n) == (tag & ((1u << n) - 1)))
			bits += 1u << n;
	return bits;
}

/* The counts of smaller files are near any expectation. */
#define RANDOM_MIN_BYTES 4096
#define DEVIATIONS 4

/*
 * Are all counts as expected for random bytes? Compressed and encrypted files have such counts, and
 * so do most pictures. Then equal counts are no evidence.
 */
static bool has_random_counts(const struct finder *finder, const struct find_file *file)
{
	if (file->size_bytes < RANDOM_MIN_BYTES)
		return false;
	for (int t = 0; t < SIMHASH_TAGS; t++) {
		double expected = 8.0 * (double)file->size_bytes / finder->bits_for_tag[t];
		double difference = (double)file->table.count[t] - expected;
		if (difference * difference > DEVIATIONS * DEVIATIONS * expected)
			return false;
	}
	return true;
}

int finder_init(struct finder *finder, struct store *store, const struct find_request *request,
		const struct find_sink *sink, const struct find_resources *resources,
		struct simhash_error *error)
{
	int status = 0;

	*finder = (struct finder){
		.store = store, .request = request, .sink = sink, .resources = resources};
	if (store_tag_set_id(store, request->tags, false, &finder->tag_set, error) != 0 ||
	    store_host_id(store, request->host, false, &finder->local_host, error) != 0 ||
	    store_read_hosts(store, &finder->hosts, error) != 0)
		status = -1;
	for (int t = 0; t < SIMHASH_TAGS; t++)
		finder->bits_for_tag[t] =
			bits_for_tag(simhash_tag_set_tags(request->tags)[t].pattern);
	for (int i = 0; status == 0 && request->has_between && request->against == NULL &&
			request->sides == NULL && i < 2;
	     i++)
		status = find_side(finder, i, error);
	for (size_t i = 0; status == 0 && i < request->below_count; i++)
		status = finder_check_below(finder, request->below[i], error);
	if (status != 0)
		finder_release(finder);
	return status;
}

void finder_release(struct finder *finder)
{
	name_list_release(&finder->hosts);
	texts_free(finder->texts);
	if (finder->archives != NULL)
		finder->free_archives(finder->archives);
	*finder = (struct finder){.store = NULL};
}

/* The name to show before a path; "" for this host. */
static const char *host_prefix(const struct finder *finder, int64_t host)
{
	const struct name *known = name_list_find(&finder->hosts, host);

	if (host == AGAINST_HOST && finder->request->against != NULL)
		return finder->request->against->name;
	if (host == finder->local_host)
		return "";
	return known == NULL ? "?" : known->text.data;
}

int finder_show(const struct finder *finder, const struct file_row *row, struct arena *arena,
		struct find_file *file, struct simhash_error *error)
{
	const char *host = host_prefix(finder, row->host);
	size_t prefix = host[0] == '\0' ? 0 : strlen(host) + 1;
	size_t slash = row->directory.size <= 1 ? 0 : 1; /* "/" already ends with a slash */
	size_t size = prefix + row->directory.size + slash + row->name.size;
	char *write = size < UINT32_MAX ? arena_take(arena, size + 1) : NULL;

	if (write == NULL)
		return error_set_memory(error);
	file->display = write;
	file->display_size = (uint32_t)size;
	file->path_offset = (uint32_t)prefix;
	if (prefix > 0) {
		memcpy(write, host, prefix - 1);
		write[prefix - 1] = ':';
	}
	write += prefix;
	memcpy(write, row->directory.data, row->directory.size);
	write += row->directory.size;
	if (slash > 0)
		*write++ = '/';
	memcpy(write, row->name.data, row->name.size);
	write[row->name.size] = '\0';
	return 0;
}

static uint8_t sides_of(const struct finder *finder, const struct file_row *row)
{
	const struct find_side *between = finder->request->between;
	uint8_t sides = 0;

	if (finder->request->against != NULL)
		return row->host == AGAINST_HOST ? SIDE_A : SIDE_B;
	if (finder->request->sides != NULL)
		return finder->request->sides(finder->request->sides_context, row);
	for (int i = 0; finder->request->has_between && i < 2; i++)
		if (row->host == finder->side_host[i] &&
		    row_is_below(row->directory, row->name, between[i].directory))
			sides |= (uint8_t)(i == 0 ? SIDE_A : SIDE_B);
	return sides;
}

int finder_convert(const struct finder *finder, const struct file_row *row, struct find_file *file,
		   struct simhash_error *error)
{
	const struct find_rule *rule = &finder->request->rule;
	const struct text *text = texts_find(finder->texts, row->content_hash);
	struct bytes name = inner_name(row->name);
	int64_t document_bytes = 0;
	struct file_row as_text;

	if (text != NULL) {
		as_text = *row;
		as_text.size_bytes = text->size_bytes;
		as_text.table = text->table;
		as_text.has_resemblance = text->has_resemblance && row->has_resemblance;
		as_text.resemblance = text->resemblance;
		row_compute_keys(&as_text, finder->request->tags);
		document_bytes = row->size_bytes;
		row = &as_text;
	}
	*file = (struct find_file){
		.table = row->table,
		.host = row->host,
		.size_bytes = row->size_bytes,
		.document_bytes = document_bytes,
		.dates = text == NULL ? row->dates : text->dates,
		.mtime_ns = row->mtime_ns,
		.device = row->device,
		.inode = row->inode,
		.compressed_size_bytes = row->compressed_size_bytes,
		.uniform = row->keys.key[SIMHASH_UNIFORM],
		.key = row->keys.key[rule->key],
		.extension_hash = simhash_extension_hash(name.data, name.size),
		.tolerance = rule_tolerance_of(rule, name),
		.sides = sides_of(finder, row),
		.has_sketch = row->has_resemblance,
		.is_local = row->host == finder->local_host,
	};
	if (row->has_resemblance)
		file->sketch = row->resemblance;
	memcpy(file->content_hash, row->content_hash, CONTENT_HASH_SIZE);
	memcpy(file->path_hash, row->path_hash, PATH_HASH_SIZE);
	/* The search relies on this key. */
	if (find_file_tags(file) != file->uniform)
		return error_set(error, SIMHASH_E_DATABASE,
				 "table file: in the row of %.*s/%.*s, uniform is not the sum of "
				 "the counts; scan the file again with simhash --force",
				 (int)row->directory.size, row->directory.data, (int)row->name.size,
				 row->name.data);
	file->has_random_counts = has_random_counts(finder, file);
	verify_set_wide(&rule->verify, file);
	file->reach = rule_end_reach(rule, file);
	file->swept_reach =
		rule_swept_reach(rule, file->tolerance, file->has_sketch, row->size_bytes);
	return 0;
}

enum simhash_key finder_read_key(const struct finder *finder)
{
	const struct find_rule *rule = &finder->request->rule;

	return rule->candidates == CANDIDATES_KEY ? rule->key : SIMHASH_UNIFORM;
}

size_t finder_memory(const struct finder *finder)
{
	int64_t bytes = finder->resources->memory_bytes;

	return (size_t)(bytes == 0 ? FIND_MEMORY_DEFAULT : bytes);
}

static int begin_progress(const struct finder *finder, struct simhash_error *error)
{
	struct find_progress *progress = finder->resources->progress;
	int64_t rows;
	int status;

	if (progress == NULL)
		return 0;
	status = finder->request->with_empty
			 ? store_count_rows(finder->store, finder->tag_set, &rows, error)
			 : store_count_not_empty(finder->store, finder->tag_set, &rows, error);
	if (status != 0)
		return -1;
	atomic_store(&progress->rows_total, rows / finder->request->parts);
	return 0;
}

static bool leaves_out(const struct find_request *request, const uint8_t *content_hash,
		       struct bytes directory, struct bytes name, int64_t size_bytes)
{
	if (request->known != NULL && known_contents_have(request->known, content_hash))
		return true;
	return request->takes != NULL &&
	       !request->takes(request->takes_context, directory, name, size_bytes);
}

bool finder_leaves_out(const struct finder *finder, const struct file_row *row)
{
	/* The document's row is compared by this text. Other measures need the text's own row. */
	if (row_is_text(row->contents) && finder->request->measure == NULL)
		return true;
	return leaves_out(finder->request, row->content_hash, row->directory, row->name,
			  row->size_bytes);
}

int finder_next_folder_row(const struct finder *finder, struct folder_cursor *cursor,
			   struct folder_row *row, struct simhash_error *error)
{
	int status;

	while ((status = folder_rows_next(cursor, row, error)) == 1 &&
	       leaves_out(finder->request, row->content_hash, row->directory, row->name,
			  row->size_bytes))
		;
	return status;
}

static bool is_below(const struct finder *finder, const struct file_row *row)
{
	const struct find_request *request = finder->request;

	if (request->below == NULL)
		return true;
	if (row->host != finder->local_host)
		return false;
	for (size_t i = 0; i < request->below_count; i++)
		if (row_is_below(row->directory, row->name, request->below[i]))
			return true;
	return false;
}

bool finder_takes(const struct finder *finder, const struct file_row *row)
{
	return is_below(finder, row) && !finder_leaves_out(finder, row);
}

/* The keys of empty files are 0, so the index finds these files. */
static int count_empty(struct finder *finder, struct simhash_error *error)
{
	const struct find_request *request = finder->request;
	const struct row_filter filter = {.columns = TAKING_COLUMNS | ROW_SIZE,
					  .tag_set = finder->tag_set,
					  .key = SIMHASH_UNIFORM,
					  .with_empty = true};
	struct row_cursor cursor;
	struct file_row row = {.host = 0};
	int status;

	if (request->with_empty || request->has_between || request->part > 0)
		return 0;
	if (store_rows_in_order(&cursor, finder->store, &filter, error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1)
		finder->counts.empty += row.size_bytes == 0 && finder_takes(finder, &row);
	store_rows_end(&cursor);
	return status;
}

bool finder_uses_texts(const struct finder *finder)
{
	const struct find_request *request = finder->request;

	return request->measure == NULL && !request->as_files && request->kinds != PAIRS_COPIES &&
	       request->rule.verify.mode != VERIFY_NO;
}

int finder_begin(struct finder *finder, struct simhash_error *error)
{
	if (finder_uses_texts(finder) && finder->texts == NULL && finder->tag_set != 0 &&
	    texts_read(&finder->texts, finder->store, finder->tag_set, error) != 0)
		return -1;
	return begin_progress(finder, error) != 0 ? -1 : count_empty(finder, error);
}

bool finder_crosses(const struct finder *finder, unsigned sides_x, unsigned sides_y)
{
	return !finder->request->has_between || ((sides_x & SIDE_A) && (sides_y & SIDE_B)) ||
	       ((sides_x & SIDE_B) && (sides_y & SIDE_A));
}

int finder_read(const struct finder *finder, const struct file_row *row, struct arena *arena,
		struct find_file *file, struct simhash_error *error)
{
	return finder_convert(finder, row, file, error) != 0
		       ? -1
		       : finder_show(finder, row, arena, file, error);
}
