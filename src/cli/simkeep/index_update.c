/*
 * Examines changed files and writes their rows.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/index_update.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "cli/terminal/terminal.h"
#include "keep/keep.h"
#include "store/names/names.h"
#include "store/open/store.h"

#define PROGRAM "simkeep"

static int copy_text(struct index_update *update, const char **text, struct simhash_error *error)
{
	size_t size = *text == NULL ? 0 : strlen(*text) + 1;
	char *copy = *text == NULL ? NULL : arena_take(&update->texts, size);

	if (*text == NULL)
		return 0;
	if (copy == NULL)
		return error_set_memory(error);
	memcpy(copy, *text, size);
	*text = copy;
	return 0;
}

int index_update_note(struct index_update *update, const struct row_change *change,
		      struct simhash_error *error)
{
	struct row_change copy = *change;

	if (copy_text(update, &copy.from, error) != 0 || copy_text(update, &copy.to, error) != 0 ||
	    array_reserve(&update->changes, &update->capacity, update->count + 1,
			  sizeof *update->changes, error) != 0)
		return -1;
	update->changes[update->count++] = copy;
	return 0;
}

int index_update_note_link(struct index_update *update, const char *kept, const char *path,
			   struct simhash_error *error)
{
	struct row_change change = {.from = kept, .to = path, .size_bytes = KEEP_SIZE_UNKNOWN};
	const struct row_change *last = update->count == 0 ? NULL
							   : &update->changes[update->count - 1];
	bool is_noted = last != NULL && last->size_bytes == KEEP_SIZE_UNKNOWN &&
			strcmp(last->from, kept) == 0;

	if (index_update_note(update, &change, error) != 0)
		return -1;
	change.to = kept;
	return is_noted ? 0 : index_update_note(update, &change, error);
}

int index_update_note_act(struct index_update *update, const struct planned_act *act,
			  const struct act_result *result, struct simhash_error *error)
{
	const struct row_change change = {.from = act->file->path,
					  .to = result->to,
					  .leaves = true,
					  .size_bytes = act->file->size_bytes,
					  .mtime_ns = act->file->mtime_ns,
					  .inode = act->file->inode};

	if (act->action == ACTION_REFLINK)
		return 0; /* the row still describes the file */
	return act->action == ACTION_HARDLINK
		       ? index_update_note_link(update, result->kept->path, act->file->path, error)
		       : index_update_note(update, &change, error);
}

void index_update_note_folder(struct index_update *update, const char *path)
{
	const struct row_change change = {.from = path, .leaves = true, .is_directory = true};
	struct simhash_error ignored;

	index_update_note(update, &change, &ignored);
}

/* Set the present values of the files of a change. False if they are not as expected. */
static bool examine(struct row_change *change)
{
	struct stat status;

	if (change->is_directory)
		return lstat(change->from, &status) != 0 && errno == ENOENT;
	if (change->size_bytes == KEEP_SIZE_UNKNOWN) {
		if (lstat(change->from, &status) != 0 || !S_ISREG(status.st_mode))
			return false;
		change->size_bytes = status.st_size;
		change->mtime_ns = stat_mtime_ns(&status);
		change->inode = (uint64_t)status.st_ino;
	}
	if (change->to == NULL)
		return true;
	if (lstat(change->to, &status) != 0 || !S_ISREG(status.st_mode) ||
	    status.st_size != change->size_bytes)
		return false;
	change->to_mtime_ns = stat_mtime_ns(&status);
	change->to_device = (uint64_t)status.st_dev;
	change->to_inode = (uint64_t)status.st_ino;
	change->to_links = (uint64_t)status.st_nlink;
	return true;
}

/* Keep the changes whose files are as expected, and return the number of the others. */
static uint64_t examine_all(struct index_update *update)
{
	size_t kept = 0, all = update->count;

	for (size_t i = 0; i < all; i++)
		if (examine(&update->changes[i]))
			update->changes[kept++] = update->changes[i];
	update->count = kept;
	return all - kept;
}

static int write_changes(const struct index_update *update, struct store *reader, const char *host,
			 uint64_t *unknown, struct simhash_error *error)
{
	struct store *store = NULL;
	int64_t id;
	int status = store_open_to_write(reader, &store, error);

	if (status == 0)
		status = store_host_id(store, host, false, &id, error);
	if (status == 0 && id != 0)
		status = store_change_rows(store, id, update->changes, update->count, unknown,
					   error);
	store_close(store);
	return status;
}

bool index_update_run(struct index_update *update, const struct index_choice *choice,
		      const char *host)
{
	struct simhash_error error = {.code = 0};
	struct store *reader = NULL;
	uint64_t others, unknown = 0;
	char *url = NULL, *text = NULL;
	bool is_missing;
	int status;

	if (update->count == 0)
		return true;
	others = examine_all(update);
	status = open_chosen_index(choice, &url, &reader, &error);
	if (status == 0)
		status = write_changes(update, reader, host, &unknown, &error);
	free(url);
	/* Without an index, there is nothing to update. */
	is_missing = reader == NULL && error.code == SIMHASH_E_SYSTEM;
	store_close(reader);
	if (status != 0 && !is_missing &&
	    asprintf(&text, "the index was not updated: %s", error.message) >= 0) {
		say(PROGRAM, text);
		free(text);
	}
	return is_missing || (status == 0 && others + unknown == 0);
}

void index_update_release(struct index_update *update)
{
	free(update->changes);
	arena_release(&update->texts);
	*update = (struct index_update){.count = 0};
}
