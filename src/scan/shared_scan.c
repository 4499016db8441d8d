/*
 * The units of one file, taken in order by the threads that scan it.
 * SPDX-License-Identifier: MIT
 */
#include "scan/shared_scan.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/piece.h"
#include "scan/content_hash.h"
#include "scan/reading.h"

#define UNIT FILE_SCANNER_BUFFER

struct unit {
	bool is_ready;
	size_t size;
	struct scan_piece piece;
};

enum sharing { NOT_BEGUN, BEGUN, ENDED };

struct shared_scan {
	atomic_uint references;
	pthread_mutex_t mutex; /* of all below */
	pthread_cond_t changed;
	enum sharing state;
	unsigned helpers; /* at work */

	const struct file_scanner *leader;
	struct reading reading;
	int64_t size_bytes, units;
	/* The units that are next to be taken, hashed and appended. */
	int64_t next, hashed, appended;
	bool is_short; /* a unit ended early: the file has shrunk, and nothing follows it */
	enum scan_outcome outcome;
	int failed_errno;
	struct simhash_scanner whole;
	int64_t whole_size;
	struct unit unit[SHARED_AHEAD]; /* unit i at i % SHARED_AHEAD */
};

struct shared_scan *shared_scan_new(unsigned references)
{
	struct shared_scan *shared = calloc(1, sizeof *shared);

	if (shared == NULL)
		return NULL;
	atomic_init(&shared->references, references);
	pthread_mutex_init(&shared->mutex, NULL);
	pthread_cond_init(&shared->changed, NULL);
	return shared;
}

void shared_scan_drop(struct shared_scan *shared)
{
	if (shared == NULL || atomic_fetch_sub(&shared->references, 1) > 1)
		return;
	pthread_cond_destroy(&shared->changed);
	pthread_mutex_destroy(&shared->mutex);
	free(shared);
}

static void set_state(struct shared_scan *shared, enum sharing state)
{
	pthread_mutex_lock(&shared->mutex);
	shared->state = state;
	pthread_cond_broadcast(&shared->changed);
	pthread_mutex_unlock(&shared->mutex);
}

void shared_scan_cancel(struct shared_scan *shared)
{
	set_state(shared, ENDED);
}

/* ---- With the mutex held, except where a comment says otherwise ---- */

static bool is_over(const struct shared_scan *shared)
{
	return shared->outcome != SCAN_DONE;
}

static void give_up(struct shared_scan *shared, enum scan_outcome outcome, int why)
{
	if (is_over(shared))
		return;
	shared->outcome = outcome;
	shared->failed_errno = why;
	pthread_cond_broadcast(&shared->changed);
}

/* Take the next unit, once there is room for its result. False when there is none. */
static bool take_unit(struct shared_scan *shared, int64_t *unit)
{
	for (;;) {
		if (atomic_load_explicit(shared->leader->stop, memory_order_relaxed))
			give_up(shared, SCAN_STOPPED, 0);
		if (is_over(shared) || shared->is_short || shared->next == shared->units)
			return false;
		if (shared->next < shared->appended + SHARED_AHEAD)
			break;
		pthread_cond_wait(&shared->changed, &shared->mutex);
	}
	*unit = shared->next++;
	return true;
}

static size_t size_of(const struct shared_scan *shared, int64_t unit)
{
	int64_t left = shared->size_bytes - unit * UNIT;

	return left < UNIT ? (size_t)left : UNIT;
}

/* Hash a unit after all before it. False when it is no longer part of the file. */
static bool hash_in_turn(struct shared_scan *shared, int64_t unit, const void *bytes, size_t size)
{
	bool is_part;

	while (shared->hashed != unit && !is_over(shared))
		pthread_cond_wait(&shared->changed, &shared->mutex);
	if (is_over(shared))
		return false;
	is_part = !shared->is_short;
	if (is_part) {
		pthread_mutex_unlock(&shared->mutex);
		XXH3_128bits_update(shared->leader->hash, bytes, size);
		pthread_mutex_lock(&shared->mutex);
		shared->is_short = size < size_of(shared, unit);
	}
	shared->hashed++;
	pthread_cond_broadcast(&shared->changed);
	return is_part;
}

/* Append all units that are ready. A unit may be read again, into `buffer`. */
static void append_ready(struct shared_scan *shared, void *buffer)
{
	struct unit *unit;

	while (unit = &shared->unit[shared->appended % SHARED_AHEAD], unit->is_ready) {
		if (!scan_piece_append(&shared->whole, &unit->piece)) {
			/* A chain of one tag or a run of zeros: scan again, from the true state. */
			ssize_t got = reading_at(&shared->reading, shared->appended * UNIT, buffer,
						 unit->size);
			if (got != (ssize_t)unit->size) {
				give_up(shared, SCAN_FAILED, got < 0 ? errno : EIO);
				return;
			}
			simhash_scanner_update(&shared->whole, buffer, unit->size);
		}
		shared->whole_size += (int64_t)unit->size;
		unit->is_ready = false;
		shared->appended++;
		reading_is_done(&shared->reading, shared->whole_size);
		pthread_cond_broadcast(&shared->changed);
	}
}

/* Read and scan one unit, without the mutex while that takes long. */
static void scan_unit(struct shared_scan *shared, const struct file_scanner *scanner,
		      int64_t number)
{
	struct unit *unit = &shared->unit[number % SHARED_AHEAD];
	uint8_t before[2] = {0, 0};
	size_t size = size_of(shared, number);
	ssize_t got;
	int why;

	pthread_mutex_unlock(&shared->mutex);
	got = number == 0 ? 2 : reading_at(&shared->reading, number * UNIT - 2, before, 2);
	if (got == 2)
		got = reading_at(&shared->reading, number * UNIT, scanner->buffer, size);
	why = errno;
	pthread_mutex_lock(&shared->mutex);
	if (got < 0) {
		give_up(shared, SCAN_FAILED, why);
		return;
	}
	if (!hash_in_turn(shared, number, scanner->buffer, (size_t)got))
		return;
	pthread_mutex_unlock(&shared->mutex);
	unit->size = (size_t)got;
	if (scanner->bytes_read != NULL)
		atomic_fetch_add_explicit(scanner->bytes_read, got, memory_order_relaxed);
	scan_piece(&unit->piece, shared->whole.tag_set, before, scanner->buffer, (size_t)got);
	pthread_mutex_lock(&shared->mutex);
	unit->is_ready = true;
	append_ready(shared, scanner->buffer);
}

static void scan_units(struct shared_scan *shared, const struct file_scanner *scanner)
{
	int64_t unit;

	while (take_unit(shared, &unit))
		scan_unit(shared, scanner, unit);
}

/* ---- The interface ---- */

void shared_scan_help(struct shared_scan *shared, struct file_scanner *scanner)
{
	pthread_mutex_lock(&shared->mutex);
	while (shared->state == NOT_BEGUN)
		pthread_cond_wait(&shared->changed, &shared->mutex);
	if (shared->state == BEGUN) {
		shared->helpers++;
		scan_units(shared, scanner);
		shared->helpers--;
		pthread_cond_broadcast(&shared->changed);
	}
	pthread_mutex_unlock(&shared->mutex);
}

enum scan_outcome shared_scan_lead(struct shared_scan *shared, struct file_scanner *scanner, int fd,
				   int64_t expected, struct file_row *row)
{
	shared->leader = scanner;
	shared->size_bytes = expected;
	shared->units = (expected + UNIT - 1) / UNIT;
	shared->outcome = SCAN_DONE;
	reading_begin(&shared->reading, fd, expected);
	simhash_scanner_init(&shared->whole, scanner->tag_set);
	XXH3_128bits_reset(scanner->hash);
	set_state(shared, BEGUN);
	pthread_mutex_lock(&shared->mutex);
	scan_units(shared, scanner);
	while (shared->helpers > 0)
		pthread_cond_wait(&shared->changed, &shared->mutex);
	shared->state = ENDED;
	pthread_mutex_unlock(&shared->mutex);
	if (shared->outcome == SCAN_DONE) {
		row->size_bytes = shared->whole_size;
		simhash_scanner_finish(&shared->whole, &row->table);
		row_compute_keys(row, scanner->tag_set);
		content_hash_store(scanner->hash, row->content_hash);
	}
	errno = shared->failed_errno;
	return shared->outcome;
}
