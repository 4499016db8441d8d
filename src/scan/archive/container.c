/*
 * Makes rows of the members of archives from the pieces that an unpacker returns, in this process
 * or in a sandbox.
 * SPDX-License-Identifier: MIT
 */
#include "scan/archive/container.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/clock.h"
#include "scan/archive/container_level.h"
#include "scan/archive/sandbox.h"
#include "scan/archive/unpacker.h"
#include "scan/file/content.h"

_Static_assert(PIECE_MAX == FILE_SCANNER_BUFFER, "a piece fills the buffer of a scanner");

/* A member, and the archives that it is in: a prefix of the name of the last member. */
struct around {
	size_t name_size;
	uint8_t content_hash[CONTENT_HASH_SIZE];
	int64_t size_bytes;
};

struct container {
	struct file_scanner *scanner;
	struct unpacker *unpacker;	   /* NULL: the scanner's sandbox reads */
	struct content content;		   /* the content of the current member */
	char last[2 * CONTAINER_NAME_MAX]; /* the name of the last member */
	struct around around[CONTAINER_DEPTH_MAX];
	unsigned around_count;
	struct bytes name; /* the name of the member with the last problem */
	int why;
	bool is_over;
};

/* Returns NULL with errno. */
static struct container *open_wanted(struct file_scanner *scanner, int fd,
				     const struct stat *status, struct bytes name,
				     struct bytes wanted)
{
	int64_t begin;
	unsigned kind;
	bool is_read = scan_kind(scanner, fd, &kind, &begin) == 0;
	const struct unpack_request request = {.kind = kind,
					       .begin = begin,
					       .containers = scanner->containers,
					       .max_depth = scanner->max_depth,
					       .max_inflated_bytes = scanner->max_inflated_bytes,
					       .file_name = name,
					       .wanted = wanted};
	struct container *container = is_read ? calloc(1, sizeof *container) : NULL;

	if (container == NULL)
		return NULL;
	container->scanner = scanner;
	if (scanner->sandbox != NULL &&
	    sandbox_open(scanner->sandbox, &request, fd, status->st_size) == 0)
		return container;
	container->unpacker = unpacker_open(&request, fd, status->st_size, scanner->stop);
	if (container->unpacker != NULL)
		return container;
	free(container);
	errno = ENOMEM;
	return NULL;
}

int container_kinds(unsigned *kinds, struct simhash_error *error)
{
	return container_level_kinds(kinds, error);
}

const char *container_library(void)
{
	return container_level_library();
}

struct container *container_open(struct file_scanner *scanner, int fd, const struct stat *status,
				 struct bytes name)
{
	return open_wanted(scanner, fd, status, name, (struct bytes){NULL, 0});
}

void container_close(struct container *container)
{
	if (container == NULL)
		return;
	if (container->unpacker == NULL)
		sandbox_close(container->scanner->sandbox);
	unpacker_close(container->unpacker);
	free(container);
}

struct bytes container_name(const struct container *container)
{
	return container->name;
}

int container_why(const struct container *container)
{
	return container->why;
}

/* Read the next piece into the scanner's buffer. */
static enum unpacked next_piece(struct container *container, struct piece *piece)
{
	struct file_scanner *scanner = container->scanner;

	if (container->is_over)
		return UNPACKED_END;
	return container->unpacker == NULL
		       ? sandbox_next(scanner->sandbox, scanner->stop, scanner->buffer, piece)
		       : unpacker_next(container->unpacker, scanner->buffer, piece);
}

static enum container_answer trouble(struct container *container, struct bytes name, int why)
{
	container->name = name;
	container->why = why;
	return CONTAINER_TROUBLE;
}

/* Is the member inside the member of this name? */
static bool is_inside(const struct container *container, const struct around *around,
		      struct bytes name)
{
	size_t size = around->name_size;

	return name.size > size + 2 && memcmp(container->last, name.data, size) == 0 &&
	       memcmp(name.data + size, "//", 2) == 0;
}

/* Forget the members that this one is not in. Returns the innermost of the others, or NULL. */
static const struct around *find_around(struct container *container, struct bytes name)
{
	while (container->around_count > 0 &&
	       !is_inside(container, &container->around[container->around_count - 1], name))
		container->around_count--;
	return container->around_count == 0 ? NULL
					    : &container->around[container->around_count - 1];
}

/* Remember a member, whose text may follow. */
static void note_member(struct container *container, const struct file_row *row)
{
	struct around *around;

	find_around(container, row->name);
	if (row->name.size > sizeof container->last ||
	    container->around_count == CONTAINER_DEPTH_MAX)
		return;
	memcpy(container->last, row->name.data, row->name.size);
	around = &container->around[container->around_count++];
	around->name_size = row->name.size;
	around->size_bytes = row->size_bytes;
	memcpy(around->content_hash, row->content_hash, CONTENT_HASH_SIZE);
}

/* The row of a text has the hash and size of its document; for a file, the caller knows them. */
static void end_text(struct container *container, const struct document_dates *dates,
		     struct file_row *row)
{
	const struct around *around = find_around(container, row->name);

	row->contents = CONTENTS_IS_TEXT;
	row->dates = *dates;
	document_dates_check(&row->dates, clock_wall_ns());
	if (around == NULL)
		return;
	row->links = around->size_bytes;
	memcpy(row->content_hash, around->content_hash, CONTENT_HASH_SIZE);
}

enum container_answer container_next(struct container *container, struct file_row *row)
{
	struct piece piece;
	enum unpacked answer;

	while ((answer = next_piece(container, &piece)) == UNPACKED_PIECE) {
		if (!scan_may_inflate(container->scanner, piece.size)) {
			container->is_over = true;
			return trouble(container, (struct bytes){"", 0}, CONTAINER_ENDS_THE_RUN);
		}
		row->name = piece.name;
		if (piece.is_first) {
			content_begin(&container->content, container->scanner, row);
			row->contents = scan_archive_mark(container->scanner, piece.size);
		}
		content_add(&container->content, piece.size, piece.is_last);
		if (!piece.is_last)
			continue;
		if (content_end(&container->content) == SCAN_DONE) {
			if (piece.is_text)
				end_text(container, &piece.dates, row);
			else
				note_member(container, row);
			return CONTAINER_MEMBER;
		}
		container->is_over = true;
		return trouble(container, (struct bytes){"", 0}, errno);
	}
	if (answer == UNPACKED_TROUBLE)
		return trouble(container, piece.name, piece.why);
	return answer == UNPACKED_STOPPED ? CONTAINER_STOPPED : CONTAINER_END;
}

static int compare_names(const void *key, const void *member)
{
	return bytes_compare(*(const struct bytes *)key,
			     ((const struct container_member *)member)->name);
}

/*
 * Return the requested member with this name, or NULL. A single member was requested by its name.
 */
static struct container_member *find_member(struct container_member *members, size_t count,
					    struct bytes name)
{
	return count == 1 ? members
			  : bsearch(&name, members, count, sizeof *members, compare_names);
}

/* Read to the end, because the last member of a name counts. */
static void copy_wanted(struct container *container, struct container_member *members, size_t count,
			int *why)
{
	struct container_member *member = NULL;
	struct piece piece;
	enum unpacked answer;
	size_t have = 0;

	while ((answer = next_piece(container, &piece)) != UNPACKED_END) {
		if (answer == UNPACKED_TROUBLE) {
			*why = piece.why;
			continue;
		}
		if (piece.is_first) {
			member = find_member(members, count, piece.name);
			have = 0;
		}
		if (member == NULL)
			continue;
		if (have + piece.size <= member->size)
			memcpy(member->bytes + have, container->scanner->buffer, piece.size);
		have += piece.size;
		member->is_whole = piece.is_last && have == member->size;
	}
}

void container_extract(struct sandbox *sandbox, int fd, const struct stat *status,
		       struct bytes file_name, struct container_member *members, size_t count,
		       int *why)
{
	static const atomic_bool never_stop;
	struct file_scanner scanner = {.stop = &never_stop,
				       .buffer = malloc(FILE_SCANNER_ROOM),
				       .sandbox = sandbox,
				       .max_inflated_bytes = INT64_MAX,
				       .max_depth = CONTAINER_DEPTH_MAX};
	const struct bytes all = {NULL, 0};
	struct simhash_error error;
	struct container *container = NULL;

	errno = ENOMEM;
	if (scanner.buffer != NULL && container_kinds(&scanner.containers, &error) == 0)
		container = open_wanted(&scanner, fd, status, file_name,
					count == 1 ? members[0].name : all);
	*why = container == NULL ? errno : 0;
	if (container != NULL)
		copy_wanted(container, members, count, why);
	container_close(container);
	free(scanner.buffer);
}
