/*
 * Makes reflinks with FIDEDUPERANGE: the kernel locks both files, compares their bytes, and only
 * then lets them share blocks. So a file keeps bytes that somebody writes meanwhile.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "act/file/share_blocks.h"
#include "base/basic/error.h"
#include "base/files/extents.h"

#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#endif

/* Has a file no data at all? It does not change where the descriptor reads. */
static bool is_hole(int fd)
{
	off_t at = lseek(fd, 0, SEEK_CUR);
	bool result = at >= 0 && lseek(fd, 0, SEEK_DATA) < 0 && errno == ENXIO;

	return at >= 0 && lseek(fd, at, SEEK_SET) == at && result;
}

uint64_t disk_bytes(const struct stat *status)
{
	uint64_t size = (uint64_t)status->st_size, blocks = (uint64_t)status->st_blocks * 512;

	return blocks < size ? blocks : size;
}

uint64_t own_bytes(int fd, const struct stat *status)
{
	/* Some file systems do not count blocks. */
	bool is_counted = status->st_blocks > 0 || is_hole(fd);
	uint64_t size = is_counted ? disk_bytes(status) : (uint64_t)status->st_size;
	struct extents extents = {.list = NULL};
	uint64_t shared = extents_read(fd, &extents) == 0 ? extents.shared_bytes : 0;

	extents_release(&extents);
	return size > shared ? size - shared : 0;
}

bool has_same_blocks(int kept, int copy)
{
	struct extents x = {.list = NULL}, y = x;
	bool result = extents_read(copy, &y) == 0 && y.shared_bytes > 0 &&
		      extents_read(kept, &x) == 0 && extents_are_same(&x, &y);

	extents_release(&x);
	extents_release(&y);
	return result;
}

#ifdef FIDEDUPERANGE
#define PIECE ((uint64_t)16 << 20) /* the limit of some file systems for one call */

/* Does exactly one of the files have copy-on-write disabled (chattr +C)? */
static bool differs_in_cow(int x, int y)
{
	int of_x = 0, of_y = 0;

	return ioctl(x, FS_IOC_GETFLAGS, &of_x) == 0 && ioctl(y, FS_IOC_GETFLAGS, &of_y) == 0 &&
	       ((of_x ^ of_y) & FS_NOCOW_FL) != 0;
}

static int explain(int kept, int copy, struct simhash_error *why)
{
	if (errno == EINVAL && differs_in_cow(kept, copy))
		return error_set(why, SIMHASH_E_RANGE,
				 "copy-on-write is disabled (chattr +C) for only one of the two "
				 "files, so they cannot share blocks; try --action=hardlink");
	if (errno == EOPNOTSUPP || errno == ENOTTY || errno == EINVAL || errno == ENOSYS)
		return error_set(why, SIMHASH_E_RANGE, "its file system has no reflinks");
	return error_set_errno(why, "cannot share blocks");
}

/* A range for one file. The caller frees it. */
static struct file_dedupe_range *new_range(int copy, struct simhash_error *why)
{
	struct file_dedupe_range *range =
		calloc(1, sizeof *range + sizeof(struct file_dedupe_range_info));

	if (range == NULL) {
		error_set_memory(why);
		return NULL;
	}
	range->dest_count = 1;
	range->info[0].dest_fd = copy;
	return range;
}

/* Sharing no bytes changes nothing, but fails if the files cannot share blocks. */
int check_sharing(int kept, int copy, struct simhash_error *why)
{
	struct file_dedupe_range *range = new_range(copy, why);
	int status = 0;

	if (range == NULL)
		return -1;
	errno = 0;
	if (ioctl(kept, FIDEDUPERANGE, range) == 0)
		errno = range->info[0].status < 0 ? -range->info[0].status : 0;
	/* Permissions are checked when the blocks are shared. */
	if (errno != 0 && errno != EPERM && errno != EACCES && errno != EBADF)
		status = explain(kept, copy, why);
	free(range);
	return status;
}

int share_blocks(int kept, int copy, int64_t size_bytes, struct simhash_error *why)
{
	struct file_dedupe_range *range = new_range(copy, why);
	uint64_t size = (uint64_t)size_bytes;
	int status = 0;

	if (range == NULL)
		return -1;
	for (uint64_t at = 0; status == 0 && at < size;) {
		struct file_dedupe_range_info *info = &range->info[0];
		range->src_offset = info->dest_offset = at;
		range->src_length = size - at < PIECE ? size - at : PIECE;
		info->status = 0;
		info->bytes_deduped = 0;
		if (ioctl(kept, FIDEDUPERANGE, range) != 0) {
			status = explain(kept, copy, why);
		} else if (info->status < 0) {
			errno = -info->status;
			status = explain(kept, copy, why);
		} else if (info->status == FILE_DEDUPE_RANGE_DIFFERS) {
			status = error_set(why, SIMHASH_E_RANGE, "its content has changed");
		} else if (info->bytes_deduped == 0) {
			status =
				error_set(why, SIMHASH_E_RANGE, "its file system shared no blocks");
		} else {
			at += info->bytes_deduped;
		}
	}
	free(range);
	return status;
}
#else
int check_sharing(int kept, int copy, struct simhash_error *why)
{
	return share_blocks(kept, copy, 0, why);
}

int share_blocks(int kept, int copy, int64_t size_bytes, struct simhash_error *why)
{
	(void)kept, (void)copy, (void)size_bytes;
	return error_set(why, SIMHASH_E_RANGE,
			 "this system cannot compare files and make reflinks in one step");
}
#endif
