/*
 * Counts and reports the paths that could not be read, and stores them until the walk of their root
 * has ended.
 * SPDX-License-Identifier: MIT
 */
#include "index/walk/failures.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "scan/file/container_kind.h"
#include "store/row/file_row.h"

int failures_init(struct failures *failures, unsigned roots, failure_fn *report, void *context,
		  struct simhash_error *error)
{
	*failures = (struct failures){.roots = roots, .report = report, .context = context};
	pthread_mutex_init(&failures->mutex, NULL);
	failures->counts = calloc(roots, sizeof *failures->counts);
	return failures->counts == NULL ? error_set_memory(error) : 0;
}

void failures_release(struct failures *failures)
{
	failures_forget_unread(failures);
	free(failures->unread);
	free(failures->counts);
	pair_set_release(&failures->told);
	pthread_mutex_destroy(&failures->mutex);
}

void failures_report(struct failures *failures, unsigned root, struct bytes path, int system_errno)
{
	atomic_fetch_add(container_is_left_out(system_errno) ? &failures->left_out
							     : &failures->counts[root],
			 1);
	failures->report(failures->context, path, system_errno);
}

void failures_report_once(struct failures *failures, unsigned root, struct bytes path,
			  int system_errno)
{
	static const uint8_t no_directory[DIRECTORY_HASH_SIZE];
	uint8_t hash[PATH_HASH_SIZE];
	struct pair told;
	bool is_new;

	path_hash(no_directory, path, hash);
	memcpy(&told, hash, sizeof told);
	told.second ^= (uint64_t)system_errno;
	pthread_mutex_lock(&failures->mutex);
	is_new = pair_set_add(&failures->told, told) != 0;
	pthread_mutex_unlock(&failures->mutex);
	if (is_new)
		failures_report(failures, root, path, system_errno);
}

void failures_report_text(struct failures *failures, unsigned root, struct bytes path,
			  const char *text)
{
	atomic_fetch_add(&failures->counts[root], 1);
	failures->report_text(failures->context, path, text);
}

/* Takes ownership of the path. */
static void keep(struct failures *failures, char *path)
{
	struct simhash_error error;

	pthread_mutex_lock(&failures->mutex);
	if (path != NULL &&
	    array_reserve(&failures->unread, &failures->unread_capacity, failures->unread_count + 1,
			  sizeof *failures->unread, &error) == 0) {
		failures->unread[failures->unread_count++] = path;
	} else {
		failures->lacks_some = true;
		free(path);
	}
	pthread_mutex_unlock(&failures->mutex);
}

void failures_add_unread(struct failures *failures, unsigned root, struct bytes directory,
			 const char *name, int system_errno)
{
	char *path = name[0] == '\0' ? strndup(directory.data, directory.size)
				     : path_join(directory, bytes_of(name));

	failures_report(failures, root, path == NULL ? directory : bytes_of(path), system_errno);
	keep(failures, path);
}

void failures_add_unentered(struct failures *failures, unsigned root, struct bytes directory,
			    const char *text)
{
	failures_report_text(failures, root, directory, text);
	keep(failures, strndup(directory.data, directory.size));
}

uint64_t failures_total(const struct failures *failures)
{
	uint64_t total = 0;

	for (unsigned i = 0; failures->counts != NULL && i < failures->roots; i++)
		total += atomic_load(&failures->counts[i]);
	return total;
}

bool failures_cover(const struct failures *failures, struct bytes path)
{
	for (size_t i = 0; i < failures->unread_count; i++)
		if (path_is_at_or_below(path, bytes_of(failures->unread[i])))
			return true;
	return false;
}

void failures_forget_unread(struct failures *failures)
{
	while (failures->unread_count > 0)
		free(failures->unread[--failures->unread_count]);
}
