/*
 * The options of simfind: a table, and what is particular to some of them.
 * SPDX-License-Identifier: MIT
 */
#include "cli/find_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "base/read_file.h"
#include "cli/options.h"

#define PARTS_MAX 65536
#define NEAREST_MAX 100000
#define TOLERANCES_MAX 1000

void find_arguments_init(struct find_arguments *arguments)
{
	*arguments = (struct find_arguments){.formatter = formatter_find("text"),
					     .resources = {.threads = processors()}};
	find_request_init(&arguments->request);
	arguments->request.max_inflated_bytes = MAX_INFLATED_BYTES;
}

void find_arguments_release(struct find_arguments *arguments)
{
	rule_release(&arguments->request.rule);
	free(arguments->between_text[0]);
	free(arguments->between_text[1]);
	free(arguments->queries);
	free(arguments->names);
	free(arguments->tolerances);
}

/* ---- What is similar ---- */

static int set_tolerance(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	arguments->has_tolerance = true;
	return simhash_tolerance_parse(use->text, use->field, error);
}

static int set_key(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	arguments->has_key = true;
	return set_enum(use, error);
}

static int add_tolerance_for(const struct option_use *use, struct simhash_error *error)
{
	return rule_add_tolerance(use->field, use->text, error);
}

static int add_tolerances(const struct option_use *use, struct simhash_error *error)
{
	return rule_read_tolerances(use->field, use->text, error);
}

static int set_size_ratio(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	if (simhash_size_ratio_parse(use->text, use->field, error) != 0)
		return -1;
	arguments->request.versions_ratio_millionths =
		arguments->request.rule.tolerance.size_ratio_millionths;
	return 0;
}

/* A measure is made only to have its errors before an index is opened. */
static int set_measure(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	struct simhash_measure *measure;

	if (arguments->request.measure_text != NULL)
		return error_set(error, SIMHASH_E_SYNTAX, "--measure can be given only once");
	if (measure_option_parse(use->text, &measure, error) != 0)
		return -1;
	simhash_measure_free(measure);
	arguments->request.measure_text = use->text;
	return 0;
}

static int set_min_similarity(const struct option_use *use, struct simhash_error *error)
{
	double *similarity = use->field;

	if (parse_decimal(use, use->text, 1, similarity, error) != 0)
		return -1;
	return *similarity > 0
		       ? 0
		       : error_set(error, SIMHASH_E_RANGE,
				   "--min-similarity '%s': expected a number above 0", use->text);
}

static int set_min_resemblance(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	arguments->has_min_resemblance = true;
	return parse_decimal(use, use->text, 1, use->field, error);
}

/* ---- Statistics ---- */

static int add_tolerance(struct find_arguments *arguments, int64_t percent_millionths,
			 struct simhash_error *error)
{
	if (arguments->tolerance_count == TOLERANCES_MAX)
		return error_set(error, SIMHASH_E_RANGE,
				 "--sweep has more than %d tolerances; expected a larger FACTOR",
				 TOLERANCES_MAX);
	if (array_reserve(&arguments->tolerances, &arguments->tolerance_capacity,
			  arguments->tolerance_count + 1, sizeof *arguments->tolerances,
			  error) != 0)
		return -1;
	arguments->tolerances[arguments->tolerance_count++] = percent_millionths;
	return 0;
}

/* The tolerances are FROM * FACTOR^k, each rounded to a millionth. */
static int add_sweep(struct find_arguments *arguments, int64_t from, double limit, double factor,
		     struct simhash_error *error)
{
	int64_t last = -1;

	arguments->tolerance_count = 0;
	for (double t = (double)from; t <= limit + 0.5; t *= factor) {
		int64_t rounded = (int64_t)(t + 0.5);
		if (rounded != last && add_tolerance(arguments, rounded, error) != 0)
			return -1;
		last = rounded;
	}
	return 0;
}

static int set_sweep(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	const char *text = use->text == NULL ? "0.01:6:1.2" : use->text;
	char *copy = strdup(text), *to, *by = NULL;
	double limit = 0, factor = 0;
	int64_t from = 0;
	int status = -1;

	if (copy == NULL)
		return error_set_memory(error);
	to = strchr(copy, ':');
	if (to != NULL) {
		*to++ = '\0';
		by = strchr(to, ':');
	}
	if (by == NULL) {
		error_set(error, SIMHASH_E_SYNTAX,
			  "--sweep '%s': expected FROM:TO:FACTOR, such as 0.01:6:1.2", text);
		goto out;
	}
	*by++ = '\0';
	if (simhash_tolerance_parse(copy, &from, error) != 0 ||
	    parse_decimal(use, to, 100, &limit, error) != 0 ||
	    parse_decimal(use, by, 1000, &factor, error) != 0)
		goto out;
	limit *= SIMHASH_MILLION;
	arguments->is_sweep = true;
	status = from > 0 && factor > 1 && limit >= (double)from
			 ? add_sweep(arguments, from, limit, factor, error)
			 : error_set(error, SIMHASH_E_RANGE,
				     "--sweep '%s': expected FROM above 0, TO not below FROM, and "
				     "FACTOR above 1",
				     text);
out:
	free(copy);
	return status;
}

/* ---- Which files ---- */

static int set_partition(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	const char *text = use->text;
	unsigned long part, parts = 0;
	char *end;

	errno = 0;
	part = strtoul(text, &end, 10);
	if (text[0] >= '1' && text[0] <= '9' && *end == '/' && end[1] >= '1' && end[1] <= '9')
		parts = strtoul(end + 1, &end, 10);
	if (errno != 0 || parts == 0 || *end != '\0' || part > parts || parts > PARTS_MAX)
		return error_set(error, SIMHASH_E_RANGE,
				 "--partition '%s': expected I/N, such as 2/8, with I from 1 to N "
				 "and N up to %d",
				 text, PARTS_MAX);
	arguments->request.part = (unsigned)part - 1;
	arguments->request.parts = (unsigned)parts;
	return 0;
}

static int set_nearest(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	uint64_t number;

	if (parse_number(use, 1, NEAREST_MAX, &number, error) != 0)
		return -1;
	arguments->request.nearest = (size_t)number;
	return 0;
}

/* A directory as a text of its own. What is gone may still be in the index. */
static int resolve_side(const char *text, char **owned, struct simhash_error *error)
{
	struct stat status;

	*owned = realpath(text, NULL);
	if (*owned == NULL && text[0] == '/')
		*owned = strdup(text);
	if (*owned == NULL)
		return error_set_errno(error, "--between: cannot find directory %s", text);
	if (stat(*owned, &status) == 0 && !S_ISDIR(status.st_mode))
		return error_set(error, SIMHASH_E_RANGE, "--between: %s is not a directory", text);
	return 0;
}

/* "HOST:", "HOST:/DIRECTORY" or a directory of this host. */
static int parse_side(const char *text, char **owned, struct find_side *side,
		      struct simhash_error *error)
{
	size_t host = 0, size;
	char *path;

	while (is_host_character(text[host]))
		host++;
	*side = (struct find_side){.host = NULL};
	if (host > 0 && text[host] == ':') {
		*owned = strdup(text);
		if (*owned == NULL)
			return error_set_memory(error);
		(*owned)[host] = '\0';
		side->host = *owned;
		path = *owned + host + 1;
		if (path[0] != '\0' && path[0] != '/')
			return error_set(error, SIMHASH_E_SYNTAX,
					 "--between '%s': expected an absolute directory after the "
					 "host",
					 text);
	} else {
		if (resolve_side(text, owned, error) != 0)
			return -1;
		path = *owned;
	}
	size = strlen(path);
	while (size > 0 && path[size - 1] == '/')
		size--;
	side->directory = (struct bytes){path, size};
	return 0;
}

static int set_between(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	const char *const texts[] = {use->text, use->second};

	arguments->request.has_between = true;
	for (int i = 0; i < 2; i++) {
		free(arguments->between_text[i]);
		arguments->between_text[i] = NULL;
		if (parse_side(texts[i], &arguments->between_text[i],
			       &arguments->request.between[i], error) != 0)
			return -1;
	}
	return 0;
}

/* `path` NULL is standard input. */
static int add_query(struct find_arguments *arguments, const char *path,
		     struct simhash_error *error)
{
	const char *name = arguments->stdin_name == NULL ? "" : arguments->stdin_name;

	if (array_reserve(&arguments->queries, &arguments->query_capacity,
			  arguments->query_count + 1, sizeof *arguments->queries, error) != 0)
		return -1;
	arguments->queries[arguments->query_count++] =
		(struct find_query){.path = path, .name = path == NULL ? name : NULL};
	return 0;
}

static int read_names(struct find_arguments *arguments, const char *path,
		      struct simhash_error *error)
{
	size_t size;

	if (read_file(path, SIZE_MAX, &arguments->names, &size, error) != 0)
		return -1;
	for (size_t at = 0; at < size;) {
		const char *name = arguments->names + at;
		if (name[0] == '\0')
			return error_set(
				error, SIMHASH_E_SYNTAX,
				"%s: empty file name; expected names terminated by zero bytes",
				path);
		if (add_query(arguments, name, error) != 0)
			return -1;
		at += strlen(name) + 1;
	}
	return 0;
}

static int take_files(struct find_arguments *arguments, int count, char **files,
		      struct simhash_error *error)
{
	const char *names_from = arguments->names_from;
	bool has_list = names_from != NULL && strcmp(names_from, "-") == 0;
	bool has_stdin = has_list;

	arguments->has_files = count > 0 || names_from != NULL;
	for (int i = 0; i < count; i++) {
		bool is_stdin = strcmp(files[i], "-") == 0;
		if (is_stdin && has_stdin)
			return error_set(
				error, SIMHASH_E_SYNTAX,
				"FILE - cannot be combined with %s: both read standard input",
				has_list ? "--files0-from=-" : "another FILE -");
		has_stdin = has_stdin || is_stdin;
		if (add_query(arguments, is_stdin ? NULL : files[i], error) != 0)
			return -1;
	}
	return names_from == NULL ? 0 : read_names(arguments, names_from, error);
}

/* ---- Output ---- */

static int set_group(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	arguments->has_groups = true;
	return set_enum(use, error);
}

/* --null is --format=null. */
static int set_format(const struct option_use *use, struct simhash_error *error)
{
	(void)error;
	*(const struct formatter **)use->field =
		formatter_find(use->text != NULL ? use->text : "null");
	return 0;
}

/* ---- The table ---- */

static const char *const key_words[] = {"uniform",     "scatter",  "skew", "uniform_ext",
					"scatter_ext", "skew_ext", NULL};
static const char *const candidates_words[] = {"exact", "key", NULL};
static const char *const format_words[] = {"text", "csv", "json", "jsonl", "null", "html", NULL};
static const char *const linkage_words[] = {"representative", "single", NULL};
static const char *const verify_words[] = {"no", "sketch", "read", "all", NULL};
static const char *const measure_words[] = {"simhash64", "simhash128", "minhash", "bottomk", NULL};

/* The order of each of these is that of an enum. */
_Static_assert(SIMHASH_UNIFORM == 0 && SIMHASH_SKEW_EXT == 5, "key_words");
_Static_assert(CANDIDATES_EXACT == 0 && CANDIDATES_KEY == 1, "candidates_words");
_Static_assert(LINK_REPRESENTATIVE == 0 && LINK_SINGLE == 1, "linkage_words");
_Static_assert(VERIFY_NO == 0 && VERIFY_ALL == 3, "verify_words");

#define FIELD(member) OPTION_FIELD(struct find_arguments, member)

static const struct option_row rows[] = {
	{.heading = "Which index"},
	{'d', "database", "=URL",
	 "use this index: sqlite:FILE or mysql://USER@HOST/DATABASE (default: as for simhash)",
	 .parse = set_text, .field = FIELD(location.url), .kind = VALUE_DATABASE},
	{0, "defaults-file", "=FILE",
	 "read only this option file for a server (default: ~/.my.cnf and the system's)",
	 .parse = set_text, .field = FIELD(location.defaults_file), .kind = VALUE_FILE},
	{'t', "tag-set", "=FILE", "search the rows made with the tags of FILE", .parse = set_text,
	 .field = FIELD(tag_file), .kind = VALUE_FILE},
	{0, "host", "=NAME", "treat the files of host NAME as those of this host",
	 .parse = set_text, .field = FIELD(host), .kind = VALUE_TEXT},

	{.heading = "What is similar"},
	{'T', "tolerance", "=PERCENT",
	 "maximum difference of counts, in percent of size (default: 5, or 1 with --verify=no)",
	 .parse = set_tolerance, .field = FIELD(request.rule.tolerance.percent_millionths),
	 .kind = VALUE_TEXT},
	{0, "tolerance-for", "=EXTENSION=PERCENT",
	 "tolerance of files with EXTENSION; can be given several times",
	 .parse = add_tolerance_for, .field = FIELD(request.rule), .kind = VALUE_TEXT,
	 .is_list = true},
	{0, "tolerances", "=FILE", "read tolerances from FILE, with lines EXTENSION=PERCENT",
	 .parse = add_tolerances, .field = FIELD(request.rule), .kind = VALUE_FILE,
	 .is_list = true},
	{0, "min-resemblance", "=R",
	 "minimum share of content in common, 0 to 1; the default is 0.3 to 0.75, more where the "
	 "counts differ more, and 0.8 with --verify=read or all",
	 .parse = set_min_resemblance, .field = FIELD(request.rule.verify.min_resemblance),
	 .kind = VALUE_TEXT, .not_with = "verify=no nearest"},
	{0, "same-extension", NULL, "list files of different extensions only if they are identical",
	 .parse = set_flag, .field = FIELD(request.rule.verify.same_extension),
	 .not_with = "verify=no"},
	{'k', "key", "=KEY",
	 "use uniform, scatter, skew, or one of these with _ext (default: skew_ext); an _ext key "
	 "that is given implies --same-extension",
	 .parse = set_key, .field = FIELD(request.rule.key), .kind = VALUE_WORD,
	 .words = key_words},
	{0, "candidates", "=HOW",
	 "exact: compare all files within the tolerance (default); key: only those whose keys "
	 "are within it too",
	 .parse = set_enum, .field = FIELD(request.rule.candidates), .kind = VALUE_WORD,
	 .words = candidates_words},
	{0, "size-ratio", "=RATIO",
	 "maximum ratio of the sizes of a pair (default: 1.5, or 2 for what --versions adds)",
	 .parse = set_size_ratio, .field = FIELD(request.rule.tolerance.size_ratio_millionths),
	 .kind = VALUE_TEXT},
	{0, "versions", NULL,
	 "also list what sketches alone propose: versions that differ more, and parts of files",
	 .parse = set_flag, .field = FIELD(request.versions),
	 .not_with = "verify=no measure partition nearest"},
	{0, "empty", NULL, "include empty files", .parse = set_flag,
	 .field = FIELD(request.with_empty)},
	{0, "hard-links", NULL, "list hard links of one file as pairs", .parse = set_flag,
	 .field = FIELD(request.hard_links)},

	{.heading = "By another measure"},
	{0, "measure", "=MEASURE",
	 "find pairs by the sketches that simhash --measure=MEASURE stored", .parse = set_measure,
	 .kind = VALUE_START, .words = measure_words,
	 .not_with = "key tolerance tolerance-for tolerances candidates size-ratio "
		     "same-extension nearest partition format=html"},
	{0, "min-similarity", "=S",
	 "minimum similarity by --measure, at most 1 (default: at most 3 of 64 or 6 of 128 bits "
	 "differ, or a Jaccard index of 0.8)",
	 .parse = set_min_similarity, .field = FIELD(request.min_similarity), .kind = VALUE_TEXT,
	 .needs = "measure"},
	{0, "compare", " A B", "compare two files by every measure, without an index",
	 .parse = set_flag, .field = FIELD(compare),
	 .only_with = "measure tolerance size-ratio tag-set output quiet FILE"},

	{.heading = "Verifying, and reading files"},
	{0, "verify", "=HOW",
	 "sketch: check pairs by their stored sketches (default); read: read the files where "
	 "sketches leave it open; all: read those of every pair; no: list pairs by counts alone",
	 .parse = set_enum, .field = FIELD(request.rule.verify.mode), .kind = VALUE_WORD,
	 .words = verify_words},
	{'z', "decompress", NULL, "also find files similar to the content of gzip FILEs",
	 .parse = set_flag, .field = FIELD(request.inflate), .needs = "FILE"},
	{0, "max-inflated", "=SIZE",
	 "give up on content that inflates to more than SIZE (default: 16G)", .parse = set_size,
	 .field = FIELD(request.max_inflated_bytes), .kind = VALUE_TEXT, .needs = "decompress"},

	{.heading = "Which files"},
	{0, "files0-from", "=FILE",
	 "read the names of FILEs from FILE, each terminated by a zero byte; - is standard input",
	 .parse = set_text, .field = FIELD(names_from), .kind = VALUE_FILE},
	{0, "stdin-name", "=NAME", "name of standard input, for its extension", .parse = set_text,
	 .field = FIELD(stdin_name), .kind = VALUE_TEXT, .needs = "FILE"},
	{0, "nearest", "=N", "list the N files nearest to each FILE by counts, similar or not",
	 .parse = set_nearest, .kind = VALUE_TEXT, .needs = "FILE",
	 .not_with = "tolerance tolerance-for tolerances candidates=key"},
	{0, "between", " A B",
	 "list only pairs of a file in A and one in B, each a directory, HOST: or HOST:DIRECTORY",
	 .parse = set_between, .kind = VALUE_SIDES, .not_with = "files0-from FILE"},

	{.heading = "Output"},
	{0, "group", "[=HOW]",
	 "list groups instead of pairs, by representative (default) or single linkage",
	 .parse = set_group, .field = FIELD(linkage), .kind = VALUE_WORD, .words = linkage_words,
	 .not_with = "expand partition"},
	{0, "expand", NULL, "list all pairs of identical files, and the pairs of each with others",
	 .parse = set_flag, .field = FIELD(request.expand), .not_with = "format=html"},
	{0, "format", "=FORMAT",
	 "write text (default), csv, json, jsonl, null, or html, a report for a web browser",
	 .parse = set_format, .field = FIELD(formatter), .kind = VALUE_WORD, .words = format_words},
	{'0', "null", NULL, "the same as --format=null", .parse = set_format,
	 .field = FIELD(formatter), .not_with = "format"},
	{'o', "output", "=FILE", "write to FILE instead of standard output", .parse = set_text,
	 .field = FIELD(output_path), .kind = VALUE_FILE},
	{0, "script", "=FILE",
	 "also write a shell script that can replace or delete copies once you have edited it",
	 .parse = set_text, .field = FIELD(script_path), .kind = VALUE_FILE},
	{0, "stats", NULL, "show how many pairs pass each step, for each key", .parse = set_flag,
	 .field = FIELD(has_stats),
	 .only_with = "database defaults-file tag-set host tolerance size-ratio empty output "
		      "threads quiet"},
	{0, "sweep", "[=FROM:TO:FACTOR]",
	 "the same for one key and many tolerances (default: 0.01:6:1.2)", .parse = set_sweep,
	 .kind = VALUE_TEXT,
	 .only_with = "database defaults-file tag-set host key size-ratio empty output threads "
		      "quiet"},
	{0, "progress", "=WHEN", "show progress: auto (default, on a terminal), always or never",
	 .parse = set_enum, .field = FIELD(progress), .kind = VALUE_WORD, .words = progress_words},
	{'q', "quiet", NULL, "show neither progress nor the summary", .parse = set_flag,
	 .field = FIELD(quiet), .not_with = "progress=always"},

	{.heading = "Work"},
	{'j', "threads", "=N", "use N threads (default: one for each processor)",
	 .parse = set_threads, .field = FIELD(resources.threads), .kind = VALUE_TEXT},
	{0, "partition", "=I/N", "find part I of N of the pairs", .parse = set_partition,
	 .kind = VALUE_TEXT, .not_with = "format=html files0-from FILE"},
	{0, "fail-on-match", NULL, "exit with status 1 if anything is found", .parse = set_flag,
	 .field = FIELD(fail_on_match)},
	{'h', "help", NULL, "show this help and exit", .parse = show_help},
	{'V', "version", NULL, "show the version and exit", .parse = show_version},
};

static const struct retired_option retired[] = {
	{"confirm", "use --verify=read, or --verify=all to read every pair"},
	{"max-change", "use --min-resemblance"},
	{NULL, NULL},
};

const struct option_program find_program = {
	.name = "simfind",
	.usage = "Usage: simfind [OPTION]... [FILE]...\n"
		 "List the pairs of similar files in the index. With FILEs, list the files of "
		 "the\nindex that are similar to each FILE; - is standard input.\n",
	.operand = "FILE",
	.operand_list = "files0-from",
	.help_column = 27,
	.rows = rows,
	.count = sizeof rows / sizeof *rows,
	.retired = retired,
};

/* ---- What no row can say ---- */

static bool has_stdin(const struct find_arguments *arguments)
{
	for (size_t i = 0; i < arguments->query_count; i++)
		if (arguments->queries[i].path == NULL)
			return true;
	return false;
}

/* What the rule is where options left it open. */
static void settle_rule(struct find_arguments *arguments)
{
	struct find_rule *rule = &arguments->request.rule;
	struct verify_rule *verify = &rule->verify;
	bool verifies = verify->mode != VERIFY_NO && !arguments->has_stats &&
			!arguments->is_sweep && !arguments->compare;

	if (arguments->has_tolerance)
		rule->unverified_percent_millionths = INT64_MAX;
	else if (!verifies)
		rule->tolerance.percent_millionths = rule->unverified_percent_millionths;
	if (verifies && arguments->has_key && rule->key >= SIMHASH_UNIFORM_EXT)
		verify->same_extension = true;
	if (verify->mode >= VERIFY_READ && !arguments->has_min_resemblance)
		verify->min_resemblance = READ_MIN_RESEMBLANCE;
}

static int check(const struct find_arguments *arguments, struct simhash_error *error)
{
	if (arguments->request.measure_text != NULL && arguments->has_min_resemblance &&
	    arguments->request.rule.verify.mode < VERIFY_READ)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--min-resemblance with --measure needs --verify=read");
	if (arguments->compare && (arguments->query_count != 2 || has_stdin(arguments)))
		return error_set(error, SIMHASH_E_SYNTAX, "--compare needs two FILEs");
	if (arguments->stdin_name != NULL && !has_stdin(arguments))
		return error_set(error, SIMHASH_E_SYNTAX, "--stdin-name needs FILE -");
	if (arguments->progress == PROGRESS_ALWAYS && arguments->has_files)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--progress=always cannot be combined with a FILE");
	if (arguments->script_path != NULL && arguments->output_path != NULL &&
	    strcmp(arguments->script_path, arguments->output_path) == 0)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--script and --output name the same file");
	return 0;
}

int find_arguments_parse(struct find_arguments *arguments, int argc, char **argv,
			 struct simhash_error *error)
{
	int first, status = options_parse(&find_program, argc, argv, arguments, &first, error);

	if (status != 0)
		return status;
	settle_rule(arguments);
	if (arguments->has_stats &&
	    add_tolerance(arguments, arguments->request.rule.tolerance.percent_millionths, error) !=
		    0)
		return -1;
	return take_files(arguments, argc - first, argv + first, error) != 0
		       ? -1
		       : check(arguments, error);
}
