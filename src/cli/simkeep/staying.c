/*
 * Walks through folders and compares their files with the index.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/staying.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data/array.h"
#include "base/files/entry_reader.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/escape.h"
#include "cli/terminal/terminal.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/open/store.h"
#include "store/rows/known_file.h"

/* A file in a directory, as the index describes it. */
struct known {
	uint8_t hash[PATH_HASH_SIZE];
	int64_t size_bytes, mtime_ns;
};

struct counting {
	struct staying *staying;
	const struct keep_policy *policy;
	struct store *store;
	struct row_scope scope;
	char **pending; /* directories to read */
	size_t count, capacity;
	/* The rows of the current directory, in order of their hashes. */
	struct known *known;
	size_t known_count, known_capacity;
	struct simhash_error *error;
};

static void hash_path(const char *path, uint8_t hash[PATH_HASH_SIZE])
{
	uint8_t directory[DIRECTORY_HASH_SIZE];

	directory_hash(path_directory(path), directory);
	path_hash(directory, bytes_of(path_name(path)), hash);
}

int staying_settle(struct staying *staying, const char *path, struct simhash_error *error)
{
	uint8_t hash[PATH_HASH_SIZE];

	hash_path(path, hash);
	staying->settled.width = PATH_HASH_SIZE;
	return hash_set_add(&staying->settled, hash, error);
}

void staying_release(struct staying *staying)
{
	hash_set_release(&staying->settled);
}

/* ---- One directory ---- */

static int read_rows(struct counting *counting, const char *directory)
{
	uint8_t hash[DIRECTORY_HASH_SIZE];
	struct known_files files;
	struct known_file known;
	int status;

	counting->known_count = 0;
	directory_hash(bytes_of(directory), hash);
	status =
		known_files_begin(&files, counting->store, &counting->scope, hash, counting->error);
	while (status == 0 && (status = known_files_next(&files, &known, counting->error)) == 1) {
		struct known *row;
		status = array_reserve(&counting->known, &counting->known_capacity,
				       counting->known_count + 1, sizeof *counting->known,
				       counting->error);
		if (status != 0)
			break;
		row = &counting->known[counting->known_count++];
		*row = (struct known){.size_bytes = known.size_bytes, .mtime_ns = known.mtime_ns};
		memcpy(row->hash, known.path_hash, PATH_HASH_SIZE);
	}
	known_files_end(&files);
	return status;
}

static bool is_indexed(const struct counting *counting, const uint8_t hash[PATH_HASH_SIZE],
		       const struct stat *status)
{
	const struct known *row = counting->known_count == 0
					  ? NULL
					  : bsearch(hash, counting->known, counting->known_count,
						    sizeof *counting->known, compare_path_hashes);

	return row != NULL && row->size_bytes == status->st_size &&
	       row->mtime_ns == stat_mtime_ns(status);
}

/* Other names of a kept file also stay, and have no act; empty files are no copies. */
static void count_file(struct counting *counting, const char *path, const struct stat *status)
{
	uint8_t hash[PATH_HASH_SIZE];

	hash_path(path, hash);
	if (status->st_size == 0 || hash_set_has(&counting->staying->settled, hash))
		return;
	if (!is_indexed(counting, hash, status))
		counting->staying->unindexed++;
	else
		counting->staying->only_there += status->st_nlink == 1;
}

/* Is the directory kept, protected, or left alone as a whole? */
static bool is_left_out(const struct keep_policy *policy, const char *path)
{
	struct bytes name = bytes_of(path);

	for (size_t i = 0; i < policy->protected_count; i++)
		if (bytes_compare(name, policy->protected[i]) == 0)
			return true;
	for (size_t i = 0; i < policy->rule_count; i++)
		if (policy->rules[i].order == KEEP_IN && strcmp(policy->rules[i].text, path) == 0)
			return true;
	return keep_is_in_tool_tree(name);
}

static int take_entry(struct counting *counting, const char *directory, int fd, const char *name)
{
	struct stat status;
	char *path;

	if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
		counting->staying->unindexed++;
		return 0;
	}
	if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
		return 0;
	path = path_join(bytes_of(directory), bytes_of(name));
	if (path == NULL)
		return -1;
	if (S_ISDIR(status.st_mode) && !is_left_out(counting->policy, path) &&
	    array_reserve(&counting->pending, &counting->capacity, counting->count + 1,
			  sizeof *counting->pending, counting->error) == 0) {
		counting->pending[counting->count++] = path;
		return 0;
	}
	if (S_ISREG(status.st_mode))
		count_file(counting, path, &status);
	free(path);
	return 0;
}

static int read_directory(struct counting *counting, const char *path)
{
	struct entry_reader reader = {0};
	struct entry entry;
	int directory = open_path_directly(path, O_RDONLY | O_DIRECTORY), read = -1, status;

	if (directory < 0) {
		/* A directory that became empty was removed. */
		counting->staying->unreadable += errno != ENOENT;
		return 0;
	}
	status = read_rows(counting, path);
	if (status == 0 && entry_reader_begin(&reader, directory) == 0)
		while (status == 0 && (read = entry_reader_next(&reader, &entry)) == 1)
			status = take_entry(counting, path, directory, entry.name);
	counting->staying->unreadable += read < 0;
	entry_reader_end(&reader);
	entry_reader_release(&reader);
	close(directory);
	return status;
}

/* ---- All directories ---- */

/* Is this a DIR whose copies are removed, apart from the directories of the rules? */
static bool is_given_up(const struct keep_policy *policy, struct bytes tree)
{
	bool has_rule = false;

	for (size_t i = 0; i < policy->protected_count; i++)
		if (path_is_at_or_below(tree, policy->protected[i]))
			return false;
	for (size_t i = 0; i < policy->rule_count; i++) {
		struct bytes kept = bytes_of(policy->rules[i].text);
		if (policy->rules[i].order != KEEP_IN)
			continue;
		has_rule = true;
		if (path_is_at_or_below(tree, kept) || path_is_at_or_below(kept, tree))
			return false;
	}
	return has_rule && tree.size > 0;
}

static int count_tree(struct counting *counting, struct bytes tree)
{
	char *path = strndup(tree.data, tree.size);
	int status = path == NULL ? -1 : read_directory(counting, path);

	free(path);
	while (counting->count > 0) {
		path = counting->pending[--counting->count];
		if (status == 0)
			status = read_directory(counting, path);
		free(path);
	}
	return status;
}

static int find_scope(struct counting *counting, const struct simhash_tag_set *tags,
		      const char *host)
{
	return store_tag_set_id(counting->store, tags, false, &counting->scope.tag_set,
				counting->error) != 0
		       ? -1
		       : store_host_id(counting->store, host, false, &counting->scope.host,
				       counting->error);
}

static bool excludes_files(const struct exclusions *exclusions)
{
	struct limiting_options options = {.count = 0};

	limiting_add_filters(&options, exclusions);
	return options.count > 0;
}

void staying_count(struct staying *staying, const struct keep_policy *policy,
		   const struct keep_arguments *arguments, const char *host)
{
	const struct operands *operands = &arguments->operands;
	struct simhash_error error;
	struct counting counting = {.staying = staying, .policy = policy, .error = &error};
	struct simhash_tag_set *tags = NULL;
	char *url = NULL;
	int status;

	if ((policy->action != ACTION_DELETE && policy->action != ACTION_MOVE) ||
	    excludes_files(&arguments->exclusions) || operands->has_files)
		return;
	staying->settled.width = PATH_HASH_SIZE;
	status = hash_set_sort(&staying->settled, &error);
	for (size_t i = 0; status == 0 && i < operands->below_count; i++) {
		if (!is_given_up(policy, operands->below[i]))
			continue;
		if (counting.store == NULL)
			status = open_chosen_index(&arguments->index, &url, &counting.store,
						   &error) != 0 ||
						 simhash_tag_set_new_default(&tags, &error) != 0
					 ? -1
					 : find_scope(&counting, tags, host);
		if (counting.scope.tag_set == 0)
			break; /* only files by other tag sets, which are not compared here */
		if (status == 0)
			status = count_tree(&counting, operands->below[i]);
	}
	store_close(counting.store);
	simhash_tag_set_free(tags);
	free(counting.pending);
	free(counting.known);
	free(url);
}

void staying_write(FILE *out, const struct staying *staying)
{
	const struct {
		uint64_t count;
		const char *one, *many;
	} parts[] = {{staying->only_there, "file exists only there", "files exist only there"},
		     {staying->unindexed, "file is not in the index", "files are not in the index"},
		     {staying->unreadable, "folder cannot be read", "folders cannot be read"}};
	const char *before = "; stay: ";
	char count[32];

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (parts[i].count == 0)
			continue;
		fprintf(out, "%s%s %s", before, format_count(parts[i].count, count),
			parts[i].count == 1 ? parts[i].one : parts[i].many);
		before = ", ";
	}
}
