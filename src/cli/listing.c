/*
 * Pairs become lines in the threads that find them, and wait in a sorter.
 * SPDX-License-Identifier: MIT
 */
#include "cli/listing.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

#define SORTER_BYTES ((size_t)128 << 20)

#define LINES_AT_ONCE 128

/* Where a thread puts lines together, so that threads seldom wait for each other. */
struct thread_text {
	FILE *stream;
	char *text;
	size_t size, count, written;
	struct line_key lines[LINES_AT_ONCE];
};

static int hand_on(struct listing *listing, struct thread_text *text, struct simhash_error *error)
{
	int status;

	if (fflush(text->stream) != 0 || ferror(text->stream))
		return error_set_memory(error);
	status = line_sorter_add_all(listing->sorter, text->text, text->lines, text->count, error);
	text->count = 0;
	text->written = 0;
	if (fseeko(text->stream, 0, SEEK_SET) != 0)
		return error_set_memory(error);
	return status;
}

static int write_failed(const struct listing *listing, struct simhash_error *error)
{
	/* The client library of a server makes SIGPIPE ignored; end as other programs do. */
	if (errno == EPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return error_set_errno(error, "cannot write to %s", listing->name);
}

int listing_check(struct listing *listing, struct simhash_error *error)
{
	return ferror(listing->file) ? write_failed(listing, error) : 0;
}

static bool is_index(const struct store *store, const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 &&
	       store_is_own_file(store, NULL, (uint64_t)status.st_dev, (uint64_t)status.st_ino);
}

static int open_texts(struct listing *listing, struct simhash_error *error)
{
	listing->texts = calloc(listing->threads, sizeof *listing->texts);
	if (listing->texts == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < listing->threads; i++) {
		struct thread_text *text = &listing->texts[i];
		text->stream = open_memstream(&text->text, &text->size);
		if (text->stream == NULL)
			return error_set_memory(error);
	}
	return line_sorter_new(SORTER_BYTES, &listing->sorter, error);
}

int listing_open(struct listing *listing, const char *path, const struct formatter *formatter,
		 unsigned threads, const struct store *store, struct simhash_error *error)
{
	*listing = (struct listing){.formatter = formatter,
				    .file = stdout,
				    .name = "standard output",
				    .threads = threads};
	if (path != NULL) {
		listing->name = path;
		if (is_index(store, path))
			return error_set(error, SIMHASH_E_RANGE,
					 "cannot write to %s: it is the index itself", path);
		listing->file = fopen(path, "wb");
		if (listing->file == NULL)
			return write_failed(listing, error);
	}
	listing->is_terminal = isatty(fileno(listing->file)) == 1;
	return open_texts(listing, error);
}

int listing_close(struct listing *listing, struct simhash_error *error)
{
	int status = 0;

	for (unsigned i = 0; listing->texts != NULL && i < listing->threads; i++)
		if (listing->texts[i].stream != NULL) {
			fclose(listing->texts[i].stream);
			free(listing->texts[i].text);
		}
	free(listing->texts);
	line_sorter_free(listing->sorter);
	listing->texts = NULL;
	listing->sorter = NULL;
	if (listing->file == NULL)
		return 0;
	if (fflush(listing->file) != 0 || ferror(listing->file))
		status = write_failed(listing, error);
	if (listing->file != stdout && fclose(listing->file) != 0 && status == 0)
		status = write_failed(listing, error);
	listing->file = NULL;
	return status;
}

static enum confirmation confirmation_of(const struct kept_pair *pair)
{
	static const enum confirmation states[] = {
		[PAIR_UNREAD] = NOT_ASKED,
		[PAIR_CONFIRMED] = CONFIRMED,
		[PAIR_TRUSTED] = TRUSTED,
		[PAIR_UNCONFIRMED] = UNCONFIRMED,
	};

	return states[pair->state];
}

int listing_add(struct listing *listing, unsigned thread, const struct found_pair *pair,
		const struct kept_pair *confirmed, struct simhash_error *error)
{
	struct thread_text *text = &listing->texts[thread];
	struct pair_line line = {
		.is_identical = pair->is_identical,
		.distance = pair->distance,
		.changed = pair->estimate.changed,
		.size_a_bytes = pair->a->size_bytes,
		.size_b_bytes = pair->b->size_bytes,
		.path_a = {pair->a->display, pair->a->display_size},
		.path_b = {pair->b->display, pair->b->display_size},
	};
	size_t end;

	if (confirmed != NULL) {
		line.confirmation = confirmation_of(confirmed);
		line.contained_a = confirmed->contained_a;
		line.contained_b = confirmed->contained_b;
		line.resemblance = confirmed->resemblance;
	}
	listing->formatter->pair(text->stream, &line, listing->is_terminal);
	end = (size_t)ftello(text->stream);
	/* What is identical comes before what only has the same counts. */
	text->lines[text->count++] = (struct line_key){
		pair->is_identical ? -1 : pair->estimate.changed, end - text->written};
	text->written = end;
	return text->count == LINES_AT_ONCE ? hand_on(listing, text, error) : 0;
}

static int write_line(void *context, const char *line, size_t size, struct simhash_error *error)
{
	struct listing *listing = context;

	fputs(listing->written++ == 0 ? listing->formatter->first : listing->formatter->separator,
	      listing->file);
	fwrite(line, 1, size, listing->file);
	return listing_check(listing, error);
}

int listing_write(struct listing *listing, struct simhash_error *error)
{
	for (unsigned i = 0; i < listing->threads; i++)
		if (hand_on(listing, &listing->texts[i], error) != 0)
			return -1;
	listing->formatter->begin(listing->file);
	if (line_sorter_write(listing->sorter, write_line, listing, error) != 0)
		return -1;
	listing->formatter->end(listing->file, listing->written);
	return listing_check(listing, error);
}

int listing_write_pairs(struct listing *listing, const struct pair_list *pairs,
			struct simhash_error *error)
{
	for (size_t i = 0; i < pairs->count; i++) {
		const struct kept_pair *kept = &pairs->pairs[i];
		struct found_pair pair = {.a = &pairs->files[kept->a],
					  .b = &pairs->files[kept->b],
					  .distance = kept->distance,
					  .is_identical = kept->is_identical,
					  .estimate = kept->estimate};
		if (listing_add(listing, 0, &pair, kept, error) != 0)
			return -1;
	}
	return listing_write(listing, error);
}

int listing_write_groups(struct listing *listing, const struct group_list *groups,
			 struct simhash_error *error)
{
	listing->formatter->begin_groups(listing->file);
	for (size_t g = 0; g < groups->count; g++) {
		const struct group *group = &groups->groups[g];
		struct group_line head = {
			.group = g + 1, .files = group->count, .bytes = group->bytes};
		listing->formatter->group(listing->file, &head);
		for (size_t m = 0; m < group->count; m++) {
			const struct group_member *member = &groups->members[group->first + m];
			const struct find_file *file = &groups->list->files[member->file];
			struct member_line line = {
				.group = g + 1,
				.role = m == 0		  ? REPRESENTATIVE
					: member->is_copy ? COPY
							  : MEMBER,
				.distance = member->distance,
				.changed = member->changed,
				.size_bytes = file->size_bytes,
				.path = {file->display, file->display_size},
			};
			listing->formatter->member(listing->file, &line, listing->is_terminal);
			if (listing_check(listing, error) != 0)
				return -1;
		}
		listing->formatter->end_group(listing->file, &head);
	}
	listing->formatter->end_groups(listing->file, groups->count);
	return listing_check(listing, error);
}
