/*
 * Reads the files of the index for passages: first their rows, as far as memory allows, then the
 * files in the order of their inodes, which is about their order on the disk.
 * SPDX-License-Identifier: MIT
 */
#include "find/query/queried_passages.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/threads/threads.h"
#include "core/resemblance.h"
#include "find/pairs/archives.h"
#include "find/pairs/pair_reporter.h"
#include "find/query/queried_rows.h"
#include "find/reading/content_cache.h"
#include "find/reading/passage_content.h"
#include "find/reading/reopen.h"
#include "store/rows/totals.h"

/*
 * At the density of the pieces in the index, one shingle of 256 in texts and of 4,096 otherwise, a
 * smaller file has fewer than 16 pieces.
 */
#define SHORT_TEXT 4096
#define SHORT_OTHER 65536

#define SHINGLES_MAX (1u << 20) /* 50 bytes each; more passages are searched after them */
#define MEMORY_SHARE 4		/* the part of the memory for the files that wait */
#define FILE_BYTES 768		/* of a file that waits, with a path of usual length */

/* A short requested file. */
struct wanted {
	const struct queried_file *queried;
	struct find_file file; /* with the number of its passage */
};

struct passage_finder {
	struct queried_passages *found;
	const struct finder *finder;
	struct find_sink sink; /* for files that cannot be read */
	struct wanted *wanted; /* sorted as requested */
	size_t wanted_count;
	struct passage_set set;
	struct content_cache cache; /* for files in archives */
	struct find_file **files;   /* the files to read next, sorted */
	size_t count, capacity;
	struct arena arena; /* holds these files */
	atomic_size_t next;
	pthread_mutex_t lock; /* for `found` */
	struct first_error first_error;
};

bool queried_is_itself(const struct find_file *queried, const struct find_file *file)
{
	return file->host == queried->host && !queried->is_stream &&
	       (strcmp(find_file_path(file), find_file_path(queried)) == 0 ||
		archive_has_member(queried, file) || archive_has_member(file, queried));
}

bool queried_is_short(const struct queried_file *queried)
{
	const struct find_file *file = &queried->file;
	int64_t size = resemblance_size(&file->sketch, file->size_bytes);

	return !file->lacks_text && size >= (int64_t)PASSAGE_SHINGLE &&
	       size < (resemblance_is_text(&file->sketch) ? SHORT_TEXT : SHORT_OTHER);
}

static void report_unsearched(void *context, const struct find_file *file, int system_errno)
{
	struct passage_finder *f = context;
	const struct find_sink *sink = f->finder->sink;
	struct simhash_error error;

	pthread_mutex_lock(&f->lock);
	if (hash_set_add(&f->found->unsearched, file->path_hash, &error) != 0)
		first_error_set(&f->first_error, &error);
	pthread_mutex_unlock(&f->lock);
	if (sink->unsearched != NULL)
		sink->unsearched(sink->context, file, system_errno);
}

/* ---- The passages ---- */

static bool is_document_text(const struct find_file *file)
{
	return file->document_bytes > 0;
}

static int add_passage(struct passage_finder *f, struct wanted *wanted, struct loaded *content,
		       struct simhash_error *error)
{
	size_t size = (size_t)loaded_size(content);
	uint8_t *bytes = malloc(size + 1);

	if (bytes == NULL)
		return error_set_memory(error);
	memcpy(bytes, content->bytes, size);
	wanted->file.number = (uint32_t)f->set.count;
	return passage_set_add(&f->set, bytes, size, error);
}

static int note_queried(struct queried_passages *found, const struct find_file *file,
			struct simhash_error *error)
{
	if (!file->is_stream)
		return hash_set_add(&found->queried, file->path_hash, error);
	found->has_stream = true;
	return 0;
}

/*
 * Read requested files from `first` on, as many as can be searched together. Returns the number of
 * the next one. The files that cannot be read are left out.
 */
static int read_wanted(struct passage_finder *f, struct wanted *wanted, size_t count, size_t *first,
		       struct simhash_error *error)
{
	struct content_cache cache;
	uint64_t device, inode;
	int status = 0;

	content_cache_init(&cache, &f->sink, f->finder->request->sandbox, &f->first_error);
	for (size_t i = *first; i < count; i++) {
		wanted[i].file.number = (uint32_t)i;
		wanted[i].file.copies = NULL;
		content_cache_locate(&cache, &wanted[i].file, &device, &inode);
	}
	status = content_cache_link(&cache, error);
	f->wanted = wanted + *first;
	f->wanted_count = 0;
	for (; status == 0 && *first < count && f->set.texts.shingle_count < SHINGLES_MAX &&
	       f->set.contents.shingle_count < SHINGLES_MAX;
	     ++*first) {
		struct loaded *content = content_cache_take(&cache, &wanted[*first].file,
							    is_document_text(&wanted[*first].file));
		if (content == NULL)
			continue;
		/* A short text with very much white space is not loaded. */
		if (content->bytes != NULL) {
			f->wanted[f->wanted_count] = wanted[*first];
			status = add_passage(f, &f->wanted[f->wanted_count++], content, error);
			if (status == 0)
				status = note_queried(f->found, &wanted[*first].file, error);
		}
		content_cache_return(&cache, content);
	}
	content_cache_release(&cache);
	if (status == 0 && first_error_is_set(&f->first_error))
		status = -1;
	return status == 0 ? passage_set_end(&f->set, error) : -1;
}

/* ---- The files to read ---- */

static int add_file(struct passage_finder *f, const struct find_file *file,
		    struct simhash_error *error)
{
	size_t size = sizeof *file + file->display_size + 1;
	struct find_file *copy = arena_take(&f->arena, size);

	if (copy == NULL)
		return error_set_memory(error);
	if (array_reserve(&f->files, &f->capacity, f->count + 1, sizeof(struct find_file *),
			  error) != 0)
		return -1;
	*copy = *file;
	copy->display = memcpy(copy + 1, file->display, (size_t)file->display_size + 1);
	f->files[f->count++] = copy;
	return 0;
}

/* Is it the content of a file? Such contents are read through the cache, after all others. */
static bool is_inside(const struct find_file *file)
{
	return row_is_inside(file->compressed_size_bytes) || file->compressed_size_bytes > 0 ||
	       is_document_text(file);
}

static int compare_files(const void *a, const void *b)
{
	const struct find_file *x = *(struct find_file *const *)a,
			       *y = *(struct find_file *const *)b;

	if (is_inside(x) != is_inside(y))
		return is_inside(x) ? 1 : -1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return find_file_compare(x, y);
}

/* ---- Searching a file ---- */

/* Describe that this share of the requested file is in one place of the other file. */
static struct relation relate(const struct find_file *queried, const struct find_file *file,
			      double share)
{
	int64_t x = resemblance_size(&queried->sketch, queried->size_bytes);
	int64_t y = resemblance_size(&file->sketch, file->size_bytes);
	double both = share * (double)x, of_file = both / (double)y;
	double all = (double)x + (double)y - both;
	struct relation relation = {.distance = simhash_distance(&queried->table, &file->table),
				    .verification = PAIR_READ,
				    .is_part = sizes_differ_clearly(x, y),
				    .contained_a = share,
				    .contained_b = of_file < 1 ? of_file : 1,
				    .resemblance = all > both ? both / all : 1};

	return relation;
}

/* Add a pair to the found ones. */
static int add_found(struct passage_finder *f, const struct find_file *queried,
		     const struct find_file *file, const struct relation *relation,
		     const struct part_place *place, struct simhash_error *error)
{
	struct queried_passages *found = f->found;
	char *names[2] = {arena_take(&found->arena, (size_t)queried->display_size + 1),
			  arena_take(&found->arena, (size_t)file->display_size + 1)};
	struct found_passage *item;

	if (names[0] == NULL || names[1] == NULL)
		return error_set_memory(error);
	if (array_reserve(&found->items, &found->capacity, found->count + 1, sizeof *found->items,
			  error) != 0)
		return -1;
	item = &found->items[found->count++];
	*item = (struct found_passage){*queried, *file, *relation, *place, false};
	item->queried.display =
		memcpy(names[0], queried->display, (size_t)queried->display_size + 1);
	item->file.display = memcpy(names[1], file->display, (size_t)file->display_size + 1);
	return 0;
}

/* A pair that the hashes or the sketches know is left to them. */
static bool is_known_otherwise(const struct find_file *queried, const struct find_file *file)
{
	return queried_is_itself(queried, file) || has_same_content(queried, file) ||
	       simhash_resemblance_same_text(&queried->sketch, &file->sketch);
}

static int take_passage(struct passage_finder *f, struct passage_search *search,
			const struct find_file *queried, const struct find_file *file,
			struct simhash_error *error)
{
	const struct verify_rule *rule = &f->finder->request->rule.verify;
	double min_share = rule->min_resemblance < 0 ? READ_MIN_RESEMBLANCE : rule->min_resemblance;
	struct part_place place;
	struct relation relation;
	double share;
	int status;

	if (rule->same_extension && queried->extension_hash != file->extension_hash)
		return 0;
	status = passage_search_place(search, queried->number, &place, &share, error);
	if (status != 1 || share < min_share || is_known_otherwise(queried, file))
		return status < 0 ? -1 : 0;
	relation = relate(queried, file, share);
	if (!pair_is_wanted(f->finder->request, &relation))
		return 0;
	pthread_mutex_lock(&f->lock);
	status = add_found(f, queried, file, &relation, &place, error);
	pthread_mutex_unlock(&f->lock);
	if (status == 0 && f->finder->resources->progress != NULL)
		atomic_fetch_add(&f->finder->resources->progress->pairs, 1);
	return status;
}

static int search_source(struct passage_finder *f, struct passage_search *search,
			 const struct find_file *file, struct cover_source *source,
			 struct simhash_error *error)
{
	int status = passage_search_run(search, source, error);

	for (size_t i = 0; status == 0 && source->failed == 0 && i < f->wanted_count; i++)
		status = take_passage(f, search, &f->wanted[i].file, file, error);
	if (status == 0 && source->failed != 0)
		f->sink.unconfirmed(f->sink.context, file, source->failed > 0 ? source->failed : 0);
	return status;
}

static int search_file(struct passage_finder *f, struct passage_search *search,
		       const struct find_file *file, struct simhash_error *error)
{
	struct cover_source source = {.size = (size_t)file->size_bytes};
	struct stat opened;
	int why, status;

	source.fd = reopen_file(file, &opened, &why);
	if (source.fd < 0) {
		f->sink.unconfirmed(f->sink.context, file, why);
		return 0;
	}
	status = search_source(f, search, file, &source, error);
	close_content(source.fd);
	return status;
}

/* The same for a member of an archive, the content of a gzip file, or the text of a document. */
static int search_inside(struct passage_finder *f, struct passage_search *search,
			 const struct find_file *file, struct simhash_error *error)
{
	struct loaded *content = content_cache_take(&f->cache, file, is_document_text(file));
	struct cover_source source;
	int status = 0;

	if (content == NULL)
		return 0;
	if (content_open(&f->cache, content, &source))
		status = search_source(f, search, file, &source, error);
	content_close(&source);
	content_cache_return(&f->cache, content);
	return status;
}

static void *run_search(void *context)
{
	struct passage_finder *f = context;
	struct find_progress *progress = f->finder->resources->progress;
	struct passage_search search;
	struct simhash_error error;
	int status = passage_search_init(&search, &f->set, &error);

	while (status == 0 && !first_error_is_set(&f->first_error)) {
		size_t next = atomic_fetch_add(&f->next, 1);
		if (next >= f->count)
			break;
		status = is_inside(f->files[next])
				 ? search_inside(f, &search, f->files[next], &error)
				 : search_file(f, &search, f->files[next], &error);
		if (progress != NULL)
			atomic_fetch_add(&progress->read, 1);
	}
	if (status != 0)
		first_error_set(&f->first_error, &error);
	passage_search_release(&search);
	return NULL;
}

/* Read the files that were collected. */
static int search_files(struct passage_finder *f, struct simhash_error *error)
{
	const struct find_resources *resources = f->finder->resources;
	uint64_t device, inode;
	int status = 0;

	if (f->count > 1)
		qsort(f->files, f->count, sizeof(struct find_file *), compare_files);
	content_cache_init(&f->cache, &f->sink, f->finder->request->sandbox, &f->first_error);
	for (size_t i = 0; i < f->count; i++) {
		f->files[i]->number = (uint32_t)i;
		if (is_inside(f->files[i]))
			content_cache_locate(&f->cache, f->files[i], &device, &inode);
	}
	if (resources->progress != NULL)
		atomic_fetch_add(&resources->progress->to_read, (long long)f->count);
	status = content_cache_link(&f->cache, error);
	atomic_store(&f->next, 0);
	if (status == 0)
		threads_run(resources->threads, run_search, f, 0);
	content_cache_release(&f->cache);
	f->count = 0;
	arena_clear(&f->arena);
	return status != 0 || first_error_is_set(&f->first_error) ? -1 : 0;
}

/* ---- All files ---- */

/* A passage must fit into a file, whose text may be compared by its normal form. */
static int64_t smallest_size(const struct passage_finder *f)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < f->set.count; i++) {
		int64_t size = (int64_t)passage_form_size(&f->set.forms[i]);
		least = size < least ? size : least;
	}
	return least / 4;
}

static int64_t rows_at_once(const struct passage_finder *f)
{
	return (int64_t)(finder_memory(f->finder) / MEMORY_SHARE / FILE_BYTES) + 1;
}

/*
 * Collect files from the next rows, and set *read to their number. The rows are read before the
 * files, because a server does not wait for long while the files are read.
 */
static int collect_files(struct passage_finder *f, uint8_t after[PATH_HASH_SIZE], bool is_first,
			 int64_t *read, struct simhash_error *error)
{
	int64_t smallest = smallest_size(f), most = rows_at_once(f);
	const struct queried_key *near;
	struct queried_rows rows;
	struct find_file file;
	size_t count;
	int status =
		queried_rows_begin_after(&rows, f->finder, is_first ? NULL : after, most, error);

	while (status == 0 && (status = queried_rows_next(&rows, &file, &near, &count, error)) == 1)
		status = file.lacks_text || find_file_bytes(&file) < smallest
				 ? 0
				 : add_file(f, &file, error);
	*read = rows.read;
	memcpy(after, rows.last, PATH_HASH_SIZE);
	queried_rows_end(&rows);
	return status;
}

/* Search all files, and count the files of other hosts. */
static int search_all(struct passage_finder *f, struct simhash_error *error)
{
	uint8_t after[PATH_HASH_SIZE];
	int64_t read = rows_at_once(f), all = 0, rows = 0;
	int status = 0;

	while (status == 0 && read == rows_at_once(f)) {
		status = collect_files(f, after, all == 0, &read, error);
		all += read;
		if (status == 0)
			status = search_files(f, error);
	}
	if (status == 0 && f->finder->request->below_count == 0)
		status = store_count_rows(f->finder->store, f->finder->tag_set, &rows, error);
	f->found->counts.elsewhere = rows > all ? (uint64_t)(rows - all) : 0;
	return status;
}

/* Sorts by file, then by requested file. */
static int compare_found(const void *a, const void *b)
{
	const struct found_passage *x = a, *y = b;
	int order;

	if (x->file.host != y->file.host)
		return x->file.host < y->file.host ? -1 : 1;
	order = memcmp(x->file.path_hash, y->file.path_hash, PATH_HASH_SIZE);
	return order != 0 ? order : find_file_compare(&x->queried, &y->queried);
}

static int search_in_turns(struct passage_finder *f, struct wanted *wanted, size_t count,
			   struct simhash_error *error)
{
	int status = 0;

	for (size_t first = 0; status == 0 && first < count;) {
		status = read_wanted(f, wanted, count, &first, error);
		if (status == 0 && f->set.count > 0)
			status = search_all(f, error);
		passage_set_release(&f->set);
	}
	return status;
}

static bool reads_passages(const struct find_request *request)
{
	return request->rule.verify.mode >= VERIFY_READ && verify_proposes(&request->rule.verify) &&
	       request->measure == NULL && request->nearest == 0 &&
	       (request->kinds == 0 || (request->kinds & (PAIRS_PARTS | PAIRS_SIMILAR)) != 0);
}

int queried_passages_find(struct queried_passages *passages, const struct queried_file *files,
			  size_t count, const struct finder *finder, struct simhash_error *error)
{
	struct find_progress *progress = finder->resources->progress;
	struct passage_finder f = {.found = passages, .finder = finder};
	struct wanted *wanted;
	size_t wanted_count = 0;
	int status;

	passages->queried.width = passages->unsearched.width = PATH_HASH_SIZE;
	for (size_t i = 0; i < count; i++)
		passages->counts.brief += queried_is_short(&files[i]);
	if (!reads_passages(finder->request) || finder->tag_set == 0 || finder->local_host == 0)
		return 0;
	wanted = calloc(count + 1, sizeof *wanted);
	if (wanted == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < count; i++)
		if (queried_is_short(&files[i]) &&
		    (!files[i].file.is_stream || finder->request->rereads_stdin))
			wanted[wanted_count++] = (struct wanted){&files[i], files[i].file};
	f.sink = (struct find_sink){.context = &f, .unconfirmed = report_unsearched};
	first_error_init(&f.first_error, error);
	pthread_mutex_init(&f.lock, NULL);
	if (progress != NULL)
		atomic_store(&progress->is_reading, true);
	status = search_in_turns(&f, wanted, wanted_count, error);
	if (progress != NULL) {
		atomic_store(&progress->is_reading, false);
		/* They are counted again when they are reported. */
		atomic_fetch_sub(&progress->pairs, (long long)passages->count);
	}
	if (status == 0 && (hash_set_sort(&passages->queried, error) != 0 ||
			    hash_set_sort(&passages->unsearched, error) != 0))
		status = -1;
	if (passages->count > 1)
		qsort(passages->items, passages->count, sizeof *passages->items, compare_found);
	pthread_mutex_destroy(&f.lock);
	arena_release(&f.arena);
	free(f.files);
	free(wanted);
	return status;
}

/* ---- The found passages ---- */

static int compare_to_found(const void *key, const void *item)
{
	const struct find_file *file = key;
	const struct found_passage *found = item;

	if (file->host != found->file.host)
		return file->host < found->file.host ? -1 : 1;
	return memcmp(file->path_hash, found->file.path_hash, PATH_HASH_SIZE);
}

/* Was this file searched for the requested one? */
static bool was_searched(const struct queried_passages *passages, const struct find_file *queried,
			 const struct find_file *file)
{
	bool is_passage = queried->is_stream ? passages->has_stream
					     : hash_set_has(&passages->queried, queried->path_hash);

	return is_passage && file->is_local && !file->lacks_text && !queried->lacks_text &&
	       !hash_set_has(&passages->unsearched, file->path_hash);
}

/* Do only the pieces say that the requested file is a part? */
static bool is_estimated_part(const struct relation *relation)
{
	return relation->is_part && relation->verification == PAIR_SKETCH &&
	       relation->contained_a >= relation->contained_b;
}

bool queried_passages_take(struct queried_passages *passages, const struct file_pair *pair)
{
	const struct found_passage *end;
	struct found_passage *found;

	if (is_estimated_part(&pair->relation) && was_searched(passages, pair->a, pair->b))
		return true;
	if (passages->count == 0)
		return false;
	end = passages->items + passages->count;
	found = bsearch(pair->b, passages->items, passages->count, sizeof *passages->items,
			compare_to_found);
	if (found == NULL)
		return false;
	while (found > passages->items && compare_to_found(pair->b, found - 1) == 0)
		found--;
	for (; found < end && compare_to_found(pair->b, found) == 0; found++) {
		if (find_file_compare(pair->a, &found->queried) != 0 ||
		    found->file.document_bytes != pair->b->document_bytes)
			continue;
		if (found->relation.is_part && pair->relation.verification != PAIR_TEXT)
			return true;
		found->is_known = true;
	}
	return false;
}

const struct found_passage *queried_passages_next(struct queried_passages *passages)
{
	while (passages->next < passages->count)
		if (!passages->items[passages->next++].is_known)
			return &passages->items[passages->next - 1];
	return NULL;
}

void queried_passages_release(struct queried_passages *passages)
{
	hash_set_release(&passages->queried);
	hash_set_release(&passages->unsearched);
	arena_release(&passages->arena);
	free(passages->items);
	*passages = (struct queried_passages){.items = NULL};
}
