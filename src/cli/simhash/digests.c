/*
 * Implements simhash --export and --import: writes an index as a list of digests, and reads such a
 * list into an index.
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
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal.h"
#include "lists/digest_reader.h"
#include "report/lists/output_file.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/open/store.h"
#include "store/rows/known_file.h"
#include "transfer/digests.h"

#define PROGRAM "simhash"

static int open_index(const struct index_arguments *arguments, enum open_mode mode, char **url,
		      struct store **store, struct simhash_error *error)
{
	struct store_location where = arguments->request.location;

	if (choose_database(where.url, mode != OPEN_TO_READ, url, error) != 0)
		return -1;
	where.url = *url;
	where.stop = &stop_requested;
	where.calls = &server_calls;
	where.disk_calls = &disk_calls;
	return store_open(&where, mode, store, error);
}

/* ---- --export ---- */

/* The absolute paths to export. */
struct tops {
	struct bytes *tops;
	char **paths; /* the same paths, owned */
	size_t count;
};

static void tops_release(struct tops *tops)
{
	for (size_t i = 0; i < tops->count; i++)
		free(tops->paths[i]);
	free(tops->paths);
	free(tops->tops);
}

/* Paths of another host are used unchanged. */
static int resolve_tops(const struct index_arguments *arguments, struct tops *tops,
			struct simhash_error *error)
{
	bool is_elsewhere = arguments->host != NULL;
	unsigned count = arguments->request.path_count;

	tops->tops = calloc(count + 1, sizeof *tops->tops);
	tops->paths = calloc(count + 1, sizeof *tops->paths);
	if (tops->tops == NULL || tops->paths == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < count; i++) {
		const char *named = arguments->request.paths[i];
		char *path = is_elsewhere && named[0] == '/' ? strdup(named) : path_absolute(named);
		size_t size;
		if (path == NULL)
			return error_set_errno(error, "--export: cannot resolve path '%s'", named);
		for (size = strlen(path); size > 1 && path[size - 1] == '/';)
			path[--size] = '\0';
		tops->tops[i] = bytes_of(path);
		tops->paths[tops->count++] = path;
	}
	return 0;
}

/* Report a path that is not in the index: it is misspelt, not mounted, or not indexed yet. */
static int say_not_indexed(const struct index_arguments *arguments, const char *path,
			   struct simhash_error *error)
{
	if (arguments->host == NULL)
		return store_say_not_indexed(bytes_of(path), error);
	return error_set(error, SIMHASH_E_RANGE,
			 "the index has no files of host '%s' at or below %s", arguments->host,
			 path);
}

/* Use the path of a link itself or, if it is not in the index, the path of its target. */
static int find_top(const struct index_arguments *arguments, const struct digests_export *export,
		    char **path, struct simhash_error *error)
{
	char *resolved;
	bool has_rows = false;

	if (store_has_rows_at(export->store, &export->scope, *path, &has_rows, error) != 0)
		return -1;
	if (has_rows)
		return 0;
	resolved = arguments->host == NULL ? realpath(*path, NULL) : NULL;
	if (resolved != NULL && strcmp(resolved, *path) != 0 &&
	    store_has_rows_at(export->store, &export->scope, resolved, &has_rows, error) != 0) {
		free(resolved);
		return -1;
	}
	if (!has_rows) {
		free(resolved);
		return say_not_indexed(arguments, *path, error);
	}
	free(*path);
	*path = resolved;
	return 0;
}

static int find_tops(const struct index_arguments *arguments, const struct digests_export *export,
		     struct tops *tops, struct simhash_error *error)
{
	for (size_t i = 0; i < tops->count; i++) {
		if (find_top(arguments, export, &tops->paths[i], error) != 0)
			return -1;
		tops->tops[i] = bytes_of(tops->paths[i]);
	}
	return 0;
}

static int find_scope(struct store *store, const struct simhash_tag_set *tag_set, const char *host,
		      struct row_scope *scope, struct simhash_error *error)
{
	if (store_tag_set_id(store, tag_set, false, &scope->tag_set, error) != 0 ||
	    store_host_id(store, host, false, &scope->host, error) != 0)
		return -1;
	if (scope->tag_set == 0)
		return error_set(error, SIMHASH_E_RANGE, "the index has no files of tag set '%s'",
				 simhash_tag_set_name(tag_set));
	if (scope->host == 0)
		return error_set(error, SIMHASH_E_RANGE, "the index has no files of host '%s'",
				 host);
	return 0;
}

static int write_list(const struct index_arguments *arguments, const struct digests_export *export,
		      struct simhash_error *error)
{
	struct output_file output;
	uint64_t files;
	char count[32];
	int status;

	status = output_open(&output, arguments->export_to, 0666, export->store, error);
	if (status == 0)
		status = digests_write(export, output.stream, &files, error);
	if (status == 0)
		status = output_close(&output, error);
	if (status == 0 && atomic_load(&stop_requested)) {
		output_release(&output);
		end_by_signal(PROGRAM, "interrupted; the list is incomplete");
	}
	/* A directory may still exist after all its files were removed. */
	if (status == 0 && files == 0 && export->top_count > 0)
		status = say_not_indexed(arguments, export->tops[0].data, error);
	if (status == 0)
		status = output_publish(&output, error);
	output_release(&output);
	if (status == 0 && !arguments->quiet)
		fprintf(stderr, "%s files exported\n", format_count(files, count));
	return status;
}

int export_digests(const struct index_arguments *arguments, struct simhash_error *error)
{
	struct digests_export export = {.is_anonymous = arguments->is_anonymous,
					.top_count = arguments->request.path_count,
					.stop = &stop_requested};
	struct simhash_tag_set *tag_set = NULL;
	struct tops tops = {.count = 0};
	char host[HOST_NAME_SIZE], *url = NULL;
	int status = -1;

	if (choose_host(arguments->host, host, error) != 0 ||
	    choose_tag_set(arguments->tag_file, &tag_set, error) != 0)
		return -1;
	catch_signals();
	if (resolve_tops(arguments, &tops, error) == 0 &&
	    open_index(arguments, OPEN_TO_READ, &url, &export.store, error) == 0 &&
	    find_scope(export.store, tag_set, host, &export.scope, error) == 0 &&
	    find_tops(arguments, &export, &tops, error) == 0) {
		export.tag_set = tag_set;
		export.tops = tops.tops;
		status = write_list(arguments, &export, error);
	}
	store_close(export.store);
	free(url);
	tops_release(&tops);
	simhash_tag_set_free(tag_set);
	return status;
}

/* ---- --import ---- */

/* A list contains no information about the files here, but later runs here would rely on it. */
static int refuse_this_host(const char *host, struct simhash_error *error)
{
	char here[HOST_NAME_SIZE];

	if (choose_host(NULL, here, error) != 0)
		return -1;
	return strcmp(host, here) != 0
		       ? 0
		       : error_set(
				 error, SIMHASH_E_RANGE,
				 "--import needs a --host other than this one, '%s'; to index the "
				 "files of this host, name their directories",
				 here);
}

int import_digests(const struct index_arguments *arguments, struct simhash_error *error)
{
	struct digests_import import = {.stop = &stop_requested};
	uint64_t files = 0;
	char host[HOST_NAME_SIZE], *url = NULL, count[32];
	int status = -1;

	if (choose_host(arguments->host, host, error) != 0 || refuse_this_host(host, error) != 0 ||
	    digest_reader_open(arguments->import_from, &import.reader, error) != 0)
		return -1;
	catch_signals(); /* from now on, waiting for the list ends at a signal */
	if (open_index(arguments, OPEN_TO_WRITE, &url, &import.store, error) == 0 &&
	    store_tag_set_id(import.store, digest_reader_tag_set(import.reader), true,
			     &import.scope.tag_set, error) == 0 &&
	    store_host_id(import.store, host, true, &import.scope.host, error) == 0)
		status = digests_store(&import, &files, error);
	store_close(import.store);
	if (status != 0 && error->code == ERROR_STOPPED)
		status = 0;
	if (status == 0 && digest_reader_doubt(import.reader) != NULL &&
	    !atomic_load(&stop_requested))
		say_path(PROGRAM, bytes_of(arguments->import_from),
			 digest_reader_doubt(import.reader));
	digest_reader_close(import.reader);
	free(url);
	if (!arguments->quiet && (status == 0 || files > 0))
		fprintf(stderr, "%s files imported\n", format_count(files, count));
	if (status == 0 && atomic_load(&stop_requested))
		end_by_signal(PROGRAM, "interrupted; import the list again for the rest");
	return status;
}
