/*
 * Counts the file systems and hosts that have each content, and lists the files with few or many.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <sys/stat.h>

#include "base/basic/error.h"
#include "presence/presence_files.h"

struct counting {
	struct held_files held;	 /* must be first: functions for rows get its address */
	struct pair_set systems; /* host and device; the number of a file system is its index + 1 */
	struct pair_set copies; /* a content and a file system, except for the first of a content */
	uint32_t last_system;
	/* The directory of this host that was examined last, and its device. */
	uint8_t directory[DIRECTORY_HASH_SIZE];
	bool has_directory;
	uint64_t device;
};

/*
 * Get the device of a row as it is now. A disk can have another number when it is connected again, so
 * the directory is examined. If it is not there, the indexed number counts.
 */
static int device_of(struct counting *counting, const struct file_row *row, uint64_t *device,
		     struct simhash_error *error)
{
	struct held_files *held = &counting->held;
	struct stat status;
	char *slash;

	*device = (uint64_t)row->device;
	if (row->host != held->finder->local_host)
		return 0;
	if (counting->has_directory &&
	    memcmp(counting->directory, row->path_hash, DIRECTORY_HASH_SIZE) == 0) {
		*device = counting->device;
		return 0;
	}
	if (held_path(held, row, error) == NULL)
		return -1;
	slash = strrchr(held->path, '/');
	*slash = '\0';
	if (stat(slash == held->path ? "/" : held->path, &status) == 0)
		*device = (uint64_t)status.st_dev;
	counting->has_directory = true;
	memcpy(counting->directory, row->path_hash, DIRECTORY_HASH_SIZE);
	counting->device = *device;
	return 0;
}

/* Get the number of a file system of a host, from 1. There are few. */
static int number_system(struct counting *counting, int64_t host, uint64_t device, uint32_t *number,
			 struct simhash_error *error)
{
	const struct pair wanted = {(uint64_t)host, device};
	struct pair_set *systems = &counting->systems;
	size_t i = counting->last_system;

	if (i == 0 || memcmp(&systems->pairs[i - 1], &wanted, sizeof wanted) != 0) {
		if (pair_set_add(systems, wanted) < 0)
			return error_set_memory(error);
		for (i = 1; memcmp(&systems->pairs[i - 1], &wanted, sizeof wanted) != 0; i++)
			;
	}
	*number = counting->last_system = (uint32_t)i;
	return 0;
}

static bool is_asked(const struct held_files *held, const struct file_row *row,
		     const struct find_side **top)
{
	*top = NULL;
	if (held->wanted->top_count > 0) {
		*top = held_top(held, row);
		if (*top == NULL || !held_is_asked(*top, row))
			return false;
	} else if (row_is_inside(row->compressed_size_bytes))
		return false;
	return !finder_leaves_out(held->finder, row);
}

static int take_content(struct held_files *held, const struct file_row *row,
			struct simhash_error *error)
{
	const struct find_side *top;

	return is_asked(held, row, &top) && held_content_add(held, row->size_bytes,
							     row->content_hash, error) == 0
		       ? -1
		       : 0;
}

static int count_copy(struct held_files *held, const struct file_row *row,
		      struct simhash_error *error)
{
	struct counting *counting = (struct counting *)held;
	uint32_t number = held_content_find(held, row->size_bytes, row->content_hash), system;
	struct held_content *content;
	uint64_t device;
	int added;

	if (number == 0 || damaged_files_have(&held->damaged, row))
		return 0;
	if (device_of(counting, row, &device, error) != 0 ||
	    number_system(counting, row->host, device, &system, error) != 0)
		return -1;
	content = &held->contents[number - 1];
	if (content->system == system)
		return 0;
	if (content->systems == 0) {
		content->system = system;
		content->systems = 1;
		return 0;
	}
	added = pair_set_add(&counting->copies, (struct pair){number, system});
	if (added < 0)
		return error_set_memory(error);
	content->systems += (uint32_t)added;
	return 0;
}

static bool is_selected(const struct presence_request *wanted, const struct held_content *content)
{
	return content->systems >= wanted->least_copies && content->systems <= wanted->most_copies;
}

/* Add the selected files, and count the others in their folders. */
static int take_file(struct held_files *held, const struct file_row *row,
		     struct simhash_error *error)
{
	const struct find_side *top;
	struct held_file *file;
	uint32_t number;

	if (!is_asked(held, row, &top))
		return 0;
	number = held_content_find(held, row->size_bytes, row->content_hash);
	/* The content is new since the rows were read. */
	if (number == 0)
		return 0;
	if (!is_selected(held->wanted, &held->contents[number - 1]))
		return held_row_count(held, row, top, error);
	file = held_row_add(held, row, top, error);
	if (file == NULL)
		return -1;
	file->is_met = true;
	return 0;
}

static bool lists_all(const struct held_files *held, const struct held_file *file)
{
	(void)held;
	(void)file;
	return true;
}

int finder_copies(struct finder *finder, const struct presence_request *wanted,
		  struct presence *found, struct simhash_error *error)
{
	struct counting counting = {.held = {.finder = finder, .wanted = wanted, .found = found}};
	struct held_files *held = &counting.held;
	int status = 0;

	*found = (struct presence){.count = 0};
	if (damaged_files_read(&held->damaged, finder->store, finder->tag_set, error) != 0 ||
	    held_each_row(held, take_content, error) != 0 ||
	    held_each_row(held, count_copy, error) != 0 ||
	    held_each_row(held, take_file, error) != 0 || held_settle(held, lists_all, error) != 0)
		status = -1;
	pair_set_release(&counting.systems);
	pair_set_release(&counting.copies);
	held_files_release(held);
	if (status != 0)
		presence_release(found);
	return status;
}
