/*
 * Compares the files of a directory with its rows, both in order of path hash, and passes the files
 * to scan and the rows to remove to the feed.
 * SPDX-License-Identifier: MIT
 */
#include "index/compare/reconcile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/identity.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "index/compare/inflated.h"
#include "index/compare/right_content.h"
#include "index/walk/failures.h"
#include "scan/file/container_kind.h"
#include "store/open/view.h"
#include "store/row/trust.h"
#include "store/rows/known_file.h"
#include "store/rows/known_table.h"

/* The number of directories after which the view of the index is renewed. */
#define VIEW_DIRECTORIES 256

/* Called before a query: begin a view of the index, if there is none. */
static int look_up(struct reconciler *reconciler, struct simhash_error *error)
{
	if (reconciler->has_view)
		return 0;
	reconciler->has_view = true;
	reconciler->decided = 0;
	return store_renew_view(reconciler->store, error);
}

/* Does a file have the size and the time of its row? */
static bool is_as_known(const struct found_file *file, const struct known_file *known)
{
	int64_t size_bytes = file->is_inflated ? known->compressed_size_bytes : known->size_bytes;

	return file->size_bytes == size_bytes && file->mtime_ns == known->mtime_ns;
}

static void skip(struct reconciler *reconciler, const struct found_file *file)
{
	reconciler->unchanged++;
	if (reconciler->progress != NULL)
		index_progress_skip(reconciler->progress, file->size_bytes);
}

/* An unchanged file may have more or fewer names than its row says. */
static int relink_if_changed(const struct reconciler *reconciler, const struct found_file *file,
			     const struct known_file *known, struct feed *feed,
			     struct simhash_error *error)
{
	int64_t links = recorded_links(file, reconciler->follow);
	struct relinked_file relinked = {
		.device = (int64_t)file->device, .inode = (int64_t)file->inode, .links = links};

	if (links == known->links)
		return 0;
	if (reconciler->aside != NULL && links > known->links &&
	    put_aside_linked(reconciler->aside, file, error) < 0)
		return -1;
	memcpy(relinked.path_hash, file->path_hash, PATH_HASH_SIZE);
	return feed_relink(feed, &relinked, error);
}

/* If the run does not inflate, the row of a gzip file's content moves with the row of the file. */
static int put_aside_content(const struct reconciler *reconciler, struct directory *directory,
			     const struct found_file *file, struct simhash_error *error)
{
	struct found_file content = *file;
	char *name = reconciler->inflates ? NULL : malloc(2 * file->name_size + 8);
	int status = 0;

	if (reconciler->inflates)
		return 0;
	if (name == NULL)
		return error_set_memory(error);
	content.name_size = inflated_name((struct bytes){file->name, file->name_size}, name);
	content.name = name;
	content.is_inflated = content.moves_only = true;
	if (content.name_size > 0)
		status = put_aside_file(reconciler->aside, directory, &content, error);
	free(name);
	return status < 0 ? -1 : 0;
}

/* Handle a file whose path is not in the index. It may have been moved from an indexed path. */
static int scan_unknown(struct reconciler *reconciler, struct directory *directory,
			const struct found_file *file, struct feed *feed,
			struct simhash_error *error)
{
	int waits = reconciler->aside == NULL
			    ? 0
			    : put_aside_file(reconciler->aside, directory, file, error);

	if (waits == 0)
		return feed_scan(feed, directory, file, error);
	return waits < 0 ? -1 : put_aside_content(reconciler, directory, file, error);
}

/* Read a row again that was read ahead, because the table lacks some of its values. */
static int complete(struct reconciler *reconciler, struct known_file *known, bool *found,
		    struct simhash_error *error)
{
	uint8_t hash[PATH_HASH_SIZE];

	*found = true;
	if (known->scanned_at_ns != 0)
		return 0;
	memcpy(hash, known->path_hash, PATH_HASH_SIZE);
	return look_up(reconciler, error) != 0
		       ? -1
		       : store_find_file(reconciler->store, &reconciler->scope, hash, known, found,
					 error);
}

/*
 * Does this file's file system have lasting inode numbers? Checked once for consecutive files of
 * one device.
 */
static bool have_lasting_inodes(struct reconciler *reconciler, const struct directory *directory,
				const struct found_file *file)
{
	if (reconciler->inodes_device != file->device)
		reconciler->inodes_last = inodes_are_lasting(directory->fd);
	reconciler->inodes_device = file->device;
	return reconciler->inodes_last;
}

/* Some file systems also make up the status time: the current time, or the time of the mount. */
static bool is_made_up(const struct reconciler *reconciler, const struct directory *directory,
		       const struct found_file *file, int64_t scanned_at_ns)
{
	struct stat status;

	/* A real change of a name also changes the modification time of the directory. */
	return file->changed_ns >= reconciler->begun_ns ||
	       (fstat(directory->fd, &status) == 0 && stat_ctime_ns(&status) == file->changed_ns &&
		mtime_shows_changes(stat_mtime_ns(&status), scanned_at_ns) &&
		stat_mtime_ns(&status) < scanned_at_ns);
}

/* Was the file replaced by another file with the same size and time? */
static int is_exchanged(struct reconciler *reconciler, const struct directory *directory,
			const struct found_file *file, const struct known_file *known,
			bool *is_other, struct simhash_error *error)
{
	struct known_file whole = *known;
	bool lasts, found;

	*is_other = false;
	if (known_inode_is(known, file->inode))
		return 0;
	lasts = have_lasting_inodes(reconciler, directory, file);
	if (!lasts && complete(reconciler, &whole, &found, error) != 0)
		return -1;
	*is_other = inode_shows_exchange(lasts, file->changed_ns, whole.scanned_at_ns) &&
		    (lasts || !is_made_up(reconciler, directory, file, whole.scanned_at_ns));
	return 0;
}

static int is_unchanged(struct reconciler *reconciler, const struct directory *directory,
			const struct found_file *file, const struct known_file *known,
			bool *is_same, struct simhash_error *error)
{
	bool is_other;

	*is_same = !reconciler->force && !known->lacks_sketches && is_as_known(file, known) &&
		   known->is_settled;
	if (!*is_same)
		return 0;
	if (is_exchanged(reconciler, directory, file, known, &is_other, error) != 0)
		return -1;
	*is_same = !is_other;
	return 0;
}

/*
 * Scan a file that has members in the index. Its members are also written again, so the scan looks
 * for the kinds of the last run and for the requested kinds.
 */
static int scan_container(struct reconciler *reconciler, struct directory *directory,
			  const struct found_file *file, const struct known_file *known,
			  struct feed *feed, struct simhash_error *error)
{
	struct found_file again = *file;
	struct known_file whole = *known;
	bool found;

	if (complete(reconciler, &whole, &found, error) != 0)
		return -1;
	again.had_members = true;
	again.kinds = found ? (unsigned)whole.contents & CONTAINER_ALL : 0;
	again.filter = found ? contents_filter(whole.contents) : 0;
	again.lacked_text = found && (whole.contents & CONTENTS_LACKS_TEXT) != 0;
	again.lacks = found ? whole.contents & CONTENTS_LACKS : 0;
	if (found && whole.has_content_hash && is_as_known(file, &whole))
		again.known_content = whole.content_hash;
	return feed_scan(feed, directory, &again, error);
}

/*
 * Handle a file that differs from the row of its path. If it was replaced by a file that may have
 * been moved here, the row may belong to a file that was moved away.
 */
static int scan_changed(struct reconciler *reconciler, struct directory *directory,
			const struct found_file *file, const struct known_file *known,
			struct feed *feed, struct simhash_error *error)
{
	struct bytes name = {file->name, file->name_size};
	struct known_file whole = *known;
	bool found;
	int waits;

	if (known->has_members)
		return scan_container(reconciler, directory, file, known, feed, error);
	if (reconciler->aside == NULL || file->is_unchanged || known_inode_is(known, file->inode))
		return feed_scan(feed, directory, file, error);
	waits = put_aside_file(reconciler->aside, directory, file, error);
	if (waits <= 0)
		return waits == 0 ? feed_scan(feed, directory, file, error) : -1;
	if (complete(reconciler, &whole, &found, error) != 0)
		return -1;
	return found && put_aside_row(reconciler->aside, directory, &whole, name, true, error) < 0
		       ? -1
		       : 0;
}

/* Read a file that has a row. If nobody seems to have changed it, the row may stay. */
static int read_again(struct reconciler *reconciler, struct directory *directory,
		      const struct found_file *file, const struct known_file *known,
		      struct feed *feed, struct simhash_error *error)
{
	bool has_right = !reconciler->force && seems_unchanged(file, known);
	struct found_file again = *file;
	struct known_content right;

	if (has_right && reconciler->is_asking)
		return waiting_files_add(&reconciler->waiting, file, known, error);
	if (has_right && (look_up(reconciler, error) != 0 ||
			  find_right_content(reconciler->store, &reconciler->scope, file, &right,
					     &has_right, error) != 0))
		return -1;
	if (has_right)
		again.right = &right;
	return scan_changed(reconciler, directory, &again, known, feed, error);
}

/* Handle a file that has a row. */
static int decide(struct reconciler *reconciler, struct directory *directory,
		  const struct found_file *file, const struct known_file *known, struct feed *feed,
		  struct simhash_error *error)
{
	bool is_same;

	if (is_unchanged(reconciler, directory, file, known, &is_same, error) != 0)
		return -1;
	if (!is_same) {
		struct found_file again = *file;
		again.had_sketch = !reconciler->force && is_as_known(file, known) &&
				   !known->lacks_resemblance;
		return read_again(reconciler, directory, &again, known, feed, error);
	}
	if (reconciler->resemble && known->lacks_resemblance) {
		struct found_file again = *file;
		again.is_unchanged = true;
		return read_again(reconciler, directory, &again, known, feed, error);
	}
	skip(reconciler, file);
	if (known->lacks_look && !file->is_inflated) {
		struct found_file again = *file;
		again.looks_only = true;
		again.had_sketch = !known->lacks_resemblance;
		if (known->has_members)
			return scan_container(reconciler, directory, &again, known, feed, error);
		return feed_scan(feed, directory, &again, error);
	}
	return relink_if_changed(reconciler, file, known, feed, error);
}

/* Handle a row whose file was removed. The file may have been moved to another path. */
static int lose(const struct reconciler *reconciler, struct directory *directory,
		const struct known_file *known, struct feed *feed, struct simhash_error *error)
{
	int kept = reconciler->aside == NULL ? 0
					     : put_aside_row(reconciler->aside, directory, known,
							     known->name, false, error);

	return kept == 0 ? feed_remove(feed, known->path_hash, error) : kept < 0 ? -1 : 0;
}

/*
 * After a failure to read a file's status: is the file certainly removed? If not, report the
 * failure.
 */
static bool is_gone_by_errno(const struct reconciler *reconciler, const struct directory *directory,
			     const char *name)
{
	int saved = errno;
	char *path;

	if (saved == ENOENT || saved == ENOTDIR || saved == ENAMETOOLONG)
		return true;
	if (saved == ELOOP) /* a link, which the walk has reported */
		return false;
	path = path_join(directory_path(directory), bytes_of(name));
	failures_report(reconciler->failures, directory->root,
			path == NULL ? bytes_of(name) : bytes_of(path), saved);
	free(path);
	return false;
}

/*
 * Handle a row without a file. The directory was listed before the row was read, so another process
 * may have added both in between: check again.
 */
static int remove_if_gone(const struct reconciler *reconciler, struct directory *directory,
			  const struct known_file *known, struct feed *feed,
			  struct simhash_error *error)
{
	char *name = strndup(known->name.data, own_name_size(known->name));
	struct stat status;
	bool is_there, is_gone;

	if (name == NULL)
		return error_set_memory(error);
	is_there = fstatat(directory->fd, name, &status,
			   reconciler->follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0;
	is_gone = is_there ? !S_ISREG(status.st_mode)
			   : is_gone_by_errno(reconciler, directory, name);
	free(name);
	if (is_gone)
		return lose(reconciler, directory, known, feed, error);
	/*
	 * If the run inflates, the walk has found the content together with its file, perhaps in an
	 * earlier part of the directory.
	 */
	return is_there && known->compressed_size_bytes > 0 && !reconciler->inflates
		       ? inflate_if_changed(directory, known, &status, feed, error)
		       : 0;
}

/*
 * Feed the files of a chunk that come before a row (NULL: all). *next is the first remaining file.
 */
static int scan_before(struct reconciler *reconciler, const struct chunk *chunk,
		       const struct known_file *known, size_t *next, struct feed *feed,
		       struct simhash_error *error)
{
	for (; *next < chunk->count; ++*next) {
		const struct found_file *file = &chunk->files[*next];
		if (known != NULL && memcmp(file->path_hash, known->path_hash, PATH_HASH_SIZE) >= 0)
			break;
		if (scan_unknown(reconciler, chunk->directory, file, feed, error) != 0)
			return -1;
	}
	return 0;
}

/* Handle a row that was read ahead and has no file: read its current state, with its name. */
static int remove_if_still_there(struct reconciler *reconciler, const struct chunk *chunk,
				 const uint8_t hash[PATH_HASH_SIZE], struct feed *feed,
				 struct simhash_error *error)
{
	const struct hash_range range = hash_range_of_file(hash);
	struct known_files files;
	struct known_file known;
	int status;

	if (look_up(reconciler, error) != 0)
		return -1;
	status = known_files_begin_range(&files, reconciler->store, &reconciler->scope, &range,
					 error);
	if (status == 0)
		status = known_files_next(&files, &known, error);
	if (status == 1)
		status = remove_if_gone(reconciler, chunk->directory, &known, feed, error);
	known_files_end(&files);
	return status;
}

/*
 * Handle a row of a directory whose files are all in the chunk: the files before it, and its own
 * file.
 */
static int merge_row(struct reconciler *reconciler, const struct chunk *chunk,
		     const struct known_file *known, size_t *next, struct feed *feed,
		     struct simhash_error *error)
{
	const struct found_file *file;

	if (scan_before(reconciler, chunk, known, next, feed, error) != 0)
		return -1;
	file = *next < chunk->count ? &chunk->files[*next] : NULL;
	if (file == NULL || memcmp(file->path_hash, known->path_hash, PATH_HASH_SIZE) != 0)
		return known->name.size > 0
			       ? remove_if_gone(reconciler, chunk->directory, known, feed, error)
			       : remove_if_still_there(reconciler, chunk, known->path_hash, feed,
						       error);
	++*next;
	return decide(reconciler, chunk->directory, file, known, feed, error);
}

/* The rows of a directory that were read ahead. */
struct rows_ahead {
	struct known_row *rows;
	size_t count;
	bool are_known;
};

static struct rows_ahead rows_ahead_of(const struct reconciler *reconciler,
				       const struct chunk *chunk)
{
	struct rows_ahead ahead = {NULL, 0, false};

	ahead.are_known = reconciler->has_rows && reconciler->table != NULL &&
			  known_table_has(reconciler->table, chunk->directory->hash, &ahead.rows,
					  &ahead.count);
	return ahead;
}

/*
 * Merge the files of a chunk with all rows of its directory, which were read ahead. An empty chunk
 * ends a directory whose files came in other chunks; rows that met their files there are skipped.
 */
static int merge_ahead(struct reconciler *reconciler, const struct chunk *chunk,
		       const struct rows_ahead *ahead, size_t *next, struct feed *feed,
		       struct simhash_error *error)
{
	struct known_file known;

	for (size_t i = 0; i < ahead->count; i++) {
		if (ahead->rows[i].is_met && chunk->count == 0)
			continue;
		known_row_take(&ahead->rows[i], chunk->directory->hash, &known);
		if (merge_row(reconciler, chunk, &known, next, feed, error) != 0)
			return -1;
	}
	return 0;
}

static int merge_asked(struct reconciler *reconciler, const struct chunk *chunk, size_t *next,
		       struct feed *feed, struct simhash_error *error)
{
	struct known_files files;
	struct known_file known;
	int status;

	if (look_up(reconciler, error) != 0)
		return -1;
	reconciler->is_asking = true;
	status = known_files_begin(&files, reconciler->store, &reconciler->scope,
				   chunk->directory->hash, error);
	while (status == 0 && (status = known_files_next(&files, &known, error)) == 1)
		status = merge_row(reconciler, chunk, &known, next, feed, error);
	known_files_end(&files);
	reconciler->is_asking = false;
	for (size_t i = 0; status == 0 && i < reconciler->waiting.count; i++)
		status = read_again(reconciler, chunk->directory,
				    &reconciler->waiting.files[i].file,
				    &reconciler->waiting.files[i].known, feed, error);
	waiting_files_release(&reconciler->waiting);
	return status;
}

/*
 * For a directory in a large tree, only a digest was read ahead. If it equals the digest of these
 * files, with their links, all files are unchanged and nothing must be done.
 */
static int is_all_unchanged(struct reconciler *reconciler, const struct chunk *chunk,
			    bool *is_unchanged, struct simhash_error *error)
{
	struct known_row *rows;

	*is_unchanged = false;
	if (!reconciler->has_rows || reconciler->table == NULL || reconciler->force ||
	    chunk->part != CHUNK_WHOLE)
		return 0;
	rows = calloc(chunk->count + 1, sizeof *rows);
	if (rows == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < chunk->count; i++) {
		const struct found_file *file = &chunk->files[i];
		struct known_file known = {
			.size_bytes = file->size_bytes,
			.compressed_size_bytes = file->is_inflated ? file->size_bytes : 0,
			.mtime_ns = file->mtime_ns,
			.inode = (int64_t)file->inode,
			.links = recorded_links(file, reconciler->follow),
			.is_settled = true,
		};
		memcpy(known.path_hash, file->path_hash, PATH_HASH_SIZE);
		rows[i] = known_row_of(&known);
	}
	*is_unchanged =
		known_table_is_same(reconciler->table, chunk->directory->hash, rows, chunk->count);
	free(rows);
	for (size_t i = 0; *is_unchanged && i < chunk->count; i++)
		skip(reconciler, &chunk->files[i]);
	return 0;
}

/* Compare all files of a directory with all its rows; both are sorted by path hash. */
static int reconcile_whole(struct reconciler *reconciler, const struct chunk *chunk,
			   struct feed *feed, struct simhash_error *error)
{
	struct rows_ahead ahead = rows_ahead_of(reconciler, chunk);
	bool is_done = false;
	size_t next = 0;
	int status = ahead.are_known ? 0 : is_all_unchanged(reconciler, chunk, &is_done, error);

	if (status != 0 || is_done)
		return status;
	if (ahead.are_known)
		status = merge_ahead(reconciler, chunk, &ahead, &next, feed, error);
	else if (reconciler->has_rows)
		status = merge_asked(reconciler, chunk, &next, feed, error);
	return status == 0 ? scan_before(reconciler, chunk, NULL, &next, feed, error) : -1;
}

/* Find the row of one file, in the table or in the index. */
static int find_row(struct reconciler *reconciler, const struct chunk *chunk,
		    const struct found_file *file, const struct rows_ahead *ahead,
		    struct known_file *known, bool *found, struct simhash_error *error)
{
	struct known_row *row = known_row_find(ahead->rows, ahead->count, file->path_hash);

	*found = row != NULL;
	if (row != NULL) {
		row->is_met = true;
		known_row_take(row, chunk->directory->hash, known);
	}
	if (ahead->are_known || !reconciler->has_rows)
		return 0;
	if (look_up(reconciler, error) != 0)
		return -1;
	return store_find_file(reconciler->store, &reconciler->scope, file->path_hash, known, found,
			       error);
}

/* Look up one row at a time, for a directory that comes in parts: it may have millions of rows. */
static int reconcile_each(struct reconciler *reconciler, const struct chunk *chunk,
			  struct feed *feed, struct simhash_error *error)
{
	struct rows_ahead ahead = rows_ahead_of(reconciler, chunk);
	struct known_file known;

	for (size_t i = 0; i < chunk->count; i++) {
		const struct found_file *file = &chunk->files[i];
		bool found;
		int status = find_row(reconciler, chunk, file, &ahead, &known, &found, error);
		if (status == 0)
			status = found ? decide(reconciler, chunk->directory, file, &known, feed,
						error)
				       : scan_unknown(reconciler, chunk->directory, file, feed,
						      error);
		if (status != 0)
			return -1;
	}
	return 0;
}

void reconciler_rest(struct reconciler *reconciler)
{
	if (reconciler->has_view)
		store_end_view(reconciler->store);
	reconciler->has_view = false;
}

int reconcile_chunk(struct reconciler *reconciler, const struct chunk *chunk, struct feed *feed,
		    struct simhash_error *error)
{
	struct chunk rows_only = {.directory = chunk->directory};

	if (reconciler->has_view && reconciler->decided++ == VIEW_DIRECTORIES)
		reconciler_rest(reconciler);
	switch (chunk->part) {
	case CHUNK_WHOLE:
		return reconcile_whole(reconciler, chunk, feed, error);
	/* In an incomplete chunk, a missing file does not show that the file was removed. */
	case CHUNK_INCOMPLETE:
	case CHUNK_PART:
		return reconcile_each(reconciler, chunk, feed, error);
	case CHUNK_LAST_PART:
	default:
		if (reconcile_each(reconciler, chunk, feed, error) != 0)
			return -1;
		/* The files of all parts are done; now handle the rows without files. */
		return reconcile_whole(reconciler, &rows_only, feed, error);
	}
}
