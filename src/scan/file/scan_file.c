/*
 * Opens a file and reads it once, for its sum table and its content hash. The row describes the
 * bytes that were read. If a file changes its size during the scan, it differs from its row in size
 * or time, so the next run reads it again.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/scan_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "scan/file/container_behind.h"
#include "scan/file/container_kind.h"
#include "scan/file/content.h"
#include "scan/file/content_hash.h"
#include "scan/file/inflating.h"
#include "scan/file/reading.h"
#include "scan/file/shared_scan.h"
#include "scan/pdf/pdf_dates.h"
#include "store/open/store.h"

#define UNPROMISED_MAX (INT64_C(1) << 20) /* the limit for a file that claims to be empty */

/* The first bytes of a file determine whether it is a container. */
static void note_kind(struct file_scanner *scanner, size_t size)
{
	if (scanner->containers == 0)
		return;
	scanner->kind = container_kind(scanner->buffer, size) &
			container_read_for(scanner->containers);
	scanner->has_kind = true;
}

/* A document is the whole file; only other containers can come after a program. */
static bool scan_looks_behind(const struct file_scanner *scanner)
{
	return (scanner->containers & ~(unsigned)CONTAINER_TEXT) != 0;
}

int scan_kind(const struct file_scanner *scanner, int fd, unsigned *kind, int64_t *begin)
{
	struct reading reading = {.fd = fd};
	unsigned wanted = container_read_for(scanner->containers);
	ssize_t got = reading_at(&reading, 0, scanner->buffer, CONTAINER_HEAD_SIZE);

	if (begin != NULL)
		*begin = 0;
	*kind = got > 0 ? container_kind(scanner->buffer, (size_t)got) & wanted : 0;
	if (got <= 0 || *kind != 0 || !scan_looks_behind(scanner))
		return got < 0 ? -1 : 0;
	return container_behind(fd, wanted, scanner->buffer, FILE_SCANNER_BUFFER, kind, begin);
}

/*
 * A file that does not begin as a container may have one after a program. The buffer is free. If
 * the file cannot be read any more, later code tries again and reports the failure.
 */
static void note_kind_behind(struct file_scanner *scanner, int fd)
{
	if (scanner->has_kind && scanner->kind == 0 && scan_looks_behind(scanner))
		scanner->has_kind = container_behind(fd, container_read_for(scanner->containers),
						     scanner->buffer, FILE_SCANNER_BUFFER,
						     &scanner->kind, NULL) == 0;
}

/* Read and add the next `size` bytes. Returns the number of bytes, or -1 with errno. */
static ssize_t add_next(struct content *content, struct reading *reading, size_t size,
			int64_t expected)
{
	struct file_scanner *scanner = content->scanner;
	int64_t offset = content->row->size_bytes;
	const uint8_t *zeros = offset == 0 ? NULL : reading_hole(reading, offset, size);
	ssize_t got;

	if (zeros != NULL) {
		content_add_zeros(content, zeros, size);
		return (ssize_t)size;
	}
	got = offset == 0 ? reading_first(reading, scanner->buffer, size)
			  : reading_at(reading, offset, scanner->buffer, size);
	if (got < 0)
		return -1;
	if (offset == 0)
		note_kind(scanner, (size_t)got);
	content_add(content, (size_t)got, (size_t)got < size || offset + got == expected);
	return got;
}

static enum scan_outcome scan_bytes(struct file_scanner *scanner, struct reading *reading,
				    int64_t expected, struct file_row *row)
{
	enum scan_outcome outcome;
	struct content content;
	size_t size = FILE_SCANNER_BUFFER;
	ssize_t got;

	content_begin(&content, scanner, row);
	/*
	 * A growing file is read up to the size from fstat. A file that claims to be empty, as
	 * files of /proc do, is read to its end, up to a limit.
	 */
	do {
		if (expected > 0 && expected - row->size_bytes < FILE_SCANNER_BUFFER)
			size = (size_t)(expected - row->size_bytes);
		got = add_next(&content, reading, size, expected);
		if (got < 0)
			return errno == EINTR ? SCAN_STOPPED : SCAN_FAILED;
		if (scanner->bytes_read != NULL)
			atomic_fetch_add_explicit(scanner->bytes_read, got, memory_order_relaxed);
		reading_is_done(reading, row->size_bytes);
		if (expected == 0 && row->size_bytes > UNPROMISED_MAX) {
			errno = EFBIG;
			return SCAN_FAILED;
		}
		if (atomic_load_explicit(scanner->stop, memory_order_relaxed))
			return SCAN_STOPPED;
	} while ((size_t)got == size && row->size_bytes != expected);
	outcome = content_end(&content);
	if (outcome == SCAN_DONE)
		note_kind_behind(scanner, reading->fd);
	return outcome;
}

/* A larger hole would take hours, and one of exabytes years, to hash. */
#define HOLES_MAX (INT64_C(64) << 40)

static bool has_large_holes(const struct stat *status)
{
	return status->st_size > HOLES_MAX &&
	       (status->st_size - HOLES_MAX) / 512 > (int64_t)status->st_blocks;
}

/*
 * Open a regular file that does not belong to the index, and begin its row. Returns the descriptor,
 * or -1.
 */
static int open_file(struct file_scanner *scanner, int directory_fd, const char *name,
		     struct file_row *row, struct stat *status, enum scan_outcome *outcome)
{
	/* O_NONBLOCK: if the file has become a FIFO, opening it must not block. */
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (scanner->follow ? 0 : O_NOFOLLOW);
	int fd = scanner->is_others ? open_others_file_at(directory_fd, name, flags)
				    : open_file_at(directory_fd, name, flags, 0);

	*outcome = SCAN_FAILED;
	if (fd < 0) {
		/* ELOOP: it has become a link; ENXIO: a FIFO or socket */
		if (errno == ENOENT || errno == ENXIO || (errno == ELOOP && !scanner->follow))
			*outcome = SCAN_GONE;
		return -1;
	}
	row->scanned_at_ns = clock_wall_ns();
	if (fstat(fd, status) != 0)
		goto fail;
	if (!S_ISREG(status->st_mode)) {
		*outcome = SCAN_GONE;
		goto fail;
	}
	if (scanner->own != NULL && store_is_own_file(scanner->own, name, (uint64_t)status->st_dev,
						      (uint64_t)status->st_ino)) {
		*outcome = SCAN_OWN;
		goto fail;
	}
	row->mtime_ns = stat_mtime_ns(status);
	row->changed_ns = stat_ctime_ns(status);
	row->device = (int64_t)status->st_dev;
	row->inode = (int64_t)status->st_ino;
	/* A file reached through a symbolic link has more names than the system counts. */
	row->links = scanner->follow ? 0 : (int64_t)status->st_nlink;
	return fd;
fail:
	close_content(fd);
	return -1;
}

/* Has this file a name ending in .pdf? */
static bool is_pdf(struct bytes name)
{
	const char *extension;

	return simhash_extension(name.data, name.size, &extension) == 3 &&
	       strncasecmp(extension, "pdf", 3) == 0;
}

/* Read both ends of a PDF again. If that fails, it has no dates. The buffer is free. */
static void read_pdf_dates(struct file_scanner *scanner, const struct reading *reading,
			   struct file_row *row)
{
	char *head = scanner->buffer, *tail = head + PDF_END_SIZE;
	int64_t end = row->size_bytes, begin = end - (int64_t)PDF_END_SIZE;
	ssize_t head_size = reading_at(reading, 0, head, PDF_END_SIZE), tail_size = 0;

	if (begin < (int64_t)PDF_END_SIZE)
		begin = (int64_t)PDF_END_SIZE;
	if (begin < end)
		tail_size = reading_at(reading, begin, tail, (size_t)(end - begin));
	if (head_size < 0 || tail_size < 0)
		return;
	pdf_dates_find((struct bytes){head, (size_t)head_size},
		       (struct bytes){tail, (size_t)tail_size}, &row->dates);
	document_dates_check(&row->dates, clock_wall_ns());
}

_Static_assert(2 * PDF_END_SIZE <= FILE_SCANNER_BUFFER, "both ends fit into the buffer");

enum scan_outcome scan_file(struct file_scanner *scanner, int directory_fd, const char *name,
			    struct shared_scan *shared, struct file_row *row)
{
	enum scan_outcome outcome;
	struct reading reading;
	struct stat status;
	int fd = open_file(scanner, directory_fd, name, row, &status, &outcome);
	bool is_read_again;

	scanner->has_kind = false;
	if (fd < 0)
		return outcome;
	if (has_large_holes(&status)) {
		close_content(fd);
		errno = FILE_HAS_LARGE_HOLES;
		return SCAN_FAILED;
	}
	reading_begin(&reading, fd, status.st_size);
	reading_find_holes(&reading, status.st_size);
	reading.stop = scanner->stop;
	/* Features span pieces, so one thread must make all sketches. */
	if (shared != NULL && status.st_size >= SHARED_FROM && scanner->sketching.count == 0)
		outcome = shared_scan_lead(shared, scanner, &reading, status.st_size, row);
	else
		outcome = scan_bytes(scanner, &reading, status.st_size, row);
	if (outcome == SCAN_DONE && is_pdf(row->name))
		read_pdf_dates(scanner, &reading, row);
	is_read_again = scanner->has_filter || (scanner->has_kind && scanner->kind != 0);
	scanner->was_cached = reading.was_cached;
	reading_close(fd, !reading.was_cached && !is_read_again);
	return outcome;
}

bool scan_may_inflate(const struct file_scanner *scanner, size_t size)
{
	return scanner->inflated_left == NULL ||
	       atomic_fetch_sub_explicit(scanner->inflated_left, (long long)size,
					 memory_order_relaxed) >= (long long)size;
}

enum scan_outcome scan_inflated(struct file_scanner *scanner, int directory_fd, const char *name,
				struct file_row *row)
{
	struct content content;
	struct inflating *in;
	enum scan_outcome outcome;
	struct stat status;
	ssize_t got = 0;
	int fd = open_file(scanner, directory_fd, name, row, &status, &outcome), saved, rest = 0;

	if (fd < 0)
		return outcome;
	in = inflating_new(fd);
	if (in == NULL)
		return SCAN_FAILED;
	content_begin(&content, scanner, row);
	outcome = SCAN_DONE;
	while (outcome == SCAN_DONE &&
	       (got = inflating_read(in, scanner->buffer, FILE_SCANNER_BUFFER)) > 0) {
		if (row->size_bytes == 0)
			row->contents = scan_archive_mark(scanner, (size_t)got);
		content_add(&content, (size_t)got, (size_t)got < FILE_SCANNER_BUFFER);
		if (row->size_bytes > scanner->max_inflated_bytes) {
			errno = EOVERFLOW;
			outcome = SCAN_FAILED;
		} else if (!scan_may_inflate(scanner, (size_t)got)) {
			errno = CONTAINER_ENDS_THE_RUN;
			outcome = SCAN_FAILED;
		} else if (atomic_load_explicit(scanner->stop, memory_order_relaxed)) {
			outcome = SCAN_STOPPED;
		}
	}
	if (got < 0 || (outcome == SCAN_DONE && (rest = inflating_has_rest(in)) < 0))
		outcome = SCAN_FAILED;
	if (outcome == SCAN_DONE)
		outcome = content_end(&content);
	saved = errno;
	scanner->has_rest = rest > 0;
	inflating_free(in);
	if (outcome == SCAN_DONE)
		row->compressed_size_bytes = status.st_size;
	errno = saved;
	return outcome;
}

int64_t scan_archive_mark(const struct file_scanner *scanner, size_t size)
{
	unsigned kinds = container_read_for(scanner->containers);

	return (container_kind(scanner->buffer, size) & kinds) != 0 ? CONTENTS_IS_ARCHIVE : 0;
}

int scan_hash(const struct file_scanner *scanner, int fd, int64_t size_bytes, uint8_t *hash)
{
	struct reading reading;
	int64_t done = 0;
	ssize_t got = 0;

	reading_begin(&reading, fd, size_bytes);
	reading.stop = scanner->stop;
	XXH3_128bits_reset(scanner->hash);
	while (done < size_bytes &&
	       (got = reading_at(&reading, done, scanner->buffer, FILE_SCANNER_BUFFER)) > 0) {
		XXH3_128bits_update(scanner->hash, scanner->buffer, (size_t)got);
		done += got;
	}
	content_hash_store(scanner->hash, hash);
	return got < 0 ? -1 : 0;
}

static enum scan_outcome scan_stream(struct file_scanner *scanner, int fd, struct file_row *row)
{
	struct content content;
	ssize_t got;

	content_begin(&content, scanner, row);
	while ((got = read(fd, scanner->buffer, FILE_SCANNER_BUFFER)) != 0) {
		if (got < 0 && errno == EINTR && !atomic_load(scanner->stop))
			continue;
		if (got < 0)
			return errno == EINTR ? SCAN_STOPPED : SCAN_FAILED;
		content_add(&content, (size_t)got, false);
	}
	return content_end(&content);
}

int scan_named(struct file_scanner *scanner, const char *path, bool is_inflated,
	       struct file_row *row)
{
	enum scan_outcome outcome = path == NULL  ? scan_stream(scanner, STDIN_FILENO, row)
				    : is_inflated ? scan_inflated(scanner, AT_FDCWD, path, row)
						  : scan_file(scanner, AT_FDCWD, path, NULL, row);

	if (outcome == SCAN_GONE)
		errno = access(path, F_OK) == 0 ? EISDIR : ENOENT;
	return outcome == SCAN_DONE ? 0 : -1;
}
