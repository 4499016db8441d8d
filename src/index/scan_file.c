/*
 * Reading a file once, for its sum table and the hash of its content.
 * The row tells the bytes that were read: a file that grows or shrinks
 * meanwhile differs from its row in size or time, and is read again next run.
 * SPDX-License-Identifier: MIT
 */
#include "index/scan_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#ifdef SIMHASH_HAVE_XXHASH_DISPATCH
#include <xxh_x86dispatch.h> /* the same functions, chosen by what the processor has */
#endif

#include "core/error.h"
#include "store/store.h"

#define BUFFER_ALIGNMENT 4096		  /* to others, read() may copy at a quarter of the speed */
#define UNPROMISED_MAX (INT64_C(1) << 20) /* bytes of a file that says it has none */
#define READAHEAD_FROM (INT64_C(1) << 20) /* bytes from which advice is worth a call */

int file_scanner_init(struct file_scanner *scanner, const struct simhash_tag_set *tag_set,
		      bool follow, const atomic_bool *stop, struct simhash_error *error)
{
	scanner->tag_set = tag_set;
	scanner->follow = follow;
	scanner->stop = stop;
	scanner->own = NULL;
	scanner->buffer = aligned_alloc(BUFFER_ALIGNMENT, FILE_SCANNER_BUFFER);
	scanner->hash_state = XXH3_createState();
	if (scanner->buffer != NULL && scanner->hash_state != NULL)
		return 0;
	file_scanner_release(scanner);
	return error_set_memory(error);
}

void file_scanner_release(struct file_scanner *scanner)
{
	free(scanner->buffer);
	XXH3_freeState(scanner->hash_state);
	scanner->buffer = scanner->hash_state = NULL;
}

static ssize_t read_retrying(int fd, void *buffer, size_t size)
{
	ssize_t got;

	do
		got = read(fd, buffer, size);
	while (got < 0 && errno == EINTR);
	return got;
}

static enum scan_outcome scan_bytes(struct file_scanner *scanner, int fd, int64_t expected,
				    struct file_row *row)
{
	struct simhash_scanner counts;
	XXH128_canonical_t hash;
	ssize_t got;

	simhash_scanner_init(&counts, scanner->tag_set);
	XXH3_128bits_reset(scanner->hash_state);
	row->size_bytes = 0;
	/*
	 * What grows is read as far as fstat promised. What promises nothing, as the
	 * kernel's own files do, is read to its end, unless that does not come.
	 */
	while ((got = read_retrying(fd, scanner->buffer, FILE_SCANNER_BUFFER)) > 0) {
		if (expected > 0 && got > expected - row->size_bytes)
			got = (ssize_t)(expected - row->size_bytes);
		simhash_scanner_update(&counts, scanner->buffer, (size_t)got);
		XXH3_128bits_update(scanner->hash_state, scanner->buffer, (size_t)got);
		row->size_bytes += got;
		if (row->size_bytes == expected)
			break;
		if (expected == 0 && row->size_bytes > UNPROMISED_MAX) {
			errno = EFBIG;
			return SCAN_FAILED;
		}
		if (atomic_load_explicit(scanner->stop, memory_order_relaxed))
			return SCAN_STOPPED;
	}
	if (got < 0)
		return SCAN_FAILED;
	simhash_scanner_finish(&counts, &row->table);
	XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(scanner->hash_state));
	memcpy(row->content_hash, hash.digest, CONTENT_HASH_SIZE);
	return SCAN_DONE;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

enum scan_outcome scan_file(struct file_scanner *scanner, int directory_fd, const char *name,
			    struct file_row *row)
{
	/* O_NONBLOCK: what has become a FIFO must not hold us up. */
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
		    (scanner->follow ? 0 : O_NOFOLLOW);
	int fd = openat(directory_fd, name, flags), saved;
	enum scan_outcome outcome = SCAN_FAILED;
	struct stat status;

	if (fd < 0) /* ELOOP: it has become a link; ENXIO: a FIFO or socket */
		return errno == ENOENT || errno == ENXIO || (errno == ELOOP && !scanner->follow)
			       ? SCAN_GONE
			       : SCAN_FAILED;
	row->scanned_at_ns = now_ns();
	if (fstat(fd, &status) != 0)
		goto out;
	if (!S_ISREG(status.st_mode)) {
		outcome = SCAN_GONE;
		goto out;
	}
	if (scanner->own != NULL &&
	    store_is_own_file(scanner->own, row->name.data, (uint64_t)status.st_dev,
			      (uint64_t)status.st_ino)) {
		outcome = SCAN_OWN;
		goto out;
	}
	row->mtime_ns = stat_mtime_ns(&status);
	row->device = (int64_t)status.st_dev;
	row->inode = (int64_t)status.st_ino;
#ifdef POSIX_FADV_SEQUENTIAL
	if (status.st_size >= READAHEAD_FROM)
		posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
	outcome = scan_bytes(scanner, fd, status.st_size, row);
	if (outcome == SCAN_DONE)
		simhash_keys_compute(scanner->tag_set, &row->table, row->name.data, row->name.size,
				     &row->keys);
out:
	saved = errno;
	close(fd);
	errno = saved;
	return outcome;
}
