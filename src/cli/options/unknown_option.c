/*
 * Refuses options that a program does not have. For options of similar tools and of the other
 * programs, a table has the answer; for mistyped options, the nearest name is shown.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/text/shell_word.h"
#include "cli/options/option_table.h"

#define EVERY "simhash simfind simkeep"
#define USE "is unknown; use "
#define OF_KEEP "is an option of simkeep; try 'simkeep "

/*
 * Answers for options of jdupes, fdupes, rmlint, czkawka, ssdeep, tlsh, ripgrep and rsync, and for
 * options of the other programs. Names are in lists, separated by blanks. In an answer, {} is the
 * name, and {VALUE} is the given value, or VALUE if none was given.
 */
static const struct {
	const char *programs, *names, *answer;
} answers[] = {
	{EVERY, "recursive recurse r R", "is not needed; everything below a directory is included"},
	{"simhash", "dry-run n", "is unknown; simhash changes no file, only the index"},
	{"simfind", "dry-run n", "is not needed; simfind changes no file"},
	{"simkeep", "dry-run n", "is not needed; simkeep changes no file without --yes"},
	{EVERY, "verbose v", "is not needed; every message is shown unless --quiet is given"},
	{EVERY, "silent", USE "--quiet"},
	{"simhash simfind", "no-progress hideprogress", USE "--progress=never"},

	/* Which files */
	{EVERY, "extension extensions allowed-extensions type", USE "--ext={txt,md}"},
	{EVERY, "include glob g iglob",
	 USE "--ext={txt,md}, or --exclude=GLOB for the other files"},
	{EVERY, "excluded-directories exclude-dir ignore skip", USE "--exclude={GLOB}"},
	{EVERY, "exclude-from ignore-file", USE "--exclude=@{FILE}"},
	{EVERY, "minimal-file-size min-filesize size minsize", USE "--min-size={10k}"},
	{EVERY, "maximal-file-size max-filesize maxsize", USE "--max-size={5M}"},
	{"simhash simfind", "files-from", USE "--files0-from={FILE}, a list with zero bytes"},
	{"simhash", "no-hidden nohidden", USE "--exclude='.*'"},
	{"simhash", "hidden", "is not needed; hidden files are included"},
	{"simhash", "no-ignore u",
	 "is not needed; ignore files are followed only with --ignore-files"},
	{"simhash", "gitignore exclude-vcs", USE "--ignore-files"},
	{"simhash", "follow followlinks follow-links symlinks", USE "--dereference"},
	{"simhash", "max-depth maxdepth", "is unknown; --exclude=GLOB leaves directories out"},
	{"simhash", "md5 sha1 sha256", USE "--hash={}"},
	{EVERY, "db index", USE "--database={sqlite:FILE}"},
	{"simhash simfind", "jobs workers cores", USE "--threads={4}"},
	{"simkeep", "threads jobs j", "is not needed; simkeep uses all processors"},

	/* Output */
	{"simhash", "json", USE "--summary=json, or --status --format=json"},
	{"simhash", "csv html", "is an option of simfind; try 'simfind --format={}'"},
	{"simfind", "json jsonl csv html null dot", USE "--format={}"},
	{"simfind", "print0 zero zeromatch 0", USE "--format=null"},
	{"simfind", "output-format", USE "--format={csv}"},
	{"simfind", "file-to-save save", USE "--output={FILE}"},
	{"simfind", "colour", USE "--color={auto}"},
	{"simkeep", "json jsonl csv html format",
	 "is an option of simfind; try 'simfind --only=copies --format=json'"},
	{"simhash simfind", "print-summarize summarize stats m M",
	 "is not needed; the summary is on standard error, also as --summary=json"},
	{"simkeep", "print-summarize summarize stats m M summary",
	 "is not needed; a summary follows the list"},

	/* Similarity */
	{"simfind", "threshold similarity min-similarity", USE "--min-resemblance={75%}"},
	{"simfind", "duplicates dupes identical", USE "--only=copies"},
	{"simfind", "versions", "is not needed; the list has versions"},
	{"simfind", "empty hard-links", USE "--also={}"},
	{"simfind", "hardlinks", USE "--also=hard-links"},
	{"simfind", "lineage tree history", USE "--group=lineage"},
	{"simfind", "dirs folders merge-directories", USE "--directories"},
	{"simfind", "paranoid", USE "--verify=all"},
	{"simhash simkeep", "threshold similarity min-similarity",
	 "is unknown; try 'simfind --min-resemblance={75%}'"},

	/* Treatment of copies */
	{"simkeep", "delete noprompt delete-method D N", USE "--keep=oldest --action=delete"},
	{"simkeep", "hardlink hard-link linkhard link-dest L",
	 USE "--keep=oldest --action=hardlink"},
	{"simkeep", "reflink dedupe clone B", USE "--keep=oldest --action=reflink"},
	{"simkeep", "move", USE "--keep=oldest --action=move:{DIR}"},
	{"simkeep", "script", USE "--action=script:{FILE}"},
	{"simkeep", "apply", USE "--decisions={decisions.json}"},
	{"simkeep", "force f",
	 "is unknown; --yes carries out the plan, but leaves out no check of a file"},
	{"simhash simfind", "delete noprompt delete-method D N",
	 OF_KEEP "--keep=oldest --action=delete'"},
	{"simhash simfind", "hardlink hard-link linkhard link-dest",
	 OF_KEEP "--keep=oldest --action=hardlink'"},
	{"simhash simfind", "reflink dedupe clone B", OF_KEEP "--keep=oldest --action=reflink'"},
	{"simhash simfind", "move", OF_KEEP "--keep=oldest --action=move:{DIR}'"},
	{"simkeep", "merge consolidate", USE "--into={DEST}, or --action=merge:DEST"},
	{"simhash simfind", "into merge consolidate", OF_KEEP "--into={DEST} DIR'"},
	{"simhash simfind", "keep", OF_KEEP "--keep={oldest}'"},
	{"simhash simfind", "apply decisions", OF_KEEP "--decisions={decisions.json}'"},
	{"simhash simfind", "undo", OF_KEEP "--undo={journal}'"},
	{"simhash simfind", "script", OF_KEEP "--action=script:{FILE}'"},
	{"simhash simfind", "action", OF_KEEP "--keep=oldest --action={delete}'"},
	{"simhash simfind", "protect", OF_KEEP "--keep=oldest --protect={DIR}'"},
	{"simhash simfind", "journal",
	 OF_KEEP "--keep=oldest --action=delete --yes --journal={FILE}'"},
	{"simhash simfind", "yes", OF_KEEP "--keep=oldest --action=delete --journal=FILE --yes'"},

	/* Options of the other programs */
	{"simfind simkeep",
	 "status forget print init-database copy-to export import ignore-files one-file-system "
	 "dereference filter hash no-sketch pieces force wait-server",
	 "is an option of simhash; try 'simhash --help'"},
	{"simhash simkeep",
	 "group directories order compare between against known nearest verify min-resemblance "
	 "tolerance also only same-extension sort limit store fail-on-match output update color",
	 "is an option of simfind; try 'simfind --help'"},
};

/* ---- Answers ---- */

static const char *find_answer(const struct option_program *program, const char *name)
{
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
		if (option_is_listed(answers[i].programs, program->name, NULL) &&
		    option_is_listed(answers[i].names, name, NULL))
			return answers[i].answer;
	return NULL;
}

/* Is it a number such as 90, which similar tools take as a percentage? */
static bool is_percentage(const char *value)
{
	size_t digits = value == NULL ? 0 : strspn(value, "0123456789");

	return digits > 0 && value[digits] == '\0' && strtoul(value, NULL, 10) > 1 &&
	       strtoul(value, NULL, 10) <= 100;
}

static void write_answer(FILE *out, const char *answer, const char *name, const char *value)
{
	for (size_t size; *answer != '\0'; answer += size) {
		size = strcspn(answer, "{");
		fwrite(answer, 1, size, out);
		answer += size;
		if (*answer == '\0')
			return;
		size = strcspn(answer, "}") + 1;
		if (size == 2)
			fputs(name, out);
		else if (answer[size - 2] == '%' && is_percentage(value))
			fprintf(out, "%s%%", value);
		else if (value != NULL && value[0] != '\0')
			write_command_word(out, bytes_of(value));
		else
			fwrite(answer + 1, 1, size - 2, out);
	}
}

/* ---- The nearest name ---- */

#define NAME_MAX_SIZE 32

static size_t least(size_t x, size_t y)
{
	return x < y ? x : y;
}

/*
 * Return the number of letters that are wrong, missing, added or exchanged with the next letter.
 * Both names have fewer than NAME_MAX_SIZE letters.
 */
static size_t count_mistakes(const char *x, size_t x_size, const char *y, size_t y_size)
{
	size_t rows[3][NAME_MAX_SIZE] = {{0}};

	for (size_t k = 0; k <= y_size; k++)
		rows[0][k] = k;
	for (size_t i = 1; i <= x_size; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t k = 1; k <= y_size; k++) {
			row[k] = least(above[k - 1] + (x[i - 1] != y[k - 1]),
				       least(above[k], row[k - 1]) + 1);
			if (i > 1 && k > 1 && x[i - 1] == y[k - 2] && x[i - 2] == y[k - 1])
				row[k] = least(row[k], before[k - 2] + 1);
		}
	}
	return rows[x_size % 3][y_size];
}

/* Return the option whose name has the fewest mistakes, at most one in three letters; or NULL. */
static const char *find_nearest(const struct option_program *program, const char *name, size_t size)
{
	const char *nearest = NULL;
	size_t fewest = size / 3 + 1;

	for (size_t i = 0; size < NAME_MAX_SIZE && i < program->count; i++) {
		const struct option_row *row = &program->rows[i];
		size_t mistakes;
		if (row->name == NULL || option_is_part(row) || strlen(row->name) >= NAME_MAX_SIZE)
			continue;
		mistakes = count_mistakes(name, size, row->name, strlen(row->name));
		if (mistakes < fewest) {
			fewest = mistakes;
			nearest = row->name;
		}
	}
	return nearest;
}

/* ---- Refusals ---- */

static void write_refusal(FILE *out, const struct option_program *program, const char *name,
			  const char *value)
{
	const char *dashes = strlen(name) == 1 ? "-" : "--", *answer = find_answer(program, name);
	const char *nearest = find_nearest(program, name, strlen(name));

	if (answer != NULL) {
		fprintf(out, "%s%s ", dashes, name);
		write_answer(out, answer, name, value);
	} else if (nearest != NULL && name[1] != '\0') {
		fprintf(out, "unknown option --%s; did you mean --%s?", name, nearest);
	} else {
		fprintf(out, "unknown option %s%s; try '%s --help'", dashes, name, program->name);
	}
}

int refuse_unknown(const struct option_program *program, const char *name, const char *value,
		   struct simhash_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return error_set_memory(error);
	write_refusal(out, program, name, value);
	if (close_text(out, &text) != 0)
		return error_set_memory(error);
	error_set(error, SIMHASH_E_SYNTAX, "%s", text);
	free(text);
	return -1;
}
