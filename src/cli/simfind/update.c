/*
 * Implements simfind --update: indexes the DIRs like simhash without options.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "cli/indexing/index_paths.h"
#include "cli/options/index_options.h"
#include "cli/simfind/find_tasks.h"
#include "cli/terminal/signals.h"

static void free_paths(char **paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(paths[i]);
	free(paths);
}

int update_index(const struct find_arguments *arguments, bool *had_unreadable,
		 struct simhash_error *error)
{
	struct index_arguments indexing;
	char **paths = calloc(arguments->operands.below_count, sizeof *paths);
	int status;

	if (paths == NULL)
		return error_set_memory(error);
	/* Of a folder in an archive, the archive is indexed. */
	for (size_t i = 0; i < arguments->operands.below_count; i++) {
		struct bytes below = bytes_of(arguments->operands.below[i].data);
		paths[i] = strndup(below.data, outer_path_size(below));
		if (paths[i] == NULL) {
			free_paths(paths, i);
			return error_set_memory(error);
		}
	}
	index_arguments_init(&indexing);
	indexing.program = "simfind";
	indexing.request.location = arguments->index.location;
	indexing.request.location.group = NULL; /* as in simhash */
	indexing.request.paths = paths;
	indexing.request.path_count = (unsigned)arguments->operands.below_count;
	indexing.tag_file = arguments->index.tag_file;
	indexing.host = arguments->index.host;
	indexing.threads = arguments->resources.threads;
	indexing.progress = arguments->progress;
	indexing.quiet = arguments->quiet;
	indexing.summary = arguments->summary;
	status = index_arguments_settle(&indexing, error);
	indexing.sandbox.warning = arguments->sandbox.warning;
	indexing.sandbox.context = arguments->sandbox.context;
	if (status == 0)
		status = index_paths(&indexing, had_unreadable, error);
	if (status == 0 && atomic_load(&stop_requested))
		end_by_signal("simfind", "interrupted");
	tidy_up_at_signals();
	index_arguments_release(&indexing);
	free_paths(paths, arguments->operands.below_count);
	return status;
}
