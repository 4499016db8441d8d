/*
 * Opens the image of a disk with libtsk, and its file systems one after another.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/file/disk_kind.h"
#include "scan/file/library.h"
#include "scan/image/image_state.h"

#define SECTOR 512
/* The work for each byte of the file, and the work that is always allowed: as in unpacker.c. */
#define WORK_PER_BYTE 200
#define WORK_ALWAYS ((uint64_t)64 << 20)

/* ---- The library ---- */

struct tsk_functions tsk;
static bool is_loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static unsigned kinds;
static char library[128];
static pthread_once_t look_once = PTHREAD_ONCE_INIT;

static void load(void)
{
#define TSK_NAME(name) "tsk_" #name,
	static const char *const names[] = {TSK_FUNCTIONS(TSK_NAME) NULL};

	is_loaded = library_load(SIMHASH_IMAGE_FILE, names, &tsk);
}

static bool is_ready(void)
{
	pthread_once(&load_once, load);
	return is_loaded;
}

void image_prepare(unsigned needed)
{
	if ((needed & CONTAINER_IMAGES) != 0 && is_ready() && (needed & CONTAINER_EWF) != 0)
		ewf_prepare();
}

static void look(void)
{
	const char *ewf = ewf_library();

	if (!library_is_installed(SIMHASH_IMAGE_FILE))
		return;
	kinds = CONTAINER_DISK | (ewf == NULL ? 0 : CONTAINER_EWF);
	snprintf(library, sizeof library, "libtsk %s, %s%s", TSK_VERSION_STR,
		 ewf == NULL ? "without libewf" : "libewf ", ewf == NULL ? "" : ewf);
}

unsigned image_kinds(void)
{
	pthread_once(&look_once, look);
	return kinds;
}

const char *image_library(void)
{
	return image_kinds() == 0 ? NULL : library;
}

/* ---- Failures ---- */

void image_leave_out(struct image *image, int why)
{
	if (image->left_out == 0 || container_is_left_out(image->left_out))
		image->left_out = why;
}

void image_leave_out_failed(struct image *image)
{
	image_leave_out(image, tsk.error_get_errno() == TSK_ERR_AUX_MALLOC ? ENOMEM
									   : CONTAINER_IS_DAMAGED);
}

bool image_work(struct image *image, uint64_t bytes)
{
	if (bytes <= image->work_max - image->work) {
		image->work += bytes;
		return true;
	}
	image_leave_out(image, CONTAINER_INFLATES_TOO_FAR);
	image->is_over = true;
	return false;
}

/* ---- The bytes ---- */

/* What libtsk knows about the image, and where to read it. */
struct disk_info {
	TSK_IMG_INFO info; /* the first member, because libtsk only knows its address */
	struct image *image;
};

static ssize_t read_disk(TSK_IMG_INFO *info, TSK_OFF_T offset, char *buffer, size_t size)
{
	const struct image_source *disk = &((struct disk_info *)(void *)info)->image->disk;

	return disk->read(disk->context, offset, buffer, size);
}

/* The caller of tsk_img_close frees the memory. */
static void close_disk(TSK_IMG_INFO *info)
{
	(void)info;
}

static void describe_disk(TSK_IMG_INFO *info, FILE *stream)
{
	(void)info;
	(void)stream;
}

static bool open_disk(struct image *image)
{
	struct disk_info *disk = calloc(1, sizeof *disk);

	if (disk == NULL)
		return false;
	disk->image = image;
	image->disk_info = tsk.img_open_external(disk, image->disk.size_bytes, SECTOR, read_disk,
						 close_disk, describe_disk);
	if (image->disk_info == NULL)
		free(disk);
	return image->disk_info != NULL;
}

static ssize_t read_head(const struct image *image, int64_t offset, uint8_t *head)
{
	return image->disk.read(image->disk.context, offset, head, DISK_HEAD_SIZE);
}

/* ---- Volumes ---- */

static bool is_zero(const uint8_t *bytes, size_t size)
{
	return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Only file systems that were recognized are opened: libtsk alone would try all that it knows. */
static const struct {
	enum disk_kind kind;
	TSK_FS_TYPE_ENUM type;
} types[] = {
	{DISK_FAT, TSK_FS_TYPE_FAT_DETECT}, {DISK_EXFAT, TSK_FS_TYPE_EXFAT},
	{DISK_NTFS, TSK_FS_TYPE_NTFS},	    {DISK_EXT, TSK_FS_TYPE_EXT_DETECT},
	{DISK_HFS, TSK_FS_TYPE_HFS},	    {DISK_ISO, TSK_FS_TYPE_ISO9660},
};

/* Open the file system at this place. Otherwise note why there is none. */
static void open_volume(struct image *image, int64_t offset, const uint8_t *head, size_t size)
{
	enum disk_kind kind = disk_kind(head, size);
	size_t i = 0;

	while (i < sizeof types / sizeof *types && types[i].kind != kind)
		i++;
	if (i < sizeof types / sizeof *types) {
		image->volume = tsk.fs_open_img(image->disk_info, offset, types[i].type);
		if (image->volume == NULL) {
			image_leave_out_failed(image);
			return;
		}
		/* An image that was cut off. */
		if (image->volume->last_block_act < image->volume->last_block)
			image_leave_out(image, CONTAINER_IS_DAMAGED);
		image_begin_walk(image);
	} else if (kind == DISK_ENCRYPTED) {
		image_leave_out(image, CONTAINER_IS_ENCRYPTED);
	} else if (!is_zero(head, size)) {
		image_leave_out(image, CONTAINER_HAS_UNKNOWN_VOLUMES);
	}
}

/*
 * The number of a partition in Linux: the entry of a GPT; in an MBR the primary partitions are 1 to
 * 4, and all partitions in extended ones follow.
 */
static unsigned number_of(const struct image *image, const TSK_VS_PART_INFO *part)
{
	unsigned number = 5;

	if (image->table->vstype != TSK_VS_TYPE_DOS || part->table_num <= 0)
		return (uint8_t)part->slot_num + 1u;
	for (const TSK_VS_PART_INFO *other = image->table->part_list; other != NULL;
	     other = other->next)
		number +=
			(other->flags & TSK_VS_PART_FLAG_ALLOC) != 0 &&
			(other->flags & TSK_VS_PART_FLAG_META) == 0 && other->table_num > 0 &&
			(other->table_num < part->table_num ||
			 (other->table_num == part->table_num && other->slot_num < part->slot_num));
	return number;
}

/* Open the next partition with a file system. */
static void open_partition(struct image *image, const TSK_VS_PART_INFO *part)
{
	uint64_t sector = image->table->block_size;
	uint8_t *head;
	ssize_t got;

	if ((part->flags & TSK_VS_PART_FLAG_ALLOC) == 0 ||
	    (part->flags & TSK_VS_PART_FLAG_META) != 0)
		return;
	if (part->start >= (uint64_t)image->disk.size_bytes / sector) {
		image_leave_out(image, CONTAINER_IS_DAMAGED);
		return;
	}
	head = malloc(DISK_HEAD_SIZE);
	got = head == NULL ? 0 : read_head(image, (int64_t)(part->start * sector), head);
	snprintf(image->prefix, sizeof image->prefix, "p%u/", number_of(image, part));
	if (head == NULL)
		image_leave_out(image, ENOMEM);
	else if (got <= 0)
		image_leave_out(image, CONTAINER_IS_DAMAGED);
	else
		open_volume(image, (int64_t)(part->start * sector), head, (size_t)got);
	free(head);
}

static void close_volume(struct image *image)
{
	image_end_walk(image);
	if (image->volume != NULL)
		tsk.fs_close(image->volume);
	image->volume = NULL;
}

/* Open the table of partitions, or the only volume. */
static void open_first(struct image *image, const uint8_t *head, size_t size)
{
	enum disk_kind kind = disk_kind(head, size);

	if (kind != DISK_MBR && kind != DISK_GPT) {
		open_volume(image, 0, head, size);
		return;
	}
	image->table = tsk.vs_open(image->disk_info, 0,
				   kind == DISK_GPT ? TSK_VS_TYPE_GPT : TSK_VS_TYPE_DOS);
	if (image->table == NULL)
		image_leave_out_failed(image);
	else
		image->part = image->table->part_list;
}

/* ---- The interface ---- */

static int open_bytes(struct image *image, const struct image_source *source, unsigned kind)
{
	uint8_t *head;
	ssize_t got;
	int why;

	image->disk = *source;
	if (kind == CONTAINER_EWF) {
		image->ewf = ewf_open(source, &image->disk, &why);
		if (image->ewf == NULL)
			return why;
		if (ewf_is_damaged(image->ewf))
			image_leave_out(image, CONTAINER_IS_DAMAGED);
	}
	head = malloc(DISK_HEAD_SIZE);
	if (head == NULL || !open_disk(image)) {
		free(head);
		return ENOMEM;
	}
	got = read_head(image, 0, head);
	why = got <= 0 ? CONTAINER_IS_DAMAGED : 0;
	if (got > 0)
		open_first(image, head, (size_t)got);
	free(head);
	return why;
}

struct image *image_open(const struct image_source *source, unsigned kind, int *why)
{
	struct image *image = is_ready() ? calloc(1, sizeof *image) : NULL;

	*why = is_loaded ? ENOMEM : ENOTSUP;
	if (image == NULL)
		return NULL;
	image->work_max = WORK_ALWAYS + (uint64_t)source->size_bytes * WORK_PER_BYTE;
	*why = open_bytes(image, source, kind);
	if (*why == 0)
		return image;
	image_close(image);
	return NULL;
}

void image_close(struct image *image)
{
	TSK_IMG_INFO *disk;

	if (image == NULL)
		return;
	close_volume(image);
	if (image->table != NULL)
		tsk.vs_close(image->table);
	disk = image->disk_info;
	if (disk != NULL)
		tsk.img_close(disk);
	free(disk);
	ewf_close(image->ewf);
	free(image);
}

enum image_answer image_next(struct image *image, struct image_file *file)
{
	while (!image->is_over) {
		enum image_answer answer = image->volume == NULL ? IMAGE_END
								 : image_next_name(image, file);
		if (answer != IMAGE_END)
			return answer;
		close_volume(image);
		if (image->part == NULL)
			break;
		open_partition(image, image->part);
		image->part = image->part->next;
	}
	return IMAGE_END;
}

int image_left_out(const struct image *image)
{
	return image->left_out;
}
