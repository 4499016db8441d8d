/*
 * Finds identical files in the index, and passes the files of each content to the plan or to the
 * script.
 * SPDX-License-Identifier: MIT
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/arena.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "cli/review/review.h"
#include "cli/simkeep/acting.h"
#include "cli/simkeep/copy_sorter.h"
#include "cli/simkeep/keep_tasks.h"
#include "cli/simkeep/plan_script.h"
#include "cli/terminal/terminal.h"
#include "find/reading/confirm.h"
#include "find/rule/finder.h"
#include "report/lists/formatter.h"
#include "store/names/name_list.h"
#include "store/names/tag_sets.h"
#include "store/open/store.h"
#include "store/rows/damage_rows.h"
#include "store/rows/totals.h"

#define PROGRAM "simkeep"

/* ---- Finding copies ---- */

struct search {
	const struct keep_arguments *arguments;
	struct copy_sorter *copies;
	uint64_t unreadable;
	struct damaged_files damaged; /* they are no copies, although their rows say so */
};

/* Do --ext, --exclude, --min-size and --max-size allow a file? Returns 1, 0, or -1. */
static int is_wanted(const struct keep_arguments *arguments, const struct find_file *file,
		     struct simhash_error *error)
{
	char *path;
	bool is_wanted;

	if (!file->is_local)
		return !exclusions_leave_out_size(&arguments->exclusions, find_file_bytes(file));
	path = strdup(find_file_path(file));
	if (path == NULL)
		return error_set_memory(error);
	is_wanted = operands_let_through(&arguments->operands, &arguments->exclusions, path,
					 find_file_bytes(file));
	free(path);
	return is_wanted;
}

static bool is_damaged(const struct search *search, const struct find_file *file)
{
	struct bytes path = {find_file_path(file), file->display_size - file->path_offset};

	return damaged_files_have_path(&search->damaged, file->host, path);
}

static int take_copies(void *context, unsigned thread, const struct file_pair *pair,
		       struct simhash_error *error)
{
	struct search *search = context;
	const struct find_file *const files[2] = {pair->a, pair->b};

	(void)thread;
	for (int i = 0; pair->relation.is_identical && i < 2; i++) {
		int wanted = is_damaged(search, files[i])
				     ? 0
				     : is_wanted(search->arguments, files[i], error);
		if (wanted < 0 ||
		    (wanted > 0 && copy_sorter_add(search->copies, files[i], error) != 0))
			return -1;
	}
	return 0;
}

static void file_unreadable(void *context, struct bytes path, int system_errno)
{
	struct search *search = context;

	search->unreadable++;
	say_path(PROGRAM, path, explain_errno(system_errno));
}

/* No file would be kept in a directory that is not in the index. */
static int check_rules(const struct acting *acting, const struct finder *finder,
		       struct simhash_error *error)
{
	const struct keep_arguments *arguments = acting->arguments;

	for (size_t i = 0; i < acting->policy.rule_count; i++) {
		const struct keep_rule *rule = &acting->policy.rules[i];
		struct bytes directory = bytes_of(rule->text);
		if (rule->order != KEEP_IN)
			continue;
		if (finder_check_below(finder, directory, error) != 0)
			return -1;
		if (!arguments->quiet && operands_leave_out(&arguments->operands, directory))
			say_path(PROGRAM, directory,
				 "the directory of --keep=in is outside the DIRs, so its files do "
				 "not count; name it too");
	}
	return 0;
}

static int find_copies(struct acting *acting, struct store *store, const char *host,
		       const struct simhash_tag_set *tags, struct copy_sorter *copies,
		       struct simhash_error *error)
{
	const struct keep_arguments *arguments = acting->arguments;
	const struct operands *operands = &arguments->operands;
	struct search search = {.arguments = arguments, .copies = copies};
	const struct find_sink sink = {
		.context = &search, .pair = take_copies, .unreadable = file_unreadable};
	struct find_request request;
	struct finder finder;
	int status;

	find_request_init(&request);
	request.tags = tags;
	request.host = host;
	request.hard_links = true; /* a plan needs all names of a file */
	request.expand = operands->has_files;
	request.rule.tolerance.percent_millionths = 0;
	request.as_files = true; /* documents with the same text are no copies */
	request.below = operands->below;
	request.below_count = operands->below_count;
	status = finder_init(&finder, store, &request, &sink, &arguments->resources, error);
	if (status == 0) {
		status = check_rules(acting, &finder, error);
		if (status == 0)
			status = damaged_files_read(&search.damaged, store, finder.tag_set, error);
		if (status == 0)
			status = operands->has_files ? finder_files(&finder, operands->queries,
								    operands->query_count, error)
						     : finder_all(&finder, error);
		finder_release(&finder);
	}
	damaged_files_release(&search.damaged);
	acting->unreadable = search.unreadable;
	rule_release(&request.rule);
	return status;
}

/* ---- Passing copies on ---- */

/* Leave out files in version control and build trees. Returns the number of the other files. */
static size_t leave_out(struct tool_trees *tools, struct keep_file *files, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++)
		if (!tool_trees_leave_out(tools, files[i].path))
			files[left++] = files[i];
	return left;
}

/* A plan needs all files at once: one inode may occur with contents of several times. */
struct copy_list {
	struct keep_file *files;
	size_t count, capacity;
	struct arena paths;
	struct tool_trees *tools;
};

static int keep_content(void *context, struct keep_file *files, size_t count,
			struct simhash_error *error)
{
	struct copy_list *list = context;

	count = leave_out(list->tools, files, count);
	if (array_reserve(&list->files, &list->capacity, list->count + count, sizeof *list->files,
			  error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(files[i].path) + 1;
		char *path = arena_take(&list->paths, size);
		if (path == NULL)
			return error_set_memory(error);
		memcpy(path, files[i].path, size);
		list->files[list->count] = files[i];
		list->files[list->count++].path = path;
	}
	return 0;
}

static int act_on_files(struct acting *acting, struct copy_sorter *copies, const char *host,
			struct simhash_error *error)
{
	struct copy_list list = {.tools = &acting->tools};
	int status = copy_sorter_each(copies, keep_content, &list, error);

	tool_trees_say(&acting->tools, false, acting->arguments->quiet);
	if (status == 0)
		status = acting_plan(acting, list.files, list.count, host, error);
	/* Listed folders point into the paths. */
	removable_release(&acting->removable);
	arena_release(&list.paths);
	free(list.files);
	return status;
}

struct script_of_all {
	struct tool_trees *tools;
	struct plan_script script;
};

static int add_content(void *context, struct keep_file *files, size_t count,
		       struct simhash_error *error)
{
	struct script_of_all *all = context;

	return plan_script_add(&all->script, files, leave_out(all->tools, files, count), error);
}

/* A script about all copies has no plan, so it needs only the files of one content at a time. */
static int write_all(struct acting *acting, struct copy_sorter *copies, const char *host,
		     struct simhash_error *error)
{
	const struct script_request request = {.policy = &acting->policy,
					       .host = host,
					       .host_is_given = acting->arguments->index.host !=
								NULL};
	struct script_of_all all = {.tools = &acting->tools};
	int status;

	if (plan_script_begin(&all.script, acting->script.stream, &request, error) != 0)
		return -1;
	status = copy_sorter_each(copies, add_content, &all, error);
	plan_script_end(&all.script);
	tool_trees_say(&acting->tools, false, acting->arguments->quiet);
	if (status == 0)
		status = close_plan_script(&acting->script, &all.script, acting->arguments->quiet,
					   error);
	return status != 0 ? -1 : output_publish(&acting->script, error);
}

static int hand_on(struct acting *acting, struct copy_sorter *copies, const char *host,
		   struct simhash_error *error)
{
	const struct keep_policy *policy = &acting->policy;

	if ((policy->rule_count > 0 || acting->script.stream != NULL) && !acting->arguments->quiet)
		say_covered(&acting->covered);
	return policy->rule_count == 0 && policy->protected_count == 0 &&
			       acting->script.stream != NULL
		       ? write_all(acting, copies, host, error)
		       : act_on_files(acting, copies, host, error);
}

/* ---- A review ---- */

/* The index that is read, its URL, and the files that are left out. */
struct reviewed_index {
	struct acting *acting;
	struct store *store;
	const char *url, *host;
	const struct simhash_tag_set *tags;
};

static bool leave_path_out(void *context, const char *path)
{
	struct reviewed_index *index = context;

	return tool_trees_leave_out(&index->acting->tools, path);
}

static int take_relative(void *context, unsigned thread, const struct file_pair *pair,
			 struct simhash_error *error)
{
	(void)thread;
	return pair->relation.is_identical ? 0 : pair_list_add(context, pair, error);
}

/* The file is shown as changed when it is compared or removed. */
static void leave_unreadable(void *context, struct bytes path, int system_errno)
{
	(void)context;
	(void)path;
	(void)system_errno;
}

static void leave_unconfirmed(void *context, const struct find_file *file, int system_errno)
{
	(void)context;
	(void)file;
	(void)system_errno;
}

static char *keep_text(struct review_relatives *found, struct bytes text)
{
	char *kept = arena_take(&found->texts, text.size + 1);

	if (kept != NULL) {
		memcpy(kept, text.data, text.size);
		kept[text.size] = '\0';
	}
	return kept;
}

/* Add the other file of a pair. */
static int add_relative(struct review_relatives *found, const struct file_pair *pair,
			const char *path, struct simhash_error *error)
{
	struct file_pair turned = *pair;
	struct review_relative *made;
	char label[LABEL_SIZE], place[PLACE_SIZE];
	const struct find_file *other;

	if (!pair->a->is_local || strcmp(find_file_path(pair->a), path) != 0) {
		turned.a = pair->b;
		turned.b = pair->a;
		turned.relation = relation_turned(&pair->relation);
	}
	other = turned.b;
	if (array_reserve(&found->items, &found->capacity, found->count + 1, sizeof *found->items,
			  error) != 0)
		return -1;
	made = &found->items[found->count];
	*made = (struct review_relative){
		.name = keep_text(found, find_file_display(other)),
		.label = keep_text(found, bytes_of(pair_label(&turned, label))),
		.place = keep_text(found, bytes_of(place_label(pair->place, place))),
		.size_bytes = find_file_bytes(other),
		.is_contained = turned.relation.contained_b > turned.relation.contained_a,
		.mtime_ns = other->mtime_ns};
	if (made->name == NULL || made->label == NULL || made->place == NULL)
		return error_set_memory(error);
	if (other->is_local && !row_is_inside(other->compressed_size_bytes))
		made->path = made->name + other->path_offset;
	found->count++;
	return 0;
}

/* Similar files come first, then parts; the largest share comes first. */
static int compare_relatives(const void *x, const void *y)
{
	const struct file_pair *a = x, *b = y;
	double share_a = a->relation.is_part ? larger_containment(&a->relation)
					     : a->relation.resemblance;
	double share_b = b->relation.is_part ? larger_containment(&b->relation)
					     : b->relation.resemblance;

	if (a->relation.is_part != b->relation.is_part)
		return a->relation.is_part ? 1 : -1;
	if (share_a != share_b)
		return share_a < share_b ? 1 : -1;
	return find_file_compare(a->b, b->b) != 0 ? find_file_compare(a->b, b->b)
						  : find_file_compare(a->a, b->a);
}

static int find_relatives(void *context, const char *path, struct review_relatives *found,
			  struct simhash_error *error)
{
	const struct reviewed_index *index = context;
	const struct find_resources *resources = &index->acting->arguments->resources;
	const struct confirm_request confirming = {.with_parts = true, .with_places = true};
	struct pair_list list;
	const struct find_sink sink = {.context = &list,
				       .pair = take_relative,
				       .unreadable = leave_unreadable,
				       .unconfirmed = leave_unconfirmed};
	struct find_request request;
	struct finder finder;
	int status;

	pair_list_init(&list);
	find_request_init(&request);
	request.tags = index->tags;
	request.host = index->host;
	request.as_files = true; /* only simhash reads the texts of documents */
	request.kinds = PAIRS_SIMILAR | PAIRS_PARTS;
	status = finder_init(&finder, index->store, &request, &sink, resources, error);
	if (status == 0) {
		status = finder_files(&finder, &path, 1, error);
		finder_release(&finder);
	}
	pair_list_end(&list);
	if (status == 0)
		status = confirm_pairs(&list, &confirming, &sink, resources, error);
	if (status == 0 && list.count > 0)
		qsort(list.pairs, list.count, sizeof *list.pairs, compare_relatives);
	for (size_t i = 0; status == 0 && i < list.count; i++)
		status = add_relative(found, &list.pairs[i], path, error);
	pair_list_release(&list);
	rule_release(&request.rule);
	return status;
}

static void say_saved(const struct acting *acting, const struct review_result *result)
{
	const char *text = result->signal != 0	  ? "interrupted; the decisions are saved in "
			   : result->removed == 0 ? "no file is marked for removal; decisions: "
						  : "the decisions are saved in ";
	char *line;

	if (acting->arguments->quiet || result->decisions_path == NULL ||
	    asprintf(&line, "%s%s", text, result->decisions_path) < 0)
		return;
	say(PROGRAM, line);
	free(line);
}

/* Let the user decide, and carry out the decisions, or show their effects. */
static int review_copies(struct reviewed_index *index, struct simhash_error *error)
{
	struct acting *acting = index->acting;
	const struct keep_arguments *arguments = acting->arguments;
	const struct review_source source = {.store = index->store,
					     .tags = index->tags,
					     .host = index->host,
					     .url = index->url,
					     .operands = &arguments->operands,
					     .exclusions = &arguments->exclusions,
					     .policy = &acting->policy,
					     .leaves_out = leave_path_out,
					     .find_relatives = find_relatives,
					     .context = index};
	const struct review_options options = {.decisions_path = arguments->decisions_path,
					       .acts = arguments->yes,
					       .has_colours = acting->lines.how.has_colours,
					       .words = arguments->words,
					       .word_count = arguments->word_count};
	struct review_result result;
	int status = review_run(&source, &options, &result, error);

	if (status == 0)
		say_saved(acting, &result);
	if (status == 0 && result.signal != 0)
		raise(result.signal);
	if (status == 0 && result.signal == 0 && result.removed > 0) {
		status = acting_plan(acting, result.files, result.count, index->host, error);
		if (status == 0)
			next_step_say_saved(arguments, result.decisions_path);
	}
	review_result_release(&result);
	return status;
}

/* *id is a tag set of files in the index, or 0; several tag sets are an error. */
static int find_only_tags(struct store *store, const struct name_list *sets, int64_t *id,
			  struct simhash_error *error)
{
	const char *first = NULL;

	*id = 0;
	for (size_t i = 0; i < sets->count; i++) {
		const struct name *set = &sets->names[i];
		int64_t rows;
		if (store_count_rows(store, set->id, &rows, error) != 0)
			return -1;
		if (rows > 0 && *id != 0)
			return error_set(
				error, SIMHASH_E_RANGE,
				"the index has files by the tag sets '%s' and '%s', and none by "
				"the built-in tags; index the files once more: simhash PATH",
				first, set->text.data);
		if (rows > 0) {
			*id = set->id;
			first = set->text.data;
		}
	}
	return 0;
}

int choose_tags(struct store *store, struct simhash_tag_set **tags, bool *has_files,
		struct simhash_error *error)
{
	struct name_list sets = {.count = 0};
	int64_t id, rows = 0;
	int status;

	if (simhash_tag_set_new_default(tags, error) != 0 ||
	    store_tag_set_id(store, *tags, false, &id, error) != 0 ||
	    (id != 0 && store_count_rows(store, id, &rows, error) != 0))
		return -1;
	*has_files = rows > 0;
	if (rows > 0)
		return 0;
	if (store_read_tag_sets(store, &sets, error) != 0)
		return -1;
	status = find_only_tags(store, &sets, &id, error);
	*has_files = id != 0;
	if (status == 0 && id != 0) {
		simhash_tag_set_free(*tags);
		status = store_read_tag_set(store, id, tags, error);
	}
	name_list_release(&sets);
	return status;
}

/* If an empty index or an option may be the reason that there are no copies, write so. */
static void explain_nothing(const struct acting *acting, bool has_files)
{
	const struct keep_arguments *arguments = acting->arguments;
	struct limiting_options options = {.count = 0};

	if (arguments->quiet || acting->acts > 0 || acting->left > 0 || acting->unreadable > 0)
		return;
	if (!has_files) {
		say(PROGRAM, EMPTY_INDEX);
	} else if (arguments->script_path == NULL) {
		/* A list of folders says itself that copies elsewhere do not count. */
		limiting_add(&options,
			     arguments->operands.below_count > 0 && !acting_lists_folders(acting),
			     "DIR");
		limiting_add_filters(&options, &arguments->exclusions);
		limiting_say(&options, PROGRAM);
	}
}

int act_on_copies(struct acting *acting, const char *host, struct simhash_error *error)
{
	const struct keep_arguments *arguments = acting->arguments;
	struct simhash_tag_set *tags = NULL;
	struct store *store = NULL;
	struct copy_sorter *copies = NULL;
	char *url = NULL;
	bool has_files = false;
	int status;

	status = open_chosen_index(&arguments->index, &url, &store, error);
	if (status == 0)
		status = choose_tags(store, &tags, &has_files, error);
	if (status == 0)
		status = tool_trees_init(&acting->tools, &arguments->operands, error);
	if (status == 0)
		status = acting_open_script(acting, store, error);
	if (status == 0 && !arguments->reviews)
		status = copy_sorter_new((size_t)arguments->resources.memory_bytes / COPIES_SHARE,
					 arguments->count_archives, &copies, error);
	if (status == 0 && !arguments->reviews)
		status = find_copies(acting, store, host, tags, copies, error);
	if (status == 0)
		status = covered_read(&acting->covered, &arguments->operands, store, tags, host,
				      error);
	if (status == 0 && arguments->reviews) {
		struct reviewed_index index = {acting, store, url, host, tags};
		status = review_copies(&index, error);
	}
	store_close(store);
	if (status == 0 && !arguments->reviews)
		status = hand_on(acting, copies, host, error);
	if (status == 0 && !arguments->reviews)
		explain_nothing(acting, has_files);
	copy_sorter_free(copies);
	free(url);
	simhash_tag_set_free(tags);
	return status;
}
