/*
 * Sorts the contents of archive members by hash, and adds up the bytes that two files share.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs/archive_links.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/array.h"
#include "base/data/slots.h"
#include "base/files/path.h"

#define SHARED_MIN 2 /* members */
#define RESEMBLANCE_MIN (1.0 / 3)
#define PART_MIN 0.8
#define MEMORY_SHARE 8	      /* the share of the memory for contents */
#define MAX ((size_t)1 << 28) /* contents, and pairs of files; a hash table has a limit */
#define COMPARED_MAX 64	      /* a content links a file with so many files after it */

/* A member. */
struct content {
	uint8_t hash[CONTENT_HASH_SIZE];
	uint64_t bytes;
	uint32_t file;
};

/* What two files have in common. */
struct common {
	uint32_t a, b;
	uint64_t bytes, members;
};

struct comparison {
	const struct find_file *files;
	size_t file_count;
	struct content *contents;
	size_t count, capacity, max;
	/* Only contents whose hash has zeros in these bits are kept. */
	uint64_t left_out;
	uint64_t *bytes; /* of the contents of each file */
	struct common *commons;
	size_t common_count, common_capacity;
	struct slots slots; /* numbers of commons */
};

/* ---- Reading ---- */

static bool is_left_out(const struct comparison *comparison, const uint8_t *hash)
{
	uint64_t bits;

	memcpy(&bits, hash, sizeof bits);
	return (bits & comparison->left_out) != 0;
}

/* If memory is full, continue with half of the contents: with the same half of each archive. */
static void leave_out(struct comparison *comparison)
{
	size_t kept = 0;

	comparison->left_out = comparison->left_out << 1 | 1;
	for (size_t i = 0; i < comparison->count; i++)
		if (!is_left_out(comparison, comparison->contents[i].hash))
			comparison->contents[kept++] = comparison->contents[i];
	comparison->count = kept;
}

static int add(struct comparison *comparison, const struct file_row *row, size_t file,
	       struct simhash_error *error)
{
	struct content *content;

	if (comparison->count == comparison->max)
		leave_out(comparison);
	if (is_left_out(comparison, row->content_hash) || comparison->count == comparison->max)
		return 0;
	if (array_reserve(&comparison->contents, &comparison->capacity, comparison->count + 1,
			  sizeof *comparison->contents, error) != 0)
		return -1;
	content = &comparison->contents[comparison->count++];
	*content = (struct content){.bytes = (uint64_t)row->size_bytes, .file = (uint32_t)file};
	memcpy(content->hash, row->content_hash, CONTENT_HASH_SIZE);
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct find_file *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE);
}

/* Return the number of the file that has this directory of members, or the number of all files. */
static size_t find_file_of(const struct comparison *comparison, const struct file_row *row)
{
	char *path = strndup(row->directory.data, row->directory.size - 1);
	struct find_file key = {.host = row->host}, *found;
	uint8_t directory[DIRECTORY_HASH_SIZE];

	if (path == NULL)
		return comparison->file_count;
	directory_hash(path_directory(path), directory);
	path_hash(directory, bytes_of(path_name(path)), key.path_hash);
	free(path);
	found = bsearch(&key, comparison->files, comparison->file_count, sizeof key,
			compare_places);
	return found == NULL ? comparison->file_count : (size_t)(found - comparison->files);
}

/* The members of an archive inside are compared, and not that archive. */
static bool is_compared(const struct finder *finder, const struct file_row *row)
{
	return is_inside_directory(row->directory) && row->size_bytes > 0 &&
	       !row_is_text(row->contents) && !row_is_archive(row->contents) &&
	       finder_takes(finder, row);
}

static int read_contents(struct comparison *comparison, const struct finder *finder,
			 struct simhash_error *error)
{
	struct file_row row = {.host = 0};
	uint8_t before[DIRECTORY_HASH_SIZE] = {0}, directory[DIRECTORY_HASH_SIZE];
	size_t file = comparison->file_count;
	struct row_cursor cursor;
	int64_t host = 0;
	int status;

	if (rows_begin(&cursor, finder->store, TAKING_COLUMNS, NOT_KEPT, error,
		       " FROM file f WHERE +f.tag_set = ? AND f.compressed_size > 0") != 0)
		return -1;
	query_bind_integer(&cursor.query, finder->tag_set);
	while ((status = store_rows_next(&cursor, &row, error)) == 1) {
		if (!is_compared(finder, &row))
			continue;
		directory_hash(row.directory, directory);
		if (host != row.host || memcmp(before, directory, sizeof before) != 0)
			file = find_file_of(comparison, &row);
		host = row.host;
		memcpy(before, directory, sizeof before);
		if (file < comparison->file_count && add(comparison, &row, file, error) != 0) {
			status = -1;
			break;
		}
	}
	store_rows_end(&cursor);
	return status;
}

/* ---- Comparing ---- */

static int compare_contents(const void *a, const void *b)
{
	const struct content *x = a, *y = b;
	int order = memcmp(x->hash, y->hash, CONTENT_HASH_SIZE);

	return order != 0 ? order : (x->file > y->file) - (x->file < y->file);
}

/* Sort the contents, and keep one of several equal members of a file. */
static void sort(struct comparison *comparison)
{
	struct content *contents = comparison->contents;
	size_t kept = 0;

	if (comparison->count > 1)
		qsort(contents, comparison->count, sizeof *contents, compare_contents);
	for (size_t i = 0; i < comparison->count; i++) {
		if (kept > 0 && compare_contents(&contents[kept - 1], &contents[i]) == 0)
			continue;
		comparison->bytes[contents[i].file] += contents[i].bytes;
		contents[kept++] = contents[i];
	}
	comparison->count = kept;
}

struct key {
	const struct comparison *comparison;
	uint32_t a, b;
};

static bool is_same(const void *key, uint32_t number)
{
	const struct key *wanted = key;
	const struct common *common = &wanted->comparison->commons[number - 1];

	return common->a == wanted->a && common->b == wanted->b;
}

static int add_common(struct comparison *comparison, const struct content *x,
		      const struct content *y, struct simhash_error *error)
{
	struct key key = {comparison, x->file, y->file};
	uint64_t hash = hash_seeded(x->file, y->file);
	struct common *common;
	struct slot *slot;

	if (slots_reserve(&comparison->slots, error) != 0 ||
	    array_reserve(&comparison->commons, &comparison->common_capacity,
			  comparison->common_count + 1, sizeof *comparison->commons, error) != 0)
		return -1;
	slot = slots_find(&comparison->slots, hash, is_same, &key);
	if (slot->number == NO_ITEM) {
		comparison->commons[comparison->common_count++] =
			(struct common){.a = x->file, .b = y->file};
		slots_add(&comparison->slots, slot, hash, (uint32_t)comparison->common_count);
	}
	common = &comparison->commons[slot->number - 1];
	common->bytes += x->bytes;
	common->members++;
	return 0;
}

static int compare(struct comparison *comparison, struct simhash_error *error)
{
	const struct content *contents = comparison->contents;

	for (size_t i = 0; i < comparison->count; i++)
		for (size_t k = i + 1;
		     k < comparison->count && k <= i + COMPARED_MAX &&
		     memcmp(contents[i].hash, contents[k].hash, CONTENT_HASH_SIZE) == 0;
		     k++)
			if (comparison->common_count < comparison->max &&
			    add_common(comparison, &contents[i], &contents[k], error) != 0)
				return -1;
	return 0;
}

/* ---- Links ---- */

static int compare_links(const void *a, const void *b)
{
	const struct archive_link *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

static int link_files(struct archive_links *links, const struct comparison *comparison,
		      struct simhash_error *error)
{
	for (size_t i = 0; i < comparison->common_count; i++) {
		const struct common *common = &comparison->commons[i];
		double bytes = (double)common->bytes;
		double a = (double)comparison->bytes[common->a];
		double b = (double)comparison->bytes[common->b];
		struct relation relation = {.verification = PAIR_SKETCH,
					    .resemblance = bytes / (a + b - bytes),
					    .contained_a = bytes / a,
					    .contained_b = bytes / b};
		double contained = relation.contained_a > relation.contained_b
					   ? relation.contained_a
					   : relation.contained_b;

		relation.is_part = relation.resemblance < RESEMBLANCE_MIN;
		if (common->members < SHARED_MIN || (relation.is_part && contained < PART_MIN))
			continue;
		if (array_reserve(&links->items, &links->capacity, links->count + 1,
				  sizeof *links->items, error) != 0)
			return -1;
		links->items[links->count++] =
			(struct archive_link){common->a, common->b, relation, false};
	}
	if (links->count > 1)
		qsort(links->items, links->count, sizeof *links->items, compare_links);
	return 0;
}

int archive_links_find(struct archive_links *links, const struct finder *finder,
		       const struct find_file *files, size_t count, struct simhash_error *error)
{
	struct comparison comparison = {.files = files,
					.file_count = count,
					.max = finder_memory(finder) / MEMORY_SHARE /
					       sizeof(struct content),
					.bytes = calloc(count + 1, sizeof *comparison.bytes)};
	int status = -1;

	if (comparison.max > MAX)
		comparison.max = MAX;
	if (comparison.bytes == NULL)
		error_set_memory(error);
	else if (read_contents(&comparison, finder, error) == 0) {
		sort(&comparison);
		status = compare(&comparison, error);
		if (status == 0)
			status = link_files(links, &comparison, error);
	}
	free(comparison.bytes);
	free(comparison.contents);
	free(comparison.commons);
	slots_release(&comparison.slots);
	return status;
}

void archive_links_release(struct archive_links *links)
{
	free(links->items);
	*links = (struct archive_links){.items = NULL};
}

bool archive_links_has(const struct archive_links *links, size_t x, size_t y)
{
	struct archive_link key = {.a = (uint32_t)(x < y ? x : y), .b = (uint32_t)(x < y ? y : x)};

	return links->count > 0 &&
	       bsearch(&key, links->items, links->count, sizeof key, compare_links) != NULL;
}
