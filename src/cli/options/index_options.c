/*
 * Defines the table of simhash's options, parses their values, and checks conflicts that the table
 * cannot describe.
 * SPDX-License-Identifier: MIT
 */
#include "cli/options/index_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "cli/options/options.h"
#include "scan/archive/container.h"
#include "scan/file/hashing.h"

#define WAIT_S_MAX 31536000 /* a year */

void index_arguments_init(struct index_arguments *arguments)
{
	*arguments = (struct index_arguments){
		.program = "simhash",
		.request = {.max_inflated_bytes = MAX_INFLATED_BYTES,
			    .max_inflated_total_bytes = INT64_MAX,
			    .piece_levels = PIECE_LEVELS_DEFAULT,
			    .max_depth = CONTAINER_DEPTH,
			    .filter_limits = {FILTER_SECONDS, FILTER_BYTES_MAX},
			    .disk_threads = -1},
		.sandbox = {.was_told = ATOMIC_FLAG_INIT, .reads_alone = ATOMIC_FLAG_INIT},
		.scrub_share = 1,
		.threads = processors()};
	exclusions_init(&arguments->exclusions);
}

void index_arguments_release(struct index_arguments *arguments)
{
	exclusions_release(&arguments->exclusions);
	filter_commands_release(&arguments->filters);
	for (unsigned i = 0; i < arguments->measure_count; i++)
		simhash_measure_free(arguments->measures[i]);
}

/* ---- Values ---- */

static int set_wait(const struct option_use *use, struct simhash_error *error)
{
	uint64_t seconds;

	if (parse_number(use, 0, WAIT_S_MAX, &seconds, error) != 0)
		return -1;
	*(int64_t *)use->field = (int64_t)seconds;
	return 0;
}

static int set_depth(const struct option_use *use, struct simhash_error *error)
{
	uint64_t depth;

	if (parse_number(use, 1, CONTAINER_DEPTH_MAX, &depth, error) != 0)
		return -1;
	*(unsigned *)use->field = (unsigned)depth;
	return 0;
}

/* Return the kind of container with this name, or 0. */
static unsigned kind_named(const char *name, size_t size)
{
	for (unsigned i = 0; container_names[i] != NULL; i++)
		if (strlen(container_names[i]) == size &&
		    memcmp(container_names[i], name, size) == 0)
			return container_numbered(i);
	return 0;
}

static int cannot_read(const char *text, unsigned kind, struct bytes name,
		       struct simhash_error *error)
{
	if ((kind & (CONTAINER_MAIL | CONTAINER_IMAGES)) == 0)
		return error_set(error, SIMHASH_E_RANGE,
				 "--decompress '%s': this simhash was built without %.*s; "
				 "build it with libarchive",
				 text, (int)name.size, name.data);
	return error_set(error, SIMHASH_E_RANGE,
			 "--decompress '%s': %.*s needs %s; install it, or build simhash with it",
			 text, (int)name.size, name.data,
			 (kind & CONTAINER_MAIL) != 0 ? "GMime"
			 : kind == CONTAINER_DISK     ? "libtsk"
						      : "libewf");
}

/* Without a list, set all kinds that this program supports. */
static int set_decompress(const struct option_use *use, struct simhash_error *error)
{
	struct index_arguments *arguments = use->arguments;
	unsigned kinds = 0, known;

	arguments->request.inflate = true;
	arguments->request.containers = 0;
	if (use->text == NULL)
		return 0;
	if (container_kinds(&known, error) != 0)
		return -1;
	for (const char *name = use->text;;) {
		size_t size = strcspn(name, ",");
		unsigned kind = kind_named(name, size);
		if (kind == 0)
			return error_set(
				error, SIMHASH_E_SYNTAX,
				"--decompress '%s': expected zip, tar, 7z, iso, cpio, ar, rar, "
				"gzip, bzip2, xz, zstd, lzip, lz4, compress, mbox, eml, disk or "
				"ewf",
				use->text);
		if ((kind & known) == 0)
			return cannot_read(use->text, kind, (struct bytes){name, size}, error);
		kinds |= kind;
		if (name[size] == '\0')
			break;
		name += size + 1;
	}
	arguments->request.containers = kinds;
	return 0;
}

static int set_rate(const struct option_use *use, struct simhash_error *error)
{
	int64_t *rate = use->field;

	if (set_size(use, error) != 0)
		return -1;
	return *rate > 0 ? 0
			 : error_set(error, SIMHASH_E_RANGE, "--%s '%s': expected at least 1",
				     use->row->name, use->text);
}

static int add_filter(const struct option_use *use, struct simhash_error *error)
{
	return use->text[0] == '@' ? filter_commands_add_file(use->field, use->text + 1, error)
				   : filter_commands_add(use->field, use->text, error);
}

static int set_filter_time(const struct option_use *use, struct simhash_error *error)
{
	uint64_t seconds;

	if (parse_number(use, 1, WAIT_S_MAX, &seconds, error) != 0)
		return -1;
	*(unsigned *)use->field = (unsigned)seconds;
	return 0;
}

static int set_disk_threads(const struct option_use *use, struct simhash_error *error)
{
	uint64_t threads;

	if (parse_number(use, 0, THREADS_MAX, &threads, error) != 0)
		return -1;
	*(int *)use->field = (int)threads;
	return 0;
}

static int add_measure(const struct option_use *use, struct simhash_error *error)
{
	struct index_arguments *arguments = use->arguments;
	struct simhash_measure *measure;

	/* --forget accepts any name in the index; the file of its weights need not be here. */
	arguments->measure_text = use->text;
	if (arguments->task == TASK_FORGET)
		return 0;

	if (arguments->measure_count == MEASURES_MAX)
		return error_set(error, SIMHASH_E_RANGE, "--measure can be given at most %d times",
				 MEASURES_MAX);
	if (measure_option_parse(use->text, &measure, error) != 0)
		return -1;
	for (unsigned i = 0; i < arguments->measure_count; i++)
		if (strcmp(simhash_measure_text(arguments->measures[i]),
			   simhash_measure_text(measure)) == 0) {
			simhash_measure_free(measure); /* a repeated measure counts once */
			return 0;
		}
	arguments->measures[arguments->measure_count++] = measure;
	return 0;
}

/* One piece for each BYTES of a content, and for each sixteenth of them of a text. */
static int set_pieces(const struct option_use *use, struct simhash_error *error)
{
	enum { TEXT_LEVELS = 4 };
	struct index_arguments *arguments = use->arguments;
	struct piece_levels *levels = &arguments->request.piece_levels;
	uint64_t bytes;

	arguments->request.no_pieces = strcmp(use->text, "no") == 0;
	if (arguments->request.no_pieces)
		return 0;
	if (parse_number(use, 128, 1 << 20, &bytes, error) != 0)
		return -1;
	levels->other = 63 - (unsigned)__builtin_clzll(bytes);
	levels->text = levels->other - TEXT_LEVELS;
	return 0;
}

static int add_hash(const struct option_use *use, struct simhash_error *error)
{
	unsigned *hashes = use->field;

	if (hashing_library() == NULL)
		return error_set(error, SIMHASH_E_RANGE,
				 "--hash=%s: this simhash was built without it; build it with "
				 "Nettle",
				 use->text);
	*hashes |= 1U << use->word;
	return 0;
}

static int set_copy(const struct option_use *use, struct simhash_error *error)
{
	struct index_arguments *arguments = use->arguments;

	arguments->copy_to = use->text;
	return set_enum(use, error);
}

static int set_export(const struct option_use *use, struct simhash_error *error)
{
	struct index_arguments *arguments = use->arguments;

	arguments->export_to = use->text;
	return set_enum(use, error);
}

static int set_import(const struct option_use *use, struct simhash_error *error)
{
	struct index_arguments *arguments = use->arguments;

	arguments->import_from = use->text;
	return set_enum(use, error);
}

/* Return the seconds of a unit of time, or 0. */
static int64_t time_unit(const char *text)
{
	return strcmp(text, "s") == 0	? 1
	       : strcmp(text, "m") == 0 ? 60
	       : strcmp(text, "h") == 0 ? 3600
	       : strcmp(text, "d") == 0 ? 86400
					: 0;
}

/* "10%" is a share of the bytes, and "2h" a time. */
static int set_scrub(const struct option_use *use, struct simhash_error *error)
{
	struct index_arguments *arguments = use->arguments;
	const char *text = use->text == NULL ? "100%" : use->text;
	size_t digits = strspn(text, "0123456789");
	int64_t unit = time_unit(text + digits);

	arguments->scrub_share = 1;
	arguments->scrub_time_ns = 0;
	if (digits > 0 && digits < 9 && unit > 0 && strtol(text, NULL, 10) > 0)
		arguments->scrub_time_ns = strtol(text, NULL, 10) * unit * NS_PER_S;
	else if (parse_share(&(struct option_use){.row = use->row, .text = text},
			     &arguments->scrub_share, error) != 0 ||
		 arguments->scrub_share <= 0)
		return error_set(
			error, SIMHASH_E_RANGE,
			"--scrub '%s': expected a part of the bytes such as 10%%, or a time "
			"such as 30m or 2h",
			text);
	return set_enum(use, error);
}

static int set_format(const struct option_use *use, struct simhash_error *error)
{
	struct index_arguments *arguments = use->arguments;

	arguments->has_format = true;
	return set_enum(use, error);
}

static int set_tls(const struct option_use *use, struct simhash_error *error)
{
	struct index_arguments *arguments = use->arguments;

	_Static_assert(TLS_WHERE_IT_IS == 0 && TLS_ALWAYS == 1 && TLS_NEVER == 2, "progress_words");
	arguments->has_tls_need = true;
	return set_enum(use, error);
}

/* ---- The table ---- */

static const char *const measure_words[] = {"simhash64", "simhash128", "minhash", "bottomk", NULL};

static const char *const limit_words[] = {
	"depth=", "inflated=", "total=", "memory=", "disk=", "seconds=", "output=", "rate=", NULL};

static const char *const format_words[] = {"text", "json", "digest", NULL};

#define FIELD(member) OPTION_FIELD(struct index_arguments, member)

static const struct option_row rows[] = {
	{.heading = "Which files"},
	{0, "ext", "=LIST", "index only files with these extensions, such as txt,md",
	 .parse = add_extensions, .field = FIELD(exclusions), .kind = VALUE_TEXT, .is_list = true,
	 .is_common = true},
	{0, "exclude", "=GLOB",
	 "leave out files that match GLOB, as in .gitignore; @FILE reads a GLOB from each line of "
	 "FILE; can be given several times",
	 .parse = add_exclude, .field = FIELD(exclusions), .kind = VALUE_LIST, .is_list = true,
	 .is_common = true},
	{0, "ignore-files", NULL, "leave out files that .gitignore and .ignore exclude",
	 .parse = set_flag, .field = FIELD(exclusions.ignore_files), .is_common = true},
	{0, "min-size", "=SIZE", "index only files of at least SIZE, such as 5M", .parse = set_size,
	 .field = FIELD(exclusions.min_size_bytes), .kind = VALUE_TEXT, .is_common = true},
	{0, "max-size", "=SIZE", "index only files of at most SIZE", .parse = set_size,
	 .field = FIELD(exclusions.max_size_bytes), .kind = VALUE_TEXT},
	{'x', "one-file-system", NULL, "stay on the file system of each PATH", .parse = set_flag,
	 .field = FIELD(request.one_file_system), .is_common = true},
	{'L', "dereference", NULL, "follow symbolic links", .parse = set_flag,
	 .field = FIELD(request.follow)},
	{0, "files0-from", "=FILE",
	 "index the files that FILE lists, with a zero byte after each name; - is standard input",
	 .parse = set_text, .field = FIELD(request.list_name), .kind = VALUE_FILE},

	{.heading = "How they are read"},
	{'z', "decompress", "[=LIST]",
	 "also index the members of archives, documents, mail and disk images, and the content of "
	 "compressed files; LIST names kinds, such as zip,tar,xz (default: all kinds that "
	 "--version shows)",
	 .parse = set_decompress, .kind = VALUE_START, .words = container_names, .is_common = true},
	{0, "no-documents", NULL, "compare documents as files, without their text",
	 .parse = set_flag, .field = FIELD(no_documents)},
	{0, "filter", "=EXT[,EXT...]:COMMAND",
	 "also index the output of COMMAND for files with these extensions; % in COMMAND is the "
	 "file; without %, COMMAND reads the file from standard input; @FILE reads a filter from "
	 "each line of FILE; can be given several times",
	 .parse = add_filter, .field = FIELD(filters), .kind = VALUE_LIST, .is_list = true},
	{0, "hash", "=HASH",
	 "also store, or print, the hash md5, sha1 or sha256 of each file; can be given several "
	 "times",
	 .parse = add_hash, .field = FIELD(request.hashes), .kind = VALUE_WORD,
	 .words = file_hash_names, .is_list = true},
	{'f', "force", NULL, "read all files again; accept the content that damaged files have now",
	 .parse = set_flag, .field = FIELD(request.force), .is_common = true},
	{'j', "threads", "=N", "use N threads (default: one for each processor)",
	 .parse = set_threads, .field = FIELD(threads), .kind = VALUE_TEXT, .is_common = true},

	{.heading = "Instead of indexing"},
	{0, "status", NULL, "show the size, hosts and runs of the index", .parse = set_enum,
	 .field = FIELD(task), .constant = TASK_STATUS, .is_common = true,
	 .only_with = "database wait-server format quiet"},
	{0, "scrub", "[=HOW]",
	 "read files again to find damaged ones; the least recently verified files come first; HOW "
	 "is a "
	 "part of the bytes such as 10%, or a time such as 2h (default: all); with PATHs, only "
	 "files at "
	 "and below them",
	 .parse = set_scrub, .field = FIELD(task), .kind = VALUE_TEXT, .constant = TASK_SCRUB,
	 .is_common = true,
	 .only_with = "database wait-server quiet progress summary tag-set host threads limits "
		      "limits=rate PATH"},
	{0, "forget", NULL,
	 "remove files at and below each PATH from the index; with --measure, remove all sketches "
	 "by that measure",
	 .parse = set_enum, .field = FIELD(task), .constant = TASK_FORGET, .is_common = true,
	 .only_with = "database wait-server quiet tag-set host measure PATH"},
	{0, "print", NULL, "show the sketch, sum table and keys of each FILE; - is standard input",
	 .parse = set_enum, .field = FIELD(task), .constant = TASK_PRINT, .needs = "FILE",
	 .only_with = "tag-set decompress limits limits=depth limits=inflated limits=memory "
		      "hash quiet format PATH"},
	{0, "copy-to", "=URL", "copy the index to the index at URL, which keeps its newer files",
	 .parse = set_copy, .field = FIELD(task), .kind = VALUE_DATABASE, .constant = TASK_COPY,
	 .only_with = "database wait-server quiet progress"},
	{0, "export", "[=FILE]",
	 "write a digest list of all files, or of the files at and below each PATH, to FILE or "
	 "standard output",
	 .parse = set_export, .field = FIELD(task), .kind = VALUE_FILE, .constant = TASK_EXPORT,
	 .only_with = "database wait-server quiet tag-set host anonymous PATH"},
	{0, "anonymous", NULL, "leave times out of the list, and replace paths by hashes",
	 .parse = set_flag, .field = FIELD(is_anonymous), .needs = "export"},
	{0, "import", "=FILE",
	 "store the files that a digest list describes as files of --host; - is standard input",
	 .parse = set_import, .field = FIELD(task), .kind = VALUE_FILE, .constant = TASK_IMPORT,
	 .needs = "host", .only_with = "database wait-server quiet host"},
	{0, "init-database", NULL,
	 "create or upgrade the index, and print the statements that create the users of a server",
	 .parse = set_enum, .field = FIELD(task), .constant = TASK_INIT_DATABASE,
	 .only_with = "database wait-server quiet password-file require-tls"},
	{0, "password-file", "=FILE",
	 "make passwords for these users, and write them to the new option file FILE",
	 .parse = set_text, .field = FIELD(password_file), .kind = VALUE_FILE,
	 .needs = "init-database"},
	{0, "require-tls", "=WHEN",
	 "refuse these users a connection without TLS: auto (default, if the server has TLS), "
	 "always or never",
	 .parse = set_tls, .field = FIELD(tls_need), .kind = VALUE_WORD, .words = progress_words,
	 .needs = "init-database"},

	{.heading = "Which index"},
	{'d', "database", "=URL",
	 "use this index: sqlite:FILE or mysql://USER@HOST/DATABASE; the password of USER is in "
	 "~/.my.cnf, or in FILE with ?defaults-file=FILE at the end (default: $SIMHASH_DATABASE, "
	 "else ~/.local/share/simhash/simhash.db)",
	 .parse = set_text, .field = FIELD(request.location.url), .kind = VALUE_DATABASE,
	 .is_common = true},
	{0, "wait-server", "=SECONDS", "retry for SECONDS if the server cannot be reached",
	 .parse = set_wait, .field = FIELD(request.location.wait_s), .kind = VALUE_TEXT},
	{0, "host", "=NAME", "store the files under the host name NAME (default: this host's)",
	 .parse = set_text, .field = FIELD(host), .kind = VALUE_TEXT},

	{.heading = "What is shown"},
	{0, "format", "=FORMAT",
	 "write --status as text (default) or json, or --print as text or as digest, a line of a "
	 "digest list",
	 .parse = set_format, .field = FIELD(format), .kind = VALUE_WORD, .words = format_words},
	{0, "progress", "=WHEN", "show progress: auto (default, on a terminal), always or never",
	 .parse = set_enum, .field = FIELD(progress), .kind = VALUE_WORD, .words = progress_words},
	{0, "summary", "=FORMAT",
	 "write the summary as text (default), json (a line for monitoring) or none",
	 .parse = set_enum, .field = FIELD(summary), .kind = VALUE_WORD, .words = summary_words,
	 .not_with = "quiet"},
	{'q', "quiet", NULL, "show only errors; no progress and no summary", .parse = set_flag,
	 .field = FIELD(quiet), .not_with = "progress=always", .is_common = true},
	{'h', "help", NULL, "show all options; -h shows the most common ones", .parse = show_help},
	{'V', "version", NULL, "show the version", .parse = show_version},

	{.heading = "For experts"},
	{0, "limits", "=NAME=VALUE,...", "set limits; can be given several times:",
	 .kind = VALUE_NAMED, .words = limit_words, .is_list = true},
	{0, "limits=depth", "=N", "depth of archives in archives, 1 to 16 (default: 3)",
	 .parse = set_depth, .field = FIELD(request.max_depth), .kind = VALUE_TEXT,
	 .needs = "decompress"},
	{0, "limits=inflated", "=SIZE", "inflated size of one file (default: 16G)",
	 .parse = set_size, .field = FIELD(request.max_inflated_bytes), .kind = VALUE_TEXT},
	{0, "limits=total", "=SIZE", "inflated size of all files of the run (default: no limit)",
	 .parse = set_size, .field = FIELD(request.max_inflated_total_bytes), .kind = VALUE_TEXT},
	{0, "limits=memory", "=SIZE",
	 "memory of the processes that read archives, at least 32M (default: 2G)",
	 .parse = set_memory, .field = FIELD(sandbox.memory_bytes), .kind = VALUE_TEXT},
	{0, "limits=disk", "=N",
	 "threads that read one disk, in its order; 0: any number and order (default: 1 for a "
	 "rotating "
	 "disk, otherwise 0)",
	 .parse = set_disk_threads, .field = FIELD(request.disk_threads), .kind = VALUE_TEXT},
	{0, "limits=seconds", "=N", "time that one COMMAND of --filter takes (default: 60)",
	 .parse = set_filter_time, .field = FIELD(request.filter_limits.seconds),
	 .kind = VALUE_TEXT, .needs = "filter"},
	{0, "limits=output", "=SIZE", "output of one COMMAND (default: 256M)", .parse = set_size,
	 .field = FIELD(request.filter_limits.bytes), .kind = VALUE_TEXT, .needs = "filter"},
	{0, "limits=rate", "=SIZE", "bytes that --scrub reads in a second (default: no limit)",
	 .parse = set_rate, .field = FIELD(bytes_per_second), .kind = VALUE_TEXT, .needs = "scrub"},
	{0, "measure", "=MEASURE",
	 "also store sketches by simhash64, simhash128, minhash or bottomk, with parameters as in "
	 "minhash:words=3; can be given eight times",
	 .parse = add_measure, .kind = VALUE_START, .words = measure_words, .is_list = true},
	{0, "no-sketch", NULL,
	 "make no resemblance sketches; simfind then compares tag counts alone", .parse = set_flag,
	 .field = FIELD(request.no_sketch)},
	{0, "pieces", "=BYTES|no",
	 "store the hash of one piece for each BYTES bytes of a file, 128 to 1048576, and 16 times "
	 "as "
	 "many for texts; no: none (default: 4096)",
	 .parse = set_pieces, .kind = VALUE_TEXT},
	{'t', "tag-set", "=FILE", "count the 16 tags of FILE instead of the built-in ones",
	 .parse = set_text, .field = FIELD(tag_file), .kind = VALUE_FILE},
};

const struct option_program index_program = {
	.name = "simhash",
	.usage = "Usage: simhash [OPTION]... PATH...\n"
		 "       simhash --scrub [PATH]... | --forget PATH... | --print FILE...\n"
		 "       simhash --status | --init-database | --copy-to=URL\n"
		 "       simhash --export[=FILE] [PATH]... | --import=FILE --host=NAME\n",
	.about = "Index all files at and below each PATH, so that simfind can list similar files. "
		 "Unchanged files are not read again, and deleted files leave the index.",
	.statuses = "0 success, 1 failure, also if no PATH can be read, 2 some files could not be "
		    "read, 3 --scrub found damaged files",
	.operand = "PATH",
	.operand_list = "files0-from",
	.help_column = 25,
	.rows = rows,
	.count = sizeof rows / sizeof *rows,
};

/* ---- Conflicts that no row can describe ---- */

static int check_forget(const struct index_arguments *arguments, struct simhash_error *error)
{
	const char *other = arguments->request.path_count > 0 ? "a PATH"
			    : arguments->tag_file != NULL     ? "--tag-set"
			    : arguments->host != NULL	      ? "--host"
							      : NULL;

	if (arguments->measure_text == NULL)
		return arguments->request.path_count > 0
			       ? 0
			       : error_set(error, SIMHASH_E_SYNTAX, "--forget needs a PATH");
	return other == NULL
		       ? 0
		       : error_set(error, SIMHASH_E_SYNTAX,
				   "--forget --measure cannot be combined with %s: it removes "
				   "the sketches of all files",
				   other);
}

/* Each format belongs to one of two tasks. */
static int check_format(const struct index_arguments *arguments, struct simhash_error *error)
{
	if (!arguments->has_format)
		return 0;
	if (arguments->task == TASK_STATUS)
		return arguments->format != STATUS_DIGEST
			       ? 0
			       : error_set(error, SIMHASH_E_SYNTAX,
					   "--format=digest cannot be combined with --status");
	if (arguments->task == TASK_PRINT)
		return arguments->format != STATUS_JSON
			       ? 0
			       : error_set(error, SIMHASH_E_SYNTAX,
					   "--format=json cannot be combined with --print");
	return error_set(error, SIMHASH_E_SYNTAX, "--format needs --status or --print");
}

static int check_print(const struct index_arguments *arguments, struct simhash_error *error)
{
	unsigned count = 0;

	for (unsigned i = 0; i < arguments->request.path_count; i++)
		count += strcmp(arguments->request.paths[i], "-") == 0;
	return count <= 1 ? 0
			  : error_set(error, SIMHASH_E_SYNTAX,
				      "--print: FILE - can be given only once, because standard "
				      "input is read once");
}

static int check_index(const struct index_arguments *arguments, struct simhash_error *error)
{
	const struct exclusions *exclusions = &arguments->exclusions;

	if (arguments->request.path_count == 0 && arguments->request.list_name == NULL)
		return error_set(error, SIMHASH_E_SYNTAX, "no PATH given; try 'simhash -h'");
	if (arguments->request.path_count == 0 && arguments->request.one_file_system)
		return error_set(error, SIMHASH_E_SYNTAX, "--one-file-system needs a PATH");
	if (exclusions->reads_stdin && arguments->request.list_name != NULL &&
	    strcmp(arguments->request.list_name, "-") == 0)
		return error_set(error, SIMHASH_E_SYNTAX,
				 "--exclude=@- cannot be combined with --files0-from=-: both "
				 "read standard input");
	if (exclusions->min_size_bytes > exclusions->max_size_bytes)
		return error_set(error, SIMHASH_E_RANGE, "--min-size is larger than --max-size");
	return 0;
}

int index_arguments_settle(struct index_arguments *arguments, struct simhash_error *error)
{
	struct index_request *request = &arguments->request;
	unsigned known;

	arguments->sandbox.threads = arguments->threads;
	if (choose_sandbox(&arguments->sandbox, &request->sandbox, error) != 0 ||
	    container_kinds(&known, error) != 0)
		return -1;
	if (request->inflate && request->containers == 0)
		request->containers = known & ~(unsigned)CONTAINER_TEXT;
	if (!arguments->no_documents)
		request->containers |= known & CONTAINER_TEXT;
	return 0;
}

int index_arguments_parse(struct index_arguments *arguments, int argc, char **argv,
			  struct simhash_error *error)
{
	int first, status = options_parse(&index_program, argc, argv, arguments, &first, error);

	if (status != 0)
		return status;
	arguments->request.paths = argv + first;
	arguments->request.path_count = (unsigned)(argc - first);
	if (index_arguments_settle(arguments, error) != 0 || check_format(arguments, error) != 0)
		return -1;
	switch (arguments->task) {
	case TASK_INDEX:
		return check_index(arguments, error);
	case TASK_FORGET:
		return check_forget(arguments, error);
	case TASK_PRINT:
		return check_print(arguments, error);
	case TASK_STATUS:
	case TASK_INIT_DATABASE:
	case TASK_COPY:
	case TASK_EXPORT:
	case TASK_IMPORT:
	case TASK_SCRUB:
	default:
		return 0;
	}
}
