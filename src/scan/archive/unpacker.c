/*
 * Reads the members of an archive with libarchive, and the archives inside it as further levels.
 * SPDX-License-Identifier: MIT
 */
#include "scan/archive/unpacker.h"

#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/data/array.h"
#include "scan/archive/unpacker_state.h"
#include "scan/file/container_behind.h"
#include "store/row/file_row.h"

#define READ_BUFFER ((size_t)128 * 1024)
#define RATIO_MAX 200
/* Every file may inflate to this size; larger sizes have a maximum ratio. */
#define RATIO_FROM (INT64_C(64) << 20)
#define MEMBERS_MAX 1000000
#define INSIDE_MAX ((size_t)128 << 20) /* the maximum size of nested archives in memory */

static void pop(struct unpacker *unpacker)
{
	unpacker->inside_bytes -= unpacker_top(unpacker)->size;
	container_level_close(unpacker_top(unpacker));
	unpacker->depth--;
}

static void drop_inside(struct unpacker *unpacker)
{
	free(unpacker->inside.bytes);
	unpacker->inside_bytes -= unpacker->inside.size;
	unpacker->inside = (struct inside){.kind = 0};
}

/* ---- Opening ---- */

/* A volume ends early, and so does the first part of a file that was split. */
static bool may_end_early(const struct unpacker *unpacker)
{
	struct bytes name = unpacker->request.file_name;

	return unpacker->levels[unpacker->depth == 0 ? 0 : unpacker->depth - 1].is_volume ||
	       (unpacker->depth <= 1 && name.size > 4 &&
		memcmp(name.data + name.size - 4, ".001", 4) == 0);
}

/* Open the archive of the file as the first level. Returns 0, or the failure. */
static int open_first(struct unpacker *unpacker)
{
	const struct unpack_request *request = &unpacker->request;
	struct container_file *file = &unpacker->file;
	int is_volume = container_file_is_volume(file->reading.fd, request->kind, request->begin,
						 file->size_bytes);
	int why = errno;

	if (is_volume < 0)
		return why;
	if (is_volume > 0 && request->kind == CONTAINER_EWF) /* the other parts would be needed */
		return CONTAINER_IS_VOLUME;
	if (container_level_open_file(&unpacker->levels[0], file, request->containers,
				      request->kind, &why) == 0) {
		unpacker->depth = 1;
		unpacker->levels[0].is_volume = is_volume > 0;
		return 0;
	}
	return why == CONTAINER_IS_DAMAGED && (is_volume > 0 || may_end_early(unpacker))
		       ? CONTAINER_IS_VOLUME
		       : why;
}

struct unpacker *unpacker_open(const struct unpack_request *request, int fd, int64_t size_bytes,
			       const atomic_bool *stop)
{
	struct unpacker *unpacker;
	int why;

	unpacker = unpacker_names_are_ready() ? calloc(1, sizeof *unpacker) : NULL;
	if (unpacker == NULL)
		return NULL;
	unpacker->request = *request;
	unpacker->stop = stop;
	unpacker->has_gzip_row = request->kind == CONTAINER_GZIP &&
				 is_gzip_name(request->file_name);
	unpacker->file.size_bytes = size_bytes;
	unpacker->file.begin = request->begin;
	unpacker->file.buffer = malloc(READ_BUFFER);
	reading_begin(&unpacker->file.reading, fd, size_bytes);
	why = unpacker->file.buffer == NULL ? ENOMEM : open_first(unpacker);
	/* unpacker_next reports a damaged file. */
	unpacker->later = unpacker->has_gzip_row && why == CONTAINER_IS_DAMAGED ? 0 : why;
	return unpacker;
}

void unpacker_close(struct unpacker *unpacker)
{
	if (unpacker == NULL)
		return;
	while (unpacker->depth > 0)
		pop(unpacker);
	drop_inside(unpacker);
	free(unpacker->file.buffer);
	free(unpacker);
}

static enum unpacked trouble(struct unpacker *unpacker, int why, bool is_about_member)
{
	unpacker->member = (struct member){.is_begun = false};
	unpacker->why = why;
	unpacker->is_about_member = is_about_member && why != EBADMSG;
	return UNPACKED_TROUBLE;
}

/* Report a failure that was delayed until after a member. */
static enum unpacked next_trouble(struct unpacker *unpacker)
{
	int why = unpacker->later;

	unpacker->later = 0;
	return trouble(unpacker, why, unpacker->depth > 0);
}

/* A limit of the whole file is exceeded: stop and report it. */
static enum unpacked give_up(struct unpacker *unpacker, int why)
{
	while (unpacker->depth > 0)
		pop(unpacker);
	drop_inside(unpacker);
	return trouble(unpacker, why, false);
}

/* ---- Archives inside of archives ---- */

/* Check the first bytes of a member, which are in the buffer. */
static void begin_inside(struct unpacker *unpacker, size_t size)
{
	unsigned kind = container_level_inside(unpacker_top(unpacker), unpacker->buffer, size) &
			container_read_for(unpacker->request.containers);

	if (kind != 0 && unpacker->depth >= unpacker->request.max_depth)
		unpacker->later = CONTAINER_IS_TOO_DEEP;
	else
		unpacker->inside.kind = kind;
}

static void add_inside(struct unpacker *unpacker, size_t size)
{
	struct inside *inside = &unpacker->inside;
	struct simhash_error error;

	if (inside->kind == 0)
		return;
	if (unpacker->inside_bytes + size > INSIDE_MAX)
		unpacker->later = CONTAINER_IS_TOO_LARGE_INSIDE;
	else if (array_reserve(&inside->bytes, &inside->capacity, inside->size + size, 1, &error) !=
		 0)
		unpacker->later = ENOMEM;
	if (unpacker->later != 0) {
		drop_inside(unpacker);
		return;
	}
	memcpy(inside->bytes + inside->size, unpacker->buffer, size);
	inside->size += size;
	unpacker->inside_bytes += size;
}

/* Open the archive in the last member. -1 with unpacker->why. */
static int enter_inside(struct unpacker *unpacker)
{
	struct inside inside = unpacker->inside;
	struct container_level *level = &unpacker->levels[unpacker->depth];

	unpacker->inside = (struct inside){.kind = 0};
	if (container_level_open_memory(level, inside.bytes, inside.size,
					unpacker->request.containers, inside.kind,
					&unpacker->why) != 0)
		return unpacker->inside_bytes -= inside.size, -1;
	memcpy(unpacker->name + unpacker->name_size, "//", 2);
	level->prefix_size = unpacker->name_size + 2;
	unpacker->depth++;
	return 0;
}

/* ---- Members ---- */

/* A sparse member may end with a hole, which libarchive omits. */
static size_t fill_hole(const struct unpacker *unpacker, size_t have)
{
	const struct member *member = &unpacker->member;
	int64_t rest = member->sparse_size - member->size_bytes - (int64_t)have;
	size_t room = have < PIECE_MAX ? PIECE_MAX - have : 0;

	if (rest <= 0)
		return have;
	if (rest < (int64_t)room)
		room = (size_t)rest;
	memset(unpacker->buffer + have, 0, room);
	return have + room;
}

/* Read the next bytes of the member into the buffer. Returns their number, or -1 with *status. */
static ssize_t read_some(struct unpacker *unpacker, int *status)
{
	size_t have = 0;

	while (have < PIECE_MAX) {
		ssize_t got = container_level_read(unpacker_top(unpacker), unpacker->buffer + have,
						   PIECE_MAX - have);
		if (got == 0)
			break;
		if (got < 0 && got != ARCHIVE_RETRY) {
			*status = (int)got;
			return -1;
		}
		have += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)fill_hole(unpacker, have);
}

/* Return the exceeded limit, or 0. */
static int bound_that_is_met(const struct unpacker *unpacker)
{
	int64_t inflated = unpacker->inflated_bytes;

	if (inflated > unpacker->request.max_inflated_bytes)
		return EOVERFLOW;
	if (inflated > RATIO_FROM && inflated / RATIO_MAX > unpacker->file.size_bytes)
		return CONTAINER_INFLATES_TOO_FAR;
	return 0;
}

/* Return the errno of a failed read, which libarchive may mistake for the end of the file. */
static int take_read_failure(struct unpacker *unpacker)
{
	int why = unpacker->file.failed_errno;

	unpacker->file.failed_errno = 0;
	return why;
}

/* Return the failure of reading the innermost archive. */
static int failure_of(struct unpacker *unpacker)
{
	const struct container_level *level = unpacker_top(unpacker);
	int why = take_read_failure(unpacker);

	if (why != 0)
		return why;
	why = container_level_failure(level);
	if (why == CONTAINER_IS_DAMAGED && unpacker->depth == 1 && unpacker->has_gzip_row &&
	    container_level_is_damaged(level))
		return EBADMSG;
	return why == CONTAINER_IS_DAMAGED && may_end_early(unpacker) ? CONTAINER_IS_VOLUME : why;
}

/* Does the complete member have fewer bytes than its header says, or damaged bytes? */
static bool is_wrong(struct unpacker *unpacker, ssize_t got)
{
	const struct member *member = &unpacker->member;
	const struct container_level *level = unpacker_top(unpacker);

	return (member->text == NULL && member->size_bytes + got < member->stated_size) ||
	       (!container_level_is_archive(level) && container_level_is_damaged(level));
}

static enum unpacked member_failed(struct unpacker *unpacker, int status)
{
	int why = failure_of(unpacker);

	drop_inside(unpacker);
	unpacker->later = 0;
	if (status == ARCHIVE_FATAL)
		pop(unpacker);
	return trouble(unpacker, why, true);
}

static void use(struct unpacker *unpacker, size_t size, bool is_last)
{
	if (unpacker->member.is_looked_into && unpacker->member.size_bytes == 0)
		begin_inside(unpacker, size);
	add_inside(unpacker, size);
	unpacker_add_to_part(unpacker, size, is_last);
	if (is_last && unpacker->later == 0)
		unpacker->later = container_level_lacks(unpacker_top(unpacker));
}

/* Read the next piece into the buffer. Returns UNPACKED_PIECE even if the piece is not emitted. */
static enum unpacked read_piece(struct unpacker *unpacker, struct piece *piece)
{
	struct member *member = &unpacker->member;
	bool is_first = member->size_bytes == 0, is_text = member->text != NULL, is_last;
	const struct document_dates dates = member->dates;
	int status = ARCHIVE_OK, met;
	ssize_t got = is_text ? (ssize_t)unpacker_read_text(unpacker)
			      : read_some(unpacker, &status);

	if (got < 0)
		return member_failed(unpacker, status);
	is_last = is_text ? member->text_size == 0 : (size_t)got < PIECE_MAX;
	if (is_last && is_wrong(unpacker, got))
		return member_failed(unpacker, container_level_is_archive(unpacker_top(unpacker))
						       ? ARCHIVE_WARN
						       : ARCHIVE_FATAL);
	if (!is_text)
		use(unpacker, (size_t)got, is_last);
	member->size_bytes += got;
	unpacker->inflated_bytes += got;
	met = bound_that_is_met(unpacker);
	if (met != 0)
		return give_up(unpacker, met);
	if (atomic_load_explicit(unpacker->stop, memory_order_relaxed))
		return UNPACKED_STOPPED;
	member->is_begun = !is_last;
	if (is_text && is_last)
		pop(unpacker);
	*piece = (struct piece){.name = {unpacker->name, unpacker->name_size},
				.size = (size_t)got,
				.is_first = is_first,
				.is_last = is_last,
				.is_text = is_text,
				.dates = dates};
	return UNPACKED_PIECE;
}

/* Read the next piece of an emitted member. Otherwise read the whole member: UNPACKED_END. */
static enum unpacked read_on(struct unpacker *unpacker, struct piece *piece)
{
	enum unpacked answer;

	do
		answer = read_piece(unpacker, piece);
	while (answer == UNPACKED_PIECE && !unpacker->member.is_emitted &&
	       unpacker->member.is_begun);
	if (answer != UNPACKED_PIECE || unpacker->member.is_emitted)
		return answer;
	return unpacker->later == 0 ? UNPACKED_END : next_trouble(unpacker);
}

static enum unpacked read_member(struct unpacker *unpacker, bool is_emitted, bool is_looked_into,
				 struct piece *piece)
{
	unpacker->member.is_begun = true;
	unpacker->member.is_emitted = is_emitted;
	unpacker->member.is_looked_into = is_looked_into;
	unpacker_begin_part(unpacker);
	return read_on(unpacker, piece);
}

/* Skip an entry. In 7z, read it: after a skip, libarchive considers the next entry damaged. */
static enum unpacked pass_over(struct unpacker *unpacker, struct piece *piece)
{
	int format = archive_format(unpacker_top(unpacker)->archive) & ARCHIVE_FORMAT_BASE_MASK;

	if (format != ARCHIVE_FORMAT_7ZIP)
		return UNPACKED_END;
	unpacker->name_size = unpacker_archive_name_size(unpacker);
	unpacker->member = (struct member){.is_begun = true};
	return read_on(unpacker, piece);
}

/* Handle a member that is not emitted: read it only if it is a part of a document. */
static enum unpacked read_part(struct unpacker *unpacker, struct piece *piece)
{
	return unpacker_has_part(unpacker) ? read_member(unpacker, false, false, piece)
					   : pass_over(unpacker, piece);
}

/* If a single member is requested: emit it, or look into an archive that contains it. */
static enum unpacked read_wanted(struct unpacker *unpacker, struct piece *piece)
{
	struct bytes name = unpacker->request.wanted;
	size_t size = unpacker->name_size;
	bool is_archive = name.size > size + 2 && memcmp(name.data + size, "//", 2) == 0;

	if ((name.size != size && !is_archive) || memcmp(name.data, unpacker->name, size) != 0)
		return read_part(unpacker, piece);
	return read_member(unpacker, !is_archive, is_archive, piece);
}

/* Skip a member, and report this for the first one. */
static enum unpacked leave_out(struct unpacker *unpacker, bool *was_told, int why,
			       struct piece *piece)
{
	bool is_first = !*was_told;
	enum unpacked answer = why == CONTAINER_IS_ENCRYPTED ? UNPACKED_END
							     : pass_over(unpacker, piece);

	if (answer != UNPACKED_END)
		return answer;
	*was_told = true;
	return is_first ? trouble(unpacker, why, false) : UNPACKED_END;
}

/* Returns UNPACKED_END for an entry without its own content. */
static enum unpacked take_entry(struct unpacker *unpacker, struct archive_entry *entry,
				struct piece *piece)
{
	struct archive *archive = unpacker_top(unpacker)->archive;
	bool is_raw = archive_format(archive) == ARCHIVE_FORMAT_RAW;
	bool has_row = is_raw && unpacker->depth == 1 && unpacker->has_gzip_row;

	if (archive_entry_filetype(entry) != AE_IFREG ||
	    container_level_is_link(unpacker_top(unpacker), entry))
		return pass_over(unpacker, piece);
	if (has_row && !container_level_has_inner(unpacker_top(unpacker)))
		return UNPACKED_END;
	if (archive_entry_is_data_encrypted(entry))
		return leave_out(unpacker, &unpacker->told_encrypted, CONTAINER_IS_ENCRYPTED,
				 piece);
	if (!unpacker_name_member(unpacker, entry, is_raw))
		return leave_out(unpacker, &unpacker->told_long, CONTAINER_HAS_LONG_NAME, piece);
	unpacker->member = (struct member){
		.sparse_size = archive_entry_sparse_count(entry) > 0 ? archive_entry_size(entry)
								     : 0,
		.stated_size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : 0};
	if (container_level_begin(unpacker_top(unpacker), unpacker->request.containers,
				  unpacker_outer_name(unpacker), unpacker_own_name(unpacker)) != 0)
		return give_up(unpacker, ENOMEM);
	if (unpacker->request.wanted.data != NULL)
		return read_wanted(unpacker, piece);
	if (!unpacker_top(unpacker)->is_for_text)
		return read_member(unpacker, !has_row, true, piece);
	if (unpacker_top(unpacker)->document == NULL) /* a zip file that is not a document */
		return pop(unpacker), UNPACKED_END;
	return read_part(unpacker, piece);
}

/* No more of this archive can be read. */
static enum unpacked header_failed(struct unpacker *unpacker)
{
	struct archive *archive = unpacker_top(unpacker)->archive;
	bool is_read = unpacker->file.failed_errno == 0, is_inside = unpacker->depth > 1;
	bool is_told = is_read && !is_inside && unpacker->has_gzip_row &&
		       archive_format(archive) == 0;
	int why = is_read && archive_read_has_encrypted_entries(archive) > 0
			  ? CONTAINER_IS_ENCRYPTED
			  : failure_of(unpacker);

	if (is_inside)
		unpacker->name_size = unpacker_archive_name_size(unpacker);
	pop(unpacker);
	if (is_told)
		return UNPACKED_END;
	return trouble(unpacker, why, is_inside);
}

/* After the archive: continue with another archive, as in initial RAM disks, or report the rest. */
static int read_rest(struct unpacker *unpacker, bool *goes_on)
{
	struct container_file *file = &unpacker->file;
	int64_t at = container_level_rest(&unpacker->levels[0], file);
	unsigned kinds = container_read_for(unpacker->request.containers), kind;
	ssize_t got;
	int why;

	if (at < 0 || unpacker->has_gzip_row)
		return take_read_failure(unpacker);
	got = reading_at(&file->reading, at, file->buffer, READ_BUFFER);
	if (got < 0)
		return errno;
	kind = container_kind(file->buffer, (size_t)got) & kinds;
	if (kind == 0) /* in an ar file, these bytes belong to a header */
		return unpacker->levels[0].kind == CONTAINER_AR ? CONTAINER_IS_DAMAGED
								: CONTAINER_HAS_REST;
	pop(unpacker);
	*goes_on = true;
	file->begin = at;
	if (container_level_open_file(&unpacker->levels[0], file, unpacker->request.containers,
				      kind, &why) != 0)
		return why;
	unpacker->depth = 1;
	return 0;
}

/* Return the failure of an archive that was read to its end, or 0. */
static int failure_at_end(struct unpacker *unpacker)
{
	struct container_level *level = unpacker_top(unpacker);
	int why = unpacker->depth == 1 ? take_read_failure(unpacker) : 0;

	if (why != 0)
		return why;
	/* libarchive mistakes content that cannot be inflated for an empty archive. */
	if (archive_format(level->archive) == ARCHIVE_FORMAT_EMPTY && level->failed_as_opened != 0)
		return level->failed_as_opened;
	if (level->left_out == CONTAINER_IS_DAMAGED && may_end_early(unpacker))
		return CONTAINER_IS_VOLUME;
	if (level->left_out != 0)
		return level->left_out;
	if (level->has_gaps)
		return CONTAINER_IS_DAMAGED;
	if (level->mail != NULL)
		return container_level_lacks(level);
	if (!container_level_has_no_end(level))
		return level->is_volume ? CONTAINER_IS_VOLUME : 0;
	return may_end_early(unpacker) ? CONTAINER_IS_VOLUME : CONTAINER_HAS_NO_END;
}

/* The checksum of a gzip file comes last. Returns 0, or why it is wrong or was not read. */
static int read_to_end(struct unpacker *unpacker)
{
	struct container_level *level = unpacker_top(unpacker);
	ssize_t got = 1;
	int met = 0;

	if (unpacker->depth == 1 && unpacker->has_gzip_row && !container_level_is_archive(level))
		return 0;
	while (met == 0 && got > 0 && !atomic_load_explicit(unpacker->stop, memory_order_relaxed)) {
		got = container_level_read_on(level, unpacker->buffer, PIECE_MAX);
		unpacker->inflated_bytes += got > 0 ? got : 0;
		met = bound_that_is_met(unpacker);
	}
	return got < 0 ? failure_of(unpacker) : met;
}

static enum unpacked end_level(struct unpacker *unpacker, struct piece *piece)
{
	size_t name_size = unpacker_archive_name_size(unpacker);
	bool goes_on = false;
	int why = read_to_end(unpacker);

	if (atomic_load_explicit(unpacker->stop, memory_order_relaxed))
		return UNPACKED_STOPPED;
	if (why == 0 && unpacker_begin_text(unpacker, &why))
		return read_on(unpacker, piece);
	if (why == 0)
		why = failure_at_end(unpacker);
	if (why == 0 && unpacker->depth == 1)
		why = read_rest(unpacker, &goes_on);
	if (!goes_on)
		pop(unpacker);
	if (why == 0)
		return UNPACKED_END;
	unpacker->name_size = name_size;
	return trouble(unpacker, why, name_size > 0);
}

static enum unpacked next(struct unpacker *unpacker, struct piece *piece)
{
	enum unpacked answer = UNPACKED_END;

	if (unpacker->member.is_begun)
		return read_on(unpacker, piece);
	if (unpacker->later != 0)
		return next_trouble(unpacker);
	while (answer == UNPACKED_END && unpacker->depth > 0) {
		struct archive_entry *entry;
		int status;
		if (unpacker->inside.kind != 0 && enter_inside(unpacker) != 0)
			return trouble(unpacker, unpacker->why, true);
		status = container_level_next(unpacker_top(unpacker), &entry);
		if (status == ARCHIVE_EOF) {
			answer = end_level(unpacker, piece);
			continue;
		}
		if (++unpacker->members > MEMBERS_MAX)
			return give_up(unpacker, CONTAINER_HAS_TOO_MANY);
		if (container_level_is_after_gap(unpacker_top(unpacker), status))
			unpacker_top(unpacker)->has_gaps = true;
		if (status == ARCHIVE_RETRY)
			continue;
		if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
			return header_failed(unpacker);
		if (atomic_load_explicit(unpacker->stop, memory_order_relaxed))
			return UNPACKED_STOPPED;
		answer = take_entry(unpacker, entry, piece);
	}
	return answer;
}

enum unpacked unpacker_next(struct unpacker *unpacker, void *buffer, struct piece *piece)
{
	locale_t before = unpacker_names_begin();
	enum unpacked answer;

	unpacker->buffer = buffer;
	answer = next(unpacker, piece);
	if (answer == UNPACKED_TROUBLE)
		*piece = (struct piece){.name = {unpacker->name, unpacker->is_about_member
									 ? unpacker->name_size
									 : 0},
					.why = unpacker->why};
	unpacker_names_end(before);
	return answer;
}

int64_t unpacker_progress(const struct unpacker *unpacker)
{
	return unpacker->inflated_bytes + unpacker->members;
}
