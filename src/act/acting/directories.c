/*
 * Makes the directories that moved files need, and removes directories that became empty because
 * acts removed names in them. The journal records each one before it is made or removed.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "act/acting/act.h"
#include "act/acting/work.h"
#include "act/file/attributes.h"
#include "base/data/array.h"
#include "base/files/entry_reader.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/sort/sort.h"

/* ---- Making ---- */

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

/* ---- Notes ---- */

static bool is_in_trees(const struct act_options *options, struct bytes path)
{
	for (size_t i = 0; i < options->tree_count; i++)
		if (path.size > 0 && path_is_at_or_below(path, options->trees[i]))
			return true;
	return false;
}

/*
 * Find or make the note of a directory that is open. *note is NULL if the directory is outside the
 * trees.
 */
static int note_directory(struct actor *actor, struct bytes path, int fd, struct path_note **note,
			  struct simhash_error *error)
{
	struct journal_file now;
	struct stat status;
	size_t count = actor->directories.count;

	*note = path_notes_find(&actor->directories, path);
	if (*note != NULL || !is_in_trees(&actor->options, path) || fstat(fd, &status) != 0)
		return 0;
	if (path_notes_add(&actor->directories, path, note, error) != 0)
		return -1;
	journal_file_set(&now, &status);
	if (actor->directories.count > count) {
		(*note)->mtime_ns = now.mtime_ns;
		(*note)->atime_ns = now.atime_ns;
	}
	return 0;
}

int work_note_directory(const struct work *work, struct simhash_error *error)
{
	struct path_note *note;

	return note_directory(work->actor, path_above(bytes_of(work->record.path)),
			      work->copy.place.directory_fd, &note, error);
}

/* A run that changes nothing must know that a directory would get a name. */
static int note_gained(const struct work *work, struct simhash_error *error)
{
	struct bytes path = bytes_of(work->record.to);
	struct path_note *note;

	if (work->missing != NULL)
		path.size = (size_t)(work->missing - path.data) + strcspn(work->missing, "/");
	path = path_above(path);
	if (!is_in_trees(&work->actor->options, path))
		return 0;
	if (path_notes_add(&work->actor->directories, path, &note, error) != 0)
		return -1;
	note->lost--;
	return 0;
}

int work_note_lost(const struct work *work, struct simhash_error *error)
{
	enum keep_action action = work->act->action;
	bool does = work->actor->options.journal != NULL;
	struct path_note *note;

	if (action != ACTION_DELETE && action != ACTION_MOVE)
		return 0;
	if (note_directory(work->actor, path_above(bytes_of(work->act->file->path)),
			   work->copy.place.directory_fd, &note, error) != 0)
		return -1;
	if (note != NULL)
		note->lost++;
	return action == ACTION_MOVE && !does ? note_gained(work, error) : 0;
}

/* ---- Removing ---- */

/* A directory that is about to be removed. */
struct emptied {
	struct place place;
	struct stat status;
	struct journal_act record;
};

struct emptying {
	struct actor *actor;
	size_t *list, *next; /* numbers of notes: the directories to examine now, and afterwards */
	size_t count, next_count, next_capacity;
	struct emptied *batch;
	size_t batch_count;
	directory_removed_fn *removed;
	void *context;
};

/* Does the directory have only names that the acts would remove, if this run changes nothing? */
static bool is_emptied(const struct actor *actor, const struct path_note *note, int fd)
{
	struct entry_reader reader = {.fd = -1};
	struct entry entry;
	int64_t most = actor->options.journal == NULL ? note->lost : 0, found = 0;
	int status = entry_reader_begin(&reader, fd) == 0 ? 1 : -1;

	while (found <= most && status == 1 && (status = entry_reader_next(&reader, &entry)) == 1)
		found++;
	entry_reader_end(&reader);
	entry_reader_release(&reader);
	return status == 0 && found == most;
}

/* Can the open directory be removed, and could undo restore it? */
static bool can_go(const struct actor *actor, const struct path_note *note,
		   const struct emptied *emptied, int fd)
{
	struct stat above;
	struct simhash_error why;

	return fstat(emptied->place.directory_fd, &above) == 0 &&
	       above.st_dev == emptied->status.st_dev &&
	       !guard_has(&actor->guard, &emptied->status) && !has_attributes(fd) &&
	       check_removal(&emptied->place, &emptied->status, &why) == 0 &&
	       is_emptied(actor, note, fd);
}

static bool examine(const struct actor *actor, const struct path_note *note,
		    struct emptied *emptied)
{
	struct simhash_error why;
	bool goes = false;
	int fd;

	if (place_open(note->path.data, &actor->guard, &emptied->place, &why) != 0)
		return false;
	fd = open_file_at(emptied->place.directory_fd, emptied->place.name,
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd >= 0) {
		goes = fstat(fd, &emptied->status) == 0 && can_go(actor, note, emptied, fd);
		close(fd);
	}
	if (!goes)
		place_close(&emptied->place);
	return goes;
}

static void fill_record(const struct path_note *note, struct emptied *emptied)
{
	emptied->record = (struct journal_act){.action = ACTION_RMDIR, .path = note->path.data};
	journal_file_set(&emptied->record.copy, &emptied->status);
	emptied->record.copy.mtime_ns = note->mtime_ns;
	emptied->record.copy.atime_ns = note->atime_ns;
}

static int add_next(struct emptying *emptying, struct path_note *note, struct simhash_error *error)
{
	if (note->is_listed)
		return 0;
	if (array_reserve(&emptying->next, &emptying->next_capacity, emptying->next_count + 1,
			  sizeof *emptying->next, error) != 0)
		return -1;
	note->is_listed = true;
	emptying->next[emptying->next_count++] = (size_t)(note - emptying->actor->directories.list);
	return 0;
}

/* The directory above a removed one has one name less. */
static int note_removed(struct emptying *emptying, const struct emptied *emptied,
			struct simhash_error *error)
{
	struct path_note *above = path_notes_find(&emptying->actor->directories,
						  path_above(bytes_of(emptied->record.path)));

	emptying->removed(emptying->context, emptied->record.path);
	if (above == NULL)
		return 0;
	above->lost++;
	return add_next(emptying, above, error);
}

/* The directory may have been replaced meanwhile. The system refuses one that has names. */
static int take_away(const struct emptied *emptied, struct simhash_error *why)
{
	struct stat now;

	if (place_status(&emptied->place, emptied->place.name, &now) != 0 ||
	    !is_same_inode(&now, &emptied->status))
		return error_set(why, SIMHASH_E_RANGE, "it has changed meanwhile");
	return unlinkat(emptied->place.directory_fd, emptied->place.name, AT_REMOVEDIR) == 0
		       ? 0
		       : error_set_errno(why, "cannot remove the directory");
}

static int remove_batch(struct emptying *emptying, struct simhash_error *error)
{
	struct journal *journal = emptying->actor->options.journal;
	struct simhash_error why;
	sigset_t before;
	int status = 0;

	actor_begin_change(emptying->actor, true, &before);
	for (size_t i = 0; status == 0 && i < emptying->batch_count; i++)
		status = journal_begin(journal, &emptying->batch[i].record, error);
	if (status == 0)
		status = journal_sync(journal, error);
	for (size_t i = 0; status == 0 && i < emptying->batch_count; i++) {
		const struct emptied *emptied = &emptying->batch[i];
		bool is_gone = take_away(emptied, &why) == 0;
		status =
			journal_end(journal, &emptied->record, is_gone ? NULL : why.message, error);
		if (status == 0 && is_gone)
			status = note_removed(emptying, emptied, error);
	}
	actor_end_change(emptying->actor, &before);
	return status;
}

static int finish_batch(struct emptying *emptying, struct simhash_error *error)
{
	int status = 0;

	if (emptying->batch_count == 0)
		return 0;
	if (emptying->actor->options.journal != NULL)
		status = remove_batch(emptying, error);
	else
		for (size_t i = 0; status == 0 && i < emptying->batch_count; i++)
			status = note_removed(emptying, &emptying->batch[i], error);
	while (emptying->batch_count > 0)
		place_close(&emptying->batch[--emptying->batch_count].place);
	return status;
}

/* Examine one directory, and add it to the batch if it can be removed. */
static int take(struct emptying *emptying, size_t number, struct simhash_error *error)
{
	struct actor *actor = emptying->actor;
	struct path_note *note = &actor->directories.list[number];
	struct emptied *emptied = &emptying->batch[emptying->batch_count];

	note->is_listed = false;
	if (!examine(actor, note, emptied))
		return 0;
	fill_record(note, emptied);
	emptying->batch_count++;
	if (note_directory(actor, path_above(bytes_of(emptied->record.path)),
			   emptied->place.directory_fd, &note, error) != 0)
		return -1;
	return emptying->batch_count < actor->work_capacity ? 0 : finish_batch(emptying, error);
}

/* Examine all directories that lost names, then the directories above the removed ones, and so on. */
static int remove_all(struct emptying *emptying, struct simhash_error *error)
{
	struct path_notes *notes = &emptying->actor->directories;
	int status = 0;

	for (size_t i = 0; status == 0 && i < notes->count; i++)
		if (notes->list[i].lost > 0)
			status = add_next(emptying, &notes->list[i], error);
	while (status == 0 && emptying->next_count > 0) {
		free(emptying->list);
		emptying->list = emptying->next;
		emptying->count = emptying->next_count;
		emptying->next = NULL;
		emptying->next_count = emptying->next_capacity = 0;
		for (size_t i = 0; status == 0 && i < emptying->count; i++)
			status = take(emptying, emptying->list[i], error);
		if (status == 0)
			status = finish_batch(emptying, error);
	}
	return status;
}

int actor_remove_emptied(struct actor *actor, directory_removed_fn *removed, void *context,
			 struct simhash_error *error)
{
	struct emptying emptying = {.actor = actor, .removed = removed, .context = context};
	int status;

	if (actor->directories.count == 0)
		return 0;
	emptying.batch = calloc(actor->work_capacity, sizeof *emptying.batch);
	if (emptying.batch == NULL)
		return error_set_memory(error);
	status = remove_all(&emptying, error);
	while (emptying.batch_count > 0)
		place_close(&emptying.batch[--emptying.batch_count].place);
	free(emptying.batch);
	free(emptying.next);
	free(emptying.list);
	return status;
}
