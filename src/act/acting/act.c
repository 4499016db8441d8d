/*
 * Carries out the acts of a batch: opens, checks and compares the files of each act, writes the act
 * to the journal, does it, and writes its outcome.
 * SPDX-License-Identifier: MIT
 */
#include "act/acting/act.h"
#include "act/file/share_blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "act/acting/work.h"
#include "act/file/protected_names.h"
#include "act/file/same_bytes.h"
#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"

#define WORK_DESCRIPTORS 7 /* the number of descriptors that an act keeps open */
/*
 * The number of other descriptors of the program, including those that an act opens for a moment.
 */
#define OTHER_DESCRIPTORS 64
#define BATCH_BYTES ((int64_t)64 << 20)

/* The number of acts whose files can be open at the same time. */
static size_t batch_size(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	    limit.rlim_cur >= ACT_BATCH * WORK_DESCRIPTORS + OTHER_DESCRIPTORS)
		return ACT_BATCH;
	return limit.rlim_cur > OTHER_DESCRIPTORS + WORK_DESCRIPTORS
		       ? (size_t)(limit.rlim_cur - OTHER_DESCRIPTORS) / WORK_DESCRIPTORS
		       : 1;
}

int actor_init(struct actor *actor, const struct act_options *options, struct simhash_error *error)
{
	*actor = (struct actor){.options = *options,
				.work_capacity = options->journal == NULL ? 1 : batch_size(),
				.random = (uint64_t)clock_wall_ns() * 31 + (uint64_t)getpid()};
	kept_archive_init(&actor->archive);
	actor->works = calloc(actor->work_capacity, sizeof *actor->works);
	if (actor->works == NULL)
		return error_set_memory(error);
	if (guard_init(&actor->guard, options->protected, options->protected_count, error) == 0)
		return 0;
	free(actor->works);
	return -1;
}

void actor_release(struct actor *actor)
{
	guard_release(&actor->guard);
	protected_names_release(&actor->protected_names);
	kept_archive_release(&actor->archive);
	saved_bytes_release(&actor->saved);
	block_counts_release(&actor->blocks);
	path_notes_release(&actor->directories);
	arena_release(&actor->targets.paths);
	free(actor->targets.list);
	free(actor->works);
}

void temporary_name(uint64_t *random, char name[TEMPORARY_SIZE])
{
	uint64_t z = *random += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	snprintf(name, TEMPORARY_SIZE, KEEP_TEMPORARY_PREFIX "%016" PRIx64, z ^ z >> 31);
}

/* ---- One act ---- */

/* Record that the kept file has one more name. */
static void note_link(struct work *work)
{
	struct linked_names *linked = &work->actor->linked;
	uint64_t device = (uint64_t)work->kept->status.st_dev;
	uint64_t inode = (uint64_t)work->kept->status.st_ino;

	if (linked->device != device || linked->inode != inode)
		*linked = (struct linked_names){device, inode, 0};
	linked->names++;
}

static const struct keep_file *kept_for(const struct actor *actor, const struct planned_act *act)
{
	return act->kept != NULL && actor->second.planned == act->kept ? actor->second.file
								       : act->kept;
}

/*
 * The kept file can have no more names. So the first file that cannot become a link is kept for the
 * others, which are tried again with it.
 */
static void keep_second(struct work *work)
{
	struct actor *actor = work->actor;

	work->why->message[0] = '\0';
	work->result->outcome = ACT_PENDING;
	if (work->kept_file != kept_for(actor, work->act))
		return;
	actor->second = (struct second_kept){work->act->kept, work->act->file};
	work->result->outcome = ACT_KEPT;
}

/*
 * In a run that changes nothing, add the blocks that a copy shares only with copies before it: they
 * are free when all of them are removed.
 */
static int count_shared_once(struct work *work, struct simhash_error *error)
{
	struct actor *actor = work->actor;
	struct extents extents = {.list = NULL};
	uint64_t freed = 0, size = disk_bytes(&work->copy.status);
	int status = 0;

	if (actor->blocks_of != work->kept_file) {
		block_counts_clear(&actor->blocks);
		if (work->kept->fd >= 0 && extents_read(work->kept->fd, &extents) == 0)
			status = block_counts_keep(&actor->blocks, &extents, error);
		actor->blocks_of = work->kept_file;
	}
	if (status == 0 && extents_read(work->copy.fd, &extents) == 0)
		status = block_counts_remove(&actor->blocks, &extents, &freed, error);
	extents_release(&extents);
	freed += work->result->saved_bytes;
	work->result->saved_bytes = freed < size ? freed : size;
	return status;
}

static int count_saved(struct work *work, struct simhash_error *error)
{
	bool is_real = work->actor->options.journal != NULL, is_freed;
	uint64_t own = own_bytes(work->copy.fd, &work->copy.status);

	if (follows_move(work->act))
		return 0; /* the moved file still needs the space */
	if (saved_bytes_count(&work->actor->saved, work->act->action, is_real, &work->copy.status,
			      &is_freed, error) != 0)
		return -1;
	work->result->saved_bytes = is_freed ? own : 0;
	return is_freed && !is_real && own < disk_bytes(&work->copy.status)
		       ? count_shared_once(work, error)
		       : 0;
}

/* Bytes that the copy still does not share were not freed. */
static void count_shared(struct work *work)
{
	uint64_t *saved = &work->result->saved_bytes, left;
	struct stat now;

	if (fstat(work->copy.fd, &now) != 0)
		return;
	left = own_bytes(work->copy.fd, &now);
	*saved -= left < *saved ? left : *saved;
}

static int carry_out(struct work *work, struct simhash_error *error)
{
	struct act_result *result = work->result;
	int status;

	if (!work->is_far && count_saved(work, error) != 0)
		return -1;
	result->outcome = work_do(work) == 0 ? ACT_DONE : ACT_LEFT;
	if (result->outcome == ACT_LEFT)
		result->saved_bytes = 0;
	else if (work_note_lost(work, error) != 0)
		return -1;
	else if (work->record.action == ACTION_REFLINK)
		count_shared(work);
	else if (work->record.action == ACTION_HARDLINK)
		note_link(work);
	status = journal_end(work->actor->options.journal, &work->record,
			     result->outcome == ACT_DONE ? NULL : result->why.message, error);
	if (work->is_full)
		keep_second(work);
	return status;
}

/* ---- A batch ---- */

static void release_work(struct work *work)
{
	side_close(&work->target);
	side_close(&work->own_kept);
	side_close(&work->copy);
}

/*
 * Another name of the kept file: it must be checked again, because a link to the file changes its
 * times.
 */
static bool is_kept_by_other_name(const struct work *work)
{
	const struct actor *actor = work->actor;
	bool links = work->act->action == ACTION_HARDLINK;

	if (work->kept != &work->own_kept)
		return false;
	for (size_t i = 0; i < actor->work_count; i++) {
		const struct work *other = &actor->works[i];
		if ((links || other->act->action == ACTION_HARDLINK) &&
		    is_same_inode(&other->kept->status, &work->kept->status))
			return true;
	}
	return false;
}

static bool join_failed_for_now(const struct actor *actor, const struct work *work, int cause)
{
	return actor->work_count > 0 &&
	       (work->is_locked_elsewhere || cause == EMFILE || cause == ENFILE);
}

/* Add one more act to the batch. False if it must wait for the acts in the batch. */
static bool join(struct actor *actor, const struct planned_act *act, struct act_result *result)
{
	struct work *work = &actor->works[actor->work_count];
	bool has_joined;

	*result = (struct act_result){.kept = kept_for(actor, act)};
	*work = (struct work){.actor = actor,
			      .act = act,
			      .kept_file = result->kept,
			      .copy = {.place = {.directory_fd = -1}, .fd = -1},
			      .own_kept = {.place = {.directory_fd = -1}, .fd = -1},
			      .target = {.place = {.directory_fd = -1}, .fd = -1},
			      .kept = &work->own_kept,
			      .result = result,
			      .why = &result->why};
	errno = 0;
	has_joined = work_prepare(work) == 0;
	if (has_joined && (is_kept_by_other_name(work) ||
			   (actor->work_count > 0 && work->is_far != actor->works[0].is_far))) {
		release_work(work);
		return false;
	}
	if (has_joined) {
		actor->work_count++;
		return true;
	}
	if (join_failed_for_now(actor, work, errno))
		result->why.message[0] = '\0';
	else
		result->outcome = work->is_same_already	    ? ACT_NOTHING
				  : work->is_shared_already ? ACT_SHARED
							    : ACT_LEFT;
	if (work->is_same_already)
		result->why.message[0] = '\0';
	release_work(work);
	return result->outcome != ACT_PENDING;
}

static bool shares_blocks(const struct planned_act *act)
{
	return act->action == ACTION_REFLINK;
}

/*
 * Take pending acts in their order. Reflinks and moves to other file systems have their own
 * batches.
 */
static void fill_batch(struct actor *actor, const struct planned_act *acts, size_t count,
		       struct act_result *results)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < count && actor->work_count < actor->work_capacity; i++) {
		if (results[i].outcome != ACT_PENDING)
			continue;
		if (actor->work_count > 0 &&
		    shares_blocks(actor->works[0].act) != shares_blocks(&acts[i]))
			return;
		if (actor->work_count > 0 && actor->works[0].is_far && follows_move(&acts[i]))
			return;
		if ((bytes > 0 && bytes + acts[i].file->size_bytes > BATCH_BYTES) ||
		    !join(actor, &acts[i], &results[i]))
			return;
		if (results[i].outcome == ACT_PENDING)
			bytes += actor->works[actor->work_count - 1].copy.status.st_size;
	}
}

static bool removes_bytes(const struct work *work)
{
	return work->act->action == ACTION_DELETE || work->act->action == ACTION_HARDLINK;
}

/*
 * A kept file may just have been written, so it must be on the disk before its copy is removed. For
 * many files, the complete file system is synchronized.
 */
static void sync_kept(struct actor *actor)
{
	const struct side *last = NULL;
	bool is_all = false;

	for (size_t i = 0; i < actor->work_count; i++) {
		struct work *work = &actor->works[i];
		if (!removes_bytes(work) ||
		    (work->kept != &work->own_kept && work->kept != &work->target) ||
		    (is_all && work->kept->status.st_dev == last->status.st_dev))
			continue;
		is_all = i + 1 < actor->work_count && side_sync_all(work->kept);
		last = work->kept;
		if (!is_all && side_sync(work->kept) != 0)
			work->kept->sync_error = errno;
	}
}

void actor_begin_change(const struct actor *actor, bool blocks, sigset_t *before)
{
	sigset_t ending;

	sigemptyset(&ending);
	if (blocks) {
		sigaddset(&ending, SIGINT);
		sigaddset(&ending, SIGTERM);
		sigaddset(&ending, SIGHUP);
		sigaddset(&ending, SIGQUIT);
	}
	pthread_sigmask(SIG_BLOCK, &ending, before);
	if (actor->options.is_acting != NULL)
		atomic_store(actor->options.is_acting, true);
}

void actor_end_change(const struct actor *actor, const sigset_t *before)
{
	if (actor->options.is_acting != NULL)
		atomic_store(actor->options.is_acting, false);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Write the entries of all acts to the journal, and the journal to the disk. */
static int enter_batch(struct actor *actor, struct simhash_error *error)
{
	size_t count = 0;
	int status = targets_begin(actor, error);

	for (size_t i = 0; status == 0 && i < actor->work_count; i++) {
		struct work *work = &actor->works[i];
		if (work->result->outcome != ACT_PENDING)
			continue;
		status = work_note_directory(work, error);
		if (status == 0)
			status = journal_begin(actor->options.journal, &work->record, error);
		count++;
	}
	return status == 0 && count > 0 ? journal_sync(actor->options.journal, error) : status;
}

/*
 * Do the acts of a batch, from the first entry in the journal to the last. A signal that would end
 * the program waits until the batch is done, but stops copies at once. Reflinks do not block signals, because they take long
 * and leave nothing incomplete.
 */
static int do_batch(struct actor *actor, struct simhash_error *error)
{
	sigset_t before;
	int status;

	actor_begin_change(actor, actor->work_count > 0 && !shares_blocks(actor->works[0].act),
			   &before);
	status = enter_batch(actor, error);
	if (status == 0)
		status = targets_make(actor, error);
	if (status == 0 && actor->is_copying)
		status = far_copy(actor, error);
	for (size_t i = 0; status == 0 && !actor->is_copying && i < actor->work_count; i++)
		if (actor->works[i].result->outcome == ACT_PENDING)
			status = carry_out(&actor->works[i], error);
	actor_end_change(actor, &before);
	return status;
}

/* Request the members that the batch keeps and, with `ahead`, of the acts after it. */
static void request_members(struct actor *actor, bool ahead)
{
	struct kept_archive *archive = &actor->archive;
	const struct plan *plan = actor->options.plan;
	const struct planned_act *act = actor->works[actor->work_count - 1].act + 1;

	kept_archive_forget(archive);
	for (size_t i = 0; i < actor->work_count; i++)
		if (actor->works[i].kept == &archive->side)
			kept_archive_add(archive, actor->works[i].kept_file->path,
					 actor->works[i].kept_file->size_bytes);
	for (; ahead && plan != NULL && act < plan->acts + plan->count; act++)
		if (act->kept == NULL || act->kept->archive_bytes == 0 ||
		    !kept_archive_add(archive, act->kept->path, act->kept->size_bytes))
			break;
}

static bool lacks_member(const struct actor *actor)
{
	for (size_t i = 0; i < actor->work_count; i++) {
		const struct work *work = &actor->works[i];
		if (work->kept == &actor->archive.side &&
		    kept_archive_find(&actor->archive, work->kept_file->path,
				      work->kept_file->size_bytes) == NULL)
			return true;
	}
	return false;
}

/*
 * Watch the archive for writes, and read the kept members again. There may be no room
 * for more than the batch needs. If something fails, examining the acts gives the reason.
 */
static void read_members(struct actor *actor)
{
	struct simhash_error ignored;

	if (lacks_member(actor) && side_watch(&actor->archive.side, &ignored) != 0)
		return;
	for (int ahead = 1; ahead >= 0 && lacks_member(actor); ahead--) {
		request_members(actor, ahead);
		kept_archive_read(&actor->archive);
		if (actor->archive.bytes != NULL)
			return;
	}
}

static int examine_and_do(struct actor *actor, struct simhash_error *error)
{
	for (size_t i = 0; i < actor->work_count; i++)
		if (actor->works[i].result->outcome == ACT_PENDING &&
		    work_examine(&actor->works[i]) != 0)
			actor->works[i].result->outcome = ACT_LEFT;
	return do_batch(actor, error);
}

/*
 * Copy the files of the batch to another file system, and then delete them. A signal waits, but
 * stops this soon, and then files that were not deleted have no copies.
 */
static int move_far(struct actor *actor, struct simhash_error *error)
{
	sigset_t before;
	int status;

	actor_begin_change(actor, true, &before);
	actor->is_copying = true;
	status = examine_and_do(actor, error);
	actor->is_copying = false;
	if (status == 0) {
		far_begin_removal(actor);
		sync_kept(actor);
		status = examine_and_do(actor, error);
		far_end(actor);
	}
	actor_end_change(actor, &before);
	return status;
}

static int finish_batch(struct actor *actor, struct simhash_error *error)
{
	int status = 0;

	if (actor->options.journal == NULL) {
		for (size_t i = 0; status == 0 && i < actor->work_count; i++) {
			actor->works[i].result->outcome = ACT_DONE;
			status = count_saved(&actor->works[i], error);
			if (status == 0)
				status = work_note_lost(&actor->works[i], error);
		}
	} else {
		sync_kept(actor);
		read_members(actor);
		status = actor->work_count > 0 && actor->works[0].is_far
				 ? move_far(actor, error)
				 : examine_and_do(actor, error);
	}
	while (actor->work_count > 0)
		release_work(&actor->works[--actor->work_count]);
	return status;
}

static bool has_pending(const struct act_result *results, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (results[i].outcome == ACT_PENDING)
			return true;
	return false;
}

int actor_act(struct actor *actor, const struct planned_act *acts, size_t count,
	      struct act_result *results, struct simhash_error *error)
{
	int status = 0;

	for (size_t i = 0; i < count; i++)
		results[i] = (struct act_result){.outcome = ACT_PENDING};
	while (status == 0 && has_pending(results, count)) {
		fill_batch(actor, acts, count, results);
		status = finish_batch(actor, error);
	}
	return status;
}
