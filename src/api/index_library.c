/*
 * Implements libsimhash-index: opens an index to read, and returns its files and the pairs among
 * them.
 * SPDX-License-Identifier: MIT
 */
#include "api/index_library.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/arena.h"
#include "base/threads/threads.h"
#include "store/engine/default_index.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/open/store.h"
#include "store/rows/row_reader.h"

#define PAGE_ROWS 1024 /* the maximum number of rows in one query */

/* ---- The index ---- */

/*
 * Choose the tag set of this name. Without a name choose the default set, which is identified by
 * its tags.
 */
static int choose_tags(struct simhash_index *index, const char *name, struct simhash_error *error)
{
	struct name_list tag_sets = {.count = 0};
	int status = -1;

	if (name == NULL) {
		if (simhash_tag_set_new_default(&index->tags, error) != 0)
			return -1;
		return store_tag_set_id(index->store, index->tags, false, &index->tag_set, error);
	}
	if (store_read_tag_sets(index->store, &tag_sets, error) != 0)
		return -1;
	index->tag_set = name_list_id(&tag_sets, name);
	if (index->tag_set == 0)
		error_set(error, SIMHASH_E_RANGE, "the index has no tag set '%s'", name);
	else
		status = store_read_tag_set(index->store, index->tag_set, &index->tags, error);
	name_list_release(&tag_sets);
	return status;
}

/* Copy a text, which may be NULL. */
static int copy_text(const char *text, char **copy, struct simhash_error *error)
{
	*copy = text == NULL ? NULL : strdup(text);
	return text != NULL && *copy == NULL ? error_set_memory(error) : 0;
}

static int open_index(struct simhash_index *index, const char *url,
		      const struct simhash_index_options *options, struct simhash_error *error)
{
	struct store_location where = {.url = NULL};
	char host[HOST_NAME_SIZE];

	if (options->host == NULL && default_host_name(host, error) != 0)
		return -1;
	if (copy_text(options->host == NULL ? host : options->host, &index->host, error) != 0 ||
	    default_index_url(url, false, &index->url, error) != 0)
		return -1;
	where.url = index->url;
	if (store_open(&where, OPEN_TO_READ, &index->store, error) != 0 ||
	    store_read_hosts(index->store, &index->hosts, error) != 0)
		return -1;
	return choose_tags(index, options->tag_set, error);
}

int simhash_index_open(const char *url, const struct simhash_index_options *options,
		       struct simhash_index **index, struct simhash_error *error)
{
	static const struct simhash_index_options defaults;
	struct simhash_error unwanted;
	struct simhash_index *made = calloc(1, sizeof *made);

	*index = NULL;
	if (error == NULL)
		error = &unwanted;
	if (made == NULL)
		return error_set_memory(error);
	if (open_index(made, url, options == NULL ? &defaults : options, error) != 0) {
		simhash_index_close(made);
		return -1;
	}
	*index = made;
	return 0;
}

void simhash_index_close(struct simhash_index *index)
{
	if (index == NULL)
		return;
	store_close(index->store);
	simhash_tag_set_free(index->tags);
	name_list_release(&index->hosts);
	free(index->url);
	free(index->host);
	free(index);
}

const struct simhash_tag *simhash_index_tags(const struct simhash_index *index)
{
	return simhash_tag_set_tags(index->tags);
}

/* ---- Files ---- */

struct simhash_index_files {
	struct simhash_index *index;
	size_t host;	   /* the host whose files are read now */
	bool is_under_way; /* `last` is the last path hash that was read */
	uint8_t last[PATH_HASH_SIZE];
	struct simhash_index_file page[PAGE_ROWS];
	size_t count, at;
	struct arena paths; /* the paths of the current page of rows */
};

int simhash_index_files_begin(struct simhash_index *index, struct simhash_index_files **files,
			      struct simhash_error *error)
{
	struct simhash_index_files *made = calloc(1, sizeof *made);

	*files = NULL;
	if (made == NULL)
		return error_set_memory(error);
	made->index = index;
	*files = made;
	return 0;
}

void simhash_index_files_end(struct simhash_index_files *files)
{
	if (files == NULL)
		return;
	arena_release(&files->paths);
	free(files);
}

static int keep_row(struct simhash_index_files *files, const struct file_row *row,
		    struct simhash_error *error)
{
	size_t slash = row->directory.size <= 1 ? 0 : 1; /* "/" ends in a slash already */
	size_t size = row->directory.size + slash + row->name.size;
	char *path = arena_take(&files->paths, size + 1);
	struct simhash_index_file *file = &files->page[files->count];

	if (path == NULL)
		return error_set_memory(error);
	memcpy(path, row->directory.data, row->directory.size);
	path[row->directory.size] = '/';
	memcpy(path + row->directory.size + slash, row->name.data, row->name.size);
	path[size] = '\0';
	*file = (struct simhash_index_file){
		.host = files->index->hosts.names[files->host].text.data,
		.path = path,
		.path_size = size,
		.size_bytes = row->size_bytes,
		.compressed_size_bytes = row->compressed_size_bytes,
		.mtime_ns = row->mtime_ns,
		.table = row->table,
		.keys = row->keys,
		.has_sketch = row->has_resemblance,
		.sketch = row->resemblance,
	};
	memcpy(file->content_hash, row->content_hash, CONTENT_HASH_SIZE);
	memcpy(files->last, row->path_hash, PATH_HASH_SIZE);
	files->count++;
	return 0;
}

/* Read the next rows of a host, or go to the next host. */
static int read_page(struct simhash_index_files *files, struct simhash_error *error)
{
	struct simhash_index *index = files->index;
	struct row_scope scope = {index->tag_set, index->hosts.names[files->host].id};
	struct file_row row = {.host = scope.host};
	struct row_cursor cursor;
	int status = store_rows_after(
		&cursor, index->store,
		ROW_PATH_HASH | ROW_DIRECTORY | ROW_NAME | ROW_SIZE | ROW_COMPRESSED_SIZE |
			ROW_MTIME | ROW_CONTENT_HASH | ROW_TABLE | ROW_KEYS | ROW_RESEMBLANCE,
		&scope, files->is_under_way ? files->last : NULL, NULL, PAGE_ROWS, error);

	files->count = files->at = 0;
	arena_clear(&files->paths);
	while (status == 0 && (status = store_rows_next(&cursor, &row, error)) == 1)
		status = keep_row(files, &row, error);
	store_rows_end(&cursor);
	files->is_under_way = files->count == PAGE_ROWS;
	if (status == 0 && !files->is_under_way)
		files->host++;
	return status;
}

int simhash_index_files_next(struct simhash_index_files *files,
			     const struct simhash_index_file **file, struct simhash_error *error)
{
	struct simhash_error unwanted;

	if (error == NULL)
		error = &unwanted;
	*file = NULL;
	while (files->at == files->count) {
		if (files->index->tag_set == 0 || files->host == files->index->hosts.count)
			return 0;
		if (read_page(files, error) != 0) {
			files->count = files->at = 0;
			return -1;
		}
	}
	*file = &files->page[files->at++];
	return 1;
}

/* ---- Pairs ---- */

void simhash_index_search_init(struct simhash_index_search *search)
{
	*search = (struct simhash_index_search){.key = SIMHASH_UNIFORM,
						.tolerance = SIMHASH_TOLERANCE_DEFAULT,
						.min_resemblance = SIMHASH_INDEX_GRADED};
	search->tolerance.percent_millionths = VERIFIED_TOLERANCE_PERCENT * SIMHASH_MILLION;
}

/* A search in progress, and its caller's function. */
struct searching {
	struct simhash_index *index;
	simhash_index_pair_fn *pair;
	void *context;
	const char *queried_path; /* the resolved path of the file to search for; or NULL */
	pthread_mutex_t lock;	  /* serializes the calls */
	bool was_unreadable;
	int unreadable_errno;
};

void index_describe(const struct simhash_index *index, const struct find_file *from,
		    struct simhash_index_file *file)
{
	const struct name *host = name_list_find(&index->hosts, from->host);
	const char *path = find_file_path(from), *slash = strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;

	*file = (struct simhash_index_file){
		.host = from->is_stream	 ? ""
			: from->is_local ? index->host
			: host == NULL	 ? "?"
					 : host->text.data,
		.path = path,
		.path_size = from->display_size - from->path_offset,
		.size_bytes = find_file_bytes(from),
		.compressed_size_bytes = from->compressed_size_bytes,
		.mtime_ns = from->mtime_ns,
		.table = from->table,
		.has_sketch = from->has_sketch,
		.sketch = from->sketch,
	};
	simhash_keys_compute(index->tags, &file->table, name, strlen(name), &file->keys);
	memcpy(file->content_hash, from->content_hash, CONTENT_HASH_SIZE);
}

static bool is_asked(const struct searching *searching, const struct find_file *file)
{
	return file->is_stream || (searching->queried_path != NULL && file->is_local &&
				   strcmp(find_file_path(file), searching->queried_path) == 0);
}

enum simhash_index_verified index_verified_by(enum verification verification)
{
	switch (verification) {
	case PAIR_HASH:
		return SIMHASH_INDEX_BY_HASH;
	case PAIR_SKETCH:
		return SIMHASH_INDEX_BY_SKETCH;
	case PAIR_TEXT:
		return SIMHASH_INDEX_BY_TEXT;
	case PAIR_COUNTS:
		return SIMHASH_INDEX_BY_COUNTS;
	case PAIR_UNVERIFIED:
	case PAIR_READ:
	case PAIR_MEASURED:
		break;
	}
	return SIMHASH_INDEX_UNVERIFIED;
}

double index_resemblance(const struct relation *relation, bool is_identical)
{
	return has_resemblance(relation) ? shown_resemblance(relation, is_identical) : -1;
}

static int take_pair(void *context, unsigned thread, const struct file_pair *found,
		     struct simhash_error *error)
{
	struct searching *searching = context;
	const struct relation *relation = &found->relation;
	bool swap = is_asked(searching, found->b);
	struct simhash_index_file a, b;
	struct simhash_index_pair pair = {
		.a = &a,
		.b = &b,
		.distance = relation->distance,
		.resemblance = index_resemblance(relation, relation->is_identical),
		.verified = index_verified_by(relation->verification),
		.is_identical = relation->is_identical};
	int status;

	(void)thread;
	index_describe(searching->index, swap ? found->b : found->a, &a);
	index_describe(searching->index, swap ? found->a : found->b, &b);
	pthread_mutex_lock(&searching->lock);
	error_set(error, SIMHASH_E_NONE, "the search was ended by its caller");
	status = searching->pair(searching->context, &pair, error);
	pthread_mutex_unlock(&searching->lock);
	return status == 0 ? 0 : -1;
}

static void note_unreadable(void *context, struct bytes path, int system_errno)
{
	struct searching *searching = context;

	(void)path;
	searching->was_unreadable = true;
	searching->unreadable_errno = system_errno;
}

static int check_search(const struct simhash_index_search *search, struct simhash_error *error)
{
	const struct simhash_tolerance *t = &search->tolerance;

	if ((unsigned)search->key >= SIMHASH_KEYS)
		return error_set(error, SIMHASH_E_RANGE, "there is no key with the number %d",
				 (int)search->key);
	if (t->percent_millionths < 0 || t->percent_millionths > 100 * SIMHASH_MILLION ||
	    t->size_ratio_millionths < SIMHASH_MILLION ||
	    t->size_ratio_millionths > SIMHASH_MILLION * SIMHASH_MILLION)
		return error_set(error, SIMHASH_E_RANGE,
				 "the tolerance of %lld or the size ratio of %lld millionths is "
				 "out of range",
				 (long long)t->percent_millionths,
				 (long long)t->size_ratio_millionths);
	if (!(search->min_resemblance <= 1) || search->threads > THREADS_MAX)
		return error_set(
			error, SIMHASH_E_RANGE,
			"the minimum resemblance %g or the number of threads %u is out of range",
			search->min_resemblance, search->threads);
	return 0;
}

int index_request_init(struct find_request *request, const struct simhash_index *index,
		       const struct simhash_index_search *search, struct simhash_error *error)
{
	struct simhash_index_search defaults;
	struct find_rule *rule;

	simhash_index_search_init(&defaults);
	if (search == NULL)
		search = &defaults;
	if (check_search(search, error) != 0)
		return -1;
	find_request_init(request);
	rule = &request->rule;
	rule->key = search->key;
	rule->tolerance = search->tolerance;
	rule->verify.mode = search->unverified ? VERIFY_NO : VERIFY_SKETCH;
	rule->verify.same_extension = search->key >= SIMHASH_UNIFORM_EXT;
	rule->verify.min_resemblance = search->min_resemblance;
	if (search->tolerance.size_ratio_millionths != defaults.tolerance.size_ratio_millionths)
		rule->verify.size_ratio_millionths = search->tolerance.size_ratio_millionths;
	request->tags = index->tags;
	request->host = index->host;
	request->rule.unverified_percent_millionths = SIMHASH_MILLION;
	request->with_empty = search->empty_files;
	request->expand = search->every_copy;
	request->hard_links = search->hard_links;
	return 0;
}

unsigned index_search_threads(const struct simhash_index_search *search)
{
	return search != NULL && search->threads > 0 ? search->threads : processors();
}

/* Find all pairs, or the pairs of a path or of a content. */
static int search_index(struct searching *searching, const struct simhash_index_search *search,
			const struct find_content *content, struct simhash_error *error)
{
	struct simhash_index *index = searching->index;
	struct find_sink sink = {
		.context = searching, .pair = take_pair, .unreadable = note_unreadable};
	struct find_resources resources = {.threads = index_search_threads(search)};
	const char *path = searching->queried_path;
	struct find_request request;
	struct finder finder;
	int status = index_request_init(&request, index, search, error);

	if (status != 0)
		return -1;
	status = finder_init(&finder, index->store, &request, &sink, &resources, error);
	if (status == 0 && index->tag_set != 0)
		status = content != NULL ? finder_content(&finder, content, error)
			 : path != NULL	 ? finder_files(&finder, &path, 1, error)
					 : finder_all(&finder, error);
	finder_release(&finder);
	rule_release(&request.rule);
	return status;
}

static int run_search(struct simhash_index *index, const struct simhash_index_search *search,
		      const char *path, const struct find_content *content,
		      simhash_index_pair_fn *pair, void *context, struct simhash_error *error)
{
	struct searching searching = {
		.index = index, .pair = pair, .context = context, .queried_path = path};
	int status;

	pthread_mutex_init(&searching.lock, NULL);
	status = search_index(&searching, search, content, error);
	pthread_mutex_destroy(&searching.lock);
	if (status == 0 && searching.was_unreadable) {
		errno = searching.unreadable_errno;
		status = error_set_errno(error, "cannot read %s", path);
	}
	return status;
}

int simhash_index_pairs(struct simhash_index *index, const struct simhash_index_search *search,
			simhash_index_pair_fn *pair, void *context, struct simhash_error *error)
{
	struct simhash_error unwanted;

	return run_search(index, search, NULL, NULL, pair, context,
			  error == NULL ? &unwanted : error);
}

int simhash_index_pairs_of_file(struct simhash_index *index,
				const struct simhash_index_search *search, const char *path,
				simhash_index_pair_fn *pair, void *context,
				struct simhash_error *error)
{
	struct simhash_error unwanted;
	char *resolved = realpath(path, NULL);
	int status;

	if (error == NULL)
		error = &unwanted;
	if (resolved == NULL)
		return error_set_errno(error, "cannot read %s", path);
	status = run_search(index, search, resolved, NULL, pair, context, error);
	free(resolved);
	return status;
}

int simhash_index_pairs_of_table(struct simhash_index *index,
				 const struct simhash_index_search *search,
				 const struct simhash_sum_table *table, int64_t size_bytes,
				 const char *name, simhash_index_pair_fn *pair, void *context,
				 struct simhash_error *error)
{
	struct find_content content = {*table, size_bytes, name};
	struct simhash_error unwanted;

	if (error == NULL)
		error = &unwanted;
	if (size_bytes < 0)
		return error_set(error, SIMHASH_E_RANGE, "a size of %lld bytes is negative",
				 (long long)size_bytes);
	for (int i = 0; i < SIMHASH_TAGS; i++)
		if (table->count[i] > (uint64_t)size_bytes)
			return error_set(error, SIMHASH_E_RANGE,
					 "the count of tag %d exceeds the size of %lld bytes", i,
					 (long long)size_bytes);
	return run_search(index, search, NULL, &content, pair, context, error);
}
