/*
 * The scanning threads of a run, of which those that have no file left help the others: with a
 * large content whose bytes come in order, as a member of an archive does, so that no other thread
 * could read them. See shared_scan.h for a file.
 *
 *     crew_init(&crew, threads);
 *     ...
 *     crew_help(&crew);               // each thread when it has no file left
 *
 * The thread that has the bytes leads. It fills units; all threads take and scan them, the leader
 * only where there is no room for more. The leader appends what was found in order.
 *
 *     led = led_content_new(&crew);
 *     led_content_begin(led, &counts, size_bytes, last_two_bytes, sketches);
 *     while (more)
 *             buffer = led_content_add(led, buffer, size);
 *     led_content_end(led, &registers);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_CREW_H
#define SIMHASH_SCAN_CREW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/resemblance.h"
#include "simhash.h"

struct led_content;

struct crew {
	pthread_mutex_t mutex;	/* of what follows, and of the units of all contents */
	pthread_cond_t changed; /* a unit can be taken, or no thread is at work any more */
	unsigned at_work;	/* threads that have files */
	struct led_content *first;
	atomic_uint idle; /* threads that would help */
};

void crew_init(struct crew *crew, unsigned threads);
void crew_release(struct crew *crew);

/* For each thread of crew_init that could not be started. */
void crew_lacks(struct crew *crew);

/* Help until no thread is at work. */
void crew_help(struct crew *crew);

/* Is there a thread that would help just now? */
static inline bool crew_can_help(struct crew *crew)
{
	return atomic_load_explicit(&crew->idle, memory_order_relaxed) > 0;
}

/*
 * A content to be led by one thread, and another one after it. Takes memory for some units of
 * FILE_SCANNER_BUFFER bytes. NULL when memory is short.
 */
struct led_content *led_content_new(struct crew *crew);
void led_content_free(struct led_content *led); /* NULL is fine */

/*
 * Lead from the byte `size_bytes` on, a multiple of RESEMBLANCE_BLOCK and beyond
 * RESEMBLANCE_LEVEL_KNOWN. `counts` has scanned all before it, and is the leader's again after the
 * end.
 */
void led_content_begin(struct led_content *led, struct simhash_scanner *counts, int64_t size_bytes,
		       const uint8_t last_two[2], bool sketches);

/*
 * The next bytes, in a buffer of FILE_SCANNER_ROOM bytes that aligned_alloc has given. Takes it, and
 * returns another one like it.
 */
void *led_content_add(struct led_content *led, void *buffer, size_t size);

/* Complete the counts. `registers` gets the shingles that begin in what was led. */
void led_content_end(struct led_content *led, struct resemblance_registers *registers);

/* Drop what was begun and will not be ended. Does nothing where there is no such. */
void led_content_drop(struct led_content *led);

#endif
