/*
 * Walks through folders and compares their files with the index.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/staying.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/files/tree_reader.h"
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

static int read_rows(void *context, const char *directory)
{
	struct counting *counting = context;
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

static int take_entry(void *context, const char *directory, int fd, const struct entry *entry)
{
	struct counting *counting = context;
	struct stat status;
	char *path;
	int enters;

	if (fstatat(fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
		counting->staying->unindexed++;
		return 0;
	}
	if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
		return 0;
	path = path_join(bytes_of(directory), bytes_of(entry->name));
	if (path == NULL)
		return error_set_memory(counting->error);
	enters = S_ISDIR(status.st_mode) && !is_left_out(counting->policy, path);
	if (S_ISREG(status.st_mode))
		count_file(counting, path, &status);
	free(path);
	return enters;
}

/* A directory that became empty was removed. */
static int end_directory(void *context, const char *directory, int system_errno)
{
	struct counting *counting = context;

	(void)directory;
	counting->staying->unreadable += system_errno != 0 && system_errno != ENOENT;
	return 0;
}

/* ---- All directories ---- */

/* Are the copies in this DIR removed, because no rule keeps files in it? */
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
	const struct tree_reader reader = {.context = &counting,
					   .begin = read_rows,
					   .entry = take_entry,
					   .end = end_directory};
	struct simhash_tag_set *tags = NULL;
	char *url = NULL;
	int status;

	if ((policy->action != ACTION_DELETE && policy->action != ACTION_MOVE) ||
	    excludes_files(&arguments->exclusions) || operands->has_files)
		return;
	/* Files whose copies are in this directory stay too, so a number would mislead. */
	for (size_t i = 0; i < policy->rule_count; i++)
		if (policy->rules[i].order == KEEP_IN &&
		    operands_leave_out(operands, bytes_of(policy->rules[i].text)))
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
			status = tree_read(&reader, operands->below[i], &error);
	}
	store_close(counting.store);
	simhash_tag_set_free(tags);
	free(counting.known);
	free(url);
}

void staying_write(FILE *out, const struct staying *staying)
{
	const struct {
		uint64_t count;
		const char *one, *many;
	} parts[] = {
		{staying->only_there, "file without a copy elsewhere",
		 "files without a copy elsewhere"},
		{staying->unindexed, "file that is not in the index",
		 "files that are not in the index"},
		{staying->unreadable, "folder that cannot be read", "folders that cannot be read"}};
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
