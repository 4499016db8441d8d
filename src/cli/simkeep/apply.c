/*
 * Implements simkeep --decisions: reads the decisions of a report, or the commands of a script, and
 * carries them out.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/read_file.h"
#include "cli/simkeep/acting.h"
#include "cli/simkeep/keep_tasks.h"
#include "cli/simkeep/plan_script.h"
#include "cli/terminal/terminal.h"
#include "keep/commands.h"
#include "keep/decisions.h"

#define PROGRAM "simkeep"
/* The maximum size of decisions, or of the commands of a script. */
#define DECISIONS_MAX ((size_t)2 << 30)

/* ---- Decisions ---- */

/*
 * Checks that are only possible after the file of --decisions was read: it may be a script with its
 * own actions.
 */
static int check_action(const struct keep_arguments *arguments, struct simhash_error *error)
{
	if (!arguments->yes || arguments->policy.action != ACTION_REPORT)
		return 0;
	return error_set(error, SIMHASH_E_SYNTAX,
			 "--yes needs --action=hardlink, reflink, delete or move:DIR");
}

static int act_on_decisions(struct acting *acting, struct bytes text, const char *host,
			    struct simhash_error *error)
{
	struct decisions decisions;
	int status;

	if (check_action(acting->arguments, error) != 0 ||
	    decisions_read(text, acting->arguments->decisions_path, host, &decisions, error) != 0)
		return -1;
	status = acting_open_script(acting, NULL, error);
	for (size_t i = 0; i < decisions.elsewhere_count; i++)
		acting_leave(acting, decisions.elsewhere[i].data, "it is on another host");
	if (status == 0)
		status = acting_plan(acting, decisions.files, decisions.count, host, error);
	decisions_release(&decisions);
	return status;
}

/* ---- The commands of a script ---- */

static int check_commands(const struct acting *acting, const struct commands *commands,
			  const char *host, struct simhash_error *error)
{
	const struct keep_arguments *arguments = acting->arguments;

	if (arguments->has_action || arguments->script_path != NULL)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--%s cannot be combined with the commands of a script",
				 arguments->has_action ? "action" : "action=script:FILE");
	if (strcmp(commands->host, host) != 0)
		return error_set(error, SIMHASH_E_RANGE,
				 "%s: expected commands for this host, %s; they are for host %s",
				 arguments->decisions_path, host, commands->host);
	return 0;
}

/* The action of all commands, or ACTION_REPORT if they differ. */
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
	acting->is_script = true;
	acting->trees = commands->emptied;
	acting->tree_count = commands->emptied_count;
	acting->merges_trees = commands->emptied_count > 0; /* only such scripts name directories */
	acting->policy.action = common_action(commands);
	status = acting_carry_out(acting, &plan, host, error);
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
	say_path(PROGRAM, bytes_of(acting->arguments->decisions_path), text);
}

static int act_on_commands(struct acting *acting, struct bytes text, const char *host,
			   struct simhash_error *error)
{
	const struct keep_arguments *arguments = acting->arguments;
	struct commands commands;
	int status;

	if (commands_read(text, arguments->decisions_path, &commands, error) != 0)
		return -1;
	if (arguments->index.host == NULL && commands.host_is_given)
		host = commands.host;
	status = check_commands(acting, &commands, host, error);
	for (size_t i = 0; status == 0 && i < commands.protected_count; i++)
		status = acting_protect(acting, commands.protected[i].data, error);
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

int apply_decisions(struct acting *acting, const char *host, struct simhash_error *error)
{
	struct bytes text;
	char *bytes = NULL;
	int status;

	if (read_file(acting->arguments->decisions_path, DECISIONS_MAX, &bytes, &text.size,
		      error) != 0)
		return -1;
	text.data = bytes;
	status = commands_are_in(text) ? act_on_commands(acting, text, host, error)
				       : act_on_decisions(acting, text, host, error);
	free(bytes);
	return status;
}
