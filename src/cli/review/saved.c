/*
 * Reads decisions into marks, and writes marks as decisions. Decisions about other files remain.
 * SPDX-License-Identifier: MIT
 */
#include "cli/review/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/files/read_file.h"
#include "report/lists/output_file.h"

#define DECISIONS_MAX ((size_t)2 << 30) /* as for --decisions */

/* ---- The file ---- */

/* FNV-1a, which gives the same name in each run. */
static uint64_t hash_index(const struct decisions_heading *heading)
{
	uint64_t hash = 14695981039346656037U;

	for (const char *c = heading->index; *c != '\0'; c++)
		hash = (hash ^ (unsigned char)*c) * 1099511628211U;
	for (const char *c = heading->host; *c != '\0'; c++)
		hash = (hash ^ (unsigned char)*c) * 1099511628211U;
	return hash;
}

static int make_directories(char *path, struct simhash_error *error)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		int status;
		*slash = '\0';
		status = mkdir(path, 0700);
		if (status != 0 && errno != EEXIST)
			return error_set_errno(error, "cannot create directory %s", path);
		*slash = '/';
	}
	return 0;
}

/* $XDG_STATE_HOME/simhash/decisions-HASH.json */
static int default_path(const struct decisions_heading *heading, char **path,
			struct simhash_error *error)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	bool has_state = state != NULL && state[0] == '/';

	if (!has_state && (home == NULL || home[0] != '/'))
		return error_set(
			error, SIMHASH_E_RANGE,
			"the decisions need a file: HOME is not set; give --decisions=FILE");
	if (asprintf(path, "%s%s/simhash/decisions-%016" PRIx64 ".json", has_state ? state : home,
		     has_state ? "" : "/.local/state", hash_index(heading)) < 0) {
		*path = NULL;
		return error_set_memory(error);
	}
	return make_directories(*path, error);
}

/* ---- Loading ---- */

struct loading {
	struct review_saved *saved;
	struct review_model *model;
};

/* Keep a decision that is not about a file of this review. */
static int keep_elsewhere(struct review_saved *saved, const struct keep_file *file,
			  struct simhash_error *error)
{
	size_t size = strlen(file->path) + 1;
	char *path = arena_take(&saved->texts, size);

	if (path == NULL)
		return error_set_memory(error);
	memcpy(path, file->path, size);
	if (array_reserve(&saved->elsewhere, &saved->elsewhere_capacity, saved->elsewhere_count + 1,
			  sizeof *saved->elsewhere, error) != 0)
		return -1;
	saved->elsewhere[saved->elsewhere_count] = *file;
	saved->elsewhere[saved->elsewhere_count++].path = path;
	return 0;
}

static int keep_other(struct review_saved *saved, struct bytes json, struct simhash_error *error)
{
	char *text = arena_take(&saved->texts, json.size + 1);

	if (text == NULL)
		return error_set_memory(error);
	memcpy(text, json.data, json.size);
	if (array_reserve(&saved->others, &saved->other_capacity, saved->other_count + 1,
			  sizeof *saved->others, error) != 0)
		return -1;
	saved->others[saved->other_count++] = (struct bytes){text, json.size};
	return 0;
}

static int take_decision(void *context, const struct keep_file *file, const struct bytes *other,
			 struct simhash_error *error)
{
	struct loading *loading = context;
	struct review_model *model = loading->model;
	struct review_marked marked = {0};
	uint32_t number;

	if (file == NULL)
		return keep_other(loading->saved, *other, error);
	number = review_find_file(model, file->path, file->size_bytes, file->hash);
	if (number == REVIEW_NONE || (file->size_bytes != KEEP_SIZE_UNKNOWN &&
				      file->mtime_ns != model->files[number].mtime_ns))
		return keep_elsewhere(loading->saved, file, error);
	/* The marks are the beginning, and not changes that can be taken back. */
	model->change_count = 0;
	return review_mark_file(model, number,
				file->decision == DECIDED_GIVE_UP ? MARK_REMOVE : MARK_KEEP,
				&marked, error);
}

/* Read a file of another program, or of the page. */
static int load_whole(struct loading *loading, struct simhash_error *error)
{
	const struct review_saved *saved = loading->saved;
	struct decisions decisions;
	struct bytes text;
	char *bytes = NULL;
	int status;

	if (read_path(saved->path, DECISIONS_MAX, &bytes, &text.size, error) != 0)
		return -1;
	text.data = bytes;
	if (text.size == 0) {
		free(bytes);
		return 0;
	}
	status = decisions_read_all(text, saved->path, saved->heading.host, &decisions, error);
	free(bytes);
	if (status != 0)
		return -1;
	for (size_t i = 0; status == 0 && i < decisions.count; i++)
		status = take_decision(loading, &decisions.files[i], NULL, error);
	for (size_t i = 0; status == 0 && i < decisions.other_count; i++)
		status = take_decision(loading, NULL, &decisions.others[i], error);
	decisions_release(&decisions);
	return status;
}

int review_load(struct review_saved *saved, struct review_model *model, const char *path,
		const struct decisions_heading *heading, struct simhash_error *error)
{
	struct loading loading = {saved, model};
	FILE *file;
	int status;

	*saved = (struct review_saved){.heading = *heading};
	if (path != NULL) {
		saved->path = path_absolute(path);
		if (saved->path == NULL)
			return error_set_errno(error, "cannot use %s", path);
	} else if (default_path(heading, &saved->path, error) != 0) {
		return -1;
	}
	file = open_stream(saved->path, O_RDONLY | O_NONBLOCK, 0, "r");
	if (file == NULL)
		return errno == ENOENT ? 0 : error_set_errno(error, "cannot open %s", saved->path);
	status = decisions_each(file, saved->path, heading->host, take_decision, &loading, error);
	fclose(file);
	if (status == 1)
		status = load_whole(&loading, error);
	model->change_count = 0;
	return status;
}

/* ---- Saving ---- */

static bool has_marks(const struct review_model *model, const struct review_content *content)
{
	for (uint32_t i = content->first; i < content->first + content->count; i++)
		if (model->files[i].mark != MARK_NONE)
			return true;
	return false;
}

static int write_content(struct decisions_writer *writer, const struct review_model *model,
			 const struct review_content *content, struct review_path *path,
			 struct simhash_error *error)
{
	bool loses = content->staying < content->count;

	decisions_begin_group(writer, content->hash);
	for (uint32_t i = content->first; i < content->first + content->count; i++) {
		struct keep_file file;
		if (model->files[i].mark == MARK_NONE && !loses)
			continue;
		if (review_file_path(model, i, path) == 0)
			return error_set_memory(error);
		review_describe(model, i, &file);
		file.path = path->text;
		decisions_write_file(writer, &file);
	}
	return 0;
}

static void write_elsewhere(struct decisions_writer *writer, const struct review_saved *saved)
{
	static const uint8_t none[KEEP_HASH_SIZE];

	for (size_t i = 0; i < saved->elsewhere_count; i++) {
		const struct keep_file *file = &saved->elsewhere[i];
		if (i == 0 || memcmp(file[-1].hash, file->hash, KEEP_HASH_SIZE) != 0)
			decisions_begin_group(writer, file->hash);
		decisions_write_file(writer, file);
	}
	if (saved->other_count > 0)
		decisions_begin_group(writer, none);
	for (size_t i = 0; i < saved->other_count; i++)
		decisions_write_other(writer, saved->others[i]);
}

static int write_all(FILE *out, const struct review_saved *saved, const struct review_model *model,
		     struct simhash_error *error)
{
	struct decisions_writer writer;
	struct review_path path = {.text = NULL};
	int status = 0;

	decisions_begin(&writer, out, &saved->heading);
	for (size_t i = 0; status == 0 && i < model->content_count; i++)
		if (has_marks(model, &model->contents[i]))
			status = write_content(&writer, model, &model->contents[i], &path, error);
	if (status == 0) {
		write_elsewhere(&writer, saved);
		decisions_end(&writer);
	}
	free(path.text);
	return status;
}

int review_save(struct review_saved *saved, const struct review_model *model,
		struct simhash_error *error)
{
	struct output_file output;
	int status;

	if (output_open(&output, saved->path, 0600, NULL, error) != 0)
		return -1;
	status = write_all(output.stream, saved, model, error);
	if (status == 0 && output_close(&output, error) == 0)
		status = output_publish(&output, error);
	else
		status = -1;
	output_release(&output);
	saved->is_changed = saved->is_changed && status != 0;
	return status;
}

void review_saved_release(struct review_saved *saved)
{
	free(saved->path);
	free(saved->elsewhere);
	free(saved->others);
	arena_release(&saved->texts);
	*saved = (struct review_saved){.path = NULL};
}
