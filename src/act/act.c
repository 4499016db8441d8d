/*
 * Carries out the acts of a batch: opens, checks and compares the files of each act, writes the act
 * to the journal, does it, and writes its outcome.
 * SPDX-License-Identifier: MIT
 */
#include "act/act.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "act/protected_names.h"
#include "act/same_bytes.h"
#include "act/work.h"
#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"

#define WORK_DESCRIPTORS 5 /* the number of descriptors that an act keeps open */
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
	saved_bytes_release(&actor->saved);
	free(actor->works);
}

void temporary_name(uint64_t *random, char name[TEMPORARY_SIZE])
{
	uint64_t z = *random += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	snprintf(name, TEMPORARY_SIZE, KEEP_TEMPORARY_PREFIX "%016" PRIx64, z ^ z >> 31);
}

/* ---- Opening ---- */

/* Acts of one batch share the kept file. */
static int open_kept(struct work *work)
{
	const struct keep_file *kept = work->kept_file;
	struct work *last = work == work->actor->works ? NULL : work - 1;
	struct simhash_error why;

	if (last != NULL && last->kept_file == kept) {
		work->kept = last->kept;
		return 0;
	}
	if (side_open(work->kept, kept, NULL, &why) == 0)
		return 0;
	return error_set(work->why, SIMHASH_E_RANGE, "the kept file, %s: %s", kept->path,
			 why.message);
}

static int lock_side(struct work *work, struct side *side, int how)
{
	int writable;

	if (side->fd < 0 || flock(side->fd, how | LOCK_NB) == 0)
		return 0;
	/* On NFS, an exclusive lock requires a file that is open for writing. */
	if (errno == EBADF && (writable = side_open_writable(side)) >= 0) {
		close_content(side->fd);
		side->fd = writable;
		if (flock(side->fd, how | LOCK_NB) == 0)
			return 0;
	}
	work->is_locked_elsewhere = errno == EWOULDBLOCK;
	if (errno == EWOULDBLOCK)
		return refuse(work, "another program has locked it or the kept file");
	return error_set_errno(work->why, "cannot lock it");
}

/* ---- Checks ---- */

/*
 * Does a protected directory have another name of the kept file? A hard link to it would then be a
 * link to a protected file. Links that this program made are known not to be there.
 */
static int check_other_names(struct work *work)
{
	struct actor *actor = work->actor;
	const struct stat *kept = &work->kept->status;
	bool is_known = actor->linked.device == (uint64_t)kept->st_dev &&
			actor->linked.inode == (uint64_t)kept->st_ino;
	bool is_found = false;

	if (actor->options.protected_count == 0 ||
	    (uint64_t)kept->st_nlink == 1 + (is_known ? actor->linked.names : 0))
		return 0;
	if (protected_names_look(&actor->protected_names, actor->options.protected,
				 actor->options.protected_count, kept, &is_found, work->why) != 0)
		return -1;
	return is_found ? refuse(work, "the kept file has another name, which is protected") : 0;
}

/*
 * Can the copy become a hard link? Both names of a hard link share one owner, one mode and one list
 * of attributes.
 */
static int check_link(struct work *work)
{
	const struct stat *copy = &work->copy.status, *kept = &work->kept->status;

	if (copy->st_uid != kept->st_uid || copy->st_gid != kept->st_gid ||
	    copy->st_mode != kept->st_mode)
		return refuse(work, "its owner, group or mode differs from the kept file");
	if (!work->record.same_attributes)
		return refuse(work, "its extended attributes differ from the kept file");
	return check_other_names(work);
}

static int check_act(struct work *work)
{
	const struct stat *copy = &work->copy.status, *kept = &work->kept->status;
	enum keep_action action = work->actor->options.action;
	bool shares = action == ACTION_HARDLINK || action == ACTION_REFLINK;

	if (action != ACTION_REFLINK && check_removal(&work->copy.place, copy, work->why) != 0)
		return -1;
	if ((copy->st_mode & S_IWUSR) == 0)
		return refuse(work, "it is read-only");
	if (work->kept->fd < 0)
		return 0;
	work->is_same_already = is_same_inode(copy, kept) && work->kept_file != work->act->kept;
	if (is_same_inode(copy, kept))
		return refuse(work, "it is the same file as the one that is kept");
	if (shares && copy->st_dev != kept->st_dev)
		return refuse(work, "it is on another file system than the kept file");
	if (action == ACTION_REFLINK && copy->st_size == 0)
		return refuse(work, "it is empty");
	if (action == ACTION_REFLINK)
		return check_sharing(work->kept->fd, work->copy.fd, work->why);
	return action == ACTION_HARDLINK ? check_link(work) : 0;
}

/* Find the target of a file: its complete path below the directory of --action=move:DIR. */
static int prepare_move(struct work *work)
{
	const char *top = work->actor->options.move_to, *path = work->act->file->path;
	char *to;
	struct place existing;
	struct stat status;

	if (path_is_at_or_below(bytes_of(path), bytes_of(top)))
		return refuse(work, "it is there already");
	to = path_join(bytes_of(top), bytes_of(path + 1));
	if (to == NULL)
		return error_set_memory(work->why);
	work->record.to = work->result->to = to;
	if (work->actor->options.journal != NULL)
		return place_open(to, &work->actor->guard, PLACE_MAKES, &work->to, work->why);
	/* A dry run creates nothing, and the target directory usually does not exist yet. */
	if (place_open(to, NULL, 0, &existing, &(struct simhash_error){.code = 0}) != 0)
		return 0;
	if (place_status(&existing, existing.name, &status) == 0)
		refuse(work, "another file has its name in the directory to move to");
	place_close(&existing);
	return work->why->message[0] == '\0' ? 0 : -1;
}

static int check_device(struct work *work)
{
	struct stat top;

	if (stat(work->actor->options.move_to, &top) == 0 && top.st_dev != work->copy.status.st_dev)
		return refuse(work, "it is on another file system than the directory to move to");
	return 0;
}

/* ---- Comparing ---- */

/* Another program that opens the file waits for the lease to end, so stop before the last byte. */
static bool has_no_writer(const void *context)
{
	const struct work *work = context;

	return side_has_no_writer(&work->copy) && side_has_no_writer(work->kept);
}

static int compare(struct work *work)
{
	int same;

	if (work->kept->fd < 0)
		return 0;
	same = same_bytes(work->copy.fd, work->kept->fd, work->record.hash, has_no_writer, work);
	if (same < 0 && errno == ECANCELED)
		return refuse(work, "another program opened it or the kept file for "
				    "writing meanwhile");
	if (same < 0)
		return error_set_errno(work->why, "cannot read it or the kept file");
	if (same == 0)
		return refuse(work, "its content differs from the kept file");
	work->record.has_hash = true;
	return 0;
}

/* Watch both files for writes from now on. For reflinks, the kernel itself compares the files. */
static int watch(struct work *work)
{
	struct simhash_error why;

	if (work->kept->fd < 0 || work->actor->options.action == ACTION_REFLINK)
		return 0;
	if (work->kept->sync_error != 0) {
		errno = work->kept->sync_error;
		return error_set_errno(work->why, "cannot flush the kept file to the disk");
	}
	if (side_watch(&work->copy, work->why) != 0)
		return -1;
	return side_watch(work->kept, &why) == 0
		       ? 0
		       : error_set(work->why, why.code, "the kept file: %s", why.message);
}

/* ---- One act ---- */

/* The checks before the files are compared. */
static int prepare(struct work *work)
{
	struct actor *actor = work->actor;
	const struct keep_file *file = work->act->file;
	bool moves = actor->options.action == ACTION_MOVE;

	if (side_open(&work->copy, file, &actor->guard, work->why) != 0 ||
	    (work->kept_file != NULL && open_kept(work) != 0))
		return -1;
	if (work->kept_file != NULL)
		work->record.same_attributes = has_same_attributes(work->copy.fd, work->kept->fd);
	if (work->kept_file == NULL && file->size_bytes == KEEP_SIZE_UNKNOWN)
		return refuse(work, "its decision has neither size nor mtime");
	if (check_act(work) != 0 || (moves && check_device(work) != 0))
		return -1;
	if (actor->options.journal != NULL &&
	    (lock_side(work, &work->copy, LOCK_EX) != 0 ||
	     (work->kept == &work->own_kept && lock_side(work, work->kept, LOCK_SH) != 0)))
		return -1;
	return moves && actor->options.journal == NULL ? prepare_move(work) : 0;
}

static void fill_record(struct work *work)
{
	struct journal_act *record = &work->record;
	enum keep_action action = work->actor->options.action;

	record->action = action;
	record->path = work->act->file->path;
	record->kept = work->kept_file == NULL ? NULL : work->kept_file->path;
	if (action == ACTION_HARDLINK || action == ACTION_DELETE)
		temporary_name(&work->actor->random, record->temporary);
	journal_file_set(&record->copy, &work->copy.status);
	if (work->kept_file != NULL)
		journal_file_set(&record->kept_file, &work->kept->status);
}

/* Compare both files while writes are noticed, and then check them again. */
static int examine(struct work *work)
{
	if (watch(work) != 0 || compare(work) != 0 || check_unchanged(work) != 0 ||
	    (work->actor->options.action == ACTION_MOVE && prepare_move(work) != 0))
		return -1;
	fill_record(work);
	return 0;
}

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

static int count_saved(struct work *work, struct simhash_error *error)
{
	return saved_bytes_count(&work->actor->saved, work->actor->options.action,
				 work->actor->options.journal != NULL, &work->copy.status,
				 own_bytes(work->copy.fd, &work->copy.status),
				 &work->result->saved_bytes, error);
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

	if (count_saved(work, error) != 0)
		return -1;
	result->outcome = work_do(work) == 0 ? ACT_DONE : ACT_LEFT;
	if (result->outcome == ACT_LEFT)
		result->saved_bytes = 0;
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
	place_close(&work->to);
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

	if (actor->options.action != ACTION_HARDLINK || work->kept != &work->own_kept)
		return false;
	for (size_t i = 0; i < actor->work_count; i++)
		if (is_same_inode(&actor->works[i].kept->status, &work->kept->status))
			return true;
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
			      .kept = &work->own_kept,
			      .to = {.directory_fd = -1},
			      .result = result,
			      .why = &result->why};
	errno = 0;
	has_joined = prepare(work) == 0;
	if (has_joined && is_kept_by_other_name(work)) {
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
		result->outcome = work->is_same_already ? ACT_NOTHING : ACT_LEFT;
	if (work->is_same_already)
		result->why.message[0] = '\0';
	release_work(work);
	return result->outcome != ACT_PENDING;
}

/* Take pending acts in their order. */
static void fill_batch(struct actor *actor, const struct planned_act *acts, size_t count,
		       struct act_result *results)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < count && actor->work_count < actor->work_capacity; i++) {
		if (results[i].outcome != ACT_PENDING)
			continue;
		if ((bytes > 0 && bytes + acts[i].file->size_bytes > BATCH_BYTES) ||
		    !join(actor, &acts[i], &results[i]))
			return;
		if (results[i].outcome == ACT_PENDING)
			bytes += actor->works[actor->work_count - 1].copy.status.st_size;
	}
}

/*
 * A kept file may just have been written, so it must be on the disk before its copy is removed. For
 * many files, the complete file system is synchronized.
 */
static void sync_kept(struct actor *actor)
{
	enum keep_action action = actor->options.action;
	const struct side *last = NULL;
	bool is_all = false;

	if (action != ACTION_DELETE && action != ACTION_HARDLINK)
		return;
	for (size_t i = 0; i < actor->work_count; i++) {
		struct work *work = &actor->works[i];
		if (work->kept != &work->own_kept ||
		    (is_all && work->kept->status.st_dev == last->status.st_dev))
			continue;
		is_all = i + 1 < actor->work_count && side_sync_all(work->kept);
		last = work->kept;
		if (!is_all && side_sync(work->kept) != 0)
			work->kept->sync_error = errno;
	}
}

static void set_acting(const struct actor *actor, bool is_acting)
{
	if (actor->options.is_acting != NULL)
		atomic_store(actor->options.is_acting, is_acting);
}

/*
 * Do the acts of a batch, from the first entry in the journal to the last. A signal that would end
 * the program waits until the batch is done. Reflinks do not block signals, because they take long
 * and leave nothing incomplete.
 */
static int do_batch(struct actor *actor, struct simhash_error *error)
{
	struct journal *journal = actor->options.journal;
	sigset_t ending, before;
	size_t count = 0;
	int status = 0;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigaddset(&ending, SIGQUIT);
	if (actor->options.action == ACTION_REFLINK)
		sigemptyset(&ending);
	pthread_sigmask(SIG_BLOCK, &ending, &before);
	set_acting(actor, true);
	for (size_t i = 0; status == 0 && i < actor->work_count; i++) {
		struct work *work = &actor->works[i];
		if (work->result->outcome != ACT_PENDING)
			continue;
		status = journal_begin(journal, &work->record, error);
		count++;
	}
	if (status == 0 && count > 0)
		status = journal_sync(journal, error);
	for (size_t i = 0; status == 0 && i < actor->work_count; i++)
		if (actor->works[i].result->outcome == ACT_PENDING)
			status = carry_out(&actor->works[i], error);
	set_acting(actor, false);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}

static int finish_batch(struct actor *actor, struct simhash_error *error)
{
	int status = 0;

	if (actor->options.journal == NULL) {
		for (size_t i = 0; status == 0 && i < actor->work_count; i++) {
			actor->works[i].result->outcome = ACT_DONE;
			status = count_saved(&actor->works[i], error);
		}
	} else {
		sync_kept(actor);
		for (size_t i = 0; i < actor->work_count; i++)
			if (examine(&actor->works[i]) != 0)
				actor->works[i].result->outcome = ACT_LEFT;
		status = do_batch(actor, error);
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
