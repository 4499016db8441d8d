/*
 * Writes the script of a plan: finds for each copy the ways to free its space, and the file that
 * each way keeps.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/plan_script.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/text/escape.h"
#include "cli/terminal/terminal.h"
#include "report/lists/script.h"

/* ---- The plan ---- */

static const enum keep_action actions[SCRIPT_WAYS] = {ACTION_HARDLINK, ACTION_REFLINK,
						      ACTION_DELETE};

/* The file that each way keeps for a copy; NULL: this way is not possible. */
struct copy_ways {
	const struct keep_file *kept[SCRIPT_WAYS];
};

/* Ways that have the same plan, from `first` to `last`. */
static int add_plan(struct copy_ways *ways, struct keep_file *files, size_t count,
		    const struct keep_policy *given, enum script_way first, enum script_way last,
		    struct simhash_error *error)
{
	struct keep_policy policy = *given;
	struct plan plan;

	policy.action = actions[first];
	if (plan_make(files, count, &policy, &plan, error) != 0)
		return -1;
	for (size_t i = 0; i < plan.count; i++)
		for (unsigned way = first; way <= last; way++)
			ways[plan.acts[i].file - files].kept[way] = plan.acts[i].kept;
	plan_release(&plan);
	return 0;
}

static int plan_ways(struct copy_ways *ways, struct keep_file *files, size_t count,
		     const struct keep_policy *policy, struct simhash_error *error)
{
	for (unsigned way = 0; way < SCRIPT_WAYS; way++)
		if (actions[way] == policy->action)
			return add_plan(ways, files, count, policy, way, way, error);
	if (policy->protected_count == 0)
		return add_plan(ways, files, count, policy, SCRIPT_HARDLINK, SCRIPT_DELETE, error);
	/* Protected files get no hard links, so another file may be kept for hard links. */
	return add_plan(ways, files, count, policy, SCRIPT_HARDLINK, SCRIPT_HARDLINK, error) != 0
		       ? -1
		       : add_plan(ways, files, count, policy, SCRIPT_REFLINK, SCRIPT_DELETE, error);
}

/* ---- Writing ---- */

/* Would simkeep itself leave this copy alone? */
static int look(struct plan_script *script, const struct planned_act *act,
		struct simhash_error *why, struct simhash_error *error)
{
	struct act_result result;
	int status;

	why->message[0] = '\0';
	if (!script->looks)
		return 0;
	status = actor_act(&script->actor, act, 1, &result, error);
	*why = result.why;
	free(result.to);
	return status;
}

/* moved_to: the path to which an earlier command moves the kept file; or NULL. */
static void write_command(struct plan_script *script, enum script_way way,
			  const struct keep_file *copy, const struct keep_file *kept,
			  const char *moved_to)
{
	const struct script_command command = {.kept = moved_to != NULL ? moved_to : kept->path,
					       .moved = moved_to != NULL ? kept->path : NULL,
					       .copy = copy->path,
					       .size_bytes = copy->size_bytes,
					       .kept_mtime_ns = kept->mtime_ns,
					       .copy_mtime_ns = copy->mtime_ns};

	script_write_command(script->out, way, &command);
	script->commands++;
}

static int write_copy(struct plan_script *script, const struct keep_file *copy,
		      const struct copy_ways *ways, struct simhash_error *error)
{
	struct simhash_error why[SCRIPT_WAYS];
	unsigned commands = 0;

	for (unsigned way = 0; way < SCRIPT_WAYS; way++) {
		const struct planned_act act = {
			.file = copy, .kept = ways->kept[way], .action = actions[way]};
		if (act.kept == NULL)
			continue;
		if (look(script, &act, &why[way], error) != 0)
			return -1;
		commands += why[way].message[0] == '\0';
	}
	if (commands == 0)
		return 0; /* if files are checked, the plan has reported it */
	if (script->copies == 0 || script->last_size_bytes != copy->size_bytes ||
	    memcmp(script->last_hash, copy->hash, KEEP_HASH_SIZE) != 0)
		script_write_content(script->out, copy->size_bytes);
	for (unsigned way = 0; way < SCRIPT_WAYS; way++)
		if (ways->kept[way] != NULL && why[way].message[0] != '\0')
			script_write_refusal(script->out, way, why[way].message);
		else if (ways->kept[way] != NULL)
			write_command(script, way, copy, ways->kept[way], NULL);
	script->last_size_bytes = copy->size_bytes;
	memcpy(script->last_hash, copy->hash, KEEP_HASH_SIZE);
	script->copies++;
	return 0;
}

int plan_script_begin(struct plan_script *script, FILE *out, const struct script_request *request,
		      struct simhash_error *error)
{
	const struct keep_policy *policy = request->policy;
	const struct act_options options = {.protected = policy->protected,
					    .protected_count = policy->protected_count};
	const struct script_head head = {.host = request->host,
					 .host_is_given = request->host_is_given,
					 .protected = policy->protected,
					 .protected_count = policy->protected_count,
					 .emptied = request->emptied,
					 .emptied_count = request->emptied_count,
					 .moves = request->moves};

	*script = (struct plan_script){.out = out, .policy = policy, .moves = request->moves};
	if (request->looks && actor_init(&script->actor, &options, error) != 0)
		return -1;
	script->looks = request->looks;
	script_begin(out, &head);
	return 0;
}

int plan_script_add(struct plan_script *script, struct keep_file *files, size_t count,
		    struct simhash_error *error)
{
	struct copy_ways *ways = calloc(count + 1, sizeof *ways);
	int status;

	if (ways == NULL)
		return error_set_memory(error);
	status = plan_ways(ways, files, count, script->policy, error);
	for (size_t i = 0; status == 0 && i < count; i++)
		status = write_copy(script, &files[i], &ways[i], error);
	free(ways);
	return status;
}

void plan_script_add_act(struct plan_script *script, const struct planned_act *act)
{
	const struct script_move move = {.file = act->file->path,
					 .to = act->to,
					 .size_bytes = act->file->size_bytes,
					 .mtime_ns = act->file->mtime_ns};

	script->copies++;
	if (act->action != ACTION_MOVE) {
		write_command(script, SCRIPT_DELETE, act->file, act->kept, act->to);
		return;
	}
	script_write_move(script->out, &move);
	script->commands++;
}

void plan_script_end(struct plan_script *script)
{
	script_end(script->out, script->commands);
	if (script->looks)
		actor_release(&script->actor);
	script->looks = false;
}

int close_plan_script(struct output_file *file, const struct plan_script *script, bool quiet,
		      struct simhash_error *error)
{
	char text[32];

	if (output_close(file, error) != 0)
		return -1;
	if (quiet)
		return 0;
	write_escaped(stderr, bytes_of(file->name));
	if (script->moves)
		fprintf(stderr, ": a script for %s file%s; edit it before you run it\n",
			format_count(script->copies, text), script->copies == 1 ? "" : "s");
	else
		fprintf(stderr, ": a script for %s cop%s; edit it before you run it\n",
			format_count(script->copies, text), script->copies == 1 ? "y" : "ies");
	return 0;
}
