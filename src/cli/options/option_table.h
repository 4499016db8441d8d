/*
 * Options as a table with one row for each option. The rows define the parsing, -h and --help, the
 * completions of the shells and the conflicts between options.
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

/* What the value of an option is, which the completions offer. */
enum value_kind {
	VALUE_NONE,
	VALUE_TEXT, /* nothing to offer */
	VALUE_FILE,
	VALUE_LIST, /* @FILE, or another text */
	VALUE_DATABASE,
	VALUE_WORD,  /* one of `words`; any other is refused */
	VALUE_START, /* begins with one of `words` */
	VALUE_NAMED, /* NAME=VALUE,...; a row "OPTION=NAME" below the option's describes each */
	VALUE_SIDES  /* two words of the command line, each a directory, HOST: or HOST:DIRECTORY */
};

struct option_row;
struct option_program;

/* One use of an option on a command line. */
struct option_use {
	const struct option_program *program;
	const struct option_row *row;
	void *arguments;
	void *field;	    /* the row's, in the arguments */
	const char *text;   /* the value; NULL where it was left out */
	const char *second; /* of VALUE_SIDES */
	int word;	    /* of VALUE_WORD, the index of the value; 0 where it was left out */
	bool by_letter;	    /* "-h" and not "--help" */
};

/* Returns 0, 1 when the program has done what was asked for, -1 with the error filled. */
typedef int option_parse_fn(const struct option_use *use, struct simhash_error *error);

/*
 * Lists are names of options with blanks between. A name followed by =VALUE stands for the option
 * with that value; one of VALUE_WORD that is left out is the first word. A name in capitals stands for the operands.
 */
struct option_row {
	char letter; /* 0: none */
	const char *
		name; /* "limits=depth" is the value depth=... of an option of VALUE_NAMED, "also=empty" the value empty */
	const char *value;	/* as --help shows it: "=FILE", "[=HOW]", " A B"; NULL: none */
	const char *help;	/* -h and the completions show it up to the first ';' */
	option_parse_fn *parse; /* NULL for VALUE_NAMED */
	size_t field;		/* OPTION_FIELD */
	enum value_kind kind;
	const char *const *words; /* end in NULL */
	const char *not_with;	  /* a conflict stands in the row of one of the two */
	const char *needs;	  /* all of them */
	const char *only_with;	  /* a task of its own, which all other options are refused with */
	bool allows_all;	  /* of these, also two that refuse each other without the task */
	int constant;		  /* of set_enum */
	bool is_list;		  /* each use adds to those before it */
	bool is_common;		  /* -h shows it, with its help up to the first ';' */
	const char *heading;	  /* instead of an option: a group of them begins */
};

#define OPTION_FIELD(type, member) offsetof(type, member)

struct option_program {
	const char *name;
	const char *usage;	  /* the lines that -h and --help begin with */
	const char *about;	  /* what they say then */
	const char *statuses;	  /* what --help ends with: the exit statuses */
	const char *operand;	  /* what lists of options call it */
	const char *directory;	  /* what they call one that is a directory; NULL: the same */
	const char *operand_list; /* the option that reads operands from a file */
	unsigned help_column;	  /* where the texts of --help begin */
	const struct option_row *rows;
	size_t count;
};

#define OPTIONS_MAX 96

/*
 * Parse a command line into `arguments`; the operands are argv from *first_operand on.
 * 0 to go on, 1 when the program is done (--help, --version), -1 for a wrong option.
 */
int options_parse(const struct option_program *program, int argc, char **argv, void *arguments,
		  int *first_operand, struct simhash_error *error);

/*
 * Refuse an option that the program does not have, without its dashes, and say what to write instead.
 * `value` is what may have been meant as its value, or NULL.
 */
int refuse_unknown(const struct option_program *program, const char *name, const char *value,
		   struct simhash_error *error);

/* Can two options never stand on one command line, whatever their values? */
bool options_conflict(const struct option_row *x, const struct option_row *y);

/* Does an option go with no operand? */
bool option_refuses_operands(const struct option_program *program, const struct option_row *row);

/* Is an operand a directory, or written as one, with a slash at its end? */
bool operand_is_directory(const char *operand);

/* Is it the named value of an option, and not an option? */
bool option_is_part(const struct option_row *row);

/* Is it --help or --version? */
bool option_ends_program(const struct option_row *row);

/* Does a list name an option? With `text`, its value, `name=VALUE` counts too. */
bool option_is_listed(const char *list, const char *name, const char *text);

/* ---- Parsers; fields have the type that is told ---- */

option_parse_fn set_flag;    /* bool, to true */
option_parse_fn set_text;    /* const char *, borrowed */
option_parse_fn set_size;    /* int64_t, in bytes: "4096", "10k", "5M"; "10kB", "5MB" by 1000 */
option_parse_fn set_memory;  /* the same, at least 32M */
option_parse_fn set_threads; /* unsigned, 1 to THREADS_MAX */
option_parse_fn set_enum;    /* an enum, to `constant` plus the index of the word */
option_parse_fn show_help;

extern const char *const progress_words[];

/* ---- For parsers: errors name the option, its value and what was expected ---- */

int parse_number(const struct option_use *use, uint64_t minimum, uint64_t maximum, uint64_t *value,
		 struct simhash_error *error);

/* A share from 0 to 1, written as "75%", "75 %" or "0.75". */
int parse_share(const struct option_use *use, double *share, struct simhash_error *error);

#endif
