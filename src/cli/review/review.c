/*
 * Runs a review: reads the files, loads decisions, handles keys until the end, and saves.
 * SPDX-License-Identifier: MIT
 */
#include "cli/review/review.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/text/decimal.h"
#include "cli/review/read_copies.h"
#include "cli/review/screen.h"
#include "cli/review/view.h"
#include "cli/terminal/terminal.h"

/* Saving before the next screen is shown must not be noticed. */
#define QUICK_SAVE_FILES 2000

bool review_is_built_in(void)
{
	return screen_is_built_in();
}

int review_check(struct simhash_error *error)
{
	return screen_check(error);
}

static void save_changes(struct view *view, struct simhash_error *error)
{
	if (view->saved->is_changed && review_save(view->saved, view->model, error) != 0)
		snprintf(view->message, sizeof view->message, "%s", error->message);
}

/*
 * Marks are saved before the terminal gets the next screen, which a lost line may never take. Many
 * marks are saved when no key was pressed for a second.
 */
static int handle_keys(struct view *view, struct simhash_error *error)
{
	const struct review_model *model = view->model;

	for (;;) {
		unsigned key;
		if (model->kept + model->removed < QUICK_SAVE_FILES)
			save_changes(view, error);
		view_draw(view);
		key = screen_key();
		if (key == SCREEN_STOP)
			return view->saved->is_changed ? review_save(view->saved, model, error) : 0;
		if (key == SCREEN_IDLE)
			save_changes(view, error);
		else
			view_press(view, key);
		if (!view->is_done)
			continue;
		if (!view->saved->is_changed || review_save(view->saved, model, error) == 0)
			return 0;
		/* Nobody leaves with marks that are not saved; Ctrl-C does. */
		view->is_done = false;
		snprintf(view->message, sizeof view->message, "%s", error->message);
	}
}

/* ---- The result ---- */

static int add_file(struct review_result *result, const struct review_model *model, uint32_t file,
		    struct review_path *path, struct simhash_error *error)
{
	struct keep_file *made = &result->files[result->count];
	size_t size = review_file_path(model, file, path);
	char *text = size == 0 ? NULL : arena_take(&result->paths, size + 1);

	if (text == NULL)
		return error_set_memory(error);
	memcpy(text, path->text, size + 1);
	review_describe(model, file, made);
	made->path = text;
	if (made->decision == DECIDED_BY_RULES)
		made->decision = DECIDED_KEEP;
	result->count++;
	return 0;
}

/* All files of the contents that lose a file: those without a mark stay. */
static int take_result(struct review_result *result, const struct review_model *model,
		       struct simhash_error *error)
{
	struct review_path path = {.text = NULL};
	size_t count = 0;
	int status = 0;

	for (size_t i = 0; i < model->content_count; i++)
		if (model->contents[i].staying < model->contents[i].count)
			count += model->contents[i].count;
	result->files = calloc(count + 1, sizeof *result->files);
	if (result->files == NULL)
		return error_set_memory(error);
	for (size_t i = 0; status == 0 && i < model->content_count; i++) {
		const struct review_content *content = &model->contents[i];
		for (uint32_t k = 0;
		     content->staying < content->count && status == 0 && k < content->count; k++)
			status = add_file(result, model, content->first + k, &path, error);
	}
	free(path.text);
	return status;
}

static int review(struct review_model *model, struct review_saved *saved,
		  const struct review_source *source, const struct review_options *options,
		  struct review_result *result, struct simhash_error *error)
{
	struct view view = {.model = model,
			    .saved = saved,
			    .source = source,
			    .acts = options->acts,
			    .has_earlier_marks = model->removed > 0};
	char kept[32];
	int status = view_init(&view, error);

	if (saved->elsewhere_count > 0)
		snprintf(view.message, sizeof view.message,
			 "%s saved decision%s about other or changed files remain%s saved.",
			 format_count(saved->elsewhere_count, kept),
			 saved->elsewhere_count == 1 ? "" : "s",
			 saved->elsewhere_count == 1 ? "s" : "");
	else if (model->content_count == 0)
		snprintf(view.message, sizeof view.message, "No copies can be removed here.");
	if (status == 0)
		status = screen_begin(options->has_colours, error);
	if (status == 0) {
		status = handle_keys(&view, error);
		screen_end();
		result->signal = screen_signal();
	}
	view_release(&view);
	return status;
}

int review_run(const struct review_source *source, const struct review_options *options,
	       struct review_result *result, struct simhash_error *error)
{
	struct decisions_heading heading = {.host = source->host,
					    .index = source->url,
					    .words = options->words,
					    .word_count = options->word_count};
	struct review_model model = {.names = NULL};
	struct review_saved saved = {.path = NULL};
	int status;

	*result = (struct review_result){.files = NULL};
	status = review_read_copies(&model, source, error);
	if (status == 0)
		status = review_finish(&model, error);
	show_status("simkeep: reading the decisions");
	if (status == 0)
		status = review_load(&saved, &model, options->decisions_path, &heading, error);
	show_status(NULL);
	if (status == 0)
		status = review(&model, &saved, source, options, result, error);
	if (status == 0 && result->signal == 0)
		status = take_result(result, &model, error);
	if (status == 0 && saved.path != NULL) {
		result->removed = model.removed;
		result->decisions_path = strdup(saved.path);
		if (result->decisions_path == NULL)
			status = error_set_memory(error);
	}
	review_saved_release(&saved);
	review_release(&model);
	return status;
}

void review_result_release(struct review_result *result)
{
	free(result->files);
	free(result->decisions_path);
	arena_release(&result->paths);
	*result = (struct review_result){.files = NULL};
}
