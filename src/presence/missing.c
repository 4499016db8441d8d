/*
 * Finds the files whose content is in no place: reads the rows of the files in question, compares
 * them with the disk, and then reads the rows of the other files.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/files/identity.h"
#include "base/files/path.h"
#include "find/rule/known_contents.h"
#include "presence/presence_files.h"

/* Does the file with the content of a row still have its indexed size, time and inode? */
static bool is_as_indexed(const struct file_row *row, const struct file_identity *now)
{
	int64_t size_bytes = row_is_inside(row->compressed_size_bytes) ? row->compressed_size_bytes
								       : row->size_bytes;

	return now->is_regular && now->size_bytes == size_bytes && now->mtime_ns == row->mtime_ns &&
	       (row->inode == 0 || now->inode == (uint64_t)row->inode);
}

/* ---- Archives in question ---- */

/* If a row is an archive that is a top or contains one, members without rows are in question. */
static int take_archive(struct held_files *held, const struct file_row *row,
			struct simhash_error *error)
{
	const struct presence_request *wanted = held->wanted;

	for (size_t i = 0; i < wanted->top_count; i++) {
		const struct find_side *top = &wanted->tops[i];
		size_t outer = outer_path_size(top->directory);
		struct bytes archive = {top->directory.data, outer};
		bool is_nested = outer < top->directory.size &&
				 is_inside_path(bytes_after(top->directory, outer + 2));
		struct held_file *file;
		uint32_t folder;
		if (held_walks(held, top) || row_is_inside(row->compressed_size_bytes) ||
		    !held_has_path(held, top, row, archive) ||
		    !row_lacks_members(row->contents, is_nested))
			continue;
		folder = held_folder_add(held, row->host, archive, archive, error);
		file = folder == 0 ? NULL : held_file_add(held, folder, bytes_of(""), 0, error);
		if (file == NULL)
			return -1;
		file->is_met = true;
		file->state = CONTENT_UNREADABLE;
		file->why = "simhash could not read all of it";
		return 0;
	}
	return 0;
}

/* ---- The files in question ---- */

/* A row of a directory that is walked waits for its file; other files exist if the index says so. */
static int take_asked(struct held_files *held, const struct file_row *row,
		      struct simhash_error *error)
{
	const struct find_side *top = held_top(held, row);
	struct file_identity now;
	struct held_file *file;
	const char *path;
	bool is_left_out;

	if (take_archive(held, row, error) != 0)
		return -1;
	if (top == NULL || !held_is_asked(top, row))
		return 0;
	is_left_out = finder_leaves_out(held->finder, row);
	if (is_left_out && !held_walks(held, top)) {
		held->found->left_out++;
		return 0;
	}
	file = held_row_add(held, row, top, error);
	if (file == NULL)
		return -1;
	file->is_left_out = is_left_out;
	for (size_t i = 0; i < held->wanted->top_count; i++)
		held->tops[i].rows += held->tops[i].walks &&
				      held_is_in(held, &held->wanted->tops[i], row);
	file->is_met = !held_walks(held, top);
	if (!file->is_met || top->host != NULL)
		return 0;
	/* A member of an archive of this host. */
	path = held_path(held, row, error);
	if (path == NULL)
		return -1;
	if (file_identity_read(AT_FDCWD, path, &now) != 0 || !is_as_indexed(row, &now))
		file->state = CONTENT_CHANGED;
	return 0;
}

/* ---- The other files ---- */

/* Was the directory of a path walked, under another name? Then the file is one in question. */
static bool is_in_walked(struct held_files *held, char *path)
{
	char *slash = strrchr(path, '/'); /* held_path begins with one */
	struct stat status;
	bool is_found;

	*slash = '\0';
	is_found = stat(slash == path ? "/" : path, &status) == 0;
	*slash = '/';
	return !is_found || pair_set_has(&held->walked, (struct pair){(uint64_t)status.st_dev,
								      (uint64_t)status.st_ino});
}

static int64_t host_of(const struct held_files *held, const struct held_file *file)
{
	return held->folders[file->folder - 1].host;
}

/* How many files in question are names of an inode of a host? */
static uint64_t count_names(const struct held_files *held, const struct held_content *content,
			    int64_t host, struct pair inode)
{
	uint64_t names = 0;

	for (uint32_t at = content->first_file; at != 0; at = held->files[at - 1].next) {
		const struct held_file *file = &held->files[at - 1];
		names += file->is_met && host_of(held, file) == host && inode.second != 0 &&
			 file->device == inode.first && file->inode == inode.second;
	}
	return names;
}

/* May a row be a file in question that was indexed when this host had another name? */
static bool is_renamed_host(const struct held_files *held, const struct held_content *content,
			    const struct file_row *row)
{
	for (uint32_t at = content->first_file; at != 0; at = held->files[at - 1].next) {
		const struct held_file *file = &held->files[at - 1];
		if (row->inode != 0 && host_of(held, file) != row->host &&
		    file->inode == (uint64_t)row->inode && file->mtime_ns == row->mtime_ns)
			return true;
	}
	return false;
}

/* ---- Files that are shown twice ---- */

/* Skip the bytes of all letters that ASCII does not have. */
static const char *next_plain(const char *at)
{
	while ((unsigned char)*at >= 0x80)
		at++;
	return at;
}

/* Could two paths be one on a file system that ignores case and the forms of letters? */
static bool are_alike(const char *x, const char *y)
{
	for (;; x++, y++) {
		x = next_plain(x);
		y = next_plain(y);
		if (ascii_lower(*x) != ascii_lower(*y))
			return false;
		if (*x == '\0')
			return true;
	}
}

static bool is_on_showing_system(const char *path)
{
	size_t size = path_above(bytes_of(path)).size;
	char *directory = size == 0 ? strdup("/") : strndup(path, size);
	bool shows = directory == NULL || shows_other_files(directory);

	free(directory);
	return shows;
}

/* File systems without a time of changes show the modification time, often without fractions. */
#define COARSE_NS 10000000

/*
 * Is a file elsewhere probably a file in question, shown again with another inode or device? Their
 * times are equal to the nanosecond, and their paths differ in case only, or one of them is on a
 * file system that may show files of another one.
 */
static bool is_shown_twice(const struct held_files *held, const struct held_content *content,
			   const struct file_identity *now)
{
	for (uint32_t at = content->first_file; at != 0; at = held->files[at - 1].next) {
		const struct held_file *file = &held->files[at - 1];
		struct bytes folder = held->folders[file->folder - 1].path;
		char *path;
		bool is_same;
		if (!file->is_met || host_of(held, file) != held->finder->local_host ||
		    file->mtime_ns != now->mtime_ns || file->changed_ns != now->changed_ns)
			continue;
		path = path_join(folder, (struct bytes){file->name, file->name_size});
		if (path == NULL)
			return true;
		is_same = file->device == now->device ? are_alike(path, held->path)
						      : now->changed_ns % COARSE_NS != 0 &&
								(is_on_showing_system(path) ||
								 is_on_showing_system(held->path));
		free(path);
		if (is_same)
			return true;
	}
	return false;
}

/* Enter all files in question, because an archive may be one of them regardless of its members. */
static int enter_files(struct held_files *held, struct simhash_error *error)
{
	for (size_t i = 0; !held->has_inodes && i < held->count; i++) {
		const struct held_file *file = &held->files[i];
		const struct pair inode = {file->device, file->inode};
		const struct pair times = {(uint64_t)file->mtime_ns, (uint64_t)file->changed_ns};
		if (file->is_met && (pair_set_add(&held->inodes, inode) < 0 ||
				     pair_set_add(&held->times, times) < 0))
			return error_set_memory(error);
	}
	held->has_inodes = true;
	return 0;
}

static bool is_top_on_showing_system(const struct held_files *held)
{
	for (size_t i = 0; i < held->wanted->top_count; i++) {
		struct bytes path = held->wanted->tops[i].directory;
		if (held_walks(held, &held->wanted->tops[i]) &&
		    shows_other_files(path.size == 0 ? "/" : path.data))
			return true;
	}
	return false;
}

/* The same for the archive of a member, and for its other mounts. */
static bool is_archive_shown_twice(const struct held_files *held, const struct file_identity *now)
{
	const struct pair times = {(uint64_t)now->mtime_ns, (uint64_t)now->changed_ns};

	if (pair_set_has(&held->inodes, (struct pair){now->device, now->inode}))
		return now->links == 1;
	return now->changed_ns % COARSE_NS != 0 && pair_set_has(&held->times, times) &&
	       (is_on_showing_system(held->path) || is_top_on_showing_system(held));
}

/* ---- Places ---- */

bool held_is_in_place(const struct held_files *held, const struct held_content *content,
		      const struct file_row *row)
{
	const struct presence_request *wanted = held->wanted;

	for (size_t i = 0; i < wanted->place_count; i++)
		if (held_is_in(held, &wanted->places[i], row))
			return true;
	return wanted->place_count == 0 && wanted->lists == NULL &&
	       (content == NULL || !is_renamed_host(held, content, row));
}

/* Does the file of a row still exist as it was indexed, and is it not one of the files in question? */
static int row_counts(struct held_files *held, const struct held_content *content,
		      const struct file_row *row, bool *counts, struct simhash_error *error)
{
	struct file_identity now;
	uint64_t names;

	if (row->host != held->finder->local_host) {
		*counts = count_names(held, content, row->host,
				      (struct pair){(uint64_t)row->device, (uint64_t)row->inode}) ==
			  0;
		return 0;
	}
	if (held_path(held, row, error) == NULL)
		return -1;
	*counts = file_identity_read(AT_FDCWD, held->path, &now) == 0 && is_as_indexed(row, &now) &&
		  !is_in_walked(held, held->path);
	if (*counts && row_is_inside(row->compressed_size_bytes)) {
		if (enter_files(held, error) != 0)
			return -1;
		*counts = !is_archive_shown_twice(held, &now);
		return 0;
	}
	if (!*counts)
		return 0;
	/* A hard link counts, but if all links are in question, this is another mount of one. */
	names = count_names(held, content, row->host, (struct pair){now.device, now.inode});
	*counts = names == 0 ? !is_shown_twice(held, content, &now) : names < now.links;
	return 0;
}

static int take_place(struct held_files *held, const struct file_row *row,
		      struct simhash_error *error)
{
	bool is_inside = row_is_inside(row->compressed_size_bytes), counts;
	uint32_t number = held_content_find(held, row->size_bytes, row->content_hash);
	struct held_content *content;

	if (number == 0)
		return 0;
	content = &held->contents[number - 1];
	if (content->state == CONTENT_ELSEWHERE ||
	    (is_inside && content->state == CONTENT_INSIDE) || held_top(held, row) != NULL ||
	    damaged_files_have(&held->damaged, row) || !held_is_in_place(held, content, row))
		return 0;
	if (row_counts(held, content, row, &counts, error) != 0)
		return -1;
	if (counts)
		content->state = is_inside ? CONTENT_INSIDE : CONTENT_ELSEWHERE;
	return 0;
}

static void look_in_lists(struct held_files *held)
{
	for (size_t i = 0; held->wanted->lists != NULL && i < held->content_count; i++)
		if (known_contents_have(held->wanted->lists, held->contents[i].hash))
			held->contents[i].state = CONTENT_ELSEWHERE;
}

/* ---- The search ---- */

static int find_walks(struct held_files *held, struct simhash_error *error)
{
	const struct presence_request *wanted = held->wanted;
	struct stat status;

	held->tops = calloc(wanted->top_count + 1, sizeof *held->tops);
	if (held->tops == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < wanted->top_count; i++) {
		const struct find_side *top = &wanted->tops[i];
		/* The directory is terminated by a zero. */
		const char *path = top->directory.size == 0 ? "/" : top->directory.data;
		held->tops[i].walks = top->host == NULL && stat(path, &status) == 0 &&
				      S_ISDIR(status.st_mode);
	}
	return 0;
}

/* A directory without files, although the index has some, may be the place of a drive. */
static int check_tops(const struct held_files *held, struct simhash_error *error)
{
	for (size_t i = 0; i < held->wanted->top_count; i++) {
		const struct find_side *top = &held->wanted->tops[i];
		if (held->tops[i].rows > 0 && held->tops[i].files == 0)
			return error_set(error, SIMHASH_E_RANGE,
					 "%.*s has no files now, but the index has some; is the "
					 "drive connected? HOST:DIRECTORY asks the index alone",
					 top->directory.size == 0 ? 1 : (int)top->directory.size,
					 top->directory.size == 0 ? "/" : top->directory.data);
	}
	return 0;
}

/* The row of an archive says whether all of it was read. */
static bool is_archive(const struct held_files *held, const struct find_side *side)
{
	const struct finder *finder = held->finder;
	bool is_here = side->host == NULL ||
		       name_list_id(&finder->hosts, side->host) == finder->local_host;
	char *path = strndup(side->directory.data, outer_path_size(side->directory));
	struct stat status;
	bool is_file = path != NULL && is_here && stat(path, &status) == 0 &&
		       S_ISREG(status.st_mode);

	free(path);
	return is_file;
}

/* Note how old the rows are, and which files nobody could examine below tops that are not walked. */
static int note_runs(const struct held_files *held, struct simhash_error *error)
{
	const struct presence_request *wanted = held->wanted;
	const struct finder *finder = held->finder;
	struct presence *found = held->found;
	struct scan_run_list runs;

	if (store_read_runs(finder->store, &runs, error) != 0)
		return -1;
	found->asked_age = index_age_of(finder, &runs, wanted->tops, wanted->top_count);
	found->place_age = index_age_of(finder, &runs, wanted->places, wanted->place_count);
	for (size_t i = 0; i < wanted->top_count; i++) {
		const struct find_side *top = &wanted->tops[i];
		if (held->tops[i].walks || is_archive(held, top))
			continue;
		found->unread += index_age_of(finder, &runs, top, 1).errors;
		found->unfinished += runs_unfinished(finder, &runs, top);
	}
	scan_run_list_release(&runs);
	return 0;
}

static bool lists_missing(const struct held_files *held, const struct held_file *file)
{
	(void)held;
	return is_missing(file->state);
}

int finder_missing(struct finder *finder, const struct presence_request *wanted,
		   struct presence *found, struct simhash_error *error)
{
	struct held_files held = {.finder = finder, .wanted = wanted, .found = found};
	int status = 0;

	*found = (struct presence){.count = 0};
	if (damaged_files_read(&held.damaged, finder->store, finder->tag_set, error) != 0 ||
	    find_walks(&held, error) != 0 || note_runs(&held, error) != 0 ||
	    held_each_row(&held, take_asked, error) != 0 || held_walk(&held, error) != 0 ||
	    check_tops(&held, error) != 0)
		status = -1;
	if (status == 0) {
		look_in_lists(&held);
		status = held_each_row(&held, take_place, error);
	}
	if (status == 0 && wanted->relatives != 0)
		status = held_relatives_find(&held, error);
	if (status == 0)
		status = held_settle(&held, lists_missing, error);
	held_files_release(&held);
	if (status != 0)
		presence_release(found);
	return status;
}

uint64_t presence_count_missing(const struct presence *found)
{
	uint64_t missing = 0;

	for (int state = CONTENT_MISSING; state < PRESENCE_STATES; state++)
		missing += found->files[state];
	return missing;
}

uint64_t presence_count(const struct presence *found)
{
	uint64_t files = 0;

	for (int state = 0; state < PRESENCE_STATES; state++)
		files += found->files[state];
	return files;
}

void presence_release(struct presence *found)
{
	free(found->items);
	arena_release(&found->arena);
	*found = (struct presence){.count = 0};
}
