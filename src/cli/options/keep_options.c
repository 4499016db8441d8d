/*
 * Defines the table of simkeep's options, parses their values, and checks conflicts that the table
 * cannot describe.
 * SPDX-License-Identifier: MIT
 */
#include "cli/options/keep_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"

void keep_arguments_init(struct keep_arguments *arguments)
{
	/*
	 * Users who only read have the group [simfind] of an option file, so simkeep uses that
	 * group.
	 */
	*arguments = (struct keep_arguments){
		.index = {.location = {.group = "simfind"}},
		.resources = {.threads = processors(), .memory_bytes = FIND_MEMORY_DEFAULT}};
	exclusions_init(&arguments->exclusions);
}

void keep_arguments_release(struct keep_arguments *arguments)
{
	operands_release(&arguments->operands);
	exclusions_release(&arguments->exclusions);
	free(arguments->protected);
}

/* ---- Values ---- */

static int add_keep_rule(const struct option_use *use, struct simhash_error *error)
{
	struct keep_policy *policy = use->field;

	if (policy->rule_count == KEEP_RULES_MAX)
		return error_set(error, SIMHASH_E_RANGE, "--keep: expected at most %d rules",
				 KEEP_RULES_MAX);
	return keep_rule_parse(use->text, &policy->rules[policy->rule_count++], error);
}

#define SCRIPT "script:"
#define MERGE "merge:"

/*
 * The words of --action are in the order of enum keep_action. "script:FILE" does not replace
 * another action: the script performs that action.
 */
static int set_action(const struct option_use *use, struct simhash_error *error)
{
	struct keep_arguments *arguments = use->arguments;
	const char *const *words = use->row->words;

	if (strncmp(use->text, SCRIPT, strlen(SCRIPT)) == 0 && use->text[strlen(SCRIPT)] != '\0') {
		arguments->script_path = use->text + strlen(SCRIPT);
		return 0;
	}
	arguments->has_action = true;
	arguments->merge_to = NULL;
	arguments->policy.action = ACTION_REPORT;
	if (strncmp(use->text, MERGE, strlen(MERGE)) == 0 && use->text[strlen(MERGE)] != '\0') {
		arguments->merge_to = use->text + strlen(MERGE);
		return 0;
	}
	for (int i = 0; i < ACTION_MOVE; i++)
		if (strcmp(use->text, words[i]) == 0) {
			arguments->policy.action = (enum keep_action)i;
			return 0;
		}
	if (strncmp(use->text, words[ACTION_MOVE], strlen(words[ACTION_MOVE])) != 0 ||
	    use->text[strlen(words[ACTION_MOVE])] == '\0')
		return error_set(error, SIMHASH_E_RANGE,
				 "--action '%s': expected report, hardlink, reflink, delete, "
				 "move:DIR, merge:DIR or script:FILE",
				 use->text);
	arguments->policy.action = ACTION_MOVE;
	arguments->move_to = use->text + strlen(words[ACTION_MOVE]);
	return 0;
}

static int add_protected(const struct option_use *use, struct simhash_error *error)
{
	struct keep_arguments *arguments = use->arguments;

	if (array_reserve(&arguments->protected, &arguments->protected_capacity,
			  arguments->protected_count + 1, sizeof *arguments->protected, error) != 0)
		return -1;
	arguments->protected[arguments->protected_count++] = use->text;
	return 0;
}

static int show_features(const struct option_use *use, struct simhash_error *error)
{
	int status = show_version(use, error);

#ifdef SIMHASH_HAVE_CURSES
	puts("review: built in");
#else
	puts("review: none (built without ncurses)");
#endif
	return status;
}

/* ---- The table ---- */

static const char *const keep_words[] = {"oldest", "newest",  "shortest-path", "longest-name",
					 "in:",	   "not-in:", "match:",	       NULL};
static const char *const action_words[] = {"report", "hardlink", "reflink", "delete",
					   "move:",  MERGE,	 SCRIPT,    NULL};

#define FIELD(member) OPTION_FIELD(struct keep_arguments, member)

static const struct option_row rows[] = {
	{.heading = "Which files stay"},
	{0, "keep", "=RULE",
	 "keep the oldest, newest, shortest-path, longest-name, in:DIR, not-in:DIR or match:GLOB; "
	 "act on the other identical files; if RULE does not decide, the next --keep "
	 "does",
	 .parse = add_keep_rule, .field = FIELD(policy), .kind = VALUE_START, .words = keep_words,
	 .is_list = true, .is_common = true},
	{0, "decisions", "=FILE",
	 "act on the decisions of a page, or on a script; - is standard input", .parse = set_text,
	 .field = FIELD(decisions_path), .kind = VALUE_FILE, .not_with = "keep count-archives into",
	 .is_common = true},
	{0, "review", NULL,
	 "decide in a full-screen program which files stay; the decisions "
	 "are saved in the FILE of --decisions",
	 .parse = set_flag, .field = FIELD(reviews), .not_with = "keep count-archives into FILE",
	 .is_common = true},
	{0, "count-archives", NULL,
	 "a member of an archive can be the file that stays; it is read again before a copy is "
	 "removed",
	 .parse = set_flag, .field = FIELD(count_archives)},
	{0, "protect", "=DIR", "change nothing in DIR; can be given several times",
	 .parse = add_protected, .kind = VALUE_FILE, .is_list = true, .is_common = true},

	{.heading = "Which copies"},
	{0, "ext", "=LIST", "only files with these extensions, such as txt,md",
	 .parse = add_extensions, .field = FIELD(exclusions), .kind = VALUE_TEXT, .is_list = true,
	 .is_common = true},
	{0, "exclude", "=GLOB",
	 "leave out files that match GLOB, as in .gitignore; @FILE reads a GLOB from each line of "
	 "FILE; can be given several times",
	 .parse = add_exclude, .field = FIELD(exclusions), .kind = VALUE_LIST, .is_list = true,
	 .is_common = true},
	{0, "min-size", "=SIZE", "act only on files of at least SIZE, such as 5M",
	 .parse = set_size, .field = FIELD(exclusions.min_size_bytes), .kind = VALUE_TEXT,
	 .is_common = true},
	{0, "max-size", "=SIZE", "act only on files of at most SIZE", .parse = set_size,
	 .field = FIELD(exclusions.max_size_bytes), .kind = VALUE_TEXT},

	{.heading = "What is done to the others"},
	{0, "action", "=ACTION",
	 "report the other files (default), hardlink, reflink or delete them, or move:DIR; "
	 "merge:DIR moves all files to DIR that have no copy there, and deletes the others; "
	 "script:FILE writes a shell script that does this after you edit it; - is standard output",
	 .parse = set_action, .field = FIELD(policy.action), .kind = VALUE_START,
	 .words = action_words, .is_list = true, .is_common = true},
	{0, "into", "=DEST",
	 "make one tree of all DIRs, with each content once; their files move to DEST; "
	 "--action=delete also deletes the other copies",
	 .parse = set_text, .field = FIELD(into), .kind = VALUE_FILE, .is_common = true},
	{0, "heal", NULL, "replace damaged files with intact copies", .parse = set_flag,
	 .field = FIELD(heal),
	 .only_with = "count-archives protect ext exclude min-size max-size yes journal database "
		      "host quiet FILE DIR"},
	{0, "yes", NULL, "do it (without --yes, show what would be done)", .parse = set_flag,
	 .field = FIELD(yes), .is_common = true},
	{0, "journal", "=FILE", "record every act in the new FILE, for --undo", .parse = set_text,
	 .field = FIELD(journal_path), .kind = VALUE_FILE, .needs = "yes", .is_common = true},
	{0, "undo", "=FILE",
	 "restore the files of the journal FILE; without --yes, show what would be restored",
	 .parse = set_text, .field = FIELD(undo_path), .kind = VALUE_FILE,
	 .only_with = "database host yes quiet", .is_common = true},

	{.heading = "Which index"},
	{'d', "database", "=URL",
	 "use this index: sqlite:FILE or mysql://USER@HOST/DATABASE (default: as for simhash)",
	 .parse = set_text, .field = FIELD(index.location.url), .kind = VALUE_DATABASE,
	 .is_common = true},
	{0, "host", "=NAME", "treat the files of host NAME as files of this host",
	 .parse = set_text, .field = FIELD(index.host), .kind = VALUE_TEXT},

	{.heading = "Output"},
	{'q', "quiet", NULL, "show only errors; no list and no summary", .parse = set_flag,
	 .field = FIELD(quiet), .is_common = true},
	{'h', "help", NULL, "show all options; -h shows the most common ones", .parse = show_help},
	{'V', "version", NULL, "show the version", .parse = show_features},
};

const struct option_program keep_program = {
	.name = "simkeep",
	.usage = "Usage: simkeep [OPTION]... [FILE|DIR]...\n"
		 "       simkeep --decisions=FILE | --review | --undo=FILE\n",
	.about = "Show which copies can be removed, folder by folder. With --keep or --decisions, "
		 "act on copies. Nothing is changed without --yes. With FILEs, act only on these "
		 "files and their copies; with DIRs, only on files at or below these directories.",
	.statuses = "0 success, 1 failure, 2 some files could not be read or were left alone",
	.operand = "FILE",
	.directory = "DIR",
	.operand_list = "",
	.help_column = 27,
	.rows = rows,
	.count = sizeof rows / sizeof *rows,
};

/* ---- Conflicts that no row can describe ---- */

static int check_acting(const struct keep_arguments *arguments, struct simhash_error *error)
{
	bool is_tree = arguments->into != NULL || arguments->merge_to != NULL;
	bool acts = arguments->decisions_path != NULL || arguments->policy.rule_count > 0 ||
		    arguments->reviews || arguments->heal || is_tree;
	bool undoes = arguments->undo_path != NULL;

	if (!acts && (arguments->has_action || (arguments->yes && !undoes)))
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--%s needs --keep, --review or --decisions%s",
				 arguments->has_action ? "action" : "yes",
				 arguments->has_action ? "" : ", or --undo");
	if ((arguments->policy.rule_count > 0 || arguments->reviews) && arguments->yes &&
	    !is_tree && arguments->policy.action == ACTION_REPORT)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--yes needs --action=hardlink, reflink, delete or move:DIR");
	if (acts && arguments->yes && arguments->journal_path == NULL)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--yes needs --journal=FILE, from which --undo restores");
	return 0;
}

static int check_script(const struct keep_arguments *arguments, struct simhash_error *error)
{
	if (arguments->script_path == NULL)
		return 0;
	if (arguments->yes)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--action=script:FILE cannot be combined with --yes");
	if (arguments->count_archives)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--action=script:FILE cannot be combined with --count-archives");
	if (arguments->policy.action == ACTION_MOVE)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--action=script:FILE cannot be combined with --action=move:DIR; "
				 "expected report, hardlink, reflink or delete");
	return 0;
}

static int check_archives(const struct keep_arguments *arguments, struct simhash_error *error)
{
	enum keep_action action = arguments->policy.action;

	if (!arguments->count_archives || (action != ACTION_HARDLINK && action != ACTION_REFLINK))
		return 0;
	return error_set(error, SIMHASH_E_SYNTAX,
			 "--count-archives needs --action=delete or move:DIR; a file cannot become "
			 "a link to a member of an archive");
}

/* One tree from many needs directories. */
static int check_tree(const struct keep_arguments *arguments, struct simhash_error *error)
{
	const char *name = arguments->into != NULL ? "into" : "action=merge:DIR";
	enum keep_action action = arguments->policy.action;

	if (arguments->into == NULL && arguments->merge_to == NULL)
		return 0;
	if (arguments->into != NULL && arguments->merge_to != NULL)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--into cannot be combined with --action=merge:DIR");
	if (arguments->decisions_path != NULL || arguments->reviews || arguments->count_archives)
		return error_set(error, SIMHASH_E_SYNTAX, "--%s cannot be combined with --%s", name,
				 arguments->count_archives ? "count-archives"
				 : arguments->reviews	   ? "review"
							   : "decisions");
	if (action != ACTION_REPORT && action != ACTION_DELETE)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--into can only be combined with --action=delete and "
				 "--action=script:FILE");
	if (arguments->operands.has_files || arguments->operands.below_count == 0)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--%s needs the directories whose files move, and no FILE", name);
	return 0;
}

/* Decisions name their files, so nothing can limit them; a review shows files of the index. */
static int check_decisions(const struct keep_arguments *arguments, struct simhash_error *error)
{
	const struct exclusions *exclusions = &arguments->exclusions;
	const char *refused = arguments->index.location.url != NULL    ? "--database"
			      : exclusions->extensions.count > 0       ? "--ext"
			      : exclusions->rules.count > 0	       ? "--exclude"
			      : exclusions->min_size_bytes > 0	       ? "--min-size"
			      : exclusions->max_size_bytes < INT64_MAX ? "--max-size"
			      : arguments->operands.has_files	       ? "a FILE"
			      : arguments->operands.below_count > 0    ? "a DIR"
								       : NULL;

	if (arguments->decisions_path == NULL)
		return 0;
	if (arguments->reviews && strcmp(arguments->decisions_path, "-") == 0)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--decisions=-: --review saves decisions, so it needs a file");
	return arguments->reviews || refused == NULL
		       ? 0
		       : error_set(error, SIMHASH_E_SYNTAX,
				   "--decisions cannot be combined with %s", refused);
}

static int check(const struct keep_arguments *arguments, struct simhash_error *error)
{
	if (check_decisions(arguments, error) != 0 || check_script(arguments, error) != 0 ||
	    check_acting(arguments, error) != 0 || check_archives(arguments, error) != 0 ||
	    check_tree(arguments, error) != 0)
		return -1;
	if (arguments->exclusions.min_size_bytes > arguments->exclusions.max_size_bytes)
		return error_set(error, SIMHASH_E_RANGE, "--min-size is larger than --max-size");
	if (operands_have_stdin(&arguments->operands))
		return error_set(error, SIMHASH_E_SYNTAX,
				 "FILE -: standard input has no copies that can be removed; "
				 "expected the name of a file");
	return 0;
}

int keep_arguments_parse(struct keep_arguments *arguments, int argc, char **argv,
			 struct simhash_error *error)
{
	int first, status = options_parse(&keep_program, argc, argv, arguments, &first, error);

	arguments->words = argv;
	arguments->word_count = argc;
	if (status != 0)
		return status;
	if (operands_take(&arguments->operands, argc - first, argv + first, error) != 0 ||
	    check(arguments, error) != 0)
		return -1;
	arguments->merges = arguments->merge_to != NULL;
	if (arguments->merges)
		arguments->into = arguments->merge_to;
	return 0;
}
