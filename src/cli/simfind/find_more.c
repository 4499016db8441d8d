/*
 * Searches for FILEs again with their members, to suggest -z only if it finds more.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/find_tasks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/hash_set.h"
#include "base/text/shell_word.h"
#include "cli/options/command_line.h"
#include "cli/terminal/terminal.h"

/* Limits, so that the user does not wait for a suggestion. */
#define FILES_MAX 16
#define ROWS_MAX 1000000	      /* rows of the index near the FILEs */
#define CONTENT_MAX ((off_t)64 << 20) /* bytes of all FILEs that are looked into */

struct more {
	struct hash_set members; /* the hashes of the paths of these members; not sorted */
	atomic_bool is_found;
};

static int take_asked(void *context, const struct find_file *file, bool is_named,
		      struct simhash_error *error)
{
	struct more *more = context;

	return is_named ? 0 : hash_set_add(&more->members, file->path_hash, error);
}

static bool is_member(const struct more *more, const struct find_file *file)
{
	if (!file->is_local || !row_is_inside(file->compressed_size_bytes))
		return false;
	for (size_t i = 0; i < more->members.count; i++)
		if (memcmp(more->members.hashes + i * PATH_HASH_SIZE, file->path_hash,
			   PATH_HASH_SIZE) == 0)
			return true;
	return false;
}

/* No file is asked for at the same time. */
static int take_pair(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *error)
{
	struct more *more = context;

	(void)thread;
	if (!is_member(more, pair->a) && !is_member(more, pair->b))
		return 0;
	atomic_store(&more->is_found, true);
	return error_set(error, SIMHASH_E_RANGE, "stopped at the first match");
}

/* The first search has reported these. */
static void ignore_unreadable(void *context, struct bytes path, int system_errno)
{
	(void)context;
	(void)path;
	(void)system_errno;
}

static bool finds_more_inside(const struct find_plan *plan, struct store *store)
{
	const struct operands *operands = &plan->arguments->operands;
	struct find_request request = *plan->request;
	struct more more = {.members = {.width = PATH_HASH_SIZE}};
	const struct find_sink sink = {.context = &more,
				       .pair = take_pair,
				       .asked = take_asked,
				       .unreadable = ignore_unreadable};
	struct simhash_error ignored;
	struct finder finder;

	request.inflate = true;
	if (finder_init(&finder, store, &request, &sink, &plan->arguments->resources, &ignored) !=
	    0)
		return false;
	(void)finder_files(&finder, operands->queries, operands->query_count, &ignored);
	finder_release(&finder);
	hash_set_release(&more.members);
	return atomic_load(&more.is_found);
}

static bool are_small(const struct operands *operands)
{
	struct stat file;
	off_t size = 0;

	for (size_t i = 0; i < operands->query_count; i++)
		if (stat(operands->queries[i], &file) == 0)
			size += file.st_size < CONTENT_MAX ? file.st_size : CONTENT_MAX;
	return size < CONTENT_MAX;
}

/* May the search be repeated, and can its command be written? */
static bool can_repeat(const struct find_plan *plan, const struct find_outcome *outcome)
{
	const struct find_request *request = plan->request;
	const struct find_arguments *arguments = plan->arguments;

	if (plan->list != LIST_MATCHES || !plan->shows_summary || isatty(STDERR_FILENO) != 1 ||
	    outcome->similar > 0 || outcome->asked == 0 || outcome->asked > FILES_MAX ||
	    outcome->counts.rows > ROWS_MAX || request->nearest > 0 || request->measure != NULL ||
	    request->kinds != 0 || request->inflate || !are_small(&plan->arguments->operands) ||
	    request->rule.verify.mode == VERIFY_NO || plan->reads_files ||
	    operands_have_stdin(&arguments->operands))
		return false;
	for (int i = 1; i < arguments->word_count; i++)
		if (needs_encoding(bytes_of(arguments->words[i])) ||
		    strcmp(arguments->words[i], "--") == 0)
			return false;
	return true;
}

void suggest_finding_more(const struct find_plan *plan, struct store *store,
			  const struct find_outcome *outcome)
{
	char *text;

	if (!can_repeat(plan, outcome) || !finds_more_inside(plan, store))
		return;
	text = command_line_text(find_program.name, plan->arguments->word_count,
				 plan->arguments->words);
	if (text != NULL)
		say_next(text, NULL, "-z", "finds more.");
	free(text);
}
