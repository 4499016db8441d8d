/*
 * Fuzzes the options of all programs: any words are refused with a message, or make valid
 * arguments.
 *
 * Parsing reads the files of --exclude=@FILE, --tolerance=@FILE and simfind's --files0-from. The
 * linker replaces the call that opens them (--wrap), so that all of them contain the text at the
 * beginning of the input; standard input is empty. --between only looks up its directories. The
 * parsers do not open other files. libFuzzer itself notices if a parser ends the process.
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/options/find_options.h"
#include "cli/options/index_options.h"
#include "cli/options/keep_options.h"
#include "cli/options/options.h"
#include "fuzz.h"

#define WORDS_MAX 64

int __wrap_open_file_at(int directory_fd, const char *path, int flags, mode_t mode);

static const char *file_text;
static size_t file_size;

/* A file in memory that disappears when it is closed. */
int __wrap_open_file_at(int directory_fd, const char *path, int flags, mode_t mode)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	(void)directory_fd;
	(void)path;
	(void)mode;
	EXPECT((flags & O_ACCMODE) == O_RDONLY); /* parsing writes nothing */
	EXPECT(fd >= 0 && write(fd, file_text, file_size) == (ssize_t)file_size);
	EXPECT(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	opterr = 0;
	EXPECT(freopen("/dev/null", "r", stdin) != NULL);
	EXPECT(freopen("/dev/null", "w", stdout) != NULL); /* --help */
	return 0;
}

static void parse_for_index(int argc, char **argv)
{
	struct index_arguments arguments;
	struct simhash_error error = {.message = ""};
	int status;

	optind = 0; /* glibc's way to start again */
	index_arguments_init(&arguments);
	status = index_arguments_parse(&arguments, argc, argv, &error);
	EXPECT(status >= 0 || (error.code != SIMHASH_E_NONE && error.message[0] != '\0'));
	if (status == 0) {
		EXPECT(arguments.threads >= 1 && arguments.threads <= THREADS_MAX);
		EXPECT(arguments.request.max_inflated_bytes >= 0 &&
		       arguments.request.location.wait_s >= 0);
		EXPECT(arguments.exclusions.min_size_bytes >= 0 &&
		       arguments.exclusions.min_size_bytes <= arguments.exclusions.max_size_bytes);
		EXPECT(arguments.request.path_count < (unsigned)argc);
		EXPECT((arguments.task == TASK_COPY) == (arguments.copy_to != NULL));
	}
	index_arguments_release(&arguments);
}

static void expect_tolerances(const struct find_arguments *arguments)
{
	for (uint32_t i = 0; i < arguments->request.rule.extension_count; i++)
		EXPECT(arguments->request.rule.extensions[i].percent_millionths >= 0 &&
		       arguments->request.rule.extensions[i].percent_millionths <=
			       100 * SIMHASH_MILLION);
}

static void expect_verifying(const struct find_request *request)
{
	const struct verify_rule *verify = &request->rule.verify;

	EXPECT(verify->min_resemblance >= 0 || verify->min_resemblance == GRADED);
	EXPECT(verify->min_resemblance <= 1);
	EXPECT(verify->mode < VERIFY_READ || verify->min_resemblance >= 0);
	EXPECT(verify->mode != VERIFY_NO || (!verify->by_keys && !verify->same_extension));
	EXPECT(verify->size_ratio_millionths >= SIMHASH_MILLION);
}

static void parse_for_find(int argc, char **argv)
{
	struct find_arguments arguments;
	struct simhash_error error = {.message = ""};
	int status;

	optind = 0;
	find_arguments_init(&arguments);
	status = find_arguments_parse(&arguments, argc, argv, &error);
	EXPECT(status >= 0 || (error.code != SIMHASH_E_NONE && error.message[0] != '\0'));
	if (status == 0) {
		EXPECT(arguments.formatter != NULL &&
		       arguments.request.part < arguments.request.parts);
		EXPECT(arguments.resources.threads >= 1 &&
		       arguments.resources.threads <= THREADS_MAX);
		EXPECT(arguments.request.max_inflated_bytes >= 0);
		expect_verifying(&arguments.request);
		EXPECT(arguments.request.rule.tolerance.size_ratio_millionths >= SIMHASH_MILLION);
		expect_tolerances(&arguments);
	}
	find_arguments_release(&arguments);
}

static void parse_for_keep(int argc, char **argv)
{
	struct keep_arguments arguments;
	struct simhash_error error = {.message = ""};
	int status;

	optind = 0;
	keep_arguments_init(&arguments);
	status = keep_arguments_parse(&arguments, argc, argv, &error);
	EXPECT(status >= 0 || (error.code != SIMHASH_E_NONE && error.message[0] != '\0'));
	if (status == 0) {
		EXPECT(arguments.exclusions.min_size_bytes <= arguments.exclusions.max_size_bytes);
		EXPECT(!arguments.yes || arguments.undo_path != NULL ||
		       arguments.journal_path != NULL);
		EXPECT(!arguments.yes || arguments.script_path == NULL);
		EXPECT((arguments.policy.action == ACTION_MOVE) == (arguments.move_to != NULL));
		for (size_t i = 0; i < arguments.operands.query_count; i++)
			EXPECT(arguments.operands.queries[i] != NULL);
	}
	keep_arguments_release(&arguments);
}

/*
 * The input: a text with 0x01 for zero bytes, a zero byte, then the words, each with a zero byte at
 * its end.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	char program[] = "program", *text, *rest, *words[WORDS_MAX + 2] = {program};
	size_t rest_size;
	int count = 1;

	file_size = strnlen((const char *)data, size);
	text = take_text(&in, file_size);
	for (char *c = text; *c != '\0'; c++)
		if (*c == '\x01')
			*c = '\0';
	file_text = text;
	take_byte(&in);
	rest_size = in.left;
	rest = take_text(&in, in.left);

	/* Getopt reorders the words, so each parser gets them in the original order. */
	for (int pass = 0; pass < 3; pass++) {
		count = 1;
		for (size_t at = 0; at < rest_size && count <= WORDS_MAX;
		     at += strlen(rest + at) + 1)
			words[count++] = rest + at;
		words[count] = NULL;
		if (pass == 0)
			parse_for_index(count, words);
		else if (pass == 1)
			parse_for_find(count, words);
		else
			parse_for_keep(count, words);
	}
	free(rest);
	free(text);
	return 0;
}
