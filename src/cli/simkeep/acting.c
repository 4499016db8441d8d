/*
 * Plans acts, carries them out in batches, and reports the results.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/acting.h"

#include <stdlib.h>
#include <string.h>

#include "act/act.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/text/escape.h"
#include "base/text/shell_word.h"
#include "cli/simkeep/plan_script.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal.h"

#define PROGRAM "simkeep"

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

int acting_protect(struct acting *acting, const char *directory, struct simhash_error *error)
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
	const struct keep_arguments *arguments = acting->arguments;
	int status = 0;

	for (size_t i = 0; status == 0 && i < arguments->protected_count; i++)
		status = acting_protect(acting, arguments->protected[i], error);
	return status;
}

int acting_begin(struct acting *acting, const struct keep_arguments *arguments,
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

void acting_end(struct acting *acting)
{
	for (size_t i = 0; i < acting->policy.protected_count; i++)
		free((char *)(uintptr_t)acting->protected[i].data);
	for (size_t i = 0; i < acting->policy.rule_count; i++)
		free(acting->rule_texts[i]);
	free(acting->protected);
	free(acting->move_to);
	covered_release(&acting->covered);
	removable_release(&acting->removable);
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

void acting_leave(struct acting *acting, const char *path, const char *why)
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
		acting_leave(acting, plan->refusals[i].file->path, plan->refusals[i].why);
}

/* Are folders listed, and not the files? */
static bool lists_folders(const struct acting *acting)
{
	return acting->policy.rule_count == 0 && acting->arguments->decisions_path == NULL;
}

/* Does standard output get a list? A script that is written there has it all. */
static bool lists(const struct acting *acting)
{
	return !acting->script_is_output && !acting->arguments->quiet;
}

static void write_left(FILE *out, const struct acting *acting, const struct plan *plan)
{
	char count[32];

	if (plan->protected_count > 0)
		fprintf(out, "; %s protected", format_count(plan->protected_count, count));
	if (acting->left > 0)
		fprintf(out, "; left %s alone", format_count(acting->left, count));
}

static void summarize(const struct acting *acting, const struct plan *plan)
{
	static const char *const dry[] = {"would give up", "would replace", "would deduplicate",
					  "would delete", "would move"};
	static const char *const done[] = {"gave up", "replaced", "deduplicated", "deleted",
					   "moved"};
	static const char *const ways[] = {"", " by hard links", " by reflinks", "", ""};
	const struct keep_arguments *arguments = acting->arguments;
	enum keep_action action = acting->policy.action;
	char count[32], bytes[32];

	if (arguments->quiet)
		return;
	fprintf(stderr, "%s %s file%s%s", (arguments->yes ? done : dry)[action],
		format_count(acting->acts, count), acting->acts == 1 ? "" : "s", ways[action]);
	if (action != ACTION_MOVE)
		fprintf(stderr, "%s %s", arguments->yes ? ", freed" : ", which frees",
			format_bytes((double)acting->saved_bytes, bytes));
	write_left(stderr, acting, plan);
	if (!arguments->yes) {
		fputs("; nothing has been changed\n", stderr);
		return;
	}
	fputs("; to undo: simkeep --undo=", stderr);
	if (needs_encoding(bytes_of(arguments->journal_path)))
		fputs("FILE", stderr);
	else
		write_command_word(stderr, bytes_of(arguments->journal_path));
	fputc('\n', stderr);
	if (acting->acts > 0 && action != ACTION_REFLINK)
		say_how_to_update(&acting->covered);
}

static void write_folders(struct acting *acting, const struct plan *plan)
{
	uint64_t folders;
	char count[32], bytes[32], number[32];

	removable_write(&acting->removable, stdout);
	folders = acting->removable.count;
	printf("%9s %-6s %9s  in %s folder%s", format_count(acting->acts, count),
	       acting->acts == 1 ? "copy" : "copies",
	       format_bytes((double)acting->saved_bytes, bytes), format_count(folders, number),
	       folders == 1 ? "" : "s");
	write_left(stdout, acting, plan);
	putchar('\n');
}

/* The command that goes on from the list of folders, with the words of this one. */
static void advise(const struct acting *acting)
{
	const struct keep_arguments *arguments = acting->arguments;
	char *text = NULL;
	size_t size;
	FILE *out;

	if (arguments->quiet || acting->acts == 0 || arguments->script_path != NULL)
		return;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return;
	fputs("to remove copies: " PROGRAM " --keep=oldest --action=delete", out);
	for (int i = 1; i < arguments->word_count; i++) {
		fputc(' ', out);
		if (needs_encoding(bytes_of(arguments->words[i])))
			fputs(arguments->words[i][0] == '-' ? "OPTION" : "FILE", out);
		else
			write_command_word(out, bytes_of(arguments->words[i]));
	}
	if (close_text(out, &text) == 0)
		say(PROGRAM, text);
	free(text);
}

/* ---- Acting ---- */

static int tell_result(struct acting *acting, enum keep_action action,
		       const struct planned_act *act, const struct act_result *result,
		       const char **shown, struct simhash_error *error)
{
	bool lists_files = lists(acting) && !lists_folders(acting);
	const struct keep_file *kept = result->outcome == ACT_KEPT ? act->file : result->kept;

	if (result->outcome == ACT_LEFT)
		acting_leave(acting, act->file->path, result->why.message);
	if (result->outcome != ACT_DONE && result->outcome != ACT_KEPT)
		return 0;
	if (lists_files && kept != NULL && (*shown == NULL || strcmp(kept->path, *shown) != 0))
		write_line("keep", kept->path, NULL);
	*shown = kept == NULL ? NULL : kept->path;
	if (result->outcome != ACT_DONE)
		return 0;
	if (lists_files)
		write_line(action == ACTION_REPORT ? "give up" : action_name(action),
			   act->file->path, result->to);
	acting->acts++;
	acting->saved_bytes += result->saved_bytes;
	return lists_folders(acting) ? removable_add(&acting->removable, act->file->path,
						     result->saved_bytes, error)
				     : 0;
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
			if (tell_result(acting, actor->options.action, &plan->acts[at + i],
					&results[i], &shown, error) != 0)
				status = -1;
			free(results[i].to);
		}
	}
	return status;
}

static int carry_out(struct acting *acting, const struct plan *plan, const char *host,
		     struct simhash_error *error)
{
	const struct keep_arguments *arguments = acting->arguments;
	struct journal journal = {.stream = NULL};
	struct act_options options = {.action = acting->policy.action,
				      .move_to = acting->move_to,
				      .protected = acting->policy.protected,
				      .protected_count = acting->policy.protected_count,
				      .journal = arguments->yes ? &journal : NULL,
				      .is_acting = &acts_are_under_way};
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

int acting_open_script(struct acting *acting, const struct store *store,
		       struct simhash_error *error)
{
	const char *path = acting->arguments->script_path;

	if (path == NULL)
		return 0;
	if (output_open(&acting->script, path, 0700, store, error) != 0)
		return -1;
	acting->script_is_output = acting->script.stream == stdout;
	return 0;
}

static int write_script(struct acting *acting, struct keep_file *files, size_t count,
			const char *host, struct simhash_error *error)
{
	const struct script_request request = {.policy = &acting->policy,
					       .host = host,
					       .host_is_given = acting->arguments->index.host !=
								NULL,
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

/* What is said in the end. */
static int conclude(struct acting *acting, const struct plan *plan, struct simhash_error *error)
{
	if (lists_folders(acting) && lists(acting))
		write_folders(acting, plan);
	if (finish_output(error) != 0)
		return -1;
	if (lists_folders(acting))
		advise(acting);
	else
		summarize(acting, plan);
	return 0;
}

int acting_plan(struct acting *acting, struct keep_file *files, size_t count, const char *host,
		struct simhash_error *error)
{
	struct plan plan;
	bool has_script = acting->script.stream != NULL;
	int status;

	if (plan_make(files, count, &acting->policy, &plan, error) != 0)
		return -1;
	tell_plan(acting, &plan);
	status = carry_out(acting, &plan, host, error);
	if (status == 0 && has_script)
		status = write_script(acting, files, count, host, error);
	if (status == 0)
		status = conclude(acting, &plan, error);
	plan_release(&plan);
	return status;
}

int acting_carry_out(struct acting *acting, const struct plan *plan, const char *host,
		     struct simhash_error *error)
{
	return carry_out(acting, plan, host, error) != 0 ? -1 : conclude(acting, plan, error);
}
