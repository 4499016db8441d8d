/*
 * Divides one file into units, which the scanning threads take in order.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/shared_scan.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/piece.h"
#include "core/resemblance.h"
#include "scan/file/content.h"
#include "scan/file/content_hash.h"

#define UNIT FILE_SCANNER_BUFFER

struct file_unit {
	bool is_ready, is_hole;
	size_t size;
	struct scan_piece piece;
};

/* The bytes that a thread has read: a unit, and the beginning of the next unit. */
struct unit_bytes {
	const uint8_t *bytes;
	size_t size, overlap;
	bool is_hole; /* all of them are zeros */
};

enum sharing { NOT_BEGUN, BEGUN, ENDED };

struct shared_scan {
	atomic_uint references;
	pthread_mutex_t mutex; /* for all members below */
	pthread_cond_t changed;
	enum sharing state;
	unsigned helpers; /* the number of helpers at work */

	struct file_scanner *leader;
	struct reading *reading;
	int64_t size_bytes, units;
	/* The next units to be taken, hashed and appended. */
	int64_t next, hashed, appended;
	bool is_short; /* a unit ended early: the file has shrunk, and nothing follows */
	enum scan_outcome outcome;
	int failed_errno;
	struct simhash_scanner whole;
	int64_t whole_size;
	struct resemblance_registers registers;
	struct piece_collector pieces;
	/* The last hashed unit's bytes of the next unit. */
	uint8_t overlap[SHINGLE_OVERLAP];
	size_t overlap_size;
	bool is_torn; /* the next unit was read with different bytes in the overlap */
	bool is_text; /* its normal form is sketched, in the order of units */
	struct file_unit unit[SHARED_AHEAD]; /* unit i is at i % SHARED_AHEAD */
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
	piece_collector_release(&shared->pieces);
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

/* ---- The caller holds the mutex, except where a comment says otherwise ---- */

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

/* Take the next unit as soon as there is room for its result. False if there is none. */
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

/* At the boundary of two units: did the first unit read the same bytes as the second? */
static void check_seam(struct shared_scan *shared, const struct unit_bytes *read)
{
	size_t shared_size = read->size < SHINGLE_OVERLAP ? read->size : SHINGLE_OVERLAP;

	if (shared->hashed > 0 && (shared->overlap_size != shared_size ||
				   memcmp(shared->overlap, read->bytes, shared_size) != 0))
		shared->is_torn = true;
	memcpy(shared->overlap, read->bytes + read->size, read->overlap);
	shared->overlap_size = read->overlap;
}

static size_t size_of(const struct shared_scan *shared, int64_t unit)
{
	int64_t left = shared->size_bytes - unit * UNIT;

	return left < UNIT ? (size_t)left : UNIT;
}

/* Hash the next unit, without the mutex. Each unit of a text changes the places of all later bytes. */
static void hash_unit(struct shared_scan *shared, int64_t unit, const struct unit_bytes *read)
{
	struct file_scanner *leader = shared->leader;

	XXH3_128bits_update(leader->hash, read->bytes, read->size);
	sketching_add(&leader->sketching, read->bytes, read->size);
	if (unit == 0)
		shared->is_text = !leader->no_resemblance &&
				  resemblance_is_of_text(read->bytes, read->size);
	if (shared->is_text && read->is_hole)
		resemblance_scanner_add_zeros(leader->resemblance, read->bytes, read->size);
	else if (shared->is_text)
		simhash_resemblance_scanner_update(leader->resemblance, read->bytes, read->size);
}

/* Hash a unit after all previous units. False if the file has shrunk and lost this unit. */
static bool hash_in_turn(struct shared_scan *shared, int64_t unit, const struct unit_bytes *read)
{
	bool is_part;

	while (shared->hashed != unit && !is_over(shared))
		pthread_cond_wait(&shared->changed, &shared->mutex);
	if (is_over(shared))
		return false;
	is_part = !shared->is_short;
	if (is_part) {
		check_seam(shared, read);
		pthread_mutex_unlock(&shared->mutex);
		hash_unit(shared, unit, read);
		pthread_mutex_lock(&shared->mutex);
		shared->is_short = read->size < size_of(shared, unit);
	}
	shared->hashed++;
	pthread_cond_broadcast(&shared->changed);
	return is_part;
}

/* Append all units that are ready. A unit may be read again, into `buffer`. */
static void append_ready(struct shared_scan *shared, void *buffer)
{
	struct file_unit *unit;

	while (unit = &shared->unit[shared->appended % SHARED_AHEAD], unit->is_ready) {
		if (unit->is_hole) {
			scan_zeros(&shared->whole, unit->size);
		} else if (!scan_piece_append(&shared->whole, &unit->piece)) {
			/*
			 * The guess was wrong, as in a chain of one tag or a run of zeros: scan the
			 * unit again, from the true state.
			 */
			ssize_t got = reading_at(shared->reading, shared->appended * UNIT, buffer,
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
		reading_is_done(shared->reading, shared->whole_size);
		pthread_cond_broadcast(&shared->changed);
	}
}

/*
 * Read a unit, the two bytes before it, and the bytes of the next unit that its last shingles need.
 */
static bool read_unit(const struct shared_scan *shared, const struct file_scanner *scanner,
		      int64_t number, uint8_t before[2], struct unit_bytes *read)
{
	size_t size = size_of(shared, number);
	int64_t after = shared->size_bytes - number * UNIT - (int64_t)size;
	size_t overlap = after < SHINGLE_OVERLAP ? (size_t)after : SHINGLE_OVERLAP;
	const uint8_t *zeros = reading_hole(shared->reading, number * UNIT, size + overlap);
	ssize_t got;

	*read = (struct unit_bytes){zeros, size, overlap, zeros != NULL};
	if (read->is_hole)
		return true;
	got = number == 0 ? 2 : reading_at(shared->reading, number * UNIT - 2, before, 2);
	if (got == 2)
		got = reading_at(shared->reading, number * UNIT, scanner->buffer, size + overlap);
	else if (got > 0)
		got = 0; /* the file ends before the unit */
	if (got < 0)
		return false;
	read->bytes = scanner->buffer;
	read->size = (size_t)got < size ? (size_t)got : size;
	read->overlap = (size_t)got - read->size;
	return true;
}

/* Count and sketch a unit, without the mutex. */
static void scan_unit_bytes(const struct shared_scan *shared, const struct file_scanner *scanner,
			    int64_t number, const uint8_t before[2], const struct unit_bytes *read,
			    struct file_unit *unit, struct resemblance_registers *registers)
{
	unit->size = read->size;
	unit->is_hole = read->is_hole;
	if (scanner->bytes_read != NULL)
		atomic_fetch_add_explicit(scanner->bytes_read, (long long)read->size,
					  memory_order_relaxed);
	if (read->is_hole) /* no shingle of zeros is sampled */
		return;
	scan_piece(&unit->piece, shared->whole.tag_set, before, read->bytes, read->size);
	if (shared->leader->no_resemblance || shared->is_text)
		return;
	if (registers->pieces == NULL && shared->leader->has_pieces) {
		registers->pieces = scanner->pieces;
		piece_collector_begin(registers->pieces, shared->leader->piece_levels.other);
	}
	resemblance_add(registers, RESEMBLANCE_LEVEL_MAX, (uint64_t)(number * UNIT), read->bytes,
			read->size + read->overlap);
}

/* Read and scan one unit. The mutex is released during long work. */
static void scan_unit(struct shared_scan *shared, const struct file_scanner *scanner,
		      int64_t number, struct resemblance_registers *registers)
{
	struct file_unit *unit = &shared->unit[number % SHARED_AHEAD];
	uint8_t before[2] = {0, 0};
	struct unit_bytes read;
	bool is_read;
	int why;

	pthread_mutex_unlock(&shared->mutex);
	is_read = read_unit(shared, scanner, number, before, &read);
	why = errno;
	pthread_mutex_lock(&shared->mutex);
	if (!is_read) {
		give_up(shared, SCAN_FAILED, why);
		return;
	}
	if (!hash_in_turn(shared, number, &read))
		return;
	pthread_mutex_unlock(&shared->mutex);
	scan_unit_bytes(shared, scanner, number, before, &read, unit, registers);
	pthread_mutex_lock(&shared->mutex);
	unit->is_ready = true;
	append_ready(shared, scanner->buffer);
}

static void scan_units(struct shared_scan *shared, const struct file_scanner *scanner)
{
	struct resemblance_registers registers;
	int64_t unit;

	resemblance_begin(&registers);
	while (take_unit(shared, &unit))
		scan_unit(shared, scanner, unit, &registers);
	resemblance_merge(&shared->registers, &registers);
	if (registers.pieces != NULL)
		piece_collector_merge(&shared->pieces, registers.pieces);
}

static void finish_sketch(const struct shared_scan *shared, struct file_row *row)
{
	const struct file_scanner *leader = shared->leader;

	if (shared->is_text) {
		simhash_resemblance_scanner_finish(leader->resemblance, &row->resemblance);
		row->has_resemblance = true;
		return;
	}
	resemblance_finish(&shared->registers, &row->resemblance);
	/* If the file has shrunk below this size, the level is wrong. */
	row->has_resemblance = !leader->no_resemblance && !shared->is_torn &&
			       shared->whole_size >= RESEMBLANCE_LEVEL_KNOWN;
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

enum scan_outcome shared_scan_lead(struct shared_scan *shared, struct file_scanner *scanner,
				   struct reading *reading, int64_t expected, struct file_row *row)
{
	shared->leader = scanner;
	shared->reading = reading;
	shared->size_bytes = expected;
	shared->units = (expected + UNIT - 1) / UNIT;
	shared->outcome = SCAN_DONE;
	simhash_scanner_init(&shared->whole, scanner->tag_set);
	XXH3_128bits_reset(scanner->hash);
	sketching_begin(&scanner->sketching);
	resemblance_begin(&shared->registers);
	piece_collector_begin(&shared->pieces, scanner->piece_levels.other);
	simhash_resemblance_scanner_begin(scanner->resemblance);
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
		finish_sketch(shared, row);
		if (content_end_sketches(scanner,
					 shared->is_text ? scanner->pieces : &shared->pieces,
					 row) != SCAN_DONE)
			return SCAN_FAILED;
	}
	errno = shared->failed_errno;
	return shared->outcome;
}
