/*
 * Compares the times of a file with the time of its scan, with a margin for the tick of the kernel
 * or file system.
 * SPDX-License-Identifier: MIT
 */
#include "store/row/trust.h"

#include "base/basic/clock.h"
#include "base/files/identity.h"

#define TICK_NS UINT64_C(20000000)
#define COARSE_TICK_NS UINT64_C(2000000000)
#define SLOW_WRITE_NS UINT64_C(2000000000)

static uint64_t tick_of(int64_t stamp_ns)
{
	return stamp_ns % NS_PER_S == 0 ? COARSE_TICK_NS : TICK_NS;
}

/* Unsigned, because the difference of two signed values may overflow. */
static bool is_before(int64_t stamp_ns, int64_t scanned_at_ns)
{
	return stamp_ns <= scanned_at_ns &&
	       (uint64_t)scanned_at_ns - (uint64_t)stamp_ns >= tick_of(stamp_ns);
}

bool mtime_shows_changes(int64_t mtime_ns, int64_t scanned_at_ns)
{
	return is_before(mtime_ns, scanned_at_ns) ||
	       (mtime_ns > scanned_at_ns &&
		(uint64_t)mtime_ns - (uint64_t)scanned_at_ns >= tick_of(mtime_ns));
}

bool writes_have_ended(int64_t mtime_ns, int64_t scanned_at_ns)
{
	return mtime_ns > scanned_at_ns ||
	       (uint64_t)scanned_at_ns - (uint64_t)mtime_ns >= SLOW_WRITE_NS;
}

bool inode_shows_exchange(bool inodes_last, int64_t changed_ns, int64_t scanned_at_ns)
{
	return inodes_last || !is_before(changed_ns, scanned_at_ns);
}

bool is_same_file(const struct file_identity *identity, int64_t scanned_at_ns)
{
	/* A scan time in the future comes from a wrong clock. */
	return scanned_at_ns <= clock_wall_ns() &&
	       mtime_shows_changes(identity->mtime_ns, scanned_at_ns) &&
	       (is_before(identity->changed_ns, scanned_at_ns) ||
		(identity->has_birth && is_before(identity->born_ns, scanned_at_ns)));
}
