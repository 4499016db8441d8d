/*
 * Checks the space on other file systems, and draws the progress line of copies there.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/far_moves.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/basic/error.h"
#include "cli/terminal/terminal.h"

#define PROGRAM "simkeep"

/* ---- Space ---- */

static bool has_room(const struct far_space *space)
{
	return space->needed_bytes <= space->free_bytes;
}

static void say_space(const struct far_space *space)
{
	char text[240], files[32], needed[32], available[32];
	bool is_one = space->files == 1;

	format_count(space->files, files);
	format_bytes((double)space->needed_bytes, needed);
	if (space->free_bytes == UINT64_MAX)
		snprintf(text, sizeof text,
			 "%s file%s from another file system need%s %s here; the free space is "
			 "unknown",
			 files, is_one ? "" : "s", is_one ? "s" : "", needed);
	else
		snprintf(text, sizeof text,
			 "%s file%s from another file system need%s %s here, %s %s are free", files,
			 is_one ? "" : "s", is_one ? "s" : "", needed,
			 has_room(space) ? "and" : "but only",
			 format_bytes((double)space->free_bytes, available));
	say_path(PROGRAM, bytes_of(space->directory), text);
}

static int check_space(const struct far_space *space, struct simhash_error *error)
{
	char needed[32], available[32];

	if (has_room(space))
		return 0;
	return error_set(error, SIMHASH_E_RANGE,
			 "%s: too little space: the files from other file systems need %s, and "
			 "only %s are free; nothing has been changed",
			 space->directory, format_bytes((double)space->needed_bytes, needed),
			 format_bytes((double)space->free_bytes, available));
}

/* ---- Progress ---- */

static void write_progress(void *context, FILE *line, double seconds, unsigned columns)
{
	struct far_moves *moves = context;
	enum { SHARE, BYTES, LEFT, PARTS };
	struct line_part parts[PARTS] = {{.rank = 0}, {.rank = 1}, {.rank = 2}};
	double all = (double)moves->all_bytes, done = (double)atomic_load(&moves->bytes);
	char copied[32], of[32];

	done = done / FAR_READINGS < all ? done / FAR_READINGS : all;
	snprintf(parts[SHARE].text, sizeof parts[SHARE].text, "%3u%%", whole_percent(done, all));
	format_bytes(done, copied);
	snprintf(parts[BYTES].text, sizeof parts[BYTES].text, "%s of %s", copied,
		 format_bytes(all, of));
	write_time_left(&moves->left, seconds, done, all - done, parts[LEFT].text);
	write_parts(line, parts, PARTS, columns);
}

/* No other thread may take signals, because these wait while the main thread acts. */
static void start_progress(struct far_moves *moves)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	progress_start(&moves->display, PROGRESS_AUTO, write_progress, moves);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int far_moves_begin(struct far_moves *moves, const struct plan *plan,
		    const struct keep_arguments *arguments, const char *move_to,
		    struct simhash_error *error)
{
	struct far_spaces spaces;
	int status = 0;

	*moves = (struct far_moves){.all_bytes = 0};
	far_spaces_add_up(&spaces, plan, move_to);
	for (size_t i = 0; status == 0 && i < spaces.count; i++) {
		moves->all_bytes += spaces.list[i].file_bytes;
		if (arguments->yes)
			status = check_space(&spaces.list[i], error);
		else if (!arguments->quiet)
			say_space(&spaces.list[i]);
	}
	far_spaces_release(&spaces);
	if (status == 0 && arguments->yes && moves->all_bytes > 0 &&
	    progress_is_wanted(PROGRESS_AUTO, arguments->quiet))
		start_progress(moves);
	return status;
}

void far_moves_end(struct far_moves *moves)
{
	progress_stop(&moves->display);
}

/* ---- Attributes ---- */

void far_moves_say_lost(const char *path, unsigned lost)
{
	static const char *const names[] = {"owner", "mode", "exact time"};
	char text[160];
	size_t size;
	bool is_first = true;

	if (lost == 0)
		return;
	size = (size_t)snprintf(text, sizeof text, "moved without its ");
	for (unsigned i = 0; i < 3; i++) {
		if ((lost & 1U << i) == 0)
			continue;
		size += (size_t)snprintf(text + size, sizeof text - size, "%s%s",
					 is_first		  ? ""
					 : (lost >> (i + 1)) == 0 ? " and "
								  : ", ",
					 names[i]);
		is_first = false;
	}
	snprintf(text + size, sizeof text - size,
		 ", which cannot be set here; the same on this file system is not reported again");
	say_path(PROGRAM, bytes_of(path), text);
}
