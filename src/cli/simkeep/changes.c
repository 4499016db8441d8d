/*
 * Adds up the changes of a plan for each folder, and writes them as lines.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/sort/sort.h"
#include "base/text/columns.h"
#include "base/text/escape.h"
#include "cli/terminal/terminal.h"
#include "report/lists/formatter.h"
#include "report/lists/marked.h"

/* ---- Collecting ---- */

int changes_begin(struct changes *changes, const struct tree_request *request,
		  const struct keep_file *files, size_t count, struct simhash_error *error)
{
	*changes = (struct changes){.request = request, .files = files, .count = count};
	changes->items = calloc(count + 1, sizeof *changes->items);
	return changes->items == NULL ? error_set_memory(error) : 0;
}

void changes_release(struct changes *changes)
{
	free(changes->items);
	free(changes->lines);
	*changes = (struct changes){.count = 0};
}

static struct change *change_of(const struct changes *changes, const struct keep_file *file)
{
	struct change *change = &changes->items[file - changes->files];

	change->file = file;
	return change;
}

void changes_stay(struct changes *changes, const struct keep_file *file)
{
	change_of(changes, file)->kind = CHANGE_STAY;
}

void changes_copy_stays(struct changes *changes, const struct keep_file *file)
{
	change_of(changes, file)->kind = CHANGE_COPY;
}

void changes_done(struct changes *changes, const struct planned_act *act)
{
	struct change *change = change_of(changes, act->file);

	change->kind = act->action == ACTION_MOVE ? CHANGE_MOVE : CHANGE_DELETE;
	change->kept = act->kept;
	change->to = act->to;
}

bool changes_will(const struct changes *changes, const struct keep_file *file)
{
	return change_of(changes, file)->kind >= CHANGE_MOVE;
}

static int compare_changes(const void *a, const void *b, void *context)
{
	const struct change *x = a, *y = b;

	(void)context;
	return path_compare(bytes_of(x->file->path), bytes_of(y->file->path));
}

void changes_sort(struct changes *changes)
{
	size_t count = 0;

	for (size_t i = 0; i < changes->count; i++) {
		struct change *change = &changes->items[i];
		const struct change *kept =
			change->kept == NULL ? NULL
					     : &changes->items[change->kept - changes->files];
		if (kept != NULL)
			change->to = kept->kind == CHANGE_MOVE ? kept->to : change->kept->path;
	}
	for (size_t i = 0; i < changes->count; i++)
		if (changes->items[i].kind != CHANGE_NONE)
			changes->items[count++] = changes->items[i];
	changes->count = count;
	sort_with(changes->items, count, sizeof *changes->items, compare_changes, NULL);
}

bool changes_has(const struct changes *changes, const char *path)
{
	size_t low = 0, high = changes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order =
			path_compare(bytes_of(changes->items[middle].file->path), bytes_of(path));
		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* ---- Lines ---- */

static int add_line(struct changes *changes, const struct change_line *line,
		    struct simhash_error *error)
{
	if (array_reserve(&changes->lines, &changes->line_capacity, changes->line_count + 1,
			  sizeof *changes->lines, error) != 0)
		return -1;
	changes->lines[changes->line_count++] = *line;
	return 0;
}

/*
 * Is the other path of a change in a folder like this one, with the same path relative to it? Set
 * *other to that folder.
 */
static bool mirrors(const struct change *change, struct bytes folder, struct bytes *other)
{
	struct bytes rest = bytes_after(bytes_of(change->file->path), folder.size);

	if (change->to == NULL)
		return false;
	*other = bytes_of(change->to);
	if (other->size < rest.size ||
	    memcmp(other->data + other->size - rest.size, rest.data, rest.size) != 0)
		return false;
	other->size -= rest.size;
	return true;
}

/* Add a change to the line of its folder. False if it needs its own line. */
static bool join(struct change_line *line, const struct change *change)
{
	struct bytes other = {NULL, 0};
	bool is_mirrored = mirrors(change, line->path, &other);

	if (change->kind == CHANGE_MOVE &&
	    (!is_mirrored || (line->files > 0 && bytes_compare(line->to, other) != 0)))
		return false;
	if (line->files == 0)
		line->to = is_mirrored ? other : (struct bytes){"", 0};
	else if (!is_mirrored || bytes_compare(line->to, other) != 0)
		line->to.size = 0;
	line->files++;
	line->bytes += (uint64_t)change->file->size_bytes;
	return true;
}

/* Make one line for a whole folder. False if its files have different changes. */
static bool join_all(const struct changes *changes, size_t first, size_t end,
		     struct change_line *line)
{
	for (size_t i = first; i < end; i++)
		if (changes->items[i].kind != line->kind || !join(line, &changes->items[i]))
			return false;
	line->of_files = line->files;
	return true;
}

static int add_file_line(struct changes *changes, const struct change *change,
			 struct simhash_error *error)
{
	const struct change_line line = {.kind = change->kind,
					 .path = bytes_of(change->file->path),
					 .to = change->to == NULL ? (struct bytes){"", 0}
								  : bytes_of(change->to),
					 .files = 1,
					 .of_files = 1,
					 .bytes = (uint64_t)change->file->size_bytes};

	return add_line(changes, &line, error);
}

/* Is a path directly in a folder? */
static bool is_direct(const char *path, struct bytes folder)
{
	return strchr(path + folder.size + 1, '/') == NULL;
}

/* Add the lines for the files that are directly in a folder: a line for each kind of change. */
static int add_direct(struct changes *changes, struct bytes folder, size_t first, size_t end,
		      struct simhash_error *error)
{
	struct change_line lines[CHANGE_KINDS];
	uint64_t files = 0;

	for (unsigned kind = 0; kind < CHANGE_KINDS; kind++)
		lines[kind] = (struct change_line){
			.kind = (enum change_kind)kind, .path = folder, .is_folder = true};
	for (size_t i = first; i < end; i++) {
		const struct change *change = &changes->items[i];
		if (!is_direct(change->file->path, folder))
			continue;
		files++;
		if (!join(&lines[change->kind], change) &&
		    add_file_line(changes, change, error) != 0)
			return -1;
	}
	for (unsigned kind = 0; kind < CHANGE_KINDS; kind++) {
		lines[kind].of_files = files;
		if (lines[kind].files > 0 && add_line(changes, &lines[kind], error) != 0)
			return -1;
	}
	return 0;
}

/* The end of the changes that are in the same folder below `folder`; *below: that folder. */
static size_t folder_end(const struct changes *changes, struct bytes folder, size_t first,
			 size_t end, struct bytes *below)
{
	const char *path = changes->items[first].file->path;
	size_t last = first + 1;

	*below = (struct bytes){path, (size_t)(strchr(path + folder.size + 1, '/') - path)};
	while (last < end && path_is_at_or_below(bytes_of(changes->items[last].file->path), *below))
		last++;
	return last;
}

/*
 * Is a folder above a source, but not itself in one? A line for it would seem to mean files that
 * the user did not name.
 */
static bool is_above_sources(const struct tree_request *request, struct bytes folder)
{
	bool is_above = false;

	for (size_t i = 0; i < request->source_count; i++) {
		if (path_is_at_or_below(folder, request->sources[i]))
			return false;
		is_above = is_above || path_is_at_or_below(request->sources[i], folder);
	}
	return is_above;
}

static int add_folder(struct changes *changes, struct bytes folder, size_t first, size_t end,
		      struct simhash_error *error)
{
	struct change_line line = {
		.kind = changes->items[first].kind, .path = folder, .is_folder = true};
	struct bytes below;

	if (!is_above_sources(changes->request, folder) && join_all(changes, first, end, &line))
		return add_line(changes, &line, error);
	if (add_direct(changes, folder, first, end, error) != 0)
		return -1;
	for (size_t i = first, last; i < end; i = last) {
		last = i + 1;
		if (is_direct(changes->items[i].file->path, folder))
			continue;
		last = folder_end(changes, folder, i, end, &below);
		if (add_folder(changes, below, i, last, error) != 0)
			return -1;
	}
	return 0;
}

static int add_lines(struct changes *changes, struct simhash_error *error)
{
	struct bytes common;

	for (size_t i = 0; i < changes->count; i++) {
		const struct change *change = &changes->items[i];
		changes->number[change->kind]++;
		changes->bytes[change->kind] += (uint64_t)change->file->size_bytes;
	}
	if (changes->count == 0)
		return 0;
	common = path_above(bytes_of(changes->items[0].file->path));
	path_widen(&common, bytes_of(changes->items[changes->count - 1].file->path));
	return add_folder(changes, common, 0, changes->count, error);
}

/* ---- Writing ---- */

#define LINES_MAX 20 /* the most lines that a terminal shows */
#define SIZE_COLUMNS 9
#define KIND_COLUMNS 8

static const char *const kind_names[] = {"", "stays", "copies", "move", "delete"};

static void write_path(FILE *out, const struct change_line *line, struct bytes path,
		       const struct change_view *view)
{
	if (view->columns > 0)
		fputc(PATH_MARK, out);
	write_escaped(out, path);
	if (line->is_folder)
		fputc('/', out);
}

static void write_words(FILE *out, const struct change_line *line, const struct change_view *view)
{
	static const char *const colours[] = {"", PLAIN, PLAIN, GREEN, YELLOW};

	fprintf(out, "%s%-*s%s", view->has_colours ? colours[line->kind] : "", KIND_COLUMNS,
		kind_names[line->kind], view->has_colours ? PLAIN : "");
	write_path(out, line, line->path, view);
	if (line->to.size == 0)
		return;
	if (view->columns > 0)
		fputc(WIDTH_MARK, out);
	fputs(line->kind == CHANGE_DELETE ? "  =  " : " -> ", out);
	write_path(out, line, line->to, view);
}

/* Write "12 files" or "3 of 12 files". */
static size_t format_files(const struct change_line *line, char text[80])
{
	char files[32], of_files[32];
	int size;

	format_count(line->files, files);
	if (line->files == line->of_files)
		size = snprintf(text, 80, "%s file%s", files, line->files == 1 ? "" : "s");
	else
		size = snprintf(text, 80, "%s of %s files", files,
				format_count(line->of_files, of_files));
	return (size_t)size;
}

/* Write a line. Return false if memory is short. */
static bool write_line(const struct change_line *line, const struct layout *layout,
		       size_t files_columns, const struct change_view *view)
{
	char *text = NULL, files[80], bytes[32], numbers[160];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return false;
	write_words(out, line, view);
	if (close_text(out, &text) != 0)
		return false;
	format_files(line, files);
	format_bytes((double)line->bytes, bytes);
	if (view->columns > 0) {
		snprintf(numbers, sizeof numbers, "%*s  %*s", (int)files_columns, files,
			 SIZE_COLUMNS, bytes);
		write_marked_to(view->out, (struct bytes){text, size}, numbers, layout);
		fputc('\n', view->out);
	} else {
		fprintf(view->out, "%s  (%s, %s)\n", text, files, bytes);
	}
	free(text);
	return true;
}

/* Return the columns of an escaped path without the omitted prefix, and with its slash. */
static size_t path_columns(struct bytes path, struct bytes prefix)
{
	size_t size, columns = 0;
	char *text = escape_text(path, &size);

	if (text != NULL && size >= prefix.size)
		columns = text_columns((struct bytes){text + prefix.size, size - prefix.size}) + 1;
	free(text);
	return columns;
}

/* The beginning of all shown paths, which a terminal shows only once. */
static struct bytes find_prefix(const struct changes *changes, size_t shown)
{
	struct bytes common = path_above(changes->lines[0].path);

	for (size_t i = 0; i < shown; i++) {
		const struct change_line *line = &changes->lines[i];
		path_widen(&common, path_above(line->path));
		if (line->to.size > 0)
			path_widen(&common, path_above(line->to));
	}
	return paths_prefix(common);
}

static void write_screen(const struct changes *changes, const struct change_view *view)
{
	size_t all = changes->line_count, shown = all <= LINES_MAX ? all : LINES_MAX - 1;
	size_t files_columns = 0, to_columns = 0;
	struct layout layout = {.prefix = find_prefix(changes, shown), .folds = true};
	char text[80];

	for (size_t i = 0; i < shown; i++) {
		const struct change_line *line = &changes->lines[i];
		size_t path = path_columns(line->path, layout.prefix);
		size_t to = line->to.size == 0 ? 0 : path_columns(line->to, layout.prefix) + 5;
		size_t files = format_files(line, text);
		layout.first = path > layout.first ? path : layout.first;
		to_columns = to > to_columns ? to : to_columns;
		files_columns = files > files_columns ? files : files_columns;
	}
	layout.columns =
		KIND_COLUMNS + layout.first + to_columns + 2 + files_columns + 2 + SIZE_COLUMNS;
	if (layout.columns > view->columns)
		layout.columns = view->columns;
	write_prefix(view->out, &layout);
	for (size_t i = 0; i < shown; i++)
		if (!write_line(&changes->lines[i], &layout, files_columns, view))
			break;
	if (shown < all)
		fprintf(view->out, "and %s more lines; a file or a pipe gets all\n",
			format_count(all - shown, text));
	free((char *)(uintptr_t)layout.prefix.data);
}

int changes_write(struct changes *changes, const struct change_view *view,
		  struct simhash_error *error)
{
	const struct layout none = {.columns = 0};

	if (add_lines(changes, error) != 0)
		return -1;
	if (view == NULL || changes->line_count == 0)
		return 0;
	if (view->columns > 0)
		write_screen(changes, view);
	for (size_t i = 0; view->columns == 0 && i < changes->line_count; i++)
		if (!write_line(&changes->lines[i], &none, 0, view))
			break;
	return 0;
}

void changes_write_totals(FILE *out, const struct changes *changes, bool does, uint64_t freed_bytes)
{
	const uint64_t *number = changes->number;
	char count[32], bytes[32];

	fprintf(out, "%s %s file%s (%s)", does ? "moved" : "would move",
		format_count(number[CHANGE_MOVE], count), number[CHANGE_MOVE] == 1 ? "" : "s",
		format_bytes((double)changes->bytes[CHANGE_MOVE], bytes));
	if (number[CHANGE_DELETE] > 0)
		fprintf(out, ", %s %s file%s and %s %s", does ? "deleted" : "delete",
			format_count(number[CHANGE_DELETE], count),
			number[CHANGE_DELETE] == 1 ? "" : "s", does ? "freed" : "free",
			format_bytes((double)freed_bytes, bytes));
	if (number[CHANGE_COPY] > 0)
		fprintf(out, "; %s cop%s, which --action=delete removes",
			format_count(number[CHANGE_COPY], count),
			number[CHANGE_COPY] == 1 ? "y stays" : "ies stay");
	if (number[CHANGE_STAY] > 0)
		fprintf(out, "; %s file%s", format_count(number[CHANGE_STAY], count),
			number[CHANGE_STAY] == 1 ? " stays" : "s stay");
}
