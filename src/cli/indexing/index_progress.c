/*
 * Writes the progress line of simhash: " 45%  12,345 of 30,000 files  1.2 of 3.4 GB  350 MB/s  0:12
 * left  /path". Files and bytes are counted as in the summary: bytes of unchanged files are not
 * read.
 * SPDX-License-Identifier: MIT
 */
#include "cli/indexing/index_progress.h"

#include "cli/terminal/terminal.h"

/* The cost of opening a file and writing its row, as bytes that could be read in this time. */
#define FILE_WORK 32768.0
#define PATH_COLUMNS_MIN 12

struct amounts {
	double files, all_files;
	double read, all_read; /* bytes */
	double rest;	       /* the part of the work that is left */
};

static struct amounts read_amounts(struct index_progress *progress)
{
	double skipped = (double)atomic_load(&progress->bytes_unchanged);
	double done = (double)atomic_load(&progress->bytes_done);
	double found = (double)atomic_load(&progress->bytes_found);
	struct amounts a = {.files = (double)atomic_load(&progress->files_done),
			    .all_files = (double)atomic_load(&progress->files_found)};

	/* The counts are read one after another, and files grow. */
	a.read = done > skipped ? done - skipped : 0;
	a.all_read = found - skipped > a.read ? found - skipped : a.read;
	if (a.all_files < a.files)
		a.all_files = a.files;
	/* The share of unchanged bytes is assumed to stay the same. */
	a.rest = FILE_WORK * (a.all_files - a.files) +
		 (done > 0 ? a.read / done : 1) * (a.all_read - a.read);
	return a;
}

static double work_of(const struct amounts *a)
{
	return FILE_WORK * a->files + a->read;
}

static void write_path(FILE *line, struct index_progress *progress, unsigned columns)
{
	pthread_mutex_lock(&progress->lock);
	if (progress->path_size > 0) {
		fputs("  ", line);
		write_shortened(line, (struct bytes){progress->path, progress->path_size},
				columns - 2);
	}
	pthread_mutex_unlock(&progress->lock);
}

static void write_counts(const struct amounts *a, bool is_counted, struct line_part *files,
			 struct line_part *bytes)
{
	char count[32], all[32];

	format_count((uint64_t)a->files, count);
	if (is_counted)
		snprintf(files->text, sizeof files->text, "%s of %s files", count,
			 format_count((uint64_t)a->all_files, all));
	else
		snprintf(files->text, sizeof files->text, "%s files", count);
	if (is_counted && a->all_read < 1) /* nothing must be read */
		return;
	format_bytes(a->read, count);
	if (is_counted)
		snprintf(bytes->text, sizeof bytes->text, "%s of %s", count,
			 format_bytes(a->all_read, all));
	else
		snprintf(bytes->text, sizeof bytes->text, "%s", count);
}

void write_index_progress(void *context, FILE *line, double seconds, unsigned columns)
{
	struct shown_progress *shown = context;
	struct index_progress *progress = shown->progress;
	bool is_counted = atomic_load(&progress->is_counted);
	struct amounts a = read_amounts(progress);
	struct line_part parts[] = {
		{.rank = 0}, {.rank = 1}, {.rank = 3}, {.rank = 4}, {.rank = 2}};
	enum { SHARE, FILES, BYTES, SPEED, LEFT, PARTS };
	double work = work_of(&a);
	char speed[32];
	unsigned width;

	if (is_counted)
		snprintf(parts[SHARE].text, sizeof parts[SHARE].text, "%3u%%",
			 whole_percent(work, work + a.rest));
	else if (atomic_load(&progress->is_counting))
		snprintf(parts[SHARE].text, sizeof parts[SHARE].text, "counting");
	write_counts(&a, is_counted, &parts[FILES], &parts[BYTES]);
	if (atomic_load(shown->waiting) > 0) {
		skip_time(&shown->left, seconds, work);
		snprintf(parts[LEFT].text, sizeof parts[LEFT].text, "waiting for the server");
	} else {
		write_time_left(&shown->left, seconds, work, a.rest, parts[LEFT].text);
		format_bytes(progress_rate(&shown->speed, seconds, a.read), speed);
		if (a.read > 0)
			snprintf(parts[SPEED].text, sizeof parts[SPEED].text, "%s/s", speed);
		if (!is_counted)
			parts[LEFT].text[0] = '\0';
	}
	width = write_parts(line, parts, PARTS, columns);
	if (width + PATH_COLUMNS_MIN <= columns)
		write_path(line, progress, columns - width);
}
