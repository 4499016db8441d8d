/*
 * Parsing the options of simfind.
 * SPDX-License-Identifier: MIT
 */
#include "cli/find_options.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/open_file.h"
#include "cli/options.h"

#define PARTS_MAX 65536
#define NEAREST_MAX 100000
#define TOLERANCES_MAX 1000

static void print_help(void)
{
	fputs("Usage: simfind [OPTION]... [FILE]...\n"
	      "List the pairs of files in the index that are nearly the same; with FILEs, those\n"
	      "in the index that are similar to each FILE. FILE - is standard input.\n"
	      "\n"
	      "Which index:\n"
	      "  -d, --database=URL       sqlite:FILE or mysql://USER@HOST/DATABASE (default:\n"
	      "                           $SIMHASH_DATABASE, else your own SQLite file)\n"
	      "      --defaults-file=FILE the option file for a server (default: ~/.my.cnf\n"
	      "                           and the system's)\n"
	      "  -t, --tag-set=FILE       the rows made with the 16 tags of FILE\n"
	      "      --host=NAME          this host's files are stored as NAME's\n"
	      "\n"
	      "What is similar:\n"
	      "  -T, --tolerance=PERCENT  0 to 100, at most six decimal places (default: 1)\n"
	      "      --tolerance-for=EXTENSION=PERCENT\n"
	      "                           for files of that extension; any number of times\n"
	      "      --tolerances=FILE    a file of such lines\n"
	      "  -k, --key=KEY            uniform, scatter, skew, or one of these with _ext,\n"
	      "                           for files of equal extension (default: skew_ext)\n"
	      "      --candidates=HOW     exact: all pairs within the tolerance (default)\n"
	      "                           key: of these only pairs whose keys are near too\n"
	      "      --size-ratio=RATIO   the larger is at most RATIO times the smaller\n"
	      "                           (default: 1.5)\n"
	      "      --max-change=PERCENT drop pairs of which an estimated PERCENT was changed\n"
	      "      --empty              empty files too\n"
	      "      --hard-links         names of one file are pairs too\n"
	      "\n"
	      "By another measure:\n"
	      "      --measure=MEASURE    pairs by sketches that simhash --measure=MEASURE made\n"
	      "      --min-similarity=S   0 to 1 (default: 3 of 64 or 6 of 128 bits differ,\n"
	      "                           or a Jaccard index of 0.8)\n"
	      "      --compare A B        what every measure says of two files; needs no index\n"
	      "\n"
	      "Reading the files:\n"
	      "      --confirm[=HOW]      measure how much of each pair is the same, and drop\n"
	      "                           what resembles too little; all (default) or doubtful\n"
	      "      --min-resemblance=R  0 to 1 (default: 0.95)\n"
	      "  -z, --decompress         ask for the content of gzip FILEs too\n"
	      "      --max-inflated=SIZE  give up on what inflates to more (default: 16G)\n"
	      "\n"
	      "Which files:\n"
	      "      --files0-from=FILE   names ended by zero bytes; - is standard input\n"
	      "      --stdin-name=NAME    what FILE - is called, for its extension\n"
	      "      --nearest=N          the N nearest of each FILE, whatever the tolerance\n"
	      "      --between A B        only pairs from A to B: directories, or HOST: or\n"
	      "                           HOST:DIRECTORY\n"
	      "\n"
	      "Output:\n"
	      "      --group[=HOW]        groups: representative (default) or single linkage\n"
	      "      --expand             every pair, also of copies with others\n"
	      "      --format=FORMAT      text (default), csv, json, jsonl, null, or html for a\n"
	      "                           report to open in a browser\n"
	      "  -0, --null               the same as --format=null\n"
	      "  -o, --output=FILE        write to FILE instead of standard output\n"
	      "      --script=FILE        write a shell script that could replace or delete\n"
	      "                           copies; it does nothing before you edit it\n"
	      "      --stats              instead of pairs, how many pass each step, by key\n"
	      "      --sweep[=FROM:TO:FACTOR]\n"
	      "                           the same by tolerance (default: 0.01:6:1.2)\n"
	      "      --progress=WHEN      auto (default: on a terminal), always or never\n"
	      "  -q, --quiet              no progress and no summary\n"
	      "\n"
	      "Work:\n"
	      "  -j, --threads=N          threads (default: one for each processor)\n"
	      "      --partition=I/N      do part I of N; all parts together are the whole\n"
	      "      --fail-on-match      exit with status 1 if anything is found\n"
	      "  -h, --help               show this help and exit\n"
	      "  -V, --version            show the version and exit\n"
	      "\n"
	      "Exit status: 0 done, 1 failed, 2 done but some files could not be read.\n",
	      stdout);
}

void find_settings_init(struct find_settings *settings)
{
	*settings = (struct find_settings){.formatter = formatter_find("text"),
					   .resources = {.threads = processors()},
					   .confirm = {.min_resemblance = 0.95}};
	find_request_init(&settings->request);
	settings->request.max_inflated_bytes = MAX_INFLATED_BYTES;
}

void find_settings_release(struct find_settings *settings)
{
	rule_release(&settings->request.rule);
	free(settings->between_text[0]);
	free(settings->between_text[1]);
	free(settings->queries);
	free(settings->names);
	free(settings->tolerances);
}

/* ---- Values ---- */

static int parse_partition(const char *text, struct find_settings *settings,
			   struct simhash_error *error)
{
	char *end;
	unsigned long part, parts = 0;

	errno = 0;
	part = strtoul(text, &end, 10);
	if (text[0] >= '1' && text[0] <= '9' && *end == '/' && end[1] >= '1' && end[1] <= '9')
		parts = strtoul(end + 1, &end, 10);
	if (errno != 0 || parts == 0 || *end != '\0' || part > parts || parts > PARTS_MAX)
		return error_set(
			error, SIMHASH_E_RANGE,
			"partition '%s': expected I/N, such as 2/8, with I from 1 to N and "
			"N up to %d",
			text, PARTS_MAX);
	settings->request.part = (unsigned)part - 1;
	settings->request.parts = (unsigned)parts;
	return 0;
}

/* A decimal with at most six places. */
static int parse_decimal(const char *text, const char *what, int64_t most, double *value,
			 struct simhash_error *error)
{
	int64_t millionths;

	if (decimal_parse(text, strlen(text), 6, most * SIMHASH_MILLION, &millionths) ==
	    DECIMAL_OK) {
		*value = (double)millionths / SIMHASH_MILLION;
		return 0;
	}
	return error_set(error, SIMHASH_E_RANGE,
			 "%s '%s': expected a number from 0 to %d with at most six decimal places",
			 what, text, (int)most);
}

static int add_tolerance(struct find_settings *settings, int64_t percent,
			 struct simhash_error *error)
{
	int64_t *grown;

	if (settings->tolerance_count == TOLERANCES_MAX)
		return error_set(error, SIMHASH_E_RANGE,
				 "the sweep has more than %d tolerances: expected a larger FACTOR",
				 TOLERANCES_MAX);
	grown = realloc(settings->tolerances, (settings->tolerance_count + 1) * sizeof *grown);
	if (grown == NULL)
		return error_set_memory(error);
	settings->tolerances = grown;
	grown[settings->tolerance_count++] = percent;
	return 0;
}

/* FROM:TO:FACTOR; the tolerances are FROM * FACTOR^k, each rounded to a millionth. */
static int parse_sweep(const char *text, struct find_settings *settings,
		       struct simhash_error *error)
{
	char *copy = strdup(text), *to, *by = NULL;
	int64_t from, last = -1;
	double limit = 0, factor = 0;
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
			  "sweep '%s': expected FROM:TO:FACTOR, such as 0.01:6:1.2", text);
		goto out;
	}
	*by++ = '\0';
	if (simhash_tolerance_parse(copy, &from, error) != 0 ||
	    parse_decimal(to, "tolerance", 100, &limit, error) != 0 ||
	    parse_decimal(by, "factor", 1000, &factor, error) != 0)
		goto out;
	if (from == 0 || factor <= 1 || limit * SIMHASH_MILLION < (double)from) {
		error_set(error, SIMHASH_E_RANGE,
			  "sweep '%s': expected a FROM above 0, a TO not below it, and a FACTOR "
			  "above 1",
			  text);
		goto out;
	}
	status = 0;
	for (double t = (double)from; status == 0 && t <= limit * SIMHASH_MILLION + 0.5;
	     t *= factor) {
		int64_t rounded = (int64_t)(t + 0.5);
		if (rounded != last)
			status = add_tolerance(settings, rounded, error);
		last = rounded;
	}
out:
	free(copy);
	return status;
}

/* ---- Sides ---- */

/* "HOST:", "HOST:/DIRECTORY" or a directory of this host. */
static int parse_side(const char *text, char **owned, struct find_side *side,
		      struct simhash_error *error)
{
	const char *directory = text;
	size_t host = 0, size;
	struct stat status;
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
					 "side '%s': expected an absolute directory after the host",
					 text);
	} else {
		*owned = realpath(directory, NULL);
		if (*owned == NULL && directory[0] == '/')
			*owned = strdup(directory); /* what is gone may still be in the index */
		if (*owned == NULL)
			return error_set_errno(error, "cannot find directory %s", directory);
		path = *owned;
		if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode))
			return error_set(error, SIMHASH_E_RANGE, "%s is not a directory", text);
	}
	size = strlen(path);
	while (size > 0 && path[size - 1] == '/')
		size--;
	side->directory = (struct bytes){path, size};
	return 0;
}

static int parse_between(struct find_settings *settings, const char *a, const char *b,
			 struct simhash_error *error)
{
	if (b == NULL)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "option --between: expected two directories or hosts");
	for (int i = 0; i < 2; i++) {
		free(settings->between_text[i]);
		settings->between_text[i] = NULL;
	}
	settings->request.has_between = true;
	return parse_side(a, &settings->between_text[0], &settings->request.between[0], error) !=
				       0 ||
			       parse_side(b, &settings->between_text[1],
					  &settings->request.between[1], error) != 0
		       ? -1
		       : 0;
}

/* ---- The files asked for ---- */

static int add_query(struct find_settings *settings, const char *path, const char *stdin_name,
		     struct simhash_error *error)
{
	struct find_query *grown = settings->queries;
	size_t count = settings->query_count;

	if ((count & (count - 1)) == 0) /* full at each power of two */
		grown = realloc(grown, (count == 0 ? 1 : 2 * count) * sizeof *grown);
	if (grown == NULL)
		return error_set_memory(error);
	settings->queries = grown;
	grown[settings->query_count++] = path == NULL ? (struct find_query){NULL, stdin_name}
						      : (struct find_query){path, NULL};
	return 0;
}

static int read_all(FILE *file, char **text, size_t *size)
{
	size_t room = 0;

	*size = 0;
	do {
		char *grown;
		if (*size + 1 >= room) {
			room = room == 0 ? 65536 : room * 2;
			grown = realloc(*text, room);
			if (grown == NULL)
				return -1;
			*text = grown;
		}
		*size += fread(*text + *size, 1, room - *size - 1, file);
	} while (!feof(file) && !ferror(file));
	(*text)[*size] = '\0';
	return ferror(file) ? -1 : 0;
}

static int read_names(struct find_settings *settings, const char *path, struct simhash_error *error)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : open_stream(path, O_RDONLY, 0, "rb");
	size_t size = 0;
	int status;

	if (file == NULL)
		return error_set_errno(error, "cannot read %s", path);
	status = read_all(file, &settings->names, &size) == 0
			 ? 0
			 : error_set_errno(error, "cannot read %s", path);
	if (!is_stdin)
		fclose(file);
	for (size_t at = 0; status == 0 && at < size;) {
		const char *name = settings->names + at;
		if (name[0] == '\0')
			return error_set(
				error, SIMHASH_E_SYNTAX,
				"%s: an empty file name; expected names ended by zero bytes", path);
		status = add_query(settings, name, NULL, error);
		at += strlen(name) + 1;
	}
	return status;
}

enum {
	OPTION_HOST = 256,
	OPTION_DEFAULTS_FILE,
	OPTION_SIZE_RATIO,
	OPTION_FORMAT,
	OPTION_EMPTY,
	OPTION_CANDIDATES,
	OPTION_PARTITION,
	OPTION_GROUP,
	OPTION_EXPAND,
	OPTION_CONFIRM,
	OPTION_MIN_RESEMBLANCE,
	OPTION_MAX_CHANGE,
	OPTION_TOLERANCE_FOR,
	OPTION_TOLERANCES,
	OPTION_STATS,
	OPTION_SWEEP,
	OPTION_FILES0_FROM,
	OPTION_STDIN_NAME,
	OPTION_NEAREST,
	OPTION_BETWEEN,
	OPTION_HARD_LINKS,
	OPTION_MAX_INFLATED,
	OPTION_SCRIPT,
	OPTION_PROGRESS,
	OPTION_FAIL_ON_MATCH,
	OPTION_MEASURE,
	OPTION_MIN_SIMILARITY,
	OPTION_COMPARE,
	OPTIONS_END
};

struct parsing {
	struct find_settings *settings;
	const char *names_from, *stdin_name;
	bool has_stats;
	bool given[OPTIONS_END]; /* by the option's letter or number */
	char **argv;
	int argc;
};

static int parse_rule_option(struct parsing *p, int option, struct simhash_error *error)
{
	static const char *const candidates[] = {"exact", "key", NULL};
	struct find_rule *rule = &p->settings->request.rule;
	int word;

	switch (option) {
	case 'k':
		return simhash_key_parse(optarg, &rule->key, error);
	case 'T':
		return simhash_tolerance_parse(optarg, &rule->tolerance.percent_millionths, error);
	case OPTION_SIZE_RATIO:
		return simhash_size_ratio_parse(optarg, &rule->tolerance.size_ratio_millionths,
						error);
	case OPTION_TOLERANCE_FOR:
		return rule_add_tolerance(rule, optarg, error);
	case OPTION_TOLERANCES:
		return rule_read_tolerances(rule, optarg, error);
	case OPTION_CANDIDATES:
	default:
		if (parse_word(optarg, "candidates", candidates, "exact or key", &word, error) != 0)
			return -1;
		rule->candidates = word == 0 ? CANDIDATES_EXACT : CANDIDATES_KEY;
		return 0;
	}
}

static int parse_output_option(struct parsing *p, int option, struct simhash_error *error)
{
	static const char *const linkages[] = {"representative", "single", NULL};
	static const char *const confirms[] = {"all", "doubtful", NULL};
	struct find_settings *settings = p->settings;
	uint64_t number;
	int word = 0;

	switch (option) {
	case OPTION_FORMAT:
		settings->formatter = formatter_find(optarg);
		return settings->formatter != NULL ? 0
						   : error_set(error, SIMHASH_E_RANGE,
							       "unknown format '%s': expected %s",
							       optarg, formatter_names);
	case OPTION_GROUP:
		if (optarg != NULL && parse_word(optarg, "grouping", linkages,
						 "representative or single", &word, error) != 0)
			return -1;
		settings->has_groups = true;
		settings->linkage = word == 0 ? LINK_REPRESENTATIVE : LINK_SINGLE;
		return 0;
	case OPTION_CONFIRM:
		if (optarg != NULL && parse_word(optarg, "way to confirm", confirms,
						 "all or doubtful", &word, error) != 0)
			return -1;
		settings->confirm.mode = word == 0 ? CONFIRM_ALL : CONFIRM_DOUBTFUL;
		return 0;
	case OPTION_MIN_RESEMBLANCE:
		return parse_decimal(optarg, "resemblance", 1, &settings->confirm.min_resemblance,
				     error);
	case OPTION_MIN_SIMILARITY:
		if (parse_decimal(optarg, "similarity", 1, &settings->request.min_similarity,
				  error) != 0)
			return -1;
		return settings->request.min_similarity > 0
			       ? 0
			       : error_set(error, SIMHASH_E_RANGE,
					   "similarity '%s': expected a number above 0", optarg);
	case OPTION_MAX_CHANGE:
		if (parse_decimal(optarg, "change", 1000, &settings->request.max_change, error) !=
		    0)
			return -1;
		settings->request.max_change /= 100;
		return 0;
	case OPTION_SWEEP:
		settings->is_sweep = true;
		settings->tolerance_count = 0;
		return parse_sweep(optarg == NULL ? "0.01:6:1.2" : optarg, settings, error);
	case OPTION_NEAREST:
		if (parse_number(optarg, "nearest", 1, NEAREST_MAX, &number, error) != 0)
			return -1;
		settings->request.nearest = (size_t)number;
		return 0;
	case OPTION_BETWEEN:
	default: {
		const char *b = optind < p->argc ? p->argv[optind++] : NULL;
		return parse_between(settings, optarg, b, error);
	}
	}
}

/* What is wrong with it is said before an index is opened. */
static int set_measure(struct find_settings *settings, const char *text,
		       struct simhash_error *error)
{
	struct simhash_measure *measure;

	if (settings->request.measure_text != NULL)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--measure: pairs are found by one measure at a time");
	if (simhash_measure_new(text, &measure, error) != 0)
		return -1;
	simhash_measure_free(measure);
	settings->request.measure_text = text;
	return 0;
}

/* Options that only note something. */
static int parse_option(struct parsing *p, int option, struct simhash_error *error)
{
	struct find_settings *settings = p->settings;

	switch (option) {
	case 'd':
		settings->location.url = optarg;
		return 0;
	case OPTION_DEFAULTS_FILE:
		settings->location.defaults_file = optarg;
		return 0;
	case 't':
		settings->tag_file = optarg;
		return 0;
	case OPTION_HOST:
		settings->host = optarg;
		return 0;
	case OPTION_EMPTY:
		settings->request.with_empty = true;
		return 0;
	case OPTION_EXPAND:
		settings->request.expand = true;
		return 0;
	case OPTION_STATS:
		p->has_stats = true;
		return 0;
	case OPTION_FILES0_FROM:
		p->names_from = optarg;
		return 0;
	case OPTION_STDIN_NAME:
		p->stdin_name = optarg;
		return 0;
	case OPTION_PARTITION:
		return parse_partition(optarg, settings, error);
	case OPTION_HARD_LINKS:
		settings->request.hard_links = true;
		return 0;
	case 'z':
		settings->request.inflate = true;
		return 0;
	case OPTION_MAX_INFLATED:
		return parse_size(optarg, "size", &settings->request.max_inflated_bytes, error);
	case '0':
		settings->formatter = formatter_find("null");
		return 0;
	case OPTION_SCRIPT:
		settings->script_path = optarg;
		return 0;
	case OPTION_MEASURE:
		return set_measure(settings, optarg, error);
	case OPTION_COMPARE:
		settings->compare = true;
		return 0;
	case OPTION_FAIL_ON_MATCH:
		settings->fail_on_match = true;
		return 0;
	case OPTION_PROGRESS:
		return parse_progress(optarg, &settings->progress, error);
	case 'j':
		return parse_threads(optarg, &settings->resources.threads, error);
	case 'o':
		settings->output_path = optarg;
		return 0;
	case 'q':
		settings->quiet = true;
		return 0;
	case 'h':
		print_help();
		return 1;
	case 'V':
		print_version("simfind");
		return 1;
	case 'k':
	case 'T':
	case OPTION_SIZE_RATIO:
	case OPTION_TOLERANCE_FOR:
	case OPTION_TOLERANCES:
	case OPTION_CANDIDATES:
		return parse_rule_option(p, option, error);
	case '?':
	case ':': /* getopt has said what is wrong */
		return error_set(error, SIMHASH_E_SYNTAX, "try 'simfind --help'");
	default:
		return parse_output_option(p, option, error);
	}
}

static int take_files(struct parsing *p, bool *has_files, struct simhash_error *error)
{
	struct find_settings *settings = p->settings;
	bool has_stdin = false;

	*has_files = optind < p->argc || p->names_from != NULL;
	settings->has_files = *has_files;
	for (int i = optind; i < p->argc; i++) {
		bool is_stdin = strcmp(p->argv[i], "-") == 0;
		if (is_stdin && has_stdin)
			return error_set(error, SIMHASH_E_SYNTAX,
					 "standard input can be asked for once only");
		has_stdin = has_stdin || is_stdin;
		if (is_stdin && p->names_from != NULL && strcmp(p->names_from, "-") == 0)
			return error_set(error, SIMHASH_E_SYNTAX,
					 "standard input cannot be a FILE and a list of them");
		if (add_query(settings, is_stdin ? NULL : p->argv[i],
			      p->stdin_name == NULL ? "" : p->stdin_name, error) != 0)
			return -1;
	}
	return p->names_from == NULL ? 0 : read_names(settings, p->names_from, error);
}

/* ---- What does not go together ---- */

static bool has_stdin(const struct find_settings *settings)
{
	for (size_t i = 0; i < settings->query_count; i++)
		if (settings->queries[i].path == NULL)
			return true;
	return false;
}

/* What --stats and --sweep would not heed. */
static const char *not_with_measures(const bool *given)
{
	static const struct {
		int option;
		const char *reason;
	} options[] = {
		{OPTION_FORMAT, "--format is for pairs and groups, not for --stats and --sweep"},
		{'0', "--null is for pairs and groups, not for --stats and --sweep"},
		{OPTION_MAX_CHANGE,
		 "--max-change is for pairs and groups, not for --stats and --sweep"},
		{OPTION_EXPAND, "--stats and --sweep count every pair; leave out --expand"},
		{OPTION_HARD_LINKS, "--stats and --sweep count every pair; leave out --hard-links"},
		{OPTION_CANDIDATES,
		 "--stats and --sweep count by keys and without; leave out --candidates"},
		{OPTION_SCRIPT, "--script is for pairs and groups, not for --stats and --sweep"},
		{OPTION_FAIL_ON_MATCH,
		 "--fail-on-match is for pairs and groups, not for --stats and --sweep"},
	};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (given[options[i].option])
			return options[i].reason;
	return NULL;
}

/* Which options have no say where another measure has, or where two files are compared. */
static int check_measure(const struct find_settings *settings, const bool *given,
			 struct simhash_error *error)
{
	static const struct {
		int option;
		const char *name;
	} options[] = {
		{'k', "--key"},
		{'T', "--tolerance"},
		{OPTION_SIZE_RATIO, "--size-ratio"},
		{OPTION_TOLERANCE_FOR, "--tolerance-for"},
		{OPTION_TOLERANCES, "--tolerances"},
		{OPTION_CANDIDATES, "--candidates"},
		{OPTION_MAX_CHANGE, "--max-change"},
		{OPTION_PARTITION, "--partition"},
		{OPTION_NEAREST, "--nearest"},
		{OPTION_STATS, "--stats"},
		{OPTION_SWEEP, "--sweep"},
	};

	if (given[OPTION_MIN_SIMILARITY] && settings->request.measure_text == NULL)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--min-similarity needs --measure, whose similarity it is");
	if (settings->request.measure_text == NULL || settings->compare)
		return 0;
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (given[options[i].option])
			return error_set(error, SIMHASH_E_SYNTAX,
					 "%s is for finding by sum tables, and --measure finds by "
					 "sketches alone",
					 options[i].name);
	if (settings->confirm.mode == CONFIRM_DOUBTFUL)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--confirm=doubtful goes by the sum tables; with --measure give "
				 "--confirm, which reads all pairs");
	if (settings->formatter->is_report)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "a report shows sum tables; leave out --measure");
	return 0;
}

static int check_compare(const struct find_settings *settings, const bool *given,
			 struct simhash_error *error)
{
	static const int heeded[] = {
		OPTION_COMPARE, OPTION_MEASURE, OPTION_SIZE_RATIO, 't', 'T', 'o', 'q'};

	if (!settings->compare)
		return 0;
	if (settings->query_count != 2 || settings->queries[0].path == NULL ||
	    settings->queries[1].path == NULL)
		return error_set(error, SIMHASH_E_SYNTAX, "--compare: expected two files");
	for (int option = 0; option < OPTIONS_END; option++) {
		bool is_heeded = false;
		for (size_t i = 0; i < sizeof heeded / sizeof *heeded; i++)
			is_heeded = is_heeded || heeded[i] == option;
		if (given[option] && !is_heeded)
			return error_set(error, SIMHASH_E_SYNTAX,
					 "--compare heeds --measure, --output, --tolerance, "
					 "--size-ratio and --tag-set, and no other option");
	}
	return 0;
}

static int check(const struct parsing *p, bool has_files, struct simhash_error *error)
{
	const struct find_settings *settings = p->settings;
	const char *reason = NULL;
	bool measures = settings->tolerance_count > 0;

	if (settings->request.nearest > 0 && !has_files)
		reason = "--nearest needs FILEs";
	else if (settings->request.has_between && has_files)
		reason = "--between is for all pairs, not for FILEs";
	else if (settings->request.parts > 1 && has_files)
		reason = "--partition is for all pairs, not for FILEs";
	else if (settings->request.parts > 1 && settings->formatter->is_report)
		reason = "a report needs all pairs, and --partition gives a part of them";
	else if (settings->formatter->is_report && settings->request.expand)
		reason = "a report lists copies once; leave out --expand";
	else if (settings->request.parts > 1 && settings->has_groups)
		reason = "--group needs all pairs, and --partition gives a part of them";
	else if (settings->has_groups && settings->request.expand)
		reason = "--group lists copies once; leave out --expand";
	else if (measures &&
		 (has_files || settings->has_groups || settings->request.has_between ||
		  settings->confirm.mode != CONFIRM_NONE || settings->request.parts > 1 ||
		  settings->request.rule.extension_count > 0))
		reason = "--stats and --sweep count all pairs of the index by one tolerance";
	else if (measures)
		reason = not_with_measures(p->given);
	else if (p->given[OPTION_MIN_RESEMBLANCE] && settings->confirm.mode == CONFIRM_NONE)
		reason = "--min-resemblance needs --confirm, which measures it";
	else if (p->stdin_name != NULL && !has_stdin(settings))
		reason = "--stdin-name needs the FILE -";
	else if (settings->request.inflate && !has_files)
		reason = "--decompress is for FILEs; simhash --decompress puts content into the "
			 "index";
	else if (p->given[OPTION_MAX_INFLATED] && !settings->request.inflate)
		reason = "--max-inflated needs --decompress";
	else if (settings->script_path != NULL && settings->output_path != NULL &&
		 strcmp(settings->script_path, settings->output_path) == 0)
		reason = "--script and --output name the same file";
	if (reason == NULL)
		return check_measure(settings, p->given, error) != 0
			       ? -1
			       : check_compare(settings, p->given, error);
	return error_set(error, SIMHASH_E_SYNTAX, "%s", reason);
}

int find_settings_parse(struct find_settings *settings, int argc, char **argv,
			struct simhash_error *error)
{
	static const struct option options[] = {
		{"database", required_argument, NULL, 'd'},
		{"defaults-file", required_argument, NULL, OPTION_DEFAULTS_FILE},
		{"tag-set", required_argument, NULL, 't'},
		{"host", required_argument, NULL, OPTION_HOST},
		{"key", required_argument, NULL, 'k'},
		{"tolerance", required_argument, NULL, 'T'},
		{"tolerance-for", required_argument, NULL, OPTION_TOLERANCE_FOR},
		{"tolerances", required_argument, NULL, OPTION_TOLERANCES},
		{"candidates", required_argument, NULL, OPTION_CANDIDATES},
		{"size-ratio", required_argument, NULL, OPTION_SIZE_RATIO},
		{"max-change", required_argument, NULL, OPTION_MAX_CHANGE},
		{"empty", no_argument, NULL, OPTION_EMPTY},
		{"confirm", optional_argument, NULL, OPTION_CONFIRM},
		{"min-resemblance", required_argument, NULL, OPTION_MIN_RESEMBLANCE},
		{"files0-from", required_argument, NULL, OPTION_FILES0_FROM},
		{"stdin-name", required_argument, NULL, OPTION_STDIN_NAME},
		{"nearest", required_argument, NULL, OPTION_NEAREST},
		{"between", required_argument, NULL, OPTION_BETWEEN},
		{"group", optional_argument, NULL, OPTION_GROUP},
		{"expand", no_argument, NULL, OPTION_EXPAND},
		{"format", required_argument, NULL, OPTION_FORMAT},
		{"output", required_argument, NULL, 'o'},
		{"null", no_argument, NULL, '0'},
		{"script", required_argument, NULL, OPTION_SCRIPT},
		{"fail-on-match", no_argument, NULL, OPTION_FAIL_ON_MATCH},
		{"hard-links", no_argument, NULL, OPTION_HARD_LINKS},
		{"decompress", no_argument, NULL, 'z'},
		{"max-inflated", required_argument, NULL, OPTION_MAX_INFLATED},
		{"progress", required_argument, NULL, OPTION_PROGRESS},
		{"stats", no_argument, NULL, OPTION_STATS},
		{"sweep", optional_argument, NULL, OPTION_SWEEP},
		{"measure", required_argument, NULL, OPTION_MEASURE},
		{"min-similarity", required_argument, NULL, OPTION_MIN_SIMILARITY},
		{"compare", no_argument, NULL, OPTION_COMPARE},
		{"quiet", no_argument, NULL, 'q'},
		{"threads", required_argument, NULL, 'j'},
		{"partition", required_argument, NULL, OPTION_PARTITION},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	struct parsing p = {.settings = settings, .argv = argv, .argc = argc};
	bool has_files;
	int option, status = 0;

	while (status == 0 &&
	       (option = getopt_long(argc, argv, "d:t:k:T:o:j:z0qhV", options, NULL)) != -1) {
		p.given[option] = true;
		status = parse_option(&p, option, error);
	}
	if (status == 0 && p.has_stats && settings->tolerance_count == 0)
		status = add_tolerance(settings,
				       settings->request.rule.tolerance.percent_millionths, error);
	if (status == 0)
		status = take_files(&p, &has_files, error);
	if (status == 0)
		status = check(&p, has_files, error);
	settings->has_min_resemblance = p.given[OPTION_MIN_RESEMBLANCE];
	return status;
}
