/*
 * Tests the tables of options: they are short, and lists name existing options. The pairs of
 * options below are refused with a message that names both, and no other pairs are refused.
 * SPDX-License-Identifier: MIT
 */
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options/find_options.h"
#include "cli/options/index_options.h"
#include "cli/options/keep_options.h"

#define WORDS_MAX 16

/* A command line with its own copies of words. */
struct line {
	char words[WORDS_MAX][64];
	char *argv[WORDS_MAX + 1];
	int count;
};

static const struct option_row *find_row(const struct option_program *program, const char *name,
					 size_t size)
{
	for (size_t i = 0; i < program->count; i++)
		if (program->rows[i].name != NULL && strlen(program->rows[i].name) == size &&
		    memcmp(program->rows[i].name, name, size) == 0)
			return &program->rows[i];
	return NULL;
}

/* ---- Command lines ---- */

/* Add a word of up to three parts. */
static void add_word(struct line *line, const char *a, const char *b, const char *c)
{
	assert_true(line->count < WORDS_MAX);
	snprintf(line->words[line->count], sizeof line->words[0], "%s%s%s", a, b, c);
	line->argv[line->count] = line->words[line->count];
	line->argv[++line->count] = NULL;
}

static const char *example_of(const struct option_row *row)
{
	static const struct {
		const char *name, *value;
	} examples[] = {{"also", "empty"},	  {"partition", "1/2"}, {"memory", "32M"},
			{"limits=memory", "32M"}, {"verify", "all"},	{"filter", "txt:cat"},
			{"pieces", "no"},	  {"in", "/"}};

	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		if (strcmp(examples[i].name, row->name) == 0)
			return examples[i].value;
	if (strcmp(row->name, "limits") == 0)
		return strcmp(row->words[0], "depth=") == 0 ? "depth=1" : "memory=32M";
	return row->words != NULL ? row->words[0] : row->kind == VALUE_FILE ? "/dev/null" : "1";
}

static void add_option(struct line *line, const struct option_row *row, const char *value)
{
	char name[32];

	snprintf(name, sizeof name, "--%s", row->name);
	if (row->kind == VALUE_NONE || row->kind == VALUE_SIDES)
		add_word(line, name, "", "");
	else
		add_word(line, name, "=", value != NULL ? value : example_of(row));
	for (int i = 0; row->kind == VALUE_SIDES && i < 2; i++)
		add_word(line, "/", "", "");
}

static int parse(struct line *line, const struct option_program *program,
		 struct simhash_error *error)
{
	struct index_arguments index;
	struct find_arguments find;
	struct keep_arguments keep;
	int status;

	optind = 0; /* glibc's way to start again */
	if (program == &index_program) {
		index_arguments_init(&index);
		status = index_arguments_parse(&index, line->count, line->argv, error);
		index_arguments_release(&index);
	} else if (program == &find_program) {
		find_arguments_init(&find);
		status = find_arguments_parse(&find, line->count, line->argv, error);
		find_arguments_release(&find);
	} else {
		keep_arguments_init(&keep);
		status = keep_arguments_parse(&keep, line->count, line->argv, error);
		keep_arguments_release(&keep);
	}
	return status;
}

/* ---- Rows ---- */

static void check_list(const struct option_program *program, const char *list)
{
	for (const char *at = list; at != NULL && *at != '\0';) {
		size_t size = strcspn(at, " "), name = strcspn(at, " =");
		const struct option_row *row = find_row(program, at, name);
		bool is_operand = strncmp(at, "FILE", size) == 0 ||
				  strncmp(at, "PATH", size) == 0 || strncmp(at, "DIR", size) == 0;
		bool is_word = name == size || find_row(program, at, size) != NULL;
		if (row == NULL && !is_operand)
			fail_msg("no option %.*s, which the list '%s' names", (int)name, at, list);
		for (size_t i = 0; !is_word && row->words[i] != NULL; i++)
			is_word = strlen(row->words[i]) == size - name - 1 &&
				  memcmp(row->words[i], at + name + 1, size - name - 1) == 0;
		if (!is_word)
			fail_msg("no value %.*s, which the list '%s' names", (int)size, at, list);
		at += size;
		at += strspn(at, " ");
	}
}

/* A word in the completions such as "depth=" is the name of a row. */
static void check_part(const struct option_program *program, const struct option_row *row,
		       const char *word)
{
	char name[64];

	snprintf(name, sizeof name, "%s=%.*s", row->name, (int)strcspn(word, "="), word);
	assert_non_null(find_row(program, name, strlen(name)));
}

/* A row with such a name is below its option, whose words include it. */
static void check_part_is_named(const struct option_program *program, const struct option_row *row)
{
	size_t size = strcspn(row->name, "=");
	const struct option_row *option = find_row(program, row->name, size);
	bool is_found = false;

	assert_true(option != NULL && option->kind == VALUE_NAMED && option < row);
	for (size_t i = 0; option->words[i] != NULL; i++)
		is_found = is_found ||
			   (strcspn(option->words[i], "=") == strlen(row->name + size + 1) &&
			    strncmp(option->words[i], row->name + size + 1,
				    strlen(row->name + size + 1)) == 0);
	assert_true(is_found);
}

static void check_row(const struct option_program *program, const struct option_row *row)
{
	if (row->heading != NULL)
		return;
	assert_non_null(row->name);
	assert_non_null(row->help);
	assert_true((row->kind == VALUE_NAMED) == (row->parse == NULL));
	assert_true(row->kind == VALUE_NONE || row->value != NULL);
	assert_true((row->kind == VALUE_WORD || row->kind == VALUE_START ||
		     row->kind == VALUE_NAMED) == (row->words != NULL));
	for (size_t i = 0; row->kind == VALUE_NAMED && row->words[i] != NULL; i++)
		check_part(program, row, row->words[i]);
	if (option_is_part(row))
		check_part_is_named(program, row);
	assert_ptr_equal(find_row(program, row->name, strlen(row->name)), row);
	check_list(program, row->not_with);
	check_list(program, row->only_with);
	check_list(program, row->needs);
}

static void lists_name_options_and_values_that_exist(void **state)
{
	(void)state;
	assert_true(index_program.count <= OPTIONS_MAX && find_program.count <= OPTIONS_MAX &&
		    keep_program.count <= OPTIONS_MAX);
	for (size_t i = 0; i < index_program.count; i++)
		check_row(&index_program, &index_program.rows[i]);
	for (size_t i = 0; i < find_program.count; i++)
		check_row(&find_program, &find_program.rows[i]);
	for (size_t i = 0; i < keep_program.count; i++)
		check_row(&keep_program, &keep_program.rows[i]);
}

static size_t count_options(const struct option_program *program)
{
	size_t count = 0;

	for (size_t i = 0; i < program->count; i++)
		count += program->rows[i].name != NULL && !option_is_part(&program->rows[i]);
	return count;
}

static void programs_have_few_options(void **state)
{
	(void)state;
	assert_in_range(count_options(&index_program), 30, 40);
	assert_in_range(count_options(&find_program), 30, 47);
	assert_in_range(count_options(&keep_program), 10, 20);
}

/* ---- Pairs ---- */

/* The pairs of options that are refused with any values; each pair once. */
struct refused {
	const char *option, *with;
};

static const struct refused index_refused[] = {
	{"scrub", "ext exclude ignore-files min-size max-size one-file-system dereference "
		  "files0-from decompress no-documents filter hash force status forget print "
		  "copy-to export anonymous import init-database password-file require-tls "
		  "format limits limits=depth limits=inflated limits=total limits=memory "
		  "limits=disk limits=seconds limits=output measure no-sketch pieces"},
	{"limits=rate", "status forget print init-database copy-to export import"},
	{"database", "print"},
	{"wait-server", "print"},
	{"tag-set", "status init-database copy-to import"},
	{"host", "status print init-database copy-to"},
	{"exclude", "status forget print init-database copy-to export import"},
	{"ignore-files", "status forget print init-database copy-to export import"},
	{"ext", "status forget print init-database copy-to export import"},
	{"min-size", "status forget print init-database copy-to export import"},
	{"max-size", "status forget print init-database copy-to export import"},
	{"one-file-system", "status forget print init-database copy-to export import"},
	{"dereference", "status forget print init-database copy-to export import"},
	{"files0-from", "status forget print init-database copy-to export import"},
	{"decompress", "status forget init-database copy-to export import"},
	{"no-documents", "status forget print init-database copy-to export import"},
	{"hash", "status forget init-database copy-to export import"},
	{"filter", "status forget print init-database copy-to export import"},
	{"limits", "status forget init-database copy-to export import"},
	{"limits=depth", "status forget init-database copy-to export import"},
	{"limits=inflated", "status forget init-database copy-to export import"},
	{"limits=total", "status forget print init-database copy-to export import"},
	{"limits=memory", "status forget init-database copy-to export import"},
	{"limits=disk", "status forget print init-database copy-to export import"},
	{"limits=seconds", "status forget print init-database copy-to export import"},
	{"limits=output", "status forget print init-database copy-to export import"},
	{"measure", "status print init-database copy-to export import"},
	{"no-sketch", "status forget print init-database copy-to export import"},
	{"pieces", "status forget print init-database copy-to export import"},
	{"force", "status forget print init-database copy-to export import"},
	{"threads", "status forget print init-database copy-to export import"},
	{"status", "forget print init-database password-file require-tls copy-to export anonymous "
		   "import progress summary"},
	{"forget", "print init-database password-file require-tls copy-to export anonymous import "
		   "format progress summary"},
	{"print", "init-database password-file require-tls copy-to export anonymous import "
		  "progress summary"},
	{"init-database", "copy-to export anonymous import format progress summary"},
	{"password-file", "copy-to export import"},
	{"require-tls", "copy-to export import"},
	{"copy-to", "export anonymous import format summary"},
	{"export", "import format progress summary"},
	{"anonymous", "import"},
	{"import", "format progress summary"},
	{"summary", "quiet"},
};

static const struct refused find_refused[] = {
	{"damaged", "ext exclude min-size max-size between update files0-from against known only "
		    "only=copies only=similar only=parts also also=empty also=hard-links "
		    "min-resemblance same-extension directories missing in copies cover group "
		    "sort fail-on-match store progress verify decompress order measure compare "
		    "threads tolerance size-ratio candidates nearest limits limits=memory "
		    "limits=inflated partition"},
	{"database", "compare"},
	{"tag-set", "against"},
	{"host", "compare"},
	{"tolerance", "measure nearest directories order"},
	{"min-resemblance", "nearest compare"},
	{"same-extension", "measure compare directories order"},
	{"candidates", "measure compare directories order"},
	{"size-ratio", "measure directories order"},
	{"only", "compare nearest directories order"},
	{"only=copies", "compare nearest directories order"},
	{"only=similar", "compare nearest directories order"},
	{"only=parts", "measure compare nearest partition directories order"},
	{"also", "compare directories order"},
	{"also=empty", "compare directories order"},
	{"also=hard-links", "compare directories order"},
	{"measure", "against nearest partition update directories order"},
	{"compare",
	 "directories order ext exclude min-size max-size verify decompress "
	 "files0-from nearest between against known update "
	 "group format sort limit "
	 "store progress summary quiet threads limits limits=memory limits=inflated partition "
	 "fail-on-match"},
	{"directories", "order verify decompress limits=inflated files0-from "
			"nearest between against update group "
			"sort store progress partition"},
	{"cover", "compare directories order tolerance min-resemblance same-extension candidates "
		  "size-ratio only only=copies only=similar only=parts also also=empty "
		  "also=hard-links measure verify decompress limits=inflated nearest between "
		  "against group sort limit store progress partition"},
	{"missing", "compare directories cover copies order tolerance same-extension candidates "
		    "size-ratio also also=empty also=hard-links measure verify decompress "
		    "limits=inflated files0-from nearest between against group sort store "
		    "partition fail-on-match"},
	{"in", "compare directories cover copies order"},
	{"copies", "compare directories cover order tolerance min-resemblance same-extension "
		   "candidates size-ratio only only=copies only=similar only=parts also also=empty "
		   "also=hard-links measure verify decompress limits=inflated files0-from nearest "
		   "between against group sort store partition"},
	{"order", "verify decompress limits=inflated files0-from nearest "
		  "between against group sort limit store "
		  "progress partition"},
	{"decompress", "between against store partition"},
	{"files0-from", "between against store partition"},
	{"nearest", "between against store partition"},
	{"between", "against update"},
	{"known", "store"},
	{"against", "store partition"},
	{"group", "partition"},
	{"store", "partition"},
	{"summary", "quiet"},
};

static const struct refused keep_refused[] = {
	{"keep", "decisions undo"},
	{"count-archives", "decisions undo"},
	{"into", "count-archives decisions undo"},
	{"heal", "keep decisions review action into undo"},
	{"decisions", "ext exclude min-size max-size undo database"},
	{"review", "keep count-archives into undo"},
	{"protect", "undo"},
	{"ext", "undo"},
	{"exclude", "undo"},
	{"min-size", "undo"},
	{"max-size", "undo"},
	{"action", "undo"},
	{"journal", "undo"},
};

static bool is_to_be_refused(const struct refused *refused, size_t count, const char *x,
			     const char *y)
{
	for (size_t i = 0; i < count; i++)
		if ((strcmp(refused[i].option, x) == 0 &&
		     option_is_listed(refused[i].with, y, NULL)) ||
		    (strcmp(refused[i].option, y) == 0 &&
		     option_is_listed(refused[i].with, x, NULL)))
			return true;
	return false;
}

/* A message may name one of the options without its value if the other text has the value. */
static bool is_message(const char *message, const char *expected)
{
	size_t same = 0;

	while (message[same] != '\0' && message[same] == expected[same])
		same++;
	return (message[same] == '\0' && strchr("=:", expected[same]) != NULL) ||
	       (expected[same] == '\0' && message[same] == '=');
}

static void expect_refusal(const struct option_program *program, const struct option_row *x,
			   const char *x_value, const struct option_row *y, const char *y_value)
{
	struct line line = {.count = 0};
	struct simhash_error error = {.message = ""};
	char one[256], other[256], x_text[64], y_text[64];

	add_word(&line, program->name, "", "");
	add_option(&line, x, x_value);
	add_option(&line, y, y_value);
	snprintf(x_text, sizeof x_text, "--%s%s%s", x->name, x_value ? "=" : "",
		 x_value ? x_value : "");
	snprintf(y_text, sizeof y_text, "--%s%s%s", y->name, y_value ? "=" : "",
		 y_value ? y_value : "");
	snprintf(one, sizeof one, "%s cannot be combined with %s", x_text, y_text);
	snprintf(other, sizeof other, "%s cannot be combined with %s", y_text, x_text);
	assert_int_equal(parse(&line, program, &error), -1);
	if (!is_message(error.message, one) && !is_message(error.message, other))
		fail_msg("expected '%s', found '%s'", one, error.message);
}

/* Other errors in the line, such as a missing option, are not a refusal. */
static void expect_no_refusal(const struct option_program *program, const struct option_row *x,
			      const struct option_row *y, const char *y_value)
{
	struct line line = {.count = 0};
	struct simhash_error error = {.message = ""};

	add_word(&line, program->name, "", "");
	add_option(&line, x, NULL);
	add_option(&line, y, y_value);
	if (parse(&line, program, &error) < 0 &&
	    strstr(error.message, "cannot be combined") != NULL)
		fail_msg("--%s with --%s: %s", x->name, y->name, error.message);
}

static void check_pairs(const struct option_program *program, const struct refused *refused,
			size_t count)
{
	for (size_t i = 0; i < program->count; i++)
		for (size_t k = i + 1; k < program->count; k++) {
			const struct option_row *x = &program->rows[i], *y = &program->rows[k];
			if (x->name == NULL || y->name == NULL || option_ends_program(x) ||
			    option_ends_program(y))
				continue;
			if (is_to_be_refused(refused, count, x->name, y->name))
				expect_refusal(program, x, NULL, y, NULL);
			else
				expect_no_refusal(program, x, y, NULL);
		}
}

static void pairs_are_refused_as_listed(void **state)
{
	(void)state;
	check_pairs(&index_program, index_refused, sizeof index_refused / sizeof *index_refused);
	check_pairs(&find_program, find_refused, sizeof find_refused / sizeof *find_refused);
	check_pairs(&keep_program, keep_refused, sizeof keep_refused / sizeof *keep_refused);
}

/* Only these values of option y, separated by blanks, are refused with option x. */
static void expect_value_refusal(const struct option_program *program, const char *x, const char *y,
				 const char *values)
{
	const struct option_row *row = find_row(program, y, strlen(y));

	for (size_t i = 0; row->words[i] != NULL; i++)
		if (option_is_listed(values, row->words[i], NULL))
			expect_refusal(program, find_row(program, x, strlen(x)), NULL, row,
				       row->words[i]);
		else
			expect_no_refusal(program, find_row(program, x, strlen(x)), row,
					  row->words[i]);
}

static void values_are_refused_as_listed(void **state)
{
	(void)state;
	expect_value_refusal(&index_program, "quiet", "progress", "always");
	expect_value_refusal(&find_program, "quiet", "progress", "always");
	expect_value_refusal(&find_program, "directories", "summary", "json");
	expect_value_refusal(&find_program, "order", "summary", "json");
	expect_value_refusal(&find_program, "min-resemblance", "verify", "no");
	expect_value_refusal(&find_program, "same-extension", "verify", "no");
	expect_value_refusal(&find_program, "only=parts", "verify", "no");
	expect_value_refusal(&find_program, "measure", "format", "html html:thumbnails");
	expect_value_refusal(&find_program, "nearest", "candidates",
			     "uniform scatter skew uniform_ext scatter_ext skew_ext");
	expect_value_refusal(&find_program, "partition", "format", "html html:thumbnails");
	expect_value_refusal(&find_program, "partition", "group", "representative single lineage");
	expect_value_refusal(&find_program, "store", "group", "lineage none");
	expect_value_refusal(&find_program, "measure", "group", "lineage");
	expect_value_refusal(&find_program, "nearest", "group", "lineage");
}

/* A line with three options. The first is a task that can be combined with both others. */
static int parse_task(const struct option_program *program, const char *task, const char *x,
		      const char *y, struct simhash_error *error)
{
	struct line line = {.count = 0};

	add_word(&line, program->name, "", "");
	add_option(&line, find_row(program, task, strlen(task)), NULL);
	add_word(&line, "--", x, "");
	add_word(&line, "--", y, "");
	return parse(&line, program, error);
}

static void a_task_lifts_no_other_refusal_unless_it_says_so(void **state)
{
	static const struct {
		const struct option_program *program;
		const char *task, *x, *y;
	} refused_lines[] = {
		{&index_program, "copy-to", "quiet", "progress=always"},
	};
	struct simhash_error error = {.message = ""};
	char message[256];

	(void)state;
	for (size_t i = 0; i < sizeof refused_lines / sizeof *refused_lines; i++) {
		const char *x = refused_lines[i].x;
		snprintf(message, sizeof message, "--%.*s cannot be combined with --%s",
			 (int)strcspn(x, "="), x, refused_lines[i].y);
		assert_int_equal(parse_task(refused_lines[i].program, refused_lines[i].task, x,
					    refused_lines[i].y, &error),
				 -1);
		assert_string_equal(error.message, message);
	}
	parse_task(&find_program, "compare", "measure=minhash", "tolerance=1", &error);
	assert_null(strstr(error.message, "--measure cannot"));
}

/* ---- Needs, and operands ---- */

static void expect_message(const struct option_program *program, const char *option,
			   const char *operand, const char *message)
{
	struct line line = {.count = 0};
	struct simhash_error error = {.message = ""};

	add_word(&line, program->name, "", "");
	add_option(&line, find_row(program, option, strlen(option)), NULL);
	if (operand != NULL)
		add_word(&line, operand, "", "");
	assert_int_equal(parse(&line, program, &error), -1);
	assert_string_equal(error.message, message);
}

static void needs_name_both(void **state)
{
	(void)state;
	expect_message(&index_program, "print", NULL, "--print needs a FILE");
	expect_message(&index_program, "forget", NULL, "--forget needs a PATH");
	expect_message(&index_program, "limits=depth", "x", "--limits=depth needs --decompress");
	expect_message(&find_program, "limits=inflated", "x",
		       "--limits=inflated needs --decompress");
	expect_message(&find_program, "decompress", NULL, "--decompress needs a FILE");
	expect_message(&find_program, "nearest", NULL, "--nearest needs a FILE");
	expect_message(&find_program, "nearest", "/", "--nearest needs a FILE");
	expect_message(&find_program, "update", NULL, "--update needs a DIR");
	expect_message(&find_program, "update", "x", "--update needs a DIR");
}

static void operands_are_refused_by_name(void **state)
{
	(void)state;
	expect_message(&index_program, "status", "x", "--status cannot be combined with a PATH");
	expect_message(&index_program, "init-database", "x",
		       "--init-database cannot be combined with a PATH");
	expect_message(&index_program, "copy-to", "x", "--copy-to cannot be combined with a PATH");
	expect_message(&find_program, "between", "/", "--between cannot be combined with a DIR");
	expect_message(&find_program, "between", "x", "--between cannot be combined with a FILE");
	expect_message(&find_program, "partition", "/dev/null",
		       "--partition cannot be combined with a FILE");
	/* A DIR may have been meant. */
	expect_message(&find_program, "partition", "x", "x: No such file or directory");
}

/* ---- Options that a program does not have ---- */

static const struct option_program *const programs[] = {&index_program, &find_program,
							&keep_program};

/* Return the program that a message names as 'simkeep ...', or NULL. */
static const struct option_program *find_named(const char *message)
{
	char word[16];

	for (size_t p = 0; p < 3; p++) {
		snprintf(word, sizeof word, "'%s ", programs[p]->name);
		if (strstr(message, word) != NULL)
			return programs[p];
	}
	return NULL;
}

/*
 * Check that each --OPTION in an answer exists in the program that the answer names, or in this
 * program.
 */
static void check_answer(const struct option_program *program, const char *name)
{
	const struct option_program *named;
	struct simhash_error error = {.message = ""};
	const char *at;

	assert_int_equal(refuse_unknown(program, name, NULL, &error), -1);
	at = strchr(error.message, ' ');
	named = find_named(error.message);
	if (strncmp(error.message, "unknown option ", 15) == 0)
		at = strchr(at + 1, ';');
	while (at != NULL && (at = strstr(at, "--")) != NULL) {
		size_t size = strspn(at + 2, "abcdefghijklmnopqrstuvwxyz0123456789-");
		if (find_row(named != NULL ? named : program, at + 2, size) == NULL)
			fail_msg("%s --%s: no option %.*s: %s", program->name, name, (int)size + 2,
				 at, error.message);
		at += 2;
	}
}

/* An option that exists has no answer. */
static void check_row_has_no_answer(const struct option_program *program,
				    const struct option_row *row)
{
	const char letter[] = {row->letter, '\0'};
	struct simhash_error error;

	refuse_unknown(program, row->name, NULL, &error);
	assert_non_null(strstr(error.message, "unknown option --"));
	refuse_unknown(program, letter, NULL, &error);
	if (row->letter != 0)
		assert_non_null(strstr(error.message, "unknown option -"));
}

static void answers_name_options_that_exist(void **state)
{
	static const char *const similar[] = {
		"recursive", "dry-run",	  "json",      "csv",	    "delete",	  "hardlink",
		"reflink",   "threshold", "include",   "extension", "follow",	  "jobs",
		"dedupe",    "move",	  "gitignore", "db",	    "files-from", "max-depth",
		"paranoid",  "tree",	  "silent"};

	(void)state;
	for (size_t p = 0; p < 3; p++) {
		for (size_t i = 0; i < sizeof similar / sizeof *similar; i++)
			check_answer(programs[p], similar[i]);
		for (size_t i = 0; i < programs[p]->count; i++) {
			const char *name = programs[p]->rows[i].name;
			if (name == NULL || option_is_part(&programs[p]->rows[i]))
				continue;
			check_row_has_no_answer(programs[p], &programs[p]->rows[i]);
			for (size_t other = 0; other < 3; other++)
				if (find_row(programs[other], name, strlen(name)) == NULL)
					check_answer(programs[other], name);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_name_options_and_values_that_exist),
		cmocka_unit_test(programs_have_few_options),
		cmocka_unit_test(answers_name_options_that_exist),
		cmocka_unit_test(pairs_are_refused_as_listed),
		cmocka_unit_test(values_are_refused_as_listed),
		cmocka_unit_test(a_task_lifts_no_other_refusal_unless_it_says_so),
		cmocka_unit_test(needs_name_both),
		cmocka_unit_test(operands_are_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
