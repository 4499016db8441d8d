/*
 * Reads the members of a container, or runs the filter command of a file, and passes the rows to
 * the writer.
 * SPDX-License-Identifier: MIT
 */
#include "index/work/members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basic/ascii.h"
#include "base/basic/clock.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "index/walk/failures.h"
#include "index/work/request.h"
#include "index/work/writer.h"
#include "scan/archive/container.h"
#include "scan/command/filter_run.h"
#include "scan/document/document.h"
#include "scan/file/reading.h"

struct look {
	const struct members_use *use;
	struct file_scanner *scanner;
	struct task *task;
	struct directory *inside;
	struct batch *batch; /* the batch that is being filled; or NULL */
	struct stat status;
	bool has_failed, is_stopped, filter_has_failed;
	/* the content of the file was read again, so its old rows in the index must be replaced */
	bool has_begun;
	bool has_renewed; /* the old rows will be removed */
	bool is_same;	  /* the file has not changed since its row in the index was made */
	bool has_text;	  /* the file is a document with a text */
	bool has_hash;	  /* the hash of the file is known, although the file is only examined */
	/* If the file is unchanged, keep the output of an earlier run's filter. */
	bool keeps_filtered;
	uint64_t members;
	int64_t lacks;		      /* CONTENTS_LACKS, found by this run */
	uint8_t last[PATH_HASH_SIZE]; /* the path hash of the last archive among the members */
	bool has_last;
	/* The path hashes of the rows to keep in the directory; owned. */
	uint8_t (*kept)[PATH_HASH_SIZE];
	size_t kept_count, kept_capacity;
	const struct filter_command *command; /* the command for the file; or NULL */
	uint32_t filter;		      /* the number of the command, if it succeeded */
};

/*
 * Is this an unchanged file whose members an earlier run could not all read? That run has reported
 * it. A run that only looks for the texts of documents does not report it again.
 */
static bool has_failed_before(const struct look *look)
{
	return look->task->found.looks_only && look->task->known.kinds == 0 &&
	       !look->use->request->inflate;
}

/*
 * Note that a part of the file has no row. An archive in it has its own row, even if its members
 * have none.
 */
static void note_lack(struct look *look, struct bytes member, int why)
{
	uint8_t hash[PATH_HASH_SIZE];

	if (container_lacks_text(why))
		return;
	member.size = outer_path_size(member);
	if (look->has_last) {
		path_hash(look->inside->hash, member, hash);
		if (memcmp(hash, look->last, sizeof hash) == 0) {
			look->lacks |= CONTENTS_LACKS_NESTED;
			return;
		}
	}
	look->lacks |= CONTENTS_LACKS_MEMBERS;
}

/* Report a member, or the file itself if `member` is empty. */
static void report(struct look *look, struct bytes member, int why)
{
	const struct directory *directory = look->task->found.directory;
	struct bytes path = bytes_of(look->task->found.open_name);
	bool is_once = member.size == 0 && is_gzip_name(path);
	char *file, *whole = NULL;

	if (look->scanner->containers == CONTAINER_TEXT || has_failed_before(look))
		why = container_text_failure(why, document_is_one(path, bytes_of("")));
	look->has_failed |= has_failed_before(look);
	if (why == 0)
		return;
	note_lack(look, member, why);
	file = path_join(directory_path(directory), path);
	/*
	 * If this run omits something that a run with other options could read, the file counts as
	 * not read completely.
	 */
	look->has_failed |= !container_is_left_out(why) || container_may_be_read_later(why);
	if (file != NULL)
		path = bytes_of(file);
	if (file != NULL && member.size > 0)
		whole = malloc(path.size + 2 + member.size);
	if (whole != NULL) {
		memcpy(whole, path.data, path.size);
		memcpy(whole + path.size, "//", 2);
		memcpy(whole + path.size + 2, member.data, member.size);
		path = (struct bytes){whole, path.size + 2 + member.size};
	}
	if (is_once)
		failures_report_once(look->use->failures, directory->root, path, why);
	else
		failures_report(look->use->failures, directory->root, path, why);
	free(whole);
	free(file);
}

static void push(struct look *look)
{
	if (look->batch != NULL)
		queue_push(&look->use->writer->queue, look->batch);
	look->batch = NULL;
}

/* Make a batch with room for a task. False if memory is short. */
static bool need_batch(struct look *look, size_t capacity)
{
	if (look->batch != NULL && look->batch->count == look->batch->capacity)
		push(look);
	if (look->batch == NULL)
		look->batch = batch_new(capacity);
	return look->batch != NULL;
}

/* Note that the row of a name stays when other rows of the directory are removed. */
static bool keep(struct look *look, struct bytes name)
{
	struct simhash_error error;

	if (array_reserve(&look->kept, &look->kept_capacity, look->kept_count + 1,
			  sizeof *look->kept, &error) != 0)
		return false;
	path_hash(look->inside->hash, name, look->kept[look->kept_count++]);
	return true;
}

/*
 * Remove the index's other rows of the directory. This comes last, so members that still exist keep
 * their other data, and an interrupted run loses nothing. If the members were read only in part,
 * rows are not removed: if the run was stopped, or, in an unchanged file, if a limit was exceeded
 * or a filter failed.
 */
static bool renew(struct look *look)
{
	struct batch *batch;

	if (look->use->writer->has_no_rows || !look->has_begun || look->is_stopped ||
	    (look->is_same && (look->has_failed || look->filter_has_failed)))
		return true;
	push(look);
	if (!need_batch(look, 0) || (look->keeps_filtered && !keep(look, bytes_of(FILTERED_NAME))))
		return false;
	batch = look->batch;
	memcpy(batch->directory_hash, look->inside->hash, sizeof batch->directory_hash);
	batch->removes_directory = look->kept_count == 0;
	batch->renews_directory = look->kept_count > 0;
	if (look->kept_count > 0)
		qsort(look->kept, look->kept_count, sizeof *look->kept, compare_path_hashes);
	batch->kept = look->kept;
	batch->kept_count = look->kept_count;
	look->kept = NULL;
	look->has_renewed = true;
	push(look);
	return true;
}

/* Append a task with the row of a scanned member. The names are copied. */
static bool append(struct look *look, const struct file_row *member)
{
	const struct task *outer = look->task;
	struct bytes name = member->name, inner = inner_name(name);
	const char *extension;
	size_t extension_size = simhash_extension(inner.data, inner.size, &extension);
	bool has_room = keep(look, name) && need_batch(look, BATCH_TASKS);
	char *copy = has_room ? malloc(name.size + extension_size + 1) : NULL;
	struct task *task;

	if (copy == NULL)
		return false;
	task = batch_add(look->batch);
	directory_hold(look->inside);
	task->found.directory = look->inside;
	task->found.name = copy;
	memcpy(copy, name.data, name.size);
	ascii_lower_copy(copy + name.size, extension, extension_size);
	task->row = *member;
	task->row.directory = directory_path(look->inside);
	task->row.name = (struct bytes){copy, name.size};
	task->row.extension = (struct bytes){copy + name.size, extension_size};
	path_hash(look->inside->hash, task->row.name, task->row.path_hash);
	task->row.mtime_ns = outer->row.mtime_ns;
	task->row.device = outer->row.device;
	task->row.inode = outer->row.inode;
	if (outer_path_size(name) == name.size) {
		look->has_last = row_is_archive(member->contents);
		memcpy(look->last, task->row.path_hash, sizeof look->last);
	}
	if (!row_is_text(member->contents))
		task->row.links = 1; /* members with the same content are not hard links */
	task->row.compressed_size_bytes = look->status.st_size;
	task->row.scanned_at_ns = outer->row.scanned_at_ns;
	if (row_is_text(member->contents) && inner.size == name.size) {
		memcpy(task->row.content_hash, outer->row.content_hash, CONTENT_HASH_SIZE);
		task->row.links = look->status.st_size;
		look->has_text = true;
	}
	task->found.is_inflated = true;
	task->result.is_scanned = true;
	return true;
}

/* If several members have one name, the row of the last one replaces the others. */
static void report_same_names(struct look *look)
{
	if (look->kept_count > 1)
		qsort(look->kept, look->kept_count, sizeof *look->kept, compare_path_hashes);
	for (size_t i = 1; i < look->kept_count; i++)
		if (compare_path_hashes(look->kept[i - 1], look->kept[i]) == 0) {
			report(look, bytes_of(""), CONTAINER_HAS_SAME_NAMES);
			return;
		}
}

/*
 * The row of a text needs the hash of its document. If the file is only examined, read it for the
 * hash. False with errno.
 */
static bool know_hash(struct look *look, int fd, const struct file_row *text)
{
	struct task *task = look->task;

	if (!row_is_text(text->contents) || !task->found.looks_only || look->has_hash)
		return true;
	look->has_hash =
		scan_hash(look->scanner, fd, look->status.st_size, task->row.content_hash) == 0;
	return look->has_hash;
}

/* Pass all members to the writer. */
static void read_members(struct look *look, int fd)
{
	struct bytes name = bytes_of(look->task->found.open_name);
	struct container *container = container_open(look->scanner, fd, &look->status, name);
	enum container_answer answer = CONTAINER_END;
	struct file_row row = {.size_bytes = 0};
	bool has_room = container != NULL;
	int why = has_room ? ENOMEM : errno;

	look->has_begun |= has_room;
	while (has_room && (answer = container_next(container, &row)) != CONTAINER_END &&
	       answer != CONTAINER_STOPPED) {
		if (answer == CONTAINER_TROUBLE) {
			report(look, container_name(container),
			       container_failure_of(container_why(container)));
			continue;
		}
		if (!know_hash(look, fd, &row)) {
			report(look, row.name, errno);
			row_sketches_drop(row.sketches);
			row = (struct file_row){.size_bytes = 0};
			continue;
		}
		has_room = append(look, &row);
		look->members += has_room;
		if (!has_room)
			row_sketches_drop(row.sketches);
		row = (struct file_row){.size_bytes = 0};
	}
	if (!has_room)
		report(look, bytes_of(""), why);
	else
		report_same_names(look);
	look->is_stopped = answer == CONTAINER_STOPPED || !has_room;
	look->has_failed |= look->is_stopped;
	container_close(container);
}

/*
 * Open the file that the row describes. -1 with errno, which is 0 if the path now leads to another
 * file.
 */
static int open_again(struct look *look)
{
	struct task *task = look->task;
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (look->scanner->follow ? 0 : O_NOFOLLOW);
	int fd = open_file_at(task->found.directory->fd, task->found.open_name, flags, 0);

	if (fd < 0)
		return -1;
	task->row.scanned_at_ns = task->found.looks_only ? clock_wall_ns()
							 : task->row.scanned_at_ns;
	if (fstat(fd, &look->status) == 0) {
		if (S_ISREG(look->status.st_mode) &&
		    (task->found.looks_only ||
		     (look->status.st_size == task->row.size_bytes &&
		      stat_mtime_ns(&look->status) == task->row.mtime_ns)))
			return fd;
		errno = 0;
	}
	close_content(fd);
	return -1;
}

/* Report a file that cannot be opened or read a second time. The next run examines it again. */
static void report_unread(struct look *look, int why)
{
	/*
	 * The file was changed or removed, or replaced by a link or a FIFO: the next run handles
	 * this.
	 */
	if (why != 0 && why != ENOENT && why != ENXIO && (why != ELOOP || look->scanner->follow))
		report(look, (struct bytes){"", 0}, why);
}

/*
 * Is the file unchanged since its filter began, and does its path still lead to it? errno is 0 if
 * the file has certainly changed.
 */
static bool is_same_file(const struct look *look, int fd, const char *path)
{
	struct stat now, named;

	if (fstat(fd, &now) != 0 || (look->command->names_file && stat(path, &named) != 0))
		return false;
	errno = 0;
	return now.st_size == look->status.st_size &&
	       stat_mtime_ns(&now) == stat_mtime_ns(&look->status) &&
	       (!look->command->names_file ||
		(named.st_dev == now.st_dev && named.st_ino == now.st_ino));
}

static void report_filter(struct look *look, const char *path, const char *why)
{
	failures_report_text(look->use->failures, look->inside->root, bytes_of(path),
			     why == NULL ? strerror(ENOMEM) : why);
}

/* Make the row of a filter's output. If the file changed in the meantime, the next run reads it. */
static void filter_file(struct look *look, int fd)
{
	const struct task *task = look->task;
	char *path = path_join(directory_path(task->found.directory),
			       bytes_of(task->found.open_name)),
	     *why;
	struct file_row row = {.name = bytes_of(FILTERED_NAME)};
	enum scan_outcome outcome;

	if (path == NULL) {
		report(look, (struct bytes){"", 0}, ENOMEM);
		return;
	}
	look->has_begun = true;
	outcome = scan_filtered(look->scanner, look->command, &look->use->request->filter_limits,
				fd, path, &row, &why);
	look->filter_has_failed = outcome == SCAN_FAILED;
	if (outcome == SCAN_FAILED)
		report_filter(look, path, why);
	look->is_stopped |= outcome == SCAN_STOPPED;
	if (outcome == SCAN_DONE && !is_same_file(look, fd, path)) {
		report_unread(look, errno);
	} else if (outcome == SCAN_DONE) {
		bool has_row = row.size_bytes > 0 && append(look, &row);
		look->members += has_row;
		look->filter = has_row || row.size_bytes == 0 ? look->command->number : 0;
		if (has_row)
			row.sketches = NULL;
	}
	if (outcome == SCAN_DONE)
		row_sketches_drop(row.sketches);
	free(why);
	free(path);
}

static void look_into(struct look *look, int fd, bool is_container)
{
	struct task *task = look->task;

	look->inside = directory_new_inside(task->found.directory, bytes_of(task->found.open_name));
	if (look->inside == NULL) {
		report(look, (struct bytes){"", 0}, ENOMEM);
		return;
	}
	if (is_container)
		read_members(look, fd);
	if (look->command != NULL)
		filter_file(look, fd);
	if (!renew(look))
		report(look, (struct bytes){"", 0}, ENOMEM);
	push(look);
	directory_drop(look->inside);
}

/* The file had members, but is no longer a container, or this build cannot read it. */
static void drop_members(struct look *look)
{
	look->inside = directory_new_inside(look->task->found.directory,
					    bytes_of(look->task->found.open_name));
	look->has_begun = true;
	if (look->inside == NULL || !renew(look))
		report(look, (struct bytes){"", 0}, ENOMEM);
	else if (look->scanner->containers == 0 && look->task->known.filter == 0)
		report(look, (struct bytes){"", 0}, CONTAINER_IS_NOT_READ);
	directory_drop(look->inside);
}

/* Set the fields of the row that describe the file. All other fields of the row are unchanged. */
static void describe(struct look *look)
{
	struct file_row *row = &look->task->row;

	row->mtime_ns = stat_mtime_ns(&look->status);
	row->device = (int64_t)look->status.st_dev;
	row->inode = (int64_t)look->status.st_ino;
	row->links = look->scanner->follow ? 0 : (int64_t)look->status.st_nlink;
}

unsigned members_kinds(const struct members_use *use, const struct task *task)
{
	const struct index_request *request = use->request;
	unsigned asked = request->containers, known;
	struct simhash_error error;

	if (!task->known.has_members || container_kinds(&known, &error) != 0)
		return asked;
	if (task->known.lacks_text)
		return asked | (CONTAINER_TEXT & known);
	/* No kinds: a filter read the file, or an earlier run could not read it to its end. */
	if (task->known.kinds == 0)
		return task->known.filter == 0 ? known : asked;
	return asked | (task->known.kinds & known);
}

const struct filter_command *members_filter(const struct members_use *use, const struct task *task)
{
	const struct filter_commands *filters = use->request->filters;

	return filters == NULL ? NULL
			       : filter_commands_find(filters, bytes_of(task->found.open_name));
}

/* Is the file's content the same as when it was last read: its size, time and bytes? */
static bool is_same_content(const struct task *task)
{
	return task->found.looks_only ||
	       (task->known.has_content &&
		memcmp(task->known.content, task->row.content_hash, CONTENT_HASH_SIZE) == 0);
}

/* Return `contents` for the row after this run. */
static int64_t contents_of(const struct look *look)
{
	const struct task *task = look->task;
	bool has_old = task->known.has_members && !look->has_renewed;
	bool has_members = look->members > 0 || has_old || look->keeps_filtered;
	bool has_old_filter = look->keeps_filtered || (has_old && look->is_same);
	uint32_t filter = look->filter == 0 && has_old_filter ? task->known.filter : look->filter;
	unsigned kinds = look->scanner->containers;
	int64_t contents = !look->has_failed	     ? (int64_t)kinds
			   : kinds == CONTAINER_TEXT ? CONTENTS_LACKS_TEXT
						     : 0;

	contents |= (int64_t)filter << CONTENTS_FILTER_AT;
	contents |= look->has_text ? CONTENTS_HAS_TEXT : 0;
	contents |= look->lacks | (has_old ? task->known.lacks : 0);
	return contents | (has_members ? CONTENTS_HAS_MEMBERS : 0);
}

/* Return `contents` for the row if the file could not be opened or read again. */
static int64_t old_contents_of(const struct look *look)
{
	int64_t filter = look->keeps_filtered ? look->task->known.filter : 0;

	int64_t lacks = look->task->known.lacks_text ? CONTENTS_LACKS_TEXT : 0;

	return look->task->known.has_members
		       ? filter << CONTENTS_FILTER_AT | lacks | look->task->known.lacks |
				 CONTENTS_HAS_MEMBERS
		       : 0;
}

/* Open the file and, unless it is known, determine its kind. -1 with errno as above. */
static int open_with_kind(struct look *look, bool is_known)
{
	int fd = open_again(look);

	if (fd < 0 || is_known || scan_kind(look->scanner, fd, &look->scanner->kind, NULL) == 0)
		return fd;
	close_content(fd);
	return -1;
}

void members_look(const struct members_use *use, struct file_scanner *scanner, struct task *task)
{
	struct look look = {
		.use = use, .scanner = scanner, .task = task, .command = members_filter(use, task)};
	bool is_known = !task->found.looks_only && scanner->has_kind;
	bool is_needed = !is_known || scanner->kind != 0 || look.command != NULL, is_container;
	int fd = is_needed ? open_with_kind(&look, is_known) : -1, why = errno;

	look.is_same = is_same_content(task);
	look.keeps_filtered = look.is_same && task->known.filter != 0 && look.command == NULL;
	scanner->has_kind = false;
	if (fd < 0 && is_needed) {
		report_unread(&look, why);
		task->row.contents = old_contents_of(&look);
		return;
	}
	if (task->found.looks_only)
		describe(&look);
	is_container = scanner->kind != 0;
	if (is_container || look.command != NULL)
		look_into(&look, fd, is_container);
	else if (task->known.has_members && !look.keeps_filtered)
		drop_members(&look);
	if (fd >= 0)
		reading_close(fd, !scanner->was_cached);
	free(look.kept);
	task->result.is_looked = true;
	task->row.contents = contents_of(&look);
}
