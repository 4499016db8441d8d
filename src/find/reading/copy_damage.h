/*
 * Recognizes damaged copies: two files of equal size that differ only as a failing disk, memory or
 * transfer makes them differ.
 *
 *     damage_finder_init(&finder, DAMAGE_READ_MAX, say_failed, context);
 *     damage = damage_find(&finder, &pair);            // NULL: not a damaged copy, or unknown
 *     damage_finder_release(&finder);
 *
 * The bytes that differ are divided into runs of aligned blocks of 512 bytes. Two files are copies,
 * one of them damaged, if there are at most DAMAGE_RUNS runs, and each of them is
 *
 *   - a single bit that differs, the only one of its run; but not several printable characters, or
 *   - lost: one file has one repeated byte in whole blocks, or zeros in at least 512 bytes, or
 *   - exchanged: more than 90 % of the bytes of whole blocks differ, from their beginning to their
 *     end. Bytes that are zero in both files do not count.
 *
 * An edit changes some bytes of a block, so it is not damage. Reading ends at the first run that is
 * not damage.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_COPY_DAMAGE_H
#define SIMHASH_FIND_COPY_DAMAGE_H

#include <pthread.h>

#include "base/data/slots.h"
#include "find/rule/file.h"

#define DAMAGE_RUNS 8
/*
 * The bytes that a list reads by default. A pair counts as at least 512 KiB, so at most 512 pairs are
 * read.
 */
#define DAMAGE_READ_MAX (INT64_C(256) << 20)

struct damage_range {
	int64_t begin, end; /* the first byte, counted from 0, and the byte after the last one */
};

struct copy_damage {
	/* Only single bits differ. An edit may change a character or a small number in this way. */
	bool is_bit, may_be_edit;
	/* The file whose ranges have one repeated byte, which is `value`: 'a', 'b' or 0. */
	char lost_in;
	uint8_t value;
	unsigned count;
	struct damage_range ranges[DAMAGE_RUNS];
};

/* A pair that was examined. */
struct examined_pair {
	uint8_t a[PATH_HASH_SIZE], b[PATH_HASH_SIZE];
	struct copy_damage *damage; /* owned; NULL: none */
};

/* Receives a file that cannot be read, although it is there and has not changed. Any thread calls it. */
typedef void damage_failed_fn(void *context, const struct find_file *file, int system_errno);

/* Any thread may use it. */
struct damage_finder {
	damage_failed_fn *failed;
	void *context;
	pthread_mutex_t lock; /* for the fields below */
	int64_t to_read;      /* the bytes that may still be read */
	struct examined_pair *pairs;
	size_t count, capacity;
	struct slots slots; /* indexes `pairs` */
};

void damage_finder_init(struct damage_finder *finder, int64_t read_max, damage_failed_fn *failed,
			void *context);
void damage_finder_release(struct damage_finder *finder);

/*
 * Compare the files of a pair, if they are files of this host with equal sizes and similar content,
 * and if enough bytes may still be read. The result stays valid until the release of the finder.
 * NULL also if a file has changed or cannot be read.
 */
const struct copy_damage *damage_find(struct damage_finder *finder, const struct file_pair *pair);

#endif
