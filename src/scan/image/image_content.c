/*
 * Finds the blocks of a file in an image, checks that they are in the image, and reads them.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>

#include "scan/image/image_state.h"

#define FAILED_READS_MAX 10 /* so many files with errors are reported for one image */

/* Are these blocks part of the volume, and are they in the image, which may be cut off? */
static bool is_in_image(const struct image *image, const TSK_FS_ATTR_RUN *run)
{
	const TSK_FS_INFO *volume = image->volume;
	uint64_t room = (uint64_t)(image->disk.size_bytes - volume->offset) / volume->block_size;

	return run->addr <= volume->last_block && run->len <= volume->last_block + 1 - run->addr &&
	       run->addr <= room && run->len <= room - run->addr;
}

/* Is none of these blocks in use again? */
static bool is_free(struct image *image, const TSK_FS_ATTR_RUN *run)
{
	TSK_FS_INFO *volume = image->volume;

	if (!image_work(image, run->len * volume->block_size))
		return false;
	for (TSK_DADDR_T i = 0; i < run->len; i++)
		if ((volume->block_getflags(volume, run->addr + i) & TSK_FS_BLOCK_FLAG_UNALLOC) ==
		    0)
			return false;
	return true;
}

bool image_count_runs(struct image *image, uint64_t runs)
{
	/* libtsk looks for the place of each run in the list of all runs before it. */
	return runs <= UINT32_MAX && image_work(image, runs + runs * runs / 4);
}

/* Returns false if a block is not in the image, or, for a deleted file, lost. */
static bool has_blocks(struct image *image, const TSK_FS_ATTR *content, bool is_deleted)
{
	uint64_t runs = 0;

	if ((content->flags & TSK_FS_ATTR_NONRES) == 0)
		return true;
	for (const TSK_FS_ATTR_RUN *run = content->nrd.run; run != NULL; run = run->next) {
		runs++;
		if (is_deleted && (run->flags & TSK_FS_ATTR_RUN_FLAG_FILLER) != 0)
			return false;
		if ((run->flags & (TSK_FS_ATTR_RUN_FLAG_SPARSE | TSK_FS_ATTR_RUN_FLAG_FILLER)) != 0)
			continue;
		if (!is_in_image(image, run)) {
			if (!is_deleted)
				image_leave_out(image, CONTAINER_IS_DAMAGED);
			return false;
		}
		if (is_deleted && !is_free(image, run))
			return false;
	}
	return image_count_runs(image, runs);
}

bool image_open_content(struct image *image, bool is_deleted)
{
	const TSK_FS_META *meta = image->file->meta;
	const TSK_FS_ATTR *content;

	if (meta->size < 0 || (uint64_t)meta->size > image->work_max) {
		if (!is_deleted)
			image_leave_out(image, CONTAINER_INFLATES_TOO_FAR);
		return false;
	}
	tsk.error_reset();
	content = tsk.fs_file_attr_get(image->file);
	if (content == NULL) {
		/* In NTFS, a file may have no stream without a name. */
		if (!is_deleted && tsk.error_get_errno() != 0 &&
		    tsk.error_get_errno() != TSK_ERR_FS_ATTR_NOTFOUND)
			image_leave_out_failed(image);
		image_count_runs(image, image_blocks(image, meta->size));
		return false;
	}
	if (content->size < 0 || (is_deleted && content->size == 0) ||
	    (uint64_t)content->size > image->work_max || !has_blocks(image, content, is_deleted))
		return false;
	image->content = content;
	return true;
}

ssize_t image_read(struct image *image, void *buffer, size_t size)
{
	int64_t left = image->content->size - image->at;
	ssize_t got;

	if (left == 0)
		return 0;
	if ((int64_t)size > left)
		size = (size_t)left;
	tsk.error_reset();
	got = tsk.fs_attr_read(image->content, image->at, buffer, size, TSK_FS_FILE_READ_FLAG_NONE);
	if (got > 0) {
		image->at += got;
		return got;
	}
	errno = tsk.error_get_errno() == TSK_ERR_AUX_MALLOC ? ENOMEM : CONTAINER_IS_DAMAGED;
	if (++image->failed_reads == FAILED_READS_MAX) {
		image_leave_out(image, CONTAINER_IS_DAMAGED);
		image->is_over = true;
	}
	return -1;
}
