/*
 * Does what the keys of a review mean: moves, marks, searches, compares.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/text/decimal.h"
#include "cli/review/screen.h"
#include "cli/review/view.h"

/* ---- Messages ---- */

static void say_in(struct view *view, const char *text)
{
	snprintf(view->message, sizeof view->message, "%s", text);
}

static void say_error(struct view *view, const struct simhash_error *error)
{
	say_in(view, error->message);
}

static void tell_marked(struct view *view, int status, const struct review_marked *marked,
			const struct simhash_error *error)
{
	char changed[32], last[32], locked[32];

	if (status != 0) {
		say_error(view, error);
		return;
	}
	view->saved->is_changed = view->saved->is_changed || marked->changed > 0;
	snprintf(view->message, sizeof view->message, "Marked %s file%s.",
		 format_count(marked->changed, changed), marked->changed == 1 ? "" : "s");
	if (marked->by_hand > 0)
		snprintf(view->message, sizeof view->message,
			 "Marked %s; %s stay%s as marked by hand (c clears such marks).", changed,
			 format_count(marked->by_hand, last), marked->by_hand == 1 ? "s" : "");
	else if (marked->last > 0)
		snprintf(view->message, sizeof view->message,
			 "Marked %s; %s stay%s, because at least one file of each content stays.",
			 changed, format_count(marked->last, last), marked->last == 1 ? "s" : "");
	else if (marked->locked > 0)
		snprintf(view->message, sizeof view->message, "Marked %s; %s protected.", changed,
			 format_count(marked->locked, locked));
}

/* ---- Moving ---- */

static void list_groups(struct view *view)
{
	struct simhash_error error;

	if (view_list_groups(view, &error) != 0)
		say_error(view, &error);
}

static void move_to(struct view *view, size_t at)
{
	struct view_cursor *cursor = &view->cursors[view->list];

	cursor->at = cursor->count == 0 ? 0 : at >= cursor->count ? cursor->count - 1 : at;
	if (view->list == LIST_FOLDERS)
		list_groups(view);
}

static void move_by(struct view *view, long long rows)
{
	size_t at = view->cursors[view->list].at;

	move_to(view, rows < 0 && (size_t)-rows > at ? 0 : at + (size_t)rows);
}

/* Scroll a text: it has no cursor. */
static void scroll(struct view *view, long long rows)
{
	struct view_cursor *cursor = &view->cursors[LIST_TEXT];
	size_t height = view_height();
	size_t most = cursor->count > height ? cursor->count - height : 0;

	cursor->top = rows < 0 && (size_t)-rows > cursor->top ? 0 : cursor->top + (size_t)rows;
	cursor->top = cursor->top > most ? most : cursor->top;
	cursor->at = cursor->top;
}

static void open_folder(struct view *view, uint32_t folder, bool is_open)
{
	view->model->folders[folder].is_open = is_open;
	view_list_folders(view);
}

static void go_to_folder(struct view *view, uint32_t folder)
{
	for (uint32_t i = folder; i != view->model->top && i != 0;) {
		i = view->model->folders[i].parent;
		view->model->folders[i].is_open = true;
	}
	view_list_folders(view);
	for (size_t i = 0; i < view->cursors[LIST_FOLDERS].count; i++)
		if (view->folders[i] == folder)
			move_to(view, i);
}

static void open_files(struct view *view)
{
	uint32_t content = view_content(view);

	if (content == REVIEW_NONE)
		return;
	view->list = LIST_FILES;
	view->cursors[LIST_FILES] =
		(struct view_cursor){.count = view->model->contents[content].count};
}

static void enter(struct view *view, bool is_arrow)
{
	uint32_t folder = view_folder(view);
	const struct review_folder *f = &view->model->folders[folder];

	if (view->list == LIST_RELATED) {
		view_compare_relative(view);
	} else if (view->list == LIST_GROUPS) {
		open_files(view);
	} else if (view->list == LIST_FOLDERS && is_arrow && f->first_child != REVIEW_NONE &&
		   !f->is_open) {
		open_folder(view, folder, true);
	} else if (view->list == LIST_FOLDERS && view->cursors[LIST_GROUPS].count > 0) {
		view->list = LIST_GROUPS;
	}
}

static void go_back(struct view *view)
{
	uint32_t folder = view_folder(view);

	if (view->list == LIST_TEXT)
		view->list = view->under_text;
	else if (view->list != LIST_FOLDERS)
		view->list--;
	else if (view->model->folders[folder].is_open)
		open_folder(view, folder, false);
	else if (folder != view->model->top)
		go_to_folder(view, view->model->folders[folder].parent);
}

/* ---- Marks ---- */

static void mark(struct view *view, enum review_mark mark)
{
	struct review_model *model = view->model;
	struct review_marked marked = {0};
	struct simhash_error error;
	int status = 0;

	review_begin_change(model);
	if (view->list == LIST_FILES)
		status = review_mark_file(model, view_file(view), mark, &marked, &error);
	else if (view->list == LIST_GROUPS && view_content(view) != REVIEW_NONE)
		status = review_mark_content(model, view_content(view), view->listed_folder, mark,
					     &marked, &error);
	else if (view->list == LIST_FOLDERS)
		status = review_mark_folder(model, view_folder(view), mark, &marked, &error);
	tell_marked(view, status, &marked, &error);
	if (view->list != LIST_FOLDERS && marked.changed > 0)
		move_by(view, 1);
}

static void undo(struct view *view)
{
	char count[32];
	size_t changed = review_undo(view->model);

	if (changed == 0) {
		say_in(view, "There is nothing to undo.");
		return;
	}
	view->saved->is_changed = true;
	snprintf(view->message, sizeof view->message, "Took back %s mark%s.",
		 format_count(changed, count), changed == 1 ? "" : "s");
}

static void apply_rule(struct view *view, uint32_t folder)
{
	struct review_marked marked = {0};
	struct keep_rule rule;
	struct simhash_error error;
	char *end = view->typed + strlen(view->typed);

	/* Paths have no slash at their ends. */
	while (end > view->typed && end[-1] == '/' && strncmp(view->typed, "match:", 6) != 0)
		*--end = '\0';
	if (keep_rule_parse(view->typed, &rule, &error) != 0) {
		say_in(view, "This is not a rule; ? lists the rules.");
		return;
	}
	if ((rule.order == KEEP_IN || rule.order == KEEP_NOT_IN) &&
	    review_find_folder(view->model, bytes_of(rule.text)) == REVIEW_NONE) {
		say_in(view, rule.text[0] == '/' ? "No copies are in this directory."
						 : "This is not an absolute path.");
		return;
	}
	say_in(view, "Marking...");
	view_draw(view);
	review_begin_change(view->model);
	tell_marked(view, review_apply_rule(view->model, folder, &rule, &marked, &error), &marked,
		    &error);
}

static void save(struct view *view)
{
	struct simhash_error error;

	if (review_save(view->saved, view->model, &error) != 0)
		say_error(view, &error);
	else
		snprintf(view->message, sizeof view->message, "Saved in %s", view->saved->path);
}

/* ---- Searching ---- */

static bool name_has(struct bytes name, const char *search)
{
	return memmem(name.data, name.size, search, strlen(search)) != NULL;
}

/* Has a content a file or a folder directly around it whose name has the text? */
static bool content_has(const struct view *view, uint32_t content, const char *search)
{
	const struct review_model *model = view->model;
	const struct review_content *c = &model->contents[content];

	for (uint32_t i = c->first; i < c->first + c->count; i++)
		if (name_has(bytes_of(review_file_name(model, i)), search) ||
		    name_has(review_folder_name(model, model->files[i].folder), search))
			return true;
	return false;
}

static bool matches(struct view *view, size_t at)
{
	const struct review_model *model = view->model;

	switch (view->list) {
	case LIST_GROUPS:
		return content_has(view, view->groups[at], view->search);
	case LIST_FILES:
		return review_file_path(model,
					model->contents[view_content(view)].first + (uint32_t)at,
					&view->path) > 0 &&
		       name_has(bytes_of(view->path.text), view->search);
	case LIST_RELATED:
		return name_has(bytes_of(view->relatives.items[at].name), view->search);
	case LIST_TEXT:
		return name_has(view->text.rows[at].left, view->search) ||
		       name_has(view->text.rows[at].right, view->search);
	case LIST_FOLDERS:
	case LISTS:
		break;
	}
	return false;
}

/* Search all folders below the top, also the closed ones, in the order of their names. */
static bool search_folders(struct view *view, bool is_back)
{
	const struct review_model *model = view->model;
	uint32_t first = model->folders[model->top].rank, end = model->folders[model->top].end;
	uint32_t count = end - first;
	uint32_t at = model->folders[view_folder(view)].rank - first;

	for (uint32_t i = 1; i <= count; i++) {
		uint32_t rank = first + (is_back ? at + count - i : at + i) % count;
		uint32_t folder = model->by_rank[rank];
		if (model->folders[folder].files > 0 &&
		    name_has(review_folder_name(model, folder), view->search)) {
			go_to_folder(view, folder);
			return true;
		}
	}
	return false;
}

static void search(struct view *view, bool is_back)
{
	struct view_cursor *cursor = &view->cursors[view->list];

	if (view->search[0] == '\0')
		return;
	if (view->list == LIST_FOLDERS && search_folders(view, is_back))
		return;
	for (size_t i = 1; view->list != LIST_FOLDERS && i <= cursor->count; i++) {
		size_t at =
			(is_back ? cursor->at + cursor->count - i : cursor->at + i) % cursor->count;
		if (matches(view, at)) {
			cursor->at = at;
			if (view->list == LIST_TEXT)
				cursor->top = at;
			return;
		}
	}
	snprintf(view->message, sizeof view->message,
		 view->list == LIST_FOLDERS ? "No folder has this name: %s (Tab, then n: files)"
					    : "Not found: %s",
		 view->search);
}

/* ---- Texts over the lists ---- */

static void show_text(struct view *view)
{
	if (view->list != LIST_TEXT)
		view->under_text = view->list;
	view->list = LIST_TEXT;
	view->cursors[LIST_TEXT] = (struct view_cursor){.count = view->text.count};
}

static void show_help(struct view *view)
{
	struct simhash_error error;

	comparison_release(&view->text);
	for (int i = 0; i < 2; i++) {
		free(view->text_titles[i]);
		view->text_titles[i] = NULL;
	}
	view->is_help = true;
	for (const char *at = view_help, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
		if (array_reserve(&view->text.rows, &view->text.capacity, view->text.count + 1,
				  sizeof *view->text.rows, &error) != 0)
			break;
		view->text.rows[view->text.count++] =
			(struct compared_row){.left = {at, (size_t)(end - at)},
					      .right = {at, 0},
					      .mark = at[0] == ' ' ? ' ' : '@'};
	}
	show_text(view);
}

void view_show_comparison(struct view *view)
{
	struct simhash_error error;

	comparison_release(&view->text);
	view->is_help = false;
	if (view->text_titles[0] == NULL || view->text_titles[1] == NULL)
		return;
	if (compare_files(view->text_titles[0], view->text_titles[1],
			  view->is_beside && view_has_room_for_two(), &view->text, &error) != 0) {
		comparison_release(&view->text);
		say_error(view, &error);
		if (view->list == LIST_TEXT)
			view->list = view->under_text;
		return;
	}
	show_text(view);
}

static void compare(struct view *view)
{
	uint32_t file, other = view->compared;

	if (view->list == LIST_RELATED) {
		view_compare_relative(view);
		return;
	}
	if (view->list == LIST_GROUPS)
		open_files(view);
	file = view_file(view);
	if (view->list != LIST_FILES || file == REVIEW_NONE)
		return;
	if (other == REVIEW_NONE) {
		view->compared = file;
		say_in(view, "Now press = on the other file, in this group or another one.");
		return;
	}
	view->compared = REVIEW_NONE;
	if (other == file) {
		other = view->model->contents[view->model->files[file].content].first;
		other += other == file;
	}
	free(view->text_titles[0]);
	free(view->text_titles[1]);
	view->text_titles[0] = view_path_of(view, other);
	view->text_titles[1] = view_path_of(view, file);
	view_show_comparison(view);
}

/* ---- Prompts ---- */

static const char search_prompt[] = "/";
static const char folder_prompt[] = "Rule for this folder (oldest, newest, in:DIR, ...): ";
static const char all_prompt[] = "Rule for all folders (oldest, newest, in:DIR, ...): ";

static const char act_prompt[] = "Act on the saved marks too? (y/n) ";

static void ask(struct view *view, const char *prompt)
{
	view->prompt = prompt;
	view->typed[0] = '\0';
}

static void end_prompt(struct view *view)
{
	const char *prompt = view->prompt;

	view->prompt = NULL;
	if (prompt == search_prompt) {
		if (view->typed[0] != '\0')
			memcpy(view->search, view->typed, sizeof view->search);
		search(view, false);
	} else if (view->typed[0] != '\0') {
		apply_rule(view, prompt == all_prompt	      ? 0
				 : view->list == LIST_FOLDERS ? view_folder(view)
							      : view->listed_folder);
	}
}

static void type(struct view *view, unsigned key)
{
	size_t size = strlen(view->typed);
	char bytes[8];
	int count;

	if (view->prompt == act_prompt) {
		view->is_done = key == 'y';
		view->prompt = NULL;
	} else if (key == SCREEN_ENTER) {
		end_prompt(view);
	} else if (key == SCREEN_ESCAPE || key == 7) {
		view->prompt = NULL;
	} else if (key == SCREEN_BACKSPACE) {
		while (size > 0 && ((unsigned char)view->typed[--size] & 0xc0) == 0x80)
			;
		view->typed[size] = '\0';
	} else if (key == 21) {
		view->typed[0] = '\0';
	} else if (key >= ' ' && key < SCREEN_UP) {
		count = snprintf(bytes, sizeof bytes, "%lc", (wint_t)key);
		if (count > 0 && size + (size_t)count < sizeof view->typed)
			memcpy(view->typed + size, bytes, (size_t)count + 1);
	}
}

/* ---- Keys ---- */

static bool press_to_move(struct view *view, unsigned key)
{
	long long page = (long long)view_height(), rows;

	switch (key) {
	case 'j':
	case SCREEN_DOWN:
		rows = 1;
		break;
	case 'k':
	case SCREEN_UP:
		rows = -1;
		break;
	case ' ':
	case 6:
	case SCREEN_PAGE_DOWN:
		rows = page;
		break;
	case 2:
	case 'b':
	case SCREEN_PAGE_UP:
		rows = -page;
		break;
	case 'g':
	case SCREEN_HOME:
		rows = -(long long)view->cursors[view->list].count;
		break;
	case 'G':
	case SCREEN_END:
		rows = (long long)view->cursors[view->list].count;
		break;
	default:
		return false;
	}
	if (view->list == LIST_TEXT)
		scroll(view, rows);
	else
		move_by(view, rows);
	return true;
}

/* The keys of all lists. */
static bool press_to_look(struct view *view, unsigned key)
{
	switch (key) {
	case SCREEN_ESCAPE:
	case 'h':
	case SCREEN_LEFT:
		go_back(view);
		return true;
	case 'q':
		if (view->list == LIST_TEXT)
			go_back(view);
		else if (view->acts && view->has_earlier_marks && view->model->removed > 0)
			ask(view, act_prompt);
		else
			view->is_done = true;
		return true;
	case '?':
		show_help(view);
		return true;
	case '/':
		ask(view, search_prompt);
		return true;
	case 'n':
	case 'N':
		search(view, key == 'N');
		return true;
	case 't':
		view->is_beside = !view->is_beside;
		if (view->list == LIST_TEXT && !view->is_help)
			view_show_comparison(view);
		return true;
	default:
		return false;
	}
}

static void press_in_list(struct view *view, unsigned key)
{
	if (view->list == LIST_RELATED &&
	    (key == 'd' || key == 's' || key == 'c' || key == 'r' || key == 'R')) {
		say_in(view, "Only identical files are marked. h goes back to them.");
		return;
	}
	switch (key) {
	case 'l':
	case SCREEN_RIGHT:
	case SCREEN_ENTER:
		enter(view, key != SCREEN_ENTER);
		break;
	case '\t':
		if (view->list == LIST_GROUPS)
			view->list = LIST_FOLDERS;
		else if (view->list == LIST_FOLDERS)
			enter(view, false);
		break;
	case 'd':
		mark(view, MARK_REMOVE);
		break;
	case 's':
		mark(view, MARK_KEEP);
		break;
	case 'c':
		mark(view, MARK_NONE);
		break;
	case 'u':
		undo(view);
		break;
	case 'w':
		save(view);
		break;
	case 'r':
		ask(view, folder_prompt);
		break;
	case 'R':
		ask(view, all_prompt);
		break;
	case '=':
		compare(view);
		break;
	case 'v':
		view_list_relatives(view);
		break;
	default:
		break;
	}
}

void view_press(struct view *view, unsigned key)
{
	/* A longer or shorter screen shows other rows of a text. */
	if (key == SCREEN_RESIZED) {
		if (view->list == LIST_TEXT && !view->is_help)
			view_show_comparison(view);
		return;
	}
	if (view->prompt != NULL) {
		type(view, key);
		return;
	}
	view->message[0] = '\0';
	if (!press_to_move(view, key) && !press_to_look(view, key) && view->list != LIST_TEXT)
		press_in_list(view, key);
}
