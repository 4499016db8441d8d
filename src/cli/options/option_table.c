/*
 * Parses a command line by a table of options, and refuses options that conflict. option_help.c
 * prints -h and --help; unknown_option.c refuses options that are not in the table.
 * SPDX-License-Identifier: MIT
 */
#include "cli/options/option_table.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/text/decimal.h"
#include "base/threads/threads.h"

/* getopt_long returns this plus the index of the row. */
#define ROW_FIRST 256

/* The options that a command line has. */
struct given {
	const struct option_program *program;
	bool is_given[OPTIONS_MAX];
	const char *text[OPTIONS_MAX]; /* the last value of each option; NULL: no value */
	bool has_operands, has_directories;
	const char *missing; /* the first operand that does not exist, or NULL */
	bool by_letter;	     /* whether the current option was given by its letter */
};

/* ---- Lists of options ---- */

/* Return the next name of a list and its size, or NULL at the end of the list. */
static const char *next_name(const char **list, size_t *size)
{
	const char *name;

	if (*list == NULL)
		return NULL;
	name = *list + strspn(*list, " ");
	*size = strcspn(name, " ");
	*list = name + *size;
	return *size == 0 ? NULL : name;
}

/* Does a name of a list mean this option with this value? The value may also be "VALUE:...". */
static bool is_meant(const char *listed, size_t size, const char *name, const char *text)
{
	size_t length = strlen(name);

	if (size < length || memcmp(listed, name, length) != 0)
		return false;
	if (size == length)
		return true;
	return listed[length] == '=' && text != NULL &&
	       strncmp(listed + length + 1, text, size - length - 1) == 0 &&
	       (text[size - length - 1] == '\0' || text[size - length - 1] == ':');
}

bool option_is_listed(const char *list, const char *name, const char *text)
{
	const char *listed;
	size_t size;

	while ((listed = next_name(&list, &size)) != NULL)
		if (is_meant(listed, size, name, text))
			return true;
	return false;
}

bool option_is_part(const struct option_row *row)
{
	return row->name != NULL && strchr(row->name, '=') != NULL;
}

bool option_ends_program(const struct option_row *row)
{
	return row->name != NULL &&
	       (strcmp(row->name, "help") == 0 || strcmp(row->name, "version") == 0);
}

bool options_conflict(const struct option_row *x, const struct option_row *y)
{
	if (option_ends_program(x) || option_ends_program(y))
		return false;
	if ((x->only_with != NULL && !option_is_listed(x->only_with, y->name, NULL)) ||
	    (y->only_with != NULL && !option_is_listed(y->only_with, x->name, NULL)))
		return true;
	return option_is_listed(x->not_with, y->name, NULL) ||
	       option_is_listed(y->not_with, x->name, NULL);
}

static bool refuses_operand(const struct option_row *row, const char *operand)
{
	return operand == NULL || option_is_listed(row->not_with, operand, NULL) ||
	       (row->only_with != NULL && !option_is_listed(row->only_with, operand, NULL));
}

bool option_refuses_operands(const struct option_program *program, const struct option_row *row)
{
	return refuses_operand(row, program->operand) && refuses_operand(row, program->directory);
}

bool operand_is_directory(const char *operand)
{
	size_t size = strlen(operand);
	struct stat status;

	return (size > 0 && operand[size - 1] == '/') ||
	       (stat(operand, &status) == 0 && S_ISDIR(status.st_mode));
}

/* Does the command line have the option or the operands that a name of a list means? */
static bool has_listed(const struct given *given, const char *listed, size_t size)
{
	const struct option_program *program = given->program;

	if (isupper((unsigned char)listed[0]))
		return program->directory != NULL &&
				       is_meant(listed, size, program->directory, NULL)
			       ? given->has_directories
			       : given->has_operands;
	for (size_t i = 0; i < program->count; i++)
		if (given->is_given[i] &&
		    is_meant(listed, size, program->rows[i].name, given->text[i]))
			return true;
	return false;
}

/* "--name", or "a FILE" for operands. */
static const char *article_of(const char *listed)
{
	return isupper((unsigned char)listed[0]) ? "a " : "--";
}

static int refuse(const struct given *given, const struct option_row *row, const char *listed,
		  size_t size, struct simhash_error *error)
{
	const struct option_program *program = given->program;

	/* It may have been meant as a directory, or after an option as its value. */
	if ((row->value == NULL || row->value[0] != '[') && given->missing != NULL &&
	    program->operand != NULL && is_meant(listed, size, program->operand, NULL) &&
	    !refuses_operand(row, program->directory)) {
		errno = ENOENT;
		return error_set_errno(error, "%s", given->missing);
	}
	return error_set(error, SIMHASH_E_SYNTAX, "--%s cannot be combined with %s%.*s", row->name,
			 article_of(listed), (int)size, listed);
}

static int check_only_with(const struct given *given, size_t task, struct simhash_error *error)
{
	const struct option_program *program = given->program;
	const struct option_row *row = &program->rows[task];

	for (size_t i = 0; i < program->count; i++) {
		const char *name = program->rows[i].name;
		if (i != task && given->is_given[i] &&
		    !option_is_listed(row->only_with, name, given->text[i]))
			return refuse(given, row, name, strlen(name), error);
	}
	if (given->has_operands && !option_is_listed(row->only_with, program->operand, NULL))
		return refuse(given, row, program->operand, strlen(program->operand), error);
	if (given->has_directories && !option_is_listed(row->only_with, program->directory, NULL))
		return refuse(given, row, program->directory, strlen(program->directory), error);
	return 0;
}

static int check_not_with(const struct given *given, const struct option_row *row,
			  struct simhash_error *error)
{
	const char *list = row->not_with, *listed;
	size_t size;

	while ((listed = next_name(&list, &size)) != NULL)
		if (has_listed(given, listed, size))
			return refuse(given, row, listed, size, error);
	return 0;
}

/* Return an option of the command line that refuses operands of this name, or NULL. */
static const struct option_row *find_refusing(const struct given *given, const char *operand,
					      size_t size)
{
	const struct option_program *program = given->program;

	for (size_t i = 0; i < program->count; i++) {
		const char *list = program->rows[i].not_with, *listed;
		size_t length;
		while (given->is_given[i] && (listed = next_name(&list, &length)) != NULL)
			if (length == size && memcmp(listed, operand, size) == 0)
				return &program->rows[i];
	}
	return NULL;
}

static int check_needs(const struct given *given, const struct option_row *row,
		       struct simhash_error *error)
{
	const char *list = row->needs, *listed;
	size_t size;

	while ((listed = next_name(&list, &size)) != NULL) {
		const struct option_row *refusing = find_refusing(given, listed, size);
		if (has_listed(given, listed, size))
			continue;
		if (isupper((unsigned char)listed[0]) && refusing != NULL)
			return refuse(given, row, refusing->name, strlen(refusing->name), error);
		return error_set(error, SIMHASH_E_SYNTAX, "--%s needs %s%.*s", row->name,
				 article_of(listed), (int)size, listed);
	}
	return 0;
}

static int check_given(const struct given *given, struct simhash_error *error)
{
	const struct option_row *rows = given->program->rows;
	bool allows_all = false;

	for (size_t i = 0; i < given->program->count; i++)
		if (given->is_given[i] && rows[i].only_with != NULL) {
			allows_all = allows_all || rows[i].allows_all;
			if (check_only_with(given, i, error) != 0)
				return -1;
		}
	for (size_t i = 0; i < given->program->count; i++)
		if (given->is_given[i] &&
		    ((!allows_all && check_not_with(given, &rows[i], error) != 0) ||
		     check_needs(given, &rows[i], error) != 0))
			return -1;
	return 0;
}

/* ---- Parsing ---- */

/* Write "exact or key" or "auto, always or never". */
static void write_words(FILE *out, const char *const *words)
{
	for (size_t i = 0; words[i] != NULL; i++)
		fprintf(out, "%s%s", i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ", words[i]);
}

static int find_word(const struct option_use *use, int *word, struct simhash_error *error)
{
	const char *const *words = use->row->words;
	char expected[256];
	FILE *out;

	for (*word = 0; words[*word] != NULL; ++*word)
		if (strcmp(words[*word], use->text) == 0)
			return 0;
	out = fmemopen(expected, sizeof expected, "w");
	if (out == NULL)
		return error_set_memory(error);
	write_words(out, words);
	fclose(out);
	return error_set(error, SIMHASH_E_RANGE, "--%s '%s': expected %s", use->row->name,
			 use->text, expected);
}

/* Convert the table to the options of getopt_long. */
static void describe(const struct option_program *program, struct option *options, char *letters)
{
	for (size_t i = 0; i < program->count; i++) {
		const struct option_row *row = &program->rows[i];
		int has_argument = row->kind == VALUE_NONE ? no_argument
				   : row->value[0] == '['  ? optional_argument
							   : required_argument;
		if (row->name == NULL || option_is_part(row))
			continue;
		*options++ = (struct option){row->name, has_argument, NULL, ROW_FIRST + (int)i};
		if (row->letter != 0)
			*letters++ = row->letter;
		if (row->letter != 0 && has_argument == required_argument)
			*letters++ = ':';
	}
	*options = (struct option){NULL, 0, NULL, 0};
	*letters = '\0';
}

static size_t row_of(const struct option_program *program, int option)
{
	size_t i = 0;

	if (option >= ROW_FIRST)
		return (size_t)(option - ROW_FIRST);
	while (program->rows[i].letter != option)
		i++;
	return i;
}

/* ---- NAME=VALUE,..., or NAME,... ---- */

/*
 * Return the row "OPTION=NAME" for a text that begins with "NAME=", or with NAME if it has no
 * value. Return the number of rows if there is no such row.
 */
static size_t find_part(const struct option_program *program, const char *option, const char *text)
{
	size_t length = strlen(option), size = strcspn(text, "=,"), i = 0;

	for (; i < program->count; i++) {
		const char *name = program->rows[i].name;
		if (name != NULL && strncmp(name, option, length) == 0 && name[length] == '=' &&
		    strlen(name + length + 1) == size && memcmp(name + length + 1, text, size) == 0)
			break;
	}
	if (i < program->count && (text[size] == '=') == (program->rows[i].kind == VALUE_NONE))
		return program->count;
	return i;
}

static void write_part(FILE *out, const struct option_row *row, size_t length)
{
	fprintf(out, "%s%s", row->name + length + 1, row->value == NULL ? "" : row->value);
}

/* Write "depth=N, inflated=SIZE or memory=SIZE". */
static void write_parts(FILE *out, const struct option_program *program, const char *option)
{
	size_t length = strlen(option);
	const struct option_row *last = NULL;
	const char *separator = "";

	for (size_t i = 0; i < program->count; i++) {
		const struct option_row *row = &program->rows[i];
		if (!option_is_part(row) || strncmp(row->name, option, length) != 0)
			continue;
		if (last != NULL) {
			fputs(separator, out);
			write_part(out, last, length);
			separator = ", ";
		}
		last = row;
	}
	if (last != NULL) {
		fputs(" or ", out);
		write_part(out, last, length);
	}
}

/* Is a number meant for the option whose name is one letter shorter? */
static bool is_meant_for(const struct option_row *row, const char *name, const char *text)
{
	size_t size = strlen(name) - 1;

	return row->name != NULL && strlen(row->name) == size &&
	       strncmp(row->name, name, size) == 0 && text[0] != '\0' &&
	       text[strspn(text, "0123456789")] == '\0';
}

static int refuse_part(const struct option_use *use, struct simhash_error *error)
{
	const struct option_program *program = use->program;
	const char *name = use->row->name;
	char expected[256];
	FILE *out = fmemopen(expected, sizeof expected, "w");

	if (out == NULL)
		return error_set_memory(error);
	write_parts(out, program, name);
	for (size_t i = 0; i < program->count; i++)
		if (is_meant_for(&program->rows[i], name, use->text))
			fprintf(out, "; or --%s=%.20s", program->rows[i].name, use->text);
	fclose(out);
	return error_set(error, SIMHASH_E_SYNTAX, "--%s '%s': expected %s", name, use->text,
			 expected);
}

static int parse_part(const struct option_use *whole, size_t number, const char *text, size_t size,
		      struct simhash_error *error)
{
	const struct option_row *row = &whole->program->rows[number];
	struct option_use use = {.program = whole->program,
				 .row = row,
				 .arguments = whole->arguments,
				 .field = (char *)whole->arguments + row->field};
	char *value = strndup(text, size);
	int status;

	if (value == NULL)
		return error_set_memory(error);
	use.text = value;
	status = row->parse(&use, error);
	free(value);
	return status;
}

static int parse_parts(const struct option_use *use, struct given *given,
		       struct simhash_error *error)
{
	for (const char *text = use->text;; text++) {
		size_t number = find_part(use->program, use->row->name, text);
		if (number == use->program->count)
			return refuse_part(use, error);
		given->is_given[number] = true;
		text += strcspn(text, "=,");
		text += *text == '=';
		if (parse_part(use, number, text, strcspn(text, ","), error) != 0)
			return -1;
		text += strcspn(text, ",");
		if (*text == '\0')
			return 0;
	}
}

static int parse_one(struct given *given, size_t number, int argc, char **argv, void *arguments,
		     struct simhash_error *error)
{
	const struct option_program *program = given->program;
	const struct option_row *row = &program->rows[number];
	struct option_use use = {.program = program,
				 .row = row,
				 .arguments = arguments,
				 .field = (char *)arguments + row->field,
				 .text = optarg,
				 .by_letter = given->by_letter};

	if (row->kind == VALUE_SIDES && optind >= argc)
		return error_set(error, SIMHASH_E_SYNTAX, "--%s needs two values:%s", row->name,
				 row->value);
	if (row->kind == VALUE_SIDES)
		use.second = argv[optind++];
	if (row->kind == VALUE_WORD && optarg != NULL && find_word(&use, &use.word, error) != 0)
		return -1;
	return row->kind == VALUE_NAMED ? parse_parts(&use, given, error) : row->parse(&use, error);
}

/*
 * Write "--status or --summary", the options that begin with a word (given without dashes), and
 * return their number.
 */
static unsigned write_beginning(FILE *out, const struct option_program *program, const char *word,
				size_t size)
{
	const char *last = NULL;
	unsigned count = 0;

	for (size_t i = 0; size > 0 && i < program->count; i++) {
		const char *name = program->rows[i].name;
		if (name == NULL || option_is_part(&program->rows[i]) ||
		    strncmp(name, word, size) != 0)
			continue;
		if (last != NULL)
			fprintf(out, "%s--%s", count > 1 ? ", " : "", last);
		last = name;
		count++;
	}
	if (last != NULL)
		fprintf(out, "%s--%s", count > 1 ? " or " : "", last);
	return count;
}

/*
 * Refuse a long option that is ambiguous or unknown. `next` is the next word of the command line,
 * or NULL.
 */
static int refuse_long(const struct option_program *program, const char *word, const char *next,
		       struct simhash_error *error)
{
	size_t size = strcspn(word, "=");
	char name[256], *beginning = NULL;
	size_t length;
	FILE *out = open_memstream(&beginning, &length);
	unsigned count = out == NULL ? 0 : write_beginning(out, program, word, size);

	if (out == NULL || close_text(out, &beginning) != 0)
		return error_set_memory(error);
	snprintf(name, sizeof name, "%.*s", (int)size, word);
	if (count > 1)
		error_set(error, SIMHASH_E_SYNTAX, "ambiguous option --%s; did you mean %s?", name,
			  beginning);
	else
		refuse_unknown(program, name,
			       word[size] == '='		? word + size + 1
			       : next != NULL && next[0] != '-' ? next
								: NULL,
			       error);
	free(beginning);
	return -1;
}

/*
 * The message is made here, because getopt would write the bytes of the word to the terminal
 * unchanged.
 */
static int refuse_option(const struct option_program *program, char **argv, int answer,
			 struct simhash_error *error)
{
	const char letter[] = {(char)optopt, '\0'};

	if (optopt >= ROW_FIRST)
		return error_set(error, SIMHASH_E_SYNTAX, "--%s %s a value; try '%s --help'",
				 program->rows[row_of(program, optopt)].name,
				 answer == ':' ? "needs" : "does not take", program->name);
	if (optopt == 0)
		return refuse_long(program, argv[optind - 1] + 2, argv[optind], error);
	if (answer != ':')
		return refuse_unknown(program, letter, NULL, error);
	return error_set(error, SIMHASH_E_SYNTAX, "option -%c needs a value; try '%s --help'",
			 optopt, program->name);
}

static void add_operand(struct given *given, const char *operand)
{
	struct stat status;

	given->has_operands = true;
	if (given->missing == NULL && strcmp(operand, "-") != 0 && stat(operand, &status) != 0 &&
	    errno == ENOENT)
		given->missing = operand;
}

int options_parse(const struct option_program *program, int argc, char **argv, void *arguments,
		  int *first_operand, struct simhash_error *error)
{
	struct option options[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 2];
	struct given given = {.program = program};
	int option;

	letters[0] = ':'; /* getopt then distinguishes a missing value from an unknown option */
	describe(program, options, letters + 1);
	opterr = 0;
	while ((option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		size_t number;
		int status;
		if (option == '?' || option == ':')
			return refuse_option(program, argv, option, error);
		number = row_of(program, option);
		given.is_given[number] = true;
		given.text[number] = optarg != NULL || program->rows[number].kind != VALUE_WORD
					     ? optarg
					     : program->rows[number].words[0];
		given.by_letter = option < ROW_FIRST;
		status = parse_one(&given, number, argc, argv, arguments, error);
		if (status != 0)
			return status;
	}
	*first_operand = optind;
	given.has_operands =
		has_listed(&given, program->operand_list, strlen(program->operand_list));
	for (int i = optind; i < argc; i++)
		if (program->directory != NULL && operand_is_directory(argv[i]))
			given.has_directories = true;
		else
			add_operand(&given, argv[i]);
	return check_given(&given, error);
}
