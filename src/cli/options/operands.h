/*
 * Holds the operands of simfind and simkeep: FILEs, also from --files0-from, and DIRs.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_OPERANDS_H
#define SIMHASH_CLI_OPERANDS_H

#include "find/rule/find.h"
#include "index/walk/exclusions.h"

struct operands {
	const char *names_from; /* the value of --files0-from, or NULL */
	const char **queries;	/* owned: the FILEs; NULL is standard input */
	size_t query_count, query_capacity;
	bool has_files;	     /* were FILEs requested, even by an empty list? */
	char *names;	     /* the names in --files0-from; owned */
	struct bytes *below; /* owned with its items: the DIRs, without slashes at their ends */
	size_t below_count, below_capacity;
};

/*
 * Divide the words of a command line into FILEs and DIRs. The caller releases them, also after -1.
 */
int operands_take(struct operands *operands, int count, char **words, struct simhash_error *error);
void operands_release(struct operands *operands);

/*
 * Do the exclusions allow a file of the index? Patterns are relative to the DIR that contains it.
 * The path is absolute, and changes during the call.
 */
bool operands_let_through(const struct operands *operands, const struct exclusions *exclusions,
			  char *path, int64_t size_bytes);

/* Are there DIRs, and is a directory outside them, so that its files do not count? */
bool operands_leave_out(const struct operands *operands, struct bytes directory);

/* Options that may have excluded all results: "--ext, --only". */
struct limiting_options {
	char text[256];
	size_t count;
};

/* Add an option if it was given. */
void limiting_add(struct limiting_options *options, bool is_given, const char *name);

/* Add --ext, --exclude, --min-size and --max-size, as far as they were given. */
void limiting_add_filters(struct limiting_options *options, const struct exclusions *exclusions);

/* Write that nothing was found with these options. Without options, write nothing. */
void limiting_say(const struct limiting_options *options, const char *program);

#define EMPTY_INDEX "note: the index is empty; add files with simhash PATH"

/* Is standard input one of the FILEs? */
bool operands_have_stdin(const struct operands *operands);

/*
 * Refuse to write to `path` if that would replace a FILE, the list of FILEs, or standard input.
 * `path` may be NULL.
 */
int operands_check_output(const struct operands *operands, const char *path,
			  struct simhash_error *error);

/* The same for a file of an option; `what` ends the message. `input` may be NULL. */
int input_check_output(const char *input, const char *what, const char *path,
		       struct simhash_error *error);

/*
 * Find a directory, a folder in an archive ("ARCHIVE//FOLDER"; "ARCHIVE//" has all members), or an
 * archive if `may_be_file`. A path that no longer exists may still be in the index. Messages begin
 * with `option`. The caller frees *owned, also after -1.
 */
int directory_resolve(const char *option, const char *text, bool may_be_file, char **owned,
		      struct simhash_error *error);

/*
 * Resolve the path of the archive in "ARCHIVE//FOLDER". The path has no slash at its end. The caller
 * frees it. NULL if there is no such file, or memory is short.
 */
char *path_in_archive(const char *text);

/* A directory without slashes at its end; "/" becomes empty. */
struct bytes directory_bytes(const char *path);

#endif
