/*
 * The members of archives, one inside the other as levels.
 * SPDX-License-Identifier: MIT
 */
#include "scan/container.h"

#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scan/container_state.h"
#include "scan/content.h"

#define READ_BUFFER ((size_t)128 * 1024)
#define RATIO_MAX 200
#define RATIO_FROM (INT64_C(64) << 20) /* inflated bytes that are allowed to any file */
#define MEMBERS_MAX 1000000
#define INSIDE_MAX ((size_t)128 << 20) /* bytes of archives inside of archives, in memory */

static void pop(struct container *container)
{
	container_level_close(container_top(container));
	container->depth--;
}

static void drop_inside(struct container *container)
{
	free(container->inside.bytes);
	container->inside_bytes -= container->inside.size;
	container->inside = (struct inside){.kind = 0};
}

/* In which names are UTF-8, as long as the process lives; 0 where the system has none. */
static locale_t utf8_names;
static bool is_short_of_memory;
static pthread_once_t utf8_names_once = PTHREAD_ONCE_INIT;

static void make_utf8_names(void)
{
	utf8_names = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	is_short_of_memory = utf8_names == (locale_t)0 && errno == ENOMEM;
}

/* ---- Opening ---- */

static bool has_gzip_row(struct bytes name)
{
	char *inflated = malloc(2 * name.size + 8);
	bool has = inflated != NULL && inflated_name(name, inflated) > 0;

	free(inflated);
	return has;
}

struct container *container_open(struct file_scanner *scanner, int fd, const struct stat *status,
				 struct bytes name)
{
	struct container *container;
	unsigned kind = scan_kind(scanner, fd);
	int why = ENOMEM;

	pthread_once(&utf8_names_once, make_utf8_names);
	container = is_short_of_memory ? NULL : calloc(1, sizeof *container);
	if (container == NULL)
		return NULL;
	container->scanner = scanner;
	container->file_name = name;
	container->has_gzip_row = kind == CONTAINER_GZIP && has_gzip_row(name);
	container->file.size_bytes = status->st_size;
	container->file.buffer = malloc(READ_BUFFER);
	reading_begin(&container->file.reading, fd, status->st_size);
	if (container->file.buffer != NULL &&
	    container_level_open_file(&container->levels[0], &container->file, scanner->containers,
				      kind, &why) == 0) {
		container->depth = 1;
		return container;
	}
	/* A damaged file is told by container_next. */
	container->later = container->has_gzip_row && why == CONTAINER_IS_DAMAGED ? 0 : why;
	return container;
}

void container_close(struct container *container)
{
	if (container == NULL)
		return;
	while (container->depth > 0)
		pop(container);
	drop_inside(container);
	free(container->file.buffer);
	free(container);
}

struct bytes container_name(const struct container *container)
{
	return (struct bytes){container->name,
			      container->is_about_member ? container->name_size : 0};
}

int container_why(const struct container *container)
{
	return container->why;
}

static enum container_answer trouble(struct container *container, int why, bool is_about_member)
{
	container->why = why;
	container->is_about_member = is_about_member;
	return CONTAINER_TROUBLE;
}

/* What was to be told after the row of a member. */
static enum container_answer next_trouble(struct container *container)
{
	int why = container->later;

	container->later = 0;
	return trouble(container, why, container->depth > 0);
}

/* A bound of the whole container is met. */
static enum container_answer give_up(struct container *container, int why)
{
	while (container->depth > 0)
		pop(container);
	drop_inside(container);
	return trouble(container, why, false);
}

/* ---- Names ---- */

/* The name of the innermost archive. */
static struct bytes outer_name(struct container *container)
{
	size_t prefix_size = container_top(container)->prefix_size;

	return prefix_size == 0 ? container->file_name
				: (struct bytes){container->name, prefix_size - 2};
}

/* The name of what a compressed file holds, which has none of its own. */
static size_t name_raw(struct container *container, char *name)
{
	struct bytes outer = outer_name(container);

	for (size_t i = outer.size; i > 0; i--)
		if (outer.data[i - 1] == '/') {
			outer = (struct bytes){outer.data + i, outer.size - i};
			break;
		}
	return outer.size > CONTAINER_NAME_MAX - 4
		       ? SIZE_MAX
		       : container_plain_name(outer.data, outer.size, name);
}

/* Name a member by the archives that it is in and its own name. False when that is too long. */
static bool name_member(struct container *container, struct archive_entry *entry, bool is_raw)
{
	size_t prefix_size = container_top(container)->prefix_size, size;
	const char *path = archive_entry_pathname(entry);
	char *name = container->name + prefix_size;

	if (is_raw) {
		size = name_raw(container, name);
	} else {
		if (path == NULL || path[0] == '\0')
			path = "?";
		size = strlen(path);
		if (size <= CONTAINER_NAME_MAX)
			memcpy(name, path, size);
	}
	if (size > CONTAINER_NAME_MAX || prefix_size + size > CONTAINER_NAME_MAX)
		return false;
	container->name_size = prefix_size + size;
	return true;
}

/* ---- Archives inside of archives ---- */

/* Look at the first bytes of a member, which are in the scanner's buffer. */
static void begin_inside(struct container *container, size_t size)
{
	const struct file_scanner *scanner = container->scanner;
	unsigned kind = container_kind(scanner->buffer, size) &
			container_read_for(scanner->containers);

	if (kind != 0 && container->depth >= scanner->max_depth)
		container->later = CONTAINER_IS_TOO_DEEP;
	else
		container->inside.kind = kind;
}

static void add_inside(struct container *container, size_t size)
{
	struct inside *inside = &container->inside;
	struct simhash_error error;

	if (inside->kind == 0)
		return;
	if (container->inside_bytes + size > INSIDE_MAX)
		container->later = CONTAINER_IS_TOO_LARGE_INSIDE;
	else if (array_reserve(&inside->bytes, &inside->capacity, inside->size + size, 1, &error) !=
		 0)
		container->later = ENOMEM;
	if (container->later != 0) {
		drop_inside(container);
		return;
	}
	memcpy(inside->bytes + inside->size, container->scanner->buffer, size);
	inside->size += size;
	container->inside_bytes += size;
}

/* Look into the member that was read last. -1 with container->why. */
static int enter_inside(struct container *container)
{
	struct inside inside = container->inside;
	struct container_level *level = &container->levels[container->depth];

	container->inside = (struct inside){.kind = 0};
	if (container_level_open_memory(level, inside.bytes, inside.size,
					container->scanner->containers, inside.kind,
					&container->why) != 0)
		return -1;
	memcpy(container->name + container->name_size, "//", 2);
	level->prefix_size = container->name_size + 2;
	container->depth++;
	return 0;
}

/* ---- Members ---- */

/* A sparse member may end in a hole, which libarchive leaves out. */
static size_t fill_hole(const struct container *container, int64_t offset, size_t have)
{
	int64_t rest = container->sparse_size - offset - (int64_t)have;
	size_t room = FILE_SCANNER_BUFFER - have;

	if (rest <= 0)
		return have;
	if (rest < (int64_t)room)
		room = (size_t)rest;
	memset((char *)container->scanner->buffer + have, 0, room);
	return have + room;
}

/* Fill the scanner's buffer from a member's `offset`. Returns the bytes, or -1 with *status of libarchive. */
static ssize_t read_some(struct container *container, int64_t offset, int *status)
{
	struct file_scanner *scanner = container->scanner;
	size_t have = 0;

	while (have < FILE_SCANNER_BUFFER) {
		la_ssize_t got = archive_read_data(container_top(container)->archive,
						   (char *)scanner->buffer + have,
						   FILE_SCANNER_BUFFER - have);
		if (got == 0)
			break;
		if (got < 0 && got != ARCHIVE_RETRY) {
			*status = (int)got;
			return -1;
		}
		have += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)fill_hole(container, offset, have);
}

/* Why no more may be read, or 0. */
static int bound_that_is_met(const struct container *container)
{
	int64_t inflated = container->inflated_bytes;

	if (inflated > container->scanner->max_inflated_bytes)
		return EOVERFLOW;
	if (inflated > RATIO_FROM && inflated / RATIO_MAX > container->file.size_bytes)
		return CONTAINER_INFLATES_TOO_FAR;
	return 0;
}

static enum container_answer member_failed(struct container *container, int status)
{
	drop_inside(container);
	container->later = 0;
	if (status == ARCHIVE_FATAL)
		pop(container);
	return trouble(container, CONTAINER_IS_DAMAGED, true);
}

/* What the bytes of a member are read for, besides the text of its document. */
struct uses {
	struct content *content; /* or NULL */
	uint8_t *copy;		 /* of `copy_size` bytes; or NULL */
	size_t copy_size;
	bool is_looked_into; /* where it is an archive */
};

static void use(struct container *container, const struct uses *uses, int64_t offset, size_t size)
{
	bool is_last = size < FILE_SCANNER_BUFFER;

	if (uses->is_looked_into && offset == 0)
		begin_inside(container, size);
	add_inside(container, size);
	container_add_to_part(container, size, is_last);
	if (uses->content != NULL)
		content_add(uses->content, size, is_last);
	if (uses->copy != NULL && offset + (int64_t)size <= (int64_t)uses->copy_size)
		memcpy(uses->copy + offset, container->scanner->buffer, size);
}

/* CONTAINER_MEMBER when it was read to its end, and *size is what it has. */
static enum container_answer read_to_end(struct container *container, const struct uses *uses,
					 int64_t *size)
{
	ssize_t got;

	*size = 0;
	container_begin_part(container);
	do {
		int status = ARCHIVE_OK, met;
		got = read_some(container, *size, &status);
		if (got < 0)
			return member_failed(container, status);
		use(container, uses, *size, (size_t)got);
		*size += got;
		container->inflated_bytes += got;
		met = bound_that_is_met(container);
		if (met != 0)
			return give_up(container, met);
		if (atomic_load_explicit(container->scanner->stop, memory_order_relaxed))
			return CONTAINER_STOPPED;
	} while ((size_t)got == FILE_SCANNER_BUFFER);
	return CONTAINER_MEMBER;
}

static enum container_answer read_member(struct container *container, struct file_row *row)
{
	struct content content;
	const struct uses uses = {.content = &content, .is_looked_into = true};
	enum container_answer answer;
	int64_t size;

	row->name = (struct bytes){container->name, container->name_size};
	content_begin(&content, container->scanner, row);
	answer = read_to_end(container, &uses, &size);
	return answer != CONTAINER_MEMBER || content_end(&content) == SCAN_DONE
		       ? answer
		       : give_up(container, errno);
}

/* A member that gets no row, and is read as a part of a document at most. */
static enum container_answer read_part(struct container *container)
{
	const struct uses none = {.content = NULL};
	enum container_answer answer;
	int64_t size;

	if (!container_has_part(container))
		return CONTAINER_END;
	answer = read_to_end(container, &none, &size);
	return answer != CONTAINER_MEMBER ? answer
	       : container->later == 0	  ? CONTAINER_END
					  : next_trouble(container);
}

/* Is it the wanted member, or an archive that has it? */
static bool is_wanted(const struct container *container, bool *is_archive)
{
	struct bytes name = container->wanted->name;
	size_t size = container->name_size;

	*is_archive = name.size > size + 2 && memcmp(name.data + size, "//", 2) == 0;
	return (name.size == size || *is_archive) && memcmp(name.data, container->name, size) == 0;
}

static enum container_answer read_wanted(struct container *container, struct file_row *row)
{
	const struct extraction *wanted = container->wanted;
	struct uses uses = {.copy = wanted->bytes, .copy_size = wanted->size};
	enum container_answer answer;

	if (!is_wanted(container, &uses.is_looked_into))
		return read_part(container);
	if (uses.is_looked_into)
		uses.copy = NULL;
	answer = read_to_end(container, &uses, &row->size_bytes);
	return answer == CONTAINER_MEMBER && uses.is_looked_into ? CONTAINER_END : answer;
}

/* A member that is left out, which is told of the first one. */
static enum container_answer leave_out(struct container *container, bool *was_told, int why)
{
	bool is_first = !*was_told;

	*was_told = true;
	return is_first ? trouble(container, why, false) : CONTAINER_END;
}

/* CONTAINER_END for an entry without content of its own. */
static enum container_answer take_entry(struct container *container, struct archive_entry *entry,
					struct file_row *row)
{
	struct archive *archive = container_top(container)->archive;
	bool is_raw = archive_format(archive) == ARCHIVE_FORMAT_RAW;

	if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != NULL)
		return CONTAINER_END;
	if (is_raw && container->depth == 1 && container->has_gzip_row)
		return CONTAINER_END;
	if (archive_entry_is_data_encrypted(entry))
		return leave_out(container, &container->told_encrypted, CONTAINER_IS_ENCRYPTED);
	if (!name_member(container, entry, is_raw))
		return leave_out(container, &container->told_long, CONTAINER_HAS_LONG_NAME);
	container->sparse_size = archive_entry_sparse_count(entry) > 0 ? archive_entry_size(entry)
								       : 0;
	if (container_level_begin(container_top(container), container->scanner->containers,
				  outer_name(container), container_own_name(container)) != 0)
		return give_up(container, ENOMEM);
	if (container->wanted != NULL)
		return read_wanted(container, row);
	if (!container_top(container)->is_for_text)
		return read_member(container, row);
	if (container_top(container)->document == NULL) /* it is a zip file that is no document */
		return pop(container), CONTAINER_END;
	return read_part(container);
}

/* No more of this archive can be read. */
static enum container_answer header_failed(struct container *container)
{
	struct archive *archive = container_top(container)->archive;
	int system_errno = archive_errno(archive);
	int why = archive_read_has_encrypted_entries(archive) > 0 ? CONTAINER_IS_ENCRYPTED
		  : system_errno == EIO || system_errno == ENOMEM ? system_errno
								  : CONTAINER_IS_DAMAGED;
	bool is_inside = container->depth > 1;

	if (is_inside)
		container->name_size = container_top(container)->prefix_size - 2;
	pop(container);
	if (!is_inside && container->has_gzip_row)
		return CONTAINER_END;
	return trouble(container, why, is_inside);
}

static enum container_answer end_level(struct container *container, struct file_row *row)
{
	size_t prefix_size = container_top(container)->prefix_size;
	int why;
	enum container_answer answer = container_end_document(container, row, &why);

	pop(container);
	if (why == 0)
		return answer;
	container->name_size = prefix_size > 0 ? prefix_size - 2 : 0;
	return trouble(container, why, prefix_size > 0);
}

static enum container_answer next(struct container *container, struct file_row *row)
{
	enum container_answer answer = CONTAINER_END;

	if (container->later != 0)
		return next_trouble(container);
	while (answer == CONTAINER_END && container->depth > 0) {
		struct archive_entry *entry;
		int status;
		if (container->inside.kind != 0 && enter_inside(container) != 0)
			return trouble(container, container->why, true);
		status = archive_read_next_header(container_top(container)->archive, &entry);
		if (status == ARCHIVE_EOF) {
			answer = end_level(container, row);
			continue;
		}
		if (++container->members > MEMBERS_MAX)
			return give_up(container, CONTAINER_HAS_TOO_MANY);
		if (status == ARCHIVE_RETRY)
			continue;
		if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
			return header_failed(container);
		if (atomic_load_explicit(container->scanner->stop, memory_order_relaxed))
			return CONTAINER_STOPPED;
		answer = take_entry(container, entry, row);
	}
	return answer;
}

enum container_answer container_next(struct container *container, struct file_row *row)
{
	locale_t before = utf8_names == (locale_t)0 ? (locale_t)0 : uselocale(utf8_names);
	enum container_answer answer = next(container, row);

	if (before != (locale_t)0)
		uselocale(before);
	return answer;
}

int container_extract(int fd, const struct stat *status, struct bytes file_name,
		      struct bytes member, uint8_t *bytes, size_t size, int *why)
{
	static const atomic_bool never_stop;
	const struct extraction wanted = {member, bytes, size};
	struct file_scanner scanner = {.stop = &never_stop,
				       .buffer = malloc(FILE_SCANNER_ROOM),
				       .max_inflated_bytes = INT64_MAX,
				       .max_depth = CONTAINER_DEPTH_MAX};
	struct simhash_error error;
	struct container *container =
		scanner.buffer == NULL || container_kinds(&scanner.containers, &error) != 0
			? NULL
			: container_open(&scanner, fd, status, file_name);
	enum container_answer answer;
	struct file_row row = {.size_bytes = -1};
	int result = -1;

	*why = container == NULL ? ENOMEM : 0;
	if (container != NULL)
		container->wanted = &wanted;
	/* To the end: the last one of a name counts. */
	while (container != NULL && (answer = container_next(container, &row)) != CONTAINER_END)
		if (answer == CONTAINER_MEMBER)
			result = row.size_bytes == (int64_t)size ? 0 : -1;
		else
			*why = container->why;
	container_close(container);
	free(scanner.buffer);
	return result;
}
