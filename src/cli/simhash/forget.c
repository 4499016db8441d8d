/*
 * Implements simhash --forget: removes the rows of files, or all sketches of a measure, from an
 * index. store/write/forget.c decides which rows belong to a path.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/path.h"
#include "cli/options/options.h"
#include "cli/simhash/tasks.h"
#include "cli/terminal/terminal.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/open/store.h"
#include "store/write/forget.h"
#include "store/write/sketch_table.h"

/* The rows to remove. */
struct forgetting {
	struct store *store;
	int64_t tag_set, host;
	bool is_elsewhere; /* on another host, whose files cannot be examined */
};

static int forget_at(const struct forgetting *f, char *path, int64_t *removed,
		     struct simhash_error *error)
{
	size_t size = strlen(path);

	while (size > 1 && path[size - 1] == '/')
		path[--size] = '\0';
	return forget_path(f->store, f->tag_set, f->host, path, removed, error);
}

static int forget_one(const struct forgetting *f, const char *named, int64_t *removed,
		      struct simhash_error *error)
{
	char *path = f->is_elsewhere && named[0] == '/' ? strdup(named) : path_absolute(named);
	int64_t rows = 0;
	int status;

	if (named[0] == '\0' || path == NULL) {
		free(path);
		if (named[0] == '\0')
			errno = ENOENT;
		return error_set_errno(error, "--forget: cannot resolve path '%s'", named);
	}
	status = forget_at(f, path, &rows, error);
	/* Use the path of a link itself or, if it is not in the index, the path of its target. */
	if (status == 0 && rows == 0 && !f->is_elsewhere) {
		char *resolved = realpath(path, NULL);
		if (resolved != NULL && strcmp(resolved, path) != 0)
			status = forget_at(f, resolved, &rows, error);
		free(resolved);
	}
	if (status == 0 && rows == 0)
		status = error_set(error, SIMHASH_E_RANGE, "the index has no files at or below %s",
				   path);
	*removed += rows;
	free(path);
	return status;
}

/* The tag set whose rows are removed; 0 means all tag sets. */
static int choose_forgotten(const struct index_arguments *arguments, struct forgetting *f,
			    struct simhash_error *error)
{
	struct simhash_tag_set *set;
	int status;

	if (arguments->tag_file == NULL)
		return 0;
	if (choose_tag_set(arguments->tag_file, &set, error) != 0)
		return -1;
	status = store_tag_set_id(f->store, set, false, &f->tag_set, error);
	if (status == 0 && f->tag_set == 0)
		status = error_set(error, SIMHASH_E_RANGE, "the index has no files of tag set '%s'",
				   simhash_tag_set_name(set));
	simhash_tag_set_free(set);
	return status;
}

/* `text` is the measure as --status shows it, or as it was given to --measure. */
static int forget_measure(const struct forgetting *f, const char *text, int64_t *removed,
			  struct simhash_error *error)
{
	struct simhash_measure *measure = NULL;
	struct simhash_error ignored;
	struct name_list measures;
	int64_t id;
	int status;

	if (store_read_measures(f->store, &measures, error) != 0)
		return -1;
	id = name_list_id(&measures, text);
	if (id == 0 && measure_option_parse(text, &measure, &ignored) == 0)
		id = name_list_id(&measures, simhash_measure_text(measure));
	if (id == 0)
		status = error_set(
			error, SIMHASH_E_RANGE,
			"the index has no measure '%s'; simhash --status lists its measures", text);
	else
		status = store_remove_measure(f->store, id, removed, error);
	simhash_measure_free(measure);
	name_list_release(&measures);
	return status;
}

/* Remove the rows of files by their paths. */
static int forget_files(struct forgetting *f, const struct index_arguments *arguments,
			const char *host, int64_t *removed, struct simhash_error *error)
{
	int status = 0;

	if (store_host_id(f->store, host, false, &f->host, error) != 0 ||
	    choose_forgotten(arguments, f, error) != 0)
		return -1;
	if (f->host == 0)
		return error_set(error, SIMHASH_E_RANGE, "the index has no files of host '%s'",
				 host);
	for (unsigned i = 0; status == 0 && i < arguments->request.path_count; i++)
		status = forget_one(f, arguments->request.paths[i], removed, error);
	return status;
}

int forget(const struct index_arguments *arguments, struct simhash_error *error)
{
	struct forgetting f = {.is_elsewhere = arguments->host != NULL};
	struct store_location where = arguments->request.location;
	const char *measure = arguments->measure_text;
	char host[HOST_NAME_SIZE], *url = NULL, count[32];
	int64_t removed = 0;
	int status = -1;

	if (choose_host(arguments->host, host, error) != 0 ||
	    choose_database(where.url, false, &url, error) != 0)
		goto out;
	where.url = url;
	/* Opening for writing would create a missing index. */
	if (store_open(&where, OPEN_TO_READ, &f.store, error) != 0)
		goto out;
	store_close(f.store);
	where.warning = NULL;
	if (store_open(&where, OPEN_TO_WRITE, &f.store, error) != 0)
		goto out;
	status = measure != NULL ? forget_measure(&f, measure, &removed, error)
				 : forget_files(&f, arguments, host, &removed, error);
	if (!arguments->quiet && removed > 0)
		fprintf(stderr, "%s removed\n", format_count((uint64_t)removed, count));
out:
	store_close(f.store);
	free(url);
	return status;
}
