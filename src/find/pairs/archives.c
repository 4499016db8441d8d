/*
 * Reads archives, sorts them by host and path hash, and compares the archives around two members.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs/archives.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "find/pairs/archive_links.h"
#include "find/rule/texts.h"

#define AROUND_MAX 8 /* archives in archives */

struct archives {
	struct find_rule rule; /* its extensions are borrowed */
	/* Sorted by host and path hash. Only files, and not members, have displayed names. */
	struct find_file *items;
	size_t count, capacity;
	struct archive_links links; /* of files that are no pair of the rule */
	struct arena arena;	    /* the displayed names of files */
};

static int compare_places(const void *a, const void *b)
{
	const struct find_file *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE);
}

static int read_all(struct archives *archives, const struct finder *finder,
		    struct simhash_error *error)
{
	const unsigned columns = FINDING_COLUMNS | ROW_KEY(finder->request->rule.key) |
				 ROW_RESEMBLANCE;
	const long long has_members = CONTENTS_HAS_MEMBERS | CONTENTS_IS_ARCHIVE;
	struct file_row row = {.host = 0};
	struct find_file *item;
	struct row_cursor cursor;
	int status;

	if (rows_begin(&cursor, finder->store, columns, NOT_KEPT, error,
		       " FROM file f WHERE +f.tag_set = ? AND (f.contents & %lld) <> 0",
		       has_members) != 0)
		return -1;
	query_bind_integer(&cursor.query, finder->tag_set);
	while ((status = store_rows_next(&cursor, &row, error)) == 1) {
		/* The output of a filter is no member of an archive. */
		if (!row_is_archive(row.contents) || contents_filter(row.contents) != 0 ||
		    !finder_takes(finder, &row))
			continue;
		if (array_reserve(&archives->items, &archives->capacity, archives->count + 1,
				  sizeof *archives->items, error) != 0) {
			status = -1;
			break;
		}
		item = &archives->items[archives->count++];
		if (finder_convert(finder, &row, item, error) != 0 ||
		    (!row_is_inside(row.compressed_size_bytes) &&
		     finder_show(finder, &row, &archives->arena, item, error) != 0)) {
			status = -1;
			break;
		}
	}
	store_rows_end(&cursor);
	return status;
}

static void archives_free(struct archives *archives)
{
	archive_links_release(&archives->links);
	arena_release(&archives->arena);
	free(archives->items);
	free(archives);
}

/*
 * Files are compared by their members only by the default rule, because all other requests name
 * another rule.
 */
static bool compares_members(const struct finder *finder)
{
	const struct find_request *request = finder->request;

	return verify_is_graded(&request->rule.verify) && !request->rule.verify.same_extension &&
	       request->rule.extension_count == 0 && request->rule.candidates == CANDIDATES_EXACT &&
	       !request->has_between && request->measure == NULL && request->parts == 1;
}

/* ---- The archives around a member ---- */

struct around {
	const struct find_file *member;
	const struct find_file *items[AROUND_MAX];
	unsigned count;
	struct bytes outermost; /* the displayed name of the file */
};

static void add(const struct archives *archives, int64_t host, struct bytes directory,
		struct bytes name, struct around *around)
{
	struct find_file key = {.host = host};
	uint8_t hash[DIRECTORY_HASH_SIZE];
	const struct find_file *found;

	directory_hash(directory, hash);
	path_hash(hash, name, key.path_hash);
	found = archives->count == 0 ? NULL
				     : bsearch(&key, archives->items, archives->count, sizeof key,
					       compare_places);
	/* The content of a gzip file is not around itself. */
	if (found != NULL && around->count < AROUND_MAX &&
	    memcmp(found->path_hash, around->member->path_hash, PATH_HASH_SIZE) != 0)
		around->items[around->count++] = found;
}

/* Add the file itself and, for a gzip file, its content. */
static void add_file(const struct archives *archives, int64_t host, struct bytes path,
		     struct around *around)
{
	const char *slash = last_byte(path.data, '/', path.size);
	size_t above = slash == NULL ? 0 : (size_t)(slash - path.data);
	struct bytes directory = {path.data, above == 0 && slash != NULL ? 1 : above};
	struct bytes name = path;
	char *inflated;

	if (slash != NULL)
		name = (struct bytes){slash + 1, path.size - above - 1};
	add(archives, host, directory, name, around);
	inflated = malloc(2 * name.size + 8);
	if (inflated != NULL && (name.size = inflated_name(name, inflated)) > 0) {
		name.data = inflated;
		add(archives, host, directory, name, around);
	}
	free(inflated);
}

static struct around around_of(const struct archives *archives, const struct find_file *file)
{
	const char *path = find_file_path(file);
	size_t size = file->display_size - file->path_offset, outer = 0;
	struct around around = {.member = file};

	for (size_t i = 1; i + 1 < size; i++) {
		if (path[i] != '/' || path[i + 1] != '/')
			continue;
		if (outer == 0) {
			outer = i;
			around.outermost = (struct bytes){file->display, file->path_offset + i};
			add_file(archives, file->host, (struct bytes){path, i}, &around);
		} else {
			add(archives, file->host, (struct bytes){path, outer + 1},
			    (struct bytes){path + outer + 2, i - outer - 2}, &around);
		}
		i++;
	}
	return around;
}

/* Their texts decide, whether or not they are a pair. */
static bool are_documents(const struct find_file *x, const struct find_file *y)
{
	return x->document_bytes > 0 && y->document_bytes > 0;
}

static bool is_any_pair(const struct archives *archives, const struct around *x,
			const struct around *y)
{
	struct relation relation;

	for (unsigned i = 0; i < x->count; i++)
		for (unsigned k = 0; k < y->count; k++)
			if (x->items[i] != y->items[k] &&
			    (are_documents(x->items[i], y->items[k]) ||
			     archive_links_has(&archives->links,
					       (size_t)(x->items[i] - archives->items),
					       (size_t)(y->items[k] - archives->items)) ||
			     rule_matches(&archives->rule, x->items[i], y->items[k], &relation)))
				return true;
	return false;
}

/* The size of its displayed name; for the inflated content of a gzip file, of the name of that file. */
static size_t outer_name_size(const struct find_file *file)
{
	const char *path = find_file_path(file);
	const char *slashes = memmem(path, file->display_size - file->path_offset, "//", 2);

	return slashes == NULL || find_file_member(file).size > 0
		       ? file->display_size
		       : (size_t)(slashes - file->display);
}

bool archive_has_member(const struct find_file *x, const struct find_file *y)
{
	size_t size;

	if (!row_is_inside(y->compressed_size_bytes))
		return false;
	size = outer_name_size(x);
	return y->display_size > size + 2 && memcmp(y->display, x->display, size) == 0 &&
	       memcmp(y->display + size, "//", 2) == 0;
}

/* The same as archives_are_related, also for files; `same`: may they be inside the same file? */
static bool are_related(const struct archives *archives, const struct find_file *x,
			const struct find_file *y, bool same)
{
	struct around around_x, around_y;

	if (archives == NULL || archives->count == 0)
		return false;
	if (archive_has_member(x, y) || archive_has_member(y, x))
		return true;
	if (!row_is_inside(x->compressed_size_bytes) || !row_is_inside(y->compressed_size_bytes))
		return false;
	around_x = around_of(archives, x);
	around_y = around_of(archives, y);
	return (same && bytes_compare(around_x.outermost, around_y.outermost) == 0) ||
	       is_any_pair(archives, &around_x, &around_y);
}

/* ---- Links ---- */

/* Do the files, or the contents of gzip files, match? Then the list has them without a link. */
static bool is_match(const struct archives *archives, const struct find_file *x,
		     const struct find_file *y)
{
	const struct find_file *const files[2] = {x, y};
	struct around around[2] = {{.count = 0}, {.count = 0}};
	struct find_file none = {.host = 0};

	for (int i = 0; i < 2; i++) {
		around[i].member = &none;
		add_file(archives, files[i]->host,
			 (struct bytes){find_file_path(files[i]),
					files[i]->display_size - files[i]->path_offset},
			 &around[i]);
	}
	return is_any_pair(archives, &around[0], &around[1]);
}

static int compare_contents(const void *a, const void *b)
{
	const struct find_file *x = *(const struct find_file *const *)a;
	const struct find_file *y = *(const struct find_file *const *)b;
	int order = memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE);

	return order != 0 ? order : find_file_compare(x, y);
}

/* A copy is listed with its first file, and so are the links of that file. */
static int mark_copies(struct archives *archives, struct archive_links *links,
		       struct simhash_error *error)
{
	const struct find_file **files = malloc((archives->count + 1) * sizeof *files);
	bool *are_copies = calloc(archives->count + 1, sizeof *are_copies);
	size_t count = 0;

	for (size_t i = 0; files != NULL && i < archives->count; i++)
		if (!row_is_inside(archives->items[i].compressed_size_bytes))
			files[count++] = &archives->items[i];
	if (count > 1)
		qsort(files, count, sizeof *files, compare_contents);
	for (size_t i = 1; are_copies != NULL && i < count; i++)
		are_copies[files[i] - archives->items] = has_same_content(files[i - 1], files[i]);
	for (size_t i = 0; are_copies != NULL && i < links->count; i++)
		links->items[i].is_of_copy = are_copies[links->items[i].a] ||
					     are_copies[links->items[i].b];
	count = files != NULL && are_copies != NULL;
	free(files);
	free(are_copies);
	return count > 0 ? 0 : error_set_memory(error);
}

static int link_files(struct archives *archives, const struct finder *finder,
		      struct simhash_error *error)
{
	struct archive_links links = {.items = NULL};
	size_t kept = 0;

	if (archive_links_find(&links, finder, archives->items, archives->count, error) != 0) {
		archive_links_release(&links);
		return -1;
	}
	for (size_t i = 0; i < links.count; i++)
		if (!is_match(archives, &archives->items[links.items[i].a],
			      &archives->items[links.items[i].b]))
			links.items[kept++] = links.items[i];
	links.count = kept;
	archives->links = links;
	return kept == 0 ? 0 : mark_copies(archives, &archives->links, error);
}

int archives_need(struct finder *finder, struct simhash_error *error)
{
	struct archives *archives;

	if (finder->request->folded == FOLD_NOTHING || finder->archives != NULL ||
	    (finder->texts != NULL && !texts_have_archives(finder->texts)))
		return 0;
	archives = calloc(1, sizeof *archives);
	if (archives == NULL)
		return error_set_memory(error);
	finder->archives = archives;
	finder->free_archives = archives_free;
	archives->rule = finder->request->rule;
	if (read_all(archives, finder, error) != 0)
		return -1;
	if (archives->count > 0)
		qsort(archives->items, archives->count, sizeof *archives->items, compare_places);
	return archives->count > 1 && compares_members(finder) ? link_files(archives, finder, error)
							       : 0;
}

bool archives_are_pair(const struct archives *archives, const struct find_file *x,
		       const struct find_file *y)
{
	return are_related(archives, x, y, false);
}

bool archives_are_related(const struct archives *archives, const struct find_file *x,
			  const struct find_file *y)
{
	return are_related(archives, x, y, true);
}

bool archives_next_link(const struct archives *archives, size_t *at, struct file_pair *pair)
{
	const struct archive_link *links = archives == NULL ? NULL : archives->links.items;

	for (; links != NULL && *at < archives->links.count; (*at)++) {
		if (links[*at].is_of_copy)
			continue;
		*pair = (struct file_pair){&archives->items[links[*at].a],
					   &archives->items[links[*at].b], links[*at].relation,
					   NULL};
		(*at)++;
		return true;
	}
	return false;
}
