/*
 * Lists folders: checks the request, finds the folders, and writes the summary and the list.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/find_tasks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/basic/sizes.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/decimal.h"
#include "base/text/shell_word.h"
#include "cli/simfind/kept_pairs.h"
#include "cli/simfind/list_pairs.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/terminal.h"
#include "report/folders/folders.h"
#include "report/page/html_folders.h"

#define PROGRAM "simfind"

static bool is_file(const struct find_plan *plan, size_t side)
{
	struct stat status;

	return is_this_host(plan, &plan->arguments->tops.sides[side]) &&
	       stat(plan->arguments->tops.texts[side], &status) == 0 && S_ISREG(status.st_mode);
}

/* If all sides are on this host, search groups only among the files below them. */
static int limit_groups(const struct find_plan *plan, struct find_request *request,
			struct bytes **below, struct simhash_error *error)
{
	*below = malloc((plan->arguments->tops.count + 1) * sizeof **below);
	if (*below == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < plan->arguments->tops.count; i++) {
		if (!is_this_host(plan, &plan->arguments->tops.sides[i]))
			return 0;
		(*below)[i] = plan->arguments->tops.sides[i].directory;
	}
	if (plan->arguments->tops.count > 0) {
		request->below = *below;
		request->below_count = plan->arguments->tops.count;
	}
	return 0;
}

/* ---- Writing ---- */

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/*
 * The totals of all pairs. Each folder counts once; a folder inside another folder that counts does
 * not count.
 */
struct folder_totals {
	uint64_t copies, similar;
	int64_t saved_bytes; /* the bytes that removing the copies would free */
};

enum folder_mark { FOLDER_UNMARKED, FOLDER_SIMILAR, FOLDER_COPY };

static bool is_inside_copy(const struct folder_pairs *found, const uint8_t *marks, uint32_t folder)
{
	for (; folder != NO_FOLDER; folder = found->tree.folders[folder].parent)
		if (marks[folder] == FOLDER_COPY)
			return true;
	return false;
}

static bool is_copy(const struct folder_pair *pair)
{
	return pair->kind != FOLDERS_SIMILAR && pair->saved_bytes > 0;
}

/* Pairs that save more come first, so a folder comes before the folders inside it. */
static int add_up(const struct folder_pairs *found, struct folder_totals *totals,
		  struct simhash_error *error)
{
	uint8_t *marks = calloc(found->tree.count + 1, 1);

	*totals = (struct folder_totals){0, 0, 0};
	if (marks == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < found->count; i++) {
		const struct folder_pair *pair = &found->pairs[i];
		if (!is_copy(pair) || is_inside_copy(found, marks, pair->folder_a))
			continue;
		marks[pair->folder_a] = FOLDER_COPY;
		totals->copies++;
		add_size(&totals->saved_bytes, pair->saved_bytes);
	}
	for (size_t i = 0; i < found->count; i++) {
		uint32_t folder = found->pairs[i].folder_a;
		if (marks[folder] != FOLDER_UNMARKED || is_inside_copy(found, marks, folder))
			continue;
		marks[folder] = FOLDER_SIMILAR;
		totals->similar++;
	}
	free(marks);
	return 0;
}

static void write_summary(FILE *out, const struct folder_pairs *found,
			  const struct folder_totals *totals)
{
	char copies[32], similar[32], folders[32], bytes[32];
	uint64_t count = totals->copies;

	format_count(found->tree.count, folders);
	if (count == 0 && totals->similar == 0)
		fprintf(out, "None of %s folder%s is a copy of another or resembles one.", folders,
			plural(found->tree.count));
	else if (count == 0)
		fprintf(out, "%s of %s folders resemble%s another.",
			format_count(totals->similar, similar), folders,
			totals->similar == 1 ? "s" : "");
	else
		fprintf(out, "%s of %s folders %s; removing %s would free %s.",
			format_count(count, copies), folders,
			count == 1 ? "is a copy" : "are copies", count == 1 ? "it" : "them",
			format_bytes((double)totals->saved_bytes, bytes));
	if (count > 0 && totals->similar > 0)
		fprintf(out, " %s more resemble%s another.", format_count(totals->similar, similar),
			totals->similar == 1 ? "s" : "");
}

/* On a terminal, the summary is above the list. */
static int write_head(const struct find_plan *plan, struct listing *listing,
		      const struct folder_pairs *found, struct simhash_error *error)
{
	struct folder_totals totals;
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!plan->shows_summary)
		return 0;
	if (add_up(found, &totals, error) != 0)
		return -1;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return error_set_memory(error);
	write_summary(out, found, &totals);
	return write_list_summary(listing, out, &text, error);
}

/* Does a path have a word for copies, such as "docs (copy)" or "old_backup/docs"? */
static bool looks_like_copy(struct bytes path)
{
	static const char *const words[] = {"copy", "copies", "backup", "backups", "bak", "old"};
	size_t begin = 0;

	for (size_t end = 0; end <= path.size; end++) {
		char word[16] = "";
		if (end < path.size && ascii_is_letter(path.data[end]))
			continue;
		if (end - begin < sizeof word)
			ascii_lower_copy(word, path.data + begin, end - begin);
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (strcmp(word, words[i]) == 0)
				return true;
		begin = end + 1;
	}
	return false;
}

/* Does the name of the second of two folders show, unlike the first, that it is the copy? */
static bool is_copy_of(struct bytes a, struct bytes b)
{
	struct bytes common = path_above(a);

	path_widen(&common, path_above(b));
	return looks_like_copy((struct bytes){b.data + common.size, b.size - common.size}) &&
	       !looks_like_copy((struct bytes){a.data + common.size, a.size - common.size});
}

/*
 * Suggest the options of simkeep that show which files of `a` can be removed because `b` contains
 * them, or the other way round if the names show that `b` is the copy.
 */
static int suggest_removal(const struct find_plan *plan, struct bytes a, struct bytes b,
			   struct find_outcome *outcome, struct simhash_error *error)
{
	const struct find_arguments *arguments = plan->arguments;
	size_t size;
	FILE *out;

	/* simkeep would act on all files of this host. */
	if (plan->request->takes != NULL || arguments->known_count > 0 ||
	    arguments->index.host != NULL)
		return 0;
	if (arguments->quiet || a.size == 0 || b.size == 0 || needs_encoding(a) ||
	    needs_encoding(b))
		return 0;
	out = open_memstream(&outcome->next_step, &size);
	if (out == NULL)
		return error_set_memory(error);
	fputs("--action=delete --keep=in:", out);
	write_command_word(out, is_copy_of(a, b) ? a : b);
	fputc(' ', out);
	write_command_word(out, a);
	fputc(' ', out);
	write_command_word(out, b);
	return close_text(out, &outcome->next_step) != 0 ? error_set_memory(error) : 0;
}

static int suggest_first(const struct find_plan *plan, const struct folder_pairs *found,
			 struct find_outcome *outcome, struct simhash_error *error)
{
	const struct folder_pair *pair = &found->pairs[0];
	const struct folder *a, *b;

	if (found->count == 0 || pair->saved_bytes == 0)
		return 0;
	a = &found->tree.folders[pair->folder_a];
	b = &found->tree.folders[pair->folder_b];
	if (a->host != found->local_host || b->host != found->local_host)
		return 0;
	return suggest_removal(plan, a->path, b->path, outcome, error);
}

/*
 * Report the number of folders that were not compared because all their shared files are too
 * common.
 */
static void note_passed_over(uint64_t folders)
{
	char count[32], *text;

	if (asprintf(&text,
		     "note: %s folder%s not compared: every file that %s with others is in more "
		     "than %d folders",
		     format_count(folders, count), folders == 1 ? " was" : "s were",
		     folders == 1 ? "it shares" : "they share", COMMON_FOLDERS) < 0)
		return;
	say(PROGRAM, text);
	free(text);
}

static void free_names(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

/* Return the names of the folders of the first pairs, two for each pair. NULL: out of memory. */
static char **name_pairs(const struct folder_pairs *found, size_t count)
{
	char **names = calloc(2 * count + 1, sizeof *names);
	size_t size;

	for (size_t i = 0; names != NULL && i < 2 * count; i++) {
		const struct folder_pair *pair = &found->pairs[i / 2];
		names[i] = folder_name(
			found, &found->tree.folders[i % 2 == 0 ? pair->folder_a : pair->folder_b],
			&size);
		if (names[i] == NULL) {
			free_names(names, i);
			return NULL;
		}
	}
	return names;
}

static int write_page(const struct find_plan *plan, struct store *store, struct listing *listing,
		      struct folder_report *report, struct simhash_error *error)
{
	if (report_origin(plan, store, &report->origin, error) != 0)
		return -1;
	listing->left_out = report->pairs - report->count;
	folder_report_write(listing->file, report);
	report_origin_release(&report->origin);
	return listing_check(listing, error);
}

static int write_list_page(const struct find_plan *plan, struct finder *finder,
			   const struct folder_pairs *found, struct listing *listing,
			   struct simhash_error *error)
{
	uint64_t limit = plan->arguments->order.limit;
	size_t count = limit > 0 && limit < found->count ? (size_t)limit : found->count;
	char **names = name_pairs(found, count);
	struct folder_details details;
	struct folder_report report = {.pairs = found->count,
				       .folders = found->tree.count,
				       .files = found->tree.files,
				       .names = names,
				       .count = count};
	int status;

	if (names == NULL)
		return error_set_memory(error);
	status = finder_detail_pairs(finder, found, count, REPORT_FILES_MAX, &details, error);
	if (status == 0) {
		report.comparisons = details.pairs;
		status = write_page(plan, finder->store, listing, &report, error);
		folder_details_release(&details);
	}
	free_names(names, 2 * count);
	return status;
}

static int list_all(const struct find_plan *plan, struct finder *finder,
		    const struct folder_request *wanted, struct listing *listing,
		    struct find_outcome *outcome, struct simhash_error *error)
{
	struct folder_pairs found;
	int status;

	if (finder_folders(finder, wanted, &found, error) != 0)
		return -1;
	outcome->found = found.count;
	status = write_head(plan, listing, &found, error);
	if (status == 0)
		status = plan->is_page ? write_list_page(plan, finder, &found, listing, error)
				       : listing_write_folders(listing, &found,
							       plan->arguments->order.limit, error);
	outcome->left_out = listing->left_out;
	if (status == 0)
		status = suggest_first(plan, &found, outcome, error);
	if (status == 0 && plan->shows_summary)
		write_left_out(listing->how.has_marks ? listing->file : stderr, plan, outcome);
	if (status == 0 && found.passed_over > 0 && !plan->arguments->quiet)
		note_passed_over(found.passed_over);
	folder_pairs_release(&found);
	return status;
}

/*
 * Fail if a side has no files in the index. A side that is a file may be an archive with members.
 */
static int check_files(const struct find_plan *plan, const struct folder_comparison *comparison,
		       char *const names[2], struct simhash_error *error)
{
	size_t side = comparison->pair.a.files == 0 ? 0 : 1;

	if (comparison->pair.a.files > 0 && comparison->pair.b.files > 0)
		return 0;
	return error_set(error, SIMHASH_E_RANGE,
			 is_file(plan, side)
				 ? "--directories: %s is a file, and the index has fewer than two "
				   "members of it that are not empty; simhash -z indexes the "
				   "members of archives"
				 : "--directories: the index has no files that are not empty at or "
				   "below %s",
			 names[side]);
}

static int write_two(const struct find_plan *plan, struct store *store, struct listing *listing,
		     struct folder_comparison *comparison, char *const names[2],
		     struct simhash_error *error)
{
	struct folder_report report = {
		.pairs = 1, .names = names, .comparisons = comparison, .count = 1};

	comparison->is_left_out = comparison->count > REPORT_FILES_MAX;
	return write_page(plan, store, listing, &report, error);
}

/* The name of a side, or of the folder in its archive that is compared. */
static char *name_compared(const struct find_plan *plan, const struct find_side *side,
			   struct bytes top, size_t *size)
{
	char *name = side_name(plan, side, size), *whole;

	if (name == NULL || top.size == 0)
		return name;
	whole = realloc(name, *size + top.size + 1);
	if (whole == NULL) {
		free(name);
		return NULL;
	}
	memcpy(whole + *size, top.data, top.size);
	*size += top.size;
	whole[*size] = '\0';
	return whole;
}

static int compare_two(const struct find_plan *plan, struct finder *finder,
		       const struct folder_request *wanted, struct listing *listing,
		       struct find_outcome *outcome, struct simhash_error *error)
{
	struct folder_comparison comparison;
	struct bytes names[2];
	char *texts[2] = {NULL, NULL};
	int status = 0;

	if (finder_compare_folders(finder, wanted, &comparison, error) != 0)
		return -1;
	for (int side = 0; side < 2; side++) {
		texts[side] = name_compared(plan, &wanted->sides[side], comparison.tops[side],
					    &names[side].size);
		names[side].data = texts[side];
		if (texts[side] == NULL)
			status = error_set_memory(error);
	}
	if (status == 0) {
		outcome->found = comparison.pair.a.same + comparison.pair.a.changed;
		status = check_files(plan, &comparison, texts, error);
		if (status == 0)
			status = plan->is_page ? write_two(plan, finder->store, listing,
							   &comparison, texts, error)
					       : listing_write_comparison(listing, &comparison,
									  names, error);
		if (status == 0 && comparison.pair.saved_bytes > 0 &&
		    is_this_host(plan, &wanted->sides[0]) && is_this_host(plan, &wanted->sides[1]))
			status = suggest_removal(plan, wanted->sides[0].directory,
						 wanted->sides[1].directory, outcome, error);
	}
	folder_comparison_release(&comparison);
	free(texts[0]);
	free(texts[1]);
	return status;
}

int list_folders(const struct find_plan *plan, struct store *store, struct listing *listing,
		 struct find_outcome *outcome, struct simhash_error *error)
{
	const struct find_sink sink = {.context = NULL};
	struct find_request request = *plan->request;
	const struct folder_request wanted = {.sides = plan->arguments->tops.sides,
					      .side_count = plan->arguments->tops.count,
					      .min_shared = plan->arguments->min_shared,
					      .with_similar = request.rule.verify.min_resemblance !=
							      1};
	struct bytes *below = NULL;
	struct finder finder;
	int status = limit_groups(plan, &request, &below, error);

	if (status == 0)
		status = finder_init(&finder, store, &request, &sink, &plan->arguments->resources,
				     error);
	if (status == 0) {
		if (plan->has_pager)
			pager_start(PROGRAM);
		status = (plan->arguments->tops.count == 2 ? compare_two : list_all)(
			plan, &finder, &wanted, listing, outcome, error);
		finder_release(&finder);
	}
	free(below);
	return status;
}
