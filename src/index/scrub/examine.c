/*
 * Reads files from their medium, and compares their hash, size and times with their rows.
 * SPDX-License-Identifier: MIT
 */
#include "index/scrub/examine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/identity.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "scan/file/content_hash.h"
#include "scan/file/reading.h"
#include "store/open/store.h"
#include "store/row/trust.h"

#define WAIT_MAX_NS (100 * NS_PER_MS) /* the interval at which to check for a stop */
#define HOLES_MAX (INT64_C(64) << 40) /* hashing a larger file would take hours */

int examiner_init(struct examiner *examiner, struct simhash_error *error)
{
	examiner->buffer = aligned_alloc(READING_BLOCK, EXAMINER_BUFFER);
	examiner->other = aligned_alloc(READING_BLOCK, EXAMINER_BUFFER);
	examiner->hash = XXH3_createState();
	if (examiner->buffer == NULL || examiner->other == NULL || examiner->hash == NULL)
		return error_set_memory(error);
	return 0;
}

void examiner_release(struct examiner *examiner)
{
	free(examiner->buffer);
	free(examiner->other);
	XXH3_freeState(examiner->hash);
}

/* ---- Reading ---- */

/* Wait until the bytes that were read so far are allowed. False: the run must stop. */
static bool keep_pace(struct examiner *examiner, int64_t bytes)
{
	struct pace *pace = examiner->pace;
	double all, wait_ns;

	if (examiner->bytes_read != NULL)
		atomic_fetch_add_explicit(examiner->bytes_read, bytes, memory_order_relaxed);
	if (pace->bytes_per_second > 0) {
		all = (double)(atomic_fetch_add(&pace->bytes, bytes) + bytes);
		for (;;) {
			wait_ns = all / (double)pace->bytes_per_second * (double)NS_PER_S -
				  (double)(clock_monotonic_ns() - pace->begun_ns);
			if (wait_ns <= 0 || atomic_load(examiner->stop))
				break;
			clock_sleep_ns(wait_ns < (double)WAIT_MAX_NS ? (int64_t)wait_ns + 1
								     : WAIT_MAX_NS);
		}
	}
	return !atomic_load(examiner->stop);
}

static bool is_medium_error(int system_errno)
{
	switch (system_errno) {
	case EIO:
	case EBADMSG: /* a file system found a wrong checksum */
	case EILSEQ:
#ifdef EUCLEAN
	case EUCLEAN:
#endif
#ifdef ENODATA
	case ENODATA:
#endif
		return true;
	default:
		return false;
	}
}

/* After a failure at `offset`: find the first block that cannot be read. */
static int64_t first_bad_block(struct examiner *examiner, const struct reading *reading,
			       int64_t offset)
{
	int64_t at = offset;

	while (at < offset + (int64_t)EXAMINER_BUFFER &&
	       reading_at(reading, at, examiner->buffer, READING_BLOCK) == READING_BLOCK)
		at += READING_BLOCK;
	return at;
}

/*
 * Hash a file of `size` bytes. -1 with errno, which is EINTR if the run must stop. *bad is then the
 * first unreadable block.
 */
static int hash_file(struct examiner *examiner, int fd, int64_t size, uint8_t *hash, int64_t *done,
		     int64_t *bad)
{
	struct reading reading;
	ssize_t got = 1;
	int saved;

	reading_begin_around(&reading, fd, size);
	reading.stop = examiner->stop;
	XXH3_128bits_reset(examiner->hash);
	for (*done = 0; *done < size && got > 0; *done += got) {
		got = reading_at(&reading, *done, examiner->buffer, EXAMINER_BUFFER);
		if (got < 0 && errno != EINTR) {
			saved = errno;
			*bad = first_bad_block(examiner, &reading, *done);
			errno = saved;
		}
		if (got < 0)
			return -1;
		if (!keep_pace(examiner, got)) {
			errno = EINTR;
			return -1;
		}
		XXH3_128bits_update(examiner->hash, examiner->buffer, (size_t)got);
	}
	content_hash_store(examiner->hash, hash);
	return 0;
}

/* ---- Decisions ---- */

static int open_named(const char *path)
{
	/* O_NONBLOCK: if the file has become a FIFO, opening it must not block. */
	return open_path(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

static bool is_gone(int system_errno)
{
	return system_errno == ENOENT || system_errno == ENOTDIR || system_errno == ENXIO ||
	       system_errno == ELOOP;
}

static void fill_damage(struct examination *file, const struct stat *status)
{
	const struct file_row *row = &file->row;
	struct damage *damage = &file->damage;
	int64_t verified_ns = row->verified_at_ns > row->scanned_at_ns ? row->verified_at_ns
								       : row->scanned_at_ns;

	*damage = (struct damage){
		.found_size_bytes = status->st_size,
		/* The clock may have been wrong when the file was indexed. */
		.found_at_ns = file->begun_ns > verified_ns ? file->begun_ns : verified_ns,
		.verified_at_ns = verified_ns,
		.status_moved = row->changed_ns != 0 ? file->changed_ns != row->changed_ns
						     : file->changed_ns > verified_ns,
		.compared_bytes = DAMAGE_UNKNOWN,
		.different_bytes = DAMAGE_UNKNOWN,
		.first_byte = DAMAGE_UNKNOWN,
		.last_byte = DAMAGE_UNKNOWN,
		.resemblance_ppm = DAMAGE_UNKNOWN};
	memcpy(damage->path_hash, row->path_hash, PATH_HASH_SIZE);
	memcpy(damage->content_hash, row->content_hash, CONTENT_HASH_SIZE);
	file->is_damage = true;
}

/* Is this certainly the file of the row, although perhaps with another content or size? */
static bool is_file_of_row(int fd, const struct stat *status, const struct file_row *row)
{
	if (!S_ISREG(status->st_mode) || stat_mtime_ns(status) != row->mtime_ns ||
	    !mtime_shows_changes(row->mtime_ns, row->scanned_at_ns))
		return false;
	return row->inode == 0 || row->inode == (int64_t)status->st_ino ||
	       !inode_shows_exchange(inodes_are_lasting(fd), stat_ctime_ns(status),
				     row->scanned_at_ns);
}

/* Did the file stay as it was while it was read? */
static bool is_as_before(int fd, const struct stat *before)
{
	struct stat now;

	return fstat(fd, &now) == 0 && now.st_size == before->st_size &&
	       stat_mtime_ns(&now) == stat_mtime_ns(before) &&
	       stat_ctime_ns(&now) == stat_ctime_ns(before);
}

static enum examined fail(struct examination *file, int system_errno)
{
	file->system_errno = system_errno;
	return system_errno == EINTR ? EXAMINED_STOPPED : EXAMINED_FAILED;
}

static enum examined examine_open(struct examiner *examiner, struct examination *file, int fd,
				  const struct stat *status)
{
	uint8_t hash[CONTENT_HASH_SIZE];
	int64_t bad = DAMAGE_UNKNOWN;
	bool is_hashed = status->st_size <= HOLES_MAX;

	file->changed_ns = stat_ctime_ns(status);
	if (is_hashed &&
	    hash_file(examiner, fd, status->st_size, hash, &file->read_bytes, &bad) != 0) {
		int saved = errno;
		if (is_medium_error(saved)) {
			fill_damage(file, status);
			file->damage.is_unreadable = true;
			file->damage.first_byte = bad;
		}
		return fail(file, saved);
	}
	if (is_hashed && status->st_size == file->row.size_bytes &&
	    memcmp(hash, file->row.content_hash, CONTENT_HASH_SIZE) == 0)
		return EXAMINED_RIGHT;
	if (!is_as_before(fd, status))
		return EXAMINED_CHANGED;
	fill_damage(file, status);
	file->damage.has_found_hash = is_hashed;
	if (is_hashed)
		memcpy(file->damage.found_hash, hash, CONTENT_HASH_SIZE);
	return EXAMINED_DAMAGED;
}

static enum examined examine_path(struct examiner *examiner, struct examination *file)
{
	enum examined result;
	struct stat status;
	int fd = open_named(file->path);
	bool fills_cache;

	if (fd < 0)
		return is_gone(errno) ? EXAMINED_CHANGED : fail(file, errno);
	if (fstat(fd, &status) != 0) {
		result = fail(file, errno);
		close_content(fd);
		return result;
	}
	file->device = (uint64_t)status.st_dev;
	file->inode = (uint64_t)status.st_ino;
	if (store_is_own_file(examiner->own, path_name(file->path), file->device, file->inode) ||
	    !is_file_of_row(fd, &status, &file->row)) {
		close_content(fd);
		return EXAMINED_CHANGED;
	}
	result = examine_open(examiner, file, fd, &status);
	fills_cache = reading_fills_cache(fd);
	reading_close(fd, fills_cache);
	return result;
}

void examine(struct examiner *examiner, struct examination *file)
{
	file->begun_ns = clock_wall_ns();
	file->is_damage = false;
	file->read_bytes = 0;
	file->result = examine_path(examiner, file);
}

/* ---- The extent of damage ---- */

/* Where two contents differ. */
struct extent {
	int64_t different, first, last;
};

static void note_bytes(struct extent *extent, int64_t first, int64_t count)
{
	if (count <= 0)
		return;
	if (extent->different == 0)
		extent->first = first;
	extent->different += count;
	extent->last = first + count - 1;
}

static void compare_bytes(struct extent *extent, int64_t offset, const uint8_t *x, const uint8_t *y,
			  size_t size)
{
	if (memcmp(x, y, size) == 0)
		return;
	for (size_t i = 0; i < size; i++)
		if (x[i] != y[i])
			note_bytes(extent, offset + (int64_t)i, 1);
}

/* Compare the file with a copy, and hash the copy. False if one of them cannot be read. */
static bool compare_files(struct examiner *examiner, int fd, int64_t size, int copy_fd,
			  int64_t copy_size, struct extent *extent)
{
	int64_t common = size < copy_size ? size : copy_size, done = 0;
	struct reading reading, copy;

	reading_begin_around(&reading, fd, size);
	reading_begin_around(&copy, copy_fd, copy_size);
	reading.stop = copy.stop = examiner->stop;
	XXH3_128bits_reset(examiner->hash);
	while (done < copy_size) {
		ssize_t got = reading_at(&copy, done, examiner->other, EXAMINER_BUFFER), ours = 0;
		size_t both;
		if (got <= 0 || !keep_pace(examiner, got))
			return false;
		if (done < common &&
		    ((ours = reading_at(&reading, done, examiner->buffer, EXAMINER_BUFFER)) <= 0 ||
		     !keep_pace(examiner, ours)))
			return false;
		both = (size_t)(ours < got ? ours : got);
		compare_bytes(extent, done, examiner->buffer, examiner->other, both);
		XXH3_128bits_update(examiner->hash, examiner->other, (size_t)got);
		done += got;
	}
	note_bytes(extent, common, size + copy_size - 2 * common);
	return true;
}

bool examine_extent(struct examiner *examiner, struct examination *file, const char *copy)
{
	struct damage *damage = &file->damage;
	struct extent extent = {.different = 0};
	uint8_t hash[CONTENT_HASH_SIZE];
	struct stat status, other;
	int fd = open_named(file->path), copy_fd = open_named(copy);
	bool is_done = false;

	if (fd >= 0 && copy_fd >= 0 && fstat(fd, &status) == 0 && fstat(copy_fd, &other) == 0 &&
	    S_ISREG(status.st_mode) && S_ISREG(other.st_mode) &&
	    status.st_size == damage->found_size_bytes && other.st_size == file->row.size_bytes &&
	    (status.st_dev != other.st_dev || status.st_ino != other.st_ino) &&
	    compare_files(examiner, fd, status.st_size, copy_fd, other.st_size, &extent)) {
		content_hash_store(examiner->hash, hash);
		is_done = memcmp(hash, file->row.content_hash, CONTENT_HASH_SIZE) == 0;
	}
	if (fd >= 0)
		reading_close(fd, reading_fills_cache(fd));
	if (copy_fd >= 0)
		reading_close(copy_fd, reading_fills_cache(copy_fd));
	if (!is_done)
		return false;
	damage->compared_bytes = status.st_size > other.st_size ? status.st_size : other.st_size;
	damage->different_bytes = extent.different;
	if (extent.different > 0) {
		damage->first_byte = extent.first;
		damage->last_byte = extent.last;
	}
	return true;
}
