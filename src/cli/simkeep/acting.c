/*
 * Plans acts, carries them out in batches, and reports the results.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/acting.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/acting/act.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/escape.h"
#include "base/text/shell_word.h"
#include "cli/simkeep/far_moves.h"
#include "cli/simkeep/plan_script.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal.h"
#include "report/lists/listing.h"

#define PROGRAM "simkeep"

/* ---- Directories ---- */

static bool leads_into_archive(const char *path)
{
	struct stat status;

	return is_inside_path(bytes_of(path)) ||
	       (stat(path, &status) == 0 && !S_ISDIR(status.st_mode));
}

static int resolve_rules(struct acting *acting, struct simhash_error *error)
{
	for (size_t i = 0; i < acting->policy.rule_count; i++) {
		struct keep_rule *rule = &acting->policy.rules[i];
		if (rule->order != KEEP_IN && rule->order != KEEP_NOT_IN)
			continue;
		/*
		 * The index has paths in this form. A directory that does not exist would never
		 * match, so it is an error.
		 */
		acting->rule_texts[i] = realpath(rule->text, NULL);
		if (acting->rule_texts[i] == NULL)
			acting->rule_texts[i] = path_in_archive(rule->text);
		if (acting->rule_texts[i] == NULL)
			return error_set_errno(error, "--keep=%s:%s",
					       rule->order == KEEP_IN ? "in" : "not-in",
					       rule->text);
		rule->text = acting->rule_texts[i];
		if (rule->order == KEEP_IN && !acting->arguments->count_archives &&
		    leads_into_archive(rule->text))
			return error_set(error, SIMHASH_E_RANGE,
					 "--keep=in:%s: members of archives are kept only with "
					 "--count-archives",
					 rule->text);
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
	*acting = (struct acting){.arguments = arguments,
				  .policy = arguments->policy,
				  .trees = arguments->operands.below,
				  .tree_count = arguments->operands.below_count,
				  .merges_trees = arguments->into != NULL,
				  .lines.how = presentation_of(stdout, &formatter_text)};
	if (resolve_rules(acting, error) != 0 || resolve_protected(acting, error) != 0)
		return -1;
	if (arguments->move_to == NULL)
		return 0;
	acting->move_to = realpath(arguments->move_to, NULL);
	return acting->move_to != NULL
		       ? 0
		       : error_set_errno(error,
					 "--action=move:%s: expected a directory that exists; make "
					 "it first",
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
	tool_trees_release(&acting->tools);
	index_update_release(&acting->update);
	staying_release(&acting->staying);
	output_release(&acting->script);
	act_lines_release(&acting->lines);
}

/* ---- Messages ---- */

static bool has_decisions(const struct acting *acting)
{
	return acting->arguments->decisions_path != NULL || acting->arguments->reviews;
}

bool acting_lists_folders(const struct acting *acting)
{
	return acting->policy.rule_count == 0 && !has_decisions(acting) &&
	       acting->arguments->into == NULL && !acting->arguments->heal;
}

void acting_leave(struct acting *acting, const char *path, const char *why)
{
	char *text = NULL;

	acting->left++;
	if (acting_lists_folders(acting)) {
		removable_leave(&acting->removable, path, why);
		return;
	}
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

/* Does standard output get a list? If the script is written there, the script replaces the list. */
static bool lists(const struct acting *acting)
{
	return !acting->script_is_output && !acting->arguments->quiet;
}

static bool lists_files_of(const struct acting *acting)
{
	return lists(acting) && !acting_lists_folders(acting) && acting->changes == NULL;
}

static void write_left(FILE *out, const struct acting *acting, const struct plan *plan)
{
	char count[32];

	if (acting->folders > 0)
		fprintf(out, "; %s %s empty folder%s",
			acting->arguments->yes ? "removed" : "would remove",
			format_count(acting->folders, count), acting->folders == 1 ? "" : "s");
	if (plan->protected_count > 0)
		fprintf(out, "; %s protected", format_count(plan->protected_count, count));
	if (acting->shared > 0)
		fprintf(out, "; %s already shared", format_count(acting->shared, count));
	if (acting->left > 0)
		fprintf(out, "; left %s alone", format_count(acting->left, count));
	staying_write(out, &acting->staying);
}

/* Write "deleted 3 files and freed 1.2 MB". */
static void write_acts(FILE *out, const struct acting *acting)
{
	static const char *const dry[] = {"would remove", "would replace", "would deduplicate",
					  "would delete", "would move"};
	static const char *const done[] = {"removed", "replaced", "deduplicated", "deleted",
					   "moved"};
	static const char *const ways[] = {"", " by hard links", " by reflinks", "", ""};
	enum keep_action action = acting->policy.action;
	uint64_t acts = acting->acts - (action == ACTION_MOVE ? 0 : acting->moves);
	bool does = acting->arguments->yes;
	char count[32], bytes[32];
	bool is_mixed = acting->moves > 0 && action != ACTION_MOVE;

	if (is_mixed)
		fprintf(out, "%s %s file%s, ", does ? "moved" : "would move",
			format_count(acting->moves, count), acting->moves == 1 ? "" : "s");
	fprintf(out, "%s %s file%s%s",
		(does ? done : dry)[action] + (is_mixed && !does ? strlen("would ") : 0),
		format_count(acts, count), acts == 1 ? "" : "s", ways[action]);
	if (action != ACTION_MOVE)
		fprintf(out, " and %s %s", does ? "freed" : "free",
			format_bytes((double)acting->saved_bytes, bytes));
}

static void write_value(FILE *out, const char *value, const char *if_unprintable)
{
	if (needs_encoding(bytes_of(value)))
		fputs(if_unprintable, out);
	else
		write_command_word(out, bytes_of(value));
}

static void summarize(const struct acting *acting, const struct plan *plan)
{
	const struct keep_arguments *arguments = acting->arguments;

	if (arguments->quiet)
		return;
	if (acting->lines.how.has_marks && acting->acts > 0)
		fputc('\n', stderr);
	if (acting->changes != NULL)
		changes_write_totals(stderr, acting->changes, arguments->yes, acting->saved_bytes);
	else
		write_acts(stderr, acting);
	write_left(stderr, acting, plan);
	if (!arguments->yes) {
		fputs("; nothing has been changed\n", stderr);
		return;
	}
	fputs("; to undo: simkeep --undo=", stderr);
	write_value(stderr, arguments->journal_path, "FILE");
	if (arguments->index.location.url != NULL) {
		fputs(" --database=", stderr); /* undoing also updates the index */
		write_value(stderr, arguments->index.location.url, "URL");
	}
	fputc('\n', stderr);
	if (acting->acts > 0 && acting->policy.action != ACTION_REFLINK && !acting->is_updated)
		say_how_to_update(&acting->covered);
}

/* Write the number of copies that are not in the list of folders. */
static void write_others(const struct acting *acting, const struct plan *plan)
{
	char count[32];

	if (acting->left > 0)
		printf(" %s cannot be removed.", format_count(acting->left, count));
	if (plan->protected_count > 0)
		printf(" %s %s protected.", format_count(plan->protected_count, count),
		       plan->protected_count == 1 ? "is" : "are");
	putchar('\n');
}

static int write_folders(struct acting *acting, const struct plan *plan,
			 struct simhash_error *error)
{
	const struct removable_view view = {.out = stdout,
					    .columns = acting->lines.how.columns,
					    .has_colours = acting->lines.how.has_colours};
	char count[32], bytes[32];

	if (removable_add_up(&acting->removable, error) != 0)
		return -1;
	/* If no FILE could be read, the messages say so. */
	if (acting->unreadable > 0 && acting->unreadable == acting->arguments->operands.query_count)
		return 0;
	if (acting->acts == 0)
		fputs(acting->arguments->operands.below_count > 0
			      ? "No copies can be removed; copies elsewhere count only if you name "
				"their folders too."
			      : "No copies can be removed.",
		      stdout);
	else
		printf("%s file%s; removing %s would free %s.", format_count(acting->acts, count),
		       acting->acts == 1 ? " is a copy" : "s are copies",
		       acting->acts == 1 ? "it" : "them",
		       format_bytes((double)acting->saved_bytes, bytes));
	write_others(acting, plan);
	if (acting->acts > 0 && acting->lines.how.has_marks && acting->script.stream == NULL)
		fputs("The oldest of identical files is kept.\n\n", stdout);
	removable_write(&acting->removable, &view);
	return 0;
}

/* ---- Acting ---- */

static int tell_result(struct acting *acting, const struct planned_act *act,
		       const struct act_result *result, const char **shown,
		       struct simhash_error *error)
{
	bool lists_files = lists_files_of(acting);
	const struct keep_file *kept = result->outcome == ACT_KEPT ? act->file : result->kept;

	if (!has_decisions(acting) && acting->changes == NULL && result->outcome != ACT_PENDING &&
	    staying_settle(&acting->staying, act->file->path, error) != 0)
		return -1;
	if (result->outcome == ACT_LEFT && acting->changes != NULL)
		changes_stay(acting->changes, act->file);
	acting->shared += result->outcome == ACT_SHARED;
	if (result->outcome == ACT_LEFT)
		acting_leave(acting, act->file->path, result->why.message);
	if (result->outcome != ACT_DONE && result->outcome != ACT_KEPT)
		return 0;
	if (lists_files && kept != NULL && (*shown == NULL || strcmp(kept->path, *shown) != 0))
		act_line_write(&acting->lines, "keep", kept,
			       act->action == ACTION_DELETE ? act->to : NULL, true);
	*shown = kept == NULL ? NULL : kept->path;
	if (result->outcome != ACT_DONE)
		return 0;
	if (result->to != NULL)
		far_moves_say_lost(result->to, result->lost);
	if (acting->changes != NULL)
		changes_done(acting->changes, act);
	if (lists_files)
		act_line_write(&acting->lines,
			       act->action == ACTION_REPORT ? "remove" : action_name(act->action),
			       act->file, result->to, false);
	acting->acts++;
	acting->moves += act->action == ACTION_MOVE;
	acting->saved_bytes += result->saved_bytes;
	if (acting->arguments->yes &&
	    index_update_note_act(&acting->update, act, result, error) != 0)
		return -1;
	return !acting_lists_folders(acting) || kept == NULL
		       ? 0
		       : removable_add(&acting->removable, act->file->path, kept->path,
				       result->saved_bytes, error);
}

static int act_on_plan(struct acting *acting, const struct plan *plan, struct actor *actor,
		       struct simhash_error *error)
{
	const char *shown = NULL;
	struct act_result results[ACT_BATCH];
	int status = 0;
	size_t count;

	if (lists_files_of(acting))
		act_lines_begin(&acting->lines, plan, acting->policy.action == ACTION_MOVE);
	for (size_t at = 0; status == 0 && at < plan->count; at += count) {
		count = plan->count - at < ACT_BATCH ? plan->count - at : ACT_BATCH;
		status = actor_act(actor, plan->acts + at, count, results, error);
		for (size_t i = 0; i < count; i++) {
			if (tell_result(acting, &plan->acts[at + i], &results[i], &shown, error) !=
			    0)
				status = -1;
			free(results[i].to);
		}
	}
	return status;
}

static void folder_removed(void *context, const char *path)
{
	struct acting *acting = context;

	acting->folders++;
	if (acting->arguments->yes)
		index_update_note_folder(&acting->update, path);
	if (lists(acting) && acting->changes == NULL && !acting->lines.how.has_marks) {
		printf("%-9s ", action_name(ACTION_RMDIR));
		write_escaped(stdout, bytes_of(path));
		putchar('\n');
	}
}

int acting_do(struct acting *acting, const struct plan *plan, const char *host,
	      struct simhash_error *error)
{
	const struct keep_arguments *arguments = acting->arguments;
	struct journal journal = {.stream = NULL};
	struct far_moves far;
	struct act_options options = {.move_to = acting->move_to,
				      .protected = acting->policy.protected,
				      .protected_count = acting->policy.protected_count,
				      .trees = acting->trees,
				      .tree_count = acting->tree_count,
				      .journal = arguments->yes ? &journal : NULL,
				      .plan = plan,
				      .deletes_read_only = acting->merges_trees,
				      .far_bytes = &far.bytes,
				      .is_acting = &acts_are_under_way};
	struct actor actor;
	struct simhash_error closing;
	int status;

	if (far_moves_begin(&far, plan, arguments, acting->move_to, error) != 0)
		return -1;
	if (actor_init(&actor, &options, error) != 0) {
		far_moves_end(&far);
		return -1;
	}
	status = arguments->yes ? journal_create(&journal, arguments->journal_path, host, error)
				: 0;
	if (status == 0)
		status = act_on_plan(acting, plan, &actor, error);
	far_moves_end(&far);
	if (status == 0)
		status = actor_remove_emptied(&actor, folder_removed, acting, error);
	if (journal_close(&journal, &closing) != 0 && status == 0) {
		*error = closing;
		status = -1;
	}
	actor_release(&actor);
	/* Also after a failure: the acts until then are done. */
	acting->is_updated = arguments->yes &&
			     index_update_run(&acting->update, &arguments->index, host);
	if (status == 0 && !has_decisions(acting) && acting->changes == NULL && !arguments->quiet)
		staying_count(&acting->staying, &acting->policy, arguments, host);
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

int acting_conclude(struct acting *acting, const struct plan *plan, struct simhash_error *error)
{
	if (acting_lists_folders(acting) && lists(acting) &&
	    write_folders(acting, plan, error) != 0)
		return -1;
	if (finish_output(error) != 0)
		return -1;
	if (acting_lists_folders(acting))
		removable_say_left(&acting->removable);
	else
		summarize(acting, plan);
	if (acting->acts > 0 && !acting->is_script)
		next_step_say(acting->arguments, acting_lists_folders(acting));
	return 0;
}

int acting_plan(struct acting *acting, struct keep_file *files, size_t count, const char *host,
		struct simhash_error *error)
{
	struct plan plan;
	bool has_script = acting->script.stream != NULL;
	struct keep_policy policy = acting->policy;
	int status;

	/* The folders are listed for the command that is suggested, or for the script. */
	if (acting_lists_folders(acting) && !has_script)
		policy.rules[policy.rule_count++].order = KEEP_OLDEST;
	if (plan_make(files, count, &policy, &plan, error) != 0)
		return -1;
	tell_plan(acting, &plan);
	status = acting_do(acting, &plan, host, error);
	if (status == 0 && has_script)
		status = write_script(acting, files, count, host, error);
	if (status == 0)
		status = acting_conclude(acting, &plan, error);
	plan_release(&plan);
	return status;
}

int acting_carry_out(struct acting *acting, const struct plan *plan, const char *host,
		     struct simhash_error *error)
{
	return acting_do(acting, plan, host, error) != 0 ? -1
							 : acting_conclude(acting, plan, error);
}
