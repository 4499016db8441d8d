/*
 * Stores a chain of levels, each with a checksum of its entries, and finds levels that repeat.
 * SPDX-License-Identifier: MIT
 */
#include "index/walk/level.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/files/open_file.h"

/*
 * A directory with this many equal levels below each other is taken for one that contains itself.
 * If the times of all files and directories are equal to the nanosecond, four levels are enough. If
 * only names and sizes are equal, more levels are needed, because programs create such trees.
 */
#define ALIKE_MAX 4
#define NAMED_ALIKE_MAX 64

/*
 * The maximum number of levels from a directory to its repetition; for .snapshot/hourly.0 it is 2.
 */
#define PERIOD_MAX 8

struct level {
	struct level *above;
	atomic_uint references;
	uint64_t device, inode;
	uint64_t own_times; /* the hash of the directory's times */
	/*
	 * Sums over its entries, in any order. The reader of the directory writes them until it is
	 * done.
	 */
	uint64_t times_sum, names_sum;
	bool has_files;
	atomic_bool is_over;
};

static uint64_t mix(const int64_t *numbers, size_t size)
{
	return XXH3_64bits(numbers, size);
}

struct level *level_new(struct level *above, const struct stat *status)
{
	const int64_t times[] = {stat_mtime_ns(status), stat_ctime_ns(status)};
	struct level *level = calloc(1, sizeof *level);

	if (level == NULL)
		return NULL;
	atomic_init(&level->references, 1);
	atomic_init(&level->is_over, false);
	level->above = level_hold(above);
	level->device = (uint64_t)status->st_dev;
	level->inode = (uint64_t)status->st_ino;
	level->own_times = mix(times, sizeof times);
	level->times_sum = level->own_times;
	return level;
}

struct level *level_hold(struct level *level)
{
	if (level != NULL)
		atomic_fetch_add(&level->references, 1);
	return level;
}

void level_drop(struct level *level)
{
	while (level != NULL && atomic_fetch_sub(&level->references, 1) == 1) {
		struct level *above = level->above;
		free(level);
		level = above;
	}
}

uint64_t level_device(const struct level *level)
{
	return level->device;
}

bool level_changes_device(const struct level *level)
{
	return level->above != NULL && level->above->device != level->device;
}

void level_add(struct level *level, const struct level_entry *entry)
{
	const int64_t name[] = {(int64_t)entry->name_hash, entry->size_bytes, entry->is_file};
	const int64_t times[] = {(int64_t)entry->name_hash, entry->size_bytes, entry->is_file,
				 entry->mtime_ns, entry->changed_ns};

	level->names_sum += mix(name, sizeof name);
	level->times_sum += mix(times, sizeof times);
	level->has_files = level->has_files || entry->is_file;
}

void level_end(struct level *level)
{
	atomic_store_explicit(&level->is_over, true, memory_order_release);
}

static bool is_over(const struct level *level)
{
	return level != NULL && atomic_load_explicit(&level->is_over, memory_order_acquire);
}

static bool are_alike(const struct level *x, const struct level *y, bool by_times)
{
	return is_over(x) && is_over(y) &&
	       (by_times ? x->times_sum == y->times_sum : x->names_sum == y->names_sum);
}

static const struct level *level_up(const struct level *level, unsigned count)
{
	for (; level != NULL && count > 0; count--)
		level = level->above;
	return level;
}

/*
 * Are `count` levels, from this one upwards, equal to the levels `period` above them, and do they
 * have files?
 */
static bool repeats(const struct level *level, unsigned period, unsigned count, bool by_times)
{
	const struct level *far = level_up(level, period);
	bool has_files = false;

	for (unsigned i = 0; i < count; i++, level = level->above, far = far->above) {
		if (!are_alike(level, far, by_times))
			return false;
		has_files = has_files || level->has_files;
	}
	return has_files;
}

struct level_loop level_find_loop(const struct level *level)
{
	const struct level *above = level->above, *read = above;
	unsigned levels = 1;

	for (; above != NULL; above = above->above, levels++)
		if (above->inode == level->inode && above->device == level->device)
			return (struct level_loop){levels, true};
	/* Other walkers may still be reading the levels directly above. */
	while (read != NULL && !is_over(read))
		read = read->above;
	for (unsigned period = 1; period <= PERIOD_MAX; period++) {
		const struct level *same = level_up(level, period);
		bool may_be_same = same != NULL && same->own_times == level->own_times;
		if ((may_be_same && repeats(read, period, (ALIKE_MAX - 1) * period, true)) ||
		    repeats(read, period, (NAMED_ALIKE_MAX - 1) * period, false))
			return (struct level_loop){period, false};
	}
	return (struct level_loop){0, false};
}
