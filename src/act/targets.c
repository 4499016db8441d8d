/*
 * Makes the directories that moved files need. The journal records each one before it is made.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "act/act.h"
#include "act/work.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "base/sort/sort.h"

static int add_target(struct targets *targets, struct bytes path, mode_t mode,
		      struct simhash_error *error)
{
	char *text = arena_take(&targets->paths, path.size + 1);

	if (text == NULL)
		return error_set_memory(error);
	memcpy(text, path.data, path.size);
	text[path.size] = '\0';
	if (array_reserve(&targets->list, &targets->capacity, targets->count + 1,
			  sizeof *targets->list, error) != 0)
		return -1;
	targets->list[targets->count++] = (struct journal_act){
		.action = ACTION_MKDIR, .path = text, .copy = {.mode = (uint32_t)mode}};
	return 0;
}

/*
 * If the plan gives the new path, the counterpart of a new directory is the directory that is as
 * many levels above the old name. The new directory gets the permissions of its counterpart. Other
 * new directories are private, because the original ones may be private.
 */
static mode_t mode_of_counterpart(const struct work *work, const char *end)
{
	struct bytes old = bytes_of(work->act->file->path);
	struct stat status;
	mode_t mode = 0700;
	char *text;

	if (work->act->to == NULL)
		return mode;
	for (; end != NULL; end = strchr(end + 1, '/'))
		old = path_above(old);
	text = strndup(old.data, old.size);
	if (text != NULL && old.size > 0 && lstat(text, &status) == 0 && S_ISDIR(status.st_mode))
		mode |= status.st_mode & 0777;
	free(text);
	return mode;
}

static int add_targets_of(struct targets *targets, const struct work *work,
			  struct simhash_error *error)
{
	const char *path = work->record.to;
	const char *end = work->missing == NULL ? NULL : strchr(work->missing, '/');

	for (; end != NULL; end = strchr(end + 1, '/'))
		if (add_target(targets, (struct bytes){path, (size_t)(end - path)},
			       mode_of_counterpart(work, end), error) != 0)
			return -1;
	return 0;
}

static int compare_targets(const void *a, const void *b, void *context)
{
	const struct journal_act *x = a, *y = b;

	(void)context;
	return path_compare(bytes_of(x->path), bytes_of(y->path));
}

int targets_begin(struct actor *actor, struct simhash_error *error)
{
	struct targets *targets = &actor->targets;
	size_t kept = 0;
	int status = 0;

	targets->count = 0;
	arena_clear(&targets->paths);
	for (size_t i = 0; status == 0 && i < actor->work_count; i++)
		if (actor->works[i].result->outcome == ACT_PENDING)
			status = add_targets_of(targets, &actor->works[i], error);
	sort_with(targets->list, targets->count, sizeof *targets->list, compare_targets, NULL);
	for (size_t i = 0; i < targets->count; i++) {
		const struct journal_act *record = &targets->list[i];
		struct journal_act *last = kept == 0 ? NULL : &targets->list[kept - 1];
		if (last != NULL && strcmp(last->path, record->path) == 0)
			last->copy.mode &= record->copy.mode; /* the fewest permissions */
		else
			targets->list[kept++] = targets->list[i];
	}
	targets->count = kept;
	for (size_t i = 0; status == 0 && i < kept; i++)
		status = journal_begin(actor->options.journal, &targets->list[i], error);
	return status;
}

static int make(const struct actor *actor, const struct journal_act *record,
		struct simhash_error *why)
{
	struct place place;
	mode_t mode = (mode_t)record->copy.mode;
	int status = 0;

	if (place_open(record->path, &actor->guard, &place, why) != 0)
		return -1;
	if (mkdirat(place.directory_fd, place.name, 0700) != 0)
		status = error_set_errno(why, "cannot make the directory");
	else if (mode != 0700 && fchmodat(place.directory_fd, place.name, mode, 0) != 0) {
		status = error_set_errno(why, "cannot set the mode of the directory");
		unlinkat(place.directory_fd, place.name, AT_REMOVEDIR);
	}
	place_close(&place);
	return status;
}

int targets_make(struct actor *actor, struct simhash_error *error)
{
	for (size_t i = 0; i < actor->targets.count; i++) {
		const struct journal_act *record = &actor->targets.list[i];
		struct simhash_error why;
		bool is_made = make(actor, record, &why) == 0;
		if (journal_end(actor->options.journal, record, is_made ? NULL : why.message,
				error) != 0)
			return -1;
	}
	return 0;
}
