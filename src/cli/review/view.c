/*
 * Draws the lists of a review.
 * SPDX-License-Identifier: MIT
 */
#include "cli/review/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/text/decimal.h"
#include "cli/review/screen.h"

#define SIZE_COLUMNS 9
#define TREE_COLUMNS_MAX 70
#define TWO_LISTS_MIN 60 /* a narrower screen shows one list */
#define TWO_TEXTS_MIN 100
#define DEPTH_SHOWN 12
#define RELATION_COLUMNS 17

const char view_help[] =
	"Move\n"
	"  j k, arrows     down and up                 Space, PgDn, PgUp  a page\n"
	"  g G, Home, End  first and last              Tab                the other list\n"
	"  l, Right, Enter open: folder, groups, files, in this order\n"
	"  h, Left, Esc    close, or back\n"
	"Mark files (in a list of folders or groups: all files of the active folder)\n"
	"  d               remove; one file of each content always stays\n"
	"  s               keep (stays)                c                  clear the mark\n"
	"  r R             rule for this folder; rule for all folders; marks by hand stay:\n"
	"      newest, oldest, shortest-path, longest-name, in:DIR, not-in:DIR or\n"
	"      match:GLOB: of identical files the best one stays, and the others in the\n"
	"      folder are removed\n"
	"  u               undo\n"
	"Look\n"
	"  =               compare: press it on one file, then on another one; or twice\n"
	"                  on one file for its first copy\n"
	"  v               versions and parts of a file: all files of the index that are\n"
	"                  similar, contain it or are part of it, with the place; Enter\n"
	"                  compares one of them\n"
	"  t               one or two columns, on a screen of 100 columns or more\n"
	"  / n N           search for a part of a name; next; previous\n"
	"Folders\n"
	"  1.2 MB R name   the most that it can free; R: some files are marked\n"
	"                  The sizes overlap: each folder counts on copies elsewhere.\n"
	"Groups\n"
	"  1.2 MB 3 R2     what can be freed; 3 identical files, 2 of them are marked\n"
	"Files\n"
	"  REMOVE keep     your mark                   protected       it always stays\n"
	"  @               it has another name (hard link): both must go to free space\n"
	"Leave\n"
	"  q               save the decisions, show the plan; with --yes, carry it out\n"
	"  Ctrl-C          save the decisions and end\n"
	"  w               save the decisions now\n";

/* ---- Lists ---- */

int view_init(struct view *view, struct simhash_error *error)
{
	const struct review_model *model = view->model;

	view->folders = calloc(model->folder_count + 1, sizeof *view->folders);
	view->groups = calloc(model->content_count + 1, sizeof *view->groups);
	view->listed_folder = view->compared = REVIEW_NONE;
	view->is_beside = true;
	if (view->folders == NULL || view->groups == NULL)
		return error_set_memory(error);
	view_list_folders(view);
	return view_list_groups(view, error);
}

void view_release(struct view *view)
{
	free(view->folders);
	free(view->groups);
	free(view->text_titles[0]);
	free(view->text_titles[1]);
	free(view->path.text);
	comparison_release(&view->text);
	review_relatives_release(&view->relatives);
}

/* The next folder of the tree, below `top`; REVIEW_NONE after the last one. */
static uint32_t next_folder(const struct review_model *model, uint32_t folder)
{
	const struct review_folder *f = &model->folders[folder];

	if (f->is_open && f->first_child != REVIEW_NONE)
		return f->first_child;
	while (folder != model->top && model->folders[folder].next_sibling == REVIEW_NONE)
		folder = model->folders[folder].parent;
	return folder == model->top ? REVIEW_NONE : model->folders[folder].next_sibling;
}

void view_list_folders(struct view *view)
{
	const struct review_model *model = view->model;
	size_t count = 0;

	for (uint32_t i = model->top; i != REVIEW_NONE; i = next_folder(model, i))
		if (model->folders[i].files > 0 || i == model->top)
			view->folders[count++] = i;
	view->cursors[LIST_FOLDERS].count = count;
}

int view_list_groups(struct view *view, struct simhash_error *error)
{
	uint32_t folder = view_folder(view);

	if (folder == view->listed_folder)
		return 0;
	error->code = SIMHASH_E_NONE;
	view->cursors[LIST_GROUPS] = (struct view_cursor){
		.count = review_list_contents(view->model, folder, view->groups, error)};
	view->listed_folder = folder;
	return error->code == SIMHASH_E_NONE ? 0 : -1;
}

uint32_t view_folder(const struct view *view)
{
	return view->folders[view->cursors[LIST_FOLDERS].at];
}

uint32_t view_content(const struct view *view)
{
	const struct view_cursor *cursor = &view->cursors[LIST_GROUPS];

	return cursor->count == 0 ? REVIEW_NONE : view->groups[cursor->at];
}

uint32_t view_file(const struct view *view)
{
	uint32_t content = view_content(view);

	return content == REVIEW_NONE ? REVIEW_NONE
				      : view->model->contents[content].first +
						(uint32_t)view->cursors[LIST_FILES].at;
}

char *view_path_of(struct view *view, uint32_t file)
{
	return review_file_path(view->model, file, &view->path) == 0 ? NULL
								     : strdup(view->path.text);
}

size_t view_height(void)
{
	return screen_rows() < 5 ? 1 : screen_rows() - 4;
}

bool view_has_room_for_two(void)
{
	return screen_columns() >= TWO_TEXTS_MIN;
}

/* ---- Rows ---- */

struct area {
	unsigned column, width;
};

/* Draw one part of a row, and move the area past it. */
static void put(unsigned row, struct area *area, unsigned width, enum screen_style style,
		bool is_selected, struct bytes text)
{
	struct screen_place place = {row,   area->column, width < area->width ? width : area->width,
				     style, is_selected,  false};

	screen_put(&place, text);
	area->column += place.width;
	area->width -= place.width;
}

static void put_text(unsigned row, struct area *area, unsigned width, enum screen_style style,
		     bool is_selected, const char *text)
{
	put(row, area, width, style, is_selected, bytes_of(text));
}

static void put_size(unsigned row, struct area *area, bool is_selected, int64_t bytes)
{
	char number[32], text[48];

	snprintf(text, sizeof text, "%*s ", SIZE_COLUMNS, format_bytes((double)bytes, number));
	put_text(row, area, SIZE_COLUMNS + 1, STYLE_PLAIN, is_selected, text);
}

static void draw_folder(struct view *view, unsigned row, struct area area, size_t at,
			bool is_selected)
{
	const struct review_model *model = view->model;
	uint32_t folder = view->folders[at];
	const struct review_folder *f = &model->folders[folder];
	uint32_t depth = f->depth - model->folders[model->top].depth;
	struct bytes name = review_folder_name(model, folder);
	char text[64];

	put_size(row, &area, is_selected, f->frees_bytes);
	put_text(row, &area, 2, f->marked_bytes > 0 ? STYLE_REMOVE : STYLE_PLAIN, is_selected,
		 f->marked_bytes > 0 ? "R" : "");
	snprintf(text, sizeof text, "%*s%s", (int)(depth < DEPTH_SHOWN ? depth : DEPTH_SHOWN), "",
		 f->first_child == REVIEW_NONE ? "  "
		 : f->is_open		       ? "- "
					       : "+ ");
	put_text(row, &area, (unsigned)strlen(text), STYLE_PLAIN, is_selected, text);
	if (folder == model->top && review_folder_path(model, folder, &view->path) > 0)
		name = bytes_of(view->path.text);
	put(row, &area, area.width, STYLE_BOLD, is_selected, name);
}

/* The first file of a content that is in a folder. */
static uint32_t first_in(const struct review_model *model, uint32_t content, uint32_t folder)
{
	uint32_t file = model->contents[content].first;

	while (!review_is_in(model, file, folder))
		file++;
	return file;
}

static void draw_group(struct view *view, unsigned row, struct area area, size_t at,
		       bool is_selected)
{
	const struct review_model *model = view->model;
	const struct review_content *content = &model->contents[view->groups[at]];
	uint32_t removed = content->count - content->staying;
	uint32_t file = first_in(model, view->groups[at], view->listed_folder);
	char number[32], text[64];
	size_t folder_size = review_folder_path(model, view->listed_folder, &view->path);
	struct bytes path = {view->path.text, review_file_path(model, file, &view->path)};

	put_size(row, &area, is_selected, content->size_bytes * content->removable);
	snprintf(text, sizeof text, "%4s ", format_count(content->count, number));
	put_text(row, &area, (unsigned)strlen(text), STYLE_SOFT, is_selected, text);
	snprintf(text, sizeof text, "R%s ", format_count(removed, number));
	put_text(row, &area, removed > 0 ? (unsigned)strlen(text) : 0, STYLE_REMOVE, is_selected,
		 text);
	path.data = view->path.text;
	path = bytes_after(path, folder_size == 1 ? 1 : folder_size + 1);
	put(row, &area, area.width, STYLE_PLAIN, is_selected, path);
}

static void format_time(int64_t ns, char *text, size_t size)
{
	int64_t fraction = ns % NS_PER_S;
	time_t seconds =
		(time_t)((ns - (fraction < 0 ? fraction + NS_PER_S : fraction)) / NS_PER_S);
	struct tm parts;

	if (localtime_r(&seconds, &parts) == NULL ||
	    strftime(text, size, "%Y-%m-%d %H:%M  ", &parts) == 0)
		snprintf(text, size, "?  ");
}

static void draw_file(struct view *view, unsigned row, struct area area, size_t at,
		      bool is_selected)
{
	const struct review_model *model = view->model;
	uint32_t file = model->contents[view_content(view)].first + (uint32_t)at;
	const struct review_file *f = &model->files[file];
	bool is_here = review_is_in(model, file, view->listed_folder);
	char text[64];

	put_text(row, &area, 10,
		 f->mark == MARK_REMOVE ? STYLE_REMOVE
		 : f->mark == MARK_KEEP ? STYLE_KEEP
					: STYLE_SOFT,
		 is_selected,
		 f->is_locked		  ? "protected"
		 : f->mark == MARK_REMOVE ? "REMOVE"
		 : f->mark == MARK_KEEP	  ? "keep"
					  : "");
	put_text(row, &area, 2, STYLE_PLAIN, is_selected,
		 file == view->compared ? "="
		 : f->next_link != file ? "@"
					: "");
	format_time(f->mtime_ns, text, sizeof text);
	put_text(row, &area, 18, STYLE_PLAIN, is_selected, text);
	if (review_file_path(model, file, &view->path) > 0)
		put_text(row, &area, area.width, is_here ? STYLE_BOLD : STYLE_PLAIN, is_selected,
			 view->path.text);
}

static void draw_relative(struct view *view, unsigned row, struct area area, size_t at,
			  bool is_selected)
{
	const struct review_relative *relative = &view->relatives.items[at];
	char text[64];

	put_text(row, &area, 1, STYLE_PLAIN, is_selected, "");
	put_text(row, &area, RELATION_COLUMNS, STYLE_BOLD, is_selected, relative->label);
	put_size(row, &area, is_selected, relative->size_bytes);
	format_time(relative->mtime_ns, text, sizeof text);
	put_text(row, &area, 18, STYLE_SOFT, is_selected, text);
	put_text(row, &area, area.width, STYLE_PLAIN, is_selected, relative->name);
}

static void draw_line(struct view *view, unsigned row, struct area area, size_t at,
		      bool is_selected)
{
	const struct compared_row *line = &view->text.rows[at];
	enum screen_style left = line->mark == '-' || line->mark == '|' ? STYLE_REMOVE
				 : line->mark == '@'			? STYLE_BOLD
									: STYLE_PLAIN;
	enum screen_style right = line->mark == '+' || line->mark == '|' ? STYLE_KEEP : STYLE_PLAIN;
	bool is_beside = view->is_beside && view_has_room_for_two() && line->mark != '@' &&
			 !view->is_help;
	struct screen_place place = {.row = row,
				     .column = area.column,
				     .width = 2,
				     .style = left,
				     .is_selected = is_selected,
				     .keeps_head = true};
	unsigned half = is_beside ? (area.width - 3) / 2 : area.width;

	if (!view->is_help) {
		char mark[3] = {line->mark == '@' ? ' ' : line->mark, ' ', '\0'};
		if (line->mark == '+' && !is_beside)
			place.style = STYLE_KEEP;
		screen_put(&place, bytes_of(mark));
		place.column += 2;
		half -= 2;
	}
	place.width = half;
	screen_put(&place, line->mark == '+' && !is_beside ? line->right : line->left);
	if (!is_beside)
		return;
	place.column += half;
	place.style = STYLE_PLAIN;
	place.width = 3;
	screen_put(&place, bytes_of(" | "));
	place.column += 3;
	place.width = area.width;
	place.style = right;
	screen_put(&place, line->right);
}

typedef void draw_row_fn(struct view *view, unsigned row, struct area area, size_t at,
			 bool is_selected);

static void draw_list(struct view *view, enum view_list list, struct area area, draw_row_fn *draw)
{
	struct view_cursor *cursor = &view->cursors[list];
	size_t height = view_height();
	/* The mark of the cursor is before the rows; a text has none. */
	unsigned mark = list == LIST_TEXT ? 0 : 1;
	struct area rows = {area.column + mark, area.width - mark};

	if (cursor->at < cursor->top)
		cursor->top = cursor->at;
	if (cursor->at >= cursor->top + height)
		cursor->top = cursor->at - height + 1;
	for (size_t i = 0; i < height && cursor->top + i < cursor->count; i++) {
		bool is_selected = cursor->top + i == cursor->at && view->list == list;
		draw(view, (unsigned)i + 1, rows, cursor->top + i, is_selected);
		if (cursor->top + i == cursor->at && mark > 0)
			screen_put(&(struct screen_place){(unsigned)i + 1, area.column, 1,
							  STYLE_BOLD, false, true},
				   bytes_of(is_selected ? ">" : "."));
	}
}

/* ---- The lines around the lists ---- */

static void draw_bar(unsigned row, enum screen_style style, struct bytes text)
{
	screen_put(&(struct screen_place){row, 0, screen_columns(), style, false, false}, text);
}

static void draw_title(struct view *view)
{
	const struct review_model *model = view->model;
	char removed[32], kept[32], bytes[32], all[32], text[200];

	snprintf(text, sizeof text, "%s to remove frees %s of %s; %s to keep",
		 format_count(model->removed, removed),
		 format_bytes((double)review_marked_bytes(model), bytes),
		 format_bytes((double)model->folders[0].frees_bytes, all),
		 format_count(model->kept, kept));
	screen_put(&(struct screen_place){0, 0, screen_columns(), STYLE_BAR, false, true},
		   bytes_of(text));
}

/* The path, and the place of a part. */
static void draw_related(const struct view *view, unsigned row)
{
	const struct review_relative *relative =
		&view->relatives.items[view->cursors[LIST_RELATED].at];
	struct screen_place place = {row, 0, screen_columns(), STYLE_PLAIN, false, true};

	if (relative->place[0] != '\0') {
		char text[80];
		snprintf(text, sizeof text, "%s %s ", relative->place,
			 relative->is_contained ? "are" : "of");
		place.width = (unsigned)strlen(text);
		screen_put(&place, bytes_of(text));
		place.column = place.width;
		place.width = screen_columns() > place.column ? screen_columns() - place.column : 0;
	}
	place.style = STYLE_BOLD;
	place.keeps_head = false;
	screen_put(&place, bytes_of(relative->name));
}

/* Write what is under the cursor in full. */
static void draw_detail(struct view *view)
{
	const struct review_model *model = view->model;
	unsigned row = screen_rows() - 3;
	char text[200], number[32], size[32];

	if (view->list == LIST_TEXT) {
		for (unsigned i = 0; i < 2 && view->text_titles[i] != NULL; i++)
			screen_put(&(struct screen_place){row, i * screen_columns() / 2,
							  screen_columns() / 2 - (i == 0),
							  STYLE_BOLD, false, false},
				   bytes_of(view->text_titles[i]));
		return;
	}
	if (view->list == LIST_FOLDERS) {
		if (review_folder_path(model, view_folder(view), &view->path) > 0)
			draw_bar(row, STYLE_BOLD, bytes_of(view->path.text));
		return;
	}
	if (view->list == LIST_RELATED) {
		draw_related(view, row);
		return;
	}
	if (view->list == LIST_FILES && review_file_path(model, view_file(view), &view->path) > 0) {
		draw_bar(row, STYLE_BOLD, bytes_of(view->path.text));
		return;
	}
	if (view_content(view) == REVIEW_NONE)
		return;
	snprintf(text, sizeof text, "%s identical files of %s",
		 format_count(model->contents[view_content(view)].count, number),
		 format_bytes((double)model->contents[view_content(view)].size_bytes, size));
	draw_bar(row, STYLE_BOLD, bytes_of(text));
}

static void draw_message(struct view *view)
{
	unsigned row = screen_rows() - 2;
	char text[sizeof view->message + sizeof view->typed];

	if (view->prompt != NULL) {
		snprintf(text, sizeof text, "%s%s_", view->prompt, view->typed);
		draw_bar(row, STYLE_PLAIN, bytes_of(text));
		return;
	}
	if (view->message[0] != '\0') {
		draw_bar(row, STYLE_PLAIN, bytes_of(view->message));
		return;
	}
	snprintf(text, sizeof text, "Decisions: %s%s",
		 view->saved->is_changed ? "(not saved) " : "", view->saved->path);
	draw_bar(row, STYLE_PLAIN, bytes_of(text));
}

/* Each line has at most 80 columns. */
static void draw_keys(struct view *view)
{
	static const char *const texts[LIST_TEXT] = {
		"?help  Enter groups  l/h open/close  d remove  r rule  /search  u undo  q quit",
		"?help  Enter files  h back  d remove here  r rule  /search  u undo  q quit",
		"?help  d remove  s keep  c clear  = compare  v versions  h back  u undo  q quit",
		"?help  Enter compare  h back  /search",
	};
	/* After the number of files. */
	static const char *const acting[LIST_TEXT] = {
		"?help  Enter groups  d remove  r rule  u undo",
		"?help  Enter files  h back  d remove  u undo",
		"?help  d remove  s keep  c clear  h back",
		"?help  Enter compare  h back",
	};
	uint64_t removed = view->model->removed;
	char text[160], count[32];

	if (view->list == LIST_TEXT)
		snprintf(text, sizeof text, "h back  j/k  Space page  /search%s",
			 !view->is_help && view_has_room_for_two() ? "  t one or two columns" : "");
	else if (view->acts)
		snprintf(text, sizeof text, "q ACT: %s file%s  ^C leave  %s",
			 format_count(removed, count), removed == 1 ? "" : "s", acting[view->list]);
	else
		snprintf(text, sizeof text, "%s", texts[view->list]);
	screen_put(&(struct screen_place){screen_rows() - 1, 0, screen_columns(), STYLE_BAR, false,
					  true},
		   bytes_of(text));
}

/* ---- The screen ---- */

static void draw_lists(struct view *view)
{
	unsigned columns = screen_columns(), left = columns * 2 / 5;
	struct area all = {0, columns};

	if (view->list == LIST_TEXT) {
		draw_list(view, LIST_TEXT, all, draw_line);
		return;
	}
	if (view->list == LIST_FILES || view->list == LIST_RELATED) {
		draw_list(view, view->list, all,
			  view->list == LIST_FILES ? draw_file : draw_relative);
		return;
	}
	if (columns < TWO_LISTS_MIN) {
		draw_list(view, view->list, all,
			  view->list == LIST_FOLDERS ? draw_folder : draw_group);
		return;
	}
	left = left > TREE_COLUMNS_MAX ? TREE_COLUMNS_MAX : left;
	draw_list(view, LIST_FOLDERS, (struct area){0, left - 1}, draw_folder);
	draw_list(view, LIST_GROUPS, (struct area){left, columns - left}, draw_group);
}

void view_draw(struct view *view)
{
	screen_clear();
	if (screen_rows() < VIEW_ROWS_MIN || screen_columns() < VIEW_COLUMNS_MIN) {
		draw_bar(0, STYLE_PLAIN, bytes_of("too small"));
		screen_show();
		return;
	}
	draw_title(view);
	draw_lists(view);
	draw_detail(view);
	draw_message(view);
	draw_keys(view);
	screen_show();
}
