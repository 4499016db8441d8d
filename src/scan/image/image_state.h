/*
 * Defines the state of an image that is being read, which image.c, image_walk.c and image_content.c
 * share.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_IMAGE_STATE_H
#define SIMHASH_SCAN_IMAGE_STATE_H

/* The headers of libtsk use types that strict C leaves out. */
#include <tsk/libtsk.h>

#include "base/data/pair_set.h"
#include "scan/file/container_kind.h"
#include "scan/image/image.h"
#include "scan/image/image_ewf.h"

/* The functions of libtsk without their prefix, which image_prepare finds: tsk.fs_close() and so on. */
#define TSK_FUNCTIONS(F)     \
	F(error_get_errno)   \
	F(error_reset)       \
	F(fs_attr_read)      \
	F(fs_close)          \
	F(fs_dir_close)      \
	F(fs_dir_get)        \
	F(fs_dir_getsize)    \
	F(fs_dir_open_meta)  \
	F(fs_file_attr_get)  \
	F(fs_file_close)     \
	F(fs_file_open_meta) \
	F(fs_open_img)       \
	F(img_close)         \
	F(img_open_external) \
	F(vs_close)          \
	F(vs_open)
#define TSK_POINTER(name) __typeof__(tsk_##name) *name;
struct tsk_functions {
	TSK_FUNCTIONS(TSK_POINTER)
};
extern struct tsk_functions tsk;

/* A path has at most CONTAINER_NAME_MAX bytes, so at most half as many folders. */
#define FOLDERS_MAX (CONTAINER_NAME_MAX / 2 + 1)
#define PREFIX_MAX 32
#define MARK_MAX 300 /* the size of the name of the folder for deleted files */

struct folder {
	TSK_FS_DIR *dir;
	size_t next;	  /* the next of its names */
	size_t path_size; /* the size of its path, with the slash at its end */
	bool is_deleted;
};

struct image {
	/* For libtsk, which gets the address of this member; 2 MiB. */
	TSK_IMG_INFO *disk_info;
	struct image_source disk;
	struct ewf *ewf; /* the owner of the disk's bytes; or NULL */
	TSK_VS_INFO *table;
	const TSK_VS_PART_INFO *part; /* the next partition */
	bool is_over;

	TSK_FS_INFO *volume;	 /* the current file system; or NULL */
	char prefix[PREFIX_MAX]; /* of the names in it */
	char mark[MARK_MAX];	 /* the beginning of the folder of deleted files */
	struct folder folders[FOLDERS_MAX];
	size_t depth;
	char path[CONTAINER_NAME_MAX + 1]; /* without prefix and mark */
	struct pair_set seen;		   /* the files, folders and names of the volume */

	TSK_FS_FILE *file; /* the current file; or NULL */
	const TSK_FS_ATTR *content;
	int64_t at; /* the number of its bytes that were read */
	char name[PREFIX_MAX + MARK_MAX + CONTAINER_NAME_MAX + 32];

	/*
	 * The bytes of folders, the clusters of deleted files and the pieces of files that were
	 * examined. They are limited, because an image can refer to the same bytes again and again.
	 */
	uint64_t work, work_max;
	unsigned failed_reads;
	int left_out;
};

/* Remember why something was left out. Damage matters more than parts left out by their nature. */
void image_leave_out(struct image *image, int why);
/* The same for the last failure of libtsk. */
void image_leave_out_failed(struct image *image);
/* Count some work in bytes. If it was too much, end the image and return false. */
bool image_work(struct image *image, uint64_t bytes);
/* The same for so many runs of blocks of one file. */
bool image_count_runs(struct image *image, uint64_t runs);
/* Return the most blocks of the volume that a file of this size can have. */
static inline uint64_t image_blocks(const struct image *image, int64_t size_bytes)
{
	uint64_t blocks = (uint64_t)size_bytes / image->volume->block_size + 1;

	return blocks < image->volume->block_count ? blocks : image->volume->block_count;
}

/* Begin with the root folder of the volume. */
void image_begin_walk(struct image *image);
void image_end_walk(struct image *image);
/* Get the next name of the volume, and the content of a file. */
enum image_answer image_next_name(struct image *image, struct image_file *file);

/*
 * Set image->content for the regular file image->file. Returns false if its bytes cannot be read,
 * or, for a deleted file, if they are lost.
 */
bool image_open_content(struct image *image, bool is_deleted);

#endif
