/*
 * One file against the index: a range query by its key (paper, 4.2). The file
 * is scanned now, so it need not be in the index; a row of its own is not
 * reported. Two files that are both asked for are reported once.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/error.h"
#include "find/find.h"
#include "index/pair_set.h"
#include "index/scan_file.h"

struct query {
	struct finder *finder;
	struct file_scanner scanner;
	struct candidate *file;	  /* the one being asked for */
	struct pair_set asked;	  /* hashes of all paths asked for so far and to come */
	struct pair_set reported; /* pairs of two such paths, as two hashes */
};

static uint64_t hash_path(const char *path)
{
	return XXH3_64bits(path, strlen(path));
}

/* Is this a pair of two files asked for that was reported already? Notes it if not. */
static int is_repeated(struct query *query, const struct candidate *other)
{
	uint64_t x = hash_path(query->file->path), y = hash_path(other->path);
	int added;

	if (other->host != query->finder->local_host ||
	    !pair_set_has(&query->asked, (struct pair){y, 0}))
		return 0;
	added = pair_set_add(&query->reported, x < y ? (struct pair){x, y} : (struct pair){y, x});
	return added < 0 ? -1 : added == 0;
}

static int query_row(void *context, const struct file_row *row, struct simhash_error *error)
{
	struct query *query = context;
	struct finder *finder = query->finder;
	struct candidate *other = candidate_new(finder, row);
	uint64_t distance;
	int status = 0, repeated;

	if (other == NULL)
		return error_set_memory(error);
	finder->counts.rows++;
	if ((other->host != query->file->host || strcmp(other->path, query->file->path) != 0) &&
	    candidates_match(finder, query->file, other, &distance)) {
		repeated = is_repeated(query, other);
		other->content_class = ++finder->classes;
		if (repeated < 0)
			status = error_set_memory(error);
		else if (repeated == 0)
			status = finder_report(finder, query->file, other, distance, error);
	}
	free(other);
	return status;
}

/* The file as a row of this host; NULL with errno when it cannot be read. */
static struct candidate *scan_query(struct query *query, const char *path,
				    struct simhash_error *error)
{
	const char *slash = strrchr(path, '/');
	struct file_row row = {.host = query->finder->local_host};
	struct candidate *made;

	row.directory = (struct bytes){path, slash == path ? 1 : (size_t)(slash - path)};
	row.name = (struct bytes){slash + 1, strlen(slash + 1)};
	switch (scan_file(&query->scanner, AT_FDCWD, path, NULL, &row)) {
	case SCAN_DONE:
		break;
	case SCAN_GONE:
		errno = EISDIR; /* realpath found it, so it is there, and is no file */
		return NULL;
	case SCAN_FAILED:
	case SCAN_OWN:
	case SCAN_STOPPED:
	default:
		return NULL;
	}
	made = candidate_new(query->finder, &row);
	if (made == NULL)
		error_set_memory(error);
	return made;
}

static int query_file(struct query *query, const char *path, struct simhash_error *error)
{
	struct finder *finder = query->finder;
	const struct simhash_tolerance *tolerance = &finder->options->tolerance;
	struct key_range range = {.tag_set = finder->tag_set, .key = finder->options->key};
	int64_t reach;
	int status = 0;

	errno = 0;
	error->code = SIMHASH_E_NONE;
	query->file = scan_query(query, path, error);
	if (query->file == NULL && error->code == SIMHASH_E_MEMORY)
		return -1;
	if (query->file == NULL) {
		finder->options->unreadable(finder->options->context,
					    (struct bytes){path, strlen(path)}, errno, true);
		return 0;
	}
	if (query->file->size_bytes > 0 || finder->options->with_empty) {
		reach = simhash_key_reach(
			tolerance, simhash_largest_partner(tolerance, query->file->size_bytes));
		range.low = query->file->key - reach;
		range.high = query->file->key > INT64_MAX - reach ? INT64_MAX
								  : query->file->key + reach;
		range.with_empty = finder->options->with_empty;
		confirm_begin(finder, query->file);
		status = store_read_keys(finder->store, &range, query_row, query, error);
	}
	free(query->file);
	return status;
}

static int query_paths(struct query *query, char *const *paths, char **resolved, size_t count,
		       struct simhash_error *error)
{
	const struct find_options *options = query->finder->options;

	for (size_t i = 0; i < count; i++) {
		int added;
		resolved[i] = realpath(paths[i], NULL);
		if (resolved[i] == NULL) {
			options->unreadable(options->context,
					    (struct bytes){paths[i], strlen(paths[i])}, errno,
					    true);
			continue;
		}
		added = pair_set_add(&query->asked, (struct pair){hash_path(resolved[i]), 0});
		if (added < 0)
			return error_set_memory(error);
		if (added == 0) { /* named twice */
			free(resolved[i]);
			resolved[i] = NULL;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (resolved[i] != NULL && query_file(query, resolved[i], error) != 0)
			return -1;
	return 0;
}

int finder_files(struct finder *finder, char *const *paths, size_t count,
		 struct simhash_error *error)
{
	static const atomic_bool never_stop;
	struct query query = {.finder = finder};
	char **resolved;
	int status;

	if (file_scanner_init(&query.scanner, finder->options->tags, true, &never_stop, error) != 0)
		return -1;
	resolved = calloc(count, sizeof *resolved);
	status = resolved == NULL ? error_set_memory(error)
				  : query_paths(&query, paths, resolved, count, error);
	for (size_t i = 0; resolved != NULL && i < count; i++)
		free(resolved[i]);
	free(resolved);
	pair_set_release(&query.reported);
	pair_set_release(&query.asked);
	file_scanner_release(&query.scanner);
	return status;
}
