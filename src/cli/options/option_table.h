/*
 * Describes options as a table with one row for each option. The rows define the parsing, -h and
 * --help, the completions of the shells and the conflicts between options.
 *
 *     static const struct option_row rows[] = {
 *             {.heading = "Which files"},
 *             {'x', "one-file-system", NULL, "stay on the file system of each PATH",
 *              .parse = set_flag, .field = OPTION_FIELD(struct arguments, one_file_system)},
 *             {0, "min-size", "=SIZE", "only files of at least SIZE bytes", .kind = VALUE_TEXT,
 *              .parse = set_size, .field = OPTION_FIELD(struct arguments, min_size_bytes)},
 *             ...
 *     };
 *
 *     status = options_parse(&program, argc, argv, &arguments, &first_operand, &error);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_OPTION_TABLE_H
#define SIMHASH_CLI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simhash.h"

/* The kinds of values; the completions of the shells use them. */
enum value_kind {
	VALUE_NONE,
	VALUE_TEXT, /* the completions offer nothing */
	VALUE_FILE,
	VALUE_LIST, /* @FILE, or another text */
	VALUE_DATABASE,
	VALUE_WORD,  /* one of `words`; other words are refused */
	VALUE_START, /* begins with one of `words` */
	/* NAME=VALUE,...; rows "OPTION=NAME" after the option's row describe each NAME */
	VALUE_NAMED,
	VALUE_SIDES /* two words of the command line, each a directory, HOST: or HOST:DIRECTORY */
};

struct option_row;
struct option_program;

/* One use of an option on a command line. */
struct option_use {
	const struct option_program *program;
	const struct option_row *row;
	void *arguments;
	void *field;	    /* the field of the row, in the arguments */
	const char *text;   /* the value; NULL if it was omitted */
	const char *second; /* the second word of VALUE_SIDES */
	int word;	    /* for VALUE_WORD: the index of the value; 0 if it was omitted */
	bool by_letter;	    /* true for "-h", false for "--help" */
};

/* Returns 0, 1 when the program is done, or -1 with the error filled. */
typedef int option_parse_fn(const struct option_use *use, struct simhash_error *error);

/*
 * One option. Lists are names of options, separated by blanks. "NAME=VALUE" in a list means the
 * option with that value; if the value of a VALUE_WORD was omitted, its first word counts. A name
 * in capitals means the operands.
 */
struct option_row {
	char letter; /* 0: none */
	/*
	 * "limits=depth" is the value depth=... of an option of kind VALUE_NAMED; "also=empty" is the
	 * value "empty".
	 */
	const char *name;
	const char *value;	/* as --help shows it: "=FILE", "[=HOW]", " A B"; NULL: no value */
	const char *help;	/* -h and the completions show only the part before the first ';' */
	option_parse_fn *parse; /* NULL for VALUE_NAMED */
	size_t field;		/* OPTION_FIELD */
	enum value_kind kind;
	const char *const *words; /* the last item is NULL */
	/* A list; each conflict is in the row of only one of the two options. */
	const char *not_with;
	const char *needs;     /* a list; all of these options are needed */
	const char *only_with; /* a list; this option is a task that refuses all other options */
	/* With this task, options of the command line may conflict with each other. */
	bool allows_all;
	int constant;	/* for set_enum */
	bool is_list;	/* each use adds to the previous ones */
	bool is_common; /* -h shows it, with the part of its help before the first ';' */
	/* Set instead of an option: the heading of the options that follow. */
	const char *heading;
};

#define OPTION_FIELD(type, member) offsetof(type, member)

struct option_program {
	const char *name;
	const char *usage;    /* the first lines of -h and --help */
	const char *about;    /* the text after the usage */
	const char *statuses; /* the last lines of --help: the exit statuses */
	const char *operand;  /* the name of the operands in lists of options */
	/* The name of operands that are directories; NULL: the same name. */
	const char *directory;
	const char *operand_list; /* the option that reads operands from a file */
	unsigned help_column;	  /* the column where the texts of --help begin */
	const struct option_row *rows;
	size_t count;
};

#define OPTIONS_MAX 96

/*
 * Parse a command line into `arguments`. The operands are argv from *first_operand on. Return 0 to
 * continue, 1 when the program is done (--help, --version), or -1 for a wrong option.
 */
int options_parse(const struct option_program *program, int argc, char **argv, void *arguments,
		  int *first_operand, struct simhash_error *error);

/*
 * Refuse an option that the program does not have, and say what to write instead. `name` has no
 * dashes. `value` is the word that may be the value of the option, or NULL.
 */
int refuse_unknown(const struct option_program *program, const char *name, const char *value,
		   struct simhash_error *error);

/* Do two options refuse each other with all their values? */
bool options_conflict(const struct option_row *x, const struct option_row *y);

/* Does an option refuse all operands? */
bool option_refuses_operands(const struct option_program *program, const struct option_row *row);

/* Is an operand a directory, or does it end in a slash? */
bool operand_is_directory(const char *operand);

/* Is the row a named value of an option instead of an option? */
bool option_is_part(const struct option_row *row);

/* Is the option --help or --version? */
bool option_ends_program(const struct option_row *row);

/* Does a list name an option? If `text`, the value, is set, `name=VALUE` counts too. */
bool option_is_listed(const char *list, const char *name, const char *text);

/* ---- Parsers, with the type of their fields ---- */

option_parse_fn set_flag;    /* bool; it becomes true */
option_parse_fn set_text;    /* const char *, borrowed */
option_parse_fn set_size;    /* int64_t, in bytes: "4096", "10k", "5M"; "10kB", "5MB" by 1000 */
option_parse_fn set_memory;  /* as set_size, at least 32M */
option_parse_fn set_threads; /* unsigned, 1 to THREADS_MAX */
option_parse_fn set_enum;    /* an enum; it becomes `constant` plus the index of the word */
option_parse_fn show_help;

extern const char *const progress_words[];

/* ---- For parsers: messages contain the option, its value and the expected values ---- */

int parse_number(const struct option_use *use, uint64_t minimum, uint64_t maximum, uint64_t *value,
		 struct simhash_error *error);

/* A share from 0 to 1, written as "75%", "75 %" or "0.75". */
int parse_share(const struct option_use *use, double *share, struct simhash_error *error);

#endif
