/*
 * The units of contents that come in order, and the threads that scan them.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/crew.h"

#include <stdlib.h>
#include <string.h>

#include "core/piece.h"
#include "scan/file/outcome.h"

#define UNIT FILE_SCANNER_BUFFER
#define UNITS 16 /* of a content in memory */

struct led_unit {
	uint8_t *bytes; /* with room for an overlap */
	size_t size, overlap;
	int64_t offset;
	uint8_t before[2];
	bool is_done;
	struct scan_piece piece;
	struct resemblance_registers registers;
};

/*
 * Units have numbers; unit n is at n % UNITS. Those below `appended` are over, the next ones up to
 * `taken` are with a thread or done, those up to `ready` can be taken. Then one may be full and wait
 * for what its last shingles have of the next one, which is being filled.
 */
struct led_content {
	struct crew *crew;
	struct led_content *next; /* of the crew's contents */
	bool is_led;
	pthread_cond_t done; /* a unit is */
	uint64_t taken, ready;
	const struct simhash_tag_set *tag_set;
	/* The leader's alone; what belongs to a content that was left may be gone. */
	struct simhash_scanner *counts;
	bool sketches;
	struct resemblance_registers registers;
	uint64_t appended, filling;
	struct led_unit unit[UNITS];
};

static struct led_unit *unit_at(struct led_content *led, uint64_t number)
{
	return &led->unit[number % UNITS];
}

/* ---- Scanning units: any thread ---- */

/* Take the next unit of a content; NULL when there is none. With the mutex. */
static struct led_unit *take_unit(struct led_content *led)
{
	return led->taken < led->ready ? unit_at(led, led->taken++) : NULL;
}

/* With the mutex, but not meanwhile. */
static void scan_unit(struct led_content *led, struct led_unit *unit)
{
	pthread_mutex_unlock(&led->crew->mutex);
	scan_piece(&unit->piece, led->tag_set, unit->before, unit->bytes, unit->size);
	resemblance_begin(&unit->registers);
	if (led->sketches)
		resemblance_add(&unit->registers, RESEMBLANCE_LEVEL_MAX, (uint64_t)unit->offset,
				unit->bytes, unit->size + unit->overlap);
	pthread_mutex_lock(&led->crew->mutex);
	unit->is_done = true;
	pthread_cond_signal(&led->done);
}

/* ---- The crew ---- */

void crew_init(struct crew *crew, unsigned threads)
{
	pthread_mutex_init(&crew->mutex, NULL);
	pthread_cond_init(&crew->changed, NULL);
	crew->at_work = threads;
	crew->first = NULL;
	atomic_init(&crew->idle, 0);
}

void crew_release(struct crew *crew)
{
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->mutex);
}

/* With the mutex. */
static void leave_work(struct crew *crew)
{
	crew->at_work--;
	if (crew->at_work == 0)
		pthread_cond_broadcast(&crew->changed);
}

void crew_lacks(struct crew *crew)
{
	pthread_mutex_lock(&crew->mutex);
	leave_work(crew);
	pthread_mutex_unlock(&crew->mutex);
}

/* Scan a unit of any content; false when there is none. With the mutex. */
static bool help_any(struct crew *crew)
{
	for (struct led_content *led = crew->first; led != NULL; led = led->next) {
		struct led_unit *unit = take_unit(led);
		if (unit != NULL) {
			scan_unit(led, unit);
			return true;
		}
	}
	return false;
}

void crew_help(struct crew *crew)
{
	pthread_mutex_lock(&crew->mutex);
	atomic_fetch_add(&crew->idle, 1);
	leave_work(crew);
	while (crew->at_work > 0)
		if (!help_any(crew))
			pthread_cond_wait(&crew->changed, &crew->mutex);
	atomic_fetch_sub(&crew->idle, 1);
	pthread_mutex_unlock(&crew->mutex);
}

/* ---- The leader ---- */

struct led_content *led_content_new(struct crew *crew)
{
	struct led_content *led = calloc(1, sizeof *led);
	bool is_complete = led != NULL;

	for (int i = 0; is_complete && i < UNITS; i++) {
		led->unit[i].bytes = aligned_alloc(SCAN_BUFFER_ALIGNMENT, FILE_SCANNER_ROOM);
		is_complete = led->unit[i].bytes != NULL;
	}
	if (led != NULL) {
		led->crew = crew;
		pthread_cond_init(&led->done, NULL);
	}
	if (is_complete)
		return led;
	led_content_free(led);
	return NULL;
}

void led_content_free(struct led_content *led)
{
	if (led == NULL)
		return;
	led_content_drop(led);
	pthread_cond_destroy(&led->done);
	for (int i = 0; i < UNITS; i++)
		free(led->unit[i].bytes);
	free(led);
}

static void begin_unit(struct led_content *led, int64_t offset, const uint8_t before[2])
{
	struct led_unit *unit = unit_at(led, led->filling);

	unit->size = unit->overlap = 0;
	unit->offset = offset;
	unit->is_done = false;
	memcpy(unit->before, before, sizeof unit->before);
}

void led_content_begin(struct led_content *led, struct simhash_scanner *counts, int64_t size_bytes,
		       const uint8_t last_two[2], bool sketches)
{
	struct crew *crew = led->crew;

	led_content_drop(led);
	led->counts = counts;
	led->tag_set = counts->tag_set;
	led->sketches = sketches;
	led->appended = led->filling = led->taken = led->ready = 0;
	resemblance_begin(&led->registers);
	begin_unit(led, size_bytes, last_two);
	led->is_led = true;
	pthread_mutex_lock(&crew->mutex);
	led->next = crew->first;
	crew->first = led;
	pthread_mutex_unlock(&crew->mutex);
}

/* With the mutex. */
static void leave_crew(struct led_content *led)
{
	struct led_content **at = &led->crew->first;

	while (*at != led)
		at = &(*at)->next;
	*at = led->next;
	led->is_led = false;
}

/* Units up to this one can be taken. */
static void set_ready(struct led_content *led, uint64_t end)
{
	pthread_mutex_lock(&led->crew->mutex);
	led->ready = end;
	pthread_cond_signal(&led->crew->changed);
	pthread_mutex_unlock(&led->crew->mutex);
}

/* Append a unit that is done to what is before it. */
static void append(struct led_content *led, const struct led_unit *unit)
{
	/* A chain of one tag or a run of zeros: scan again, from the true state. */
	if (!scan_piece_append(led->counts, &unit->piece))
		simhash_scanner_update(led->counts, unit->bytes, unit->size);
	resemblance_merge(&led->registers, &unit->registers);
}

/* Append the next unit, once it is done. Until then scan others. With the mutex, on the whole. */
static void append_next(struct led_content *led)
{
	struct led_unit *next = unit_at(led, led->appended);

	while (!next->is_done) {
		struct led_unit *unit = take_unit(led);
		if (unit != NULL)
			scan_unit(led, unit);
		else
			pthread_cond_wait(&led->done, &led->crew->mutex);
	}
	pthread_mutex_unlock(&led->crew->mutex);
	append(led, next);
	pthread_mutex_lock(&led->crew->mutex);
	led->appended++;
}

/* Give the unit before the one being filled what its last shingles have of it. */
static void complete_last(struct led_content *led)
{
	struct led_unit *last = unit_at(led, led->filling - 1);
	const struct led_unit *unit = unit_at(led, led->filling);

	last->overlap = unit->size < SHINGLE_OVERLAP ? unit->size : SHINGLE_OVERLAP;
	memcpy(last->bytes + last->size, unit->bytes, last->overlap);
	set_ready(led, led->filling);
}

/* After bytes were added to the unit: hand over what is complete, and turn to the next unit. */
static void go_on(struct led_content *led)
{
	const struct led_unit *unit = unit_at(led, led->filling);

	if (led->ready < led->filling && unit->size >= SHINGLE_OVERLAP)
		complete_last(led);
	if (unit->size < UNIT)
		return;
	pthread_mutex_lock(&led->crew->mutex);
	if (led->filling + 1 == led->appended + UNITS)
		append_next(led);
	pthread_mutex_unlock(&led->crew->mutex);
	led->filling++;
	begin_unit(led, unit->offset + UNIT, unit->bytes + UNIT - 2);
}

void *led_content_add(struct led_content *led, void *buffer, size_t size)
{
	struct led_unit *unit = unit_at(led, led->filling);
	const uint8_t *bytes = buffer;

	if (unit->size == 0 && size == UNIT) {
		void *other = unit->bytes;
		unit->bytes = buffer;
		unit->size = UNIT;
		go_on(led);
		return other;
	}
	while (size > 0) {
		size_t room, some;
		unit = unit_at(led, led->filling);
		room = UNIT - unit->size;
		some = size < room ? size : room;
		memcpy(unit->bytes + unit->size, bytes, some);
		unit->size += some;
		bytes += some;
		size -= some;
		go_on(led);
	}
	return buffer;
}

void led_content_end(struct led_content *led, struct resemblance_registers *registers)
{
	uint64_t end = led->filling + (unit_at(led, led->filling)->size > 0);

	if (led->ready < led->filling)
		complete_last(led);
	set_ready(led, end);
	pthread_mutex_lock(&led->crew->mutex);
	while (led->appended < end)
		append_next(led);
	leave_crew(led);
	pthread_mutex_unlock(&led->crew->mutex);
	*registers = led->registers;
}

void led_content_drop(struct led_content *led)
{
	if (led == NULL || !led->is_led)
		return;
	pthread_mutex_lock(&led->crew->mutex);
	led->ready = led->taken;
	for (; led->appended < led->taken; led->appended++)
		while (!unit_at(led, led->appended)->is_done)
			pthread_cond_wait(&led->done, &led->crew->mutex);
	leave_crew(led);
	pthread_mutex_unlock(&led->crew->mutex);
}
