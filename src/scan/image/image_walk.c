/*
 * Walks through the folders of a file system, also of deleted ones, and names its files.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "scan/image/image_state.h"

/* The numbers of the entries of $MFT and of HFS+ that no user's file has. */
#define INTERNAL_FILES 16
#define LABEL " (Volume Label Entry)" /* appended by libtsk to the name of a FAT volume */

enum seen { SEEN_FILE, SEEN_DELETED_NAME };

/* Is this the first time? If memory is short, end the image. */
static bool is_new(struct image *image, enum seen what, uint64_t number)
{
	int added = pair_set_add(&image->seen, (struct pair){what, number});

	if (added < 0) {
		image_leave_out(image, ENOMEM);
		image->is_over = true;
	}
	return added > 0;
}

static void close_file(struct image *image)
{
	if (image->file != NULL)
		tsk.fs_file_close(image->file);
	image->file = NULL;
	image->content = NULL;
}

static void leave_folder(struct image *image)
{
	tsk.fs_dir_close(image->folders[--image->depth].dir);
}

/* If the folder could not be read, assume that libtsk found as many runs as possible. */
static void count_work(struct image *image, const TSK_FS_DIR *dir, int64_t size_bytes)
{
	const TSK_FS_ATTR *content =
		dir == NULL || dir->fs_file == NULL ? NULL : tsk.fs_file_attr_get(dir->fs_file);
	uint64_t runs = 0;

	if (content == NULL)
		runs = dir == NULL ? image_blocks(image, size_bytes) : 0;
	else if ((content->flags & TSK_FS_ATTR_NONRES) != 0)
		for (const TSK_FS_ATTR_RUN *run = content->nrd.run; run != NULL; run = run->next)
			runs++;
	image_count_runs(image, runs);
}

/* A deleted folder may have lost its bytes. This is not a damage of the image. */
static void enter_folder(struct image *image, const TSK_FS_META *meta, size_t path_size,
			 bool is_deleted)
{
	TSK_FS_DIR *dir;

	if (meta->size < 0 || meta->size > image->disk.size_bytes) {
		if (!is_deleted)
			image_leave_out(image, CONTAINER_IS_DAMAGED);
		return;
	}
	if (image->depth == FOLDERS_MAX || !image_work(image, (uint64_t)meta->size))
		return;
	dir = tsk.fs_dir_open_meta(image->volume, meta->addr);
	if (dir != NULL)
		image->folders[image->depth++] = (struct folder){
			.dir = dir, .path_size = path_size, .is_deleted = is_deleted};
	else if (!is_deleted)
		image_leave_out_failed(image);
	count_work(image, dir, meta->size);
}

/*
 * No name in the root folder begins like the folder for deleted files: it gets as many parentheses
 * as needed.
 */
static void choose_mark(struct image *image)
{
	static const char word[] = "deleted";
	const TSK_FS_DIR *root = image->folders[0].dir;
	size_t most = 0;

	for (size_t i = 0; i < root->names_used; i++) {
		const char *name = root->names[i].name;
		size_t count = name == NULL ? 0 : strspn(name, "(");
		if (count > most && strncmp(name + count, word, sizeof word - 1) == 0)
			most = count;
	}
	if (most > MARK_MAX - sizeof word - 1)
		most = MARK_MAX - sizeof word - 1;
	memset(image->mark, '(', most + 1);
	memcpy(image->mark + most + 1, word, sizeof word);
}

void image_begin_walk(struct image *image)
{
	TSK_INUM_T root = image->volume->root_inum;
	TSK_FS_FILE *file;

	tsk.error_reset();
	file = tsk.fs_file_open_meta(image->volume, NULL, root);
	if (file == NULL || file->meta == NULL)
		image_leave_out_failed(image);
	else if (is_new(image, SEEN_FILE, root))
		enter_folder(image, file->meta, 0, false);
	if (file != NULL)
		tsk.fs_file_close(file);
	if (image->depth > 0)
		choose_mark(image);
}

void image_end_walk(struct image *image)
{
	close_file(image);
	while (image->depth > 0)
		leave_folder(image);
	pair_set_release(&image->seen);
}

/* ---- Names ---- */

static bool is_internal(const struct image *image, const TSK_FS_FILE *file)
{
	TSK_FS_TYPE_ENUM type = image->volume->ftype;
	const char *name = file->name->name;
	size_t size = strlen(name), label = sizeof LABEL - 1;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return true;
	if (type == TSK_FS_TYPE_NTFS || TSK_FS_TYPE_ISHFS(type))
		return file->meta->addr < INTERNAL_FILES;
	return (TSK_FS_TYPE_ISFAT(type) || type == TSK_FS_TYPE_EXFAT) && file->meta->size == 0 &&
	       size > label && strcmp(name + size - label, LABEL) == 0;
}

/* Append a name to the path of its folder. Returns the size of the path, or 0 if it is too long. */
static size_t add_name(struct image *image, const char *name)
{
	size_t before = image->folders[image->depth - 1].path_size, size = strlen(name);
	char *path = image->path + before;

	/* Room for a slash. */
	if (size >= sizeof image->path - 1 - before) {
		image_leave_out(image, CONTAINER_HAS_LONG_NAME);
		return 0;
	}
	if (size == 0)
		path[size++] = '?';
	else
		memcpy(path, name, size);
	for (size_t i = 0; i < size; i++)
		if (path[i] == '/')
			path[i] = '?';
	path[size] = '\0';
	return before + size;
}

/*
 * Name the current file. If several deleted files have the same path, all except the first one get
 * their number in the file system.
 */
static bool name_file(struct image *image, size_t path_size, bool is_deleted)
{
	int size;

	if (!is_deleted)
		size = snprintf(image->name, sizeof image->name, "%s%s", image->prefix,
				image->path);
	else if (is_new(image, SEEN_DELETED_NAME, XXH3_64bits(image->path, path_size)))
		size = snprintf(image->name, sizeof image->name, "%s%s)/%s", image->prefix,
				image->mark, image->path);
	else
		size = snprintf(image->name, sizeof image->name, "%s%s %llu)/%s", image->prefix,
				image->mark, (unsigned long long)image->file->meta->addr,
				image->path);
	return size > 0 && (size_t)size < sizeof image->name && !image->is_over;
}

/* ---- Files and folders ---- */

static enum image_answer take_file(struct image *image, size_t path_size, bool is_deleted,
				   struct image_file *file)
{
	if (!image_open_content(image, is_deleted) || !name_file(image, path_size, is_deleted))
		return IMAGE_NAME;
	image->at = 0;
	*file = (struct image_file){.name = image->name,
				    .size_bytes = image->content->size,
				    .is_encrypted = (image->content->flags & TSK_FS_ATTR_ENC) != 0};
	return IMAGE_FILE;
}

/* Handle the current file, which is one of the names of the innermost folder. */
static enum image_answer take_name(struct image *image, bool is_deleted, struct image_file *file)
{
	const TSK_FS_META *meta = image->file->meta;
	size_t path_size;

	/* A deleted name whose number belongs to another file by now says nothing. */
	if (meta == NULL || image->file->name->name == NULL || is_internal(image, image->file) ||
	    (is_deleted && (meta->flags & TSK_FS_META_FLAG_UNALLOC) == 0) ||
	    (meta->type != TSK_FS_META_TYPE_REG && meta->type != TSK_FS_META_TYPE_DIR))
		return IMAGE_NAME;
	path_size = add_name(image, image->file->name->name);
	if (path_size == 0 || !is_new(image, SEEN_FILE, meta->addr))
		return IMAGE_NAME;
	if (meta->type == TSK_FS_META_TYPE_REG)
		return take_file(image, path_size, is_deleted, file);
	image->path[path_size] = '/';
	enter_folder(image, meta, path_size + 1, is_deleted);
	return IMAGE_NAME;
}

/* libtsk would read the target of a link into memory, and the image says how long it is. */
static bool is_special(const TSK_FS_NAME *name)
{
	return name->type != TSK_FS_NAME_TYPE_UNDEF && name->type != TSK_FS_NAME_TYPE_REG &&
	       name->type != TSK_FS_NAME_TYPE_DIR;
}

enum image_answer image_next_name(struct image *image, struct image_file *file)
{
	struct folder *folder;
	bool is_deleted;

	close_file(image);
	while (image->depth > 0 && image->folders[image->depth - 1].next ==
					   tsk.fs_dir_getsize(image->folders[image->depth - 1].dir))
		leave_folder(image);
	if (image->depth == 0)
		return IMAGE_END;
	folder = &image->folders[image->depth - 1];
	if (is_special(&folder->dir->names[folder->next])) {
		folder->next++;
		return IMAGE_NAME;
	}
	tsk.error_reset();
	image->file = tsk.fs_dir_get(folder->dir, folder->next++);
	if (image->file == NULL || image->file->name == NULL) {
		image_leave_out_failed(image);
		return IMAGE_NAME;
	}
	is_deleted = folder->is_deleted ||
		     (image->file->name->flags & TSK_FS_NAME_FLAG_UNALLOC) != 0;
	return take_name(image, is_deleted, file);
}
