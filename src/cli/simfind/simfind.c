/*
 * The program simfind: lists similar files and changes none (paper, 4.2: SimFind). It parses the
 * options and runs the requested task: a search, a comparison, or a listing of folders or of an
 * order.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/basic/memory.h"
#include "base/files/read_file.h"
#include "base/files/temporary.h"
#include "base/text/decimal.h"
#include "cli/options/options.h"
#include "cli/simfind/find_plan.h"
#include "cli/simfind/find_tasks.h"
#include "cli/simfind/list_pairs.h"
#include "cli/simfind/nothing_found.h"
#include "cli/simfind/resolve_request.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal.h"
#include "find/rule/against.h"
#include "report/lists/listing.h"
#include "scan/archive/sandbox.h"
#include "store/names/tag_sets.h"
#include "store/open/store.h"
#include "store/rows/damage_rows.h"

#define PROGRAM "simfind"

/* The output replaces a file, so refuse a file that the run reads. */
static int check_output(const struct find_arguments *arguments, struct simhash_error *error)
{
	const struct input {
		const char *path, *what;
	} inputs[] = {{arguments->against_path, "it is the list of --against"},
		      {arguments->index.tag_file, "it has the tags of --tag-set"}};
	const char *path = arguments->output_path;

	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
		if (input_check_output(inputs[i].path, inputs[i].what, path, error) != 0)
			return -1;
	for (size_t i = 0; i < arguments->input_count; i++)
		if (input_check_output(arguments->inputs[i].path, arguments->inputs[i].what, path,
				       error) != 0)
			return -1;
	if (!arguments->compare && index_check_output(&arguments->index, path, error) != 0)
		return -1;
	return operands_check_output(&arguments->operands, path, error);
}

/* Compare two files. This needs no index. */
static int compare(const struct find_arguments *arguments, struct simhash_error *error)
{
	struct simhash_tag_set *tags = NULL;
	struct simhash_measure *measure = NULL;
	struct output_file output = {.stream = NULL};
	int status = -1;

	if (choose_tag_set(arguments->index.tag_file, &tags, error) != 0 ||
	    (arguments->request.measure_text != NULL &&
	     measure_option_parse(arguments->request.measure_text, &measure, error) != 0) ||
	    check_output(arguments, error) != 0 ||
	    output_open(&output, arguments->output_path, 0666, NULL, error) != 0)
		goto out;
	status = compare_files(arguments->operands.queries[0], arguments->operands.queries[1], tags,
			       &arguments->request.rule, measure, output.stream, error);
	if (status == 0)
		status = output_close(&output, error);
	if (status == 0)
		status = output_publish(&output, error);
out:
	output_release(&output);
	simhash_measure_free(measure);
	simhash_tag_set_free(tags);
	return status;
}

/* If the index is compared with a digest list, the search uses the tags of that list. */
static int choose_tags(const struct find_arguments *arguments, struct against *against,
		       struct simhash_tag_set **owned, struct find_request *request,
		       struct simhash_error *error)
{
	if (arguments->against_path == NULL) {
		if (choose_tag_set(arguments->index.tag_file, owned, error) != 0)
			return -1;
		request->tags = *owned;
		return 0;
	}
	if (against_open(against, arguments->against_path, error) != 0)
		return -1;
	request->tags = against_tags(against);
	request->against = against;
	request->has_between = true;
	return 0;
}

static void warn(void *context, const char *message)
{
	(void)context;
	say(PROGRAM, message);
}

/* Refuse options that no list supports. */
static int check_plan(const struct find_plan *plan, const struct listing *listing,
		      struct simhash_error *error)
{
	if (plan->arguments->order.by == SORT_FILES && !plan->lists_groups)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--sort=files needs --group: a pair has two files");
	if (plan->is_page && listing->how.records.is_terminal)
		return error_set(error, SIMHASH_E_RANGE,
				 "--format=html writes a page for a browser; give --output=FILE");
	return 0;
}

/* A damaged file is listed with the content that it had, so say that there is one. */
static int note_damage(const struct find_plan *plan, struct store *store,
		       const struct find_outcome *outcome, struct simhash_error *error)
{
	struct damaged_files damaged = {.files = {.count = 0}};
	int64_t tag_set;
	char count[32], text[160];
	int status = 0;

	if (plan->arguments->quiet || outcome->found == 0 || plan->list == LIST_DAMAGED ||
	    plan->list == LIST_PRESENCE)
		return 0;
	if (store_tag_set_id(store, plan->request->tags, false, &tag_set, error) != 0)
		return -1;
	if (tag_set != 0)
		status = damaged_files_read(&damaged, store, tag_set, error);
	if (status == 0 && damaged.files.count > 0) {
		bool is_one = damaged.files.count == 1;
		snprintf(text, sizeof text,
			 "note: %s file%s damaged, and listed with the content %s had; simfind "
			 "--damaged shows %s",
			 format_count(damaged.files.count, count), is_one ? " is" : "s are",
			 is_one ? "it" : "they", is_one ? "it" : "them");
		say(PROGRAM, text);
	}
	damaged_files_release(&damaged);
	return status;
}

static int list(const struct find_plan *plan, struct store *store, struct listing *listing,
		struct find_outcome *outcome, struct simhash_error *error)
{
	const struct against *against = plan->request->against;
	int status = check_plan(plan, listing, error);

	if (status != 0)
		return status;
	status = (plan->list == LIST_FOLDERS	? list_folders
		  : plan->list == LIST_PRESENCE ? list_presence
		  : plan->list == LIST_DAMAGED	? list_damaged
		  : plan->list == LIST_COVER	? list_cover
		  : plan->list == LIST_ORDER	? list_order
						: list_pairs)(plan, store, listing, outcome, error);
	if (status == 0)
		status = listing_publish(listing, error);
	if (status == 0)
		explain_nothing(plan, store, outcome);
	if (status == 0)
		status = note_damage(plan, store, outcome, error);
	if (status == 0 && against != NULL && against_doubt(against) != NULL)
		say_path(PROGRAM, bytes_of(against->path), against_doubt(against));
	return status;
}

/* Open the output, make the plan, and write the list. */
static int search(const struct find_arguments *arguments, const struct find_request *request,
		  const char *url, struct store *store, struct find_outcome *outcome,
		  struct simhash_error *error)
{
	const struct find_resources *resources = &arguments->resources;
	struct listing listing = {.file = NULL};
	int status = listing_open(&listing, arguments->output_path, arguments->formatter,
				  resources->threads, resources->memory_bytes, store, error);

	if (status == 0) {
		const struct find_plan plan = find_plan_of(arguments, request, url, &listing);
		listing_set_order(&listing, &arguments->order);
		listing_set_colours(&listing, arguments->colours);
		status = list(&plan, store, &listing, outcome, error);
		pager_finish();
		if (status == 0)
			suggest_next_step(&plan, outcome);
		if (status == 0)
			suggest_finding_more(&plan, store, outcome);
	}
	free(outcome->next_step);
	free(outcome->next_paths);
	outcome->next_step = outcome->next_paths = NULL;
	listing_release(&listing);
	return status;
}

/* Files are read more than once, so standard input becomes a file that begins with its first byte. */
static int keep_stdin(struct simhash_error *error)
{
	char bytes[65536];
	struct stat input;
	ssize_t got;
	FILE *copy;

	if (fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode) &&
	    lseek(STDIN_FILENO, 0, SEEK_CUR) == 0)
		return 0;
	copy = temporary_file();
	if (copy == NULL)
		return temporary_no_room(error);
	while ((got = read_some(STDIN_FILENO, "standard input", bytes, sizeof bytes, NULL, error)) >
	       0)
		if (fwrite(bytes, 1, (size_t)got, copy) != (size_t)got)
			got = temporary_no_room(error);
	if (got == 0 && (fflush(copy) != 0 || lseek(fileno(copy), 0, SEEK_SET) != 0 ||
			 dup2(fileno(copy), STDIN_FILENO) < 0))
		got = temporary_no_room(error);
	fclose(copy);
	return got == 0 ? 0 : -1;
}

static int run(const struct find_arguments *arguments, struct find_outcome *outcome,
	       struct simhash_error *error)
{
	struct find_request request = arguments->request;
	struct simhash_tag_set *tag_set = NULL;
	struct against against = {.path = NULL};
	struct known_contents known = {.store = NULL};
	struct store *store = NULL;
	char host[HOST_NAME_SIZE], *url = NULL;
	bool had_unreadable = false;
	int status = -1;

	request.host = host;
	request.rereads_stdin = request.rule.verify.mode >= VERIFY_READ &&
				operands_have_stdin(&arguments->operands);
	if (choose_tags(arguments, &against, &tag_set, &request, error) != 0 ||
	    check_output(arguments, error) != 0 ||
	    choose_host(arguments->index.host, host, error) != 0 ||
	    (arguments->update && update_index(arguments, &had_unreadable, error) != 0) ||
	    open_chosen_index(&arguments->index, &url, &store, error) != 0 ||
	    resolve_measure(&request, store, error) != 0 ||
	    read_known(arguments, &request, store, &known, error) != 0 ||
	    (request.rereads_stdin && keep_stdin(error) != 0))
		goto out;
	request.expand = request.expand || request.has_between;
	status = search(arguments, &request, url, store, outcome, error);
	outcome->had_unreadable = outcome->had_unreadable || had_unreadable;
out:
	store_close(store);
	free(url);
	simhash_measure_free(request.measure);
	against_release(&against);
	known_contents_release(&known);
	simhash_tag_set_free(tag_set);
	return status;
}

/* The exit status for a match has priority over the one for unreadable files. */
static int exit_status(const struct find_arguments *arguments, const struct find_outcome *outcome,
		       int status)
{
	if (status != 0)
		return EXIT_FAILURE;
	if (outcome->missing > 0 || outcome->damaged > 0 ||
	    (arguments->fail_on_match && outcome->found > 0))
		return EXIT_MATCH;
	return outcome->had_unreadable ? EXIT_UNREADABLE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct find_arguments arguments;
	struct simhash_error error;
	struct find_outcome outcome = {.found = 0};
	double start_s = clock_monotonic_s();
	bool runs = false;
	int status, ended;

	if (sandbox_is_meant(argc, argv))
		return sandbox_serve();
	memory_return_large();
	begin_signals();
	end_at_bus_error(PROGRAM);
	tidy_up_at_signals();
	find_arguments_init(&arguments);
	arguments.index.location.warning = warn;
	arguments.sandbox.warning = warn;
	status = choose_kernel(&error);
	if (status == 0)
		status = find_arguments_parse(&arguments, argc, argv, &error);
	/* A missing directory means that the run failed. After a wrong option there was no run. */
	runs = status < 0 && error.code != SIMHASH_E_SYNTAX && error.code != SIMHASH_E_RANGE;
	if (status > 0)
		status = finish_output(&error);
	else if (status == 0) {
		runs = !arguments.compare;
		status = arguments.compare ? compare(&arguments, &error)
					   : run(&arguments, &outcome, &error);
	}
	ended = exit_status(&arguments, &outcome, status);
	if (status != 0)
		say(PROGRAM, error.message);
	if (runs)
		print_find_json(&arguments, &outcome, ended, clock_monotonic_s() - start_s,
				status == 0 ? NULL : &error);
	find_arguments_release(&arguments);
	return ended;
}
