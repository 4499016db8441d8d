/*
 * Explains why a search found nothing.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/nothing_found.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data/hash_set.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/shell_word.h"
#include "cli/simfind/whole_folders.h"
#include "cli/terminal/terminal.h"
#include "find/rule/finder.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/rows/known_file.h"
#include "store/rows/totals.h"

/* A note, while it is being written. */
struct note {
	FILE *out;
	char *text;
	size_t size;
};

static bool note_begin(struct note *note)
{
	note->text = NULL;
	note->out = open_memstream(&note->text, &note->size);
	if (note->out != NULL)
		fputs("note: ", note->out);
	return note->out != NULL;
}

static void note_end(struct note *note)
{
	if (close_text(note->out, &note->text) == 0)
		say(find_program.name, note->text);
	free(note->text);
}

/*
 * If the path has control bytes, write another word, because the path cannot be used on a command
 * line.
 */
static void write_path(FILE *out, struct bytes path, const char *else_word)
{
	if (needs_encoding(path))
		fputs(else_word, out);
	else
		write_command_word(out, path);
}

/* ---- The index ---- */

/*
 * Return the tag sets for which the index has files: "'one' and 'other'". The caller frees the
 * text; NULL: unknown.
 */
static char *name_tag_sets(struct store *store)
{
	struct simhash_error ignored;
	struct name_list list = {.count = 0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int64_t rows;

	if (out == NULL)
		return NULL;
	if (store_read_tag_sets(store, &list, &ignored) == 0)
		for (size_t i = 0; i < list.count; i++)
			if (store_count_rows(store, list.names[i].id, &rows, &ignored) == 0 &&
			    rows > 0)
				fprintf(out, "%s'%s'", ftello(out) == 0 ? "" : ", ",
					list.names[i].text.data);
	name_list_release(&list);
	close_text(out, &text);
	return text;
}

static void explain_absence(const struct find_plan *plan, struct store *store)
{
	char *others = name_tag_sets(store);
	struct note note;

	if (others != NULL && others[0] == '\0') {
		say(find_program.name, EMPTY_INDEX);
	} else if (others != NULL && note_begin(&note)) {
		fprintf(note.out,
			"the index has no files of tag set '%s', only of %s; use --tag-set=FILE",
			simhash_tag_set_name(plan->request->tags), others);
		note_end(&note);
	}
	free(others);
}

/*
 * Return the number of files that the index has for the tags of the search, or -1 if it is unknown.
 */
static int64_t count_files(const struct find_plan *plan, struct store *store)
{
	struct simhash_error ignored;
	int64_t tag_set, rows = 0;

	if (store_tag_set_id(store, plan->request->tags, false, &tag_set, &ignored) != 0)
		return -1;
	return tag_set != 0 && store_count_rows(store, tag_set, &rows, &ignored) != 0 ? -1 : rows;
}

/* ---- Standard input ---- */

/*
 * Return a text that explains which limits the missing extension of standard input causes, or NULL.
 */
static const char *what_extension_decides(const struct find_plan *plan,
					  const struct find_outcome *outcome)
{
	const struct find_rule *rule = &plan->request->rule;

	if (plan->request->measure != NULL)
		return NULL;
	if (rule_is_by_extension(rule))
		return "only files of the same extension can be found by this key";
	if (rule->verify.same_extension)
		return "only files of the same extension can be similar to it";
	if (outcome->counts.unsketched > 0 && rule->verify.mode != VERIFY_NO &&
	    rule->verify.mode != VERIFY_ALL)
		return "a file without a resemblance sketch can be similar to it only if it has "
		       "the same";
	return NULL;
}

static void explain_stdin(const struct find_plan *plan, const struct find_outcome *outcome)
{
	const char *decides = what_extension_decides(plan, outcome);
	struct note note;

	if (!note_begin(&note))
		return;
	if (decides != NULL)
		fprintf(note.out,
			"standard input counts as a file without an extension, and %s; give a FILE "
			"to search with its extension",
			decides);
	else if (plan->request->measure != NULL)
		fprintf(note.out,
			"no file is similar to standard input by %s; --min-resemblance accepts "
			"less than %g%%",
			simhash_measure_text(plan->request->measure),
			100 * plan->request->min_similarity);
	else
		fputs("no file in the index is similar to standard input; --nearest=N lists the "
		      "nearest files, similar or not",
		      note.out);
	note_end(&note);
}

/* ---- FILEs and DIRs ---- */

/* The files of a directory that have copies elsewhere. */
struct elsewhere {
	struct bytes directory;
	struct hash_set files; /* the hashes of their paths */
	pthread_mutex_t lock;
};

static bool is_below(const struct elsewhere *elsewhere, const struct find_file *file)
{
	return file->is_local &&
	       path_is_below(bytes_of(find_file_path(file)), elsewhere->directory);
}

static int take_copy(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *error)
{
	struct elsewhere *elsewhere = context;
	bool is_a = is_below(elsewhere, pair->a);
	int status = 0;

	(void)thread;
	if (!pair->relation.is_identical || is_a == is_below(elsewhere, pair->b))
		return 0;
	pthread_mutex_lock(&elsewhere->lock);
	status = hash_set_add(&elsewhere->files, (is_a ? pair->a : pair->b)->path_hash, error);
	pthread_mutex_unlock(&elsewhere->lock);
	return status;
}

/* Count the files below the directory that have copies elsewhere. Return 0 if it is unknown. */
static uint64_t count_elsewhere(const struct find_plan *plan, struct store *store)
{
	struct elsewhere elsewhere = {.directory = plan->request->below[0],
				      .files = {.width = PATH_HASH_SIZE},
				      .lock = PTHREAD_MUTEX_INITIALIZER};
	const struct find_sink sink = {.context = &elsewhere, .pair = take_copy};
	struct find_request request = *plan->request;
	struct simhash_error ignored;
	struct finder finder;
	uint64_t count = 0;

	request.below = NULL;
	request.below_count = 0;
	request.has_between = true;
	request.between[0] = (struct find_side){.directory = elsewhere.directory};
	request.between[1] = (struct find_side){.directory = {"", 0}};
	request.expand = true;
	request.kinds = PAIRS_COPIES;
	/* Identical files have the same counts. */
	request.rule.tolerance.percent_millionths = 0;
	request.measure = NULL;
	if (finder_init(&finder, store, &request, &sink, &plan->arguments->resources, &ignored) ==
	    0) {
		if (finder_all(&finder, &ignored) == 0 &&
		    hash_set_sort(&elsewhere.files, &ignored) == 0)
			count = elsewhere.files.count;
		finder_release(&finder);
	}
	hash_set_release(&elsewhere.files);
	return count;
}

/*
 * A backup may contain no copies of its own files, although other directories contain all of them.
 */
static void explain_below(const struct find_plan *plan, struct store *store, int64_t files)
{
	const struct bytes *below = plan->request->below;
	unsigned kinds = plan->request->kinds;
	bool counts = (kinds == 0 || (kinds & PAIRS_COPIES) != 0) &&
		      files <= WHOLE_FOLDERS_FILES_MAX;
	uint64_t copies = counts ? count_elsewhere(plan, store) : 0;
	char count[32];
	struct note note;

	if (!note_begin(&note))
		return;
	if (copies > 0)
		fprintf(note.out, "%s of these files %s elsewhere; to see %s, use",
			format_count(copies, count), copies == 1 ? "has a copy" : "have copies",
			copies == 1 ? "it" : "them");
	else
		fputs("only files below the directory were compared with each other; to compare "
		      "them with all others, use",
		      note.out);
	fputs(" simfind --between ", note.out);
	write_path(note.out, below[0].size == 0 ? bytes_of("/") : below[0], "DIR");
	fputs(" /", note.out);
	note_end(&note);
}

/* Return the directory of a FILE if the index has no file of this host at or below it, or NULL. */
static char *find_uncovered(const char *file, struct store *store, const struct row_scope *scope)
{
	struct simhash_error ignored;
	char *path = realpath(file, NULL), *slash = path == NULL ? NULL : strrchr(path, '/');
	bool has_rows = true;

	if (slash != NULL)
		slash[slash == path] = '\0';
	if (slash == NULL || store_has_rows_at(store, scope, path, &has_rows, &ignored) != 0 ||
	    has_rows) {
		free(path);
		return NULL;
	}
	return path;
}

/* Is a FILE not in the index? If so, explain this and return true. */
static bool explain_files(const struct find_plan *plan, struct store *store)
{
	const struct operands *operands = &plan->arguments->operands;
	struct row_scope scope = {.tag_set = 0};
	struct simhash_error ignored;
	char *directory = NULL;
	struct note note;

	if (store_tag_set_id(store, plan->request->tags, false, &scope.tag_set, &ignored) != 0 ||
	    store_host_id(store, plan->request->host, false, &scope.host, &ignored) != 0)
		return false;
	for (size_t i = 0; directory == NULL && i < operands->query_count; i++)
		if (operands->queries[i] != NULL)
			directory = find_uncovered(operands->queries[i], store, &scope);
	if (directory == NULL || !note_begin(&note)) {
		free(directory);
		return false;
	}
	fputs("the index has no files at or below ", note.out);
	write_path(note.out, bytes_of(directory), "the directory of FILE");
	fputs("; to search them too, index them first: simhash ", note.out);
	write_path(note.out, bytes_of(directory), "DIR");
	note_end(&note);
	free(directory);
	return true;
}

/* ---- Options ---- */

/* Returns false if no option limits the search. */
static bool explain_options(const struct find_plan *plan)
{
	const struct find_arguments *arguments = plan->arguments;
	const struct find_rule *rule = &arguments->request.rule;
	struct limiting_options options = {.count = 0};

	limiting_add_filters(&options, &arguments->exclusions);
	limiting_add(&options, arguments->known_count > 0, "--known");
	limiting_add(&options, arguments->request.kinds != 0, "--only");
	limiting_add(&options, arguments->has_min_resemblance, "--min-resemblance");
	limiting_add(&options, rule->verify.same_extension, "--same-extension");
	limiting_add(&options, arguments->has_tolerance, "--tolerance");
	limiting_say(&options, find_program.name);
	return options.count > 0;
}

/* ---- Short FILEs ---- */

/* Larger files may contain a short FILE, although the index does not show it. */
static void explain_short(const struct find_plan *plan, const struct find_outcome *outcome)
{
	const struct find_request *request = plan->request;

	if (outcome->counts.brief > 0 && request->rule.verify.mode == VERIFY_SKETCH &&
	    verify_proposes(&request->rule.verify) && request->measure == NULL &&
	    (request->kinds == 0 || (request->kinds & PAIRS_PARTS) != 0))
		say(find_program.name,
		    "note: the index does not show whether larger files contain a short FILE; "
		    "--verify=read reads them");
}

static void explain_no_match(const struct find_plan *plan, struct store *store,
			     const struct find_outcome *outcome)
{
	bool is_explained = false;

	if (operands_have_stdin(&plan->arguments->operands))
		explain_stdin(plan, outcome);
	else
		is_explained = !explain_files(plan, store) && explain_options(plan);
	if (!is_explained)
		explain_short(plan, outcome);
}

/* The nearest files have similar sizes, because the counts of a much larger file say nothing. */
static void explain_nearest(const struct find_request *request)
{
	struct note note;

	if (!note_begin(&note))
		return;
	fprintf(note.out,
		"--nearest compares only files whose sizes differ by a factor of at most %g; "
		"--size-ratio=RATIO sets another one",
		(double)request->rule.tolerance.size_ratio_millionths / SIMHASH_MILLION);
	note_end(&note);
}

/* ---- All reasons ---- */

/* Are the files below one directory compared with each other? */
static bool is_below_one(const struct find_plan *plan)
{
	return plan->list < LIST_FOLDERS && !plan->has_files && plan->request->below_count == 1 &&
	       !plan->request->has_between;
}

void explain_nothing(const struct find_plan *plan, struct store *store,
		     const struct find_outcome *outcome)
{
	const struct find_request *request = plan->request;
	int64_t files;

	if (plan->arguments->quiet || outcome->had_unreadable)
		return;
	if (outcome->found > 0) {
		if (outcome->by_groups && outcome->copies == 0 && is_below_one(plan))
			explain_below(plan, store, count_files(plan, store));
		return;
	}
	files = count_files(plan, store);
	if (files == 0)
		explain_absence(plan, store);
	else if (files < 0 || plan->list == LIST_COVER)
		return;
	else if (request->nearest > 0)
		explain_nearest(request);
	else if (is_below_one(plan))
		explain_below(plan, store, files);
	else if (!plan->has_files)
		explain_options(plan);
	else
		explain_no_match(plan, store, outcome);
}
