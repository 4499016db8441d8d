/*
 * The files of a directory against its rows, both in order of path hash.
 * SPDX-License-Identifier: MIT
 */
#include "index/reconcile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/open_file.h"
#include "index/progress.h"

/* The kernel stamps times by its tick, up to 10 ms; some file systems by 1 or 2 s. */
#define TICK_NS UINT64_C(20000000)
#define COARSE_TICK_NS UINT64_C(2000000000)

/* Directories looked up before the view of the index is renewed. */
#define VIEW_DIRECTORIES 256

static bool is_unchanged(const struct reconciler *reconciler, const struct found_file *file,
			 const struct known_file *known)
{
	uint64_t tick = known->mtime_ns % 1000000000 == 0 ? COARSE_TICK_NS : TICK_NS;

	int64_t size_bytes = file->is_inflated ? known->compressed_size_bytes : known->size_bytes;

	if (reconciler->force || known->lacks_sketches || file->size_bytes != size_bytes ||
	    file->mtime_ns != known->mtime_ns)
		return false;
	/* As unsigned numbers, whose difference cannot overflow. */
	if (known->mtime_ns <= known->scanned_at_ns)
		return (uint64_t)known->scanned_at_ns - (uint64_t)known->mtime_ns >= tick;
	return (uint64_t)known->mtime_ns - (uint64_t)known->scanned_at_ns >= tick;
}

static int relink_if_changed(struct reconciler *reconciler, const struct found_file *file,
			     const struct known_file *known, struct simhash_error *error)
{
	/* As scan_file records them. */
	int64_t links = reconciler->follow ? 0 : (int64_t)file->links;
	struct relinked_file relinked = {
		.device = (int64_t)file->device, .inode = (int64_t)file->inode, .links = links};

	if (links == known->links)
		return 0;
	memcpy(relinked.path_hash, file->path_hash, PATH_HASH_SIZE);
	return reconciler->relink(reconciler->context, &relinked, error);
}

static int decide(struct reconciler *reconciler, struct directory *directory,
		  const struct found_file *file, const struct known_file *known,
		  struct simhash_error *error)
{
	if (is_unchanged(reconciler, file, known)) {
		reconciler->unchanged++;
		if (reconciler->progress != NULL)
			index_progress_add(reconciler->progress, 1, file->size_bytes);
		return relink_if_changed(reconciler, file, known, error);
	}
	return reconciler->scan(reconciler->context, directory, file, error);
}

/*
 * A row without its file. The directory was listed before the row was read, so
 * another process may have added both between: look once more.
 */
static int remove_if_gone(struct reconciler *reconciler, const struct directory *directory,
			  const struct known_file *known, struct simhash_error *error)
{
	char *name = strndup(known->name.data, own_name_size(known->name));
	struct stat status;
	bool is_gone;

	if (name == NULL)
		return error_set_memory(error);
	if (fstatat(directory->fd, name, &status, reconciler->follow ? 0 : AT_SYMLINK_NOFOLLOW) ==
	    0)
		/* Inflated content that is not asked for stays as long as its file is the same. */
		is_gone = !S_ISREG(status.st_mode) ||
			  (known->compressed_size_bytes > 0 &&
			   (status.st_size != known->compressed_size_bytes ||
			    stat_mtime_ns(&status) != known->mtime_ns));
	else
		is_gone = errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG;
	free(name);
	return is_gone ? reconciler->remove(reconciler->context, known->path_hash, error) : 0;
}

/* Two sorted sequences side by side: the files found and the rows as they stream. */
struct merge {
	struct reconciler *reconciler;
	struct directory *directory;
	const struct found_file *files;
	size_t count, next;
	bool may_remove;
};

static int scan_next(struct merge *merge, struct simhash_error *error)
{
	struct reconciler *reconciler = merge->reconciler;

	return reconciler->scan(reconciler->context, merge->directory, &merge->files[merge->next++],
				error);
}

static int merge_row(void *context, const struct known_file *known, struct simhash_error *error)
{
	struct merge *merge = context;
	int order = -1;

	while (merge->next < merge->count) {
		order = memcmp(merge->files[merge->next].path_hash, known->path_hash,
			       PATH_HASH_SIZE);
		if (order >= 0)
			break;
		if (scan_next(merge, error) != 0)
			return -1;
	}
	if (merge->next < merge->count && order == 0)
		return decide(merge->reconciler, merge->directory, &merge->files[merge->next++],
			      known, error);
	return merge->may_remove ? remove_if_gone(merge->reconciler, merge->directory, known, error)
				 : 0;
}

static int merge_directory(struct reconciler *reconciler, struct directory *directory,
			   const struct found_file *files, size_t count, bool may_remove,
			   struct simhash_error *error)
{
	struct merge merge = {reconciler, directory, files, count, 0, may_remove};

	if (!reconciler->is_first &&
	    store_read_directory(reconciler->store, &reconciler->scope, directory->hash, merge_row,
				 &merge, error) != 0)
		return -1;
	while (merge.next < merge.count)
		if (scan_next(&merge, error) != 0)
			return -1;
	return 0;
}

/* One row at a time, for a directory that comes in parts: its rows may be millions. */
static int look_up_each(struct reconciler *reconciler, struct directory *directory,
			const struct found_file *files, size_t count, struct simhash_error *error)
{
	struct known_file known;

	for (size_t i = 0; i < count; i++) {
		bool found = false;
		int status;
		if (!reconciler->is_first &&
		    store_find_file(reconciler->store, &reconciler->scope, files[i].path_hash,
				    &known, &found, error) != 0)
			return -1;
		status = found ? decide(reconciler, directory, &files[i], &known, error)
			       : reconciler->scan(reconciler->context, directory, &files[i], error);
		if (status != 0)
			return -1;
	}
	return 0;
}

void reconciler_rest(struct reconciler *reconciler)
{
	if (reconciler->is_first)
		return;
	store_end_view(reconciler->store);
	reconciler->looked_up = 0;
}

int reconcile_files(struct reconciler *reconciler, struct directory *directory,
		    const struct found_file *files, size_t count, enum walk_part part,
		    struct simhash_error *error)
{
	if (!reconciler->is_first && reconciler->looked_up++ % VIEW_DIRECTORIES == 0 &&
	    store_renew_view(reconciler->store, error) != 0)
		return -1;
	switch (part) {
	case WALK_WHOLE:
		return merge_directory(reconciler, directory, files, count, true, error);
	case WALK_INCOMPLETE:
		/* A directory's one file, or the rest of one that failed: no removals. */
	case WALK_PART:
		return look_up_each(reconciler, directory, files, count, error);
	case WALK_LAST_PART:
	default:
		if (look_up_each(reconciler, directory, files, count, error) != 0)
			return -1;
		/* All files are dealt with; now only rows without a file. */
		return merge_directory(reconciler, directory, NULL, 0, true, error);
	}
}
