/*
 * Defines the table of simfind's options, and checks conflicts between them that the table cannot
 * describe.
 * SPDX-License-Identifier: MIT
 */
#include "cli/options/find_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "cli/options/find_values.h"
#include "cli/options/options.h"
#include "report/formats/formats.h"
#include "report/lists/cover_list.h"
#include "report/lists/file_order.h"
#include "report/presence/presence_list.h"

void find_arguments_init(struct find_arguments *arguments)
{
	*arguments = (struct find_arguments){
		.index = {.location = {.group = "simfind"}},
		.formatter = formatter_find("text"),
		.resources = {.threads = processors(), .memory_bytes = FIND_MEMORY_DEFAULT},
		.min_shared = MIN_SHARED_DEFAULT,
		.stored_pairs_max = STORED_PAIRS_DEFAULT,
		.sandbox = {.was_told = ATOMIC_FLAG_INIT, .reads_alone = ATOMIC_FLAG_INIT}};
	find_request_init(&arguments->request);
	exclusions_init(&arguments->exclusions);
	arguments->request.max_inflated_bytes = MAX_INFLATED_BYTES;
}

void find_arguments_release(struct find_arguments *arguments)
{
	rule_release(&arguments->request.rule);
	exclusions_release(&arguments->exclusions);
	free(arguments->between_text[0]);
	free(arguments->between_text[1]);
	operands_release(&arguments->operands);
	side_list_release(&arguments->tops);
	side_list_release(&arguments->places);
	free(arguments->place_lists);
	free(arguments->known);
	free(arguments->inputs);
}

/* ---- The table ---- */

static const char *const candidates_words[] = {"exact",	      "uniform",     "scatter",	 "skew",
					       "uniform_ext", "scatter_ext", "skew_ext", NULL};
static const char *const only_words[] = {"copies", "similar", "parts", NULL};
static const char *const also_words[] = {"empty", "hard-links", NULL};
static const char *const limit_words[] = {"memory=", "inflated=", NULL};
static const char *const format_words[] = {
	"text", "csv", "json", "jsonl", "null", "html", "html:thumbnails", "dot", NULL};
static const char *const sort_words[] = {"size",  "saved",  "similarity", "path",
					 "files", "-size",  "-saved",	  "-similarity",
					 "-path", "-files", NULL};
static const char *const group_words[] = {"representative", "single", "lineage", "none", NULL};
static const char *const order_words[] = {"similar", "delta", NULL};
static const char *const verify_words[] = {"no", "sketch", "read", "all", NULL};
static const char *const measure_words[] = {"simhash64", "simhash128", "minhash", "bottomk", NULL};

/* Each of these word lists has the order of an enum. */
_Static_assert(SIMHASH_UNIFORM == 0 && SIMHASH_SKEW_EXT == 5, "candidates_words");
_Static_assert(LINK_REPRESENTATIVE == 0 && LINK_SINGLE == 1, "group_words");
_Static_assert(SORT_SIZE == 1 && SORT_FILES == SORT_KEYS, "sort_words");
_Static_assert(COLOURS_AUTO == 0 && COLOURS_NEVER == 2, "progress_words");
_Static_assert(VERIFY_NO == 0 && VERIFY_ALL == 3, "verify_words");

#define FIELD(member) OPTION_FIELD(struct find_arguments, member)

static const struct option_row rows[] = {
	{.heading = "Which files"},
	{0, "ext", "=LIST", "list only files with these extensions: txt,md",
	 .parse = add_extensions, .field = FIELD(exclusions), .kind = VALUE_TEXT, .is_list = true,
	 .is_common = true},
	{0, "exclude", "=GLOB",
	 "leave out files that match GLOB, as in .gitignore; @FILE reads a GLOB from each line of "
	 "FILE; can be given several times",
	 .parse = add_find_exclude, .field = FIELD(exclusions), .kind = VALUE_LIST, .is_list = true,
	 .is_common = true},
	{0, "min-size", "=SIZE", "list only files of at least SIZE, such as 500, 10k or 5M",
	 .parse = set_size, .field = FIELD(exclusions.min_size_bytes), .kind = VALUE_TEXT},
	{0, "max-size", "=SIZE", "list only files of at most SIZE", .parse = set_size,
	 .field = FIELD(exclusions.max_size_bytes), .kind = VALUE_TEXT},
	{0, "between", " A B",
	 "list only pairs of a file in A and one in B; each is a directory, an archive, "
	 "ARCHIVE//FOLDER, HOST: or HOST:DIRECTORY",
	 .parse = set_between, .kind = VALUE_SIDES, .not_with = "files0-from FILE DIR",
	 .is_common = true},
	{0, "update", NULL, "index each DIR first, as simhash does by default", .parse = set_flag,
	 .field = FIELD(update), .needs = "DIR", .not_with = "measure", .is_common = true},
	{0, "files0-from", "=FILE",
	 "search for the files that FILE lists, with a zero byte after each name; - is standard "
	 "input",
	 .parse = set_text, .field = FIELD(operands.names_from), .kind = VALUE_FILE},
	{0, "against", "=FILE",
	 "list only pairs of a file in the digest list FILE and a file in the index; - is standard "
	 "input",
	 .parse = set_text, .field = FIELD(against_path), .kind = VALUE_FILE,
	 .not_with = "between tag-set measure partition nearest store files0-from FILE"},
	{0, "known", "=[FORMAT:]FILE",
	 "leave out files whose hashes are in the list FILE; FORMAT is digests, nsrl, hashdeep, "
	 "sums or xxh128 (default: as the first line shows); can be given several times",
	 .parse = add_known, .kind = VALUE_FILE, .is_list = true, .not_with = "store"},

	{.heading = "What is similar"},
	{0, "only", "=LIST", "list only copies, similar or parts; several with commas:",
	 .kind = VALUE_NAMED, .words = only_words, .is_list = true, .is_common = true},
	{0, "only=copies", NULL, "identical files", .parse = add_kind,
	 .field = FIELD(request.kinds), .constant = PAIRS_COPIES},
	{0, "only=similar", NULL, "files that resemble each other", .parse = add_kind,
	 .field = FIELD(request.kinds), .constant = PAIRS_SIMILAR},
	{0, "only=parts", NULL, "files that are part of other files, at any ratio of sizes",
	 .parse = add_kind, .field = FIELD(request.kinds), .constant = PAIRS_PARTS,
	 .not_with = "verify=no measure partition"},
	{0, "also", "=LIST", "also list empty or hard-links; several with commas:",
	 .kind = VALUE_NAMED, .words = also_words, .is_list = true},
	{0, "also=empty", NULL, "empty files", .parse = set_flag,
	 .field = FIELD(request.with_empty)},
	{0, "also=hard-links", NULL, "hard links of one file, as pairs", .parse = set_flag,
	 .field = FIELD(request.hard_links)},
	{0, "min-resemblance", "=PERCENT",
	 "minimum resemblance, such as 75% or 0.75; the default is 30% to 80%, more for files that "
	 "seem to differ more, and 80% with --verify=read or all; with --measure, the minimum "
	 "similarity by that measure",
	 .parse = set_min_resemblance, .field = FIELD(request.rule.verify.min_resemblance),
	 .kind = VALUE_TEXT, .not_with = "verify=no nearest", .is_common = true},
	{0, "same-extension", NULL,
	 "list files with different extensions only if they are identical", .parse = set_flag,
	 .field = FIELD(request.rule.verify.same_extension), .not_with = "verify=no"},

	{.heading = "Whole directories"},
	{0, "directories", "[=PERCENT]",
	 "list pairs of directories if at least PERCENT of one is in the other (default: 50%); "
	 "with two DIRs, also as HOST:DIRECTORY, list the files that are the same, changed or only "
	 "in one of them",
	 .parse = set_directories, .field = FIELD(min_shared), .kind = VALUE_TEXT,
	 .only_with = "database tag-set host ext exclude min-size max-size known "
		      "min-resemblance format output limit threads limits limits=memory "
		      "color summary=text summary=none quiet fail-on-match FILE DIR",
	 .is_common = true},

	{.heading = "What exists only here"},
	{0, "missing", NULL,
	 "list files below each DIR that exist nowhere else; names do not matter; "
	 "exit with status 3 if there are any; DIR may be an archive or HOST:DIRECTORY",
	 .parse = set_flag, .field = FIELD(missing),
	 .only_with = "in database tag-set host ext exclude min-size max-size known only "
		      "only=copies only=similar only=parts min-resemblance format output limit "
		      "threads limits limits=memory color update summary progress quiet FILE DIR",
	 .is_common = true},
	{0, "in", "=PLACE",
	 "with --missing, look for the contents only in PLACE; this is a directory, an archive, "
	 "HOST:, HOST:DIRECTORY, or a list as for --known; can be given several times",
	 .parse = add_place, .kind = VALUE_FILE, .is_list = true, .needs = "missing"},
	{0, "copies", "=N",
	 "list the files whose content is on N file systems or hosts; <N, >N: fewer, more",
	 .parse = set_copies, .kind = VALUE_TEXT,
	 .only_with = "database tag-set host ext exclude min-size max-size known format output "
		      "limit threads limits limits=memory color update summary progress quiet "
		      "fail-on-match FILE DIR"},

	{.heading = "What was damaged"},
	{0, "damaged", NULL,
	 "list damaged files, as simhash found them, and their intact copies; with DIRs, only "
	 "files at or "
	 "below them; exit with status 3 if there are any; DIR may be HOST:DIRECTORY",
	 .parse = set_flag, .field = FIELD(damaged),
	 .only_with = "database tag-set host format output limit color summary quiet FILE DIR"},

	{.heading = "The parts of a file"},
	{0, "cover", NULL,
	 "list the known files that FILE consists of, such as a disk image or an unknown archive, "
	 "and the bytes that no known file has",
	 .parse = set_flag, .field = FIELD(covers), .needs = "FILE",
	 .only_with = "database tag-set host ext exclude min-size max-size known format output "
		      "limits limits=memory update threads color summary quiet fail-on-match "
		      "files0-from FILE DIR"},

	{.heading = "Output"},
	{0, "group", "[=HOW]",
	 "list groups of similar files; HOW is representative (default), single for single "
	 "linkage, "
	 "lineage for trees of versions, or none for all pairs, also of each copy",
	 .parse = set_group, .field = FIELD(linkage), .kind = VALUE_WORD, .words = group_words,
	 .is_common = true},
	{0, "format", "=FORMAT",
	 "write text (default), csv, json, jsonl, null, html, html:thumbnails or dot; with text, a "
	 "terminal also gets each pair; html is a page for a web browser, html:thumbnails shows "
	 "small pictures on it, and dot is a graph of --group=lineage",
	 .parse = set_format, .field = FIELD(formatter), .kind = VALUE_WORD, .words = format_words,
	 .is_common = true},
	{'o', "output", "=FILE",
	 "write to FILE; it is replaced when the output is complete; - is standard output "
	 "(default)",
	 .parse = set_text, .field = FIELD(output_path), .kind = VALUE_FILE, .is_common = true},
	{0, "sort", "=KEY",
	 "sort by size, saved (the size of copies), similarity, path or files; -KEY reverses the "
	 "order; pairs are sorted by similarity (default), groups by saved (default), and only "
	 "groups by files",
	 .parse = set_sort, .field = FIELD(order), .kind = VALUE_WORD, .words = sort_words},
	{0, "limit", "=N", "list the first N pairs or groups, or N matches of each FILE",
	 .parse = set_limit, .field = FIELD(order.limit), .kind = VALUE_TEXT},
	{0, "fail-on-match", NULL, "exit with status 3 if anything is found", .parse = set_flag,
	 .field = FIELD(fail_on_match)},
	{0, "store", "[=PAIRS]",
	 "also store the groups, and at most PAIRS pairs (default: 1000000), in the index for SQL",
	 .parse = set_store, .field = FIELD(stores), .kind = VALUE_TEXT,
	 .not_with = "group=lineage group=none partition files0-from FILE"},
	{0, "color", "=WHEN", "use colors: auto (default, on a terminal), always or never",
	 .parse = set_enum, .field = FIELD(colours), .kind = VALUE_WORD, .words = progress_words},
	{0, "progress", "=WHEN", "show progress: auto (default, on a terminal), always or never",
	 .parse = set_enum, .field = FIELD(progress), .kind = VALUE_WORD, .words = progress_words},
	{0, "summary", "=FORMAT",
	 "write the summary as text (default), json (a line for monitoring) or none",
	 .parse = set_enum, .field = FIELD(summary), .kind = VALUE_WORD, .words = summary_words,
	 .not_with = "quiet"},
	{'q', "quiet", NULL, "show only errors; a list is written only to --output=FILE",
	 .parse = set_flag, .field = FIELD(quiet), .not_with = "progress=always",
	 .is_common = true},

	{.heading = "Verifying, and reading files"},
	{0, "verify", "=HOW",
	 "sketch: check pairs by their stored sketches (default); read: read the files if the "
	 "sketches do not decide, and search all files for a short FILE; all: read the files of "
	 "every pair; no: compare tag counts alone",
	 .parse = set_enum, .field = FIELD(request.rule.verify.mode), .kind = VALUE_WORD,
	 .words = verify_words},
	{'z', "decompress", NULL,
	 "also search for the content of FILEs that are archives or compressed", .parse = set_flag,
	 .field = FIELD(request.inflate), .needs = "FILE"},

	{.heading = "Packing"},
	{0, "order", "[=HOW]",
	 "list all files in an order for archives, similar files next to each other; delta: each "
	 "with an earlier file, so that you can store the difference (default: similar)",
	 .parse = set_order, .field = FIELD(with_references), .kind = VALUE_WORD,
	 .words = order_words,
	 .only_with = "database tag-set host ext exclude min-size max-size known min-resemblance "
		      "format output limits limits=memory threads update color summary=text "
		      "summary=none quiet fail-on-match DIR"},

	{.heading = "Which index"},
	{'d', "database", "=URL",
	 "use this index: sqlite:FILE or mysql://USER@HOST/DATABASE (default: as for simhash)",
	 .parse = set_text, .field = FIELD(index.location.url), .kind = VALUE_DATABASE,
	 .is_common = true},
	{0, "host", "=NAME", "treat the files of host NAME as files of this host",
	 .parse = set_text, .field = FIELD(index.host), .kind = VALUE_TEXT},

	{.heading = "By another measure"},
	{0, "measure", "=MEASURE",
	 "find pairs by the sketches that simhash --measure=MEASURE stored", .parse = set_measure,
	 .kind = VALUE_START, .words = measure_words,
	 .not_with = "tolerance candidates size-ratio "
		     "same-extension nearest partition group=lineage format=html"},
	{0, "compare", " A B", "compare two files by every measure, without an index",
	 .parse = set_flag, .field = FIELD(compare),
	 .only_with = "measure tolerance size-ratio tag-set output color FILE", .allows_all = true},

	{.heading = "Work"},
	{'j', "threads", "=N", "use N threads (default: one for each processor)",
	 .parse = set_threads, .field = FIELD(resources.threads), .kind = VALUE_TEXT},
	{'h', "help", NULL, "show all options; -h shows the most common ones", .parse = show_help},
	{'V', "version", NULL, "show the version", .parse = show_version},

	{.heading = "For experts"},
	{'T', "tolerance", "=PERCENT",
	 "maximum difference of tag counts, in percent of the size (default: 5, or 1 with "
	 "--verify=no); EXT=PERCENT is for files with this extension, @FILE reads lines "
	 "EXT=PERCENT; can be given several times",
	 .parse = add_tolerance, .field = FIELD(request.rule), .kind = VALUE_LIST, .is_list = true},
	{0, "size-ratio", "=RATIO",
	 "maximum ratio of the sizes of a pair (default: 2.1, or 1.5 if only the tag counts show "
	 "that the files are similar; none for the parts of FILEs and --only=parts)",
	 .parse = set_size_ratio, .field = FIELD(request.rule), .kind = VALUE_TEXT},
	{0, "candidates", "=HOW",
	 "exact: compare all files within the tolerance (default); uniform, scatter, skew, or one "
	 "of these with _ext: this key must also be within the tolerance; _ext implies "
	 "--same-extension",
	 .parse = set_candidates, .field = FIELD(request.rule), .kind = VALUE_WORD,
	 .words = candidates_words},
	{0, "nearest", "=N",
	 "list the N files whose tag counts are nearest to each FILE, similar or not",
	 .parse = set_nearest, .kind = VALUE_TEXT, .needs = "FILE",
	 .not_with = "tolerance candidates=uniform candidates=scatter candidates=skew "
		     "candidates=uniform_ext candidates=scatter_ext candidates=skew_ext "
		     "group=lineage only=copies only=similar only=parts"},
	{'t', "tag-set", "=FILE", "search files that were indexed with the tags of FILE",
	 .parse = set_text, .field = FIELD(index.tag_file), .kind = VALUE_FILE},
	{0, "limits", "=NAME=VALUE,...", "set limits; can be given several times:",
	 .kind = VALUE_NAMED, .words = limit_words, .is_list = true},
	{0, "limits=memory", "=SIZE",
	 "memory for files and pairs, at least 32M (default: 512M); more of them wait in temporary "
	 "files",
	 .parse = set_memory, .field = FIELD(resources.memory_bytes), .kind = VALUE_TEXT},
	{0, "limits=inflated", "=SIZE", "inflated size of one FILE (default: 16G)",
	 .parse = set_size, .field = FIELD(request.max_inflated_bytes), .kind = VALUE_TEXT,
	 .needs = "decompress"},
	{0, "partition", "=I/N", "find part I of N parts of all pairs", .parse = set_partition,
	 .kind = VALUE_TEXT,
	 .not_with = "group=representative group=single group=lineage format=html "
		     "files0-from FILE"},
};

const struct option_program find_program = {
	.name = "simfind",
	.usage = "Usage: simfind [OPTION]... [FILE|DIR]...\n",
	.about = "List similar files in the index. With FILEs, list only files that resemble them; "
		 "- is standard input. With DIRs, list only files at or below these directories. "
		 "simfind changes no file; simkeep removes copies.",
	.statuses = "0 success, 1 failure, 2 some files could not be read, 3 --fail-on-match found "
		    "a match, --missing a missing file, or --damaged a damaged one",
	.operand = "FILE",
	.directory = "DIR",
	.operand_list = "files0-from",
	.help_column = 27,
	.rows = rows,
	.count = sizeof rows / sizeof *rows,
};

/* ---- Rules that no row can describe ---- */

/* Complete the rule where no option has set it. */
static void settle_rule(struct find_arguments *arguments)
{
	struct find_request *request = &arguments->request;
	struct find_rule *rule = &request->rule;
	struct verify_rule *verify = &rule->verify;
	bool verifies = verify->mode != VERIFY_NO && !arguments->compare;

	if (arguments->has_tolerance)
		rule->unverified_percent_millionths = INT64_MAX;
	else if (!verifies)
		rule->tolerance.percent_millionths = rule->unverified_percent_millionths;
	if (verifies && rule->candidates == CANDIDATES_KEY && rule->key >= SIMHASH_UNIFORM_EXT)
		verify->same_extension = true;
	/* A key of --candidates limits the search to pairs with near keys. */
	verify->by_keys = verifies && rule->candidates == CANDIDATES_EXACT;
	/* Identical files have the same counts. */
	if (request->kinds == PAIRS_COPIES) {
		rule->tolerance.percent_millionths = 0;
		verify->by_keys = false;
	}
	/*
	 * With a measure, the option sets the minimum of the similarity. Files that are read get
	 * another minimum.
	 */
	if (arguments->request.measure_text != NULL && arguments->has_min_resemblance) {
		arguments->request.min_similarity = verify->min_resemblance;
		verify->min_resemblance = verify->mode >= VERIFY_READ ? READ_MIN_RESEMBLANCE
								      : GRADED;
	} else if (verify->mode >= VERIFY_READ && !arguments->has_min_resemblance)
		verify->min_resemblance = READ_MIN_RESEMBLANCE;
}

/* With --quiet, a list is written only to a file that --output names. */
static void settle_output(struct find_arguments *arguments)
{
	const char *path = arguments->output_path;

	if (arguments->quiet && (path == NULL || strcmp(path, "-") == 0))
		arguments->output_path = NO_OUTPUT;
}

static bool formats_lineages(const struct formatter *formatter)
{
	return formatter == &formatter_text || formatter == &formatter_json ||
	       formatter == &formatter_jsonl || formatter == &formatter_null ||
	       formatter == &formatter_dot || formatter == &formatter_html;
}

static int check_filter(const struct find_arguments *arguments, struct simhash_error *error)
{
	const struct exclusions *exclusions = &arguments->exclusions;
	const struct operands *operands = &arguments->operands;

	if (exclusions->min_size_bytes > exclusions->max_size_bytes)
		return error_set(error, SIMHASH_E_RANGE, "--min-size is larger than --max-size");
	if (exclusions->reads_stdin &&
	    (operands_have_stdin(operands) ||
	     (operands->names_from != NULL && strcmp(operands->names_from, "-") == 0)))
		return error_set(
			error, SIMHASH_E_SYNTAX,
			"--exclude=@- cannot be combined with %s: both read standard input",
			operands->names_from != NULL ? "--files0-from=-" : "FILE -");
	return 0;
}

static bool has_exclusions(const struct exclusions *exclusions)
{
	return exclusions->rules.count > 0 || exclusions->extensions.count > 0 ||
	       exclusions->min_size_bytes > 0 || exclusions->max_size_bytes < INT64_MAX;
}

static int check(const struct find_arguments *arguments, struct simhash_error *error)
{
	if (arguments->request.measure_text != NULL && arguments->has_min_resemblance &&
	    arguments->request.min_similarity == 0)
		return error_set(error, SIMHASH_E_RANGE,
				 "--min-resemblance with --measure: expected more than 0");
	if (arguments->compare &&
	    (arguments->operands.query_count != 2 || operands_have_stdin(&arguments->operands)))
		return error_set(error, SIMHASH_E_SYNTAX, "--compare needs two FILEs");
	if (arguments->compare && arguments->request.rule.extension_count > 0)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--compare cannot be combined with --tolerance=EXT=PERCENT");
	if (arguments->directories && arguments->formatter == &formatter_null)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--directories cannot be combined with --format=null; expected "
				 "text, csv, json, jsonl or html");
	if (arguments->formatter == &formatter_dot && !arguments->lineage)
		return error_set(error, SIMHASH_E_SYNTAX, "--format=dot needs --group=lineage");
	if (arguments->covers && !formats_covers(arguments->formatter))
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--cover cannot be combined with --format=%s; expected text, csv, "
				 "json or jsonl",
				 arguments->formatter->name);
	if ((arguments->missing || arguments->has_copies || arguments->damaged) &&
	    !formats_presence(arguments->formatter))
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--%s cannot be combined with --format=%s; expected text, csv, "
				 "json, jsonl or null",
				 arguments->missing   ? "missing"
				 : arguments->damaged ? "damaged"
						      : "copies",
				 arguments->formatter->name);
	if (arguments->missing && arguments->tops.count == 0)
		return error_set(error, SIMHASH_E_SYNTAX, "--missing needs a DIR");
	if (arguments->lists_order && !formats_orders(arguments->formatter))
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--order cannot be combined with --format=%s; expected text, csv, "
				 "json, jsonl or null",
				 arguments->formatter->name);
	if (arguments->lineage && !formats_lineages(arguments->formatter))
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--group=lineage cannot be combined with --format=%s",
				 arguments->formatter->name);
	if (arguments->lineage && arguments->request.rule.verify.mode == VERIFY_NO)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--group=lineage cannot be combined with --verify=no");
	if (arguments->request.expand && arguments->formatter->is_report)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--group=none cannot be combined with --format=html");
	if (arguments->progress == PROGRESS_ALWAYS && arguments->operands.has_files &&
	    arguments->request.rule.verify.mode < VERIFY_READ)
		return error_set(
			error, SIMHASH_E_SYNTAX, "--progress=always cannot be combined with %s",
			arguments->operands.names_from != NULL ? "--files0-from" : "a FILE");
	return 0;
}

/* The operands of these tasks are sides, which may be on other hosts. */
static int take_sides(struct find_arguments *arguments, int count, char **words,
		      struct simhash_error *error)
{
	const char *option = arguments->directories ? "directories"
			     : arguments->missing   ? "missing"
			     : arguments->damaged   ? "damaged"
						    : "copies";

	for (int i = 0; i < count; i++) {
		if (side_list_add(&arguments->tops, option, words[i], error) != 0)
			return -1;
		/* Patterns are relative to these directories, and --update indexes them. */
		if (!arguments->directories && operand_is_directory(words[i]) &&
		    operands_take(&arguments->operands, 1, &words[i], error) != 0)
			return -1;
	}
	return 0;
}

static int take_operands(struct find_arguments *arguments, int count, char **words,
			 struct simhash_error *error)
{
	struct operands *operands = &arguments->operands;

	if (arguments->directories || arguments->missing || arguments->damaged ||
	    arguments->has_copies)
		return take_sides(arguments, count, words, error);
	if (operands_take(operands, count, words, error) != 0)
		return -1;
	arguments->request.below = operands->below;
	arguments->request.below_count = operands->below_count;
	return 0;
}

int find_arguments_parse(struct find_arguments *arguments, int argc, char **argv,
			 struct simhash_error *error)
{
	int first, status = options_parse(&find_program, argc, argv, arguments, &first, error);

	arguments->words = argv;
	arguments->word_count = argc;
	if (status != 0)
		return status;
	settle_rule(arguments);
	settle_output(arguments);
	if (has_exclusions(&arguments->exclusions)) {
		arguments->request.takes = find_filter_takes;
		arguments->request.takes_context = arguments;
	}
	arguments->sandbox.threads = arguments->resources.threads;
	if (choose_sandbox(&arguments->sandbox, &arguments->request.sandbox, error) != 0)
		return -1;
	return take_operands(arguments, argc - first, argv + first, error) != 0 ||
			       check_filter(arguments, error) != 0
		       ? -1
		       : check(arguments, error);
}
