/*
 * The program simfind: lists similar files (paper, 4.2: SimFind).
 * Parses options, calls the find floor, hands what it finds to a listing.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/open_file.h"
#include "cli/find_tasks.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "find/confirm.h"
#include "find/find.h"
#include "report/html.h"
#include "report/listing.h"
#include "report/script.h"
#include "store/names.h"
#include "store/store.h"
#include "store/tag_sets.h"

#define PROGRAM "simfind"

enum { EXIT_UNREADABLE = 2 };

/* Where pairs go, and what went wrong on the way. */
struct output {
	struct listing *listing;
	struct find_progress progress;
	struct progress_display display;
	struct progress_rate rate;
	uint64_t found;		/* pairs that were kept */
	struct pair_list *list; /* keep them; NULL: list them at once */
	pthread_mutex_t lock;
	bool had_unreadable;
};

static int take_pair(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *error)
{
	struct output *output = context;

	return output->list != NULL ? pair_list_add(output->list, pair, error)
				    : listing_add(output->listing, thread, pair, error);
}

static void query_unreadable(void *context, struct bytes path, int system_errno)
{
	struct output *output = context;

	output->had_unreadable = true;
	say_path(PROGRAM, path, explain_errno(system_errno));
}

static void content_unconfirmed(void *context, const struct find_file *file, int system_errno)
{
	struct output *output = context;
	char text[256];

	snprintf(text, sizeof text, "%s; its pairs stay as they were found",
		 system_errno == 0 ? "has changed since it was indexed" : strerror(system_errno));
	say_path(PROGRAM, (struct bytes){file->display, file->display_size}, text);
	pthread_mutex_lock(&output->lock);
	output->had_unreadable = true;
	pthread_mutex_unlock(&output->lock);
}

/* "45%  1,234 of 5,678 files  90 pairs  0:12 left", then the same of confirming. */
static void write_progress(void *context, FILE *line, double seconds, unsigned columns)
{
	struct output *output = context;
	struct find_progress *progress = &output->progress;
	uint64_t all = (uint64_t)atomic_load(&progress->to_confirm);
	bool confirms = all > 0;
	uint64_t done = (uint64_t)atomic_load(confirms ? &progress->confirmed : &progress->rows);
	char done_text[32], all_text[32], pairs[32], left[32], text[256];
	double rate;

	if (!confirms)
		all = (uint64_t)atomic_load(&progress->rows_total);
	done = done > all ? all : done;
	rate = progress_rate(&output->rate, seconds, (double)done);
	format_count((uint64_t)atomic_load(&progress->pairs), pairs);
	if (all == 0)
		snprintf(text, sizeof text, "reading  %s pairs", pairs);
	else
		snprintf(text, sizeof text, "%3.0f%%  %s%s of %s %s  %s pairs  %s left",
			 100 * (double)done / (double)all, confirms ? "confirmed " : "",
			 format_count(done, done_text), format_count(all, all_text),
			 confirms ? "pairs" : "files", pairs,
			 rate > 0 ? format_seconds((double)(all - done) / rate, left) : "?");
	fprintf(line, "%.*s", (int)columns, text);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static bool reads_files(const struct find_arguments *arguments)
{
	return arguments->request.rule.verify.mode >= VERIFY_READ;
}

static void print_summary(const struct find_counts *counts, const struct find_arguments *arguments,
			  uint64_t listed)
{
	char rows[32], pairs[32], identical[32], similar[32];
	uint64_t count = counts->identical + counts->similar;

	fprintf(stderr, "%s pair%s (%s identical, %s similar) among %s %s%s",
		format_count(count, pairs), plural(count),
		format_count(counts->identical, identical), format_count(counts->similar, similar),
		format_count(counts->rows, rows), arguments->has_files ? "candidate" : "file",
		plural(counts->rows));
	if (reads_files(arguments))
		fprintf(stderr, ", %s kept", format_count(listed, pairs));
	fputs("\n", stderr);
}

/* Without rows of this tag set nothing is found: name those that the index has. */
static int explain_absence(struct store *store, const struct simhash_tag_set *tags,
			   struct simhash_error *error)
{
	struct name_list list;
	char text[160];

	snprintf(text, sizeof text, "note: the index has no files of tag set '%s'",
		 simhash_tag_set_name(tags));
	say(PROGRAM, text);
	if (store_read_tag_sets(store, &list, error) != 0)
		return -1;
	for (size_t i = 0; i < list.count; i++) {
		snprintf(text, sizeof text,
			 "note: the index has files of tag set '%s'; use --tag-set",
			 list.names[i].text.data);
		say(PROGRAM, text);
	}
	name_list_release(&list);
	return 0;
}

static void warn_unsketched(const struct find_request *request, uint64_t files)
{
	const char *measure = request->measure_text;
	char count[32], *text;

	/* A name alone stands for the measure of that name in the index, not for its default. */
	if (strchr(measure, ':') == NULL)
		measure = simhash_measure_text(request->measure);
	if (asprintf(&text,
		     "warning: %s file%s no sketch by %s and %s not found; index %s with "
		     "simhash --measure=%s",
		     format_count(files, count), files == 1 ? " has" : "s have", measure,
		     files == 1 ? "is" : "are", files == 1 ? "it" : "them", measure) < 0)
		return;
	say(PROGRAM, text);
	free(text);
}

static void note_unverified(uint64_t files)
{
	char count[32], *text;

	if (asprintf(&text,
		     "note: %s file%s no resemblance sketch; %s found by counts alone; "
		     "run simhash on %s again",
		     format_count(files, count), files == 1 ? " has" : "s have",
		     files == 1 ? "it is" : "they are", files == 1 ? "it" : "them") < 0)
		return;
	say(PROGRAM, text);
	free(text);
}

static int find(const struct find_arguments *arguments, const struct find_sink *sink,
		struct store *store, struct find_counts *counts, struct simhash_error *error)
{
	const struct find_request *request = &arguments->request;
	struct finder finder;
	int status;

	if (finder_init(&finder, store, request, sink, &arguments->resources, error) != 0)
		return -1;
	status = finder.tag_set == 0 ? explain_absence(store, request->tags, error) : 0;
	if (status == 0)
		status = !arguments->has_files ? finder_all(&finder, error)
					       : finder_files(&finder, arguments->queries,
							      arguments->query_count, error);
	*counts = finder.counts;
	finder_release(&finder);
	if (status == 0 && counts->unsketched > 0 && request->measure != NULL)
		warn_unsketched(request, counts->unsketched);
	else if (status == 0 && counts->unsketched > 0 && request->rule.verify.mode != VERIFY_NO)
		note_unverified(counts->unsketched);
	return status;
}

/* Open the script, unless it is the file of the listing. */
static FILE *create(const char *path, const struct store *store, FILE *other,
		    struct simhash_error *error)
{
	struct stat status, other_status;

	if (stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	    fstat(fileno(other), &other_status) == 0 && status.st_dev == other_status.st_dev &&
	    status.st_ino == other_status.st_ino) {
		error_set(error, SIMHASH_E_RANGE, "--script and --output name the same file");
		return NULL;
	}
	return open_output(path, 0700, store, error);
}

static int write_script(const struct find_arguments *arguments, const struct store *store,
			const struct pair_list *pairs, FILE *listing, struct simhash_error *error)
{
	FILE *file = create(arguments->script_path, store, listing, error);
	uint64_t copies;
	char count[32];
	int status;

	if (file == NULL)
		return -1;
	status = script_write(file, pairs, &copies, error);
	if (ferror(file) && status == 0)
		status = error_set_errno(error, "cannot write to %s", arguments->script_path);
	if (fclose(file) != 0 && status == 0)
		status = error_set_errno(error, "cannot write to %s", arguments->script_path);
	if (status == 0 && !arguments->quiet)
		fprintf(stderr, "%s: a script for %s cop%s; edit it before you run it\n",
			arguments->script_path, format_count(copies, count),
			copies == 1 ? "y" : "ies");
	return status;
}

static int write_report(const struct find_arguments *arguments, const struct find_counts *counts,
			struct store *store, struct output *output, const struct group_list *groups,
			struct simhash_error *error)
{
	struct key_space space;
	struct report report = {.groups = groups,
				.space = &space,
				.tags = arguments->request.tags,
				.rule = &arguments->request.rule,
				.counts = *counts};
	int64_t tag_set;
	int status;

	if (store_tag_set_id(store, report.tags, false, &tag_set, error) != 0 ||
	    key_space_read(store, report.tags, tag_set, &space, error) != 0)
		return -1;
	status = report_write(output->listing->file, &report, error);
	if (status == 0)
		status = listing_check(output->listing, error);
	key_space_release(&space);
	return status;
}

/* What was kept: as groups, as the report, or as pairs. */
static int write_kept(const struct find_arguments *arguments, const struct find_counts *counts,
		      struct store *store, struct output *output, struct simhash_error *error)
{
	struct group_list groups;
	int status;

	if (arguments->script_path != NULL &&
	    write_script(arguments, store, output->list, output->listing->file, error) != 0)
		return -1;
	if (!arguments->has_groups && !arguments->formatter->is_report)
		return listing_write_pairs(output->listing, output->list, error);
	if (group_pairs(output->list, arguments->linkage, &groups, error) != 0)
		return -1;
	status = arguments->formatter->is_report
			 ? write_report(arguments, counts, store, output, &groups, error)
			 : listing_write_groups(output->listing, &groups, error);
	group_list_release(&groups);
	return status;
}

/* Find, confirm, and write what was asked for. */
static int list_pairs(struct find_arguments *arguments, struct store *store, struct output *output,
		      struct simhash_error *error)
{
	const struct find_sink sink = {.context = output,
				       .pair = take_pair,
				       .unreadable = query_unreadable,
				       .unconfirmed = content_unconfirmed};
	const struct verify_rule *verify = &arguments->request.rule.verify;
	const struct confirm_request confirming = {.reads_all = verify->mode == VERIFY_ALL ||
								arguments->request.measure != NULL,
						   .with_parts = arguments->request.versions,
						   .min_resemblance = verify->min_resemblance};
	struct pair_list kept;
	struct find_counts counts;
	/* Lines that appear on the same terminal meanwhile are progress enough. */
	bool writes_ahead = arguments->formatter->is_stream && output->listing->how.is_terminal;
	int status;

	pair_list_init(&kept);
	if (arguments->has_groups || reads_files(arguments) || arguments->script_path != NULL ||
	    arguments->formatter->is_report)
		output->list = &kept;
	if (!arguments->has_files && !writes_ahead &&
	    progress_is_wanted(arguments->progress, arguments->quiet)) {
		arguments->resources.progress = &output->progress;
		progress_start(&output->display, arguments->progress, write_progress, output);
		progress_end_by_signals();
	}
	status = find(arguments, &sink, store, &counts, error);
	if (status == 0 && reads_files(arguments))
		status = confirm_pairs(&kept, &confirming, &sink, &arguments->resources, error);
	progress_stop(&output->display);
	if (status == 0) {
		output->found = output->list != NULL ? kept.count
						     : counts.identical + counts.similar;
		status = output->list != NULL ? write_kept(arguments, &counts, store, output, error)
					      : listing_write(output->listing, error);
	}
	if (status == 0 && !arguments->quiet)
		print_summary(&counts, arguments, output->found);
	output->list = NULL;
	pair_list_release(&kept);
	return status;
}

/* Writing begins by emptying a file: it must be none that is asked for. */
static int check_path(const struct find_arguments *arguments, const char *path,
		      struct simhash_error *error)
{
	struct stat output, asked;

	if (path == NULL || stat(path, &output) != 0 || !S_ISREG(output.st_mode))
		return 0;
	for (size_t i = 0; i < arguments->query_count; i++)
		if (arguments->queries[i].path != NULL &&
		    stat(arguments->queries[i].path, &asked) == 0 &&
		    asked.st_dev == output.st_dev && asked.st_ino == output.st_ino)
			return error_set(error, SIMHASH_E_RANGE,
					 "cannot write to %s: it is one of the FILEs", path);
	return 0;
}

static int check_output(const struct find_arguments *arguments, struct simhash_error *error)
{
	return check_path(arguments, arguments->output_path, error) != 0
		       ? -1
		       : check_path(arguments, arguments->script_path, error);
}

struct namesake {
	const char *name; /* of the measure wanted */
	char text[SIMHASH_MEASURE_TEXT_MAX + 1];
	unsigned count;
	char by_default[SIMHASH_MEASURE_TEXT_MAX + 1]; /* what the name alone stands for */
	bool has_default;
	bool has_weights; /* another one */
};

static void keep_namesake(struct namesake *namesake, struct bytes text)
{
	size_t size = strlen(namesake->name);

	if (text.size <= size || memcmp(text.data, namesake->name, size) != 0 ||
	    text.data[size] != ':' || text.size >= sizeof namesake->text)
		return;
	/* An index must not cause a file to be opened. */
	if (memmem(text.data, text.size, "weights=", 8) != NULL) {
		namesake->has_weights = true;
		return;
	}
	namesake->count++;
	memcpy(namesake->text, text.data, text.size);
	namesake->text[text.size] = '\0';
	if (strcmp(namesake->text, namesake->by_default) == 0)
		namesake->has_default = true;
}

/*
 * The measure wanted. A name alone is the one of that name that the index has, if it is one;
 * weights have to be given, since the index knows but their hash.
 */
static int choose_measure(const struct find_arguments *arguments, struct store *store,
			  struct simhash_measure **measure, struct simhash_error *error)
{
	struct namesake namesake = {.name = arguments->request.measure_text};
	const char *text = arguments->request.measure_text;

	if (strchr(text, ':') == NULL) {
		struct simhash_measure *measure_by_default;
		struct name_list measures;
		if (measure_option_parse(text, &measure_by_default, error) != 0)
			return -1;
		snprintf(namesake.by_default, sizeof namesake.by_default, "%s",
			 simhash_measure_text(measure_by_default));
		simhash_measure_free(measure_by_default);
		if (store_read_measures(store, &measures, error) != 0)
			return -1;
		for (size_t i = 0; i < measures.count; i++)
			keep_namesake(&namesake, measures.names[i].text);
		name_list_release(&measures);
		if (namesake.count > 1 && !namesake.has_default)
			return error_set(
				error, SIMHASH_E_RANGE,
				"the index has %u measures called %s; give one in full, such as %s",
				namesake.count, text, namesake.text);
		if (namesake.count == 0 && namesake.has_weights)
			return error_set(error, SIMHASH_E_RANGE,
					 "the measures called %s in the index have weights; give "
					 "them, as in --measure=%s:words,weights=FILE",
					 text, text);
		if (namesake.count == 1)
			text = namesake.text;
	}
	return measure_option_parse(text, measure, error);
}

/* Compare two files, which needs no index. */
static int compare(const struct find_arguments *arguments, struct simhash_error *error)
{
	struct simhash_tag_set *tags = NULL;
	struct simhash_measure *measure = NULL;
	FILE *out = stdout, *memory = NULL;
	char *written = NULL;
	size_t size;
	int status = -1;

	if (choose_tag_set(arguments->tag_file, &tags, error) != 0 ||
	    (arguments->request.measure_text != NULL &&
	     measure_option_parse(arguments->request.measure_text, &measure, error) != 0) ||
	    check_output(arguments, error) != 0)
		goto out;
	/* An output is emptied only when there is something to put there. */
	memory = open_memstream(&written, &size);
	if (memory == NULL) {
		error_set_memory(error);
		goto out;
	}
	status = compare_files(arguments->queries[0].path, arguments->queries[1].path, tags,
			       &arguments->request.rule, measure, memory, error);
	if (close_text(memory, &written) != 0 && status == 0)
		status = error_set_memory(error);
	if (status != 0)
		goto out;
	if (arguments->output_path != NULL)
		out = open_stream(arguments->output_path, O_WRONLY | O_CREAT | O_TRUNC, 0666, "wb");
	if (out == NULL || fputs(written, out) < 0 || fflush(out) != 0)
		status = error_set_errno(error, "cannot write to %s",
					 arguments->output_path == NULL ? "standard output"
									: arguments->output_path);
	if (out != NULL && out != stdout && fclose(out) != 0 && status == 0)
		status = error_set_errno(error, "cannot write to %s", arguments->output_path);
out:
	free(written);
	simhash_measure_free(measure);
	simhash_tag_set_free(tags);
	return status;
}

/* The measure itself, and what goes by it where the user left that open. */
static int resolve_measure(struct find_arguments *arguments, struct store *store,
			   struct simhash_error *error)
{
	struct find_request *request = &arguments->request;

	if (request->measure_text == NULL)
		return 0;
	if (choose_measure(arguments, store, &request->measure, error) != 0)
		return -1;
	if (request->min_similarity == 0)
		request->min_similarity = simhash_measure_default_similarity(request->measure);
	/* What a measure calls similar enough is not to be dropped by a stricter default. */
	if (!arguments->has_min_resemblance &&
	    request->min_similarity < request->rule.verify.min_resemblance)
		request->rule.verify.min_resemblance = request->min_similarity;
	return 0;
}

static int run(struct find_arguments *arguments, bool *had_unreadable, uint64_t *found,
	       struct simhash_error *error)
{
	struct find_request *request = &arguments->request;
	struct store_location where = arguments->location;
	struct simhash_tag_set *tag_set = NULL;
	struct store *store = NULL;
	struct listing listing = {.file = NULL};
	struct output output = {.listing = &listing};
	struct simhash_error close_error;
	char host[HOST_NAME_SIZE], *url = NULL;
	int status = -1;

	pthread_mutex_init(&output.lock, NULL);
	if (choose_tag_set(arguments->tag_file, &tag_set, error) != 0 ||
	    check_output(arguments, error) != 0 || choose_host(arguments->host, host, error) != 0 ||
	    choose_database(arguments->location.url, false, &url, error) != 0)
		goto out;
	where.url = url;
	if (store_open(&where, OPEN_TO_READ, &store, error) != 0)
		goto out;
	request->tags = tag_set;
	request->host = host;
	request->expand = request->expand || request->has_between;
	if (resolve_measure(arguments, store, error) != 0)
		goto out;
	status = listing_open(&listing, arguments->output_path, arguments->formatter,
			      arguments->resources.threads, store, error);
	if (status == 0 && arguments->formatter->is_report && listing.how.is_terminal)
		status = error_set(error, SIMHASH_E_RANGE,
				   "--format=html writes a page for a browser; give --output=FILE");
	if (status == 0 && arguments->tolerance_count > 0)
		status = write_measures(arguments, store, listing.file, error);
	else if (status == 0)
		status = list_pairs(arguments, store, &output, error);
	if (listing_close(&listing, &close_error) != 0 && status == 0) {
		*error = close_error;
		status = -1;
	}
	*had_unreadable = output.had_unreadable;
	*found = output.found;
out:
	store_close(store);
	free(url);
	simhash_measure_free(request->measure);
	simhash_tag_set_free(tag_set);
	pthread_mutex_destroy(&output.lock);
	return status;
}

int main(int argc, char **argv)
{
	struct find_arguments arguments;
	struct simhash_error error;
	bool had_unreadable = false, fails_on_match;
	uint64_t found = 0;
	int status;

	ignore_size_signal();
	end_at_bus_error(PROGRAM);
	find_arguments_init(&arguments);
	status = choose_kernel(&error);
	if (status == 0)
		status = find_arguments_parse(&arguments, argc, argv, &error);
	if (status > 0)
		status = finish_output(&error);
	else if (status == 0)
		status = arguments.compare ? compare(&arguments, &error)
					   : run(&arguments, &had_unreadable, &found, &error);
	fails_on_match = arguments.fail_on_match;
	find_arguments_release(&arguments);
	if (status != 0) {
		say(PROGRAM, error.message);
		return EXIT_FAILURE;
	}
	if (fails_on_match && found > 0)
		return EXIT_FAILURE;
	return had_unreadable ? EXIT_UNREADABLE : EXIT_SUCCESS;
}
