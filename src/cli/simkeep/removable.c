/*
 * Adds up removable copies by folder, and lists the folders.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/removable.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/entry_reader.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/sort/sort.h"
#include "base/text/columns.h"
#include "base/text/decimal.h"
#include "base/text/escape.h"
#include "cli/terminal/terminal.h"
#include "report/lists/formatter.h"
#include "report/lists/marked.h"

#define PROGRAM "simkeep"
#define NOTHING ((struct bytes){"", 0})

int removable_add(struct removable *removable, const char *path, const char *kept, uint64_t bytes,
		  struct simhash_error *error)
{
	if (array_reserve(&removable->copies, &removable->capacity, removable->count + 1,
			  sizeof *removable->copies, error) != 0)
		return -1;
	removable->copies[removable->count++] = (struct removable_copy){path, kept, bytes};
	return 0;
}

void removable_release(struct removable *removable)
{
	free(removable->copies);
	free(removable->folders);
	for (size_t i = 0; i < removable->reason_count; i++)
		free(removable->reasons[i].why);
	*removable = (struct removable){.count = 0};
}

/* ---- Files that cannot be removed ---- */

void removable_leave(struct removable *removable, const char *path, const char *why)
{
	struct removable_reason *reasons = removable->reasons;
	size_t i = 0;

	while (i < removable->reason_count && strcmp(reasons[i].why, why) != 0)
		i++;
	if (i == REASONS_MAX) {
		removable->others++;
		return;
	}
	if (i == removable->reason_count) {
		reasons[i] = (struct removable_reason){.path = path, .why = strdup(why)};
		if (reasons[i].why == NULL)
			return;
		removable->reason_count++;
	}
	reasons[i].files++;
}

void removable_say_left(const struct removable *removable)
{
	char count[32], *text;
	int size;

	for (size_t i = 0; i < removable->reason_count; i++) {
		const struct removable_reason *reason = &removable->reasons[i];
		if (reason->files == 1)
			size = asprintf(&text, "%s cannot be removed: %s", reason->path,
					reason->why);
		else
			size = asprintf(&text, "%s files cannot be removed, such as %s: %s",
					format_count(reason->files, count), reason->path,
					reason->why);
		if (size < 0)
			return;
		say(PROGRAM, text);
		free(text);
	}
	if (removable->others > 0 &&
	    asprintf(&text, "%s more file%s cannot be removed for other reasons",
		     format_count(removable->others, count),
		     removable->others == 1 ? "" : "s") >= 0) {
		say(PROGRAM, text);
		free(text);
	}
}

/* ---- Directories ---- */

/* The contents of a directory: files that are not empty, and directories. */
struct directory_contents {
	uint64_t files, directories;
	/* It has other entries, for example symbolic links, or entries that cannot be read. */
	bool has_others;
};

static void read_contents(struct bytes path, uint64_t deep, struct directory_contents *contents);

static void count_entry(struct directory_contents *contents, struct bytes directory,
			const char *name, uint64_t deep)
{
	char *path = path_join(directory, bytes_of(name));
	struct stat status;

	if (path == NULL || lstat(path, &status) != 0)
		contents->has_others = true;
	else if (S_ISREG(status.st_mode))
		contents->files += status.st_size > 0;
	else if (!S_ISDIR(status.st_mode))
		contents->has_others = true;
	else {
		contents->directories++;
		if (contents->files < deep)
			read_contents(bytes_of(path), deep, contents);
	}
	free(path);
}

/*
 * Count the entries directly in a directory. As long as fewer than `deep` files are counted, also
 * count the entries of directories below it.
 */
static void read_contents(struct bytes path, uint64_t deep, struct directory_contents *contents)
{
	struct entry_reader reader = {0};
	struct entry entry;
	char *name = strndup(path.data, path.size);
	int status = -1, directory = -1;

	if (name != NULL)
		directory = open_path(name[0] == '\0' ? "/" : name,
				      O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	if (directory >= 0) {
		if (entry_reader_begin(&reader, directory) == 0)
			while ((status = entry_reader_next(&reader, &entry)) == 1)
				count_entry(contents, bytes_of(name), entry.name, deep);
		entry_reader_end(&reader);
		entry_reader_release(&reader);
		close(directory);
	}
	free(name);
	contents->has_others = contents->has_others || status != 0;
}

/* ---- The place of the kept files ---- */

/*
 * Return the part of a path below a folder. It begins with a slash; the folder does not end with
 * one.
 */
static struct bytes below(const char *path, struct bytes folder)
{
	return bytes_of(path + folder.size);
}

/*
 * Is there a folder that has the kept file at the same relative path as `folder` has the copy? Set
 * *mirror to it.
 */
static bool mirrors(const struct removable_copy *copy, struct bytes folder, struct bytes *mirror)
{
	struct bytes rest = below(copy->path, folder), kept = bytes_of(copy->kept);

	*mirror = kept;
	if (kept.size <= rest.size ||
	    memcmp(kept.data + kept.size - rest.size, rest.data, rest.size) != 0)
		return false;
	mirror->size -= rest.size;
	return true;
}

/* Is one folder the mirror of all copies of a folder? Set *mirror to it. */
static bool find_mirror(const struct removable_copy *copies, size_t count, struct bytes folder,
			struct bytes *mirror)
{
	struct bytes other;

	if (!mirrors(&copies[0], folder, mirror))
		return false;
	for (size_t i = 1; i < count; i++)
		if (!mirrors(&copies[i], folder, &other) || bytes_compare(*mirror, other) != 0)
			return false;
	return mirror->size > 0;
}

static void relate_whole(struct removable_folder *whole, const struct removable_copy *copies,
			 size_t count)
{
	struct directory_contents contents = {.files = 0};
	struct bytes kept;
	bool is_in_one = true;

	if (find_mirror(copies, count, whole->path, &kept)) {
		read_contents(kept, whole->copies + 1, &contents);
		whole->kept = kept;
		whole->relation = contents.files == whole->copies && !contents.has_others
					  ? COPIES_IDENTICAL
					  : COPIES_ALL_IN;
		return;
	}
	kept = path_above(bytes_of(copies[0].kept));
	for (size_t i = 1; i < count; i++) {
		struct bytes directory = path_above(bytes_of(copies[i].kept));
		is_in_one = is_in_one && bytes_compare(directory, kept) == 0;
		path_widen(&kept, directory);
	}
	/* A folder around this one is the place of the kept files only if they are directly in it. */
	if (kept.size == 0 || (path_is_at_or_below(whole->path, kept) && !is_in_one))
		return;
	whole->kept = kept;
	whole->relation = COPIES_ALL_IN;
}

/* ---- Folders ---- */

static int add_folder(struct removable *removable, const struct removable_folder *folder,
		      struct simhash_error *error)
{
	if (array_reserve(&removable->folders, &removable->folder_capacity,
			  removable->folder_count + 1, sizeof *removable->folders, error) != 0)
		return -1;
	removable->folders[removable->folder_count++] = *folder;
	return 0;
}

/* Count a copy that is directly in a folder. */
static void add_copy(struct removable_folder *folder, const struct removable_copy *copy)
{
	struct bytes kept = path_above(bytes_of(copy->kept));

	folder->kept = folder->copies == 0 || bytes_compare(folder->kept, kept) == 0 ? kept
										     : NOTHING;
	folder->relation = folder->kept.size == 0			    ? COPIES_SCATTERED
			   : bytes_compare(folder->kept, folder->path) == 0 ? COPIES_IN_ITSELF
									    : COPIES_PARTLY_IN;
	folder->copies++;
	folder->bytes += copy->bytes;
}

/* Add one entry for everything below a folder. */
static int add_whole(struct removable *removable, struct bytes path, size_t first, size_t end,
		     struct simhash_error *error)
{
	struct removable_folder whole = {.path = path, .copies = end - first, .files = end - first};

	for (size_t i = first; i < end; i++)
		whole.bytes += removable->copies[i].bytes;
	relate_whole(&whole, removable->copies + first, end - first);
	return add_folder(removable, &whole, error);
}

/* Return the folder directly below `path` that contains a file. */
static struct bytes folder_below(struct bytes path, const char *file)
{
	const char *slash = strchr(file + path.size + 1, '/');

	return (struct bytes){file, slash == NULL ? path.size : (size_t)(slash - file)};
}

/*
 * Add the folders at or below `path`, which contains the copies from `first` to `end`. Return 1 if
 * it contains nothing else, so that it became one entry; 0 otherwise; or -1.
 */
static int add_folders(struct removable *removable, struct bytes path, size_t first, size_t end,
		       struct simhash_error *error)
{
	struct removable_folder direct = {.path = path};
	struct directory_contents contents = {.files = 0};
	size_t before = removable->folder_count, directories = 0;
	bool is_whole = true;
	int status;

	for (size_t i = first, next; i < end; i = next) {
		struct bytes child = folder_below(path, removable->copies[i].path);
		next = i + 1;
		if (child.size == path.size) {
			add_copy(&direct, &removable->copies[i]);
			continue;
		}
		while (next < end &&
		       path_is_at_or_below(bytes_of(removable->copies[next].path), child))
			next++;
		status = add_folders(removable, child, i, next, error);
		if (status < 0)
			return -1;
		is_whole = is_whole && status > 0;
		directories++;
	}
	if (is_whole || direct.copies > 0)
		read_contents(path, 0, &contents);
	if (is_whole && path.size > 0 && !contents.has_others && contents.files == direct.copies &&
	    contents.directories == directories) {
		removable->folder_count = before;
		return add_whole(removable, path, first, end, error) != 0 ? -1 : 1;
	}
	direct.files = contents.files;
	return direct.copies == 0 ? 0 : add_folder(removable, &direct, error);
}

static int compare_copies(const void *a, const void *b, void *context)
{
	const struct removable_copy *x = a, *y = b;

	(void)context;
	return path_compare(bytes_of(x->path), bytes_of(y->path));
}

static int compare_folders(const void *a, const void *b, void *context)
{
	const struct removable_folder *x = a, *y = b;

	(void)context;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return path_compare(x->path, y->path);
}

int removable_add_up(struct removable *removable, struct simhash_error *error)
{
	sort_with(removable->copies, removable->count, sizeof *removable->copies, compare_copies,
		  NULL);
	if (removable->count > 0 &&
	    add_folders(removable, ((struct bytes){removable->copies[0].path, 0}), 0,
			removable->count, error) < 0)
		return -1;
	sort_with(removable->folders, removable->folder_count, sizeof *removable->folders,
		  compare_folders, NULL);
	return 0;
}

/* ---- Writing ---- */

#define FOLDERS_MAX 20 /* the most folders that a terminal shows */
#define SIZE_COLUMNS 9

/* Write "12 files" or "3 of 12 files". */
static int format_files(const struct removable_folder *folder, char *text, size_t size)
{
	char copies[32], files[32];

	format_count(folder->copies, copies);
	if (folder->copies >= folder->files)
		return snprintf(text, size, "%s file%s", copies, folder->copies == 1 ? "" : "s");
	return snprintf(text, size, "%s of %s files", copies, format_count(folder->files, files));
}

#define FILES_SIZE 80

static const char *const relation_texts[] = {[COPIES_SCATTERED] = "in several folders",
					     [COPIES_IN_ITSELF] = "in the same folder",
					     [COPIES_PARTLY_IN] = "partly in ",
					     [COPIES_ALL_IN] = "all in ",
					     [COPIES_IDENTICAL] = "identical to "};

static bool names_folder(const struct removable_folder *folder)
{
	return folder->relation > COPIES_IN_ITSELF;
}

static void write_path(FILE *out, struct bytes path, const struct removable_view *view)
{
	if (view->columns > 0)
		fputc(PATH_MARK, out);
	write_escaped(out, path.size == 0 ? bytes_of("/") : path);
}

/* Write the folder and the place of its kept files. */
static void write_relation(FILE *out, const struct removable_folder *folder,
			   const struct removable_view *view)
{
	write_path(out, folder->path, view);
	if (view->columns > 0)
		fputc(WIDTH_MARK, out);
	fprintf(out, "  %s%s%s", view->has_colours ? GREEN : "", relation_texts[folder->relation],
		view->has_colours ? PLAIN : "");
	if (names_folder(folder))
		write_path(out, folder->kept, view);
}

/* Write the files and bytes of a folder, right-aligned. */
static void write_numbers(FILE *out, const struct removable_folder *folder, size_t files_columns)
{
	char files[FILES_SIZE], bytes[32];

	format_files(folder, files, sizeof files);
	fprintf(out, "%*s  %*s", (int)files_columns, files, files_columns == 0 ? 0 : SIZE_COLUMNS,
		format_bytes((double)folder->bytes, bytes));
}

/* Write the line of a folder. Return false if memory is short. */
static bool write_folder(const struct removable_folder *folder, const struct layout *layout,
			 size_t files_columns, const struct removable_view *view)
{
	char *line = NULL, *numbers = NULL;
	size_t size, numbers_size;
	FILE *out = open_memstream(&line, &size), *end = open_memstream(&numbers, &numbers_size);
	bool is_made;

	if (out != NULL)
		write_relation(out, folder, view);
	if (end != NULL)
		write_numbers(end, folder, files_columns);
	is_made = out != NULL && close_text(out, &line) == 0;
	is_made = end != NULL && close_text(end, &numbers) == 0 && is_made;
	if (is_made && view->columns > 0)
		write_marked_to(view->out, (struct bytes){line, size}, numbers, layout);
	else if (is_made)
		fprintf(view->out, "%s  %s", line, numbers);
	fputc('\n', view->out);
	free(line);
	free(numbers);
	return is_made;
}

/* Return the columns of an escaped path without the omitted prefix. */
static size_t path_columns(struct bytes path, struct bytes prefix)
{
	size_t size, columns = 0;
	char *text = escape_text(path, &size);

	if (text != NULL && size >= prefix.size)
		columns = text_columns((struct bytes){text + prefix.size, size - prefix.size});
	free(text);
	return columns;
}

/* Return the beginning that all shown paths share. */
static struct bytes find_prefix(const struct removable *removable, size_t shown)
{
	struct bytes common = path_above(removable->folders[0].path);

	for (size_t i = 0; i < shown; i++) {
		const struct removable_folder *folder = &removable->folders[i];
		path_widen(&common, path_above(folder->path));
		if (names_folder(folder))
			path_widen(&common, path_above(folder->kept));
	}
	return paths_prefix(common);
}

/* Choose the widths of the columns. */
static void find_columns(const struct removable *removable, size_t shown, struct layout *layout,
			 size_t *files_columns)
{
	size_t second = 0;
	char text[FILES_SIZE];

	*files_columns = 0;
	for (size_t i = 0; i < shown; i++) {
		const struct removable_folder *folder = &removable->folders[i];
		size_t path = path_columns(folder->path, layout->prefix);
		size_t kept =
			strlen(relation_texts[folder->relation]) +
			(names_folder(folder) ? path_columns(folder->kept, layout->prefix) : 0);
		size_t files = (size_t)format_files(folder, text, sizeof text);
		layout->first = path > layout->first ? path : layout->first;
		second = kept > second ? kept : second;
		*files_columns = files > *files_columns ? files : *files_columns;
	}
	layout->columns = layout->first + 2 + second + 2 + *files_columns + 2 + SIZE_COLUMNS;
}

static void write_screen(const struct removable *removable, const struct removable_view *view)
{
	size_t all = removable->folder_count, shown = all <= FOLDERS_MAX ? all : FOLDERS_MAX - 1;
	size_t files_columns;
	char text[32];
	struct layout layout = {.prefix = find_prefix(removable, shown), .folds = true};

	find_columns(removable, shown, &layout, &files_columns);
	if (layout.columns > view->columns)
		layout.columns = view->columns;
	write_prefix(view->out, &layout);
	for (size_t i = 0; i < shown; i++)
		if (!write_folder(&removable->folders[i], &layout, files_columns, view))
			break;
	if (shown < all)
		fprintf(view->out, "and %s more folders; a file or a pipe gets all\n",
			format_count(all - shown, text));
	free((char *)(uintptr_t)layout.prefix.data);
}

void removable_write(const struct removable *removable, const struct removable_view *view)
{
	const struct layout none = {.columns = 0};

	if (removable->folder_count == 0)
		return;
	if (view->columns > 0)
		write_screen(removable, view);
	for (size_t i = 0; view->columns == 0 && i < removable->folder_count; i++)
		if (!write_folder(&removable->folders[i], &none, 0, view))
			return;
}
