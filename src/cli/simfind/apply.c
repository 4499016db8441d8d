/*
 * simfind --apply and --keep: from decisions, from the commands of a script or from the index to a
 * plan, then to the acts, and what is said about them.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "act/act.h"
#include "base/basic/error.h"
#include "base/data/arena.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "base/files/read_file.h"
#include "base/text/escape.h"
#include "base/text/shell_word.h"
#include "cli/options/options.h"
#include "cli/simfind/copy_sorter.h"
#include "cli/simfind/covered.h"
#include "cli/simfind/find_tasks.h"
#include "cli/simfind/plan_script.h"
#include "cli/terminal/terminal.h"
#include "find/rule/finder.h"
#include "keep/commands.h"
#include "keep/decisions.h"
#include "store/open/store.h"

#define PROGRAM "simfind"
#define APPLY_MAX ((size_t)2 << 30) /* bytes of decisions, or of the commands of a script */

struct acting {
	const struct find_arguments *arguments;
	struct keep_policy policy; /* with absolute directories */
	struct bytes *protected;   /* owned with its items */
	size_t protected_capacity;
	char *rule_texts[KEEP_RULES_MAX], *move_to;
	struct output_file script;	 /* open, if there is to be one */
	struct covered covered;		 /* empty with --apply */
	const struct commands *commands; /* each act has its own action; NULL: there are none */
	uint64_t acts, left, saved_bytes;
};

/* ---- Directories ---- */

static int resolve_rules(struct acting *acting, struct simhash_error *error)
{
	for (size_t i = 0; i < acting->policy.rule_count; i++) {
		struct keep_rule *rule = &acting->policy.rules[i];
		if (rule->order != KEEP_IN && rule->order != KEEP_NOT_IN)
			continue;
		/* As the index has it. One that is mistyped would be no preference. */
		acting->rule_texts[i] = realpath(rule->text, NULL);
		if (acting->rule_texts[i] == NULL)
			return error_set_errno(error, "--keep=%s:%s",
					       rule->order == KEEP_IN ? "in" : "not-in",
					       rule->text);
		rule->text = acting->rule_texts[i];
	}
	return 0;
}

static int protect(struct acting *acting, const char *directory, struct simhash_error *error)
{
	char *path = realpath(directory, NULL);

	if (path == NULL)
		return error_set_errno(error, "--protect=%s", directory);
	if (array_reserve(&acting->protected, &acting->protected_capacity,
			  acting->policy.protected_count + 1, sizeof *acting->protected,
			  error) != 0) {
		free(path);
		return -1;
	}
	acting->policy.protected = acting->protected;
	acting->protected[acting->policy.protected_count++] = bytes_of(path);
	return 0;
}

static int resolve_protected(struct acting *acting, struct simhash_error *error)
{
	const struct find_arguments *arguments = acting->arguments;
	int status = 0;

	for (size_t i = 0; status == 0 && i < arguments->protected_count; i++)
		status = protect(acting, arguments->protected[i], error);
	return status;
}

static int acting_begin(struct acting *acting, const struct find_arguments *arguments,
			struct simhash_error *error)
{
	*acting = (struct acting){.arguments = arguments, .policy = arguments->policy};
	if (resolve_rules(acting, error) != 0 || resolve_protected(acting, error) != 0)
		return -1;
	if (arguments->move_to == NULL)
		return 0;
	acting->move_to = realpath(arguments->move_to, NULL);
	return acting->move_to != NULL
		       ? 0
		       : error_set_errno(error,
					 "--action=move:%s: expected a directory that exists; make "
					 "it first, on the file system of the copies",
					 arguments->move_to);
}

/* What cannot be known before the file of --apply is read: it may be a script with actions of its own. */
static int check_action(const struct find_arguments *arguments, struct simhash_error *error)
{
	if (!arguments->yes || arguments->policy.action != ACTION_REPORT)
		return 0;
	return error_set(error, SIMHASH_E_SYNTAX,
			 "--yes needs --action=hardlink, reflink, delete or move:DIR");
}

static void acting_end(struct acting *acting)
{
	for (size_t i = 0; i < acting->policy.protected_count; i++)
		free((char *)(uintptr_t)acting->protected[i].data);
	for (size_t i = 0; i < acting->policy.rule_count; i++)
		free(acting->rule_texts[i]);
	free(acting->protected);
	free(acting->move_to);
	covered_release(&acting->covered);
	output_release(&acting->script);
}

/* ---- What is told ---- */

static void write_line(const char *what, const char *path, const char *to)
{
	printf("%-9s ", what);
	write_escaped(stdout, bytes_of(path));
	if (to != NULL) {
		fputs(" -> ", stdout);
		write_escaped(stdout, bytes_of(to));
	}
	putchar('\n');
}

static void tell_left(struct acting *acting, const char *path, const char *why)
{
	char *text = NULL;

	acting->left++;
	fflush(stdout);
	if (asprintf(&text, "left alone: %s", why) < 0)
		return;
	say_path(PROGRAM, bytes_of(path), text);
	free(text);
}

static void tell_plan(struct acting *acting, const struct plan *plan)
{
	for (size_t i = 0; i < plan->refusal_count; i++)
		tell_left(acting, plan->refusals[i].file->path, plan->refusals[i].why);
}

static void summarize(const struct acting *acting, const struct plan *plan)
{
	static const char *const dry[] = {"would give up", "would replace", "would deduplicate",
					  "would delete", "would move"};
	static const char *const done[] = {"gave up", "replaced", "deduplicated", "deleted",
					   "moved"};
	static const char *const ways[] = {"", " by hard links", " by reflinks", "", ""};
	const struct find_arguments *arguments = acting->arguments;
	enum keep_action action = acting->policy.action;
	char count[32], bytes[32], left[32];

	if (arguments->quiet)
		return;
	fprintf(stderr, "%s %s file%s%s", (arguments->yes ? done : dry)[action],
		format_count(acting->acts, count), acting->acts == 1 ? "" : "s", ways[action]);
	if (action != ACTION_MOVE)
		fprintf(stderr, "%s %s", arguments->yes ? ", freed" : ", which frees",
			format_bytes((double)acting->saved_bytes, bytes));
	if (plan->protected_count > 0)
		fprintf(stderr, "; %s protected", format_count(plan->protected_count, left));
	if (acting->left > 0)
		fprintf(stderr, "; left %s alone", format_count(acting->left, left));
	if (!arguments->yes) {
		fputs("; nothing has been changed\n", stderr);
		return;
	}
	fputs("; to undo: simfind --undo=", stderr);
	if (needs_encoding(bytes_of(arguments->journal_path)))
		fputs("FILE", stderr);
	else
		write_command_word(stderr, bytes_of(arguments->journal_path));
	fputc('\n', stderr);
	if (acting->acts > 0 && action != ACTION_REFLINK)
		say_how_to_update(&acting->covered);
}

/* ---- Acting ---- */

static void tell_result(struct acting *acting, enum keep_action action,
			const struct planned_act *act, const struct act_result *result,
			const char **shown)
{
	bool lists = acting->script.stream != stdout; /* the script, in its place, has it all */
	const struct keep_file *kept = result->outcome == ACT_KEPT ? act->file : result->kept;

	if (result->outcome == ACT_LEFT)
		tell_left(acting, act->file->path, result->why.message);
	if (result->outcome != ACT_DONE && result->outcome != ACT_KEPT)
		return;
	if (lists && kept != NULL && (*shown == NULL || strcmp(kept->path, *shown) != 0))
		write_line("keep", kept->path, NULL);
	*shown = kept == NULL ? NULL : kept->path;
	if (result->outcome != ACT_DONE)
		return;
	if (lists)
		write_line(action == ACTION_REPORT ? "give up" : action_name(action),
			   act->file->path, result->to);
	acting->acts++;
	acting->saved_bytes += result->saved_bytes;
}

/* How many acts from `at` on are one batch: those of a script may have actions of their own. */
static size_t batch_size(const struct acting *acting, const struct plan *plan, size_t at)
{
	size_t left = plan->count - at, most = left < ACT_BATCH ? left : ACT_BATCH, count = 1;

	if (acting->commands == NULL)
		return most;
	while (count < most &&
	       acting->commands->list[at + count].action == acting->commands->list[at].action)
		count++;
	return count;
}

static int act_on_plan(struct acting *acting, const struct plan *plan, struct actor *actor,
		       struct simhash_error *error)
{
	const char *shown = NULL;
	struct act_result results[ACT_BATCH];
	int status = 0;
	size_t count;

	for (size_t at = 0; status == 0 && at < plan->count; at += count) {
		count = batch_size(acting, plan, at);
		if (acting->commands != NULL)
			actor->options.action = acting->commands->list[at].action;
		status = actor_act(actor, plan->acts + at, count, results, error);
		for (size_t i = 0; i < count; i++) {
			tell_result(acting, actor->options.action, &plan->acts[at + i], &results[i],
				    &shown);
			free(results[i].to);
		}
	}
	return status;
}

static int carry_out(struct acting *acting, const struct plan *plan, const char *host,
		     struct simhash_error *error)
{
	const struct find_arguments *arguments = acting->arguments;
	struct journal journal = {.stream = NULL};
	struct act_options options = {.action = acting->policy.action,
				      .move_to = acting->move_to,
				      .protected = acting->policy.protected,
				      .protected_count = acting->policy.protected_count,
				      .journal = arguments->yes ? &journal : NULL};
	struct actor actor;
	struct simhash_error closing;
	int status;

	if (actor_init(&actor, &options, error) != 0)
		return -1;
	status = arguments->yes ? journal_create(&journal, arguments->journal_path, host, error)
				: 0;
	if (status == 0)
		status = act_on_plan(acting, plan, &actor, error);
	if (journal_close(&journal, &closing) != 0 && status == 0) {
		*error = closing;
		status = -1;
	}
	actor_release(&actor);
	return status;
}

static int open_script(struct acting *acting, const struct store *store,
		       struct simhash_error *error)
{
	const char *path = acting->arguments->script_path;

	return path == NULL ? 0 : output_open(&acting->script, path, 0700, store, error);
}

static int write_script(struct acting *acting, struct keep_file *files, size_t count,
			const char *host, struct simhash_error *error)
{
	const struct script_request request = {.policy = &acting->policy,
					       .host = host,
					       .host_is_given = acting->arguments->host != NULL,
					       .looks = true};
	struct plan_script script;
	int status;

	if (plan_script_begin(&script, acting->script.stream, &request, error) != 0)
		return -1;
	status = plan_script_add(&script, files, count, error);
	plan_script_end(&script);
	if (status == 0)
		status = close_plan_script(&acting->script, &script, acting->arguments->quiet,
					   error);
	return status != 0 ? -1 : output_publish(&acting->script, error);
}

static int plan_and_act(struct acting *acting, struct keep_file *files, size_t count,
			const char *host, struct simhash_error *error)
{
	struct plan plan;
	int status;

	if (plan_make(files, count, &acting->policy, &plan, error) != 0)
		return -1;
	tell_plan(acting, &plan);
	status = carry_out(acting, &plan, host, error);
	if (status == 0 && acting->script.stream != NULL)
		status = write_script(acting, files, count, host, error);
	if (status == 0)
		status = finish_output(error);
	if (status == 0)
		summarize(acting, &plan);
	plan_release(&plan);
	return status;
}

static int apply_decisions(struct acting *acting, struct bytes text, const char *host,
			   struct simhash_error *error)
{
	struct decisions decisions;
	int status;

	if (check_action(acting->arguments, error) != 0 ||
	    decisions_read(text, acting->arguments->apply_path, host, &decisions, error) != 0)
		return -1;
	status = check_plan_script(acting->arguments->script_path, decisions.files, decisions.count,
				   error);
	if (status == 0)
		status = open_script(acting, NULL, error);
	for (size_t i = 0; i < decisions.elsewhere_count; i++)
		tell_left(acting, decisions.elsewhere[i].data, "it is on another host");
	if (status == 0)
		status = plan_and_act(acting, decisions.files, decisions.count, host, error);
	decisions_release(&decisions);
	return status;
}

/* ---- The commands of a script ---- */

static int check_commands(const struct acting *acting, const struct commands *commands,
			  const char *host, struct simhash_error *error)
{
	const struct find_arguments *arguments = acting->arguments;

	if (arguments->has_action || arguments->script_path != NULL)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--%s cannot be combined with the commands of a script",
				 arguments->has_action ? "action" : "script");
	if (strcmp(commands->host, host) != 0)
		return error_set(error, SIMHASH_E_RANGE,
				 "%s: expected commands for this host, %s; they are for host %s",
				 arguments->apply_path, host, commands->host);
	return 0;
}

/* What is done, in one word, if all commands do the same. */
static enum keep_action common_action(const struct commands *commands)
{
	for (size_t i = 1; i < commands->count; i++)
		if (commands->list[i].action != commands->list[0].action)
			return ACTION_REPORT;
	return commands->list[0].action;
}

static int carry_out_commands(struct acting *acting, const struct commands *commands,
			      const char *host, struct simhash_error *error)
{
	struct plan plan;
	int status;

	if (commands_plan(commands, &plan, error) != 0)
		return -1;
	acting->commands = commands;
	acting->policy.action = common_action(commands);
	status = carry_out(acting, &plan, host, error);
	if (status == 0)
		status = finish_output(error);
	if (status == 0)
		summarize(acting, &plan);
	plan_release(&plan);
	return status;
}

static void say_missing(const struct acting *acting, const struct commands *commands)
{
	char text[160];

	if (acting->arguments->quiet || commands->found >= commands->written)
		return;
	snprintf(text, sizeof text, "%" PRIu64 " of the %" PRIu64 " commands are missing",
		 commands->written - commands->found, commands->written);
	say_path(PROGRAM, bytes_of(acting->arguments->apply_path), text);
}

static int apply_commands(struct acting *acting, struct bytes text, const char *host,
			  struct simhash_error *error)
{
	const struct find_arguments *arguments = acting->arguments;
	struct commands commands;
	int status;

	if (commands_read(text, arguments->apply_path, &commands, error) != 0)
		return -1;
	if (arguments->host == NULL && commands.host_is_given)
		host = commands.host;
	status = check_commands(acting, &commands, host, error);
	for (size_t i = 0; status == 0 && i < commands.protected_count; i++)
		status = protect(acting, commands.protected[i].data, error);
	if (status == 0)
		say_missing(acting, &commands);
	if (status == 0 && commands.count > 0)
		status = carry_out_commands(acting, &commands, host, error);
	else if (status == 0 && !arguments->quiet)
		say(PROGRAM,
		    "all commands are comments; remove the # from the commands to carry out; "
		    "nothing has been changed");
	commands_release(&commands);
	return status;
}

static int apply(struct acting *acting, const char *host, struct simhash_error *error)
{
	struct bytes text;
	char *bytes = NULL;
	int status;

	if (read_file(acting->arguments->apply_path, APPLY_MAX, &bytes, &text.size, error) != 0)
		return -1;
	text.data = bytes;
	status = commands_are_in(text) ? apply_commands(acting, text, host, error)
				       : apply_decisions(acting, text, host, error);
	free(bytes);
	return status;
}

/* ---- Identical files of the index ---- */

static int take_copies(void *context, unsigned thread, const struct file_pair *pair,
		       struct simhash_error *error)
{
	(void)thread;
	return copy_sorter_add(context, pair, error);
}

/* A plan has all of them: one inode may have contents of several times. */
struct copy_list {
	struct keep_file *files;
	size_t count, capacity;
	struct arena paths;
};

static int keep_content(void *context, struct keep_file *files, size_t count,
			struct simhash_error *error)
{
	struct copy_list *list = context;

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
	struct copy_list list = {.count = 0};
	int status = copy_sorter_each(copies, keep_content, &list, error);

	if (status == 0)
		status = plan_and_act(acting, list.files, list.count, host, error);
	arena_release(&list.paths);
	free(list.files);
	return status;
}

/* No file is kept in a directory that the index does not know. */
static int check_rules(const struct acting *acting, const struct finder *finder,
		       struct simhash_error *error)
{
	for (size_t i = 0; i < acting->policy.rule_count; i++) {
		const struct keep_rule *rule = &acting->policy.rules[i];
		if (rule->order == KEEP_IN &&
		    finder_check_below(finder, bytes_of(rule->text), error) != 0)
			return -1;
	}
	return 0;
}

static int find_copies(const struct acting *acting, struct store *store, const char *host,
		       const struct simhash_tag_set *tags, struct copy_sorter *copies,
		       struct simhash_error *error)
{
	const struct find_arguments *arguments = acting->arguments;
	struct find_request request = arguments->request;
	const struct find_sink sink = {.context = copies, .pair = take_copies};
	struct finder finder;
	int status;

	request.tags = tags;
	request.host = host;
	request.hard_links = true; /* all names of a file are known */
	request.rule.tolerance.percent_millionths = 0;
	if (finder_init(&finder, store, &request, &sink, &arguments->resources, error) != 0)
		return -1;
	status = check_rules(acting, &finder, error);
	if (status == 0)
		status = finder_all(&finder, error);
	finder_release(&finder);
	return status;
}

static int keep_by_rules(struct acting *acting, const char *host, struct simhash_error *error)
{
	const struct find_arguments *arguments = acting->arguments;
	struct store_location where = arguments->location;
	struct simhash_tag_set *tags = NULL;
	struct store *store = NULL;
	struct copy_sorter *copies = NULL;
	char *url = NULL;
	bool had_unreadable = false;
	int status = -1;

	if (choose_tag_set(arguments->tag_file, &tags, error) == 0 &&
	    (!arguments->update || update_index(arguments, &had_unreadable, error) == 0) &&
	    choose_database(where.url, false, &url, error) == 0) {
		where.url = url;
		status = store_open(&where, OPEN_TO_READ, &store, error);
	}
	if (status == 0)
		status = output_check_index(arguments->script_path, store, host, error);
	if (status == 0)
		status = open_script(acting, store, error);
	if (status == 0)
		status = copy_sorter_new((size_t)arguments->resources.memory_bytes / COPIES_SHARE,
					 &copies, error);
	if (status == 0)
		status = find_copies(acting, store, host, tags, copies, error);
	if (status == 0)
		status = covered_read(&acting->covered, arguments, store, tags, host, error);
	store_close(store);
	if (status == 0 && !arguments->quiet)
		say_covered(&acting->covered);
	if (status == 0)
		status = act_on_files(acting, copies, host, error);
	acting->left += had_unreadable;
	copy_sorter_free(copies);
	free(url);
	simhash_tag_set_free(tags);
	return status;
}

int act_on_copies(const struct find_arguments *arguments, bool *had_left,
		  struct simhash_error *error)
{
	char host[HOST_NAME_SIZE];
	struct acting acting = {.arguments = arguments};
	int status = choose_host(arguments->host, host, error);

	if (status == 0)
		status = acting_begin(&acting, arguments, error);
	if (status == 0)
		status = arguments->apply_path != NULL ? apply(&acting, host, error)
						       : keep_by_rules(&acting, host, error);
	*had_left = acting.left > 0;
	acting_end(&acting);
	return status;
}
