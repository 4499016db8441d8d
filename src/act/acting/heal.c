/*
 * Carries out the steps that heal a damaged file.
 * SPDX-License-Identifier: MIT
 */
#include "act/acting/heal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "act/acting/work.h"
#include "act/file/attributes.h"
#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/identity.h"
#include "base/files/open_file.h"
#include "place/rename.h"

static const struct side closed = {.place = {.directory_fd = -1}, .fd = -1};

/* Another hard link of the damaged file. */
struct other_name {
	struct place place;
	struct journal_act record;
};

struct healing {
	struct actor *actor;
	struct damaged_bytes *bytes;
	const struct heal_file *file;
	struct heal_result *result;
	struct simhash_error *why;
	struct side damaged, own_source;
	struct side *source; /* own_source, or the archive of the actor */
	struct right_bytes right;
	struct damaged_found found;
	struct journal_act record;
	struct other_name *names;
	int fd; /* the new file */
	bool has_temporary, is_exchanged;
};

static int refuse_healing(struct healing *healing, const char *why)
{
	return error_set(healing->why, SIMHASH_E_RANGE, "%s", why);
}

static int failed(struct healing *healing, const char *what)
{
	return error_set_errno(healing->why, "%s", what);
}

/* ---- The damaged file ---- */

static bool is_as_found(const struct healing *healing)
{
	const struct stat *now = &healing->damaged.status;
	const struct heal_file *file = healing->file;

	return now->st_size == file->found_size_bytes && stat_mtime_ns(now) == file->mtime_ns &&
	       stat_ctime_ns(now) <= file->found_at_ns &&
	       (file->inode == 0 || (uint64_t)now->st_ino == file->inode ||
		!inodes_are_lasting(healing->damaged.fd));
}

/* Open the directories of the other hard links, all of which must be known. */
static int open_names(struct healing *healing)
{
	const struct heal_file *file = healing->file;
	const struct stat *damaged = &healing->damaged.status;
	struct stat named;

	if ((uint64_t)damaged->st_nlink != file->name_count + 1)
		return refuse_healing(healing,
				      "it has hard links that are not in the index, or not "
				      "known to be damaged");
	healing->names = calloc(file->name_count + 1, sizeof *healing->names);
	if (healing->names == NULL)
		return error_set_memory(healing->why);
	for (size_t i = 0; i < file->name_count; i++)
		healing->names[i].place.directory_fd = -1;
	for (size_t i = 0; i < file->name_count; i++) {
		struct place *place = &healing->names[i].place;
		if (place_open(file->names[i], &healing->actor->guard, place, healing->why) != 0 ||
		    check_removal(place, damaged, healing->why) != 0)
			return -1;
		if (place_status(place, place->name, &named) != 0 ||
		    !is_same_inode(&named, damaged))
			return refuse_healing(healing, "one of its hard links has changed");
	}
	return 0;
}

static int open_damaged(struct healing *healing)
{
	const struct keep_file file = {.path = healing->file->path,
				       .size_bytes = KEEP_SIZE_UNKNOWN};
	struct side *damaged = &healing->damaged;

	if (side_open(damaged, &file, &healing->actor->guard, healing->why) != 0)
		return -1;
	if (!is_as_found(healing))
		return refuse_healing(healing, "it has changed since simhash --scrub found it "
					       "damaged");
	if (check_removal(&damaged->place, &damaged->status, healing->why) != 0 ||
	    open_names(healing) != 0)
		return -1;
	if (healing->actor->options.journal == NULL)
		return 0;
	if (flock(damaged->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return refuse_healing(healing, "another program has locked it");
	return side_watch(damaged, healing->why);
}

/* ---- The intact copy ---- */

static int open_member(struct healing *healing, const struct keep_file *member)
{
	struct kept_archive *archive = &healing->actor->archive;
	const uint8_t *bytes;

	healing->source = &archive->side;
	if (!kept_archive_has_open(archive, member) &&
	    kept_archive_open(archive, member, healing->why) != 0)
		return -1;
	if (healing->actor->options.journal == NULL)
		return 0;
	if (flock(archive->side.fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return refuse_healing(healing, "another program has locked it");
	if (side_watch(&archive->side, healing->why) != 0)
		return -1;
	kept_archive_forget(archive);
	if (kept_archive_add(archive, member->path, member->size_bytes))
		kept_archive_read(archive);
	bytes = kept_archive_find(archive, member->path, member->size_bytes);
	healing->right = (struct right_bytes){-1, bytes, member->size_bytes};
	return bytes != NULL ? 0 : refuse_healing(healing, "it cannot be read");
}

static int open_file(struct healing *healing, const struct keep_file *file)
{
	struct side *source = healing->source = &healing->own_source;

	if (side_open(source, file, NULL, healing->why) != 0)
		return -1;
	if (is_same_inode(&source->status, &healing->damaged.status))
		return refuse_healing(healing, "it is the damaged file");
	if (healing->actor->options.journal == NULL)
		return 0;
	if (flock(source->fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return refuse_healing(healing, "another program has locked it");
	healing->right = (struct right_bytes){source->fd, NULL, source->status.st_size};
	return side_watch(source, healing->why);
}

static void close_source(struct healing *healing)
{
	side_close(&healing->own_source);
	healing->own_source = closed;
}

static bool has_no_writer(const struct healing *healing)
{
	return side_has_no_writer(&healing->damaged) && side_has_no_writer(healing->source);
}

static int check_both(struct healing *healing)
{
	if (!side_is_unchanged(&healing->damaged))
		return refuse_healing(healing, "it has changed meanwhile");
	if (!side_is_unchanged(healing->source))
		return refuse_healing(healing, "its intact copy has changed meanwhile");
	return has_no_writer(healing) ? 0
				      : refuse_healing(healing, "another program opened it or its "
								"copy for writing meanwhile");
}

/* Compare the file with a copy, and save the bytes that differ. */
static int compare(struct healing *healing)
{
	int of_right;

	healing->result->read_at_ns = clock_wall_ns();
	if (damaged_bytes_compare(&healing->right, healing->damaged.fd,
				  healing->damaged.status.st_size, healing->bytes, &healing->found,
				  &of_right) != 0)
		return failed(healing, of_right == 1 ? "it cannot be read"
						     : "its damaged bytes cannot be saved");
	if (memcmp(healing->found.right_hash, healing->file->hash, KEEP_HASH_SIZE) == 0)
		return 0;
	damaged_bytes_drop(healing->bytes, &healing->found);
	return refuse_healing(healing, "its content is not the right one");
}

/* Find a copy that has the right content. The message names the last one that does not. */
static int find_source(struct healing *healing)
{
	const struct heal_file *file = healing->file;
	bool reads = healing->actor->options.journal != NULL;
	char *text = NULL;

	for (size_t i = 0; i < file->source_count; i++) {
		const struct keep_file *source = &file->sources[i];
		int status = source->archive_bytes > 0 ? open_member(healing, source)
						       : open_file(healing, source);
		if (status == 0 && (!reads || compare(healing) == 0)) {
			healing->result->source = source;
			healing->why->message[0] = '\0';
			return 0;
		}
		if (asprintf(&text, "no intact copy: %s: %s", source->path,
			     healing->why->message) >= 0)
			refuse_healing(healing, text);
		free(text);
		text = NULL;
		close_source(healing);
	}
	return -1;
}

/* ---- The new file ---- */

static bool is_right(const struct healing *healing)
{
	return healing->found.different_bytes == 0 && healing->found.unreadable_bytes == 0 &&
	       healing->damaged.status.st_size == healing->file->size_bytes;
}

static void fill_record(struct healing *healing, struct journal_act *record, const char *path)
{
	*record = (struct journal_act){.action = ACTION_HEAL,
				       .path = path,
				       .kept = healing->result->source->path,
				       .has_hash = true,
				       .same_attributes = true,
				       .bytes_at = healing->found.at,
				       .bytes = healing->found.size,
				       .unreadable_bytes = healing->found.unreadable_bytes};
	temporary_name(&healing->actor->random, record->temporary);
	memcpy(record->hash, healing->file->hash, KEEP_HASH_SIZE);
	memcpy(record->damaged_hash, healing->found.damaged_hash, KEEP_HASH_SIZE);
	journal_file_set(&record->copy, &healing->damaged.status);
	journal_file_set(&record->kept_file, &healing->source->status);
}

/*
 * Enter the other names before the healed one. Undo begins with the last act, so it first restores
 * the file, and then its other links.
 */
static int enter(struct healing *healing, struct simhash_error *error)
{
	struct journal *journal = healing->actor->options.journal;
	int status = 0;

	for (size_t i = 0; status == 0 && i < healing->file->name_count; i++) {
		struct journal_act *record = &healing->names[i].record;
		fill_record(healing, record, healing->file->names[i]);
		record->to = healing->file->path;
		status = journal_begin(journal, record, error);
	}
	fill_record(healing, &healing->record, healing->file->path);
	return status != 0 || journal_begin(journal, &healing->record, error) != 0
		       ? -1
		       : journal_sync(journal, error);
}

static int end_all(struct healing *healing, const char *why, struct simhash_error *error)
{
	struct journal *journal = healing->actor->options.journal;
	int status = 0;

	for (size_t i = 0; i < healing->file->name_count; i++)
		if (journal_end(journal, &healing->names[i].record, why, error) != 0)
			status = -1;
	return journal_end(journal, &healing->record, why, error) != 0 ? -1 : status;
}

/* Give the new file all attributes of the damaged one. */
static int dress(struct healing *healing)
{
	const struct journal_file *file = &healing->record.copy;
	int from = healing->damaged.fd, to = healing->fd;
	struct stat now;

	if (fstat(to, &now) != 0 ||
	    (!has_owner(&now, file) && fchown(to, (uid_t)file->owner, (gid_t)file->group) != 0))
		return failed(healing, "its owner cannot be kept");
	copy_attributes(from, to, true);
	if (lacks_attributes(from, to))
		return refuse_healing(healing, "its extended attributes or its access list cannot "
					       "be kept");
	if (fchmod(to, (mode_t)file->mode) != 0 || restore_times(to, file) != 0)
		return failed(healing, "its mode and times cannot be kept");
	return fsync(to) == 0 ? 0 : failed(healing, "cannot write it to the disk");
}

static bool is_sparse(const struct stat *status)
{
	return (int64_t)status->st_blocks * 512 < status->st_size;
}

/* Write the new file under the temporary name. */
static int write_new(struct healing *healing)
{
	uint8_t hash[KEEP_HASH_SIZE];

	healing->fd = open_file_at(healing->damaged.place.directory_fd, healing->record.temporary,
				   O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (healing->fd < 0)
		return failed(healing, "cannot make a file in its directory");
	healing->has_temporary = true;
	if (right_bytes_write(&healing->right, healing->fd, is_sparse(&healing->damaged.status),
			      hash) != 0)
		return failed(healing, "its intact copy cannot be copied");
	if (memcmp(hash, healing->file->hash, KEEP_HASH_SIZE) != 0)
		return refuse_healing(healing, "its intact copy has changed meanwhile");
	return dress(healing);
}

/* Read the new file again, from the disk if possible. */
static int verify(struct healing *healing)
{
	uint8_t hash[KEEP_HASH_SIZE];
	struct stat written, opened;
	int fd = open_file_at(healing->damaged.place.directory_fd, healing->record.temporary,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);

	if (fd < 0 || fstat(healing->fd, &written) != 0 || fstat(fd, &opened) != 0 ||
	    hash_around(fd, opened.st_size, hash) != 0) {
		failed(healing, "the new file cannot be read again");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	close(healing->fd);
	healing->fd = fd;
	if (!is_same_content(&written, &opened))
		return refuse_healing(healing, "another program replaced the new file");
	return memcmp(hash, healing->file->hash, KEEP_HASH_SIZE) == 0
		       ? 0
		       : refuse_healing(healing, "the new file has other bytes when it is read "
						 "again; the disk may be damaged");
}

/* ---- Names ---- */

static bool is_new_file(const struct healing *healing, const struct place *place, const char *name)
{
	struct stat named, opened;

	return fstat(healing->fd, &opened) == 0 && place_status(place, name, &named) == 0 &&
	       is_same_inode(&named, &opened);
}

/* Exchange the temporary name, which leads to the new file, with a name of the damaged file. */
static int exchange(struct healing *healing, const struct place *place, const char *temporary)
{
	const struct side *damaged = &healing->damaged;
	struct stat named;

	if (place_status(place, place->name, &named) != 0 ||
	    !is_same_inode(&named, &damaged->status))
		return refuse_healing(healing, "somebody replaced it meanwhile");
	if (rename_exchange(place->directory_fd, temporary, place->name) != 0)
		/* The system cannot exchange names: replace it in one step. */
		return errno == ENOTSUP && renameat(place->directory_fd, temporary,
						    place->directory_fd, place->name) == 0
			       ? 0
			       : failed(healing, "cannot replace it");
	if (place_status(place, temporary, &named) == 0 &&
	    is_same_inode(&named, &damaged->status) && side_has_no_writer(damaged))
		return 0;
	if (rename_exchange(place->directory_fd, temporary, place->name) != 0 ||
	    !is_new_file(healing, place, temporary))
		return error_set(
			healing->why, SIMHASH_E_RANGE,
			"another program replaced it meanwhile; the earlier file is now %s",
			temporary);
	return refuse_healing(healing, "another program replaced it, or opened it for writing, "
				       "meanwhile");
}

/* Remove a name of the damaged file. Without an exchange, there is none. */
static int remove_damaged(struct healing *healing, const struct place *place, const char *temporary)
{
	return unlinkat(place->directory_fd, temporary, 0) == 0 || errno == ENOENT
		       ? 0
		       : error_set_errno(healing->why, "cannot remove the damaged file %s",
					 temporary);
}

/* Make another name of the damaged file a name of the new file. */
static int link_name(struct healing *healing, struct other_name *name)
{
	const struct place *from = &healing->damaged.place, *place = &name->place;
	const char *temporary = name->record.temporary;

	if (linkat(from->directory_fd, from->name, place->directory_fd, temporary, 0) != 0)
		return failed(healing, "cannot make a hard link");
	if (is_new_file(healing, place, temporary) && exchange(healing, place, temporary) == 0)
		return remove_damaged(healing, place, temporary);
	if (is_new_file(healing, place, temporary))
		unlinkat(place->directory_fd, temporary, 0);
	return -1;
}

static void sync_directory(const struct place *place)
{
	int fd = open_file_at(place->directory_fd, ".", O_RDONLY | O_DIRECTORY, 0);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

/*
 * If a step after the exchange fails, the damaged file keeps its temporary name, and undo restores
 * all names.
 */
static int take_names(struct healing *healing)
{
	const struct place *place = &healing->damaged.place;

	if (exchange(healing, place, healing->record.temporary) != 0)
		return -1;
	healing->has_temporary = false;
	healing->is_exchanged = true;
	for (size_t i = 0; i < healing->file->name_count; i++) {
		if (link_name(healing, &healing->names[i]) != 0)
			return -1;
		sync_directory(&healing->names[i].place);
	}
	if (remove_damaged(healing, place, healing->record.temporary) != 0)
		return -1;
	sync_directory(place);
	return 0;
}

static void discard(struct healing *healing)
{
	if (healing->has_temporary)
		unlinkat(healing->damaged.place.directory_fd, healing->record.temporary, 0);
	healing->has_temporary = false;
}

/* ---- One file ---- */

static int replace(struct healing *healing, struct simhash_error *error)
{
	struct stat now;
	bool is_done;

	if (enter(healing, error) != 0)
		return -1;
	is_done = write_new(healing) == 0 && verify(healing) == 0 && check_both(healing) == 0 &&
		  take_names(healing) == 0;
	discard(healing);
	if (is_done && fstat(healing->fd, &now) == 0) {
		healing->result->outcome = HEAL_DONE;
		healing->result->inode = (uint64_t)now.st_ino;
		healing->result->changed_ns = stat_ctime_ns(&now);
	}
	/* Without an outcome, undo looks at the names. */
	return !is_done && healing->is_exchanged
		       ? 0
		       : end_all(healing, is_done ? NULL : healing->why->message, error);
}

/* Signals wait until the names are in order. */
static int replace_undisturbed(struct healing *healing, struct simhash_error *error)
{
	sigset_t before;
	int status;

	if (damaged_bytes_sync(healing->bytes) != 0) {
		failed(healing, "its damaged bytes cannot be saved");
		damaged_bytes_drop(healing->bytes, &healing->found);
		return 0;
	}
	actor_begin_change(healing->actor, true, &before);
	status = replace(healing, error);
	actor_end_change(healing->actor, &before);
	return status;
}

static int heal(struct healing *healing, struct simhash_error *error)
{
	struct heal_result *result = healing->result;

	if (open_damaged(healing) != 0 || find_source(healing) != 0)
		return 0;
	result->inode = (uint64_t)healing->damaged.status.st_ino;
	result->changed_ns = stat_ctime_ns(&healing->damaged.status);
	if (healing->actor->options.journal == NULL) {
		result->outcome = HEAL_DONE;
		return 0;
	}
	if (!is_right(healing))
		return replace_undisturbed(healing, error);
	damaged_bytes_drop(healing->bytes, &healing->found);
	if (check_both(healing) == 0)
		result->outcome = HEAL_RIGHT;
	return 0;
}

int actor_heal(struct actor *actor, struct damaged_bytes *bytes, const struct heal_file *file,
	       struct heal_result *result, struct simhash_error *error)
{
	struct healing healing = {.actor = actor,
				  .bytes = bytes,
				  .file = file,
				  .result = result,
				  .why = &result->why,
				  .damaged = closed,
				  .own_source = closed,
				  .fd = -1};
	int status;

	*result = (struct heal_result){.outcome = HEAL_LEFT};
	status = heal(&healing, error);
	if (healing.fd >= 0)
		close(healing.fd);
	for (size_t i = 0; healing.names != NULL && i < file->name_count; i++)
		place_close(&healing.names[i].place);
	free(healing.names);
	close_source(&healing);
	side_close(&healing.damaged);
	return status;
}
