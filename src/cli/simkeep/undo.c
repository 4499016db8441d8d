/*
 * Implements simkeep --undo: undoes the acts of a journal, the last one first.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "act/undo/undo.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/escape.h"
#include "base/text/shell_word.h"
#include "cli/options/options.h"
#include "cli/simkeep/index_update.h"
#include "cli/simkeep/keep_tasks.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/terminal.h"

#define PROGRAM "simkeep"

struct undoing {
	const struct keep_arguments *arguments;
	struct undoer undoer;
	struct index_update update;
	const struct journal_act **damaged; /* healed files that are damaged again */
	size_t damaged_count;
	bool is_updated;
	struct path_notes lacking; /* files whose directory no longer exists */
	/* Copies on other file systems, which will be removed; `now` is the path of the file. */
	struct path_notes copied;
	uint64_t restored, folders, copies, left, spare_names, separate, bytes;
};

static void write_line(const struct undoing *undoing, const char *what, const char *path)
{
	if (undoing->arguments->quiet)
		return;
	printf("%-9s ", what);
	write_escaped(stdout, bytes_of(path));
	putchar('\n');
}

/* Users may remove empty directories after an act. */
static bool lacks_directory(const char *path)
{
	struct bytes directory = path_above(bytes_of(path));
	char *text = strndup(directory.data, directory.size);
	bool result = text != NULL && access(text, F_OK) != 0 && errno == ENOENT;

	free(text);
	return result && directory.size > 0;
}

/* A move to another file system is two acts on one file: one line is enough. */
static bool is_said(struct undoing *undoing, const char *path)
{
	struct simhash_error ignored;
	struct path_note *note;

	if (path_notes_find(&undoing->lacking, bytes_of(path)) != NULL)
		return true;
	path_notes_add(&undoing->lacking, bytes_of(path), &note, &ignored);
	return false;
}

static void say_left(struct undoing *undoing, const char *path, const char *why)
{
	bool lacks = lacks_directory(path);
	char *text = NULL;

	if (lacks && is_said(undoing, path))
		return;
	undoing->left++;
	fflush(stdout);
	if (lacks)
		why = "its directory no longer exists; make it again first (mkdir -p)";
	if (asprintf(&text, "left alone: %s", why) < 0)
		return;
	say_path(PROGRAM, bytes_of(path), text);
	free(text);
}

static void say_notes(const struct journal_act *act, const struct undo_result *result)
{
	if (result->owner_note != NULL)
		say_path(PROGRAM, bytes_of(act->path), result->owner_note);
	if (result->attribute_note != NULL)
		say_path(PROGRAM, bytes_of(act->path), result->attribute_note);
}

static int note_copies(struct undoing *undoing, const struct journal_list *list,
		       struct simhash_error *error)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct journal_act *act = &list->acts[i];
		struct path_note *note;
		if (act->action != ACTION_COPY || act->outcome == OUTCOME_LEFT || act->to == NULL)
			continue;
		if (path_notes_add(&undoing->copied, bytes_of(act->to), &note, error) != 0)
			return -1;
		note->now = act->path;
	}
	return 0;
}

/* If the kept file was such a copy, the path of its file; otherwise NULL. */
static const char *file_of_kept(const struct undoing *undoing, const struct journal_act *act)
{
	const struct path_note *note =
		act->action == ACTION_DELETE && act->to == NULL && act->kept != NULL
			? path_notes_find(&undoing->copied, bytes_of(act->kept))
			: NULL;

	return note == NULL ? NULL : note->now;
}

/*
 * A restored file has the content of the kept file, whose row is the model for its own row. After a
 * move to another file system, the row of the copy becomes the row of the file.
 */
static int note_change(struct undoing *undoing, const struct journal_act *act,
		       const struct undo_result *result, struct simhash_error *error)
{
	bool is_copy = act->action == ACTION_COPY;
	const struct row_change change = {.from = act->to,
					  .to = act->path,
					  .leaves = true,
					  .size_bytes = act->copy.size_bytes,
					  .mtime_ns = is_copy ? result->copy_mtime_ns
							      : act->copy.mtime_ns,
					  .inode = is_copy ? 0 : act->copy.inode};

	if (!undoing->arguments->yes || act->outcome == OUTCOME_LEFT ||
	    act->action == ACTION_REFLINK || act->action == ACTION_MKDIR ||
	    act->action == ACTION_RMDIR || act->action == ACTION_HEAL ||
	    (act->action == ACTION_DELETE && act->to != NULL) || file_of_kept(undoing, act) != NULL)
		return 0;
	return act->action == ACTION_MOVE || is_copy
		       ? index_update_note(&undoing->update, &change, error)
		       : index_update_note_link(&undoing->update, act->kept, act->path, error);
}

static int undo_one(struct undoing *undoing, const struct journal_act *act,
		    struct simhash_error *error)
{
	struct simhash_error why = {.code = 0};
	struct undo_result result;
	enum undo_status status = undo_act(&undoing->undoer, act, &result, &why);

	undoing->spare_names += result.spare_names;
	if (status == UNDO_LEFT)
		say_left(undoing, act->path, why.message);
	if (status == UNDO_CLEANED)
		write_line(undoing, "clean up", act->path);
	if (status == UNDO_DONE && act->action == ACTION_COPY) {
		undoing->copies++;
		write_line(undoing, "remove", act->to);
	} else if (status == UNDO_DONE) {
		*(act->action == ACTION_RMDIR ? &undoing->folders : &undoing->restored) += 1;
		undoing->bytes += result.bytes;
		write_line(undoing, "restore", act->path);
	}
	say_notes(act, &result);
	if (status != UNDO_LEFT && act->action == ACTION_HEAL && act->outcome != OUTCOME_LEFT &&
	    undoing->arguments->yes)
		undoing->damaged[undoing->damaged_count++] = act;
	/* An earlier undo may have restored the file and then been interrupted. */
	return status != UNDO_LEFT ? note_change(undoing, act, &result, error) : 0;
}

/* Directories get their attributes after their files, and before the directories above them. */
static int finish_one(struct undoing *undoing, const struct journal_act *act,
		      struct simhash_error *error)
{
	struct simhash_error why = {.code = 0};
	struct undo_result result;
	const char *kept = file_of_kept(undoing, act);

	if (undo_finish(act, &result, &why) == UNDO_LEFT)
		say_left(undoing, act->path, why.message);
	undoing->separate += undo_is_apart(&undoing->undoer, act);
	say_notes(act, &result);
	/* The file is back now, and its row is the model for the row of its other name. */
	return kept == NULL || act->outcome == OUTCOME_LEFT
		       ? 0
		       : index_update_note_link(&undoing->update, kept, act->path, error);
}

static void write_progress(void *context, FILE *line, double seconds, unsigned columns)
{
	struct undoing *undoing = context;
	struct line_part part = {.rank = 0};
	char count[32];

	(void)seconds;
	format_count(atomic_load(&undoing->undoer.searched_folders), count);
	snprintf(part.text, sizeof part.text, "searching for hard links: %.24s folders", count);
	write_parts(line, &part, 1, columns);
}

/* Files can have names that no act removed. */
static int find_names(struct undoing *undoing, const struct journal_list *list,
		      struct simhash_error *error)
{
	bool is_shown = progress_is_wanted(PROGRESS_AUTO, undoing->arguments->quiet);
	struct progress_display display;
	int status;

	if (is_shown)
		progress_start(&display, PROGRESS_AUTO, write_progress, undoing);
	status = undo_find_names(&undoing->undoer, list, error);
	if (is_shown)
		progress_stop(&display);
	return status;
}

static int undo_list(struct undoing *undoing, const struct journal_list *list, const char *host,
		     struct simhash_error *error)
{
	const struct keep_arguments *arguments = undoing->arguments;
	int status;

	undoing->damaged = calloc(list->count + 1, sizeof *undoing->damaged);
	if (undoing->damaged == NULL)
		return error_set_memory(error);
	undoing->undoer.does = arguments->yes;
	undoing->undoer.first = list->acts;
	undoing->undoer.journal = arguments->undo_path;
	status = find_names(undoing, list, error);
	if (arguments->yes && note_copies(undoing, list, error) != 0)
		status = -1;
	for (size_t i = list->count; i-- > 0;)
		if (undo_one(undoing, &list->acts[i], error) != 0)
			status = -1;
	for (size_t i = 0; arguments->yes && i < list->count; i++)
		if (finish_one(undoing, &list->acts[i], error) != 0)
			status = -1;
	undoer_release(&undoing->undoer);
	path_notes_release(&undoing->lacking);
	path_notes_release(&undoing->copied);
	undoing->is_updated = index_update_run(&undoing->update, &arguments->index, host);
	index_update_release(&undoing->update);
	if (undoing->damaged_count > 0 &&
	    !heal_note_undone(arguments, host, undoing->damaged, undoing->damaged_count))
		undoing->is_updated = false;
	free(undoing->damaged);
	return status;
}

/* A stopped run and a truncated journal look the same: the later acts are unknown. */
static void say_ending(const struct keep_arguments *arguments, const struct journal_list *list)
{
	uint64_t last = list->count == 0 ? 0 : list->acts[list->count - 1].number;
	char text[200];

	if (arguments->quiet)
		return;
	if (list->missing > 0) {
		snprintf(text, sizeof text,
			 "the lines of %" PRIu64 " act%s are missing, which cannot be undone",
			 list->missing, list->missing == 1 ? "" : "s");
		say_path(PROGRAM, bytes_of(arguments->undo_path), text);
	}
	if (list->ending == JOURNAL_ENDED)
		return;
	snprintf(text, sizeof text,
		 "the journal has no end: the run was stopped, or the file was cut; its acts end "
		 "with "
		 "number %" PRIu64,
		 last);
	say_path(PROGRAM, bytes_of(arguments->undo_path), text);
}

static void advise(const struct undoing *undoing)
{
	struct bytes path = bytes_of(undoing->arguments->undo_path);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return;
	fputs("--undo=", out);
	if (needs_encoding(path))
		fputs("FILE", out);
	else
		write_command_word(out, path);
	fputs(" --yes", out);
	if (close_text(out, &text) == 0)
		say_next(PROGRAM, NULL, text, NULL);
	free(text);
}

static void summarize(const struct undoing *undoing)
{
	bool does = undoing->arguments->yes;
	char count[32];

	if (undoing->arguments->quiet)
		return;
	fprintf(stderr, "%s %s file%s", does ? "restored" : "would restore",
		format_count(undoing->restored, count), undoing->restored == 1 ? "" : "s");
	if (undoing->folders > 0)
		fprintf(stderr, " and %s folder%s", format_count(undoing->folders, count),
			undoing->folders == 1 ? "" : "s");
	if (undoing->copies > 0)
		fprintf(stderr, "; %s %s cop%s on another file system",
			does ? "removed" : "would remove", format_count(undoing->copies, count),
			undoing->copies == 1 ? "y" : "ies");
	if (undoing->left > 0)
		fprintf(stderr, "; left %s alone", format_count(undoing->left, count));
	if (undoing->bytes > 0)
		fprintf(stderr, "; %s %s", does ? "this takes" : "this would take",
			format_bytes((double)undoing->bytes, count));
	if (undoing->spare_names > 0)
		fprintf(stderr, "; %s %s name%s that a kill had left",
			does ? "removed" : "would remove",
			format_count(undoing->spare_names, count),
			undoing->spare_names == 1 ? "" : "s");
	if (undoing->separate > 0)
		fprintf(stderr,
			undoing->separate == 1
				? "; %s file is separate now: its other names (hard links) were "
				  "not found unchanged"
				: "; %s files are separate now: their other names (hard links) "
				  "were "
				  "not found unchanged",
			format_count(undoing->separate, count));
	if (undoing->separate > 0 && undoing->undoer.unread_folders > 0)
		fprintf(stderr, "; %s folder%s could not be searched for them",
			format_count(undoing->undoer.unread_folders, count),
			undoing->undoer.unread_folders == 1 ? "" : "s");
	fputs(does ? "\n" : "; nothing has been changed\n", stderr);
	if (!does &&
	    undoing->restored + undoing->folders + undoing->copies + undoing->spare_names > 0)
		advise(undoing);
	if (does && undoing->restored > 0 && !undoing->is_updated)
		say(PROGRAM, "to update the index, run simhash on the directories of these files");
}

int undo_acts(const struct keep_arguments *arguments, bool *had_left, struct simhash_error *error)
{
	char host[HOST_NAME_SIZE];
	struct undoing undoing = {.arguments = arguments};
	struct journal_list list;
	int lock, status;

	if (choose_host(arguments->index.host, host, error) != 0 ||
	    journal_lock(arguments->undo_path, &lock, error) != 0)
		return -1;
	status = journal_read(arguments->undo_path, host, &list, error);
	if (status == 0) {
		say_ending(arguments, &list);
		status = undo_list(&undoing, &list, host, error);
		*had_left = undoing.left > 0 || list.missing > 0;
		journal_list_release(&list);
		summarize(&undoing);
		if (status == 0)
			status = finish_output(error);
	}
	if (lock >= 0)
		close_content(lock);
	return status;
}
