/*
 * Compares a damaged file with the right content, and writes either content to a new file.
 * SPDX-License-Identifier: MIT
 */
#include "act/file/damaged_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/file/same_bytes.h"
#include "base/basic/byte_order.h"
#include "base/files/open_file.h"
#include "scan/file/content_hash.h"
#include "scan/file/reading.h"

#define PIECE ((int64_t)256 << 10)
#define BLOCK READING_BLOCK
#define GAP 16 /* equal bytes between two ranges; a range takes as many */
#define HEAD 16
#define UNREADABLE (UINT64_C(1) << 63) /* in the size of a range */

/* ---- Reading ---- */

struct source {
	struct reading reading;
	const struct right_bytes *right; /* NULL: only `reading` */
	XXH3_state_t *hash;
	uint8_t *piece;
};

static int source_begin(struct source *source, const struct right_bytes *right, int fd,
			int64_t size)
{
	*source = (struct source){.right = right,
				  .hash = XXH3_createState(),
				  .piece = aligned_alloc(BLOCK, (size_t)PIECE)};
	if (source->hash == NULL || source->piece == NULL) {
		errno = ENOMEM;
		return -1;
	}
	XXH3_128bits_reset(source->hash);
	if (fd >= 0)
		reading_begin_around(&source->reading, fd, size);
	return 0;
}

static void source_end(struct source *source)
{
	int saved = errno;

	free(source->piece);
	XXH3_freeState(source->hash);
	errno = saved;
}

static int64_t read_source(struct source *source, int64_t at)
{
	const struct right_bytes *right = source->right;
	int64_t size;

	if (right == NULL || right->bytes == NULL)
		return reading_at(&source->reading, at, source->piece, (size_t)PIECE);
	size = at >= right->size_bytes ? 0 : right->size_bytes - at;
	size = size < PIECE ? size : PIECE;
	memcpy(source->piece, right->bytes + at, (size_t)size);
	return size;
}

static int source_of_right(struct source *source, const struct right_bytes *right)
{
	return source_begin(source, right, right->bytes == NULL ? right->fd : -1,
			    right->size_bytes);
}

int hash_around(int fd, int64_t size, uint8_t hash[KEEP_HASH_SIZE])
{
	struct source source;
	int64_t got = source_begin(&source, NULL, fd, size) == 0 ? 1 : -1;

	for (int64_t at = 0; got > 0; at += got) {
		got = read_source(&source, at);
		if (got > 0)
			XXH3_128bits_update(source.hash, source.piece, (size_t)got);
	}
	if (got == 0)
		content_hash_store(source.hash, hash);
	source_end(&source);
	return got == 0 ? 0 : -1;
}

/* ---- The companion file ---- */

static int open_companion(const char *journal, int flags)
{
	char *path = NULL;
	int fd;

	if (asprintf(&path, "%s.bytes", journal) < 0)
		return -1;
	fd = open_file_at(AT_FDCWD, path, flags, 0600);
	free(path);
	return fd;
}

static int write_at(int fd, const uint8_t *bytes, int64_t size, int64_t at)
{
	while (size > 0) {
		ssize_t part = pwrite(fd, bytes, (size_t)size, (off_t)at);
		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return -1;
		bytes += part;
		size -= part;
		at += part;
	}
	return 0;
}

static int append(struct damaged_bytes *bytes, const uint8_t *data, int64_t size)
{
	if (bytes->fd < 0)
		bytes->fd = open_companion(bytes->journal, O_RDWR | O_CREAT | O_EXCL);
	if (bytes->fd < 0 || write_at(bytes->fd, data, size, bytes->size) != 0)
		return -1;
	bytes->size += size;
	return 0;
}

static int append_range(struct damaged_bytes *bytes, int64_t offset, const uint8_t *data,
			int64_t size)
{
	uint8_t head[HEAD];

	write_big_endian(head, 8, (uint64_t)offset);
	write_big_endian(head + 8, 8, (uint64_t)size | (data == NULL ? UNREADABLE : 0));
	return append(bytes, head, HEAD) != 0 || (data != NULL && append(bytes, data, size) != 0)
		       ? -1
		       : 0;
}

int damaged_bytes_sync(const struct damaged_bytes *bytes)
{
	return bytes->fd < 0 ? 0 : fsync(bytes->fd);
}

void damaged_bytes_drop(struct damaged_bytes *bytes, const struct damaged_found *found)
{
	int saved = errno;

	if (bytes->fd >= 0 && ftruncate(bytes->fd, (off_t)found->at) == 0)
		bytes->size = found->at;
	errno = saved;
}

void damaged_bytes_close(struct damaged_bytes *bytes)
{
	char *path = NULL;

	if (bytes->fd < 0)
		return;
	close(bytes->fd);
	bytes->fd = -1;
	if (bytes->size == 0 && asprintf(&path, "%s.bytes", bytes->journal) >= 0)
		unlink(path);
	free(path);
}

/* ---- Comparing ---- */

/* The state of a comparison. */
struct comparison {
	struct source right, damaged;
	int64_t right_got, got; /* the bytes of this piece in each file */
	struct damaged_bytes *bytes;
	struct damaged_found *found;
};

/* Append the bytes of a part of the piece that differ from the right ones. */
static int note_part(struct comparison *state, int64_t at, int64_t from, int64_t to)
{
	const uint8_t *x = state->damaged.piece, *y = state->right.piece;
	int64_t end = to < state->right_got ? to : state->right_got, i = from, first, last;

	if (end == to && memcmp(x + from, y + from, (size_t)(to - from)) == 0)
		return 0;
	while (i < to) {
		while (i < end && x[i] == y[i])
			i++;
		if (i >= to)
			return 0;
		for (first = last = i; i < to && i - last <= GAP; i++)
			if (i >= end || x[i] != y[i]) {
				state->found->different_bytes++;
				last = i;
			}
		if (append_range(state->bytes, at + first, x + first, last + 1 - first) != 0)
			return -1;
		i = last + 1;
	}
	return 0;
}

/* The piece cannot be read completely: read its blocks. The others get the right bytes. */
static int read_blocks(struct comparison *state, int64_t at, int64_t size)
{
	uint8_t *piece = state->damaged.piece;

	for (state->got = 0; state->got < size;) {
		int64_t left = size - state->got < BLOCK ? size - state->got : BLOCK;
		ssize_t got = reading_at(&state->damaged.reading, at + state->got,
					 piece + state->got, BLOCK);
		if (got < 0) {
			memset(piece + state->got, 0, (size_t)left);
			if (state->got < state->right_got)
				memcpy(piece + state->got, state->right.piece + state->got,
				       (size_t)(state->right_got - state->got < left
							? state->right_got - state->got
							: left));
			if (append_range(state->bytes, at + state->got, NULL, left) != 0)
				return -1;
			state->found->unreadable_bytes += left;
		}
		if (got == 0)
			return 0;
		state->got += got < 0 ? left : got;
	}
	return 0;
}

/* Compare a piece. Returns 1, 0 after the end, or -1. */
static int compare_piece(struct comparison *state, int64_t at, int64_t damaged_size, int *of_right)
{
	int64_t size = damaged_size - at < PIECE ? damaged_size - at : PIECE;

	*of_right = 1;
	state->right_got = read_source(&state->right, at);
	if (state->right_got < 0)
		return -1;
	XXH3_128bits_update(state->right.hash, state->right.piece, (size_t)state->right_got);
	state->got = size <= 0 ? 0 : read_source(&state->damaged, at);
	*of_right = -1;
	if (state->got < 0 && read_blocks(state, at, size) != 0)
		return -1;
	XXH3_128bits_update(state->damaged.hash, state->damaged.piece, (size_t)state->got);
	if (note_part(state, at, 0, state->got) != 0)
		return -1;
	return state->right_got == PIECE || state->got == PIECE;
}

int damaged_bytes_compare(const struct right_bytes *right, int damaged_fd, int64_t damaged_size,
			  struct damaged_bytes *bytes, struct damaged_found *found, int *of_right)
{
	struct comparison state = {.bytes = bytes, .found = found};
	int status = 1, begun;

	*found = (struct damaged_found){.at = bytes->size};
	*of_right = -1;
	begun = source_of_right(&state.right, right);
	if (source_begin(&state.damaged, NULL, damaged_fd, damaged_size) != 0 || begun != 0)
		status = -1;
	for (int64_t at = 0; status == 1; at += PIECE)
		status = compare_piece(&state, at, damaged_size, of_right);
	if (status == 0) {
		content_hash_store(state.right.hash, found->right_hash);
		content_hash_store(state.damaged.hash, found->damaged_hash);
	}
	found->size = bytes->size - found->at;
	if (status != 0)
		damaged_bytes_drop(bytes, found);
	source_end(&state.damaged);
	source_end(&state.right);
	return status;
}

/* ---- Writing ---- */

static bool is_zero(const uint8_t *bytes, int64_t size)
{
	return size > 0 && bytes[0] == 0 && memcmp(bytes, bytes + 1, (size_t)size - 1) == 0;
}

/* Write a piece, block by block if blocks of zeros become holes. */
static int write_piece(int to, const uint8_t *piece, int64_t size, int64_t at, bool is_sparse)
{
	int64_t step = is_sparse ? BLOCK : PIECE;

	for (int64_t i = 0; i < size; i += step) {
		int64_t part = size - i < step ? size - i : step;
		if ((!is_sparse || !is_zero(piece + i, part)) &&
		    write_at(to, piece + i, part, at + i) != 0)
			return -1;
	}
	return 0;
}

int right_bytes_write(const struct right_bytes *right, int to, bool is_sparse,
		      uint8_t hash[KEEP_HASH_SIZE])
{
	struct source source;
	int64_t got = source_of_right(&source, right) == 0 ? 1 : -1, at;

	for (at = 0; got > 0; at += got) {
		got = read_source(&source, at);
		if (got <= 0)
			break;
		XXH3_128bits_update(source.hash, source.piece, (size_t)got);
		if (write_piece(to, source.piece, got, at, is_sparse) != 0)
			got = -1;
	}
	if (got == 0 && ftruncate(to, (off_t)at) != 0)
		got = -1;
	if (got == 0)
		content_hash_store(source.hash, hash);
	source_end(&source);
	return got == 0 ? 0 : -1;
}

/* ---- Restoring the damage ---- */

static int read_exactly(int fd, uint8_t *bytes, int64_t size, int64_t at)
{
	while (size > 0) {
		ssize_t part = pread(fd, bytes, (size_t)size, (off_t)at);
		if (part < 0 && errno == EINTR)
			continue;
		if (part == 0)
			errno = EBADMSG;
		if (part <= 0)
			return -1;
		bytes += part;
		size -= part;
		at += part;
	}
	return 0;
}

static int copy_ranges(int from, int64_t at, int64_t end, int64_t damaged_size, int to,
		       uint8_t *piece)
{
	uint8_t head[HEAD];

	while (at < end) {
		int64_t offset, size, part;
		uint64_t word;
		if (read_exactly(from, head, HEAD, at) != 0)
			return -1;
		at += HEAD;
		offset = (int64_t)read_big_endian(head, 8);
		word = read_big_endian(head + 8, 8);
		size = (int64_t)(word & ~UNREADABLE);
		if (offset < 0 || offset > damaged_size || size > damaged_size - offset) {
			errno = EBADMSG;
			return -1;
		}
		for (; (word & UNREADABLE) == 0 && size > 0; size -= part) {
			part = size < PIECE ? size : PIECE;
			if (read_exactly(from, piece, part, at) != 0 ||
			    write_at(to, piece, part, offset) != 0)
				return -1;
			at += part;
			offset += part;
		}
	}
	return 0;
}

int damaged_bytes_restore(const char *journal, int64_t at, int64_t size, int from,
			  int64_t damaged_size, int to, uint8_t hash[KEEP_HASH_SIZE])
{
	uint8_t ignored[KEEP_HASH_SIZE], *piece = malloc((size_t)PIECE);
	int fd = size == 0 ? -1 : open_companion(journal, O_RDONLY | O_NOCTTY);
	int status = piece == NULL || (size > 0 && fd < 0) ? -1 : copy_bytes(from, to, ignored);

	if (status == 0 && size > 0)
		status = copy_ranges(fd, at, at + size, damaged_size, to, piece);
	if (status == 0)
		status = ftruncate(to, (off_t)damaged_size);
	if (status == 0)
		status = copy_bytes(to, -1, hash);
	if (fd >= 0)
		close_keeping_errno(fd);
	free(piece);
	return status;
}
